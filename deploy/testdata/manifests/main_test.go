package main

import (
	"os"
	"strings"
	"testing"
)

// TestDeployed: the manifests under deploy/ are whole.
func TestDeployed(t *testing.T) {
	text, err := os.ReadFile("../../kubernetes/job.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if wrong := check(text); len(wrong) > 0 {
		t.Error(strings.Join(wrong, "\n"))
	}
	for _, c := range []struct{ old, new, want string }{
		{"completionMode: Indexed", "completionMode: NonIndexed", "not Indexed"},
		{"completions: 8", "complitions: 8", `unknown field "complitions"`},
		{"memory: 4Gi", "memory: 1Gi", "more memory than its limit"},
		{"memory: 2Gi", "memory: much", "quantities must match"},
		{"mountPath: /etc/txweave", "mountPath: /etc/txweave\n              read: true", "unknown field"},
		{"- name: work\n          emptyDir", "- name: wrok\n          emptyDir", "which is no volume"},
		{"restartPolicy: Never", "restartPolicy: Always", `restartPolicy "Always"`},
		{"$(JOB_COMPLETION_INDEX)", "$(JOB_INDEX)", "no variable for $(JOB_INDEX)"},
		{"name: txweave\nspec", "name: Tx_Weave\nspec", "its name"},
		{"kind: Job", "kind: Jobs", "no kind"},
		{"action: FailIndex", "action: FailIndexes", `no action "FailIndexes"`},
		{"containerName: txweave", "containerName: tx", "no container tx"},
		{"values: [64]", "values: [0, 64]", "0 is none of a failure"},
		{"operator: In", "operator: Is", `no operator "Is"`},
		{"backoffLimitPerIndex: 1000", "backoffLimit: 1000", "FailIndex needs backoffLimitPerIndex"},
		{"onPodConditions:", "onPodCondition:", `unknown field`},
		{"parallelism: 8", "parallelism: 9", "more than completions"},
	} {
		damaged := strings.Replace(string(text), c.old, c.new, 1)
		if damaged == string(text) {
			t.Errorf("%q is not in the manifest", c.old)
		}
		if wrong := strings.Join(check([]byte(damaged)), "\n"); !strings.Contains(wrong, c.want) {
			t.Errorf("%s: %q, want %q", c.new, wrong, c.want)
		}
	}
}

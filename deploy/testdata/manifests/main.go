// Command manifests reads Kubernetes manifests as the API's own types, which refuse what they do not know, and holds
// what a job says in one place against what it says in another. It needs no cluster. It is a module of its own, so that
// the program needs nothing of Kubernetes.
package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: manifests FILE...")
		os.Exit(64)
	}
	wrong := false
	for _, path := range os.Args[1:] {
		text, err := os.ReadFile(path)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(64)
		}
		for _, what := range check(text) {
			fmt.Printf("%s: %s\n", path, what)
			wrong = true
		}
	}
	if wrong {
		os.Exit(1)
	}
}

// check says what is wrong with the manifests of a file, on a line each.
func check(text []byte) (wrong []string) {
	for doc := range bytes.SplitSeq(text, []byte("\n---\n")) {
		var head struct{ APIVersion, Kind string }
		if err := yaml.Unmarshal(doc, &head); err != nil {
			return append(wrong, err.Error())
		}
		if at := head.APIVersion + "/" + head.Kind; at != "batch/v1/Job" {
			wrong = append(wrong, fmt.Sprintf("%q is no kind that is known here", at))
			continue
		}
		var job batch.Job
		if err := yaml.UnmarshalStrict(doc, &job); err != nil {
			wrong = append(wrong, err.Error())
			continue
		}
		wrong = append(wrong, checkJob(&job)...)
	}
	return wrong
}

// checkPolicy holds what is said of the ends of pods against the rules of the API that its types do not state.
func checkPolicy(j *batch.Job, policy *batch.PodFailurePolicy, bad func(format string, args ...any)) {
	pod := &j.Spec.Template.Spec
	if pod.RestartPolicy != core.RestartPolicyNever {
		bad("podFailurePolicy needs restartPolicy Never")
	}
	actions := []batch.PodFailurePolicyAction{batch.PodFailurePolicyActionFailJob, batch.PodFailurePolicyActionFailIndex,
		batch.PodFailurePolicyActionIgnore, batch.PodFailurePolicyActionCount}
	for i, r := range policy.Rules {
		if !slices.Contains(actions, r.Action) {
			bad("rule %d: there is no action %q", i, r.Action)
		}
		if r.Action == batch.PodFailurePolicyActionFailIndex && j.Spec.BackoffLimitPerIndex == nil {
			bad("rule %d: FailIndex needs backoffLimitPerIndex", i)
		}
		if (r.OnExitCodes == nil) == (len(r.OnPodConditions) == 0) {
			bad("rule %d: want onExitCodes or onPodConditions", i)
		}
		if r.OnExitCodes != nil {
			checkExitCodes(pod, i, r.OnExitCodes, bad)
		}
		for _, c := range r.OnPodConditions {
			if c.Status != core.ConditionTrue && c.Status != core.ConditionFalse && c.Status != core.ConditionUnknown {
				bad("rule %d: a condition is not %q", i, c.Status)
			}
		}
	}
}

// checkExitCodes checks the exit codes of rule i.
func checkExitCodes(pod *core.PodSpec, i int, x *batch.PodFailurePolicyOnExitCodesRequirement,
	bad func(format string, args ...any)) {
	named := func(c core.Container) bool { return x.ContainerName != nil && c.Name == *x.ContainerName }
	if x.ContainerName != nil && !slices.ContainsFunc(pod.Containers, named) {
		bad("rule %d: there is no container %s", i, *x.ContainerName)
	}
	switch {
	case x.Operator != batch.PodFailurePolicyOnExitCodesOpIn && x.Operator != batch.PodFailurePolicyOnExitCodesOpNotIn:
		bad("rule %d: there is no operator %q", i, x.Operator)
	case len(x.Values) == 0 || !slices.IsSorted(x.Values) || x.Operator == batch.PodFailurePolicyOnExitCodesOpIn &&
		slices.Contains(x.Values, 0):
		bad("rule %d: exit codes are in order, and 0 is none of a failure", i)
	}
}

// checkJob holds an Indexed Job against the rules of the API (kubernetes.io/docs/concepts/workloads/controllers/job)
// that its types do not state.
func checkJob(j *batch.Job) (wrong []string) {
	bad := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	for _, why := range validation.IsDNS1123Subdomain(j.Name) {
		bad("its name %q: %s", j.Name, why)
	}
	indexed := j.Spec.CompletionMode != nil && *j.Spec.CompletionMode == batch.IndexedCompletion
	checkIndexes(j, indexed, bad)
	pod := &j.Spec.Template.Spec
	if p := pod.RestartPolicy; p != core.RestartPolicyNever &&
		(p != core.RestartPolicyOnFailure || j.Spec.BackoffLimitPerIndex != nil) {
		bad("restartPolicy %q: a job has Never, or OnFailure without backoffLimitPerIndex", p)
	}
	if policy := j.Spec.PodFailurePolicy; policy != nil {
		checkPolicy(j, policy, bad)
	}
	volumes := map[string]bool{}
	for _, v := range pod.Volumes {
		if volumes[v.Name] {
			bad("two volumes are called %s", v.Name)
		}
		volumes[v.Name] = true
	}
	if len(pod.Containers) == 0 {
		bad("it has no container")
	}
	for i := range pod.Containers {
		c := &pod.Containers[i]
		for _, m := range c.VolumeMounts {
			if !volumes[m.Name] {
				bad("container %s mounts %q, which is no volume", c.Name, m.Name)
			}
			delete(volumes, m.Name)
		}
		checkContainer(c, indexed, bad)
	}
	for name := range volumes {
		bad("nobody mounts volume %s", name)
	}
	return wrong
}

// checkIndexes checks what a job says of its pods' indexes.
func checkIndexes(j *batch.Job, indexed bool, bad func(format string, args ...any)) {
	s := &j.Spec
	switch {
	case !indexed:
		bad("it is not Indexed: its pods have no JOB_COMPLETION_INDEX")
	case s.Completions == nil:
		bad("an Indexed Job says its completions")
	case s.Parallelism != nil && *s.Parallelism > *s.Completions:
		bad("parallelism is more than completions")
	}
	if (s.BackoffLimitPerIndex != nil || s.MaxFailedIndexes != nil) && !indexed {
		bad("backoffLimitPerIndex and maxFailedIndexes belong to Indexed jobs")
	}
	if m := s.MaxFailedIndexes; m != nil && (s.BackoffLimitPerIndex == nil || s.Completions != nil &&
		*m > *s.Completions) {
		bad("maxFailedIndexes needs backoffLimitPerIndex, and no more than completions")
	}
}

// checkContainer checks a container's image, resources and arguments.
func checkContainer(c *core.Container, indexed bool, bad func(format string, args ...any)) {
	if c.Image == "" || !strings.Contains(c.Image, ":") {
		bad("container %s has no image with a version", c.Name)
	}
	for what, least := range c.Resources.Requests {
		if most, limited := c.Resources.Limits[what]; limited && least.Cmp(most) > 0 {
			bad("container %s requests more %s than its limit", c.Name, what)
		}
	}
	known := map[string]bool{"JOB_COMPLETION_INDEX": indexed}
	for _, e := range c.Env {
		known[e.Name] = true
	}
	for _, arg := range c.Args {
		for _, rest := range strings.Split(arg, "$(")[1:] {
			if name, _, _ := strings.Cut(rest, ")"); !known[name] {
				bad("container %s: there is no variable for $(%s)", c.Name, name)
			}
		}
	}
}

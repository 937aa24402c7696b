package main

import (
	"encoding/json"
	"os"
	osexec "os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"txweave/internal/testkit/need"
)

// deployed reads a file under deploy/, with lines that are continued put together.
func deployed(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\\\n", " ")
}

// TestDeploy: the flags that the examples under deploy/ use are there.
func TestDeploy(t *testing.T) {
	run, _, err := rootCommand().Find([]string{"campaign", "run"})
	if err != nil {
		t.Fatal(err)
	}
	flag := regexp.MustCompile(`(?:^|\s)--([a-z-]+)`)
	for name, needs := range map[string][]string{
		"systemd/txweave@.service":       {"out", "http"},
		"systemd/txweave-shard@.service": {"out", "store", "shard"},
		"kubernetes/job.yaml":            {"out", "store", "shard", "duration", "fail-on"},
		"slurm/txweave.sbatch":           {"out", "store", "shard", "duration"},
		"github/txweave.yml":             {"out", "ci", "duration", "fail-on", "baseline", "junit", "sarif"},
	} {
		var used []string
		for line := range strings.Lines(deployed(t, name)) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") {
				continue
			}
			for _, m := range flag.FindAllStringSubmatch(line, -1) {
				used = append(used, m[1])
			}
		}
		for _, f := range used {
			if run.Flags().Lookup(f) == nil {
				t.Errorf("%s: campaign run has no --%s", name, f)
			}
		}
		for _, f := range needs {
			if !slices.Contains(used, f) {
				t.Errorf("%s does not use --%s", name, f)
			}
		}
	}
	if text := deployed(t, "kubernetes/job.yaml"); !strings.Contains(text, "- /campaign/out\n") || !strings.Contains(text,
		"mountPath: /campaign\n") {
		t.Error("the job's directory is not on its volume")
	} else if !strings.Contains(text, "completionMode: Indexed") ||
		!strings.Contains(text, "completions: 8") || !strings.Contains(text, "$(JOB_COMPLETION_INDEX)/8") {
		t.Error("the job's parts are not its shards")
	} else if !strings.Contains(text, "- --fail-on\n            - none\n") {
		t.Error("a pod that has found bugs would be started again")
	}
}

// TestUnit: systemd reads the units without a word. The program that it starts need not be where it will be.
func TestUnit(t *testing.T) {
	if _, err := osexec.LookPath("systemd-analyze"); err != nil {
		need.Missing(t, "needs systemd-analyze (Debian: apt-get install systemd)")
	}
	dir := t.TempDir()
	verify := func(name, text string) string {
		path := filepath.Join(dir, strings.Replace(name, "@", "@3", 1))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := osexec.Command("systemd-analyze", "verify", "--man=no", path)
		cmd.Env = append(os.Environ(), "SYSTEMD_UNIT_PATH="+dir+":")
		out, err := cmd.CombinedOutput()
		if err != nil {
			return string(out) + err.Error()
		}
		return string(out)
	}
	for _, name := range []string{"txweave@.service", "txweave-shard@.service"} {
		text := strings.ReplaceAll(deployed(t, "systemd/"+name), "/usr/local/bin/txweave", "/bin/true")
		if said := verify(name, text); said != "" {
			t.Errorf("%s: %s", name, said)
		}
		for _, key := range []string{"RestartSec", "OOMPolicy", "SuccessExitStatus"} {
			if said := verify(name, strings.Replace(text, key+"=", key+"s=", 1)); !strings.Contains(said, key+"s") {
				t.Errorf("%s: the unknown key %ss is passed over: %q", name, key, said)
			}
		}
		if !strings.Contains(text, "\nSuccessExitStatus=1 2 130\n") || !strings.Contains(text,
			"\nRestartPreventExitStatus=64\n") || !strings.Contains(text, "\nRestart=on-failure\n") {
			t.Errorf("%s: exit codes are taken for something else than they are", name)
		}
	}
}

// TestSlurmScript: bash reads the Slurm script.
func TestSlurmScript(t *testing.T) {
	if out, err := osexec.Command("bash", "-n", filepath.Join("..", "..", "deploy", "slurm",
		"txweave.sbatch")).CombinedOutput(); err != nil {
		t.Errorf("%s %v", out, err)
	}
}

// TestDashboard: Grafana's dashboard is JSON of its form, and asks for metrics that there are.
func TestDashboard(t *testing.T) {
	var d struct {
		Title, UID    string
		SchemaVersion int
		Panels        []struct {
			ID      int
			Title   string
			Type    string
			GridPos struct{ X, Y, W, H int }
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(deployed(t, "grafana/txweave.json")), &d); err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("../../campaign/site/metrics.go")
	if err != nil {
		t.Fatal(err)
	}
	metric := regexp.MustCompile(`txweave_[a-z_]+`)
	seen := map[int]bool{}
	for _, p := range d.Panels {
		if seen[p.ID] || p.Title == "" || p.Type == "" || p.GridPos.W < 1 || p.GridPos.X+p.GridPos.W > 24 ||
			len(p.Targets) == 0 {
			t.Errorf("%+v", p)
		}
		seen[p.ID] = true
		for _, x := range p.Targets {
			for _, name := range metric.FindAllString(x.Expr, -1) {
				if !strings.Contains(string(source), `"`+name+`"`) {
					t.Errorf("%s: there is no metric %s", p.Title, name)
				}
			}
		}
	}
	if d.UID == "" || d.SchemaVersion < 30 || len(d.Panels) < 6 {
		t.Errorf("%+v", d)
	}
}

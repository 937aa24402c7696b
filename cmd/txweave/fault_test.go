package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"txweave/campaign"
	"txweave/campaign/store"
	"txweave/campaign/worker"
	"txweave/exec"
)

// failingAt is the variable of the environment that names the cases, "3,5" or "all", at which a worker process of this
// test binary fails by a panic of its own, "3?" the first time only.
const failingAt = "TXWEAVE_TEST_FAILS"

// failingWorker is the command worker, all of whose cases are well but for those at which it fails.
func failingWorker(at string) {
	cases := strings.Split(at, ",")
	out, in := json.NewEncoder(os.Stdout), json.NewDecoder(os.Stdin)
	_ = out.Encode(worker.Hello{Description: exec.Description{Target: "sqlite", Version: "3"}})
	for {
		var job campaign.Job
		if in.Decode(&job) != nil {
			return
		}
		n := strconv.Itoa(job.Case)
		once := filepath.Join(os.Getenv("HOME"), "failed-"+n)
		if _, err := os.Stat(once); slices.Contains(cases, n) || slices.Contains(cases, n+"?") && err != nil || at == "all" {
			_ = os.WriteFile(once, nil, 0o600)
			_ = cases[job.Case+len(cases)] // a case of which we think wrongly
		}
		_ = out.Encode(campaign.CaseResult{Case: job.Case, Checked: true})
	}
}

// TestOwnFaults: what txweave itself does wrong at a case costs fuzz and a campaign's cell that case and no other, is
// described in a file, and keeps the exit code from being 0; six cases in a row end fuzz, and let the cell rest.
func TestOwnFaults(t *testing.T) {
	const cells = "duration = \"30s\"\nslice = \"30s\"\n[[cell]]\nname = \"c\"\ntarget = \"sqlite\"\nmode = \"fuzz\"\nseed = 7\ncases = 12\n"
	for _, c := range []struct {
		name, at string
		args     []string
		files    []string
		said     []string
	}{
		{"fuzz", "3,5?", []string{"fuzz", "--seed", "7", "--cases", "12", "--format", "json"},
			[]string{"seed-7-case-000003.txt", "seed-7-case-000005.txt"},
			[]string{"case 3 of seed 7: a fault of txweave's own: worker ended on case 3",
				"case 5 of seed 7: the fault did not come again",
				"txweave: txweave itself failed at 2 cases: see out/faults\n"}},
		{"cell", "3,5?", []string{"campaign", "run", "cells.toml"}, []string{"c-seed-7-case-000003.txt",
			"c-seed-7-case-000005.txt"},
			[]string{"case 3 of seed 7: a fault of txweave's own: worker ended on case 3",
				"txweave: txweave itself failed at 2 cases: see out/faults\n"}},
		{"fuzz, each", "all", []string{"fuzz", "--seed", "7", "--cases", "12", "--format", "json"},
			[]string{"seed-7-case-000000.txt", "seed-7-case-000001.txt",
				"seed-7-case-000002.txt", "seed-7-case-000003.txt", "seed-7-case-000004.txt", "seed-7-case-000005.txt"},
			[]string{"txweave: txweave itself failed at 6 cases in a row: worker ended on case 5"}},
		{"cell, each", "all", []string{"campaign", "run", "cells.toml", "--duration", "4s"},
			[]string{"c-seed-7-case-000000.txt"},
			[]string{"cell c cannot run (1 times in a row): txweave itself failed at 6 cases in a row",
				"txweave: txweave itself failed at 6 cases: see out/faults\n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := func() (*osexec.Cmd, *buffer, *buffer) {
				cmd, stdout, stderr := command(t, append(c.args, "--out", "out")...)
				cmd.Env = append(os.Environ(), failingAt+"="+c.at, "HOME="+cmd.Dir)
				if err := os.WriteFile(filepath.Join(cmd.Dir, "cells.toml"), []byte(cells), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				if code := exitCode(t, cmd); code != exitInternal {
					t.Errorf("exit code %d", code)
				}
				return cmd, stdout, stderr
			}
			cmd, stdout, stderr := run()
			if last := len(c.args) - 1; c.args[last] == "4s" && !strings.Contains(stderr.String(), "6 cases in a row") {
				// the machine is busy
				c.args[last] = "60s"
				cmd, stdout, stderr = run()
				if strings.Contains(stderr.String(), "cannot run (2 times in a row)") {
					// it had time for a second turn, with faults of its own
					c.said = c.said[:1]
				}
			}
			for _, w := range c.said {
				if !strings.Contains(stderr.String(), w) {
					t.Errorf("%q is not said:\n%s", w, stderr)
				}
			}
			for _, name := range c.files {
				text, err := os.ReadFile(filepath.Join(cmd.Dir, "out", store.FaultsDir, name))
				if err != nil || !bytes.Contains(text, []byte("panic: runtime error: index out of range")) ||
					!bytes.Contains(text, []byte(".failingWorker(")) {
					t.Errorf("%s: %v\n%s", name, err, text)
				}
			}
			if left, _ := filepath.Glob(filepath.Join(cmd.Dir, "out", store.FaultsDir, "*")); c.at != "all" &&
				len(left) != len(c.files) {
				t.Errorf("files %q", left)
			}
			if c.at == "all" || c.args[0] != "fuzz" {
				return
			}
			var sum campaign.Summary
			if err := json.Unmarshal([]byte(stdout.String()), &sum); err != nil || sum.Cases != 12 || sum.CasesClean != 11 ||
				sum.Skipped[campaign.SkippedFault] != 1 || sum.Faults != 2 {
				t.Errorf("%v: %s", err, stdout)
			}
		})
	}
}

// TestCommandPanics: a command that panics says where, and ends with the exit code of such things.
func TestCommandPanics(t *testing.T) {
	root := &cobra.Command{Use: "txweave", SilenceErrors: true, SilenceUsage: true, RunE: func(*cobra.Command,
		[]string) error {
		panic("never thought of")
	}}
	root.SetArgs(nil)
	var stderr bytes.Buffer
	defer func(args []string) { os.Args = args }(os.Args)
	os.Args = os.Args[:1]
	err := execute(t.Context(), root, io.Writer(&stderr))
	if err == nil || codeOf(err) != exitInternal || !strings.HasPrefix(err.Error(),
		"panic: never thought of, in txweave/cmd/txweave.TestCommandPanics") ||
		!strings.Contains(stderr.String(), "fault_test.go") {
		t.Errorf("%v\n%s", err, &stderr)
	}
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"txweave/campaign"
	"txweave/campaign/shrink"
	"txweave/campaign/target"
	"txweave/dbms/registry"
	"txweave/finding"
)

// The demonstration's planted bug: transactions read what others have not committed. Everybody knows that one, it shows
// in nearly every case, and its reduced case has two sessions. The seed's case is small and joins no three tables,
// whose thousands of rows would take most of the time.
const (
	demoFault = "dirty-read"
	demoSeed  = "8"
)

// demo shows what becomes of a bug, on the embedded engine: each step is a command of its own, run as it is printed.
type demo struct {
	ctx    context.Context
	out    string // directory that it works in
	stdout io.Writer
	steps  int
}

func demoCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "See in seconds what becomes of a bug, without any server",
		Long: `The bug is planted between txweave and the embedded SQLite, found, reduced, repeated and reported.
Each step is a command that is printed and run. Exit code 0: the bug was found and reported.`,
		Example: "  txweave demo",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := &demo{ctx: cmd.Context(), out: out, stdout: cmd.OutOrStdout()}
			return d.run()
		},
	}
	cmd.Flags().StringVar(&out, "out", "",
		"directory to work in, which must not be there yet (default: txweave-demo, or txweave-demo-2, …)")
	return cmd
}

func (d *demo) run() error {
	if err := d.place(); err != nil {
		return err
	}
	start := time.Now()
	fmt.Fprintf(d.stdout,
		"A bug is planted between txweave and the SQLite inside it: transactions read what others have not committed.\nAll "+
			"that is written goes to %s.\n", d.out)
	var sum campaign.Summary
	text, err := d.step("Random transactions are interleaved until a case shows something.", exitFindings,
		"fuzz", "--inject", demoFault, "--seed", demoSeed, "--cases", "100", "--stop-at-finding", "--no-reduce", "--format",
		"json", "--out", d.out)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &sum); err != nil || len(sum.Findings) == 0 || sum.Findings[0].Dir == "" {
		return fmt.Errorf("fuzz did not keep a finding: %w", errors.Join(err, errors.New("its summary names none")))
	}
	first := sum.Findings[0]
	d.say("Case %d of the campaign shows something: %s.", sum.Cases, first.Class)

	if text, err = d.step("The case is made smaller as long as it shows the same.", exitClean, "reduce", first.Dir,
		"--format", "json"); err != nil {
		return err
	}
	var small shrink.Result
	if err := json.Unmarshal(text, &small); err != nil {
		return err
	}
	d.say("%s became %s.", caseSize(small.Before), caseSize(small.After))

	dir := filepath.Join(first.Dir, finding.ReducedDir)
	if text, err = d.step("It comes back on fresh tables.", exitFindings, "replay", dir, "--repeat", "5"); err != nil {
		return err
	}
	d.say("%s.", lastLine(text))

	report := filepath.Join(d.out, "report.md")
	if _, err = d.step("It is written as a bug report.", exitClean, "report", first.Dir, "--planted", "--for",
		registry.Default, "--output", report); err != nil {
		return err
	}
	if text, err = os.ReadFile(report); err != nil {
		return err
	}
	title, _, _ := strings.Cut(string(text), "\n")
	d.say("%s", title)

	if _, err = d.step("It is written as a regression test.", exitClean, "export", first.Dir, "--planted", "--to", "go",
		"--output", filepath.Join(d.out, "case_test.go")); err != nil {
		return err
	}
	page, err := filepath.Abs(filepath.Join(dir, finding.PageFile))
	if err != nil {
		return err
	}
	if _, err := os.Stat(page); err != nil {
		return err
	}
	return printf(d.stdout,
		"\nDone in %.1f s. The sessions side by side, what was wrong marked:\n  %s\nA real search: txweave fuzz --target "+
			"mariadb --duration 10m\n",
		time.Since(start).Seconds(), page)
}

// place picks the directory: one that is not there.
func (d *demo) place() error {
	if d.out != "" {
		if _, err := os.Lstat(d.out); err == nil {
			return usagef("--out: %s is there already", d.out)
		}
		return nil
	}
	for n := 1; ; n++ {
		d.out = "txweave-demo"
		if n > 1 {
			d.out = fmt.Sprintf("txweave-demo-%d", n)
		}
		if _, err := os.Lstat(d.out); err != nil {
			return nil
		}
	}
}

// step says what is done and with which command, runs it and returns what it prints. Another exit code than the one
// that it must have ends the demonstration.
func (d *demo) step(what string, want int, args ...string) ([]byte, error) {
	d.steps++
	fmt.Fprintf(d.stdout, "\n%d. %s\n   $ %s\n", d.steps, what, target.CommandLine(append([]string{"txweave"}, args...)))
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := osexec.CommandContext(d.ctx, self, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	var ended *osexec.ExitError
	if err != nil && !errors.As(err, &ended) {
		return nil, err
	}
	if code := cmd.ProcessState.ExitCode(); code != want {
		return nil, fmt.Errorf("the command ended with exit code %d, not %d: %s", code, want, lastLine(stderr.Bytes()))
	}
	return stdout.Bytes(), nil
}

// caseSize says how large a case is.
func caseSize(s shrink.Size) string {
	return finding.Count(s.Statements, "statement") + " in " + finding.Count(s.Transactions, "transaction") + " over " +
		finding.Count(s.Rows, "row")
}

func (d *demo) say(format string, args ...any) { fmt.Fprintf(d.stdout, "   "+format+"\n", args...) }

// lastLine returns the last line of an output.
func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return finding.Line(lines[len(lines)-1])
}

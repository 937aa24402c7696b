package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"txweave/campaign/worker"
	"txweave/dbms"
	"txweave/exec"
	"txweave/finding"
	"txweave/instrument"
	"txweave/internal/output"
	"txweave/report/export"
	"txweave/report/timeline"
	"txweave/sdg"
	"txweave/testcase"
	"txweave/weave"
)

// exportFlags are the flags of the export command.
type exportFlags struct {
	targetFlags
	sourceFlags
	to     string
	output string
	unrun  bool
	plantedFlag
}

func exportCommand() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "export BUG|FINDING|CASE.txw --to FORMAT",
		Short: "Write a finding as a regression test in the maintainers' own form",
		Long: `Write a finding as a regression test: first the interleaving, then the equivalent order without transactions.

A finding's directory is all that is needed. A case by itself does not say what waits and what is answered, so it
is run once, on the target that it names or that the flags name.

With --output, where the maintainers' own program is installed (mysqltest, PostgreSQL's isolationtester), the test is
run on a private server of the finding's kind, and what it prints is written beside it: case.result, case.out.

Formats:
` + export.Help(),
		Example: `  txweave export txweave-out/finding-000001-0 --to mtr --output case.test
  txweave export case.txw --to sql --output case-sql && sh case-sql/run.sh mariadb -u root test`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), args[0], cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f.targetFlags.add(cmd.Flags(), "")
	f.plantedFlag.add(cmd.Flags())
	f.sourceFlags.add(cmd.Flags())
	cmd.Flags().StringVar(&f.to, "to", "", "format: "+strings.Join(export.Formats(), ", "))
	cmd.Flags().BoolVar(&f.unrun, "no-run", false, "do not run the test with the maintainers' own program, where that is installed")
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "file to write; for sql a directory; default: standard output")
	return cmd
}

func (f *exportFlags) run(ctx context.Context, path string, stdout, stderr io.Writer) error {
	if f.to == "" {
		return usagef("--to is missing: want one of %s", strings.Join(export.Formats(), ", "))
	}
	if !slices.Contains(export.Formats(), f.to) {
		return usagef("--to %q: want one of %s", f.to, strings.Join(export.Formats(), ", "))
	}
	if f.to == "sql" && f.output == "" {
		return usagef("--to sql writes several files: name a directory with --output")
	}
	if f.to != "sql" {
		if err := writable(f.output); err != nil {
			return err
		}
	}
	find, err := f.find(ctx, &f.sourceFlags, path)
	if err != nil {
		return err
	}
	if err := f.allows(&find.Record); err != nil {
		return err
	}
	files, err := export.Write(f.to, find)
	if err != nil {
		return usage(err)
	}
	if err := writeFiles(ctx, files, f.to == "sql", f.output, stdout); err != nil || f.output == "" || f.unrun {
		return err
	}
	return f.tryOut(ctx, find, files[0].Text, stderr)
}

// tryOut runs a test as the maintainers do, where their program is installed, and writes beside it what that prints.
func (f *exportFlags) tryOut(ctx context.Context, find *timeline.Dossier, test string, stderr io.Writer) error {
	tool := export.ToolOf(find.Record.Environment.DBMS, f.to)
	switch {
	case tool == nil, f.dsn != "": // a test makes and drops tables
		return nil
	case !tool.Installed():
		fmt.Fprintf(stderr, "txweave: %s is not installed: the test was not run\n", tool.Name)
		return nil
	}
	if _, err := f.forCase(ctx, find.Case); err != nil {
		return err
	}
	f.faults = nil // the test is run on the database as it is
	return f.use(ctx, func(t exec.Target) error {
		printed, err := tool.Run(ctx, t.Control(), test)
		if err != nil {
			return &exitError{exitInconclusive, fmt.Errorf("%s is written, and does not run as it did: %w", f.output, err)}
		}
		beside := strings.TrimSuffix(f.output, filepath.Ext(f.output)) + tool.Ending
		if err := output.File(ctx, beside, []byte(printed)); err != nil {
			return usageOf(err)
		}
		fmt.Fprintf(stderr, "txweave: %s has what %s prints of it on %s %s\n", beside, tool.Name, t.Describe().Target, t.Describe().Version)
		return nil
	})
}

// writeFiles writes an export to a file, to a directory, or to standard output.
func writeFiles(ctx context.Context, files []export.File, dir bool, to string, stdout io.Writer) error {
	if to == "" {
		_, err := io.WriteString(stdout, files[0].Text)
		return err
	}
	if !dir {
		return usageOf(output.File(ctx, to, []byte(files[0].Text)))
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, f := range files {
		if err := output.File(ctx, filepath.Join(to, f.Name), []byte(f.Text)); err != nil {
			return err
		}
	}
	return nil
}

// observeFile runs a case to learn what comes of it.
func (f *targetFlags) observeFile(ctx context.Context, path string) (*timeline.Dossier, error) {
	c, err := readCase(ctx, path)
	if err != nil {
		return nil, err
	}
	p, err := f.forCase(ctx, c)
	if err != nil {
		return nil, err
	}
	var find *timeline.Dossier
	err = f.use(ctx, func(t exec.Target) error {
		find, err = f.observe(ctx, t, p, c)
		return err
	})
	return find, err
}

// observe checks a case once. Its finding, if it shows one, is the result; else what it answers when it is run
// without probes.
func (f *targetFlags) observe(ctx context.Context, t exec.Target, p *dbms.Profile, c *testcase.Case) (*timeline.Dossier, error) {
	rep, err := checkOnce(ctx, t, p, c, weave.Options{Precision: sdg.Match})
	if err != nil {
		return nil, err
	}
	out := &timeline.Dossier{Case: c, Record: finding.Record{Environment: worker.Environment(f.profile, f.claim, f.faults, t.Describe())}}
	if evs := append(rep.Findings, rep.Suspects...); len(evs) > 0 {
		out.Record.Finding, out.Run = evs[0].Finding, evs[0].Run.Trace
		if evs[0].Replayed != nil {
			out.Replayed = evs[0].Replayed.Trace()
		}
		if evs[0].Graph != nil {
			out.Graph = evs[0].Graph.Document(evs[0].Order)
		}
		return out, nil
	}
	r, err := exec.NewRunner(ctx, t, p, exec.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	plan, err := instrument.Instrument(c, p)
	if err != nil {
		return nil, usage(err)
	}
	for i := range plan.Txns {
		for _, b := range plan.Txns[i].Blocks {
			b.VSR, b.BWR, b.AWR = nil, nil, nil
		}
	}
	if _, err := r.Load(plan); err != nil {
		return nil, err
	}
	run, err := r.Run(plan, plan.Steps)
	if err != nil {
		return nil, err
	}
	out.Run = run.Trace
	return out, nil
}

package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"txweave/campaign/replay"
	"txweave/internal/asked"
	"txweave/internal/outcome"
	"txweave/internal/output"
	"txweave/internal/spelling"
	"txweave/report"
	"txweave/report/export"
	"txweave/report/timeline"
)

// reportFlags are the flags of the report command.
type reportFlags struct {
	targetFlags
	sourceFlags
	tracker string
	output  string
	unrun   bool
	plantedFlag
}

func reportCommand() *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "report BUG|FINDING|CASE.txw --for TRACKER",
		Short: "Write a finding as a bug report for a database's tracker",
		Long: `The report has a script that repeats the finding, the answers beside those that were expected,
version and settings. It is printed or written to --output. Nothing is sent anywhere. A crash is
marked as private.

The reduced case is reported where there is one. A case by itself is run once, on its target.`,
		Example: `  txweave report txweave-out/finding-000001-0 --for mariadb --output report.txt
  txweave report txweave-out/finding-000001-0/reduced --for html --output timeline.html`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), args[0], cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f.targetFlags.add(cmd.Flags(), "")
	f.plantedFlag.add(cmd.Flags())
	f.sourceFlags.add(cmd.Flags())
	cmd.Flags().StringVar(&f.tracker, "for", "", strings.Join(report.Trackers(), ", ")+
		", or "+report.HTML+" for one page (default: the finding's database)")
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "file to write (default: standard output)")
	cmd.Flags().BoolVar(&f.unrun, "no-run", false,
		"do not run the test with the maintainers' own program, where that is installed")
	return cmd
}

func (f *reportFlags) run(ctx context.Context, path string, stdout, stderr io.Writer) error {
	if f.tracker != "" && f.tracker != report.HTML && !slices.Contains(report.Trackers(), f.tracker) {
		return usage(spelling.NoneOf("--for", f.tracker, append(report.Trackers(), report.HTML)...))
	}
	if err := asked.Writable(f.output); err != nil {
		return err
	}
	from := f.again(&f.sourceFlags)
	find, err := from.Dossier(ctx, path)
	if err != nil {
		return err
	}
	if find.Record.Class == "" && find.Run != nil {
		return outcome.End(exitInconclusive, fmt.Errorf("%s shows no finding: nothing to report", path))
	}
	if err := f.allows(&find.Record); err != nil {
		return err
	}
	dbms := find.Record.Environment.DBMS
	switch {
	case f.tracker == "":
		f.tracker = dbms
	case f.tracker != dbms && f.tracker != report.HTML:
		fmt.Fprintf(stderr, "txweave: the finding is of %s, the report for %s\n", dbms, f.tracker)
	}
	of, sure, err := replay.Known(find)
	if err != nil {
		return err
	}
	for _, b := range of {
		is := "may be"
		if sure {
			is = "is"
		}
		fmt.Fprintf(stderr, "txweave: this %s known: %s: %s (%s)\n", is, b.Name, b.Title, b.Link)
	}
	if err := f.try(ctx, &from, find); err != nil {
		return err
	}
	text, err := report.Write(f.tracker, find)
	if err != nil {
		return usage(fmt.Errorf("%s: %w", path, err))
	}
	if f.output == "" {
		_, err = io.WriteString(stdout, text)
		return err
	}
	return output.File(ctx, f.output, []byte(text))
}

// try has the maintainers' own program run the test that the report holds, so that the report can say what came of it.
func (f *reportFlags) try(ctx context.Context, from *replay.Under, find *timeline.Dossier) error {
	format := report.TestOf(f.tracker)
	if f.unrun || format == "" || f.tracker != find.Record.Environment.DBMS || export.ToolOf(f.tracker, format) == nil {
		return nil
	}
	files, err := export.Write(format, find)
	if err != nil {
		return nil // the report has no test then
	}
	x, err := from.Try(ctx, find, format, files[0].Text)
	if err != nil || x.On == "" {
		return err
	}
	find.Tested = &timeline.Tested{Text: x.Test, Said: x.Said()}
	return nil
}

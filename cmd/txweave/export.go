package main

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"txweave/internal/asked"
	"txweave/internal/spelling"
	"txweave/report/export"
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
		Long: `The test has the interleaving, then what it is compared with. A case by itself is run once, on its
target.

With --output the test is run with the maintainers' own program, if that is installed (mysqltest,
isolationtester). What that prints is written beside it.`,
		Example: `  txweave export txweave-out/finding-000001-0 --to mtr --output case.test
  txweave export case.txw --to sql --output case-sql && sh case-sql/run.sh mariadb -u root test`,
		Annotations: map[string]string{choices: "Formats:\n" + export.Help()},
		Args:        cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), args[0], cmd.OutOrStdout())
		},
	}
	f.targetFlags.add(cmd.Flags(), "")
	f.plantedFlag.add(cmd.Flags())
	f.sourceFlags.add(cmd.Flags())
	cmd.Flags().StringVar(&f.to, "to", "", "format: "+strings.Join(export.Formats(), ", "))
	cmd.Flags().BoolVar(&f.unrun, "no-run", false,
		"do not run the test with the maintainers' own program, where that is installed")
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "file to write; for sql a directory; default: standard output")
	return cmd
}

func (f *exportFlags) run(ctx context.Context, path string, stdout io.Writer) error {
	if f.to == "" {
		return usagef("--to is missing: want one of %s", strings.Join(export.Formats(), ", "))
	}
	if !slices.Contains(export.Formats(), f.to) {
		return spelling.Meant(usagef("--to %q: want one of %s", f.to, strings.Join(export.Formats(), ", ")), f.to,
			export.Formats()...)
	}
	if f.to == "sql" && f.output == "" {
		return usagef("--to sql writes several files: name a directory with --output")
	}
	if f.to != "sql" {
		if err := asked.Writable(f.output); err != nil {
			return err
		}
	}
	from := f.again(&f.sourceFlags)
	find, err := from.Dossier(ctx, path)
	if err != nil {
		return err
	}
	if err := f.allows(&find.Record); err != nil {
		return err
	}
	runs := !f.unrun && f.output != "" && from.Target.DSN == ""
	if tool := export.ToolOf(find.Record.Environment.DBMS, f.to); runs && tool != nil &&
		tool.Beside(f.output) == f.output {
		return usagef("--output %s: what %s prints of the test goes there: give the test another ending", f.output, tool.Name)
	}
	files, err := export.Write(f.to, find)
	if err != nil {
		return usage(err)
	}
	if err := export.Put(ctx, files, f.to == "sql", f.output, stdout); err != nil || f.output == "" || f.unrun {
		return err
	}
	return from.TryOut(ctx, find, f.to, files[0].Text, f.output)
}

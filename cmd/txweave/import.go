package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"txweave/dbms/registry"
	"txweave/internal/version"
	"txweave/testcase"
	"txweave/testcase/importer"
)

func importCommand() *cobra.Command {
	var target, isolation, order, out string
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Turn a schedule from a bug report into a case",
		Long: `Turn a schedule written by hand into a case that replay and reduce take. FILE ("-": standard input) holds a
set-up and then the sessions' statements in the order in which they are submitted, each with its session:
  T0> UPDATE …;    /* t1 */ UPDATE …;    session1: UPDATE …;    UPDATE …; -- T1    or below a line "session 1"
A second part without sessions (below a line such as "-- no transactions") is the equivalent order: replay compares
with it. The tables need no bookkeeping columns then. What was added or left out is said on standard error.`,
		Example: "  txweave import report.sql --target mysql --isolation repeatable-read -o case.txw && txweave replay case.txw",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := lookup(target, isolation)
			if err != nil {
				return err
			}
			o := importer.Options{Target: p.DBMS, Default: p.Isolation}
			if isolation != "" {
				o.Isolation = p.Isolation
			}
			if o.Order, err = testcase.ParseOrder(order); err != nil {
				return usage(err)
			}
			return importFile(cmd, args[0], out, o)
		},
	}
	cmd.Flags().StringVar(&target, "target", registry.DefaultServer, "the target that the report is about")
	cmd.Flags().StringVar(&isolation, "isolation", "", "isolation level (default: what the file sets, else the target's usual one)")
	cmd.Flags().StringVar(&order, "order", "", `the equivalent order without transactions, e.g. "T1.S0 T0.S0"`)
	cmd.Flags().StringVarP(&out, "out", "o", "", "where to write the case (default: standard output)")
	return cmd
}

func importFile(cmd *cobra.Command, path, out string, o importer.Options) error {
	text, err := readInput(cmd.InOrStdin(), path)
	if err != nil {
		return usage(err)
	}
	c, notes, err := importer.Read(path, text, o)
	if err != nil {
		return usage(err)
	}
	c.Tool = version.Tool
	if _, err := lookup(c.Target, c.Isolation); err != nil {
		return err
	}
	for _, n := range notes {
		fmt.Fprintln(cmd.ErrOrStderr(), n)
	}
	if out == "" {
		_, err = cmd.OutOrStdout().Write(c.Print())
		return err
	}
	return testcase.WriteFile(out, c)
}

// readInput reads a file, or standard input for "-".
func readInput(stdin io.Reader, path string) ([]byte, error) {
	if path == "-" {
		return testcase.ReadAll("standard input", stdin)
	}
	return testcase.ReadText(path)
}

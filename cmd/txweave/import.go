package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"txweave/campaign/importing"
	"txweave/campaign/target"
	"txweave/dbms/registry"
	"txweave/internal/asked"
	"txweave/internal/version"
	"txweave/testcase"
	"txweave/testcase/importer"
)

// importFlags are the flags of the import command.
type importFlags struct {
	targetFlags
	order, out, page string
	format           string
	run              bool
	part             int
	timeout          time.Duration
}

func importCommand() *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Run a bug report as it stands, or turn it into a case",
		Long: `FILE is an issue, a transcript, a test or a log, in one of the formats of
docs/reference/import-formats.md. "-" is standard input. A directory holds the session scripts of
export. A text is refused where it is not clear which session sends a statement.

With --run it runs as it stands, on a private server. You see what each statement answered and what
waited. You see whether a serial order of the transactions gives the same answers, and whether the
level promises one. Nothing runs that could reach beyond the text's own database.
Exit codes with --run: 0 nothing wrong; 1 something is; 2 statements had to be left out.

Without --run a case for replay and reduce is printed.`,
		Example: `  txweave import report.md --run --target mysql
  txweave import report.sql --target mysql --isolation repeatable-read -o case.txw && txweave replay case.txw`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := target.Lookup(f.Target, f.Isolation)
			if err != nil {
				return err
			}
			o := importer.Options{Target: p.DBMS, Default: p.Isolation, Part: f.part, Format: f.format}
			if f.format != "" && !slices.Contains(importer.Formats(), f.format) {
				return usage(fmt.Errorf("no format %q: %s", f.format, strings.Join(importer.Formats(), ", ")))
			}
			if f.Isolation != "" {
				o.Isolation = p.Isolation
			}
			if o.Order, err = testcase.ParseOrder(f.order); err != nil {
				return usage(err)
			}
			text, err := importing.ReadText(cmd.Context(), args[0])
			if err != nil {
				return usage(err)
			}
			if err := asked.Writable(f.out, f.page); err != nil {
				return err
			}
			if f.run {
				c := importing.Config{Target: f.config(), Options: o, Timeout: f.timeout, Page: f.page}
				return c.Run(cmd.Context(), args[0], text, cmd.OutOrStdout())
			}
			return importFile(cmd, args[0], text, f.out, o)
		},
	}
	f.add(cmd.Flags(), registry.DefaultServer)
	cmd.Flags().StringVar(&f.order, "order", "", `the equivalent order without transactions, e.g. "T1.S0 T0.S0"`)
	cmd.Flags().StringVarP(&f.out, "out", "o", "", "where to write the case (default: standard output)")
	cmd.Flags().StringVar(&f.format, "format", "",
		"how the text is read: a format of docs/reference/import-formats.md (default: found out)")
	cmd.Flags().BoolVar(&f.run, "run", false,
		"run it as it stands, and compare it with every serial order")
	cmd.Flags().IntVar(&f.part, "part", 0,
		"which schedule of a file that holds several, from 1 (default: --run runs each)")
	cmd.Flags().StringVar(&f.page, "page", "",
		"where --run writes the timeline page (default: the file's name with .html, here)")
	cmd.Flags().DurationVar(&f.timeout, "timeout", 15*time.Second,
		"after how long --run ends a statement that does not answer")
	return cmd
}

func importFile(cmd *cobra.Command, path string, text []byte, out string, o importer.Options) error {
	c, notes, err := importing.Case(cmd.Context(), path, text, o)
	if err != nil {
		return err
	}
	c.Tool = version.Tool
	if _, err := target.Lookup(c.Target, c.Isolation); err != nil {
		return err
	}
	for _, n := range notes {
		fmt.Fprintln(cmd.ErrOrStderr(), n)
	}
	if out == "" {
		_, err = cmd.OutOrStdout().Write(c.Print())
		return err
	}
	if err = testcase.WriteFile(cmd.Context(), out, c); err == nil {
		next(cmd.ErrOrStderr(), "replay", out)
	}
	return err
}

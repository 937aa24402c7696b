package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"txweave/campaign/importing"
	"txweave/campaign/target"
	"txweave/dbms/registry"
	"txweave/internal/asked"
	"txweave/internal/input"
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
			text, err := readInput(cmd.Context(), args[0])
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
	read, err := asked.Obeying(cmd.Context(), func() (imported, error) { return readImport(path, text, o) })
	if err != nil {
		return err
	}
	c, notes := read.c, read.notes
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

// imported is the case that a text is, and what is to be said of how it was read.
type imported struct {
	c     *testcase.Case
	notes []string
}

// readImport makes a case of a text, with the bookkeeping columns unless it says itself what its statements must give.
func readImport(path string, text []byte, o importer.Options) (imported, error) {
	c, notes, err := importer.Read(path, text, o)
	if err != nil {
		if _, other := importer.ReadScripts(path, text, o, true); other == nil {
			err = fmt.Errorf("%w (import --run runs a text as it stands)", err)
		}
		return imported{}, usage(err)
	}
	if len(c.Order) > 0 || c.Tool != "" {
		return imported{c, notes}, nil
	}
	watched, err := importer.Keep(c)
	if err != nil {
		return imported{c,
			append(notes,
				fmt.Sprintf("no bookkeeping columns: %v: replay needs them or an order; import --run runs the text as it stands",
					err))}, nil
	}
	return imported{watched,
		append(notes, "the tables have the bookkeeping columns pkey, vkey and pvkey, and the statements their values")}, nil
}

// readInput reads a file, or standard input for "-".
func readInput(ctx context.Context, path string) ([]byte, error) {
	if st, err := os.Stat(path); path != input.Stdin && err == nil && st.IsDir() {
		return readSessions(ctx, path)
	}
	return testcase.ReadText(ctx, path)
}

// readSessions reads a directory that holds a script for each session, as export writes them.
func readSessions(ctx context.Context, dir string) ([]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if !importer.IsSessions(names) {
		return nil, fmt.Errorf("%s is a directory without setup.sql and T0.sql, T1.sql, …, as export --to sql writes them",
			dir)
	}
	var files []importer.SessionFile
	for _, name := range names {
		if filepath.Ext(name) != ".sql" {
			continue
		}
		text, err := testcase.ReadText(ctx, filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		files = append(files, importer.SessionFile{Name: name, Text: string(text)})
	}
	text, err := importer.Join(files)
	return []byte(text), err
}

package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"txweave/dbms/registry"
	"txweave/internal/version"
	"txweave/testcase"
	"txweave/testcase/importer"
)

// importFlags are the flags of the import command.
type importFlags struct {
	targetFlags
	order, out, page string
	run              bool
	part             int
	timeout          time.Duration
}

func importCommand() *cobra.Command {
	var f importFlags
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
			p, err := lookup(f.target, f.isolation)
			if err != nil {
				return err
			}
			o := importer.Options{Target: p.DBMS, Default: p.Isolation, Part: f.part}
			if f.isolation != "" {
				o.Isolation = p.Isolation
			}
			if o.Order, err = testcase.ParseOrder(f.order); err != nil {
				return usage(err)
			}
			text, err := readInput(cmd.InOrStdin(), args[0])
			if err != nil {
				return usage(err)
			}
			if f.run {
				return f.runScripts(cmd.Context(), args[0], text, o, cmd.OutOrStdout())
			}
			return importFile(cmd, args[0], text, f.out, o)
		},
	}
	f.add(cmd.Flags(), registry.DefaultServer)
	cmd.Flags().StringVar(&f.order, "order", "", `the equivalent order without transactions, e.g. "T1.S0 T0.S0"`)
	cmd.Flags().StringVarP(&f.out, "out", "o", "", "where to write the case (default: standard output)")
	cmd.Flags().BoolVar(&f.run, "run", false, "run it as it stands, say what was answered and waited, and hold it against every serial order")
	cmd.Flags().IntVar(&f.part, "part", 0, "which schedule of a file that holds several, from 1 (default: --run runs each)")
	cmd.Flags().StringVar(&f.page, "page", "", "where --run writes the timeline page (default: the file's name with .html, here)")
	cmd.Flags().DurationVar(&f.timeout, "timeout", 15*time.Second, "after how long --run ends a statement that does not answer")
	return cmd
}

func importFile(cmd *cobra.Command, path string, text []byte, out string, o importer.Options) error {
	c, notes, err := importer.Read(path, text, o)
	if err != nil {
		return usage(fmt.Errorf("%w (import --run runs a text as it stands)", err))
	}
	if len(c.Order) == 0 && c.Tool == "" {
		if watched, err := importer.Keep(c); err != nil {
			notes = append(notes, fmt.Sprintf("no bookkeeping columns: %v: replay needs them or an order; import --run runs the text as it stands", err))
		} else {
			c = watched
			notes = append(notes, "the tables have the bookkeeping columns pkey, vkey and pvkey, and the statements their values")
		}
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
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		return readSessions(path)
	}
	return testcase.ReadText(path)
}

// readSessions reads a directory that holds a script for each session, as export writes them.
func readSessions(dir string) ([]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if !importer.IsSessions(names) {
		return nil, fmt.Errorf("%s is a directory without setup.sql and T0.sql, T1.sql, …, as export --to sql writes them", dir)
	}
	var files []importer.SessionFile
	for _, name := range names {
		if filepath.Ext(name) != ".sql" {
			continue
		}
		text, err := testcase.ReadText(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		files = append(files, importer.SessionFile{Name: name, Text: string(text)})
	}
	text, err := importer.Join(files)
	return []byte(text), err
}

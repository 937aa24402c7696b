package main

import (
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"txweave/campaign/storming"
	"txweave/campaign/target"
	"txweave/exec/storm/recipe"
	"txweave/internal/outcome"
)

// repeatFlags are the flags of the commands that run the storm of a file over and over.
type repeatFlags struct {
	trustFlags
	server    string
	times     int
	signature string
}

func (f *repeatFlags) repeater(cmd *cobra.Command) *storming.Repeater {
	t := target.Config{Server: f.server, Self: self(), Notes: os.Stderr, AtOnce: true}
	t.Collect()
	return &storming.Repeater{Target: t, Book: f.book(), Out: cmd.OutOrStdout()}
}

func stormRepeatCommand() *cobra.Command {
	var f repeatFlags
	cmd := &cobra.Command{
		Use:   "repeat STORM.TOML",
		Short: "Run a storm that storm --save wrote again, several times, and say how often its finding comes",
		Long: `STORM.TOML is a file of storm --save or of storm reduce. Each storm has another seed, and ends at
its first finding. A server that only the file names is not run: name it with --server, or confirm
it once with --trust.

Exit codes: 0 the finding did not come; 1 it came.`,
		Example: `  txweave storm repeat storm.toml --times 20
  txweave storm repeat storm.toml --server /opt/next/bin/server`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.times < 1 {
				return usagef("--times must be at least 1")
			}
			seen, err := f.repeater(cmd).Repeat(cmd.Context(), args[0], f.signature, f.times)
			if err == nil && seen.Times > 0 {
				next(cmd.ErrOrStderr(), "storm", "reduce", args[0])
				err = outcome.Found()
			}
			return err
		},
	}
	cmd.Flags().IntVar(&f.times, "times", 5, "storms to run")
	cmd.Flags().StringVar(&f.signature, "signature", "", "the finding to look for (default: the first one of the file)")
	cmd.Flags().StringVar(&f.server, "server", "", "path of another server binary, to see whether it has the bug, too")
	f.trustFlags.add(cmd.Flags())
	return cmd
}

func stormScriptCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "script STORM.TOML",
		Short: "Print a script for a tracker that does to a server what a storm did and needs no txweave",
		Long: `The script is for bash and the client of the DBMS: ./storm.sh SECONDS [ARGUMENTS OF THE CLIENT]. Its
sessions write so that the answer of one query must never change. It ends when that answer is wrong,
or its time is over.

It sends other statements than the storm did. Of the nemeses it has kill, ddl, pressure and locks,
and names the others. It drops and creates a database txweave_storm.

Exit codes: 0 written; 64 the storm has no script.`,
		Example: `  txweave storm script storm.toml --output storm.sh && ./storm.sh 60 -u root`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := recipe.Read(cmd.Context(), args[0])
			if err != nil {
				return usage(err)
			}
			text, err := storming.Script(r, filepath.Base(cmp.Or(output, "storm.sh")))
			if err != nil {
				return usage(err)
			}
			if output == "" {
				_, err = io.WriteString(cmd.OutOrStdout(), text)
				return err
			}
			return errors.Join(os.WriteFile(output, []byte(text), 0o755), os.Chmod(output, 0o755))
		},
	}
	cmd.Flags().StringVar(&output, "output", "", "file to write it to (default: standard output)")
	return cmd
}

func stormReduceCommand() *cobra.Command {
	var f repeatFlags
	var tries int
	var output string
	cmd := &cobra.Command{
		Use:   "reduce STORM.TOML",
		Short: "Make a storm that storm --save wrote smaller, as long as its finding comes",
		Long: `It leaves out nemeses and their acts, and takes fewer sessions, rows and kinds of statements. How
often the finding comes is measured first, and decides how often a smaller storm is tried.

Exit codes: 0 it is as small as can be; 2 the finding did not come at all.`,
		Example: `  txweave storm reduce storm.toml
  txweave storm reduce storm.toml --times 10 --output small.toml`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.times < 1 || tries < 1 {
				return usagef("--times and --tries must be at least 1")
			}
			output = cmp.Or(output, strings.TrimSuffix(args[0], ".toml")+"-reduced.toml")
			err := f.repeater(cmd).Reduce(cmd.Context(), args[0], f.signature, f.times, tries, output)
			if err == nil {
				next(cmd.ErrOrStderr(), "storm", "script", output)
			}
			return err
		},
	}
	cmd.Flags().IntVar(&f.times, "times", 5, "storms that the finding's rate is measured with, before and after")
	cmd.Flags().IntVar(&tries, "tries", 8, "storms that a smaller one is given to show the finding, at most")
	cmd.Flags().StringVar(&f.signature, "signature", "", "the finding to look for (default: the first one of the file)")
	cmd.Flags().StringVar(&output, "output", "", "where to write what is left (default: the file's name with -reduced)")
	cmd.Flags().StringVar(&f.server, "server", "", "path of another server binary than the file's")
	f.trustFlags.add(cmd.Flags())
	return cmd
}

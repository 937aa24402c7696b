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
		Long: `repeat runs the storm of a file that storm --save or storm reduce wrote, with one seed after another, each until its first finding, and
says in how many storms the file's first finding, or that of --signature, came, and after what time. A server that only the file names is not
run: name it by --server, or confirm it once by --trust.

Exit codes: 0 it did not come, 1 it came, 64 usage, 69 target unavailable, 70 internal error, 130 interrupted.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.times < 1 {
				return usagef("--times must be at least 1")
			}
			seen, err := f.repeater(cmd).Repeat(cmd.Context(), args[0], f.signature, f.times)
			if err == nil && seen.Times > 0 {
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
		Long: `script prints a program for bash and the DBMS's own client. Its sessions write so that one query's answer must never change, while the
statements of the storm's nemeses are run beside them, until that answer is wrong or its time is over: ./storm.sh SECONDS [ARGUMENTS OF THE CLIENT].

It does not send the storm's statements, and shows rows that are missing, too many or of several states, and updates that are lost. Of the
nemeses kill, ddl, pressure and locks are done, the others are named in it. It drops and creates a database txweave_storm.

Exit codes: 0 written, 64 usage, or the storm has no script.`,
		Args: cobra.ExactArgs(1),
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
		Long: `reduce looks for a smaller storm that shows the same finding: without nemeses, with fewer of their acts, fewer sessions, rows and kinds of
statements. How often the finding comes is measured first; a smaller storm is run so often that one which shows it as often is given up with
a probability of one in twenty, at most --tries times. What is left is written to --output, with its rate.

Exit codes: 0 it was made smaller or is as small as can be, 2 it did not come at all, 64 usage, 69 target unavailable, 70 internal error,
130 interrupted.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.times < 1 || tries < 1 {
				return usagef("--times and --tries must be at least 1")
			}
			output = cmp.Or(output, strings.TrimSuffix(args[0], ".toml")+"-reduced.toml")
			return f.repeater(cmd).Reduce(cmd.Context(), args[0], f.signature, f.times, tries, output)
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

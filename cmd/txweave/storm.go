package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"txweave/campaign/display"
	"txweave/campaign/replay"
	"txweave/campaign/storming"
	"txweave/campaign/target"
	"txweave/dbms/registry"
	"txweave/exec"
	"txweave/exec/storm"
	"txweave/exec/storm/recipe"
	"txweave/exec/storm/verdict"
	"txweave/finding"
	"txweave/gen/workload"
	"txweave/internal/asked"
	"txweave/internal/outcome"
	"txweave/internal/trust"
)

// stormFlags are the flags of storm.
type stormFlags struct {
	targetFlags
	c      storming.Config
	format string
	limit  int
	save   string
	reads  float64
}

// untilDone is how long a storm takes at most that ends after so many transactions.
const untilDone = 24 * time.Hour

func stormCommand() *cobra.Command {
	f := &stormFlags{c: storming.Default()}
	cmd := &cobra.Command{
		Use:   "storm",
		Short: "Run a workload at full speed over many sessions and verify what they saw",
		Long: `Sessions send transactions as fast as the database answers. What each statement saw and wrote is
checked while it runs, against what the isolation level promises. Whole histories of mini, cas and
append are checked at the end. A transaction that the database rolls back is not tried again.

Exit codes: 0 clean; 1 findings; 2 nothing could be checked, or the database stood still.`,
		Example: `  txweave storm --target mariadb --workload random-sql --duration 10m
  txweave storm --target postgresql --workload bank --nemesis kill,ddl --save storm.toml`,
		Annotations: map[string]string{choices: "Workloads:\n" + workload.About() + "\nNemeses:\n" + storm.AboutNemeses()},
		Args:        cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("reads") {
				f.c.Reads = &f.reads
			}
			if cmd.Flags().Changed("transactions") && !cmd.Flags().Changed("duration") {
				f.c.Duration = untilDone
			}
			s, err := f.prepare(cmd.Context())
			if err != nil {
				return err
			}
			return s.On.Use(cmd.Context(), func(t exec.Target) error {
				return f.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), t, s)
			})
		},
	}
	cmd.AddCommand(stormRepeatCommand(), stormReduceCommand(), stormScriptCommand())
	fs, c := cmd.Flags(), &f.c
	f.add(fs, registry.Default)
	f.addInject(fs)
	fs.StringVar(&c.Workload, "workload", c.Workload, "what the transactions do: see above")
	fs.IntVar(&c.Sessions, "sessions", c.Sessions, "concurrent sessions")
	fs.DurationVar(&c.Duration, "duration", c.Duration, "how long transactions are begun")
	fs.IntVar(&c.Transactions, "transactions", 0,
		"end once so many have committed, or after --duration if that is set")
	fs.IntVar(&c.Operations, "length", 0,
		"operations of a transaction; of random-sql and append at most (default: the workload's)")
	fs.Float64Var(&f.reads, "reads", 0,
		"share of reads, from 0 to 1 (default: the workload's; docs/reference/storms.md)")
	fs.Float64Var(&c.Theta, "theta", 0, "how steep zipf is: key i has weight 1/(i+1)^theta (default: 1)")
	fs.IntVar(&c.ValueSize, "value-size", 0, "bytes of a text in each row, which each write sets and reads of a row check")
	fs.IntVar(&c.Keys, "keys", c.Keys, "rows of the workload's main table")
	fs.StringVar(&c.Distribution, "distribution", c.Distribution,
		"how often each key is used: uniform, zipf, hotspot, exponential")
	fs.Uint64Var(&c.Seed, "seed", c.Seed, "seed of the transactions")
	fs.StringVar(&f.format, "format", "text", "text or json")
	fs.StringVar(&c.Trace, "trace", "", "write the interval trace to this file, for check")
	fs.StringVar(&c.History, "history", "",
		"write the history to this file, for check (.bin: small and quick to read)")
	fs.StringVar(&c.Certificate, "certificate", "",
		"write the database's order of versions to this file, and check the history with it")
	fs.IntVar(&f.limit, "limit", 20, "samples of findings to print, two of each kind at most")
	fs.StringSliceVar(&c.Nemesis, "nemesis", nil, "what disturbs the database, several with commas: see above")
	fs.DurationVar(&c.Every, "every", 0, "mean time from one act of a nemesis to its next (default: each has its own)")
	fs.BoolVar(&c.Perturb, "perturb", false,
		"delay statements so that they meet others on the same row, or a COMMIT")
	fs.StringSliceVar(&c.Without, "without", nil,
		"operations to leave out: "+
			strings.Join(workload.Operations, ", "))
	fs.StringVar(&f.save, "save", "",
		"write the storm to this file if there are findings, for storm repeat and storm reduce")
	fs.DurationVar(&c.Stall, "stall", c.Stall, "say what every session is doing once no transaction has ended for so long")
	return cmd
}

// prepare makes the storm that the flags say.
func (f *stormFlags) prepare(ctx context.Context) (*storming.Storm, error) {
	if err := textOrJSON(f.format); err != nil {
		return nil, err
	}
	if f.limit < 1 {
		return nil, usagef("--limit must be at least 1")
	}
	f.AtOnce = true
	f.c.Target = f.config()
	if err := f.c.Validate(); err != nil {
		return nil, err
	}
	if err := asked.Writable(f.save); err != nil {
		return nil, err
	}
	return f.c.Prepare(ctx)
}

// keep writes what the storm was for storm repeat, for which the user has named the server.
func (f *stormFlags) keep(ctx context.Context, s *storming.Storm, found []finding.Listed, stderr io.Writer) error {
	if err := s.Recipe(found).Write(ctx, f.save); err != nil || f.Server == "" {
		return err
	}
	if err := trust.Open().Name(trust.Program(f.Server)); err != nil {
		fmt.Fprintf(stderr, "txweave: %s will need --server to be repeated: it cannot be remembered: %s\n", f.save,
			finding.ErrorLine(err))
	}
	return nil
}

// run runs the storm and prints what came of it.
func (f *stormFlags) run(ctx context.Context, stdout, stderr io.Writer, t exec.Target, s *storming.Storm) error {
	s.Stalled = func(x *storm.Stall) { storming.PrintStall(stderr, x) }
	s.Shown = func(v *verdict.OnlineCheck) func() { return display.New(stderr).Storm(v, s.Duration) }
	a, herr, err := s.Run(ctx, t)
	var hang *exec.HangError
	if errors.As(err, &hang) {
		fmt.Fprint(stderr, hang.Stacks)
		if err = replay.Hanging(hang); hang.Proved() {
			err = outcome.End(exitFindings, fmt.Errorf("%s: %w", finding.ClassHang, err))
		}
	}
	if a == nil || hang != nil {
		return err
	}
	if f.save != "" && a.Found > 0 {
		err = errors.Join(err, f.keep(ctx, s, a.Findings, stderr))
	}
	if err := a.Group(s.On.Environment(t.Describe()), f.limit); err != nil {
		return err
	}
	if f.format == "json" {
		enc := json.NewEncoder(stdout)
		enc.SetEscapeHTML(false)
		err = errors.Join(err, enc.Encode(a.Figures))
	} else {
		err = errors.Join(err, a.Print(stdout))
	}
	if err == nil && f.format == "text" && a.Found > a.Known {
		if f.save == "" {
			next(stderr, again("--save", "storm.toml")...)
		} else {
			next(stderr, "storm", "repeat", f.save)
		}
	}
	switch {
	case err != nil:
		return errors.Join(err, herr)
	case ctx.Err() != nil:
		return outcome.Stopped()
	case a.Found > a.Known:
		return outcome.End(exitFindings, herr)
	case herr != nil:
		return herr
	}
	return a.Inconclusive()
}

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

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"txweave/campaign/display"
	"txweave/campaign/replay"
	"txweave/campaign/storming"
	"txweave/dbms/registry"
	"txweave/exec"
	"txweave/exec/storm"
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

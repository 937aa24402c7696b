package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"txweave/campaign"
	"txweave/campaign/bugs"
	"txweave/campaign/casesource"
	"txweave/campaign/database"
	"txweave/campaign/display"
	"txweave/campaign/fuzz"
	"txweave/campaign/rotation"
	"txweave/campaign/store"
	"txweave/campaign/target"
	"txweave/dbms/registry"
	"txweave/finding"
	"txweave/gen"
	"txweave/internal/outcome"
)

// fuzzFlags are the flags of the fuzz command.
type fuzzFlags struct {
	targetFlags
	c       fuzz.Config
	out     string
	format  string
	retired retired
}

func fuzzCommand() *cobra.Command {
	f := fuzzFlags{c: fuzz.Default()}
	cmd := &cobra.Command{
		Use:   "fuzz",
		Short: "Generate cases and look for transaction bugs",
		Long: `Each case is a few transactions with their statements interleaved. txweave runs it, sorts its
statements by their dependencies, and runs them again without transactions. It checks what the
isolation level promises, too. The same seed gives the same cases.

What comes back on fresh tables is a finding, a directory below --out
(docs/reference/report-format.md). An error of txweave itself at a case is described in
--out/faults, and the case is run again.

Exit codes: 0 no finding; 1 bugs; 2 nothing could be checked, or nothing is certain.`,
		Example: `  txweave fuzz --duration 30s
  txweave fuzz --target mariadb --isolation repeatable-read --workers 2 --duration 8h --out findings
  txweave fuzz --dsn 'user:password@tcp(127.0.0.1:3306)/' --isolation serializable --cases 1000`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("seed") {
				f.c.Seed = casesource.FreshSeed()
			}
			if err := f.retired.check(cmd.Flags(), cmd.ErrOrStderr()); err != nil {
				return err
			}
			return f.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	fs, c := cmd.Flags(), &f.c
	f.targetFlags.add(fs, registry.Default)
	f.addInject(fs)
	fs.BoolVar(&c.NoReduce, "no-reduce", c.NoReduce,
		"keep findings as they are found; they are then grouped by oracle and difference alone")
	fs.DurationVar(&c.ReduceTime, "reduce-time", c.ReduceTime,
		"at most this long to reduce one finding, and all that are left at the end")
	fs.IntVar(&c.MaxLogs, "max-logs-per-bug", c.MaxLogs, "findings of one bug whose files are kept; more are counted")
	fs.IntVar(&c.PauseAbove, "pause-above", c.PauseAbove,
		"only count a cause that shows in more than this percentage of the last cases (0: never)")
	fs.StringVar(&c.Known, "known", c.Known, "a file of known bugs, beside those that txweave comes with")
	fs.DurationVar(&c.Duration, "duration", c.Duration, "stop after this time, e.g. 30s, 8h (default: no limit)")
	fs.IntVar(&c.Cases, "cases", c.Cases, "stop after this many cases (default: no limit)")
	fs.IntVar(&c.First, "first", c.First, "number of the first case of the campaign")
	fs.BoolVar(&c.Once, "stop-at-finding", c.Once, "stop after the first case that shows something")
	fs.Uint64Var(&c.Seed, "seed", c.Seed, "seed of the campaign (default: a fresh one, printed)")
	fs.IntVar(&c.Workers, "workers", c.Workers, "workers, each with a database of its own, up to "+strconv.Itoa(
		rotation.MaxWorkers))
	fs.StringVar(&f.out, "out", bugs.DefaultOut, "directory for findings, made when the first one comes")
	fs.IntVar(&c.Orders, "orders", c.Orders,
		"topological orders to replay for each case; 0: one, and a second one in every eighth case")
	fs.IntVar(&c.Integrity, "integrity", c.Integrity,
		"check the tables in one of so many cases, and at findings (0: only there; SQLite: each case)")
	fs.StringVar(&c.Precision, "precision", c.Precision,
		"finest equivalence that may be used to keep statements in a cyclic graph: exact, column or match")
	addWithout(fs, &c.Without)
	addRows(fs, &c.Rows)
	fs.StringVar(&c.Seeds, "seeds", c.Seeds,
		"a directory with known cases: half of the cases, later a fifth, are made by changing these")
	f.retired.add(fs, "guide", "corpus")
	fs.StringVar(&f.format, "format", "text", "what to print at the end: text or json (one object)")
	return cmd
}

// addRows adds the flag that gives some cases many rows.
func addRows(fs *pflag.FlagSet, rows *int) {
	fs.IntVar(rows, "rows", 0,
		fmt.Sprintf("give a table of one case in sixteen so many rows, up to %d (default: none has so many)",
			gen.MostRows))
}

// addWithout adds the flag that leaves productions out.
func addWithout(fs *pflag.FlagSet, names *[]string) {
	fs.StringSliceVar(names, "without", nil,
		"leave out: productions of txweave features, or parts (docs/explanation/pace.md)")
}

// run runs fuzz and says what came of it.
func (f *fuzzFlags) run(ctx context.Context, stdout, stderr io.Writer) (err error) {
	if err := textOrJSON(f.format); err != nil {
		return err
	}
	if err := store.Check(f.out); err != nil {
		return usagef("--out: %w", err)
	}
	f.c.Target, f.c.Store, f.c.Command = f.config(), database.In(f.out), target.CommandLine(os.Args)
	h, err := f.c.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	console := display.New(stderr)
	if h.On.DBMS.Server != nil {
		console.Faster = h.On.DBMS.Server.Users.Faster
	}
	console.Cases, console.Duration, console.OnServer, console.Planted = f.c.Cases, f.c.Duration, f.DSN != "",
		len(f.Inject) > 0
	c := &h.Campaign
	describe := c.Describe
	c.Describe = func() finding.Environment {
		env := describe()
		fmt.Fprintf(stderr, "txweave: seed %d, %s %s at %s\n", f.c.Seed, env.DBMS, env.Version, env.Isolation)
		if f.DSN != "" && h.On.DBMS.Server.Users.Lacks != nil {
			if what := h.On.DBMS.Server.Users.Lacks(env.Settings); what != "" {
				fmt.Fprintf(stderr, "txweave: %s\n", what)
			}
		}
		return env
	}
	c.Progress, c.Report, c.Note = console.Progress, console.Report, console.Note
	sum, err := h.Run(ctx)
	console.End()
	console.Index(f.out)
	if sum.Target == "" && err != nil {
		return err // it never began
	}
	if f.format == "json" {
		err = errors.Join(err, json.NewEncoder(stdout).Encode(sum))
	} else {
		err = errors.Join(err, h.Print(stdout, sum))
	}
	if err != nil {
		return err
	}
	if f.format == "text" && len(sum.Bugs) > 0 {
		next(stderr, append([]string{"bugs", "list"}, unless(bugs.DefaultOut, "out", f.out)...)...)
	}
	return conclude(ctx, sum, f.out)
}

// conclude turns a summary into an exit code.
func conclude(ctx context.Context, sum *campaign.Summary, out string) error {
	switch {
	case ctx.Err() != nil:
		return outcome.Stopped()
	case sum.Reported() > 0:
		return outcome.Found()
	case sum.Faults > 0:
		return ownFaults(int64(sum.Faults), out)
	case len(sum.Paused) > 0:
		return outcome.Inconclusivef(
			"most cases show the same finding, which was paused: check the set-up (docs/howto/triage.md)")
	case sum.UnconfirmedBugs() > 0:
		return outcome.Inconclusivef(
			"%d bugs are unconfirmed: their findings did not come back each time (txweave bugs list --status unconfirmed)",
			sum.UnconfirmedBugs())
	case sum.CasesChecked == 0:
		return outcome.Inconclusivef("none of %d cases could be checked", sum.Cases)
	}
	return nil
}

// ownFaults is the exit code of a campaign that found nothing, and at some of whose cases txweave itself failed.
func ownFaults(n int64, out string) error {
	return outcome.End(exitInternal, fmt.Errorf("txweave itself failed at %s: see %s", finding.Count(n, "case"),
		filepath.Join(out, store.FaultsDir)))
}

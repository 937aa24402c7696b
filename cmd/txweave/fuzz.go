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
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"txweave/campaign"
	"txweave/campaign/bugs"
	"txweave/campaign/casesource"
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
		Long: `Generate cases, run each in transactions, sort its statements by their dependencies, run them again without
transactions, and report every difference that comes back on fresh tables and connections.

The same seed gives the same cases. Each finding is a directory under --out: case.txw, trace.jsonl,
observation.json, replay.jsonl, sdg.dot, sdg.json, finding.json, and timeline.html to look at; "txweave replay DIR/case.txw" runs the case again.

A fault of txweave's own at a case is described in a file below --out/faults, and the case run again; six cases in a row end the campaign.

Exit codes: 0 clean, 1 findings, 2 inconclusive, 64 usage, 69 target unavailable, 70 internal error, or faults of txweave's own and no finding,
130 interrupted.`,
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
	f.addFaults(fs)
	fs.BoolVar(&c.NoReduce, "no-reduce", c.NoReduce,
		"keep findings as they are found; they are then grouped by oracle and difference alone")
	fs.DurationVar(&c.ReduceTime, "reduce-time", c.ReduceTime,
		"at most this long to reduce one finding, and all that are left at the end")
	fs.IntVar(&c.MaxLogs, "max-logs-per-bug", c.MaxLogs, "findings of one bug whose files are kept; more are counted")
	fs.IntVar(&c.Flood, "flood", c.Flood,
		"pause a cause that shows in more than this percentage of the last cases: a fault of the set-up? (0: never)")
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
		"ask the database in every so-many-th case (SQLite: in each), and at each finding, whether its tables are whole "+
			"(0: only at findings)")
	fs.StringVar(&c.Precision, "precision", c.Precision,
		"finest equivalence that may be used to keep statements in a cyclic graph: exact, column or match")
	addWithout(fs, &c.Without)
	addRows(fs, &c.Rows)
	fs.StringVar(&c.Seeds, "seeds", c.Seeds,
		"a directory with cases to change, e.g. of known bugs: half of the cases are made of them until each was changed "+
			"40 times, then a fifth")
	f.retired.add(fs, "guide", "corpus")
	fs.StringVar(&f.format, "format", "text", "what to print at the end: text or json (one object)")
	return cmd
}

// addRows adds the flag that gives some cases many rows.
func addRows(fs *pflag.FlagSet, rows *int) {
	fs.IntVar(rows, "rows", 0,
		fmt.Sprintf("rows that a table of one case in sixteen has, up to %d; all other cases are what "+
			"they are without this (default: no case has so many)", gen.MostRows))
}

// addWithout adds the flag that leaves productions out.
func addWithout(fs *pflag.FlagSet, names *[]string) {
	fs.StringSliceVar(names, "without", nil, "what is not generated, by the names that txweave features lists; also "+
		strings.Join(casesource.Parts(), ", ")+": what is done to every case")
}

// run runs fuzz and says what came of it.
func (f *fuzzFlags) run(ctx context.Context, stdout, stderr io.Writer) (err error) {
	if err := textOrJSON(f.format); err != nil {
		return err
	}
	out := store.In(f.out)
	if err := out.Check(); err != nil {
		return usagef("--out: %w", err)
	}
	f.c.Target, f.c.Store, f.c.Command = f.config(), out, target.CommandLine(os.Args)
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
		len(f.Faults) > 0
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
		return outcome.Inconclusivef("findings came so often that they were paused: a fault of the set-up?")
	case sum.Suspected() > 0:
		return outcome.Inconclusivef(
			"%d bugs are suspected: their findings did not come back each time (txweave bugs list --status suspect)",
			sum.Suspected())
	case sum.CasesChecked == 0:
		return outcome.Inconclusivef("none of %d cases could be checked", sum.Cases)
	}
	return nil
}

// ownFaults is the exit code of a campaign that found nothing, and at some of whose cases txweave itself failed.
func ownFaults(n int64, out string) error {
	return outcome.End(exitInternal, fmt.Errorf("txweave itself failed at %s: %s tells more", finding.Count(n, "case"),
		filepath.Join(out, store.FaultsDir)))
}

package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"txweave/campaign"
	"txweave/campaign/casesource"
	"txweave/campaign/rotation"
	"txweave/campaign/shrink"
	"txweave/campaign/store"
	"txweave/campaign/worker"
	"txweave/dbms"
	"txweave/dbms/registry"
	"txweave/exec/planted"
	"txweave/finding"
	"txweave/finding/known"
	"txweave/gen"
	"txweave/internal/outcome"
	"txweave/weave"
)

// fuzzFlags are the flags of the fuzz command.
type fuzzFlags struct {
	targetFlags
	duration  time.Duration
	cases     int
	first     int
	once      bool
	seed      uint64
	workers   int
	out       string
	orders    int
	integrity int
	precision string
	format    string
	without   []string
	seedFlags
	retired retired
	triageFlags
}

// triageFlags are the flags of fuzz that say what becomes of findings.
type triageFlags struct {
	noReduce   bool
	reduceTime time.Duration
	maxLogs    int
	flood      int
	known      string
	bugs       known.List // known ones on the target
}

func (f *triageFlags) add(fs *pflag.FlagSet) {
	fs.BoolVar(&f.noReduce, "no-reduce", false, "keep findings as they are found; they are then grouped by oracle and difference alone")
	fs.DurationVar(&f.reduceTime, "reduce-time", time.Minute, "at most this long to reduce one finding, and all that are left at the end")
	fs.IntVar(&f.maxLogs, "max-logs-per-bug", 3, "findings of one bug whose files are kept; more are counted")
	fs.IntVar(&f.flood, "flood", 80, "pause a cause that shows in more than this percentage of the last cases: a fault of the set-up? (0: never)")
	fs.StringVar(&f.known, "known", "", "a file of known bugs, beside those that txweave comes with")
}

// check reads the known bugs and looks at the values.
func (f *triageFlags) check(ctx context.Context) (err error) {
	if f.maxLogs < 1 {
		return usagef("--max-logs-per-bug must be at least 1")
	}
	if f.flood < 0 || f.flood > 99 {
		return usagef("--flood %d: want a percentage below 100", f.flood)
	}
	if f.reduceTime <= 0 {
		return usagef("--reduce-time must be more than 0 (--no-reduce switches reducing off)")
	}
	if f.bugs, err = known.Default(); err != nil || f.known == "" {
		return err
	}
	more, err := known.Read(ctx, f.known)
	if err != nil {
		return usage(fmt.Errorf("--known: %w", err))
	}
	f.bugs = append(more, f.bugs...)
	return nil
}

// isKnown names the known bug that a finding is.
func (f *triageFlags) isKnown(x *finding.Finding, sig finding.Signature) string {
	if b := f.bugs.Match(x, sig); b != nil {
		return b.Name
	}
	return ""
}

func fuzzCommand() *cobra.Command {
	var f fuzzFlags
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
				f.seed = freshSeed()
			}
			if err := f.retired.check(cmd.Flags(), cmd.ErrOrStderr()); err != nil {
				return err
			}
			return f.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	fs := cmd.Flags()
	f.add(fs)
	fs.StringVar(&f.format, "format", "text", "what to print at the end: text or json (one object)")
	return cmd
}

// add adds the flags that say what is run.
func (f *fuzzFlags) add(fs *pflag.FlagSet) {
	f.targetFlags.add(fs, registry.Default)
	f.addFaults(fs)
	f.triageFlags.add(fs)
	fs.DurationVar(&f.duration, "duration", 0, "stop after this time, e.g. 30s, 8h (default: no limit)")
	fs.IntVar(&f.cases, "cases", 0, "stop after this many cases (default: no limit)")
	fs.IntVar(&f.first, "first", 0, "number of the first case of the campaign")
	fs.BoolVar(&f.once, "stop-at-finding", false, "stop after the first case that shows something")
	fs.Uint64Var(&f.seed, "seed", 0, "seed of the campaign (default: a fresh one, printed)")
	fs.IntVar(&f.workers, "workers", 1, "workers, each with a database of its own, up to "+strconv.Itoa(rotation.MaxWorkers))
	fs.StringVar(&f.out, "out", "txweave-out", "directory for findings, made when the first one comes")
	fs.IntVar(&f.orders, "orders", 0, "topological orders to replay for each case; 0: one, and a second one in every eighth case")
	fs.IntVar(&f.integrity, "integrity", 10, "ask the database in every so-many-th case (SQLite: in each), and at each finding, whether its tables are whole (0: only at findings)")
	fs.StringVar(&f.precision, "precision", "match", "finest equivalence that may be used to keep statements in a cyclic graph: exact, column or match")
	addWithout(fs, &f.without)
	f.seedFlags.add(fs)
	f.retired.add(fs, "guide", "corpus")
}

// addWithout adds the flag that leaves productions out.
func addWithout(fs *pflag.FlagSet, names *[]string) {
	fs.StringSliceVar(names, "without", nil, "what is not generated, by the names that txweave features lists; also "+strings.Join(casesource.Parts(), ", ")+": what is done to every case")
}

// freshSeed draws a campaign's seed; it is printed, so that the campaign can be repeated.
func freshSeed() uint64 {
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err) // crypto/rand never fails on the systems that Go supports
	}
	return binary.LittleEndian.Uint64(b[:]) >> 20 // 44 bits are enough and easier to type
}

// check looks at the values that say what is run; it returns what they ask of the oracle.
func (f *fuzzFlags) check(ctx context.Context) (o weave.Options, err error) {
	if f.format != "text" && f.format != "json" {
		return o, usagef("--format %q: want text or json", f.format)
	}
	if f.workers < 1 || f.workers > rotation.MaxWorkers {
		return o, usagef("--workers must be from 1 to %d", rotation.MaxWorkers)
	}
	if f.cases < 0 || f.duration < 0 || f.first < 0 {
		return o, usagef("--cases, --first and --duration must not be negative")
	}
	if o, err = replayOptions(f.orders, f.precision); err != nil {
		return o, err
	}
	if o.Integrity = f.integrity; f.integrity < 0 {
		return o, usagef("--integrity must not be negative")
	}
	return o, f.triageFlags.check(ctx)
}

func (f *fuzzFlags) run(ctx context.Context, stdout, stderr io.Writer) (err error) {
	o, err := f.check(ctx)
	if err != nil {
		return err
	}
	p, err := f.resolve(ctx)
	if err != nil {
		return err
	}
	out := store.In(f.out)
	if err := out.Check(); err != nil {
		return usagef("--out: %w", err)
	}
	fl, err := newFleet(ctx, &f.targetFlags)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, fl.close()) }()
	console := newConsole(stderr)
	if f.dbms.Server != nil {
		console.faster = f.dbms.Server.Faster
	}
	console.cases, console.duration, console.dsn, console.planted = f.cases, f.duration, f.dsn != "", len(f.faults) > 0
	c, err := f.campaign(ctx, p, fl, o, out, stderr)
	if err != nil {
		return err
	}
	describe := c.Describe
	c.Describe = func() finding.Environment {
		env := describe()
		fmt.Fprintf(stderr, "txweave: seed %d, %s %s at %s\n", f.seed, env.DBMS, env.Version, p.Isolation)
		if f.dsn != "" && f.dbms.Server.Lacks != nil {
			if what := f.dbms.Server.Lacks(env.Settings); what != "" {
				fmt.Fprintf(stderr, "txweave: %s\n", what)
			}
		}
		return env
	}
	c.Progress, c.Report, c.Note = console.progress, console.report, console.note
	sum, err := campaign.Run(ctx, c)
	console.end()
	console.index(f.out)
	return f.conclude(ctx, sum, err, p, stdout)
}

// campaign says what is run on a fleet, with its findings in a store; whom it tells is for the caller to say.
func (f *fuzzFlags) campaign(ctx context.Context, p *dbms.Profile, fl *fleet, o weave.Options, out store.Store, stderr io.Writer) (campaign.Config, error) {
	w := fl.pool(p, nil, o, f.orders, f.precision)
	if err := f.generate(ctx, w); err != nil {
		return campaign.Config{}, err
	}
	made, err := f.open(ctx, p, w.Cases, stderr)
	if err != nil {
		return campaign.Config{}, err
	}
	c := campaign.Config{
		Seed: f.seed, Source: casesource.CaseSource{First: f.first, Count: f.cases, Made: made}, Duration: f.duration, Once: f.once, Workers: f.workers,
		Store: out, ReduceTime: f.reduceTime, MaxKept: f.maxLogs, Flood: f.flood, Known: f.isKnown, Suspects: enoughSuspects(p),
		NewWorker: func(ctx context.Context, _ int) (campaign.Worker, error) { return w.Open(ctx) },
		Describe: func() finding.Environment {
			env := worker.Environment(p, f.claim, f.faults, w.Describe())
			env.Seed, env.Command = f.seed, commandLine(os.Args)
			f.bugs = f.bugs.In(&env)
			return env
		},
	}
	if !f.noReduce {
		c.NewReducer = func(ctx context.Context) (campaign.Reducer, error) {
			one, err := w.Open(ctx)
			return &shrink.Reducer{Worker: one, Profile: p, Time: f.reduceTime}, err
		}
	}
	return c, nil
}

// generate makes the campaign's source of cases. What known bugs switch off, and what it has, depends on the server's
// version, so it is asked for that first, but only where something does.
func (f *fuzzFlags) generate(ctx context.Context, w *worker.Pool) (err error) {
	leave := f.without
	if f.dsn != "" { // what is prepared outlives a session, and this program; FLUSH TABLES needs a right of its own
		leave = append(slices.Clone(leave), "xa", "prepared", "ddl-flush")
	}
	if len(f.faults) > 0 {
		leave = append(slices.Clone(leave), planted.Without(w.Profile)...)
	}
	if w.Cases, err = casesource.NewCases(f.seed, w.Profile, leave...); err != nil {
		return usage(err)
	}
	d, err := registry.Lookup(w.Profile.DBMS)
	if err != nil {
		return err
	}
	if len(f.bugs.On(w.Profile.DBMS).Without()) == 0 && len(gen.Missing(d.Dialect, "0")) == 0 {
		return nil
	}
	first, err := w.Open(ctx)
	if err != nil {
		return err
	}
	env := worker.Environment(w.Profile, f.claim, f.faults, w.Describe())
	if err := first.Close(); err != nil {
		return err
	}
	without := slices.Concat(leave, f.bugs.In(&env).Without())
	if w.Cases, err = casesource.NewCasesFor(w.Describe().Version, f.seed, w.Profile, without...); err != nil {
		return usage(fmt.Errorf("a known bug leaves out %s: %w", strings.Join(without, ", "), err))
	}
	return nil
}

// enoughSuspects is how many findings that do not come back each time are a bug. An engine in a process of its own, with one
// client, gives the same answers each time, or is wrong.
func enoughSuspects(p *dbms.Profile) int {
	if p.Embedded {
		return 1
	}
	return 0
}

// conclude prints the summary and turns it into an exit code.
func (f *fuzzFlags) conclude(ctx context.Context, sum *campaign.Summary, err error, p *dbms.Profile, stdout io.Writer) error {
	if sum.Target == "" && err != nil {
		return err // it never began
	}
	var perr error
	if f.format == "json" {
		perr = json.NewEncoder(stdout).Encode(sum)
	} else {
		perr = printSummary(stdout, sum, f.bugs)
	}
	if err = errors.Join(err, perr); err != nil {
		return err
	}
	switch {
	case ctx.Err() != nil:
		return errInterrupted()
	case sum.Reported() > 0:
		return &exitError{Code: exitFindings}
	case sum.Faults > 0:
		return ownFaults(int64(sum.Faults), f.out)
	case len(sum.Paused) > 0:
		return outcome.End(exitInconclusive, errors.New("inconclusive: findings came so often that they were paused: a fault of the set-up?"))
	case sum.Suspected() > 0:
		return outcome.End(exitInconclusive, fmt.Errorf("inconclusive: %d bugs are suspected: their findings did not come back each time (txweave bugs list --status suspect)", sum.Suspected()))
	case sum.CasesChecked == 0:
		return outcome.End(exitInconclusive, fmt.Errorf("inconclusive: none of %d cases could be checked", sum.Cases))
	}
	return nil
}

// ownFaults is the exit code of a campaign that found nothing, and at some of whose cases txweave itself failed.
func ownFaults(n int64, out string) error {
	return outcome.End(exitInternal, fmt.Errorf("txweave itself failed at %s: %s tells more", finding.Count(n, "case"), filepath.Join(out, store.FaultsDir)))
}

// toldAt is where a known bug is told, in brackets.
func toldAt(bugs known.List, name string) string {
	i := slices.IndexFunc(bugs, func(b *known.Entry) bool { return b.Name == name })
	if i < 0 {
		return ""
	}
	return " (" + bugs[i].Link + ")"
}

// printSummary prints a summary for people.
func printSummary(w io.Writer, s *campaign.Summary, bugs known.List) error {
	st := &s.Statements
	alive := st.Generated - st.DroppedAborted
	_, err := fmt.Fprintf(w, `%s %s, %s, seed %d
cases       %d checked of %d in %.1f s (%.0f a minute), %d with overlapping transactions, %d with an edge between them
statements  %d generated: %d survived (%s of those not aborted), dropped: %d blocked, %d cyclic, %d aborted, %d guilty
            %d errored (%s), %d effective (%s), %s of %d that search a table touch some of its rows, not all
work        %d runs, %d replays, %d statements sent
`,
		s.Target, s.Version, s.Isolation, s.Seed,
		s.CasesChecked, s.Cases, s.ElapsedS, s.CasesPerMinute, s.OverlappingCases, s.OverlapEdgeCases,
		st.Generated, st.Survived, percent(st.Survived, alive), st.DroppedBlocked, st.DroppedCyclic, st.DroppedAborted, st.DroppedGuilty,
		st.Errored, percent(st.Errored, st.Generated), st.Effective, percent(st.Effective, st.Generated), percent(st.Partial, st.Searches), st.Searches,
		s.Runs, s.Replays, s.ServerStatements)
	if err != nil {
		return err
	}
	if len(s.CrossEdges) > 0 {
		fmt.Fprintf(w, "edges       %s\n", printCounts(s.CrossEdges))
	}
	if x := s.FromSeeds; x != nil {
		fmt.Fprintf(w, "from seeds  %d cases were made of those of --seeds, %d of them not judged\n", x.Cases, x.Unchecked)
	}
	if len(s.Skipped) > 0 {
		fmt.Fprintf(w, "skipped     %s\n", printCounts(s.Skipped))
	}
	for _, b := range s.Bugs {
		state := string(b.Status)
		if b.New {
			state = "new"
		}
		fmt.Fprintf(w, "bug         %s (%s, %d times)  %s  %s\n", b.ID, state, b.Count, where(b.Dir, b.ID), finding.Line(b.Signature))
	}
	if len(s.Known) > 0 {
		for _, name := range slices.Sorted(maps.Keys(s.Known)) {
			fmt.Fprintf(w, "known bugs  %s%s %d\n", name, toldAt(bugs, name), s.Known[name])
		}
	}
	if len(s.Paused) > 0 {
		fmt.Fprintf(w, "set-up fault? paused: %s\n", printCounts(s.Paused))
	}
	_, err = fmt.Fprintf(w, "findings    %d of %d bugs, %d kept (%d flaky)\n", s.Total(), len(s.Bugs), s.Kept(), len(s.Flaky))
	return err
}

func percent(part, whole int) string {
	if whole == 0 {
		return "0 %"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}

func printCounts(m map[string]int) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%s %d", k, m[k]))
	}
	return strings.Join(parts, ", ")
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"txweave/campaign/worker"
	"txweave/checker/certificate"
	"txweave/dbms"
	"txweave/dbms/registry"
	"txweave/exec"
	"txweave/exec/storm"
	"txweave/exec/storm/verdict"
	"txweave/finding"
	"txweave/gen/workload"
	"txweave/history/format"
	"txweave/history/register"
	"txweave/internal/outcome"
	"txweave/internal/output"
	"txweave/internal/trust"
)

// stormResult is what a storm prints.
type stormResult struct {
	Workload        string               `json:"workload"`
	Sessions        int                  `json:"sessions"`
	Transactions    int64                `json:"transactions"` // ended, in any way
	Operations      int64                `json:"operations"`   // of the trace: statements, BEGIN and the end of transactions included
	OpsPerSecond    float64              `json:"ops_per_s"`
	AbortRate       float64              `json:"abort_rate"`       // of transactions: those that the database gave up
	UncertainBefore float64              `json:"uncertain_before"` // share of dependencies that overlapping intervals leave open
	UncertainAfter  float64              `json:"uncertain_after"`  // … and that no mechanism settles
	VerifyPerSecond float64              `json:"verify_ops_per_s"` // from the first operation to the verdict
	LagS            float64              `json:"lag_s"`            // from the storm's last answer to the verdict
	PeakMiB         float64              `json:"peak_mib"`
	LeftOut         []string             `json:"left_out,omitempty"` // acts of the nemeses that were not done, and why
	Retired         int64                `json:"retired,omitempty"`  // queries of the generator's that took too long, and were sent no more
	Bugs            []*finding.Recurring `json:"bugs"`               // what was found, by signature

	Findings []finding.Listed `json:"-"` // all that was kept
}

// stormFlags are the flags of storm.
type stormFlags struct {
	targetFlags
	workload     string
	sessions     int
	duration     time.Duration
	keys         int
	distribution string
	seed         uint64
	format       string
	trace        string
	history      string
	certificate  string
	limit        int
	stall        time.Duration
	nemesis      []string
	every        time.Duration
	perturb      bool
	acts         []string // of the nemeses; nil: all
	without      []string // operations that the workload is spared
	save         string
	untilFound   bool // the storm ends with its first finding

	nemeses []storm.Nemesis
}

// stallShare: a storm that stood still for more than one part in so many of its time is inconclusive.
const stallShare = 10

// maxStormKeys bounds the script that fills the tables.
const maxStormKeys = 100_000

func stormCommand() *cobra.Command {
	f := &stormFlags{}
	cmd := &cobra.Command{
		Use:   "storm",
		Short: "Run a workload at full speed over many sessions and verify what they saw",
		Long: `storm runs a workload over many sessions at once and verifies online, from what each statement saw and wrote and from
the interval in which it ran, the mechanisms that the level claims (docs/mechanism.md). Histories of mini-transactions
and compare-and-sets are also checked as a whole, at the level that the target promises for them (docs/storm.md).

Workloads:
` + workload.About() + `
Nemeses:
` + storm.AboutNemeses() + `
A transaction that the database rolls back is not tried again: its session draws the next one.

Exit codes: 0 clean, 1 findings, 2 nothing could be checked or the storm stood still, 64 usage, 69 target unavailable, 70 internal error,
130 interrupted, after the verdict on what was done.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w, err := f.check()
			if err != nil {
				return err
			}
			p, err := f.prepare(cmd.Context(), w)
			if err != nil {
				return err
			}
			return f.use(cmd.Context(), func(t exec.Target) error { return f.run(cmd.Context(), cmd, t, p, w) })
		},
	}
	cmd.AddCommand(stormRepeatCommand(), stormReduceCommand(), stormScriptCommand())
	f.define(cmd.Flags())
	return cmd
}

// define adds the flags.
func (f *stormFlags) define(fs *pflag.FlagSet) {
	f.add(fs, registry.Default)
	f.addFaults(fs)
	fs.StringVar(&f.workload, "workload", "blindw-rw", "workload: "+strings.Join(workload.Names(), ", "))
	fs.IntVar(&f.sessions, "sessions", 8, "concurrent sessions")
	fs.DurationVar(&f.duration, "duration", 10*time.Second, "how long transactions are begun")
	fs.IntVar(&f.keys, "keys", 1000, "rows of the workload's main table")
	fs.StringVar(&f.distribution, "distribution", string(workload.Uniform), "how often each key is used: uniform, zipf, hotspot, exponential")
	fs.Uint64Var(&f.seed, "seed", 1, "seed of the transactions")
	fs.StringVar(&f.format, "format", "text", "text or json")
	fs.StringVar(&f.trace, "trace", "", "write the interval trace to this file, for check")
	fs.StringVar(&f.history, "history", "",
		"write the history to this file, for check; one that ends in .bin is small and quick to read (workloads that read and write single rows; it is kept in memory until the end)")
	fs.StringVar(&f.certificate, "certificate", "",
		"write the database's own order of versions to this file, for check --certificate, and check the history with it (a private server of MariaDB, MySQL or PostgreSQL then keeps a log to read it from)")
	fs.IntVar(&f.limit, "limit", 20, "samples of findings to print, two of each kind at most")
	fs.StringSliceVar(&f.nemesis, "nemesis", nil, "what is done to the database meanwhile, several with commas: "+strings.Join(nemesisNames(), ", "))
	fs.DurationVar(&f.every, "every", 0, "mean time from one act of a nemesis to its next (default: each has its own)")
	fs.BoolVar(&f.perturb, "perturb", false, "hold statements back and send them within microseconds of the end of a transaction that wrote the same row, or of another COMMIT")
	fs.StringSliceVar(&f.without, "without", nil, "operations that the transactions leave out, where these have nothing to do with each other: "+strings.Join(workload.Operations, ", "))
	fs.StringVar(&f.save, "save", "", "where there are findings, write what the storm was to this file, for storm repeat and storm reduce")
	fs.DurationVar(&f.stall, "stall", 5*time.Second, "say what every session is doing once no transaction has ended for so long")
}

// check checks the flags that need no target.
func (f *stormFlags) check() (*workload.Workload, error) {
	switch {
	case f.format != "text" && f.format != "json":
		return nil, usagef("--format %q: want text or json", f.format)
	case f.sessions < 1 || f.sessions > 256:
		return nil, usagef("--sessions must be from 1 to 256")
	case f.every < 0:
		return nil, usagef("--every must not be negative")
	case f.every > 0 && len(f.nemesis) == 0:
		return nil, usagef("--every belongs to --nemesis")
	case f.duration <= 0:
		return nil, usagef("--duration must be positive")
	case f.keys < 1 || f.keys > maxStormKeys:
		return nil, usagef("--keys must be from 1 to %d", maxStormKeys)
	case f.limit < 1:
		return nil, usagef("--limit must be at least 1")
	case f.stall <= 0:
		return nil, usagef("--stall must be positive")
	}
	var err error
	if f.nemeses, err = storm.ParseNemeses(f.nemesis); err != nil {
		return nil, usagef("--nemesis: %v", err)
	}
	w, err := f.make(nil)
	if err != nil {
		return nil, usage(err)
	}
	if f.history != "" && w.Kind == workload.Relational && f.certificate == "" {
		return nil, usagef("--history: %s does more than read and write single rows; with --certificate its searches are kept too, and --trace keeps all", f.workload)
	}
	if f.history != "" && w.Kind.Claims() {
		return nil, usagef("--history: %s states itself what must hold, which is checked at the end; --trace keeps what was read and written", f.workload)
	}
	if f.certificate != "" && f.history == "" {
		return nil, usagef("--certificate belongs to a history: --history is needed")
	}
	return w, writable(f.trace, f.history, f.certificate, f.save)
}

// make makes the workload, for a target at a level or, nil, for the one that is named, where what it sends depends on that.
func (f *stormFlags) make(p *dbms.Profile) (*workload.Workload, error) {
	c := workload.Config{Keys: f.keys, Distribution: workload.Distribution(f.distribution), Isolation: f.isolation, Seed: f.seed}
	name := f.target
	if p != nil {
		c.Isolation, c.Locks, c.LocksInner, name = p.Isolation, p.DMLView == dbms.Current, p.Before == dbms.LockingBeforeRead, p.DBMS
	}
	if of, err := registry.Lookup(name); err == nil {
		c.Dialect = of.Dialect
	}
	w, err := workload.New(f.workload, c)
	if err != nil {
		return nil, err
	}
	return w, w.Without(f.without)
}

// prepare resolves the target and checks the flags that need it; a workload that depends on it becomes the one for it.
func (f *stormFlags) prepare(ctx context.Context, w *workload.Workload) (*dbms.Profile, error) {
	f.upheavals, f.atOnce = f.nemesis, true
	p, err := f.resolve(ctx)
	if err == nil && f.dbms.Untried != "" {
		err = usagef("storm: what mechanisms %s has, and at which moment a statement reads, is not known well enough", f.target)
	}
	if err == nil && w.Made != nil {
		var made *workload.Workload
		if made, err = f.make(p); err == nil {
			*w = *made
		}
	}
	if err == nil {
		err = f.plantable(p)
	}
	if err == nil {
		err = f.canCertify(p, w)
	}
	f.commitLog, f.durable = f.certificate != "", slices.ContainsFunc(f.nemeses, storm.Nemesis.Durable)
	f.hosted = len(f.nemeses) > 0
	return p, err
}

// plantable refuses planted bugs that would do nothing.
func (f *stormFlags) plantable(p *dbms.Profile) error {
	faults, err := pickFaults(f.faults)
	if err != nil {
		return err
	}
	for _, x := range faults {
		switch {
		case x.Refused() != "":
			return usagef("--faults %s: %s", x.Name, x.Refused())
		case x.Inapplicable(p) != "":
			return usagef("--faults %s: %s", x.Name, x.Inapplicable(p))
		case !x.Forbidden(p):
			return usagef("--faults %s: %s allows what it does, so nothing is planted there", x.Name, p.Isolation)
		}
	}
	return nil
}

// keep writes what the storm was for storm repeat, for which the user has named the server.
func (f *stormFlags) keep(ctx context.Context, s *stormSummary, stderr io.Writer) error {
	if err := f.recipe(s).Write(ctx, f.save); err != nil || f.server == "" {
		return err
	}
	if err := trust.Open().Name(trust.Program(f.server)); err != nil {
		fmt.Fprintf(stderr, "txweave: %s will need --server to be repeated: it cannot be remembered: %s\n", f.save, finding.ErrorLine(err))
	}
	return nil
}

// run runs the storm and prints what came of it.
func (f *stormFlags) run(ctx context.Context, cmd *cobra.Command, t exec.Target, p *dbms.Profile, w *workload.Workload) error {
	s, herr, err := f.storm(ctx, cmd.ErrOrStderr(), t, p, w)
	var hang *exec.HangError
	if errors.As(err, &hang) {
		fmt.Fprint(cmd.ErrOrStderr(), hang.Stacks)
		if err = hanging(hang); hang.Proved() {
			err = outcome.End(exitFindings, fmt.Errorf("%s: %w", finding.ClassHang, err))
		}
	}
	if s == nil || hang != nil {
		return err
	}
	if f.save != "" && s.found > 0 {
		err = errors.Join(err, f.keep(ctx, s, cmd.ErrOrStderr()))
	}
	if err := s.group(worker.Environment(p, f.claim, f.faults, t.Describe()), f.limit); err != nil {
		return err
	}
	if f.format == "json" {
		enc := json.NewEncoder(cmd.OutOrStdout())
		enc.SetEscapeHTML(false)
		err = errors.Join(err, enc.Encode(s.stormResult))
	} else {
		err = errors.Join(err, s.print(cmd.OutOrStdout()))
	}
	res := s.res
	switch {
	case err != nil:
		return errors.Join(err, herr)
	case ctx.Err() != nil:
		return errInterrupted()
	case s.found > s.known:
		return outcome.End(exitFindings, herr)
	case herr != nil:
		return herr
	case res.Crash != nil: // by a signal from outside: no finding
		return fmt.Errorf("%w: %w", exec.ErrUnavailable, res.Crash)
	case res.StalledFor*stallShare > res.Elapsed:
		return outcome.End(exitInconclusive, fmt.Errorf("inconclusive: for %.1f of %.1f seconds no transaction ended", res.StalledFor.Seconds(), res.Elapsed.Seconds()))
	case res.Committed == 0 || s.rep.Stats.Reads+s.rep.Stats.Locks == 0:
		return outcome.End(exitInconclusive, errors.New("inconclusive: no committed transaction could be checked"))
	}
	for _, j := range []*verdict.Judgement{s.judged, s.cert} {
		if j != nil && j.Unknown {
			return outcome.End(exitInconclusive, errors.New("inconclusive: the history could not be judged: "+j.Text))
		}
	}
	return nil
}

// storm runs the storm and says what came of it, nil if nothing could. herr is of the checkers of whole histories.
func (f *stormFlags) storm(ctx context.Context, stderr io.Writer, t exec.Target, p *dbms.Profile, w *workload.Workload) (s *stormSummary, herr, err error) {
	for _, n := range f.nemeses {
		if why := n.Unfit(t); why != "" {
			return nil, nil, usagef("--nemesis %s: %s", n, why)
		}
	}
	o := storm.Options{Workload: w, Sessions: f.sessions, Duration: f.duration, Seed: f.seed, Nemeses: f.nemeses, Every: f.every, Perturb: f.perturb, Acts: f.acts,
		StallAfter: f.stall, Stalled: func(s *storm.Stall) { printStall(stderr, s) },
		Record: f.history != "" || w.Kind >= workload.MiniTransaction}
	if f.certificate != "" {
		if err := verdict.Keep(ctx, t, p, &o); err != nil {
			return nil, nil, err
		}
	}
	v, err := f.start(ctx, p, w, o.Sinks())
	if err != nil {
		return nil, nil, err
	}
	o.Sink, o.Began, o.Acted = v.Sink, v.Began, v.Acted
	stop := printStorm(newConsole(stderr), v, f.duration)
	running := ctx
	seen := func() time.Duration { return 0 }
	if f.untilFound {
		running, seen = firstFinding(ctx, v)
	}
	res, err := storm.Run(running, t, p, o)
	first := seen()
	stop()
	rep, lag, verr := v.Wait()
	if err = errors.Join(err, verr); res == nil {
		return nil, nil, err
	}
	out := &stormResult{Workload: w.Name, Sessions: f.sessions, Transactions: res.Transactions, Operations: rep.Stats.Operations,
		OpsPerSecond: rate(rep.Stats.Operations, res.Elapsed), VerifyPerSecond: rate(rep.Stats.Operations, res.Elapsed+lag),
		LagS: lag.Seconds(), LeftOut: res.LeftOut, Retired: res.Retired, Findings: verdict.Findings(res, rep)}
	out.UncertainBefore, out.UncertainAfter = rep.Stats.Uncertain()
	if res.Transactions > 0 {
		out.AbortRate = float64(res.Aborted) / float64(res.Transactions)
	}
	whole, herr := f.judge(ctx, p, w).Check(ctx, t, res)
	out.Findings = append(whole.Findings, out.Findings...) // those of single statements may be many
	out.PeakMiB = peakMiB()
	return &stormSummary{stormResult: out, about: t.Describe(), level: p.Isolation, seed: f.seed, res: res, rep: rep, judged: whole.History, cert: whole.Certificate,
		found: len(out.Findings) + rep.Dropped, first: first}, herr, err
}

// canCertify says whether a storm on a target can have a certificate.
func (f *stormFlags) canCertify(p *dbms.Profile, w *workload.Workload) error {
	switch {
	case f.certificate == "":
		return nil
	case w.Made != nil:
		return usagef("--certificate: which rows the statements of %s looked for is not known; --trace keeps what was read and written", w.Name)
	case len(f.nemeses) > 0:
		return usagef("--certificate: what nemeses do to a database is not in the order that it tells")
	case w.Kind == workload.Lists:
		return usagef("--certificate: the lists of %s tell the order of versions themselves; its history is checked as a whole without one", w.Name)
	case w.Kind == workload.CompareAndSet:
		return usagef("--certificate: %s has compares that fail, which are no reads; its history is checked as a whole without one", w.Name)
	case p.Order == dbms.NoOrder:
		return usagef("--certificate: %s does not tell in which order it committed versions", p.DBMS)
	case p.Order.Log() && f.dsn != "":
		return usagef("--certificate needs a server that txweave starts itself: it has it keep a log and reads that")
	}
	return nil
}

// start starts the mechanism oracle on what the level claims, and the trace if one is wanted.
func (f *stormFlags) start(ctx context.Context, p *dbms.Profile, w *workload.Workload, sinks int) (*verdict.OnlineCheck, error) {
	o := verdict.Options{Profile: p, Workload: w, Sessions: sinks}
	if f.trace != "" {
		file, err := output.Create(ctx, f.trace)
		if err != nil {
			return nil, usage(err)
		}
		o.Trace = file
	}
	return verdict.Start(o)
}

// judge says what is to become of the history.
func (f *stormFlags) judge(ctx context.Context, p *dbms.Profile, w *workload.Workload) *verdict.Judge {
	out := &verdict.Judge{Engine: registry.Evaluator, Profile: p, Workload: w}
	if f.history != "" {
		out.WriteHistory = func(h *register.History) error {
			return writeFile(ctx, f.history, func(w io.Writer) error { return format.WriteFile(w, f.history, h) })
		}
	}
	if f.certificate != "" {
		out.WriteCertificate = func(h *register.History, c *certificate.Certificate) error {
			return writeFile(ctx, f.certificate, func(w io.Writer) error { return certificate.Write(w, h, c) })
		}
	}
	return out
}

// nemesisNames lists the nemeses.
func nemesisNames() []string {
	var out []string
	for _, n := range storm.Nemeses() {
		out = append(out, string(n))
	}
	return out
}

// printStall prints what every session is doing while no transaction ends.
func printStall(w io.Writer, s *storm.Stall) {
	fmt.Fprintf(w, "stall: no transaction has ended for %.1f s, since %.1f s\n", s.Lasted.Seconds(), s.From.Seconds())
	for _, line := range s.Sessions {
		fmt.Fprintf(w, "stall: %s\n", line)
	}
}

func rate(n int64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}

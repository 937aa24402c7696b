package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	osexec "os/exec"
	"strconv"
	"strings"
	"sync"
	"txweave/dbms"
	"txweave/finding"
	"txweave/weave"

	"github.com/spf13/cobra"

	"txweave/campaign"
	"txweave/exec"
	"txweave/gen"
	"txweave/sdg"
	"txweave/testcase"
)

// caseSource makes the cases of a campaign.
type caseSource struct {
	seed    uint64
	dialect *gen.Dialect
	options gen.Options
	without []string // productions that are switched off
}

// newCaseSource returns the cases of a seed, made without the productions that are named: see gen's tables.
func newCaseSource(seed uint64, p *dbms.Profile, without ...string) (*caseSource, error) {
	d, err := gen.Lookup(p.DBMS)
	if err != nil {
		return nil, err
	}
	s := &caseSource{seed: seed, dialect: d, options: gen.Options{Tool: toolName, Isolation: p.Isolation, Weights: map[string]int{}}, without: without}
	for _, name := range without {
		s.options.Weights[name] = 0
	}
	if _, err := s.make(0); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *caseSource) seedOf(n int) uint64 { return gen.CaseSeed(s.seed, n) }

func (s *caseSource) make(n int) (*testcase.Case, error) {
	return gen.Generate(s.seedOf(n), s.dialect, s.options)
}

func (s *caseSource) text(n int) []byte {
	c, err := s.make(n)
	if err != nil {
		return []byte("# " + err.Error() + "\n")
	}
	return c.Print()
}

// caseWorker checks cases on a target in this process.
type caseWorker struct {
	source   *caseSource   // nil: every job has a text
	profile  *dbms.Profile // of the campaign
	options  weave.Options
	target   exec.Target
	runner   *exec.Runner    // nil until it is needed
	runnerOf *dbms.Profile   // what the runner runs under …
	runnerIn context.Context // … and until when
	trouble  int             // cases in a row that the environment spoilt
}

// maxTrouble is how many cases in a row may be spoilt before the worker says that the target is of no use.
const maxTrouble = 5

func newCaseWorker(ctx context.Context, t exec.Target, p *dbms.Profile, src *caseSource, o weave.Options) (*caseWorker, error) {
	w := &caseWorker{source: src, profile: p, options: o, target: t}
	if err := w.use(ctx, p); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return w, nil
}

// use makes the runner one for a profile, which ends with ctx.
func (w *caseWorker) use(ctx context.Context, p *dbms.Profile) (err error) {
	if w.runner != nil && w.runnerOf == p && w.runnerIn == ctx {
		return nil
	}
	w.release()
	w.runner, err = exec.NewRunner(ctx, w.target, p, exec.Options{})
	if err != nil {
		w.runner = nil
	}
	w.runnerOf, w.runnerIn = p, ctx
	return err
}

// release closes what the worker itself has opened: the target is the caller's.
func (w *caseWorker) release() {
	if w.runner != nil {
		w.runner.Close()
		w.runner = nil
	}
}

func (w *caseWorker) Close() error {
	w.release()
	return w.target.Close()
}

// Check lets the oracle judge a case: one of the campaign's, or a text, at the level that it names.
func (w *caseWorker) Check(ctx context.Context, job campaign.Job) (*campaign.CaseResult, error) {
	c, p, err := w.load(job)
	if err != nil {
		return nil, fmt.Errorf("case %d: %w", job.Case, err)
	}
	if w.target.Worn() {
		w.release()
		if err := w.target.Restart(ctx); err != nil {
			return nil, err
		}
	}
	if err := w.use(ctx, p); err != nil {
		return nil, err
	}
	o := w.options
	if job.Repeats > 0 {
		o.Repeats = job.Repeats
	}
	before := w.runner.Statements
	rep, err := weave.Check(w.runner, c, p, o)
	res := &campaign.CaseResult{Case: job.Case, Sent: w.runner.Statements - before}
	if why := refusal(err); why != nil && job.Text != nil {
		var judged *weave.RefusedError
		if res.Refused = why.Error(); !errors.As(err, &judged) {
			w.release() // it may have stopped half-way
		}
		return res, nil
	}
	if err != nil {
		return w.recover(ctx, res, c, err)
	}
	w.trouble = 0
	fill(res, rep, job.Bare)
	return res, nil
}

// load reads a job's case, or generates it, and finds the profile that it is judged by.
func (w *caseWorker) load(job campaign.Job) (*testcase.Case, *dbms.Profile, error) {
	if job.Text == nil {
		c, err := w.source.make(job.Case)
		return c, w.profile, err
	}
	c, err := testcase.Parse("case.txw", job.Text)
	if err != nil {
		return nil, nil, err
	}
	p, err := w.profileOf(c)
	return c, p, err
}

// profileOf returns the profile of a case: its own level's where that is not the campaign's, held to the same claim.
func (w *caseWorker) profileOf(c *testcase.Case) (*dbms.Profile, error) {
	if c.Isolation == w.profile.Isolation {
		return w.profile, nil
	}
	if w.runnerOf != nil && w.runnerOf.Isolation == c.Isolation {
		return w.runnerOf, nil // the same one, so that the runner can go on
	}
	p, err := dbms.Lookup(w.profile.DBMS, c.Isolation)
	if err != nil {
		return nil, usage(err)
	}
	if w.profile.Claimed != nil {
		p = p.HeldTo(w.profile.Claimed)
	}
	return p, nil
}

// refusal returns why a case that somebody wrote, or that a reduction tries, cannot be judged; nil if that is not what
// an error says.
func refusal(err error) error {
	var refused *weave.RefusedError
	if errors.As(err, &refused) {
		return refused.Reason
	}
	var env *exec.EnvironmentError
	var answer *exec.AnswerError
	if errors.As(err, &answer) && !errors.As(err, &env) {
		return fmt.Errorf("the database refuses the case: %w", answer)
	}
	return nil
}

// recover sorts out why a case could not be checked: the server crashed, which is a finding; the environment or
// a connection failed, which is tried again a few times; or we are at fault.
func (w *caseWorker) recover(ctx context.Context, res *campaign.CaseResult, c *testcase.Case, cause error) (*campaign.CaseResult, error) {
	if ctx.Err() != nil {
		return res, ctx.Err()
	}
	var crash *exec.CrashError
	if alive := w.target.Alive(ctx); errors.As(alive, &crash) {
		switch {
		case !crash.Killed:
			res.Skipped = finding.ClassCrash
			f := campaign.Found{Finding: crashFinding(crash), Files: map[string][]byte{"case.txw": c.Print(), "log.txt": []byte(crash.Log)}}
			res.Findings = append(res.Findings, f)
		case w.spoilt():
			return res, fmt.Errorf("%w: %d servers in a row were ended from outside: %w", exec.ErrUnavailable, w.trouble, crash)
		default:
			res.Skipped = campaign.SkippedKilled
		}
		if err := w.target.Restart(ctx); err != nil {
			return res, err
		}
		return res, w.runner.Reopen()
	} else if alive != nil {
		return res, fmt.Errorf("case %d (seed %d): the server stopped answering: %w", res.Case, c.Seed, alive)
	}
	var env *exec.EnvironmentError
	late, large := errors.Is(cause, exec.ErrTimeout), errors.Is(cause, exec.ErrTooLarge)
	if !errors.As(cause, &env) && !late && !large && !lostConnection(cause) {
		return res, fmt.Errorf("case %d (seed %d): %w", res.Case, c.Seed, cause)
	}
	if w.spoilt() {
		return res, fmt.Errorf("%w: %d cases in a row failed: %w", exec.ErrUnavailable, w.trouble, cause)
	}
	res.Skipped = "environment"
	switch {
	case large:
		res.Skipped = "too-large"
	case late:
		res.Skipped = "time-out"
	}
	return res, w.runner.Reopen()
}

// spoilt counts a case that the environment spoilt, and says whether it was one too many.
func (w *caseWorker) spoilt() bool {
	w.trouble++
	return w.trouble > maxTrouble
}

// crashFinding is the finding of a server that has crashed.
func crashFinding(crash *exec.CrashError) finding.Finding {
	f := finding.Finding{Class: finding.ClassCrash, Oracle: "crash", Summary: crash.Error(), Log: crash.Log, Confirmed: 1, Repeated: 1}
	f.Sign()
	return f
}

// lostConnection says whether a connection broke while the server lives on.
func lostConnection(err error) bool {
	text := err.Error()
	for _, sign := range []string{"bad connection", "invalid connection", "broken pipe", "connection reset", "unexpected EOF"} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}

// fill copies the oracle's report into the result.
func fill(res *campaign.CaseResult, rep *weave.Report, bare bool) {
	res.Runs, res.Replays, res.Checked, res.Skipped = rep.Runs, rep.Replays, rep.Checked, rep.Skipped
	st := &res.Statements
	st.Errored, st.Effective = rep.Errored, rep.Effective
	res.Overlapping, res.OverlapEdge = rep.Overlapping, rep.OverlapEdge
	for _, fate := range rep.Fates {
		st.Generated++
		switch fate {
		case weave.Survived:
			st.Survived++
		case weave.DroppedBlocked:
			st.DroppedBlocked++
		case weave.DroppedCyclic:
			st.DroppedCyclic++
		case weave.DroppedAborted:
			st.DroppedAborted++
		}
	}
	res.CrossEdges = map[string]int{}
	for l, n := range rep.CrossEdges {
		res.CrossEdges[l.String()] = n
	}
	for _, ev := range rep.Findings {
		res.Findings = append(res.Findings, pack(rep.Plan.Case, ev, bare))
	}
	for _, ev := range rep.Flaky {
		res.Flaky = append(res.Flaky, pack(rep.Plan.Case, ev, bare))
	}
}

// pack turns evidence into files, unless nobody wants them.
func pack(c *testcase.Case, ev *weave.Evidence, bare bool) campaign.Found {
	if bare {
		return campaign.Found{Finding: ev.Finding}
	}
	f := campaign.Found{Finding: ev.Finding, Files: map[string][]byte{"case.txw": c.Print()}}
	put := func(name string, write func(*bytes.Buffer) error) {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			fmt.Fprintf(&b, "\n%v\n", err)
		}
		f.Files[name] = b.Bytes()
	}
	put("trace.jsonl", func(b *bytes.Buffer) error { return ev.Run.Trace.Write(b) })
	if ev.Replayed != nil {
		put("replay.jsonl", func(b *bytes.Buffer) error { return ev.Replayed.Trace().Write(b) })
	}
	if ev.Graph != nil {
		put("sdg.dot", func(b *bytes.Buffer) error { return ev.Graph.DOT(b) })
		put("sdg.json", func(b *bytes.Buffer) error { return ev.Graph.Document(ev.Order).Write(b) })
	}
	return f
}

// workerCommand is the child process that checks cases on an engine inside it.
func workerCommand() *cobra.Command {
	var f targetFlags
	var seed uint64
	var orders int
	var precision string
	var without []string
	cmd := &cobra.Command{
		Use:    "worker",
		Short:  "Check the cases that come on standard input (used by fuzz and verify)",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := context.WithoutCancel(cmd.Context()) // Ctrl-C reaches the parent, which closes our input
			p, err := f.resolve(ctx)
			if err != nil {
				return err
			}
			o, err := replayOptions(orders, precision)
			if err != nil {
				return err
			}
			src, err := newCaseSource(seed, p, without...)
			if err != nil {
				return err
			}
			greeted := false
			err = f.use(ctx, func(t exec.Target) error {
				greeted = true
				return serveCases(ctx, t, p, src, o)
			})
			if !greeted && err != nil {
				why := strings.TrimPrefix(err.Error(), exec.ErrUnavailable.Error()+": ")
				return errors.Join(err, json.NewEncoder(os.Stdout).Encode(campaign.Hello{Error: why}))
			}
			return err
		},
	}
	f.add(cmd.Flags(), "sqlite")
	f.addFaults(cmd.Flags())
	cmd.Flags().StringSliceVar(&without, "without", nil, "what is not generated")
	cmd.Flags().Uint64Var(&seed, "seed", 0, "the campaign's seed")
	cmd.Flags().IntVar(&orders, "orders", 2, "replay orders")
	cmd.Flags().StringVar(&precision, "precision", "exact", "precision")
	return cmd
}

// serveCases answers jobs with results until its input ends.
func serveCases(ctx context.Context, t exec.Target, p *dbms.Profile, src *caseSource, o weave.Options) error {
	w, err := newCaseWorker(ctx, t, p, src, o)
	if err != nil {
		return err
	}
	defer w.release()
	enc := json.NewEncoder(os.Stdout)
	if err := enc.Encode(campaign.Hello{Description: t.Describe()}); err != nil {
		return err
	}
	in := json.NewDecoder(os.Stdin)
	for {
		var job campaign.Job
		if err := in.Decode(&job); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return usagef("standard input: %w", err)
		}
		res, err := w.Check(ctx, job)
		if res == nil {
			res = &campaign.CaseResult{Case: job.Case}
		}
		if err != nil {
			res.Fatal, res.Unavailable = err.Error(), errors.Is(err, exec.ErrUnavailable)
		}
		if err := enc.Encode(res); err != nil {
			return err
		}
	}
}

// workers opens workers of one kind.
type workers struct {
	fleet     *fleet
	profile   *dbms.Profile
	source    *caseSource
	options   weave.Options
	orders    int // as in options, as flags
	precision string

	mu    sync.Mutex
	about exec.Description // of the first one
}

// open opens a worker: a process of this same program where the engine would run inside ours.
func (w *workers) open(ctx context.Context) (campaign.Worker, error) {
	if w.fleet.flags.embedded() {
		c, err := childWorker(w.fleet.flags, w.source, w.orders, w.precision)
		if err != nil {
			return nil, err
		}
		w.describeAs(c.Hello.Description)
		return c, nil
	}
	t, err := w.fleet.open(context.WithoutCancel(ctx))
	if err != nil {
		return nil, err
	}
	w.describeAs(t.Describe())
	return newCaseWorker(ctx, t, w.profile, w.source, w.options)
}

func (w *workers) describeAs(d exec.Description) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.about.Target == "" {
		w.about = d
	}
}

// describe says what the workers' target is, once there is one.
func (w *workers) describe() exec.Description {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.about
}

// childWorker starts a worker process of this same program.
func childWorker(f *targetFlags, src *caseSource, orders int, precision string) (*campaign.Child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return campaign.NewChild(func() *osexec.Cmd {
		cmd := osexec.Command(self, "worker", "--target", f.target, "--isolation", f.isolation, "--claim", f.claim,
			"--seed", strconv.FormatUint(src.seed, 10), "--orders", strconv.Itoa(orders), "--precision", precision,
			"--faults", strings.Join(f.faults, ","), "--without", strings.Join(src.without, ","))
		exec.OwnGroup(cmd)
		return cmd
	}, src.text)
}

// replayOptions reads the flags that the replay oracle takes.
func replayOptions(orders int, precision string) (weave.Options, error) {
	o := weave.Options{Orders: orders}
	if orders < 1 {
		return o, usagef("--orders must be at least 1")
	}
	switch precision {
	case "exact":
		o.Precision = sdg.Exact
	case "column":
		o.Precision = sdg.Column
	case "match":
		o.Precision = sdg.Match
	default:
		return o, usagef("--precision %q: want exact, column or match", precision)
	}
	return o, nil
}

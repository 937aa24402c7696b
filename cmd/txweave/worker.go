package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	osexec "os/exec"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"txweave/campaign"
	"txweave/exec"
	"txweave/gen"
	"txweave/oracle"
	"txweave/oracle/replay"
	"txweave/profile"
	"txweave/sdg"
	"txweave/testcase"
)

// caseSource makes the cases of a campaign.
type caseSource struct {
	seed    uint64
	dialect *gen.Dialect
	options gen.Options
}

func newCaseSource(seed uint64, p *profile.Profile) (*caseSource, error) {
	d, err := gen.Lookup(p.DBMS)
	if err != nil {
		return nil, err
	}
	return &caseSource{seed: seed, dialect: d, options: gen.Options{Tool: toolName, Isolation: p.Isolation}}, nil
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
	source  *caseSource
	profile *profile.Profile
	options replay.Options
	target  exec.Target
	runner  *exec.Runner
	trouble int // cases in a row that the environment spoilt
}

// maxTrouble is how many cases in a row may be spoilt before the worker says that the target is of no use.
const maxTrouble = 5

func newCaseWorker(ctx context.Context, t exec.Target, p *profile.Profile, src *caseSource, o replay.Options) (*caseWorker, error) {
	r, err := exec.NewRunner(ctx, t, p, exec.Options{})
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return &caseWorker{source: src, profile: p, options: o, target: t, runner: r}, nil
}

func (w *caseWorker) Close() error {
	w.runner.Close()
	return w.target.Close()
}

// Check generates case n and lets the oracle judge it.
func (w *caseWorker) Check(ctx context.Context, n int) (*campaign.CaseResult, error) {
	c, err := w.source.make(n)
	if err != nil {
		return nil, fmt.Errorf("case %d: %w", n, err)
	}
	before := w.runner.Statements
	rep, err := replay.Check(w.runner, c, w.profile, w.options)
	res := &campaign.CaseResult{Case: n, Sent: w.runner.Statements - before}
	if err != nil {
		return w.recover(ctx, res, c, err)
	}
	w.trouble = 0
	fill(res, rep)
	return res, nil
}

// recover sorts out why a case could not be checked: the server crashed, which is a finding; the environment or
// a connection failed, which is tried again a few times; or we are at fault.
func (w *caseWorker) recover(ctx context.Context, res *campaign.CaseResult, c *testcase.Case, cause error) (*campaign.CaseResult, error) {
	if ctx.Err() != nil {
		return res, ctx.Err()
	}
	var crash *exec.CrashError
	if alive := w.target.Alive(ctx); errors.As(alive, &crash) {
		res.Skipped = oracle.ClassCrash
		f := campaign.Found{Finding: oracle.Finding{Class: oracle.ClassCrash, Oracle: "crash", Summary: crash.Error(), Log: crash.Log, Confirmed: 1, Repeated: 1},
			Files: map[string][]byte{"case.txw": c.Print(), "log.txt": []byte(crash.Log)}}
		f.Sign()
		res.Findings = append(res.Findings, f)
		if err := w.target.Restart(ctx); err != nil {
			return res, err
		}
		return res, w.runner.Reopen()
	} else if alive != nil {
		return res, fmt.Errorf("case %d (seed %d): the server stopped answering: %w", res.Case, c.Seed, alive)
	}
	var env *exec.EnvironmentError
	late := errors.Is(cause, exec.ErrTimeout)
	if !errors.As(cause, &env) && !late && !lostConnection(cause) {
		return res, fmt.Errorf("case %d (seed %d): %w", res.Case, c.Seed, cause)
	}
	if w.trouble++; w.trouble > maxTrouble {
		return res, fmt.Errorf("%w: %d cases in a row failed: %w", exec.ErrUnavailable, w.trouble, cause)
	}
	res.Skipped = "environment"
	if late {
		res.Skipped = "time-out"
	}
	return res, w.runner.Reopen()
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
func fill(res *campaign.CaseResult, rep *replay.Report) {
	res.Runs, res.Replays, res.Checked, res.Skipped = rep.Runs, rep.Replays, rep.Checked, rep.Skipped
	st := &res.Statements
	st.Errored, st.Effective = rep.Errored, rep.Effective
	res.Overlapping, res.OverlapEdge = rep.Overlapping, rep.OverlapEdge
	for _, fate := range rep.Fates {
		st.Generated++
		switch fate {
		case replay.Survived:
			st.Survived++
		case replay.DroppedBlocked:
			st.DroppedBlocked++
		case replay.DroppedCyclic:
			st.DroppedCyclic++
		case replay.DroppedAborted:
			st.DroppedAborted++
		}
	}
	res.CrossEdges = map[string]int{}
	for l, n := range rep.CrossEdges {
		res.CrossEdges[l.String()] = n
	}
	for _, ev := range rep.Findings {
		res.Findings = append(res.Findings, pack(rep.Plan.Case, ev))
	}
	for _, ev := range rep.Flaky {
		res.Flaky = append(res.Flaky, pack(rep.Plan.Case, ev))
	}
}

// pack turns evidence into files.
func pack(c *testcase.Case, ev *replay.Evidence) campaign.Found {
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
	cmd := &cobra.Command{
		Use:    "worker",
		Short:  "Check the cases whose numbers come on standard input (used by fuzz)",
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
			src, err := newCaseSource(seed, p)
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
	cmd.Flags().Uint64Var(&seed, "seed", 0, "the campaign's seed")
	cmd.Flags().IntVar(&orders, "orders", 2, "replay orders")
	cmd.Flags().StringVar(&precision, "precision", "exact", "precision")
	return cmd
}

// serveCases answers case numbers with results until its input ends.
func serveCases(ctx context.Context, t exec.Target, p *profile.Profile, src *caseSource, o replay.Options) error {
	w, err := newCaseWorker(ctx, t, p, src, o)
	if err != nil {
		return err
	}
	defer w.runner.Close() // the target is the caller's
	enc := json.NewEncoder(os.Stdout)
	if err := enc.Encode(campaign.Hello{Description: t.Describe()}); err != nil {
		return err
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		n, err := strconv.Atoi(in.Text())
		if err != nil {
			return usagef("case number %q", in.Text())
		}
		res, err := w.Check(ctx, n)
		if res == nil {
			res = &campaign.CaseResult{Case: n}
		}
		if err != nil {
			res.Fatal, res.Unavailable = err.Error(), errors.Is(err, exec.ErrUnavailable)
		}
		if err := enc.Encode(res); err != nil {
			return err
		}
	}
	return in.Err()
}

// childWorker starts a worker process of this same program.
func childWorker(f *targetFlags, src *caseSource, orders int, precision string) (*campaign.Child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return campaign.NewChild(func() *osexec.Cmd {
		cmd := osexec.Command(self, "worker", "--target", f.target, "--isolation", f.isolation, "--claim", f.claim,
			"--seed", strconv.FormatUint(src.seed, 10), "--orders", strconv.Itoa(orders), "--precision", precision)
		exec.OwnGroup(cmd)
		return cmd
	}, src.text)
}

// replayOptions reads the flags that the replay oracle takes.
func replayOptions(orders int, precision string) (replay.Options, error) {
	o := replay.Options{Orders: orders}
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

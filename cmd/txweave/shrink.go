package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"txweave/exec"
	"txweave/oracle"
	"txweave/oracle/replay"
	"txweave/profile"
	"txweave/reduce"
	"txweave/sdg"
	"txweave/testcase"
)

// Flakiness: how often a case is run before it is reduced, and how sure a repetition is to show what is shown.
const (
	measuredRuns = 5
	maxRuns      = 20   // of one repetition
	certainty    = 0.98 // that a repetition shows a finding that comes at the measured rate
)

// shrinkOptions say how a case is to be reduced.
type shrinkOptions struct {
	Signature string // what it must show; "": what it shows most often
	Repeat    int    // repetitions that a smaller case must show it in; 0: 2
	Reduce    reduce.Options
}

// shrunk is the outcome of a reduction: the smaller case beside what reduction.json holds.
type shrunk struct {
	Case      *testcase.Case `json:"-"`
	Signature string         `json:"signature"`
	Shown     int            `json:"shown"`       // runs of the original that showed it …
	Measured  int            `json:"measured"`    // … of this many
	Repeat    int            `json:"repetitions"` // in which a smaller case had to show it, each …
	Runs      int            `json:"runs"`        // … of up to this many runs
	Before    caseSize       `json:"before"`
	After     caseSize       `json:"after"`
	reduce.Stats
}

// caseSize is how large a case is.
type caseSize struct {
	Transactions int `json:"transactions"`
	Statements   int `json:"statements"` // target statements
	Rows         int `json:"rows"`       // initial rows
	Tables       int `json:"tables"`
	Bytes        int `json:"bytes"` // of target statements
}

func sizeOf(c *testcase.Case) caseSize {
	out := caseSize{Transactions: len(c.Txns), Rows: reduce.CountRows(c), Tables: reduce.CountTables(c)}
	for i := range c.Txns {
		out.Statements += len(c.Txns[i].Stmts)
		for _, s := range c.Txns[i].Stmts {
			out.Bytes += len(s.SQL)
		}
	}
	return out
}

// errShowsNothing says that a case does not show what it is to be reduced by.
var errShowsNothing = errors.New("the case shows no finding: nothing to reduce")

// shrink reduces a case on a target: it measures how often the case shows its finding, then makes the case smaller
// as long as it shows a finding of that signature in every repetition. An error that comes with a case ended the
// reduction before its time.
func shrink(ctx context.Context, t exec.Target, p *profile.Profile, c *testcase.Case, o shrinkOptions) (*shrunk, error) {
	k := &shrinker{target: t, profile: p, repeat: max(o.Repeat, 1), runs: 1, signature: o.Signature}
	if o.Repeat == 0 {
		k.repeat = 2
	}
	defer k.close()
	c = c.Clone()
	c.Target, c.Isolation = p.DBMS, p.Isolation // where it is reduced is where the result belongs
	start := time.Now()
	out := &shrunk{Before: sizeOf(c)}
	var err error
	if out.Shown, out.Measured, err = k.measure(ctx, c); err != nil {
		return nil, err
	}
	o.Reduce.ANSI = p.ANSI
	if o.Reduce.MaxTime > 0 {
		o.Reduce.MaxTime = max(o.Reduce.MaxTime-time.Since(start), time.Millisecond)
	}
	o.Reduce.Isolations = k.otherLevels()
	out.Case, out.Stats, err = reduce.Reduce(ctx, c, k.holds, o.Reduce)
	out.Signature, out.Repeat, out.Runs = k.signature, k.repeat, k.runs
	if out.Case == nil {
		return nil, err
	}
	out.After = sizeOf(out.Case)
	return out, err
}

// shrinker is the predicate of a reduction.
type shrinker struct {
	target    exec.Target
	profile   *profile.Profile
	signature string
	repeat    int // repetitions …
	runs      int // … of up to this many runs
	errored   int // statements of the original that fail
	runner    *exec.Runner
	runnerOf  *profile.Profile // what the runner runs under
}

func (k *shrinker) close() {
	if k.runner != nil {
		k.runner.Close()
		k.runner = nil
	}
}

// measure runs the case as given and sets the signature, the repetitions and their runs.
func (k *shrinker) measure(ctx context.Context, c *testcase.Case) (shown, measured int, err error) {
	count := map[string]int{}
	var order []string
	for range max(measuredRuns, k.repeat) {
		signatures, errored, err := k.check(ctx, c)
		if err != nil {
			return 0, 0, err
		}
		k.errored = max(k.errored, errored)
		measured++
		for _, s := range signatures {
			if count[s]++; count[s] == 1 {
				order = append(order, s)
			}
		}
	}
	if k.signature == "" || count[k.signature] == 0 {
		for _, s := range order {
			if count[s] > count[k.signature] {
				k.signature = s
			}
		}
	}
	if shown = count[k.signature]; shown == 0 {
		return 0, measured, errShowsNothing
	}
	if rate := float64(shown) / float64(measured); rate < 1 {
		k.repeat++
		k.runs = min(int(math.Ceil(math.Log(1-certainty)/math.Log(1-rate))), maxRuns)
	}
	return shown, measured, nil
}

// holds is the predicate: in every repetition one of the runs shows a finding of the signature.
func (k *shrinker) holds(ctx context.Context, c *testcase.Case) (bool, error) {
	for range k.repeat {
		shown := false
		for range k.runs {
			signatures, errored, err := k.check(ctx, c)
			var coded *exitError
			if errors.As(err, &coded) && coded.code == exitUsage {
				return false, nil // a candidate that the database or the oracle refuses
			}
			if err != nil {
				return false, err
			}
			if errored > k.errored {
				return false, nil // a statement that only fails takes no part in what the case shows
			}
			if shown = slices.Contains(signatures, k.signature); shown {
				break
			}
		}
		if !shown {
			return false, nil
		}
	}
	return true, nil
}

// check runs a case once and returns the signatures that it shows and how many of its statements failed.
func (k *shrinker) check(ctx context.Context, c *testcase.Case) (signatures []string, errored int, err error) {
	p, err := k.profileOf(c)
	if err != nil {
		return nil, 0, err
	}
	if k.runner == nil || k.runnerOf != p {
		k.close()
		if k.runner, err = exec.NewRunner(ctx, k.target, p, exec.Options{}); err != nil {
			return nil, 0, err
		}
		k.runnerOf = p
	}
	rep, err := replay.Check(k.runner, c, p, replay.Options{Precision: sdg.Match, Repeats: 1})
	if err != nil {
		var refused *replay.RefusedError
		if errors.As(err, &refused) {
			return nil, 0, usage(refused.Reason) // before anything was run: the runner is as good as before
		}
		k.close()
		err = explain(ctx, k.target, err)
		var crash *exec.CrashError
		if errors.As(err, &crash) {
			f := oracle.Finding{Class: oracle.ClassCrash, Log: crash.Log}
			f.Sign()
			return []string{f.Signature}, 0, k.target.Restart(ctx)
		}
		return nil, 0, err
	}
	for _, ev := range slices.Concat(rep.Findings, rep.Flaky) {
		if !slices.Contains(signatures, ev.Signature) {
			signatures = append(signatures, ev.Signature)
		}
	}
	return signatures, rep.Errored, nil
}

// profileOf returns the profile of a candidate: its own level's where that is not the case's as given.
func (k *shrinker) profileOf(c *testcase.Case) (*profile.Profile, error) {
	if c.Isolation == k.profile.Isolation {
		return k.profile, nil
	}
	p, err := profile.Lookup(k.profile.DBMS, c.Isolation)
	if err != nil {
		return nil, usage(err)
	}
	if k.runnerOf != nil && k.runnerOf.Isolation == p.Isolation {
		return k.runnerOf, nil // the same one, so that the runner can go on
	}
	if own, err := profile.Lookup(k.profile.DBMS, k.profile.Isolation); err == nil && !slices.Equal(own.Forbidden, k.profile.Forbidden) {
		claimed := *p
		claimed.Forbidden = k.profile.Forbidden // held to the same claim
		p = &claimed
	}
	return p, nil
}

// otherLevels lists the levels of the target besides the case's own that can be judged.
func (k *shrinker) otherLevels() []string {
	var out []string
	for _, level := range []string{"read-committed", "repeatable-read", "snapshot", "serializable"} {
		if p, err := profile.Lookup(k.profile.DBMS, level); err == nil && p.NoReplay == "" && level != k.profile.Isolation {
			out = append(out, level)
		}
	}
	return out
}

// summary says in one line what became of a case.
func (r *shrunk) summary() string {
	b, a := r.Before, r.After
	return fmt.Sprintf("%d transactions, %d statements, %d rows, %d tables (were %d, %d, %d, %d); %d tries in %.1f s, ended by %s",
		a.Transactions, a.Statements, a.Rows, a.Tables, b.Transactions, b.Statements, b.Rows, b.Tables, r.Attempts, r.Elapsed.Seconds(), r.Stop)
}

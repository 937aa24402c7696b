// Package shrink makes the cases of findings smaller, on a worker of a campaign: it measures how often a case shows its
// finding first, so that one which comes now and then is reduced too.
package shrink

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"txweave/campaign"
	"txweave/dbms"
	"txweave/finding"
	"txweave/reduce"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// Flakiness: how often a case is run before it is reduced, and how sure a repetition is to show what is shown.
const (
	measuredRuns  = 5
	measuredTimes = 3    // that a case is measured which then does not show what it did
	maxRuns       = 20   // of one repetition
	certainty     = 0.98 // that a repetition shows a finding that comes at the measured rate
)

// Options say how a case is to be reduced.
type Options struct {
	Signature string // what it must show; "": what it shows most often
	// Cause is what must be the cause of that, if the case shows it so and not by another finding of it; none: whatever
	// it is.
	Cause finding.Cause
	// Exact says that it must show that signature and no other, though another one may say more plainly what is wrong.
	Exact  bool
	Repeat int // repetitions that a smaller case must show it in; 0: 2
	Reduce reduce.Options
}

// Result is the outcome of a reduction: the smaller case beside what reduction.json holds.
type Result struct {
	Case      *testcase.Case `json:"-"`
	Signature string         `json:"signature"`
	// the case says more plainly what is wrong than the original, whose signature is another one
	Told     bool `json:"told,omitempty"`
	Shown    int  `json:"shown"`       // runs of the original that showed it …
	Measured int  `json:"measured"`    // … of this many
	Repeat   int  `json:"repetitions"` // in which a smaller case had to show it, each …
	Runs     int  `json:"runs"`        // … of up to this many runs
	Before   Size `json:"before"`
	After    Size `json:"after"`
	reduce.Stats
}

// Size is how large a case is.
type Size struct {
	Transactions int `json:"transactions"`
	Statements   int `json:"statements"` // target statements
	Rows         int `json:"rows"`       // initial rows
	Tables       int `json:"tables"`
	Bytes        int `json:"bytes"` // of target statements
}

func SizeOf(c *testcase.Case) Size {
	out := Size{Transactions: len(c.Txns), Rows: reduce.CountRows(c), Tables: reduce.CountTables(c)}
	for i := range c.Txns {
		out.Statements += len(c.Txns[i].Stmts)
		for _, s := range c.Txns[i].Stmts {
			out.Bytes += len(s.SQL)
		}
	}
	return out
}

// ErrShowsNothing says that a case does not show what it is to be reduced by.
var ErrShowsNothing = errors.New("the case shows no finding: nothing to reduce")

// Run reduces a case on a worker, under a profile: it measures how often the case shows its finding, then makes the
// case smaller as long as it shows a finding of that signature in every repetition. An error that comes with a result
// ended the reduction before its time. The worker may be a process of its own: then a case may crash its engine.
func Run(ctx context.Context, w campaign.Worker, p *dbms.Profile, c *testcase.Case, o Options) (*Result, error) {
	k := &shrinker{worker: w, profile: p, repeat: max(o.Repeat, 1), runs: 1, sought: sought{signature: o.Signature,
		cause: o.Cause}}
	k.look = k.check
	if o.Repeat == 0 {
		k.repeat = 2
	}
	c = c.Clone()
	c.Target, c.Isolation = p.DBMS, p.Isolation // where it is reduced is where the result belongs
	start := time.Now()
	out := &Result{Before: SizeOf(c)}
	if err := k.heed(ctx, c); err != nil {
		return nil, err
	}
	c, err := k.try(ctx, c, true)
	if err != nil {
		return nil, err
	}
	o.Reduce.Syntax = sqltext.SyntaxOf(p.DBMS)
	o.Reduce.Isolations = k.otherLevels()
	limit := o.Reduce.MaxTime
	for range measuredTimes {
		if out.Shown, out.Measured, err = k.measure(ctx, c); err != nil {
			return nil, err
		}
		if limit > 0 {
			o.Reduce.MaxTime = max(limit-time.Since(start), time.Millisecond)
		}
		out.Case, out.Stats, err = reduce.Reduce(ctx, c, k.holds, o.Reduce)
		if !errors.Is(err, reduce.ErrDoesNotHold) {
			break
		}
	}
	if errors.Is(err, reduce.ErrDoesNotHold) {
		return nil, fmt.Errorf("%w: it came in %d of %d runs, and in none of the next", ErrShowsNothing, out.Shown,
			out.Measured)
	}
	if err == nil && out.Stop == reduce.Fixpoint {
		if err = k.further(ctx, out, o); err == nil {
			out.Case, err = k.narrowed(ctx, out.Case)
		}
	}
	out.Signature, out.Told, out.Repeat, out.Runs = k.signature, k.told, k.repeat, k.runs
	if out.Case == nil {
		return nil, err
	}
	out.After = SizeOf(out.Case)
	return out, err
}

// further makes a reduced case smaller once more, by a variant of it that tells its cause, or a plainer one: what did
// not tell its cause may as a small case. Where no variant shows that as surely, the case stays, and what it shows.
func (k *shrinker) further(ctx context.Context, out *Result, o Options) error {
	first := k.sought
	other := out.Case
	err := k.learn(ctx, out.Case)
	if err == nil {
		other, err = k.try(ctx, out.Case, o.Exact)
	}
	if err == nil && other != out.Case {
		var c *testcase.Case
		var stats reduce.Stats
		c, stats, err = reduce.Reduce(ctx, other, k.holds, o.Reduce)
		out.Attempts += stats.Attempts
		out.Elapsed += stats.Elapsed
		if c != nil {
			stats.Attempts, stats.Elapsed = out.Attempts, out.Elapsed
			out.Case, out.Stats = c, stats
			return err
		}
	}
	k.sought = first
	if errors.Is(err, reduce.ErrDoesNotHold) || errors.Is(err, reduce.ErrUnchecked) {
		// it showed it once, and that is all that is known
		err = nil
	}
	return err
}

// learn takes the cause that a reduced case tells by itself, where the original did not, as the one by which plainer
// variants are looked for.
func (k *shrinker) learn(ctx context.Context, c *testcase.Case) error {
	if !k.cause.IsZero() {
		return nil
	}
	list, err := k.findings(ctx, c)
	if err != nil {
		return err
	}
	if at := slices.IndexFunc(list, func(f campaign.Found) bool { return f.Signature == k.signature }); at >= 0 {
		k.cause = list[at].OwnCause()
	}
	return nil
}

// sought is what a case has to show.
type sought struct {
	signature string
	cause     finding.Cause // none: any
	told      bool          // signature is another one than that which the case was reduced by, and tells more
}

// shrinker is the predicate of a reduction.
type shrinker struct {
	worker  campaign.Worker
	profile *dbms.Profile
	sought
	repeat  int  // repetitions …
	runs    int  // … of up to this many runs
	errored int  // statements of the original that fail
	blind   bool // candidates are held to what a case made blindly is: the original is such a case, and it has to stay one
	// What has been measured so far: runs, in how many of them each signature was shown, and the signatures without causes
	// in their order.
	measured int
	count    map[shown]int
	order    []string
	// look runs a case once and returns the signatures that it shows, with causes and without, and how many of its
	// statements failed: check.
	look func(ctx context.Context, c *testcase.Case) (signatures []shown, errored int, err error)
}

// heed finds out whether the case's rows keep their names by the tables' keys alone. Then a reduction must not make a
// case of it in which two rows have one: by leaving out the unique key by which a REPLACE finds the row that has its
// pkey.
func (k *shrinker) heed(ctx context.Context, c *testcase.Case) error {
	k.blind = true
	_, err := k.result(ctx, c)
	if errors.Is(err, ErrRefused) {
		k.blind, err = false, nil
	}
	return err
}

// measure runs the case as given and sets the signature, the repetitions and their runs, by all runs that have been
// measured.
func (k *shrinker) measure(ctx context.Context, c *testcase.Case) (times, measured int, err error) {
	before := float64(k.of(k.signature)) / float64(max(k.measured, 1))
	if err := k.lookAt(ctx, c, max(measuredRuns, k.repeat)); err != nil {
		return 0, 0, err
	}
	if k.signature == "" || k.of(k.signature) == 0 {
		for _, s := range k.order {
			if k.of(s) > k.of(k.signature) {
				k.signature = s
			}
		}
	}
	if times = k.of(k.signature); times == 0 {
		return 0, k.measured, ErrShowsNothing
	}
	if k.count[shown{k.signature, k.cause}] < times {
		k.cause = finding.Cause{} // it is no matter of this case by itself, or is not seen each time
	}
	if rate := float64(times) / float64(k.measured); rate < 1 {
		if before == 0 || before == 1 {
			k.repeat++
		}
		k.runs = min(int(math.Ceil(math.Log(1-certainty)/math.Log(1-rate))), maxRuns)
	}
	return times, k.measured, nil
}

// lookAt runs a case some times and counts what it shows.
func (k *shrinker) lookAt(ctx context.Context, c *testcase.Case, runs int) error {
	if k.count == nil {
		k.count = map[shown]int{}
	}
	for range runs {
		signatures, errored, err := k.look(ctx, c)
		if err != nil {
			return err
		}
		k.errored = max(k.errored, errored)
		k.measured++
		for _, s := range signatures {
			if k.count[s]++; k.count[s] == 1 && s.cause.IsZero() {
				k.order = append(k.order, s.signature)
			}
		}
	}
	return nil
}

// of is in how many of the measured runs a signature was shown.
func (k *shrinker) of(signature string) int { return k.count[shown{signature: signature}] }

// holds is the predicate: in every repetition one of the runs shows a finding of the signature.
func (k *shrinker) holds(ctx context.Context, c *testcase.Case) (bool, error) {
	for range k.repeat {
		shows := false
		for range k.runs {
			signatures, errored, err := k.look(ctx, c)
			if errors.Is(err, ErrRefused) {
				return false, nil
			}
			if err != nil {
				return false, err
			}
			if errored > k.errored {
				return false, nil // a statement that only fails takes no part in what the case shows
			}
			if shows = slices.Contains(signatures, shown{k.signature, k.cause}); shows {
				break
			}
		}
		if !shows {
			return false, nil
		}
	}
	return true, nil
}

// ErrRefused says that the database or the oracle does not take a candidate.
var ErrRefused = errors.New("the case is refused")

// shown is what a finding of a run is: its signature, by itself and with its cause.
type shown struct {
	signature string
	cause     finding.Cause
}

// result runs a case once.
func (k *shrinker) result(ctx context.Context, c *testcase.Case) (*campaign.CaseResult, error) {
	res, err := k.worker.Check(ctx, campaign.Job{Text: c.Print(), Repeats: 1, Bare: true, Blind: k.blind})
	if err == nil && res.Refused != "" {
		err = &campaign.CaseError{Reason: fmt.Errorf("%w: %s", ErrRefused, res.Refused)}
	}
	return res, err
}

// findings runs a case once and returns what it shows.
func (k *shrinker) findings(ctx context.Context, c *testcase.Case) ([]campaign.Found, error) {
	res, err := k.result(ctx, c)
	if err != nil {
		return nil, err
	}
	return slices.Concat(res.Findings, res.Unconfirmed), nil
}

// check runs a case once and returns the signatures that it shows, by themselves and with their causes, and how many of
// its statements failed.
func (k *shrinker) check(ctx context.Context, c *testcase.Case) (signatures []shown, errored int, err error) {
	res, err := k.result(ctx, c)
	if err != nil {
		return nil, 0, err
	}
	for _, f := range slices.Concat(res.Findings, res.Unconfirmed) {
		list := []shown{{signature: f.Signature}, {f.Signature, f.OwnCause()}}
		if f.Cause == finding.CauseSearch && !f.Derived { // which is asked for of a case that is small already
			list = append(list, shown{f.Signature, f.Cause})
		}
		for _, s := range list {
			if !slices.Contains(signatures, s) {
				signatures = append(signatures, s)
			}
		}
	}
	return signatures, res.Statements.Errored, nil
}

// otherLevels lists the levels of the target besides the case's own that can be judged.
func (k *shrinker) otherLevels() []string {
	var out []string
	for _, level := range []string{"read-committed", "repeatable-read", "snapshot", "serializable"} {
		if p, err := dbms.Lookup(k.profile.DBMS, level); err == nil && p.Guarantees.NoReplay == "" &&
			level != k.profile.Isolation {
			out = append(out, level)
		}
	}
	return out
}

// Summary says in one line what became of a case.
func (r *Result) Summary() string {
	b, a := r.Before, r.After
	return fmt.Sprintf(
		"%d transactions, %d statements, %d rows, %d tables (were %d, %d, %d, %d); %d tries in %.1f s, ended by %s",
		a.Transactions, a.Statements, a.Rows, a.Tables, b.Transactions, b.Statements, b.Rows, b.Tables, r.Attempts,
		r.Elapsed.Seconds(), r.Stop)
}

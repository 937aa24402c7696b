// Package reduce makes a case smaller while a predicate holds.
//
// It claims: the result satisfies the predicate, and, when no budget ran out, it is 1-minimal with respect to its
// passes: no single transaction, target statement, initial row, unmentioned table, unused column, index or edit of a
// statement's tree can go, and no single move makes the schedule simpler, without the predicate's failing. The original
// is not changed. A case without a target statement is never a candidate, so nothing is ever reduced to nothing. No
// rewrite gives a statement a second right result (sqltext.Risk) or changes another part of it than the one meant
// (edits.Rewriter).
//
// What holds is the predicate's business: it knows the oracle, the database, and whether a candidate shows the
// same failure or has slipped to another one. It is asked about one text at most once, so a predicate over
// something that fails only sometimes has to repeat its run itself.
package reduce

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"txweave/finding"
	"txweave/sql/edits"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// Interesting reports whether a case still shows the failure. It owns the case that it gets. An error ends the
// reduction: it means that nothing can be said, not that the case is well.
type Interesting func(ctx context.Context, c *testcase.Case) (bool, error)

// Options bound a reduction. The zero value runs DefaultPasses without bounds.
type Options struct {
	MaxAttempts int           // calls of the predicate, the first check included; 0 for no bound
	MaxTime     time.Duration // whole reduction; the predicate's context ends with it; 0 for no bound
	Passes      []Pass        // in order, repeated until none keeps anything; nil for DefaultPasses

	// Syntax is how the statements are read and rewritten; nil for that of the case's Target.
	Syntax *sqltext.Syntax
	// Isolations are other levels under which the reduced case is tried, as its Isolation, to tell whether the
	// failure needs its own.
	Isolations []string
	// Unconditional says that nobody asks what the failure needs of the reduced case: Stats.Conditions is nil.
	Unconditional bool

	// Kept, unless nil, is told of every candidate that became the smallest case so far, which it must not change.
	Kept func(pass string, c *testcase.Case)
	// Progress, unless nil, is told of every call of the predicate but the first.
	Progress func(Progress)
}

// Progress says how far a reduction is.
type Progress struct {
	Pass     string
	Round    int // from 1
	Attempts int
	Elapsed  time.Duration
	Case     *testcase.Case // the smallest so far, which must not be changed
}

// Stop says why a reduction ended.
type Stop string

// The reasons for which a reduction ends.
const (
	Fixpoint    Stop = finding.Fixpoint // no pass found anything more: the result is 1-minimal
	OutAttempts Stop = "attempts"       // MaxAttempts calls have been made
	OutTime     Stop = "time"           // MaxTime is over
	Failed      Stop = "error"          // Reduce returned an error
)

// Stats counts what a reduction did.
type Stats struct {
	Attempts int           `json:"attempts"`   // calls of the predicate, the first check included
	Repeats  int           `json:"repeats"`    // candidates that were not tried because their text had been before
	Rounds   int           `json:"rounds"`     // times that the list of passes was begun
	Elapsed  time.Duration `json:"elapsed_ns"` // whole reduction
	Stop     Stop          `json:"stop"`
	Passes   []PassStats   `json:"passes"` // one per pass, in the order of the passes; the last one finds the conditions

	// Conditions are what the failure needs of the reduced case: nil unless a fixpoint was reached and there was
	// budget left to find them, and they were asked for.
	Conditions []finding.Condition `json:"conditions"`
}

// PassStats counts the candidates of one pass over all rounds.
type PassStats struct {
	Pass    string        `json:"pass"`  // name of the pass
	Tried   int           `json:"tried"` // calls of the predicate
	Kept    int           `json:"kept"`  // calls that said true
	Elapsed time.Duration `json:"elapsed_ns"`
}

// ErrUnchecked is what Reduce returns where its budget is spent before the original case was checked.
var ErrUnchecked = errors.New("no time was left to check the original case")

// ErrDoesNotHold is what Reduce returns for a case on which the predicate says false.
var ErrDoesNotHold = errors.New("the original case does not show it")

// errBudget ends all passes; Stats.Stop says which budget it was.
var errBudget = errors.New("budget used up")

// Reduce returns a smaller case on which p holds. The case must be valid, and p must hold on it; that is checked
// first, and the case returned is nil when it fails. On a later error (of p, or of ctx) the smallest case so far
// is returned with the error. A budget that runs out is no error.
func Reduce(ctx context.Context, c *testcase.Case, p Interesting, o Options) (*testcase.Case, Stats, error) {
	s := &Search{parent: ctx, ctx: ctx, predicate: p, options: o, seen: map[digest]bool{}, syntax: cmp.Or(o.Syntax,
		sqltext.SyntaxOf(c.Target)), start: time.Now()}
	s.rewriter = &edits.Rewriter{Dialect: s.syntax.Tree}
	if o.MaxTime > 0 {
		timed, cancel := context.WithTimeout(ctx, o.MaxTime)
		defer cancel()
		s.ctx = timed
	}
	err := s.run(c)
	if err != nil {
		s.stats.Stop = Failed
	}
	s.stats.Elapsed = time.Since(s.start)
	return s.best, s.stats, err
}

// run checks the input and repeats the passes until a fixpoint or the end of a budget.
func (s *Search) run(c *testcase.Case) error {
	if err := c.Validate(); err != nil {
		return fmt.Errorf("reduce: the original case is not valid: %w", err)
	}
	input := c.Clone()
	s.seen[digestOf(input)] = true
	switch holds, err := s.ask(input); {
	case errors.Is(err, errBudget):
		return fmt.Errorf("out of %s: %w", s.stats.Stop, ErrUnchecked)
	case err != nil:
		return fmt.Errorf("reduce: check of the original case: %w", err)
	case !holds:
		return fmt.Errorf("reduce: %w", ErrDoesNotHold)
	}
	s.best = input
	passes := s.options.Passes
	if passes == nil {
		passes = DefaultPasses()
	}
	const last = "conditions"
	s.stats.Passes = make([]PassStats, len(passes)+1)
	for i, pass := range passes {
		s.stats.Passes[i].Pass = pass.Name
	}
	s.stats.Passes[len(passes)].Pass = last
	for again := true; again; {
		again = false
		s.stats.Rounds++
		for i, pass := range passes {
			kept, err := s.runPass(i, pass)
			if errors.Is(err, errBudget) {
				return nil
			}
			if err != nil {
				return err
			}
			again = again || kept
		}
	}
	if s.options.Unconditional {
		s.stats.Stop = Fixpoint
		return nil
	}
	if _, err := s.runPass(len(passes), Pass{last, conditions}); err != nil && !errors.Is(err, errBudget) {
		return err
	}
	s.stats.Stop = Fixpoint
	return nil
}

// runPass runs one pass and reports whether it kept anything.
func (s *Search) runPass(i int, pass Pass) (kept bool, err error) {
	s.pass = &s.stats.Passes[i]
	before, start := s.pass.Kept, time.Now()
	err = pass.Run(s)
	s.pass.Elapsed += time.Since(start)
	if err != nil && !errors.Is(err, errBudget) {
		err = fmt.Errorf("reduce: pass %s: %w", pass.Name, err)
	}
	return s.pass.Kept > before, err
}

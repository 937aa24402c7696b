package reduce

import (
	"context"
	"crypto/sha256"
	"slices"
	"time"

	"txweave/sql/edits"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// Pass is one way of making a case smaller.
type Pass struct {
	Name string
	Run  func(*Search) error // returns the errors of Search's methods as they are
}

// Search is the state of one reduction, as passes see it.
type Search struct {
	parent    context.Context // the caller's
	ctx       context.Context // with the time budget
	predicate Interesting
	options   Options
	best      *testcase.Case
	tables    *sqltext.Schema // those of the case that was best when they were asked for
	tablesOf  *testcase.Case
	syntax    *sqltext.Syntax
	rewriter  *edits.Rewriter
	seen      map[digest]bool // what the predicate said of the texts that it has been asked about
	stats     Stats
	start     time.Time
	pass      *PassStats // of the pass that runs
}

// digest stands for a case's text, in which it is no matter which statements of the first case are left.
type digest [sha256.Size]byte

func digestOf(c *testcase.Case) digest { return sha256.Sum256(c.Clone().Number().Print()) }

// Case returns the smallest case so far. A pass must not change it, but clone it.
func (s *Search) Case() *testcase.Case { return s.best }

// schema returns the tables of the smallest case so far, which are read once: edits are asked for one by one.
func (s *Search) schema() *sqltext.Schema {
	if s.tablesOf != s.best {
		s.tables, s.tablesOf = s.best.ReadSchema(), s.best
	}
	return s.tables
}

// Try makes the candidate the smallest case so far if the predicate holds on it, and reports whether it did so.
// Candidates that are not valid or have no target statement are refused, and so are those that were tried
// before: they failed, or this search has been there already.
func (s *Search) Try(candidate *testcase.Case) (kept bool, err error) {
	if candidate == nil || !hasTarget(candidate) || candidate.Validate() != nil {
		return false, nil
	}
	if len(s.best.Order) > 0 && len(candidate.Order) == 0 {
		return false, nil // it would be judged by another rule
	}
	k := digestOf(candidate)
	if _, asked := s.seen[k]; asked {
		s.stats.Repeats++
		return false, nil
	}
	kept, err = s.ask(candidate)
	if err != nil {
		return false, err
	}
	s.seen[k] = kept
	s.pass.Tried++
	if kept {
		s.pass.Kept++
		s.best = candidate
		if s.options.Kept != nil {
			s.options.Kept(s.pass.Pass, candidate)
		}
	}
	return kept, nil
}

// Sweep tries all candidates that list finds for the smallest case so far, until none of them is kept. Where one is,
// it goes on with those that follow it in the new case's list; those before get another chance in the next sweep.
func (s *Search) Sweep(list func(*testcase.Case) []*testcase.Case) error {
	for again := true; again; {
		again = false
		candidates := list(s.Case())
		for i := 0; i < len(candidates); {
			kept, err := s.Try(candidates[i])
			switch {
			case err != nil:
				return err
			case kept:
				candidates, again = list(s.Case()), true
			default:
				i++
			}
		}
	}
	return nil
}

// ask calls the predicate within the budgets.
func (s *Search) ask(c *testcase.Case) (holds bool, err error) {
	if err := s.budget(); err != nil {
		return false, err
	}
	s.stats.Attempts++
	holds, err = s.predicate(s.ctx, c.Clone())
	if s.options.Progress != nil && s.pass != nil {
		s.options.Progress(Progress{Pass: s.pass.Pass, Round: s.stats.Rounds, Attempts: s.stats.Attempts,
			Elapsed: time.Since(s.start), Case: s.best})
	}
	if err != nil && s.ctx.Err() != nil {
		return false, s.budget() // the call was cut short
	}
	return holds, err
}

// budget reports that the caller gave up or a budget is used up.
func (s *Search) budget() error {
	switch {
	case s.parent.Err() != nil:
		return s.parent.Err()
	case s.ctx.Err() != nil:
		s.stats.Stop = OutTime
		return errBudget
	case s.options.MaxAttempts > 0 && s.stats.Attempts >= s.options.MaxAttempts:
		s.stats.Stop = OutAttempts
		return errBudget
	}
	return nil
}

// Minimize shrinks a set of n things to a 1-minimal one: build returns the case with only those things whose
// numbers, in ascending order, are in keep, or nil where there is none. It is Zeller's ddmin ("Simplifying and
// Isolating Failure-Inducing Input", 2002) without its tests of single subsets beyond the first two: those hardly ever
// hold for cases, whose failures take several statements, and 1-minimality does not need them. The empty set is tried
// first.
func (s *Search) Minimize(n int, build func(keep []int) *testcase.Case) error {
	if n == 0 {
		return nil
	}
	if kept, err := s.Try(build(nil)); kept || err != nil {
		return err
	}
	keep := make([]int, n)
	for i := range keep {
		keep[i] = i
	}
	for parts := min(2, n); len(keep) > 1; {
		chunks := split(keep, parts)
		removed := false
		for i := 0; i < len(chunks) && len(chunks) > 1; {
			rest := slices.Delete(slices.Clone(chunks), i, i+1)
			kept, err := s.Try(build(slices.Concat(rest...)))
			switch {
			case err != nil:
				return err
			case kept:
				chunks, removed = rest, true
			default:
				i++
			}
		}
		if !removed && parts >= len(keep) {
			return nil
		}
		keep = slices.Concat(chunks...)
		parts = min(2*len(chunks), len(keep))
	}
	return nil
}

// split cuts set into parts chunks whose lengths differ by at most one.
func split(set []int, parts int) [][]int {
	chunks := make([][]int, 0, parts)
	for i := range parts {
		chunks = append(chunks, set[i*len(set)/parts:(i+1)*len(set)/parts])
	}
	return chunks
}

// hasTarget reports whether the case has a target statement.
func hasTarget(c *testcase.Case) bool {
	return slices.ContainsFunc(c.Txns, func(t testcase.Txn) bool { return len(t.Stmts) > 0 })
}

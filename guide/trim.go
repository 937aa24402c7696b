package guide

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"

	"txweave/reduce"
	"txweave/sqltext"
	"txweave/testcase"
)

// operatorTrim stands in the headers of cases that were made smaller: parts of a case of the corpus that still show what it was the first to
// show take its place.
const operatorTrim = "trim"

// trimShare is the share of mutants, in percent, that are steps of a trimming while there is something to trim, trimAttempts how many of them one
// case may take. A small case of the corpus leaves room for what changes add (maxStmts), and has less beside what made it new.
const (
	trimShare    = 5
	trimAttempts = 16
)

// trimming is a reduction whose candidates are cases of the campaign, checked as all others are: it is asked for the next one when there is
// a number for it, and told what became of it before it is asked again.
type trimming struct {
	of    *entry
	next  func() (*testcase.Case, bool)
	stop  func()
	holds bool // what became of the last candidate
	out   bool // a candidate is being checked
}

// errEnough ends a reduction whose candidates nobody asks for any more.
var errEnough = errors.New("enough")

// trim begins to make a case of the corpus smaller: by whole transactions, then by statements, as findings are. Its tables and rows stay, so
// that other cases over them go on being its kin.
func (g *Guide) trim(e *entry) *trimming {
	t := &trimming{of: e}
	passes := slices.DeleteFunc(reduce.DefaultPasses(), func(p reduce.Pass) bool { return p.Name != "plan" && p.Name != "transactions" })
	passes = append(passes, reduce.Pass{Name: "statements", Run: g.fewer})
	t.next, t.stop = iter.Pull(func(yield func(*testcase.Case) bool) {
		whole := true
		_, _, _ = reduce.Reduce(context.Background(), e.c, func(_ context.Context, c *testcase.Case) (bool, error) {
			if whole { // the case as it is: it was checked when it came
				whole = false
				return true, nil
			}
			if !yield(c) {
				return false, errEnough
			}
			return t.holds, nil
		}, reduce.Options{MaxAttempts: trimAttempts, Passes: passes, Unconditional: true})
	})
	return t
}

// fewer drops those statements that a change may drop: not a savepoint, nor what locks tables.
func (g *Guide) fewer(s *reduce.Search) error {
	c := s.Case()
	places := (&mutator{}).targets(c, func(t *testcase.Txn, _ *sqltext.Statement) bool { return open(t) })
	return s.Minimize(len(places), func(keep []int) *testcase.Case {
		m := &mutator{c: c.Clone()}
		for i := len(places) - 1; i >= 0; i-- {
			if !slices.Contains(keep, i) {
				m.remove(places[i])
			}
		}
		return m.c
	})
}

// candidate returns the next step of the trimming that is under way, or of one that begins with a case of the corpus; nil where there is none,
// or one is being checked already.
func (g *Guide) candidate(rng *rand.Rand, n int) *given {
	if g.trimming == nil {
		e := g.pick(rng, n)
		if e.trimmed || len(e.tells) == 0 {
			return nil
		}
		e.trimmed = true
		g.trimming = g.trim(e)
	}
	if g.trimming.out {
		return nil
	}
	for range attempts {
		c, ok := g.trimming.next()
		if !ok {
			g.trimming = nil
			return nil
		}
		m := &mutator{rng: rng, profile: g.profile, levels: g.levels, parser: g.parser, c: c}
		if m.check() != nil {
			g.trimming.holds = false
			continue
		}
		g.trimming.out = true
		e := g.trimming.of
		before := slices.DeleteFunc(strings.Fields(c.Option(optionMutated)), func(s string) bool { return s == operatorTrim })
		c.SetOption(optionMutated, strings.Join(append(before, operatorTrim), " "))
		return &given{c: c, parent: e, operators: []string{operatorTrim}, trims: g.trimming}
	}
	return nil
}

// trimmed notes whether a candidate still shows what its case was the first to show. Where it does it takes the case's place.
func (g *Guide) trimmed(x *given, o Lesson) error {
	t, e := x.trims, x.parent
	t.out, t.holds = false, o.Judged
	for _, s := range e.tells {
		t.holds = t.holds && slices.Contains(o.Shapes, s)
	}
	if !t.holds {
		return nil
	}
	old := e.c
	e.c, e.edges = x.c, o.Edges
	g.tally.Trimmed++
	if g.store == nil {
		return nil
	}
	return g.store.Replace(old, e.c)
}

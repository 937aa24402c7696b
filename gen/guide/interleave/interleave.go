package interleave

import (
	"iter"
	"math/big"
	"slices"

	"txweave/instrument"
)

// Count is how many schedules the transactions of a plan have; those that share a session run in one order.
func Count(plan *instrument.Plan) *big.Int {
	steps := map[int]int64{} // by session
	total := int64(0)
	for i := range plan.Txns {
		n := int64(len(unitsOf(plan, i)))
		steps[plan.Txns[i].Session] += n
		total += n
	}
	out := new(big.Int).MulRange(1, total)
	for _, n := range steps {
		out.Quo(out, new(big.Int).MulRange(1, n))
	}
	return out
}

// unitsOf lists the units of a transaction's steps.
func unitsOf(plan *instrument.Plan, txn int) []int {
	t := &plan.Txns[txn]
	if t.Autocommit() {
		return []int{0}
	}
	units := []int{instrument.BeginUnit}
	for i := range t.Blocks {
		units = append(units, i)
	}
	return append(units, instrument.EndUnit)
}

// Some returns one schedule of each class, at most limit of them; whole says that there are no more.
func Some(plan *instrument.Plan, depends *Dependence, limit int) (schedules [][]instrument.Step, whole bool) {
	s := newSearch(plan, depends.On, limit)
	for steps := range s.schedules() {
		if len(schedules) == limit {
			return schedules, false
		}
		schedules = append(schedules, steps)
	}
	return schedules, !s.cut
}

// Numbers is a schedule as a case has it: the transactions of its steps.
func Numbers(steps []instrument.Step) []int {
	out := make([]int, len(steps))
	for i, s := range steps {
		out[i] = s.Txn
	}
	return out
}

// search is the depth-first search for one schedule of each class of those of a plan that cannot be told apart by what
// depends on what.
type search struct {
	sessions [][]instrument.Step // the steps of each session, in their order
	at       []int               // the next one of each
	depends  func(a, b instrument.Step) bool
	path     []instrument.Step
	yield    func([]instrument.Step) bool
	left     int  // places that may still be looked at
	cut      bool // it was left before its end, as there were too many places
}

// patience is how many places of the search are looked at for each schedule that is asked for: sleep sets find no class
// twice, but may find out late that they are on the way to one that they know.
const patience = 200

func newSearch(plan *instrument.Plan, depends func(a, b instrument.Step) bool, asked int) *search {
	s := &search{depends: depends, left: asked * patience}
	place := map[int]int{}
	for _, st := range plan.Steps {
		at, known := place[plan.Txns[st.Txn].Session]
		if !known {
			at = len(s.sessions)
			place[plan.Txns[st.Txn].Session] = at
			s.sessions = append(s.sessions, nil)
		}
		s.sessions[at] = append(s.sessions[at], st)
	}
	s.at = make([]int, len(s.sessions))
	return s
}

// schedules yields them in an order that follows from the plan: the one after the other of the sessions as they begin
// comes first.
func (s *search) schedules() iter.Seq[[]instrument.Step] {
	return func(yield func([]instrument.Step) bool) {
		s.yield = yield
		s.explore(make([]bool, len(s.sessions)))
	}
}

// explore goes on from the path so far; the sessions asleep need not go on: what would come of it is known. It says
// whether to go on.
func (s *search) explore(asleep []bool) bool {
	if s.left--; s.left < 0 {
		s.cut = true
		return false
	}
	asleep = slices.Clone(asleep)
	ended := true
	for i, steps := range s.sessions {
		if s.at[i] == len(steps) {
			continue
		}
		ended = false
		if asleep[i] {
			continue
		}
		next := steps[s.at[i]]
		below := make([]bool, len(asleep))
		for j, sleeps := range asleep {
			below[j] = sleeps && !s.depends(s.sessions[j][s.at[j]], next)
		}
		s.path = append(s.path, next)
		s.at[i]++
		more := s.explore(below)
		s.at[i]--
		s.path = s.path[:len(s.path)-1]
		if !more {
			return false
		}
		asleep[i] = true
	}
	return !ended || s.yield(slices.Clone(s.path))
}

// Class names the class of a schedule: two schedules have one name if they are equivalent. It is the first of the class
// by the numbers of transactions (its lexicographic normal form: Anisimov and Knuth, 1979).
func Class(steps []instrument.Step, depends func(a, b instrument.Step) bool) string {
	left := slices.Clone(steps)
	name := make([]byte, 0, len(steps))
	for len(left) > 0 {
		best := -1
		for i, s := range left {
			free := !slices.ContainsFunc(left[:i], func(before instrument.Step) bool { return depends(before, s) })
			if free && (best < 0 || s.Txn < left[best].Txn) {
				best = i
			}
		}
		name = append(name, byte(left[best].Txn))
		left = slices.Delete(left, best, best+1)
	}
	return string(name)
}

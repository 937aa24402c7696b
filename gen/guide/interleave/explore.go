package interleave

import (
	"txweave/instrument"
	"txweave/weave"
)

// Extent says how far an exploration came.
type Extent struct {
	Ran     int  // schedules that were run
	Classes int  // of what ran, by all that is known at the end
	Whole   bool // no class is left
}

// Explore runs the plan's own schedule, and then one of each class that has not run, at most limit in all. run returns
// nil where nothing was learned of a schedule, and an error to end the exploration, which Explore returns.
func Explore(plan *instrument.Plan, limit int, run func(steps []instrument.Step) (*weave.Explored, error)) (
	Extent, error) {
	x := &explorer{plan: plan, depends: NewDependence(plan), limit: limit, run: run}
	_, err := x.step(plan.Steps)
	for again := true; again && err == nil && !x.cut; {
		again, err = x.pass()
	}
	return Extent{Ran: x.ran, Classes: len(x.classes()), Whole: err == nil && !x.cut}, err
}

type explorer struct {
	plan    *instrument.Plan
	depends *Dependence
	limit   int
	run     func(steps []instrument.Step) (*weave.Explored, error)
	done    [][]instrument.Step // schedules that were run, as they were given and as they came about
	ran     int
	cut     bool
}

// classes are those of what has run.
func (x *explorer) classes() map[string]bool {
	have := map[string]bool{}
	for _, steps := range x.done {
		have[Class(steps, x.depends.On)] = true
	}
	return have
}

// pass runs one schedule of each class that has not run yet, until a run changes what the classes are: then it says
// that another pass is due.
func (x *explorer) pass() (again bool, err error) {
	have := x.classes()
	search := newSearch(x.plan, x.depends.On, len(have)+x.limit-x.ran)
	for steps := range search.schedules() {
		if have[Class(steps, x.depends.On)] {
			continue
		}
		before := len(x.done)
		changed, err := x.step(steps)
		if err != nil || changed || x.cut {
			return changed, err
		}
		for _, ran := range x.done[before:] {
			have[Class(ran, x.depends.On)] = true
		}
	}
	x.cut = search.cut
	return false, nil
}

// step runs one schedule, and says whether other classes came of it.
func (x *explorer) step(steps []instrument.Step) (changed bool, err error) {
	if x.ran >= x.limit {
		x.cut = true
		return false, nil
	}
	told, err := x.run(steps)
	if err != nil {
		return false, err
	}
	x.ran++
	if x.done = append(x.done, steps); told == nil {
		return false, nil
	}
	if len(told.Order) == len(steps) { // nothing was left out
		x.done = append(x.done, told.Order)
	}
	return x.depends.Learn(told), nil
}

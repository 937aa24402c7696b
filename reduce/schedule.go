package reduce

import (
	"slices"

	"txweave/testcase"
)

// simplifySchedule makes the schedule simpler: fewer context switches, and for as many of them an order closer
// to the serial one. It ends where no move of simplerSchedules keeps the predicate.
func simplifySchedule(s *Search) error {
	return s.Sweep(func(c *testcase.Case) []*testcase.Case {
		var out []*testcase.Case
		for _, schedule := range simplerSchedules(c) {
			d := c.Clone()
			d.Schedule = schedule
			out = append(out, d)
		}
		return out
	})
}

// simplerSchedules returns the schedules that one move makes of the case's, coarse moves first, those that are
// simpler only. The moves: the serial schedule; one transaction's steps all together; two neighbouring runs of
// one transaction joined, a run being consecutive steps of one transaction; two adjacent runs exchanged; two
// adjacent steps exchanged.
func simplerSchedules(c *testcase.Case) [][]int {
	schedule := c.Schedule
	now := complexityOf(schedule, len(c.Txns))
	var out [][]int
	offer := func(candidate []int) {
		if _, ok := c.Predecessors(candidate); ok && complexityOf(candidate, len(c.Txns)).less(now) {
			out = append(out, candidate)
		}
	}
	offer(c.SerialSchedule())
	for n := range c.Txns {
		first, last := slices.Index(schedule, n), len(schedule)-1
		for schedule[last] != n {
			last--
		}
		offer(gather(schedule, n, first))
		offer(gather(schedule, n, last))
	}
	runs := runsOf(schedule)
	for a := range runs {
		for b := a + 1; b < len(runs); b++ {
			if schedule[runs[a].from] == schedule[runs[b].from] {
				offer(move(schedule, runs[b], runs[a].to))
				offer(move(schedule, runs[a], runs[b].from))
				break
			}
		}
	}
	for a := 1; a < len(runs); a++ {
		offer(move(schedule, runs[a], runs[a-1].from))
	}
	for i := 1; i < len(schedule); i++ {
		if schedule[i-1] != schedule[i] {
			swapped := slices.Clone(schedule)
			swapped[i-1], swapped[i] = swapped[i], swapped[i-1]
			offer(swapped)
		}
	}
	return out
}

// complexity orders schedules: by context switches, then by distance from the serial order.
type complexity struct {
	switches   int // neighbours of different transactions
	inversions int // pairs of steps that the serial schedule has the other way round
}

func (a complexity) less(b complexity) bool {
	return a.switches < b.switches || a.switches == b.switches && a.inversions < b.inversions
}

func complexityOf(schedule []int, txns int) complexity {
	var x complexity
	before := make([]int, txns) // steps so far, by transaction
	for i, n := range schedule {
		if i > 0 && schedule[i-1] != n {
			x.switches++
		}
		for m := n + 1; m < txns; m++ {
			x.inversions += before[m]
		}
		before[n]++
	}
	return x
}

// run is a range of the schedule whose steps are of one transaction.
type run struct{ from, to int }

func runsOf(schedule []int) []run {
	var runs []run
	for i, n := range schedule {
		if i > 0 && schedule[i-1] == n {
			runs[len(runs)-1].to = i + 1
		} else {
			runs = append(runs, run{i, i + 1})
		}
	}
	return runs
}

// gather returns the schedule with all steps of transaction n next to the one at index at.
func gather(schedule []int, n, at int) []int {
	var before, steps, after []int
	for i, m := range schedule {
		switch {
		case m == n:
			steps = append(steps, m)
		case i < at:
			before = append(before, m)
		default:
			after = append(after, m)
		}
	}
	return slices.Concat(before, steps, after)
}

// move returns the schedule with run r taken out and put in before index to, which lies outside of r.
func move(schedule []int, r run, to int) []int {
	if to <= r.from {
		return slices.Concat(schedule[:to], schedule[r.from:r.to], schedule[to:r.from], schedule[r.to:])
	}
	return slices.Concat(schedule[:r.from], schedule[r.to:to], schedule[r.from:r.to], schedule[to:])
}

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
func simplerSchedules(c *testcase.Case) []testcase.Schedule {
	schedule := c.Schedule
	now := complexityOf(schedule, len(c.Txns))
	var out []testcase.Schedule
	offer := func(candidate testcase.Schedule) {
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
		offer(schedule.Gather(n, first))
		offer(schedule.Gather(n, last))
	}
	runs := schedule.Runs()
	for a := range runs {
		for b := a + 1; b < len(runs); b++ {
			if schedule[runs[a].From] == schedule[runs[b].From] {
				offer(schedule.Move(runs[b], runs[a].To))
				offer(schedule.Move(runs[a], runs[b].From))
				break
			}
		}
	}
	for a := 1; a < len(runs); a++ {
		offer(schedule.Move(runs[a], runs[a-1].From))
	}
	for i := 1; i < len(schedule); i++ {
		if schedule[i-1] != schedule[i] {
			offer(schedule.Swap(i))
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

func complexityOf(schedule testcase.Schedule, txns int) complexity {
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

package interleave

import (
	"iter"
	"math"

	"txweave/instrument"
)

// All yields every schedule of a plan, in the order of newSearch's.
func All(plan *instrument.Plan) iter.Seq[[]instrument.Step] {
	s := newSearch(plan, func(_, _ instrument.Step) bool { return true }, 1)
	s.left = math.MaxInt
	return s.schedules()
}

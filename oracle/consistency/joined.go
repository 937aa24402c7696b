package consistency

import (
	"maps"
	"slices"

	"txweave/history"
	"txweave/oracle/observe"
)

// joined compares what a write of joined tables overwrote with what a SELECT of the same joins, under the same WHERE
// clause, found right before it: each row of each of the tables that it found, however often, is written once, and none
// besides.
func (j *judge) joined(s *observe.ObservedStmt) {
	if len(s.Unsure) > 0 {
		return
	}
	for _, table := range slices.Sorted(maps.Keys(s.Joined)) {
		found, wrote := s.Joined[table], map[int64]int64{}
		for _, w := range s.Writes {
			if w.Table == table {
				wrote[w.PKey] = int64(w.From)
			}
		}
		for _, pkey := range sortedUnion(found, wrote) {
			f, inFound := found[pkey]
			w, inWrote := wrote[pkey]
			if inFound != inWrote || f != w && !j.o.Contents[table] { // where versions are contents, their keys are no versions
				j.skips(s, history.Item{Table: table, PKey: pkey},
					"%v: a SELECT with the same joins and WHERE found %v, the write overwrote %v",
					history.StateOf(f, inFound), history.StateOf(w, inWrote))
			}
		}
	}
}

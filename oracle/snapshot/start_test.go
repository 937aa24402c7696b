package snapshot

import (
	"testing"

	"txweave/oracle/observe"
)

// TestAtStart: a version that no statement writes, below others of the start, is one of the start; a higher number may
// be anything.
func TestAtStart(t *testing.T) {
	o := &observe.Observation{Initial: map[string]map[int64]int64{"t0": {1: 1, 2: 3}, "t1": {1: 9}},
		Contents: map[string]bool{"c": true},
		Stmts:    []*observe.ObservedStmt{{VKey: 5}}}
	c := &checker{o: o}
	for vkey, want := range map[int64]bool{2: true, 8: true, 5: false, 9: false, 77: false, 0: false, -3: false} {
		if got := c.atStart("t0", vkey); got != want {
			t.Errorf("%d: %v", vkey, got)
		}
	}
	if c.atStart("c", 2) {
		t.Error("versions of a table without vkey are numbered by their contents")
	}
}

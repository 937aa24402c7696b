package exec

import (
	"testing"
	"time"
)

// TestLaneClosedTwice: a session that has ended itself, and in whose place no other could be opened, is closed once
// more with the others.
func TestLaneClosedTwice(t *testing.T) {
	db, p := target(t, "sqlite"), lookup(t, "sqlite/serializable")
	s, err := db.Open(t.Context(), FirstNode, p)
	if err != nil {
		t.Fatal(err)
	}
	l := newLane(t.Context(), s, p)
	l.close()
	if !l.closed(time.Minute) {
		t.Error("its session is open still")
	}
	l.close()
}

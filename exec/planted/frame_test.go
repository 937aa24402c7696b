package planted

import (
	"testing"

	"txweave/exec"
)

// Faults strike in transactions of every frame: each is known to begin and to end.
func TestFrames(t *testing.T) {
	for _, c := range []struct{ begin, goesOn, end, how string }{
		{"BEGIN", "SET autocommit = 1", "COMMIT", "COMMIT"},
		{"START TRANSACTION READ ONLY", "SET autocommit = 1", "ROLLBACK", "ROLLBACK"},
		{"SET autocommit = 0", "SET autocommit = 0", "SET autocommit = 1", "COMMIT"},
		{"SET autocommit = 0", "XA COMMIT 'x'", "COMMIT", "COMMIT"},
		{"XA START 'x'", "XA END 'x'", "XA COMMIT 'x' ONE PHASE", "COMMIT"},
		{"XA START 'x'", "XA PREPARE 'x'", "XA ROLLBACK 'x'", "ROLLBACK"},
	} {
		conn := &faultConn{profile: profile(t, "mariadb/serializable")}
		x := &faultTxn{conn: conn, frame: conn.opens(verb(c.begin), c.begin)}
		if x.frame == 0 || x.endedBy(verb(c.goesOn), c.goesOn) != "" || x.endedBy(verb(c.end), c.end) != c.how {
			t.Errorf("%+v: frame %d, %q, %q", c, x.frame, x.endedBy(verb(c.goesOn), c.goesOn), x.endedBy(verb(c.end), c.end))
		}
	}
}

// TestLastStands: behind a ROLLBACK TO, or a savepoint, the last write is not one that a fault can undo by itself.
func TestLastStands(t *testing.T) {
	x, target := &faultTxn{wrote: map[string]bool{}, writesToTable: map[string]int{}},
		&faultyTarget{profile: profile(t, "mariadb/serializable")}
	for _, s := range []struct {
		sql    string
		stands bool
	}{
		{"UPDATE t SET a = 1", true}, {"SAVEPOINT a", false}, {"UPDATE t SET a = 2", true}, {"ROLLBACK TO SAVEPOINT a",
			false}, {"UPDATE t SET a = 3", true},
	} {
		if x.note(target, exec.Occasion{}, s.sql); x.lastStands() != s.stands {
			t.Errorf("behind %s: %v", s.sql, !s.stands)
		}
	}
}

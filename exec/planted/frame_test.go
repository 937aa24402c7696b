package planted

import "testing"

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
		x := &faultTxn{frame: opens(verb(c.begin), c.begin)}
		if x.frame == 0 || x.endedBy(verb(c.goesOn), c.goesOn) != "" || x.endedBy(verb(c.end), c.end) != c.how {
			t.Errorf("%+v: frame %d, %q, %q", c, x.frame, x.endedBy(verb(c.goesOn), c.goesOn), x.endedBy(verb(c.end), c.end))
		}
	}
}

package planted

import (
	"testing"
	"time"

	"txweave/testcase"
)

// A race is one only with another session, within its window, at the same row or table.
func TestMoments(t *testing.T) {
	target := &faultyTarget{profile: profile(t, "mariadb/serializable"), tables: []string{"t0", "t1"}, c: &testcase.Case{}}
	a, b := &faultConn{target: target}, &faultConn{target: target}
	// in the future, so that it lasts
	m := moment{by: a, at: time.Now().Add(time.Hour), last: "UPDATE t0 SET vkey = 5 WHERE pkey = 3"}
	if !m.byOther(b) || m.byOther(a) {
		t.Error("it is another session's to one of them")
	}
	m.at = time.Now().Add(-2 * raceWindow)
	if m.byOther(b) || (moment{}).byOther(b) {
		t.Error("it is long ago, or never was")
	}
	for sql, want := range map[string]bool{"UPDATE t0 SET v = 1 WHERE pkey = 3": true,
		"UPDATE t0 SET v = 1 WHERE pkey = 33": false,
		"UPDATE t1 SET v = 1 WHERE pkey = 3":  false, "UPDATE t0 SET v = 1 WHERE v = 3": false} {
		if got := m.sameRow(target, sql); got != want {
			t.Errorf("%s: %v", sql, got)
		}
	}
	if !m.sameTable(target, "SELECT pkey FROM t0") || m.sameTable(target, "SELECT pkey FROM t1") {
		t.Error("the table is not told")
	}
	for _, f := range Races() {
		if !f.Race() || f.Reference == "" || len(f.verbs) == 0 {
			t.Errorf("%s is no race", f.Name)
		}
	}
}

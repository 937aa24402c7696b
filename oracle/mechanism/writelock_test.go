package mechanism

import (
	"math"
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/history"
	"txweave/oracle/observe"
	"txweave/sdg"
)

// TestWriteLocks checks what two transactions may do beside each other whose BEGIN takes the one write lock, and those
// of which only one does.
func TestWriteLocks(t *testing.T) {
	for _, c := range []struct {
		name  string
		begin [2][2]int64 // of each transaction: when BEGIN was answered, when its end was sent
		locks [2]bool     // whether its BEGIN takes the lock
		write [2]int64    // when the write of the second one was sent and answered; 0: it writes nothing
		fails int64       // when a statement of the first one failed; 0: none did
		want  string
	}{
		{"one after the other", [2][2]int64{{10, 20}, {30, 40}}, [2]bool{true, true}, [2]int64{}, 0, ""},
		{"the second while the first is open", [2][2]int64{{10, 50}, {30, 60}}, [2]bool{true, true}, [2]int64{}, 0,
			"T1 was given it"},
		{"the other way round", [2][2]int64{{30, 60}, {10, 50}}, [2]bool{true, true}, [2]int64{}, 0, "T0 was given it"},
		{"the end was sent before", [2][2]int64{{10, 30}, {30, 60}}, [2]bool{true, true}, [2]int64{}, 0, ""},
		{"the first never ended", [2][2]int64{{10, math.MaxInt64}, {30, 60}}, [2]bool{true, true}, [2]int64{}, 0,
			"T1 was given it"},
		{"an error may have ended the first", [2][2]int64{{10, 50}, {30, 60}}, [2]bool{true, true}, [2]int64{}, 20, ""},
		{"an error of a key does not", [2][2]int64{{10, 50}, {30, 60}}, [2]bool{true, true}, [2]int64{}, -20,
			"T1 was given it"},
		{"a reader beside it", [2][2]int64{{10, 50}, {30, 60}}, [2]bool{true, false}, [2]int64{}, 0, ""},
		{"a writer beside it", [2][2]int64{{10, 50}, {30, 60}}, [2]bool{true, false}, [2]int64{35, 40}, 0, "T1.S0 wrote"},
		{"a writer that had to wait", [2][2]int64{{10, 50}, {30, 90}}, [2]bool{true, false}, [2]int64{35, 60}, 0, ""},
		{"a writer before", [2][2]int64{{10, 50}, {2, 90}}, [2]bool{true, false}, [2]int64{5, 9}, 0, ""},
		{"two that take it when they write", [2][2]int64{{10, 50}, {30, 60}}, [2]bool{false, false}, [2]int64{35, 40}, 0, ""},
	} {
		o := &observe.Observation{Promise: failing(dbms.Profile{Order: dbms.OneWriterAtOnce, Guarantees: dbms.Guarantees{
			Mechanisms: dbms.Mechanisms{
				MutualExclusion: true},
		}})}
		for i := range 2 {
			o.Txns = append(o.Txns, observe.ObservedTxn{Sent: c.begin[i][1]})
			o.Events = append(o.Events, observe.Moment{Kind: observe.Begin, Txn: i, Snapshot: c.locks[i], End: c.begin[i][0]})
		}
		if c.write[0] > 0 {
			o.Stmts = append(o.Stmts, &observe.ObservedStmt{Node: sdg.Node{Name: "T1.S0", Txn: 1, Writes: make([]history.Write,
				1)}, Sent: c.write[0], Done: c.write[1]})
		}
		if c.fails != 0 {
			o.Errors = append(o.Errors, failedAt(c.fails))
		}
		got := writeLocks(o)
		if (len(got) == 0) != (c.want == "") || len(got) > 0 &&
			(len(got) != 1 || !strings.Contains(got[0].Detail(), c.want)) {
			t.Errorf("%s: %+v, want %q", c.name, got, c.want)
		}
		o.Promise.Order = dbms.BinaryLog
		if got := writeLocks(o); len(got) > 0 {
			t.Errorf("%s: %+v where there are many writers", c.name, got)
		}
	}
}

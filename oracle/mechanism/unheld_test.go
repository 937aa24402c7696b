package mechanism

import (
	"math"
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/history"
	"txweave/oracle/observe"
	"txweave/sdg"
	"txweave/sql/sqltext"
)

// TestUnheld checks who may have kept out a write that was sent at 45 and refused at 50, as the database's write lock
// was another transaction's: one that was open and had begun with it, or had been let write.
func TestUnheld(t *testing.T) {
	const (
		reads = iota
		writes
		isRefused
		isKeptOut
		fails
		begins
		unknown
	)
	busy, lost := &history.DBError{Code: 5, Message: "database is locked"}, &history.DBError{Code: 1213,
		Message: "snapshot"}
	for _, c := range []struct {
		name       string
		sent, done int64 // its end
		ran        int
		at         int64 // when that was sent
		alone      bool
		odd        bool
	}{
		{"a writer that is open", 70, 80, writes, 20, false, false},
		{"a writer that never ends", math.MaxInt64, 0, writes, 20, false, false},
		{"a writer that is ending", 40, 46, writes, 20, false, false},
		{"a writer that had ended", 30, 35, writes, 20, false, true},
		{"a writer that has written nothing yet", 70, 80, writes, 60, false, true},
		{"a reader", 70, 80, reads, 20, false, true},
		{"one that was refused for a newer commit", 70, 80, isRefused, 20, false, true},
		{"one that was kept out itself", 70, 80, isKeptOut, 20, false, true},
		{"one whose write failed", 70, 80, fails, 20, false, false},
		{"one that began with the lock", 70, 80, begins, 0, false, false},
		{"one that ran nothing", 70, 80, unknown, 0, false, true},
		{"a statement in autocommit that is no query", 44, 48, unknown, 0, true, false},
	} {
		p := failing(dbms.Profile{Order: dbms.OneWriterAtOnce, Transactions: dbms.Transactions{Loss: dbms.LostStaysOpen},
			Errors: dbms.Errors{WriteLocked: []int{5}},
			Guarantees: dbms.Guarantees{
				Mechanisms: dbms.Mechanisms{MutualExclusion: true},
			}})
		o := &observe.Observation{Promise: p, Txns: []observe.ObservedTxn{{Began: 10, Sent: 90, Done: 95},
			{Began: 5, Sent: c.sent, Done: c.done, Alone: c.alone}},
			Errors: []*history.Event{{Txn: 0, Stmt: 1, Role: history.Target, Start: 45, End: 50,
				Answer: history.Answer{Err: busy}}}}
		s := &observe.ObservedStmt{Node: sdg.Node{Txn: 1, Kind: sqltext.Update}, Sent: c.at}
		switch c.ran {
		case reads:
			s.Kind = sqltext.Select
		case isRefused:
			s.Err = lost
		case isKeptOut:
			s.Err = busy
		case fails:
			o.Errors = append(o.Errors, &history.Event{Txn: 1, Role: history.Target, Start: c.at, End: c.at + 1,
				Answer: history.Answer{Err: &history.DBError{Code: 19}}})
		case begins:
			o.Events = append(o.Events, observe.Moment{Kind: observe.Begin, Txn: 1, Snapshot: true, Start: 5, End: 6})
		}
		if c.ran < fails {
			o.Stmts = append(o.Stmts, s)
		}
		got := unheld(o)
		if (len(got) > 0) != c.odd || c.odd && !strings.HasPrefix(got[0].Detail(), "T0.S1 was answered ") {
			t.Errorf("%s: %+v", c.name, got)
		}
		o.Promise.Order = dbms.BinaryLog
		if got := unheld(o); len(got) > 0 {
			t.Errorf("%s: %+v where there are many writers", c.name, got)
		}
	}
}

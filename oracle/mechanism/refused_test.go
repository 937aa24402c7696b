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

// TestRefused checks what explains that the first write of a transaction which began at 10 was refused at 50: another
// one that may have written and ended meanwhile.
func TestRefused(t *testing.T) {
	const (
		reads = iota
		writes
		writesInVain
		unknown
	)
	for _, c := range []struct {
		name       string
		began      int64
		sent, done int64 // its end
		ran        int
		alone      bool
		odd        bool
	}{
		{"a writer that ended meanwhile", 5, 30, 35, writes, false, false},
		{"a writer that ended before", 2, 4, 6, writes, false, true},
		{"a writer that ended while the other one began", 2, 8, 12, writes, false, false},
		{"a writer whose end came in time", 5, 49, 60, writes, false, false},
		{"a writer that is open", 5, 70, 80, writes, false, true},
		{"a writer that never ended", 5, math.MaxInt64, 0, writes, false, true},
		{"a reader", 5, 30, 35, reads, false, true},
		{"one that was refused itself", 5, 30, 35, writesInVain, false, true},
		{"one that ran nothing", 5, 30, 35, unknown, false, true},
		{"a statement in autocommit that is no query", 30, 30, 35, unknown, true, false},
		{"a query in autocommit", 30, 30, 35, reads, true, true},
	} {
		lost := &history.DBError{Code: 1213, Message: "snapshot"}
		o := &observe.Observation{
			Promise: failing(dbms.Profile{Order: dbms.OneWriterAtOnce, Transactions: dbms.Transactions{Loss: dbms.LostStaysOpen},
				Guarantees: dbms.Guarantees{Mechanisms: dbms.Mechanisms{
					FirstUpdaterWins: true},
				}}),
			Txns: []observe.ObservedTxn{{Began: 10, Sent: 45, Done: 55}, {Began: c.began, Sent: c.sent, Done: c.done,
				Alone: c.alone}},
			Errors: []*history.Event{{Txn: 0, Stmt: 1, Role: history.Target, Start: 45, End: 50,
				Answer: history.Answer{Err: lost}}},
		}
		s := &observe.ObservedStmt{Node: sdg.Node{Txn: 1, Kind: sqltext.Update}}
		switch c.ran {
		case reads:
			s.Kind = sqltext.Select
		case writesInVain:
			s.Err = lost
		}
		if c.ran != unknown {
			o.Stmts = append(o.Stmts, s)
		}
		got := refused(o)
		if (len(got) > 0) != c.odd || c.odd && !strings.HasPrefix(got[0].Detail(), "T0.S1 was answered ") {
			t.Errorf("%s: %+v", c.name, got)
		}
		o.Promise.Order = dbms.BinaryLog
		if got := refused(o); len(got) > 0 {
			t.Errorf("%s: %+v where there are many writers", c.name, got)
		}
	}
}

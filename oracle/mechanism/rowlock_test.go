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

// failedAt is a statement of T0 that met an error: one of concurrency, or of a key where the time is negative.
func failedAt(at int64) *history.Event {
	e := &history.Event{Txn: 0, Start: max(at, -at)}
	if e.Err = (&history.DBError{Code: 1213}); at < 0 {
		e.Err.Code = 1062
	}
	return e
}

// failing is a promise that knows these errors.
func failing(p dbms.Profile) *dbms.Profile {
	p.Errors.Classes, p.Errors.Duplicate = map[int]dbms.ErrorClass{1213: dbms.TxnLost}, []int{1062}
	return &p
}

// TestRowLocks holds a statement of T0 and one of T1 on the same row against each other: a SELECT that locks it, or a
// write.
func TestRowLocks(t *testing.T) {
	const (
		update = 10 + iota
		remove
		insert
		plain
	)
	for _, c := range []struct {
		name         string
		first, other int // a sqltext.RowLock, or a kind of write
		at, until    int64
		begun, done  int64
		back, fails  int64 // when T0 went back to a savepoint, or met an error (see failedAt); 0: never
		want         string
	}{
		{"an UPDATE beside FOR UPDATE", int(sqltext.ForUpdate), update, 10, 50, 20, 30, 0, 0,
			"T0.S0 locked row 1 of t and T1.S0 did"},
		{"FOR UPDATE beside an UPDATE", update, int(sqltext.ForUpdate), 10, 50, 20, 30, 0, 0,
			"T0.S0 locked row 1 of t and T1.S0 did"},
		{"an UPDATE that waited", int(sqltext.ForUpdate), update, 10, 50, 20, 60, 0, 0, ""},
		{"an UPDATE after it", int(sqltext.ForUpdate), update, 10, 15, 20, 30, 0, 0, ""},
		{"a plain read", plain, update, 10, 50, 20, 30, 0, 0, ""},
		{"an INSERT", int(sqltext.ForUpdate), insert, 10, 50, 20, 30, 0, 0, ""},
		{"went back to a savepoint before", int(sqltext.ForUpdate), update, 10, 50, 20, 30, 15, 0, ""},
		{"went back to a savepoint after it", int(sqltext.ForUpdate), update, 10, 50, 20, 30, 35, 0, "T1.S0 did"},
		{"an error before", int(sqltext.ForUpdate), update, 10, 50, 20, 30, 0, 15, ""},
		{"an error of a key before", int(sqltext.ForUpdate), update, 10, 50, 20, 30, 0, -15,
			"T0.S0 locked row 1 of t and T1.S0 did"},
		{"in autocommit", int(sqltext.ForUpdate), update, 10, 5, 20, 30, 0, 0, ""},
		{"never ended", int(sqltext.ForUpdate), update, 10, math.MaxInt64, 20, 30, 0, 0, "T1.S0 did"},
		{"two that share", int(sqltext.ForShare), int(sqltext.ForShare), 10, 50, 20, 30, 0, 0, ""},
		{"an UPDATE beside FOR SHARE", int(sqltext.ForShare), update, 10, 50, 20, 30, 0, 0, "T1.S0 did"},
		{"an UPDATE beside FOR KEY SHARE", int(sqltext.ForKeyShare), update, 10, 50, 20, 30, 0, 0, ""},
		{"a DELETE beside FOR KEY SHARE", int(sqltext.ForKeyShare), remove, 10, 50, 20, 30, 0, 0, "T1.S0 did"},
		{"FOR NO KEY UPDATE beside FOR KEY SHARE", int(sqltext.ForKeyShare), int(sqltext.ForNoKeyUpdate), 10, 50, 20,
			30, 0, 0, ""},
		{"FOR NO KEY UPDATE twice", int(sqltext.ForNoKeyUpdate), int(sqltext.ForNoKeyUpdate), 10, 50, 20, 30, 0, 0,
			"T1.S0 did"},
		{"FOR UPDATE beside FOR KEY SHARE", int(sqltext.ForUpdate), int(sqltext.ForKeyShare), 10, 50, 20, 30, 0, 0,
			"T1.S0 did"},
	} {
		item := history.Item{Table: "t", PKey: 1}
		stmt := func(txn, how int, sent, done int64) *observe.ObservedStmt {
			s := &observe.ObservedStmt{Node: sdg.Node{Name: history.SessionName(txn) + ".S0", Txn: txn}, Sent: sent, Done: done}
			s.Name = []string{"T0.S0", "T1.S0"}[txn]
			switch how {
			case update:
				s.Writes = []history.Write{{Item: item, From: 5, To: 7}}
			case remove:
				s.Writes = []history.Write{{Item: item, From: 5, To: history.Dead}}
			case insert:
				s.Writes = []history.Write{{Item: item, From: history.Unborn, To: 7}}
			default:
				s.Out = []history.Version{{Item: item, VKey: 5}}
				if how != plain {
					s.Locks = sqltext.RowLock(how)
				}
			}
			return s
		}
		o := &observe.Observation{
			Promise: failing(dbms.Profile{Guarantees: dbms.Guarantees{Mechanisms: dbms.Mechanisms{MutualExclusion: true,
				RowLocks: true},
			}}),
			Txns:  []observe.ObservedTxn{{Sent: c.until}, {Sent: 100}},
			Stmts: []*observe.ObservedStmt{stmt(0, c.first, c.at-1, c.at), stmt(1, c.other, c.begun, c.done)}}
		if c.back > 0 {
			o.Events = append(o.Events, observe.Moment{Kind: observe.Undo, Txn: 0, Start: c.back})
		}
		if c.fails != 0 {
			o.Errors = append(o.Errors, failedAt(c.fails))
		}
		got := rowLocks(o)
		if (len(got) == 0) != (c.want == "") || len(got) > 0 &&
			(len(got) != 1 || !strings.Contains(got[0].Detail(), c.want)) {
			t.Errorf("%s: %+v, want %q", c.name, got, c.want)
		}
	}
}

// TestEntryReads: a SELECT that an index may have answered is held against writes as one of entries, another one as one
// of rows.
func TestEntryReads(t *testing.T) {
	for _, c := range []struct {
		covered bool
		lock    sqltext.RowLock
		want    history.LockIntent
	}{{true, sqltext.NoRowLock, history.LockEntries}, {true, sqltext.ForUpdate, history.LockShared},
		{false, sqltext.NoRowLock, history.LockShared}} {
		s := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S0",
			Out:   []history.Version{{Item: history.Item{Table: "t", PKey: 1}, VKey: 5}},
			Reads: []sdg.TableRead{{Table: "t", Seen: map[int64]int64{1: 5}}}}, View: dbms.Current, Locks: c.lock}
		o := &observe.Observation{Promise: &dbms.Profile{Guarantees: dbms.Guarantees{Mechanisms: dbms.Mechanisms{
			GapLocks: true, EntryLocks: true}}},
			Covered: map[string]bool{"t": c.covered},
			Txns:    make([]observe.ObservedTxn, 1), Stmts: []*observe.ObservedStmt{s}}
		w := &observedRun{o: o, sym: history.NewSymbols(), untold: untold(o)}
		if op := w.operation(&observe.Moment{Kind: observe.Ran, Stmt: s}); op == nil || op.Lock != c.want {
			t.Errorf("covered %v, %v: %+v", c.covered, c.lock, op)
		}
	}
}

// TestEntryLocks holds a SELECT that locks what an index holds, and no row, against what others do with that row.
func TestEntryLocks(t *testing.T) {
	item := history.Item{Table: "t", PKey: 1}
	for _, c := range []struct {
		name              string
		covered, contents bool
		lock, other       sqltext.RowLock // of T0, and of T1, which writes where it has none
		want              bool
	}{
		{"FOR UPDATE of a row that is read", false, false, sqltext.ForShare, sqltext.ForUpdate, true},
		{"FOR UPDATE of a row whose entry is read", true, false, sqltext.ForShare, sqltext.ForUpdate, false},
		{"the other way about", true, false, sqltext.ForUpdate, sqltext.ForShare, false},
		{"FOR UPDATE locks rows", true, false, sqltext.ForUpdate, sqltext.ForUpdate, true},
		{"an UPDATE that gives another version key", true, false, sqltext.ForShare, sqltext.NoRowLock, true},
		{"an UPDATE that may give none", true, true, sqltext.ForShare, sqltext.NoRowLock, false},
		{"an UPDATE of a row that is read", false, true, sqltext.ForShare, sqltext.NoRowLock, true},
	} {
		first := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S0", Out: []history.Version{{Item: item, VKey: 5}}}, Done: 10,
			Locks: c.lock}
		second := &observe.ObservedStmt{Node: sdg.Node{Name: "T1.S0", Txn: 1}, Sent: 20, Done: 30, Locks: c.other}
		if second.Out = first.Out; c.other == sqltext.NoRowLock {
			second.Out, second.Writes = nil, []history.Write{{Item: item, From: 5, To: 7}}
		}
		o := &observe.Observation{Promise: &dbms.Profile{Guarantees: dbms.Guarantees{Mechanisms: dbms.Mechanisms{
			MutualExclusion: true, RowLocks: true,
			EntryLocks: true},
		}},
			Covered: map[string]bool{"t": c.covered}, Contents: map[string]bool{"t": c.contents},
			Txns: []observe.ObservedTxn{{Sent: 50}, {Sent: 100}}, Stmts: []*observe.ObservedStmt{first, second}}
		if got := rowLocks(o); (len(got) > 0) != c.want {
			t.Errorf("%s: %+v, want a difference: %v", c.name, got, c.want)
		}
	}
}

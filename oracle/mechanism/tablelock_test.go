package mechanism

import (
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/instrument"
	"txweave/oracle/observe"
	"txweave/sdg"
	"txweave/sql/control"
	"txweave/sql/sqltext"
)

// TestTableLocks checks what may happen beside a transaction, T0, that is given table t at 20, asked for it at 10 and
// ends it at 50.
func TestTableLocks(t *testing.T) {
	const reads, writes = false, true
	for _, c := range []struct {
		name   string
		write  bool     // T0 locks the table for writing
		stmt   [2]int64 // when a statement of T1 was sent and answered; 0: it has none
		writes bool     // it writes the table
		end    int64    // when the end of T1 was sent
		locks  string   // T1 locks the table at 30, too: READ, WRITE
		alone  bool     // the statement is in autocommit
		back   bool     // T1 goes back to a savepoint
		fails  int64    // when a statement of T0 failed; 0: none did
		want   string
	}{
		{"a read beside a lock for writing", true, [2]int64{25, 30}, reads, 60, "", false, false, 0,
			"T1.S0 used it before T0 had ended"},
		{"a read beside a lock for reading", false, [2]int64{25, 30}, reads, 60, "", false, false, 0, ""},
		{"a write beside a lock for reading", false, [2]int64{25, 30}, writes, 60, "", false, false, 0,
			"T1.S0 used it before T0 had ended"},
		{"a write that had to wait", false, [2]int64{25, 55}, writes, 60, "", false, false, 0, ""},
		{"a read that was sent before", true, [2]int64{15, 30}, reads, 60, "", false, false, 0, ""},
		{"a write behind it", true, [2]int64{52, 55}, writes, 60, "", false, false, 0, ""},
		{"it may have ended by an error", true, [2]int64{25, 30}, reads, 60, "", false, false, 22, ""},
		{"an error of a key does not end it", true, [2]int64{25, 30}, reads, 60, "", false, false, -22,
			"T1.S0 used it before T0 had ended"},
		{"one that has read the table is open", true, [2]int64{2, 5}, reads, 60, "", false, false, 0,
			"T0 was given table t, which T1.S0 had used"},
		{"it has ended", true, [2]int64{2, 5}, reads, 19, "", false, false, 0, ""},
		{"it was in autocommit", true, [2]int64{2, 5}, reads, 60, "", true, false, 0, ""},
		{"it may have given the table back", true, [2]int64{2, 5}, reads, 60, "", false, true, 0, ""},
		{"it has read what is locked for reading", false, [2]int64{2, 5}, reads, 60, "", false, false, 0, ""},
		{"it has written what is locked for reading", false, [2]int64{2, 5}, writes, 60, "", false, false, 0,
			"T0 was given table t"},
		{"two locks for writing", true, [2]int64{}, reads, 60, "WRITE", false, false, 0, "T0 and T1 had both locked table t"},
		{"one of two for writing", false, [2]int64{}, reads, 60, "WRITE", false, false, 0,
			"T0 and T1 had both locked table t"},
		{"two locks for reading", false, [2]int64{}, reads, 60, "READ", false, false, 0, ""},
	} {
		o := &observe.Observation{Promise: failing(dbms.Profile{}), Txns: []observe.ObservedTxn{
			{Tables: tableHold(c.write, 10, 20), Sent: 50}, {Sent: c.end, Alone: c.alone}}}
		if c.stmt[0] > 0 {
			info := &sqltext.Analysis{Tables: []string{"t"}}
			if c.writes {
				info.Target = "t"
			}
			o.Stmts = append(o.Stmts, &observe.ObservedStmt{Node: sdg.Node{Name: "T1.S0", Txn: 1}, Sent: c.stmt[0],
				Done: c.stmt[1],
				Run:  &observe.BlockRun{Block: &instrument.Block{Info: info}}})
		}
		if c.locks != "" {
			o.Txns[1].Tables = tableHold(c.locks == "WRITE", 25, 30)
		}
		if c.back {
			o.Savepoints = []observe.Savepoint{{Stmt: "T1.S1", Kind: sqltext.RollbackTo}}
		}
		if c.fails != 0 {
			o.Errors = append(o.Errors, failedAt(c.fails))
		}
		got := tableLocks(o)
		if (len(got) == 0) != (c.want == "") || len(got) > 0 &&
			(len(got) != 1 || !strings.Contains(got[0].Detail(), c.want)) {
			t.Errorf("%s: %+v, want %q", c.name, got, c.want)
		}
	}
}

// tableHold is LOCK TABLES of t.
func tableHold(write bool, asked, locked int64) []observe.TableHold {
	l := control.TableLock{Table: "t", Alias: "t", Mode: control.Share}
	if write {
		l.Mode = control.AccessExclusive
	}
	return []observe.TableHold{{Locks: []control.TableLock{l}, Asked: asked, Locked: locked}}
}

// TestTableModes checks which modes of PostgreSQL two transactions may hold of one table, and which statements may run
// beside them: all that its documentation says, and nothing less is let pass.
func TestTableModes(t *testing.T) {
	conflicts := map[control.TableMode]string{ // postgresql.org/docs, Table-Level Locks, table 13.2
		control.AccessShare: "8", control.RowShare: "78", control.RowExclusive: "5678", control.ShareUpdateExclusive: "45678",
		control.Share:             "34678",
		control.ShareRowExclusive: "345678", control.Exclusive: "2345678", control.AccessExclusive: "12345678"}
	for a := control.AccessShare; a <= control.AccessExclusive; a++ {
		for b := control.AccessShare; b <= control.AccessExclusive; b++ {
			want := strings.Contains(conflicts[a], string('0'+rune(b)))
			held := func(m control.TableMode, at int64) observe.ObservedTxn {
				return observe.ObservedTxn{Sent: 50, Tables: []observe.TableHold{{Locks: []control.TableLock{{Table: "t", Mode: m}},
					Asked: at, Locked: at + 5}}}
			}
			o := &observe.Observation{Txns: []observe.ObservedTxn{held(a, 10), held(b, 20)}}
			if got := len(tableLocks(o)) > 0; got != want {
				t.Errorf("modes %d and %d held at once: found %v, want %v", a, b, got, want)
			}
			o.Events = []observe.Moment{{Kind: observe.Undo, Txn: 0, Start: 18}}
			if len(tableLocks(o)) > 0 {
				t.Errorf("modes %d and %d: the first went with a savepoint", a, b)
			}
		}
		for takes, info := range map[control.TableMode]*sqltext.Analysis{control.AccessShare: {Tables: []string{"t"}},
			control.RowShare:     {Tables: []string{"t"}, Locking: true},
			control.RowExclusive: {Tables: []string{"t"}, Target: "t"}} {
			o := &observe.Observation{Txns: []observe.ObservedTxn{
				{Sent: 50, Tables: []observe.TableHold{{Locks: []control.TableLock{{Table: "t", Mode: a}}, Asked: 10, Locked: 15}}},
				{Sent: 60}},
				Stmts: []*observe.ObservedStmt{{Node: sdg.Node{Name: "T1.S0", Txn: 1}, Sent: 20, Done: 30,
					Run: &observe.BlockRun{Block: &instrument.Block{Info: info}}}}}
			if got, want := len(tableLocks(o)) > 0, strings.Contains(conflicts[a], string('0'+rune(takes))); got != want {
				t.Errorf("a statement that takes %d beside mode %d: found %v, want %v", takes, a, got, want)
			}
		}
	}
}

// TestAdvisoryLocks: who tried and was refused held nothing, and had a reason to be; what is given back is held no
// longer.
func TestAdvisoryLocks(t *testing.T) {
	lock := control.AdvisoryLock{Key: "7"}.Held()
	shared := control.AdvisoryLock{Key: "7", Shared: true}.Held()
	other := control.AdvisoryLock{Key: "8"}.Held()
	for _, c := range []struct {
		name string
		a, b observe.TableHold
		want string
	}{
		{"two at once", observe.TableHold{Locked: 20}, observe.TableHold{Locked: 30},
			"T0 and T1 had both locked advisory lock 7"},
		{"two shared ones", observe.TableHold{Locks: []control.TableLock{shared}, Locked: 20},
			observe.TableHold{Locks: []control.TableLock{shared}, Locked: 30}, ""},
		{"a shared one", observe.TableHold{Locks: []control.TableLock{shared}, Locked: 20}, observe.TableHold{Locked: 30},
			"advisory lock 7"},
		{"another number", observe.TableHold{Locks: []control.TableLock{other}, Locked: 20},
			observe.TableHold{Locked: 30}, ""},
		{"given back", observe.TableHold{Locked: 20, Back: 25}, observe.TableHold{Locked: 30}, ""},
		{"given back later", observe.TableHold{Locked: 20, Back: 35}, observe.TableHold{Locked: 30}, "advisory lock 7"},
		{"refused", observe.TableHold{Locked: 20}, observe.TableHold{Locked: 30, Refused: true}, ""},
		{"refused for nothing", observe.TableHold{Locks: []control.TableLock{other}, Locked: 20},
			observe.TableHold{Locked: 30, Refused: true, Baseless: true},
			"T1 was refused advisory lock 7"},
	} {
		for _, h := range []*observe.TableHold{&c.a, &c.b} {
			if h.Locks == nil {
				h.Locks = []control.TableLock{lock}
			}
		}
		got := tableLocks(&observe.Observation{Txns: []observe.ObservedTxn{{Tables: []observe.TableHold{c.a}, Sent: 50},
			{Tables: []observe.TableHold{c.b}, Sent: 60}}})
		if (len(got) == 0) != (c.want == "") || len(got) > 0 &&
			(len(got) != 1 || !strings.Contains(got[0].Detail(), c.want)) {
			t.Errorf("%s: %+v, want %q", c.name, got, c.want)
		}
	}
}

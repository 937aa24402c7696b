package mechanism

import (
	"strings"
	"testing"

	"txweave/history"
	"txweave/instrument"
	"txweave/observe"
	"txweave/sdg"
	"txweave/sqltext"
)

// TestTableLocks checks what may happen beside a transaction, T0, that is given table t at 20, asked for it at 10 and ends it at 50.
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
		{"a read beside a lock for writing", true, [2]int64{25, 30}, reads, 60, "", false, false, 0, "T1.S0 used it before T0 had ended"},
		{"a read beside a lock for reading", false, [2]int64{25, 30}, reads, 60, "", false, false, 0, ""},
		{"a write beside a lock for reading", false, [2]int64{25, 30}, writes, 60, "", false, false, 0, "T1.S0 used it before T0 had ended"},
		{"a write that had to wait", false, [2]int64{25, 55}, writes, 60, "", false, false, 0, ""},
		{"a read that was sent before", true, [2]int64{15, 30}, reads, 60, "", false, false, 0, ""},
		{"a write behind it", true, [2]int64{52, 55}, writes, 60, "", false, false, 0, ""},
		{"it may have ended by an error", true, [2]int64{25, 30}, reads, 60, "", false, false, 22, ""},
		{"one that has read the table is open", true, [2]int64{2, 5}, reads, 60, "", false, false, 0, "T0 was given table t, which T1.S0 had used"},
		{"it has ended", true, [2]int64{2, 5}, reads, 19, "", false, false, 0, ""},
		{"it was in autocommit", true, [2]int64{2, 5}, reads, 60, "", true, false, 0, ""},
		{"it may have given the table back", true, [2]int64{2, 5}, reads, 60, "", false, true, 0, ""},
		{"it has read what is locked for reading", false, [2]int64{2, 5}, reads, 60, "", false, false, 0, ""},
		{"it has written what is locked for reading", false, [2]int64{2, 5}, writes, 60, "", false, false, 0, "T0 was given table t"},
		{"two locks for writing", true, [2]int64{}, reads, 60, "WRITE", false, false, 0, "T0 and T1 had both locked table t"},
		{"one of two for writing", false, [2]int64{}, reads, 60, "WRITE", false, false, 0, "T0 and T1 had both locked table t"},
		{"two locks for reading", false, [2]int64{}, reads, 60, "READ", false, false, 0, ""},
	} {
		o := &observe.Observation{Txns: []observe.ObservedTxn{
			{Tables: []sqltext.TableLock{{Table: "t", Alias: "t", Write: c.write}}, Asked: 10, Locked: 20, Sent: 50}, {Sent: c.end, Alone: c.alone}}}
		if c.stmt[0] > 0 {
			info := &sqltext.Analysis{Tables: []string{"t"}}
			if c.writes {
				info.Target = "t"
			}
			o.Stmts = append(o.Stmts, &observe.ObservedStmt{Node: sdg.Node{Name: "T1.S0", Txn: 1}, Sent: c.stmt[0], Done: c.stmt[1],
				Run: &observe.BlockRun{Block: &instrument.Block{Info: info}}})
		}
		if c.locks != "" {
			o.Txns[1].Tables, o.Txns[1].Asked, o.Txns[1].Locked = []sqltext.TableLock{{Table: "t", Alias: "t", Write: c.locks == "WRITE"}}, 25, 30
		}
		if c.back {
			o.Savepoints = []observe.Savepoint{{Stmt: "T1.S1", Kind: sqltext.RollbackTo}}
		}
		if c.fails > 0 {
			o.Errors = append(o.Errors, &history.Event{Txn: 0, Start: c.fails})
		}
		got := tableLocks(o)
		if (len(got) == 0) != (c.want == "") || len(got) > 0 && (len(got) != 1 || !strings.Contains(got[0].Detail, c.want)) {
			t.Errorf("%s: %+v, want %q", c.name, got, c.want)
		}
	}
}

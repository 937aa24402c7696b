package consistency_test

import (
	"testing"

	"txweave/dbms"
	_ "txweave/dbms/registry"
	"txweave/history"
	"txweave/observe"
	"txweave/oracle/consistency"
)

// TestConflictBeforeCommit: a conflict that only the end of a transaction may be answered with, where statements wait for each other.
func TestConflictBeforeCommit(t *testing.T) {
	for _, c := range []struct {
		name, level string
		role        history.Role
		stmt        int
		code        int
		alone       bool
		odd         bool
	}{
		{"a locking read", "repeatable-read", history.Target, 1, 9007, false, true},
		{"a locking read at READ COMMITTED", "read-committed", history.Target, 1, 9007, false, true},
		{"the read before a write", "repeatable-read", history.BWR, 1, 9007, false, true},
		{"COMMIT", "repeatable-read", history.End, -1, 9007, false, false},
		{"a statement in autocommit", "repeatable-read", history.Target, 0, 9007, true, false},
		{"a deadlock", "repeatable-read", history.Target, 1, 1213, false, false},
		{"optimistic", "optimistic", history.Target, 1, 9007, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := dbms.Lookup("tidb", c.level)
			if err != nil {
				t.Fatal(err)
			}
			e := &history.Event{Stmt: c.stmt, Role: c.role, Text: "SELECT v FROM t FOR UPDATE", Answer: history.Answer{Err: &history.DBError{Code: c.code, Message: "Write conflict"}}}
			o := &observe.Observation{Promise: p, Txns: []observe.ObservedTxn{{Alone: c.alone}}, Errors: []*history.Event{e}}
			r, err := consistency.Oracle{}.Judge(o)
			if err != nil {
				t.Fatal(err)
			}
			if got := len(r.Differences) == 1 && r.Differences[0].What == "conflict-before-commit"; got != c.odd || !c.odd && len(r.Differences) > 0 {
				t.Errorf("it says %v", r.Differences)
			}
		})
	}
}

package consistency_test

import (
	"testing"

	"txweave/dbms"
	_ "txweave/dbms/registry"
	"txweave/finding"
	"txweave/history"
	"txweave/oracle/consistency"
	"txweave/oracle/observe"
	"txweave/sql/sqltext"
)

// TestConflictBeforeCommit: a conflict that only the end of a transaction may be answered with, where statements wait
// for each other.
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
			e := &history.Event{Stmt: c.stmt, Role: c.role, Text: "SELECT v FROM t FOR UPDATE",
				Answer: history.Answer{Err: &history.DBError{Code: c.code, Message: "Write conflict"}}}
			o := &observe.Observation{Promise: p, Txns: []observe.ObservedTxn{{Alone: c.alone}}, Errors: []*history.Event{e}}
			r, err := consistency.Oracle{}.Judge(o)
			if err != nil {
				t.Fatal(err)
			}
			if got := len(r.Differences) == 1 && r.Differences[0].What == "conflict-before-commit"; got != c.odd || !c.odd &&
				len(r.Differences) > 0 {
				t.Errorf("it says %v", r.Differences)
			}
		})
	}
}

// TestSavepoints: a savepoint that was set is there, one that was not set is not, and what failed before says why one
// may be gone.
func TestSavepoints(t *testing.T) {
	p, err := dbms.Lookup("mariadb", "serializable")
	if err != nil {
		t.Fatal(err)
	}
	none := &history.DBError{Code: 1305, State: "42000", Message: "SAVEPOINT a does not exist"}
	for _, c := range []struct {
		name   string
		s      observe.Savepoint
		detail string // of the difference; "": there is none
	}{
		{"lost", observe.Savepoint{Known: true, Err: none},
			"the transaction had set it: error 1305: SAVEPOINT a does not exist"},
		{"lost after an error", observe.Savepoint{Known: true, Err: none,
			Failed: []finding.Failure{{Stmt: "T0.S2", Err: &history.DBError{Code: 1467, Message: "no value"}}}},
			"the transaction had set it: error 1305: SAVEPOINT a does not exist; T0.S2 had failed before: error 1467: no value"},
		{"another error", observe.Savepoint{Known: true, Err: &history.DBError{Code: 1213, Message: "Deadlock found"}}, ""},
		{"never set", observe.Savepoint{Err: none}, ""},
		{"never set, and there", observe.Savepoint{}, "the transaction had not set it, and yet there was no error"},
		{"there", observe.Savepoint{Known: true}, ""},
	} {
		c.s.Stmt, c.s.Kind = "T0.S3", sqltext.Release
		r, err := consistency.Oracle{}.Judge(&observe.Observation{Promise: p, Savepoints: []observe.Savepoint{c.s}})
		if err != nil {
			t.Fatal(err)
		}
		if c.detail == "" && len(r.Differences) > 0 || c.detail != "" &&
			(len(r.Differences) != 1 || r.Differences[0].Detail() != c.detail) {
			t.Errorf("%s: it says %v", c.name, r.Differences)
		}
	}
}

package replay

import (
	"strings"
	"testing"

	"txweave/testcase"
)

// TestUndoubted: nothing is concluded from a statement about which two readers differ; with an order it need not be
// read.
func TestUndoubted(t *testing.T) {
	c := &testcase.Case{Target: "mysql", Txns: []testcase.Txn{{
		Begin: testcase.Stmt{SQL: "BEGIN"}, End: testcase.Stmt{SQL: "COMMIT"},
		Stmts: []testcase.Stmt{{SQL: "SELECT t.pkey FROM t"},
			{SQL: "SELECT t.pkey FROM t /*T! JOIN u ON u.pkey = t.pkey */"}},
	}}}
	err := undoubted(c)
	if err == nil || !strings.HasPrefix(err.Error(),
		"T0.S1: it is read as one about the tables t, and by another parser about t, u") {
		t.Errorf("a doubtful statement: %v", err)
	}
	c.Order = []testcase.Ref{{Txn: 0, Stmt: 0}}
	if err := undoubted(c); err != nil {
		t.Errorf("with an order: %v", err)
	}
	c.Target, c.Order = "sqlite", nil
	if err := undoubted(c); err != nil {
		t.Errorf("of SQLite's: %v", err)
	}
}

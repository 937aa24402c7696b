package testcase

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestEdits: whatever is put into a case and taken out of it, each statement has its step, in the order of its
// transaction, and the order names the statements that it named.
func TestEdits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := caseGen().Draw(t, "case").Clone().Identify()
		named := map[StmtID]bool{}
		for _, r := range c.Order {
			named[c.Txns[r.Txn].Stmts[r.Stmt].ID] = true
		}
		for range rapid.IntRange(1, 6).Draw(t, "edits") {
			edit(t, c)
			c.Identify()
			if len(c.Schedule) != len(c.SerialSchedule()) {
				t.Fatalf("%d steps for %d statements", len(c.Schedule), len(c.SerialSchedule()))
			}
			for n := range c.Txns {
				if len(c.StepsOf(n)) != c.Txns[n].Steps() {
					t.Fatalf("T%d has %d steps for %d statements", n, len(c.StepsOf(n)), c.Txns[n].Steps())
				}
			}
			for _, r := range c.Order {
				if !named[c.Txns[r.Txn].Stmts[r.Stmt].ID] {
					t.Fatalf("the order names %s, which it did not", r)
				}
			}
			if err := c.checkIdentities(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func edit(t *rapid.T, c *Case) {
	kind := rapid.IntRange(0, 3).Draw(t, "kind")
	if len(c.Txns) == 0 {
		kind = 3
	}
	txn := 0
	if kind < 3 {
		txn = rapid.IntRange(0, len(c.Txns)-1).Draw(t, "txn")
	}
	switch x := &c.Txns; {
	case kind == 0 && !(*x)[txn].Autocommit():
		ref := Ref{txn, rapid.IntRange(0, len((*x)[txn].Stmts)).Draw(t, "stmt")}
		c.InsertBefore(ref, "SELECT 1")
		if at := c.StepOf(ref); c.Schedule[at] != txn || (*x)[txn].Stmts[ref.Stmt].SQL != "SELECT 1" {
			t.Fatalf("it stands elsewhere")
		}
	case kind == 1 && len((*x)[txn].Stmts) > 0:
		before := slices.Clone((*x)[txn].Stmts)
		alone := (*x)[txn].Autocommit()
		ref := Ref{txn, rapid.IntRange(0, len(before)-1).Draw(t, "stmt")}
		c.Remove(ref)
		if !alone && len((*x)[txn].Stmts) != len(before)-1 {
			t.Fatalf("%d statements of %d are left", len((*x)[txn].Stmts), len(before))
		}
	case kind == 2:
		c.RemoveTxn(txn)
	case kind == 3:
		n := c.AddTxn(Txn{Begin: Stmt{SQL: "BEGIN"}, Stmts: []Stmt{{SQL: "SELECT 2"}}, End: Stmt{SQL: "COMMIT"}})
		if n != len(c.Txns)-1 || c.Schedule[len(c.Schedule)-1] != n {
			t.Fatalf("T%d does not come last", n)
		}
	}
}

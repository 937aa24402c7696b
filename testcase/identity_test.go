package testcase

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// ids lists the identities of the transactions' statements.
func ids(c *Case) (out []StmtID) {
	for s := range c.steps() {
		out = append(out, s.ID)
	}
	return out
}

// TestIdentityStays: statements keep their identities through edits, clones and texts, and one that is put in gets an
// identity which none had before, be that one's still there or not.
func TestIdentityStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := caseGen().Draw(t, "case")
		had := map[StmtID]bool{}
		for _, id := range ids(c) {
			had[id] = true
		}
		for range rapid.IntRange(1, 12).Draw(t, "edits") {
			before := ids(c)
			txn := &c.Txns[rapid.IntRange(0, len(c.Txns)-1).Draw(t, "txn")]
			at := rapid.IntRange(0, len(txn.Stmts)).Draw(t, "at")
			switch rapid.IntRange(0, 4).Draw(t, "edit") {
			case 0:
				txn.Stmts = slices.Insert(txn.Stmts, at, Stmt{SQL: "SELECT 1"})
				c.Schedule = c.SerialSchedule()
				c.Identify()
				id := txn.Stmts[at].ID
				if had[id] || id == 0 {
					t.Fatalf("what is put in gets %d", id)
				}
				had[id] = true
				before = append(before, id)
			case 1:
				if at < len(txn.Stmts) {
					before = slices.DeleteFunc(before, func(id StmtID) bool { return id == txn.Stmts[at].ID })
					txn.Stmts = slices.Delete(txn.Stmts, at, at+1)
					c.Schedule = c.SerialSchedule()
				}
			case 2:
				if at < len(txn.Stmts) {
					txn.Stmts[at].SQL = "SELECT 2"
				}
			case 3:
				c = c.Clone()
			case 4:
				read, err := Parse("again", c.Print())
				if err != nil {
					t.Fatal(err)
				}
				c = read
			}
			after := ids(c)
			slices.Sort(before)
			slices.Sort(after)
			if !slices.Equal(before, after) {
				t.Fatalf("%v were to stay, and there are %v", before, after)
			}
		}
	})
}

// TestIdentitiesOfPlaces: a case without edits says nothing of identities, whether its maker has numbered it or not.
func TestIdentitiesOfPlaces(t *testing.T) {
	c, err := Parse("small", []byte(small))
	if err != nil {
		t.Fatal(err)
	}
	text := string(c.Print())
	if got := ids(c); !slices.Equal(got, []StmtID{1, 2}) || strings.Contains(text, fieldStatements) {
		t.Errorf("identities %v\n%s", got, text)
	}
	c.Txns[0].Begin.ID, c.Txns[0].End.ID, c.given = 0, 0, 0
	if string(c.Print()) != text {
		t.Errorf("before it is numbered: %s", c.Print())
	}
}

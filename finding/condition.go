package finding

import (
	"fmt"
	"strings"

	"txweave/history"
	"txweave/testcase"
)

// Condition is one thing without which a reduced case does not show its finding.
type Condition struct {
	// Kind is "transaction", "statement", "row", "index", "constraint", "clause", "begin", "end", "overlap" or "isolation".
	Kind string `json:"kind"`
	// Where is a transaction ("T1"), a statement ("T1.S0"), a table, or an isolation level at which it does not show.
	Where string `json:"where,omitempty"`
	What  string `json:"what,omitempty"` // the statement's kind, the row, the definition, the clause, the case's own level
	Text  string `json:"text"`           // one line for people, as Say makes it
}

// Say makes the line for people, with transactions named by a function.
func (c *Condition) Say(name func(txn int) string) string {
	switch c.Kind {
	case "transaction":
		return "needs transaction " + c.place(name)
	case "statement":
		return fmt.Sprintf("needs the %s of %s", c.What, c.place(name))
	case "clause", "begin", "end":
		return fmt.Sprintf("needs %s in %s", c.What, c.place(name))
	case "overlap":
		return "needs transactions that overlap in this order"
	case "row":
		return strings.TrimSpace(fmt.Sprintf("needs the row %s of %s", c.What, c.Where))
	case "isolation":
		if c.What == "" { // in files of before
			return c.Text
		}
		return fmt.Sprintf("needs %s: does not show at %s", c.What, c.Where)
	}
	return "needs " + c.What
}

// place is a transaction or statement as a function names its transaction.
func (c *Condition) place(name func(txn int) string) string {
	if txn, ok := testcase.ParseTxn(c.Where); ok {
		return name(txn)
	}
	if ref, ok := testcase.ParseRef(c.Where); ok {
		return strings.Replace(c.Where, history.SessionName(ref.Txn), name(ref.Txn), 1)
	}
	return c.Where
}

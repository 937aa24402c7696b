package finding

import (
	"fmt"
	"strings"
)

// Condition is one thing without which a reduced case does not show its finding.
type Condition struct {
	// Kind is "transaction", "statement", "row", "index", "constraint", "clause", "begin", "end", "overlap" or
	// "isolation".
	Kind string `json:"kind"`
	// Where is a transaction ("T1"), a statement ("T1.S0"), a table, or an isolation level at which it does not show.
	Where string `json:"where,omitempty"`
	What  string `json:"what,omitempty"` // the statement's kind, the row, the definition, the clause, the case's own level
	Text  string `json:"text"`           // one line for people, as Say makes it
}

// Say makes the line for people, with transactions and statements as a function calls them.
func (c *Condition) Say(call func(where string) string) string {
	switch c.Kind {
	case "transaction":
		return "needs transaction " + call(c.Where)
	case "statement":
		return fmt.Sprintf("needs the %s of %s", c.What, call(c.Where))
	case "clause", "begin", "end":
		return fmt.Sprintf("needs %s in %s", c.What, call(c.Where))
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

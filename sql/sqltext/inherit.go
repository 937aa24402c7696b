package sqltext

import (
	"fmt"
	"slices"
)

// An Heir is one of the tables that hold the rows of a table which others inherit from: that table itself,
// or one of these. Which rows they are a CHECK says, so that no two of them hold rows with the same pkey.
type Heir struct {
	Name, Of      string // in lower case; the same of the table itself
	Modulus, Rest int    // its rows are those whose pkey leaves Rest when it is divided by Modulus; 0: nothing says so
	Keyed         bool   // it has PRIMARY KEY (pkey), where it inherits
	Extra         string // a column, a key or a constraint beyond that which it has and its parent may not
}

// Only stands before the name of a table in what is read of its own rows alone, where it is read as if it were a view.
const Only = "only__"

// Where is the condition that its rows meet; table is what goes before the column's name, "" for nothing.
func (h *Heir) Where(table string) string {
	if table != "" {
		table += "."
	}
	return fmt.Sprintf("%s%s %% %d = %d", table, PKey, h.Modulus, h.Rest)
}

// Own says whether it is the table from which the others inherit.
func (h *Heir) Own() bool { return h.Name == h.Of }

// Heir returns what the named table is among those that hold another one's rows; nil where it is none of such.
func (s *Schema) Heir(name string) *Heir {
	i := slices.IndexFunc(s.Heirs, func(h Heir) bool { return h.Name == name })
	if i < 0 {
		return nil
	}
	return &s.Heirs[i]
}

// Inherits returns the table, in lower case, from which the one inherits that CREATE TABLE … (…) INHERITS (table)
// makes; "" for other statements.
func (s Statement) Inherits() string {
	t := s.Tokens
	n := len(t)
	if n > 0 && t[n-1].Text == ";" {
		n--
	}
	if n < 9 || !t[0].Is("create") || !t[1].Is("table") || !t[n-4].Is("inherits") || t[n-3].Text != "(" ||
		t[n-1].Text != ")" {
		return ""
	}
	name, _ := t[n-2].Ident()
	return name
}

package sqltext

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// An Heir is one of the tables that hold the rows of a table which others inherit from (PostgreSQL): that table itself, or one of
// these. Which rows they are a CHECK says, so that no two of them hold rows with the same pkey.
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

// Inherits returns the table, in lower case, from which the one inherits that CREATE TABLE … (…) INHERITS (table) makes; "" for other
// statements.
func (s Statement) Inherits() string {
	t := s.Tokens
	n := len(t)
	if n > 0 && t[n-1].Text == ";" {
		n--
	}
	if n < 9 || !t[0].Is("create") || !t[1].Is("table") || !t[n-4].Is("inherits") || t[n-3].Text != "(" || t[n-1].Text != ")" {
		return ""
	}
	name, _ := t[n-2].Ident()
	return name
}

// addHeir notes a table that inherits, and with the first one of a table that table itself.
func (s *Schema) addHeir(sql string, stmt Statement) {
	of := s.index[stmt.Inherits()]
	if of == nil || s.Heir(stmt.Target) != nil {
		return
	}
	if s.Heir(of.Name) == nil {
		own := Heir{Name: of.Name, Of: of.Name, Modulus: of.share.Modulus, Rest: of.share.Rest}
		s.Heirs = append(s.Heirs, own)
		of.Partitioned = true
	}
	h := Heir{Name: stmt.Target, Of: of.Name}
	items, _ := SplitList(sql, strings.IndexByte(sql, '('))
	for _, item := range items {
		x := TableElement(item)
		_, kind := x.Kind()
		modulus, rest, inherited := shareOf(x)
		parts, _ := keyParts(item)
		switch {
		case item == "":
		case modulus > 0 && inherited && h.Modulus == 0:
			h.Modulus, h.Rest = modulus, rest
		case kind == PrimaryElement && len(parts) == 1 && parts[0].Column == PKey:
			h.Keyed = true
		default:
			h.Extra = item
		}
	}
	s.Heirs = append(s.Heirs, h)
}

// shareOf reads CHECK (pkey % modulus = rest), and whether those that inherit have it, too: not with NO INHERIT. modulus is 0 for
// anything else.
func shareOf(x TableElement) (modulus, rest int, inherited bool) {
	t := x.body()
	if len(t) < 8 || !t[0].Is("check") || t[1].Text != "(" || !t[2].Is(PKey) || t[3].Text != "%" || t[5].Text != "=" || t[7].Text != ")" {
		return 0, 0, false
	}
	no := len(t) == 10 && t[8].Is("no") && t[9].Is("inherit")
	modulus, err := strconv.Atoi(t[4].Text)
	rest, bad := strconv.Atoi(t[6].Text)
	if err != nil || bad != nil || modulus < 1 || len(t) > 8 && !no {
		return 0, 0, false
	}
	return modulus, rest, !no
}

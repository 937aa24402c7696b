package sqltext

import "fmt"

// Scratch is a query whose answer goes through a table of its own: CREATE [TEMPORARY] TABLE name AS query. What it reads, and what it
// locks, is what INSERT … SELECT would. Whoever executes it reads the table and drops it at once, so that no other statement sees it:
// its answer is the table's rows.
type Scratch struct {
	Table, Query string
	Temporary    bool
	Head         string // what stands before the query
	name         string // of the table, as it is written
}

// ReadScratch reads CREATE [TEMPORARY] TABLE name AS query. ok is false for all others, and where the table's columns are named.
func ReadScratch(sql string) (x Scratch, ok bool) {
	if w := Significant(sql, 6); len(w) < 6 || !isScratch(w) {
		return x, false
	}
	at, n := 0, 0
	for t := range Tokens(sql) {
		at += len(t.Text)
		if t.Kind == Blank || t.Kind == Comment {
			continue
		}
		switch n++; {
		case t.Is("temporary", "temp"):
			x.Temporary = true
		case t.Is("as"):
			x.Head, x.Query = sql[:at], sql[at:]
			return x, true
		default:
			x.Table, _ = t.Ident()
			x.name = t.Text
		}
	}
	return x, false
}

// AroundScratch are the statements that read the table of such a query's answer, and drop it: a temporary one, and no other of its name.
func (s *Syntax) AroundScratch(x Scratch) (read, drop string) {
	drop = "DROP TABLE %s"
	if x.Temporary {
		drop = s.DropTemporary
	}
	return "SELECT * FROM " + x.name, fmt.Sprintf(drop, x.name)
}

// isScratch says whether tokens begin such a statement.
func isScratch(t []Token) bool {
	is := func(i int, words ...string) bool { return i < len(t) && t[i].Is(words...) }
	at := 2
	if is(1, "temporary", "temp") {
		at++
	}
	if !is(0, "create") || !is(at-1, "table") || !is(at+1, "as") || at+2 >= len(t) {
		return false
	}
	name, ok := t[at].Ident()
	return ok && name != "" && (is(at+2, "select", "with") || t[at+2].Text == "(")
}

// Does is the kind of a statement by what it does to the rows of the case: a query is one wherever its answer goes.
func (s *Statement) Does() Kind {
	if isScratch(s.Tokens) {
		return Select
	}
	if _, ok := s.Truncates(); ok {
		return Delete
	}
	return s.Kind
}

// IsTarget says whether a statement reads or writes rows, and does nothing else.
func (s *Statement) IsTarget() bool { return s.Does().IsTarget() }

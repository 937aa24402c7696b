package sqltext

// Scratch is a query whose answer goes through a table of its own: CREATE [TEMPORARY] TABLE name AS query. What it reads, and what it
// locks, is what INSERT … SELECT would. Whoever executes it reads the table and drops it at once, so that no other statement sees it:
// its answer is the table's rows.
type Scratch struct {
	Table, Query string
	Read, Drop   string // the statements that read the table, and drop it
	Temporary    bool
	Head         string // what stands before the query
}

// ReadScratch reads CREATE [TEMPORARY] TABLE name AS query. ok is false for all others, and where the table's columns are named.
func ReadScratch(sql string) (x Scratch, ok bool) {
	if w := Significant(sql, 6); len(w) < 6 || !isScratch(w) {
		return x, false
	}
	at, n, drop := 0, 0, "DROP TABLE "
	for t := range Tokens(sql) {
		at += len(t.Text)
		if t.Kind == Blank || t.Kind == Comment {
			continue
		}
		switch n++; {
		case t.Is("temporary", "temp"):
			x.Temporary, drop = true, "DROP TEMPORARY TABLE "
			if t.Is("temp") {
				drop = "DROP TABLE "
			}
		case t.Is("as"):
			x.Head, x.Query = sql[:at], sql[at:]
			x.Read, x.Drop = "SELECT * FROM "+x.Table, drop+x.Table
			return x, true
		default:
			x.Table, _ = t.Ident()
		}
	}
	return x, false
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

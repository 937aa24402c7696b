package sqlite

import "txweave/sqltext"

// raise writes what the common grammar prints in SQLite's words; ok is false where it has none.
func raise(sql string) (text string, ok bool) {
	r := &raising{Rewrite: sqltext.ANSI.Rewrite(sql)}
	for i := 0; i < len(r.Words); {
		i += max(r.word(i), 1)
	}
	text, ok = r.Done(), true
	if r.filters {
		text, ok = sqltext.ANSI.UnfoldFilters(text)
	}
	if r.materials && ok {
		text = sqltext.ANSI.UnfoldMaterials(text)
	}
	if r.orders && ok {
		text, ok = sqltext.ANSI.UnfoldNulls(text)
	}
	if r.updates && ok {
		text = sqltext.ANSI.SplitUpdate(text)
	}
	return text, ok
}

// raising is a statement while its words are replaced one after the other.
type raising struct {
	*sqltext.Rewrite
	clause                   bool // ON DUPLICATE KEY UPDATE was passed
	filters, orders, updates bool // what has to be looked at as a whole
	materials                bool
}

// word raises what begins at word i, and returns how many words that are.
func (r *raising) word(i int) int {
	w := r.Words[i]
	switch {
	case w.Kind == sqltext.Symbol:
		return r.sign(i)
	case w.Kind != sqltext.Word:
		return 1
	case w.Is("ignore") && i == 1 && r.Words[0].Is("insert", "update"):
		r.Put(i, 1, "OR IGNORE")
	case w.Is("ilike"):
		r.Put(i, 1, "GLOB")
	case w.Is("row") && r.At(i+1).Text == "(":
		r.Put(i, 1, "")
	case w.Is("greatest", "least") && r.At(i+1).Text == "(":
		r.Put(i, 1, choices[index(choices, 1, w.Text)][0])
	case w.Is("collate") && index(collations, 1, r.At(i+1).Text) >= 0:
		r.Put(i+1, 1, collations[index(collations, 1, r.At(i+1).Text)][0])
		return 2
	case w.Is("as") && r.At(i+2).Text == ")" && r.At(i+1).Is("unsigned", "binary") && r.At(r.Open(i+2)-1).Is("cast"):
		r.Put(i+1, 1, map[bool]string{true: "INTEGER", false: "BLOB"}[r.At(i+1).Is("unsigned")])
		return 2
	case w.Is("sql_big_result", "sql_small_result"):
		r.materials = true
	case r.Has(i, "force", "index") && r.At(i+2).Text == "(" && r.At(i+4).Text == ")":
		r.Put(i, 5, "INDEXED BY "+r.At(i+3).Text)
		return 5
	case r.Has(i, "use", "index") && r.At(i+2).Text == "(" && r.At(i+3).Text == ")":
		r.Put(i, 4, "NOT INDEXED")
		return 4
	case r.Has(i, "on", "duplicate", "key", "update"):
		r.Put(i, 4, "ON CONFLICT DO UPDATE SET")
		r.clause = true
		return 4
	case r.clause && w.Is("values") && r.At(i+1).Text == "(" && r.At(i+3).Text == ")":
		r.Put(i, 4, "excluded."+r.At(i+2).Text)
		return 4
	case w.Is("filter") && r.At(i+1).Text == "(":
		r.filters = true
	case r.Has(i, "order", "by"):
		r.orders = true
	case w.Is("update") && w.Depth == 0 && r.Find(i, "set") > 0:
		r.updates = true
	}
	return 1
}

// sign raises operators.
func (r *raising) sign(i int) int {
	switch {
	case r.Symbol(i, "^"):
		r.Put(i, 1, "||")
	case r.Symbol(i, "<=>") && r.At(i+3).Is("binary"):
		r.Put(i, 4, "IS NOT")
		return 4
	case r.Symbol(i, "<=>"):
		r.Put(i, 3, "IS")
		return 3
	}
	return 1
}

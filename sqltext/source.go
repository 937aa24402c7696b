package sqltext

// Source returns the query whose rows an INSERT … SELECT inserts, each of them; "" of every other statement, and of an INSERT that may leave
// rows of it out.
func (q Quoting) Source(sql string) string {
	if FirstWord(sql) != "INSERT" {
		return ""
	}
	from, depth, at := -1, 0, 0
	for t := range q.Tokens(sql) {
		switch {
		case t.Text == "(":
			depth++
		case t.Text == ")":
			depth--
		case from < 0 && depth > 0 && t.Is("select", "with"): // in parentheses, or among values
			return ""
		case depth > 0:
		case from < 0 && t.Is("ignore", "or", "values", "table"), t.Is("conflict", "duplicate"):
			return ""
		case from < 0 && t.Is("select", "with"):
			from = at
		case from >= 0 && t.Is("returning"):
			return q.Trim(sql[from:at])
		}
		at += len(t.Text)
	}
	if from < 0 {
		return ""
	}
	return q.Trim(sql[from:])
}

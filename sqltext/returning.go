package sqltext

// CutReturning cuts a write that returns rows before RETURNING: list is what it returns. ok is false for all others.
func CutReturning(sql string) (write, list string, ok bool) {
	first := Significant(sql, 1)
	if len(first) == 0 || !first[0].Is("insert", "replace", "update", "delete") {
		return sql, "", false
	}
	at, depth := 0, 0
	var last Token
	for t := range Tokens(sql) {
		start := at
		at += len(t.Text)
		if t.Kind == Blank || t.Kind == Comment {
			continue
		}
		depth += t.Nesting()
		if depth == 0 && t.Is("returning") && last.Text != "." && last.Text != "," {
			return sql[:start], sql[at:], true
		}
		last = t
	}
	return sql, "", false
}

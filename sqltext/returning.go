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

// Returned are the names, in lower case, of what a write returns: "" for what is not a column's bare name. It is nil for a write that
// returns nothing.
func Returned(sql string) []string {
	_, list, ok := CutReturning(sql)
	if !ok {
		return nil
	}
	var out []string
	name, words, depth := "", 0, 0
	end := func() {
		if words != 1 {
			name = ""
		}
		out = append(out, name)
		name, words = "", 0
	}
	for t := range Tokens(list) {
		depth += t.Nesting()
		switch ident, is := t.Ident(); {
		case t.Kind == Blank || t.Kind == Comment || t.Text == ";":
		case t.Text == "," && depth == 0:
			end()
		default:
			words++
			if name = ""; is {
				name = ident
			}
		}
	}
	end()
	return out
}

package sqltext

// Truncates returns the table, in lower case, that TRUNCATE TABLE t empties; ok is false for all other statements.
func (s *Statement) Truncates() (table string, ok bool) {
	t := s.Tokens
	if len(t) != 3 || !t[0].Is("truncate") || !t[1].Is("table") {
		return "", false
	}
	table, ok = t[2].Ident()
	return table, ok && table != ""
}

// ReadTruncate reads a statement as Truncates does, and returns the DELETE that takes the same rows.
func ReadTruncate(sql string) (table, del string, ok bool) {
	if first := Significant(sql, 1); len(first) == 0 || !first[0].Is("truncate") {
		return "", "", false
	}
	s := Read(sql)
	if table, ok = s.Truncates(); !ok {
		return "", "", false
	}
	return table, "DELETE FROM " + s.Tokens[2].Text, true
}

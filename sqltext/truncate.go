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

package dbms

import (
	"strings"

	"txweave/sqltext"
)

// fenced is a statement in which a derived table is one of a common table expression that is materialized: FROM (WITH d AS MATERIALIZED (SELECT …) SELECT * FROM d). Its rows are
// worked out as they stand then: no condition of the outer query is pushed into it, and it is not made part of that query (sqlite.org/lang_with.html#mathint). A set operation stays,
// as nobody says what affinity its columns have.
func fenced(sql string, q sqltext.Quoting) string {
	s := spelled(sql, q)
	var out strings.Builder
	done := 0
	ends := map[int]bool{}
	for i := range s.tokens {
		if end := s.derived(i); end > 0 {
			out.WriteString(sql[done:s.at[i+1]] + "WITH " + respelledDerived + " AS MATERIALIZED (")
			done = s.at[i+1]
			ends[end] = true
		}
		if ends[i] {
			out.WriteString(sql[done:s.at[i]] + ") SELECT * FROM " + respelledDerived)
			done = s.at[i]
		}
	}
	return out.String() + sql[done:]
}

// derived is the parenthesis that ends the derived table which begins with the one at i; 0 where there is none, or it is a set operation.
func (s *spelling) derived(i int) int {
	if s.tok(i).Text != "(" || i == 0 || i+1 >= len(s.tokens) || !s.tok(i+1).Is("select") || !s.tok(i-1).Is("from", "join") && s.tok(i-1).Text != "," {
		return 0
	}
	end := s.match(i, 1)
	if end < 0 || end+1 >= len(s.tokens) || !s.tok(end+1).Is("as") {
		return 0
	}
	if s.tok(i-1).Text == "," {
		if list := s.back(i-2, "from", "select"); list < 0 || !s.tok(list).Is("from") {
			return 0
		}
	}
	depth := 0
	for _, t := range s.tokens[i+1 : end] {
		if depth += t.Nesting(); depth == 0 && t.Is("union", "except", "intersect") {
			return 0
		}
	}
	return end
}

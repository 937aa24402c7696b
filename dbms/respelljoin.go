package dbms

import (
	"slices"

	"txweave/sqltext"
)

// spelled is a statement as it is read for respelling.
func spelled(sql string, q sqltext.Quoting) spelling {
	s := spelling{sql: sql}
	at := 0
	for t := range q.Tokens(sql) {
		if t.Kind != sqltext.Blank && t.Kind != sqltext.Comment {
			s.tokens, s.at = append(s.tokens, t), append(s.at, at)
		}
		at += len(t.Text)
	}
	return s
}

// turned is a statement in which FROM a RIGHT JOIN b is FROM b LEFT JOIN a, and the other way round, which is the same by its definition, and something else to do:
// a LEFT JOIN writes the row without a partner where it comes to it, a RIGHT JOIN has to find those rows once more in the end. One that is not the first
// join of its FROM clause stays, as does one whose query prints * and would print its columns in another order, and all where columns are told by the order of the tables.
func turned(sql string, q sqltext.Quoting) string {
	s := spelled(sql, q)
	if slices.ContainsFunc(s.tokens, func(t sqltext.Token) bool { return t.Is("natural", "using") }) {
		return sql
	}
	return s.turn(q)
}

// turn turns the outermost join first, so that what it consists of is whole.
func (s *spelling) turn(q sqltext.Quoting) string {
	at, least, depth := -1, 0, 0
	for i, t := range s.tokens {
		depth += t.Nesting()
		if t.Is("left", "right") && (at < 0 || depth < least) && s.first(i) >= 0 && s.second(i) >= 0 {
			at, least = i, depth
		}
	}
	if at < 0 {
		return s.sql
	}
	part := func(sql string) string {
		p := spelled(sql, q)
		return p.turn(q)
	}
	from, on := s.first(at), s.second(at)
	direction := " LEFT "
	if s.tok(at).Is("left") {
		direction = " RIGHT "
	}
	return part(s.sql[:s.at[from+1]]) + part(s.text(at+2, on-1)) + direction + s.text(at+1, at+1) + " " + part(s.text(from+1, at-1)) + " " + part(s.sql[s.at[on]:])
}

// first is the FROM before the one table reference in front of a LEFT or RIGHT at i; -1 where there are several, or its query prints *.
func (s *spelling) first(i int) int {
	from := s.back(i-1, "from", "join", ",")
	if from < 0 || !s.tok(from).Is("from") || from+1 >= i {
		return -1
	}
	begin := s.back(from-1, "select")
	if begin < 0 {
		return -1
	}
	depth := 0
	for k := begin + 1; k < from; k++ {
		depth += s.tok(k).Nesting()
		if depth == 0 && s.tok(k).Text == "*" && (s.tok(k-1).Is("select", "distinct", "all") || s.tok(k-1).Text == "," || s.tok(k-1).Text == ".") {
			return -1
		}
	}
	return from
}

// back is the last token up to i that is one of the words, at the depth of i; -1 if there is none.
func (s *spelling) back(i int, words ...string) int {
	for depth := 0; i >= 0; i-- {
		if depth += s.tok(i).Nesting(); depth > 0 {
			return -1
		}
		if depth == 0 && (s.tok(i).Is(words...) || slices.Contains(words, s.tok(i).Text)) {
			return i
		}
	}
	return -1
}

// second is the ON behind LEFT or RIGHT JOIN at i and its table reference; -1 where there is none.
func (s *spelling) second(i int) int {
	if i+2 >= len(s.tokens) || !s.tok(i+1).Is("join") {
		return -1
	}
	depth := 0
	for k := i + 2; k < len(s.tokens); k++ {
		depth += s.tok(k).Nesting()
		switch {
		case depth < 0:
			return -1
		case depth == 0 && s.tok(k).Is("on"):
			return k
		case depth == 0 && s.tok(k).Is("join", "using", "where", "group", "order", "union", "except", "intersect", "limit"):
			return -1
		}
	}
	return -1
}

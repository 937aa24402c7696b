package dbms

import (
	"fmt"
	"strings"

	"txweave/sqltext"
)

// within is a statement in which a scalar subquery with a LIMIT is a query of all rows of that: (SELECT * FROM (SELECT … LIMIT 1 OFFSET 2)). Which row a
// subquery gives, and how many rows a query gives, is not worked out by the same code.
func within(sql string, q sqltext.Quoting) string {
	s := spelled(sql, q)
	var out strings.Builder
	done := 0
	ends := map[int]bool{}
	for i := range s.tokens {
		if s.scalar(i) {
			out.WriteString(sql[done:s.at[i+1]] + "SELECT * FROM (")
			done = s.at[i+1]
			ends[s.match(i, 1)] = true
		}
		if ends[i] {
			out.WriteString(sql[done:s.at[i]] + ")")
			done = s.at[i]
		}
	}
	return out.String() + sql[done:]
}

// scalar says whether the parenthesis at i is that of a scalar subquery with a LIMIT.
func (s *spelling) scalar(i int) bool {
	if s.tokens[i].Text != "(" || i == 0 || i+1 >= len(s.tokens) || !s.tokens[i+1].Is("select") ||
		s.tokens[i-1].Is("in", "exists", "as", "materialized", "from", "join") {
		return false
	}
	depth := 0
	for _, t := range s.tokens[i:] {
		if depth += t.Nesting(); depth == 0 {
			return false
		}
		if depth == 1 && t.Is("limit") {
			return true
		}
	}
	return false
}

// names of a common table expression and its column that no case has.
const (
	respelledTable  = "respelled_rows"
	respelledColumn = "respelled_value"
)

// chosen is what a column IN (SELECT a column …) at i says by EXISTS, with its first and last tokens; end is 0 where there is none that can be respelled: true where a
// row is like the operand, unknown where there are rows, and one of them, or the operand, is NULL. Rows are compared by =, by sqlite.org/datatype3.html ("x IN
// (SELECT y ...)" is handled as "x=y"), which holds to the last digit where both have an affinity of their own; a set operation, of which nobody says what its
// affinity is, and expressions, which have none, stay as they are.
func (s *spelling) chosen(i int) (begin, end int, text string) {
	if !s.tokens[i].Is("in") || i == 0 || i+2 >= len(s.tokens) || s.tokens[i+1].Text != "(" || !s.tokens[i+2].Is("select") {
		return 0, 0, ""
	}
	end = s.match(i+1, 1)
	left, negation := i-1, ""
	if s.tokens[left].Is("not") {
		left, negation = left-1, "NOT "
	}
	begin = s.operand(left)
	if end < 0 || begin < 1 || !s.alone(begin-1, end+1) || !s.column(begin, left) {
		return 0, 0, ""
	}
	item := i + 3
	if s.tokens[item].Is("distinct", "all") {
		item++
	}
	from, depth := item, 0
	for k := i + 2; k < end; k++ {
		if depth += s.tokens[k].Nesting(); depth == 0 && s.tokens[k].Is("union", "except", "intersect") {
			return 0, 0, ""
		}
		if depth == 0 && s.tokens[k].Is("from") && from == item {
			from = k
		}
	}
	if !s.column(item, from-1) {
		return 0, 0, ""
	}
	operand, query := s.text(begin, left), s.text(i+2, end-1)
	exists := func(condition string) string {
		return fmt.Sprintf("EXISTS (WITH %s (%s) AS (%s) SELECT 1 FROM %s WHERE %s)", respelledTable, respelledColumn, query, respelledTable, condition)
	}
	return begin, end, fmt.Sprintf("(%sCASE WHEN %s THEN 1 WHEN NOT EXISTS (%s) THEN 0 WHEN %s IS NULL OR %s THEN NULL ELSE 0 END)",
		negation, exists(operand+" = "+respelledColumn), query, operand, exists(respelledColumn+" IS NULL"))
}

// column says whether what stands from one token to another is the name of a column.
func (s *spelling) column(from, to int) bool {
	for k := from; k <= to; k++ {
		t := s.tokens[k]
		name := t.Kind == sqltext.Name || t.Kind == sqltext.Word && (t.Text[0] < '0' || t.Text[0] > '9') && !t.Is("null", "true", "false", "case", "end", "as")
		if (k-from)%2 == 0 && !name || (k-from)%2 == 1 && t.Text != "." {
			return false
		}
	}
	return from <= to && (to-from)%2 == 0
}

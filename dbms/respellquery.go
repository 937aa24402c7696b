package dbms

import (
	"fmt"
	"slices"
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

// scalar says whether the parenthesis at i is that of a scalar subquery with a LIMIT. A set operation stays: its columns have an affinity where it is read from.
func (s *spelling) scalar(i int) bool {
	if s.tok(i).Text != "(" || i == 0 || i+1 >= len(s.tokens) || !s.tok(i+1).Is("select") ||
		s.tok(i-1).Is("in", "exists", "as", "materialized", "from", "join") {
		return false
	}
	depth, limited := 0, false
	for _, t := range s.tokens[i:] {
		if depth += t.Nesting(); depth == 0 || depth == 1 && t.Is("union", "except", "intersect") {
			return depth == 0 && limited
		}
		limited = limited || depth == 1 && t.Is("limit")
	}
	return false
}

// apart is a statement in which the set operation of two queries of plain columns that it consists of is put together otherwise: a UNION b are the distinct rows of
// a UNION ALL b, a EXCEPT b and a INTERSECT b those of a of which there is none, or one, in b. Rows are told apart by what the columns of a hold to, as by the operation
// itself; as that converts no value, columns are compared behind a +, which takes their affinity from them. One within another query stays: nobody says what affinity its
// columns have there.
func apart(sql string, q sqltext.Quoting) string {
	s := spelled(sql, q)
	at, depth := -1, 0
	for i := range s.tokens {
		if depth += s.tok(i).Nesting(); depth == 0 && s.tok(i).Is("union", "except", "intersect") {
			at = i
		}
	}
	if at < 0 || at+1 == len(s.tokens) || !s.tok(at+1).Is("select") {
		return sql
	}
	begin, end := s.operands(at)
	if begin < 0 {
		return sql
	}
	left, right := s.names(begin), s.names(at+1)
	if left == nil || len(left) != len(right) {
		return sql
	}
	a, b := s.text(begin, at-1), s.text(at+1, end)
	text := "SELECT DISTINCT * FROM (" + s.bare(begin, at-1) + " UNION ALL " + s.bare(at+1, end) + ")" // else what is no REAL becomes one where the column of a is
	if !s.tok(at).Is("union") {
		var alike []string
		for n := range left {
			alike = append(alike, fmt.Sprintf("+%s.%s IS +%s.%s", respelledTable, left[n], respelledOther, right[n]))
		}
		not := ""
		if s.tok(at).Is("except") {
			not = "NOT "
		}
		text = fmt.Sprintf("SELECT DISTINCT * FROM (%s) AS %s WHERE %sEXISTS (SELECT 1 FROM (%s) AS %s WHERE %s)",
			a, respelledTable, not, b, respelledOther, strings.Join(alike, " AND "))
	}
	return sql[:s.at[begin]] + text + sql[s.at[end]+len(s.tok(end).Text):]
}

// bare is a query of plain columns whose columns have no affinity.
func (s *spelling) bare(from, to int) string {
	var out strings.Builder
	first := from + 1
	if s.tok(first).Is("distinct", "all") {
		first++
	}
	out.WriteString(s.text(from, first-1))
	for k := first; k <= to; k++ {
		if t := s.tok(k); t.Text != "," && !t.Is("from") {
			continue
		}
		out.WriteString(" +" + s.text(first, k-1))
		if k-2 < first || !s.tok(k-2).Is("as") {
			out.WriteString(" AS " + s.tok(k-1).Text)
		}
		if s.tok(k).Is("from") {
			return out.String() + " " + s.text(k, to)
		}
		out.WriteString(",")
		first = k + 1
	}
	return out.String()
}

// operands are the first and the last token of the two queries of the set operation at i, without what stands behind both; -1 where there are more than two, or a query
// has a clause that would get another meaning.
func (s *spelling) operands(i int) (begin, end int) {
	begin = s.back(i-1, "select")
	if begin < 0 || begin > 0 && s.tok(begin-1).Is("union", "all", "except", "intersect") {
		return -1, 0
	}
	depth := 0
	for k := begin; k < len(s.tokens); k++ {
		if depth += s.tok(k).Nesting(); depth < 0 {
			return begin, k - 1
		}
		switch t := s.tok(k); {
		case depth > 0 || k == i:
		case k > i && t.Is("order", "limit"):
			return begin, k - 1
		case t.Is("union", "except", "intersect", "returning") || k > i && t.Is("on") && s.tok(k+1).Is("conflict"), t.Text == ";":
			return -1, 0
		}
	}
	return begin, len(s.tokens) - 1
}

// names are those of the columns that the query at i prints, each of which is a plain column with a name of its own; nil where that is not so.
func (s *spelling) names(i int) (names []string) {
	if i++; s.tok(i).Is("distinct", "all") {
		i++
	}
	for first, k := i, i; k < len(s.tokens); k++ {
		t := s.tok(k)
		if t.Text != "," && !t.Is("from") {
			if t.Nesting() != 0 {
				return nil
			}
			continue
		}
		column, name := k-1, s.tok(k-1).Text
		if column-2 >= first && s.tok(column-1).Is("as") {
			column -= 2
		}
		if !s.column(first, column) || slices.Contains(names, name) {
			return nil
		}
		names = append(names, name)
		if t.Is("from") {
			return names
		}
		first = k + 1
	}
	return nil
}

// names of tables and a column that no case has.
const (
	respelledTable   = "respelled_rows"
	respelledOther   = "respelled_others"
	respelledColumn  = "respelled_value"
	respelledDerived = "respelled_derived"
)

// chosen is what a column IN (SELECT a column …) at i says by EXISTS, with its first and last tokens; end is 0 where there is none that can be respelled: true where a
// row is like the operand, unknown where there are rows, and one of them, or the operand, is NULL. Rows are compared by =, by sqlite.org/datatype3.html ("x IN
// (SELECT y ...)" is handled as "x=y"), which holds to the last digit where both have an affinity of their own; a set operation, of which nobody says what its
// affinity is, and expressions, which have none, stay as they are.
func (s *spelling) chosen(i int) (begin, end int, text string) {
	if !s.tok(i).Is("in") || i == 0 || i+2 >= len(s.tokens) || s.tok(i+1).Text != "(" || !s.tok(i+2).Is("select") {
		return 0, 0, ""
	}
	end = s.match(i+1, 1)
	left, negation := i-1, ""
	if s.tok(left).Is("not") {
		left, negation = left-1, "NOT "
	}
	begin = s.operand(left)
	if end < 0 || begin < 1 || !s.alone(begin-1, end+1) || !s.column(begin, left) {
		return 0, 0, ""
	}
	item := i + 3
	if s.tok(item).Is("distinct", "all") {
		item++
	}
	from, depth := item, 0
	for k := i + 2; k < end; k++ {
		if depth += s.tok(k).Nesting(); depth == 0 && s.tok(k).Is("union", "except", "intersect") {
			return 0, 0, ""
		}
		if depth == 0 && s.tok(k).Is("from") && from == item {
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
		t := s.tok(k)
		name := t.Kind == sqltext.Name || t.Kind == sqltext.Word && (t.Text[0] < '0' || t.Text[0] > '9') && !t.Is("null", "true", "false", "case", "end", "as")
		if (k-from)%2 == 0 && !name || (k-from)%2 == 1 && t.Text != "." {
			return false
		}
	}
	return from <= to && (to-from)%2 == 0
}

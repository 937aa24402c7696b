package dbms

import (
	"fmt"
	"strings"

	"txweave/sqltext"
)

// reworded is a statement without words that stand for what others say, too: an aggregate with a FILTER takes a value that is NULL for the other rows, ORDER BY … NULLS LAST goes by whether there is a
// value first, UPDATE … FROM is one WHERE EXISTS, and whether the answer of a common table expression is kept is the other way round.
func reworded(sql string, q sqltext.Quoting) string {
	r := q.Rewrite(placedNulls(unjoined(unfiltered(sql, q), q), q))
	for i := range r.Words {
		switch {
		case !r.Words[i].Is("materialized") || r.At(i+1).Text != "(":
		case r.At(i-1).Is("not") && r.At(i-2).Is("as"):
			r.Put(i-1, 2, "MATERIALIZED")
		case r.At(i - 1).Is("as"):
			r.Put(i, 1, "NOT MATERIALIZED")
		}
	}
	return r.Done()
}

// placedNulls is a statement in which ORDER BY a NULLS LAST is ORDER BY a IS NULL, a: NULL is the least (sqlite.org/lang_select.html#orderby), and nothing is left where it stands there anyhow.
// What is ordered by a number stays, and so does a name that may be another one's in an expression, the order of a set operation, which is by its columns alone, and a RANGE, which takes one key.
func placedNulls(sql string, q sqltext.Quoting) string {
	r := q.Rewrite(sql)
	for i := range r.Words {
		if !r.Words[i].Is("nulls") || !r.At(i+1).Is("first", "last") {
			continue
		}
		from, end, last := r.ItemBefore(i), i, r.At(i+1).Is("last")
		descends := r.At(i - 1).Is("desc")
		if r.At(i-1).Is("asc", "desc") {
			end--
		}
		if descends == last {
			r.Drop(i, 2)
			continue
		}
		if from >= end || r.Passed(from) || !movable(r.Phrase, from, end) || r.At(i+2).Is("range") {
			continue
		}
		text := r.Part(from, end)
		if end-from > 1 && !(end-from == 3 && r.At(from+1).Text == ".") {
			text = "(" + text + ")"
		}
		item := text + " IS NULL"
		if !last {
			item += " DESC"
		}
		if item += ", " + text; descends {
			item += " DESC"
		}
		r.Put(from, i+2-from, item)
	}
	return r.Done()
}

// movable says whether an item of an ORDER BY, from a word up to another one, means the same within an expression.
func movable(p sqltext.Phrase, from, end int) bool {
	depth := p.At(from).Depth
	for i := from - 1; i >= 0 && p.Words[i].Depth >= depth; i-- {
		if p.Words[i].Depth == depth && p.Words[i].Is("union", "except", "intersect") {
			return false
		}
	}
	words := 0 // beside parentheses and a collation, through which SQLite looks for the name of an output
	for i := from; i < end; i++ {
		switch w := p.Words[i]; {
		case w.Is("collate"):
			i++
		case w.Text != "(" && w.Text != ")":
			words++
		}
	}
	return words > 1
}

// unfiltered is a statement in which SUM(a) FILTER (WHERE c) is SUM(CASE WHEN c THEN a END): aggregates ignore NULL (sqlite.org/lang_aggfunc.html). One that tells values apart, as
// MIN and those with DISTINCT do, stays: by the collation of a, which the CASE has not.
func unfiltered(sql string, q sqltext.Quoting) string {
	for from := 0; ; {
		p := q.Phrase(sql)
		at := -1
		for i := from; i < len(p.Words) && at < 0; i++ {
			if p.Words[i].Is("filter") && p.At(i+1).Text == "(" && p.At(i+2).Is("where") && p.At(i-1).Text == ")" {
				at = i
			}
		}
		if at < 0 {
			return sql
		}
		open, end := p.Open(at-1), p.Close(at+1)
		from = at + 1
		if open < 1 || end == len(p.Words) || !p.At(open-1).Is("count", "sum", "total", "avg") || p.At(open+1).Is("distinct") || len(p.Commas(open)) > 0 {
			continue
		}
		value := p.Part(open+1, at-1)
		if value == "*" {
			value = "1"
		}
		sql = sql[:p.Words[open].To] + "CASE WHEN " + p.Part(at+3, end) + " THEN " + value + " END)" + sql[p.Words[end].To:]
		from = open
	}
}

// unjoined is an UPDATE … FROM whose values are its own table's as one WHERE EXISTS.
func unjoined(sql string, q sqltext.Quoting) string {
	p := q.Phrase(sql)
	set := p.Find(0, "set")
	if set < 0 || !p.At(0).Is("update") {
		return sql
	}
	target := p.At(set - 1).Text // its name, or its alias
	from, where, end := p.Find(set, "from"), p.Find(set, "where"), p.Find(set, "returning")
	if end < 0 {
		end = len(p.Words)
	}
	if from < 0 || where < from || end < where || p.At(from-1).Is("distinct") || p.Find(where, "limit") > 0 {
		return sql
	}
	for i := set; i < from; i++ {
		if p.At(i+1).Text == "." && !strings.EqualFold(p.At(i).Text, target) || p.At(i).Is("select") {
			return sql
		}
	}
	text := p.Part(0, from) + " WHERE EXISTS (SELECT 1 " + p.Part(from, end) + ")"
	if end < len(p.Words) {
		text += " " + p.Part(end, len(p.Words))
	}
	return text
}

// compared is a statement in which row values are compared column by column, and IS is =, or whether both are NULL.
func compared(sql string, q sqltext.Quoting) string {
	s := spelled(sql, q)
	var out strings.Builder
	done := 0
	for i := range s.tokens {
		begin, end, text := s.rows(i)
		if end == 0 {
			begin, end, text = s.same(i)
		}
		if end == 0 {
			begin, end, text = s.rowsIn(i)
		}
		if end > 0 && s.at[begin] >= done {
			out.WriteString(sql[done:s.at[begin]] + text)
			done = s.at[end] + len(s.tok(end).Text)
		}
	}
	return out.String() + sql[done:]
}

// rows is what a comparison of two row values says whose first one begins at i, and its first and last tokens; end is 0 where there is none that can be respelled
// (sqlite.org/rowvalue.html, section 2.1: the first columns that differ decide).
func (s *spelling) rows(i int) (begin, end int, text string) {
	if s.tok(i).Text != "(" || i == 0 || s.calls(i) {
		return 0, 0, ""
	}
	closing := s.match(i, 1)
	op, next := "", closing+1
	for ; closing > 0 && next < len(s.tokens) && strings.Contains("<>=!", s.tok(next).Text) && len(op) < 2; next++ {
		op += s.tok(next).Text
	}
	if op == "" || next >= len(s.tokens) || s.tok(next).Text != "(" {
		return 0, 0, ""
	}
	end = s.match(next, 1)
	if end < 0 || !s.alone(i-1, end+1) || s.assigns(i) {
		return 0, 0, ""
	}
	left, right := s.values(i+1, closing), s.values(next+1, end)
	if len(left) < 2 || len(left) != len(right) {
		return 0, 0, ""
	}
	for k := len(left) - 1; k >= 0; k-- {
		a, b := left[k], right[k]
		switch strict := strings.TrimSuffix(op, "="); {
		case op == "=":
			text = both(a+" = "+b, " AND ", text)
		case op == "<>", op == "!=":
			text = both(a+" <> "+b, " OR ", text)
		case op != "<" && op != ">" && op != "<=" && op != ">=":
			return 0, 0, ""
		case text == "":
			text = a + " " + op + " " + b
		default:
			text = "(" + a + " " + strict + " " + b + " OR (" + a + " = " + b + " AND " + text + "))"
		}
	}
	return i, end, "(" + text + ")"
}

// assigns says whether what begins at i is an assignment of a SET behind others.
func (s *spelling) assigns(i int) bool {
	for depth, k := 0, i-1; k >= 0 && depth <= 0; k-- {
		if depth += s.tok(k).Nesting(); depth == 0 && s.tok(k).Is("set", "select", "where", "on", "having", "when", "values") {
			return s.tok(k).Is("set")
		}
	}
	return false
}

func both(a, operator, b string) string {
	if b == "" {
		return a
	}
	return "(" + a + operator + b + ")"
}

// rowsIn is what (column, …) IN (SELECT column, … …) at i says by EXISTS, with its first and last tokens; end is 0 where there is none that can be respelled, as with one column
// (chosen): true where a row is like the operand in all columns, unknown where one may be.
func (s *spelling) rowsIn(i int) (begin, end int, text string) {
	if !s.tok(i).Is("in") || i < 2 || i+2 >= len(s.tokens) || s.tok(i+1).Text != "(" || !s.tok(i+2).Is("select") {
		return 0, 0, ""
	}
	left, not := i-1, ""
	if s.tok(left).Is("not") {
		left, not = left-1, "NOT "
	}
	if s.tok(left).Text != ")" {
		return 0, 0, ""
	}
	begin, end = s.match(left, -1), s.match(i+1, 1)
	if begin < 1 || end < 0 || s.calls(begin) || !s.alone(begin-1, end+1) {
		return 0, 0, ""
	}
	item, from, depth := i+3, 0, 0
	if s.tok(item).Is("distinct", "all") {
		item++
	}
	for k := i + 2; k < end; k++ {
		if depth += s.tok(k).Nesting(); depth == 0 && s.tok(k).Is("union", "except", "intersect") {
			return 0, 0, ""
		}
		if depth == 0 && from == 0 && s.tok(k).Is("from") {
			from = k
		}
	}
	operands, columns := s.columns(begin+1, left), s.columns(item, from)
	if len(operands) < 2 || len(operands) != len(columns) {
		return 0, 0, ""
	}
	names, alike := make([]string, len(operands)), make([]string, len(operands))
	for k, operand := range operands {
		names[k] = fmt.Sprintf("respelled_part%d", k)
		alike[k] = operand + " = " + names[k]
	}
	exists := func(condition string) string {
		return fmt.Sprintf("EXISTS (WITH %s (%s) AS (%s) SELECT 1 FROM %[1]s WHERE %[4]s)", respelledTable, strings.Join(names, ", "), s.text(i+2, end-1), condition)
	}
	all := strings.Join(alike, " AND ")
	return begin, end, fmt.Sprintf("(%sCASE WHEN %s THEN 1 WHEN %s THEN NULL ELSE 0 END)", not, exists(all), exists("("+all+") IS NULL"))
}

// columns are what commas divide, each a column; nil where one is none.
func (s *spelling) columns(from, to int) []string {
	for first, k := from, from; k <= to; k++ {
		if k == to || s.tok(k).Text == "," {
			if !s.column(first, k-1) {
				return nil
			}
			first = k + 1
		}
	}
	return s.values(from, to)
}

// values are what commas divide, each a column or a literal; nil where one is neither.
func (s *spelling) values(from, to int) (out []string) {
	for first, i := from, from; i <= to; i++ {
		if i < to && s.tok(i).Text != "," {
			continue
		}
		if first == i || !s.column(first, i-1) && s.members(first, i)[0] == "" {
			return nil
		}
		out, first = append(out, s.text(first, i-1)), i+1
	}
	return out
}

// same is what IS or IS NOT at i says of two columns, or of a column and a literal, and its first and last tokens.
func (s *spelling) same(i int) (begin, end int, text string) {
	if !s.tok(i).Is("is") || i == 0 {
		return 0, 0, ""
	}
	not, next := "", i+1
	if next < len(s.tokens) && s.tok(next).Is("not") {
		not, next = "NOT ", next+1
	}
	if next >= len(s.tokens) || s.tok(next).Is("null", "true", "false", "distinct") {
		return 0, 0, ""
	}
	begin, end = s.operand(i-1), next
	if s.tok(end).Text == "-" {
		end++
	}
	for end+2 < len(s.tokens) && s.tok(end+1).Text == "." {
		end += 2
	}
	if begin < 1 || end >= len(s.tokens) || !s.column(begin, i-1) || !s.alone(begin-1, end+1) {
		return 0, 0, ""
	}
	right := s.values(next, end+1)
	if len(right) != 1 {
		return 0, 0, ""
	}
	a, b := s.text(begin, i-1), right[0]
	return begin, end, "(" + not + "COALESCE(" + a + " = " + b + ", " + a + " IS NULL AND " + b + " IS NULL))"
}

package dbms

import (
	"fmt"
	"slices"
	"strings"

	"txweave/sqltext"
)

// unwindowed is a statement in which window functions are scalar subqueries, each over the rows of its query once more: for every row those are picked that are in its
// partition and its frame, by comparisons, and what the function gives is an aggregate of these. So the engine neither sorts nor keeps a frame, nor takes away from a sum what has
// left it. Keys and arguments are plain columns; as PARTITION BY and ORDER BY convert no value, columns are compared behind a +, which takes their affinity from them, and
// NULL is the least, by sqlite.org/lang_select.html#orderby.
func unwindowed(sql string, q sqltext.Quoting) string {
	s := spelled(sql, q)
	var out strings.Builder
	done := 0
	for i := range s.tokens {
		w, ok := s.window(i)
		if !ok {
			continue
		}
		if text := w.subquery(); text != "" && s.at[w.begin] >= done {
			out.WriteString(sql[done:s.at[w.begin]] + text)
			done = s.at[w.end] + len(s.tok(w.end).Text)
		}
	}
	return out.String() + sql[done:]
}

// window is a call of a window function, and what it is made of.
type window struct {
	begin, end       int    // its first and last tokens
	text             string // as it stands
	function         string // in lower case
	argument, second string // "" where there is none
	partition        []string
	order            []string
	descending       []bool
	frame            string // in lower case, with single spaces; "" is the default one
	rows             string // FROM and WHERE of its query
	total            bool   // the order tells all rows apart
}

// window is the one whose OVER stands at i.
func (s *spelling) window(i int) (w window, ok bool) {
	if !s.tok(i).Is("over") || i < 3 || i+1 >= len(s.tokens) || s.tok(i-1).Text != ")" || s.tok(i+1).Text != "(" {
		return w, false
	}
	opening := s.match(i-1, -1)
	w.end = s.match(i+1, 1)
	if opening < 1 || w.end < 0 {
		return w, false
	}
	w.begin, w.function = opening-1, strings.ToLower(s.tok(opening-1).Text)
	w.text = s.text(w.begin, w.end)
	if !s.arguments(&w, opening+1, i-1) || !s.definition(&w, i+2) {
		return w, false
	}
	from, to := s.source(w.begin)
	if from < 0 {
		return w, false
	}
	w.rows = s.text(from, to)
	w.total = s.total(from, to, w.order)
	return w, true
}

// arguments reads those of a call, which end before the parenthesis at end: none, *, a column, or a column and a number.
func (s *spelling) arguments(w *window, from, end int) bool {
	if from == end {
		return true
	}
	if comma := end - 2; comma > from && s.tok(comma).Text == "," {
		w.second = s.tok(end - 1).Text
		end = comma
	}
	w.argument = s.text(from, end-1)
	return w.argument == "*" || s.column(from, end-1)
}

// definition reads what stands in the parentheses behind OVER, from token i on.
func (s *spelling) definition(w *window, i int) bool {
	columns := func(i int) (names []string, descending []bool, next int) {
		for {
			first := i
			for i < w.end && s.tok(i).Text != "," && !s.tok(i).Is("order", "rows", "range", "groups", "asc", "desc") {
				i++
			}
			if !s.column(first, i-1) {
				return nil, nil, -1
			}
			names, descending = append(names, s.text(first, i-1)), append(descending, s.tok(i).Is("desc"))
			if s.tok(i).Is("asc", "desc") {
				i++
			}
			if s.tok(i).Text != "," {
				return names, descending, i
			}
			i++
		}
	}
	if s.tok(i).Is("partition") {
		if w.partition, _, i = columns(i + 2); i < 0 {
			return false
		}
	}
	if s.tok(i).Is("order") {
		if w.order, w.descending, i = columns(i + 2); i < 0 {
			return false
		}
	}
	for ; i < w.end; i++ {
		w.frame = strings.TrimSpace(w.frame + " " + strings.ToLower(s.tok(i).Text))
	}
	return true
}

// source are the first and the last token of FROM and WHERE of the query that prints what stands at i; -1 where there is none, or the query groups its rows.
func (s *spelling) source(i int) (from, to int) {
	begin, depth := i, 0
	for ; begin >= 0; begin-- {
		if depth += s.tok(begin).Nesting(); depth >= 0 && s.tok(begin).Is("select") {
			break
		}
	}
	if begin < 0 {
		return -1, 0
	}
	from, depth = -1, 0
	for k := begin + 1; k < len(s.tokens); k++ {
		t := s.tok(k)
		if depth += t.Nesting(); depth < 0 {
			return from, k - 1
		}
		switch {
		case from < 0 && t.Is("sum", "count", "min", "max", "avg", "total", "group_concat") && s.tok(k+1).Text == "(" && !s.over(k+1):
			return -1, 0 // one row for all
		case depth > 0:
		case from < 0 && k > i && t.Is("from"):
			from = k
		case t.Is("group", "having"), from < 0 && t.Is("from"):
			return -1, 0
		case from >= 0 && (t.Is("window", "order", "limit", "union", "except", "intersect", "returning") || t.Text == ";" || t.Is("on") && s.tok(k+1).Is("conflict")):
			return from, k - 1
		}
	}
	return from, len(s.tokens) - 1
}

// over says whether OVER stands behind the parenthesis at i.
func (s *spelling) over(i int) bool {
	end := s.match(i, 1)
	return end > 0 && end+1 < len(s.tokens) && s.tok(end+1).Is("over")
}

// total says whether an order is one by the keys of all tables of a FROM clause, which are called pkey.
func (s *spelling) total(from, to int, order []string) bool {
	tables, depth := 1, 0
	for k := from + 1; k <= to && (depth > 0 || !s.tok(k).Is("where")); k++ {
		depth += s.tok(k).Nesting()
		if depth == 0 && (s.tok(k).Text == "," || s.tok(k).Is("join")) {
			tables++
		}
		if depth == 1 && s.tok(k).Is("select", "values", "with") {
			return false
		}
	}
	keys := slices.Clone(order)
	slices.Sort(keys)
	return len(slices.Compact(keys)) == tables && !slices.ContainsFunc(keys, func(key string) bool { return key != "pkey" && !strings.HasSuffix(key, ".pkey") })
}

// subquery is what gives the same as the call; "" where none is known, or its value hangs on how rows that its order does not tell apart are put.
func (w *window) subquery() string {
	value := respelledColumn
	switch w.function {
	case "count", "min", "max", "sum":
		rows := w.framed()
		if rows == "" || w.argument == "" || w.second != "" {
			return ""
		}
		if w.argument == "*" {
			value = "*"
		}
		return w.exact(w.query(strings.ToUpper(w.function)+"("+value+")", "("+rows+")"))
	case "first_value", "last_value", "nth_value", "lag", "lead":
		if rows := w.chosen(); rows != "" && w.argument != "" {
			return w.query("MAX("+value+")", "("+rows+")")
		}
		return ""
	}
	if w.argument != "" || w.frame != "" {
		return ""
	}
	count := func(columns, where string) string {
		return w.query("COUNT(*)", "(SELECT "+columns+" FROM "+respelledTable+" WHERE "+where+")")
	}
	rank, all := "(1 + "+count("1", w.before(true, true))+")", count("1", w.alike())
	switch {
	case w.function == "row_number" && w.total, w.function == "rank" && len(w.order) > 0:
		return rank
	case w.function == "dense_rank" && len(w.order) > 0:
		return "(1 + " + count("DISTINCT "+w.keys(), w.before(true, true)) + ")"
	case w.function == "cume_dist" && len(w.order) > 0:
		return "(1.0 * " + count("1", w.before(true, false)) + " / " + all + ")"
	case w.function == "percent_rank" && len(w.order) > 0:
		return "CASE WHEN " + all + " > 1 THEN 1.0 * (" + rank + " - 1) / (" + all + " - 1) ELSE 0.0 END"
	}
	return ""
}

// exact is the text, or the call as it stands where its value hangs on the order of its rows: a sum that adds what is no small whole number, the least or the greatest of values that are
// equal and not the same, as 1 and 1.0 are.
func (w *window) exact(text string) string {
	var open string
	switch w.function {
	case "sum":
		open = w.query("COUNT(*)", fmt.Sprintf("(SELECT 1 FROM %[1]s WHERE %[2]s IS NOT NULL AND (typeof(%[2]s) <> 'integer' OR %[2]s NOT BETWEEN -1000000000000 AND 1000000000000))",
			respelledTable, respelledColumn))
	case "min", "max":
		open = w.query(fmt.Sprintf("COUNT(DISTINCT %[1]s) <> COUNT(DISTINCT typeof(%[1]s) || quote(%[1]s))", respelledColumn), respelledTable)
	default:
		return text
	}
	return "CASE WHEN " + open + " THEN " + w.text + " ELSE " + text + " END"
}

// query is a scalar subquery that reads what is picked of the window's rows.
func (w *window) query(output, picked string) string {
	value := w.argument
	if value == "" || value == "*" {
		value = "1"
	}
	columns := []string{value + " AS " + respelledColumn}
	for i, column := range w.partition {
		columns = append(columns, fmt.Sprintf("%s AS respelled_part%d", column, i))
	}
	for i, column := range w.order {
		columns = append(columns, fmt.Sprintf("%s AS respelled_key%d", column, i))
	}
	return fmt.Sprintf("(WITH %s AS MATERIALIZED (SELECT %s %s) SELECT %s FROM %s)", respelledTable, strings.Join(columns, ", "), w.rows, output, picked)
}

// keys are the columns of the rows by which they are put in order.
func (w *window) keys() string {
	keys := make([]string, len(w.order))
	for i := range keys {
		keys[i] = fmt.Sprintf("respelled_key%d", i)
	}
	return strings.Join(keys, ", ")
}

// alike is the condition that a row is in the partition of the outer query's.
func (w *window) alike() string {
	parts := []string{"1"}
	for i, column := range w.partition {
		parts = append(parts, fmt.Sprintf("+respelled_part%d IS +%s", i, column))
	}
	return strings.Join(parts, " AND ")
}

// before is the condition that a row is in the partition and stands before the outer query's, or behind it; not strictly: or is its peer.
func (w *window) before(before, strictly bool) string {
	condition := "1"
	if strictly {
		condition = "0"
	}
	for i := len(w.order) - 1; i >= 0; i-- {
		less, more := fmt.Sprintf("+respelled_key%d", i), "+"+w.order[i]
		peers := less + " IS " + more
		if before == w.descending[i] {
			less, more = more, less
		}
		condition = fmt.Sprintf("(%[1]s < %[2]s OR %[1]s IS NULL AND %[2]s IS NOT NULL OR %[3]s AND %[4]s)", less, more, peers, condition)
	}
	return w.alike() + " AND " + condition
}

// peers is the condition that a row is in the partition, and at the same place.
func (w *window) peers() string {
	condition := w.alike()
	for i, column := range w.order {
		condition += fmt.Sprintf(" AND +respelled_key%d IS +%s", i, column)
	}
	return condition
}

// sorted is a query of the rows that hold to a condition, in the window's order or against it, without the first few, and of as many at most; -1: all.
func (w *window) sorted(where string, forwards bool, skip, most int) string {
	keys := make([]string, len(w.order))
	for i := range keys {
		keys[i] = fmt.Sprintf("respelled_key%d", i)
		if forwards == w.descending[i] {
			keys[i] += " DESC"
		}
	}
	return fmt.Sprintf("SELECT * FROM (SELECT %s FROM %s WHERE %s ORDER BY %s LIMIT %d OFFSET %d)", respelledColumn, respelledTable, where, strings.Join(keys, ", "), most, skip)
}

// framed is a query of the rows of the frame; "" where it is none of those that are known.
func (w *window) framed() string {
	all := "SELECT " + respelledColumn + " FROM " + respelledTable + " WHERE "
	switch {
	case w.frame == "range between unbounded preceding and unbounded following", w.frame == "" && len(w.order) == 0:
		return all + w.alike()
	case w.frame == "":
		return all + w.before(true, false)
	case !w.total:
		return ""
	}
	first, last, ok := bounds(w.frame)
	if !ok {
		return ""
	}
	var parts []string
	if first < 0 && first <= last {
		skip := max(0, -last-1)
		parts = append(parts, w.sorted(w.before(true, true), false, skip, limit(-first-skip)))
	}
	if first <= 0 && last >= 0 {
		parts = append(parts, all+w.peers())
	}
	if last > 0 && first <= last {
		skip := max(0, first-1)
		parts = append(parts, w.sorted(w.before(false, true), true, skip, limit(last-skip)))
	}
	if len(parts) == 0 {
		return all + "0"
	}
	return strings.Join(parts, " UNION ALL ")
}

// unbounded is how many rows away the end of a partition is, at the least.
const unbounded = 1 << 30

func limit(rows int) int {
	if rows > unbounded/2 {
		return -1
	}
	return rows
}

// bounds are the first and the last row of a frame, counted from the row itself.
func bounds(frame string) (first, last int, ok bool) {
	words := strings.Fields(frame)
	if len(words) < 3 || words[0] != "rows" {
		return 0, 0, false
	}
	if words = words[1:]; words[0] == "between" {
		words = words[1:]
	}
	var ends []int
	for ; len(words) >= 2; words = words[2:] {
		rows := unbounded
		if words[0] == "current" {
			rows = 0
		} else if words[0] != "unbounded" {
			if n, err := fmt.Sscanf(words[0], "%d", &rows); n != 1 || err != nil {
				return 0, 0, false
			}
		}
		if words[1] == "preceding" {
			rows = -rows
		}
		if ends = append(ends, rows); len(words) > 2 {
			if words[2] != "and" {
				return 0, 0, false
			}
			words = words[1:]
		}
	}
	switch {
	case len(words) != 0:
		return 0, 0, false
	case len(ends) == 1:
		return ends[0], 0, true
	}
	return ends[0], ends[1], len(ends) == 2
}

// chosen is a query of the one row whose value FIRST_VALUE and its kind give.
func (w *window) chosen() string {
	if !w.total {
		return ""
	}
	first, last := -unbounded, 0
	switch w.frame {
	case "range between unbounded preceding and unbounded following":
		last = unbounded
	case "":
	default:
		var ok bool
		if first, last, ok = bounds(w.frame); !ok {
			return ""
		}
	}
	switch {
	case w.function == "lag" && w.second == "" && w.frame == "":
		return w.sorted(w.before(true, true), false, 0, 1)
	case w.function == "lead" && w.second == "" && w.frame == "":
		return w.sorted(w.before(false, true), true, 0, 1)
	case w.function == "first_value" && first == -unbounded && last >= 0:
		return w.sorted(w.alike(), true, 0, 1)
	case w.function == "nth_value" && w.second == "2" && first == -unbounded && last == unbounded:
		return w.sorted(w.alike(), true, 1, 1)
	case w.function == "nth_value" && w.second == "2" && first == -unbounded && last == 0:
		return w.sorted(w.before(true, false), true, 1, 1)
	case w.function == "last_value" && first <= 0 && last == unbounded:
		return w.sorted(w.alike(), false, 0, 1)
	case w.function == "last_value" && first <= 0 && last == 0:
		return w.sorted(w.before(true, false), false, 0, 1)
	}
	return ""
}

// filtered is a statement in which a query that prints nothing but one aggregate of a column asks for the rows in which there is a value: MIN(c) FILTER (WHERE c IS NOT NULL). That
// they ignore NULLs is what sqlite.org/lang_aggfunc.html says of them; with a FILTER the engine does not look for the least by an index, or for the first of the sorted values.
func filtered(sql string, q sqltext.Quoting) string {
	s := spelled(sql, q)
	var out strings.Builder
	done := 0
	for i := range s.tokens {
		if !s.tok(i).Is("min", "max", "count", "sum") || i == 0 || !s.tok(i-1).Is("select") || i+3 >= len(s.tokens) || s.tok(i+1).Text != "(" {
			continue
		}
		end := s.match(i+1, 1)
		if end < 0 || end+1 >= len(s.tokens) || !s.column(i+2, end-1) || s.groups(i) {
			continue
		}
		if behind := s.tok(end + 1); behind.Is("as", "from") || behind.Text == ")" {
			at := s.at[end] + 1
			out.WriteString(sql[done:at] + " FILTER (WHERE " + s.text(i+2, end-1) + " IS NOT NULL)")
			done = at
		}
	}
	return out.String() + sql[done:]
}

// groups says whether the query that prints what stands at i has a HAVING, or prints more.
func (s *spelling) groups(i int) bool {
	depth, listed := 0, true
	for k := i; k < len(s.tokens); k++ {
		if depth += s.tok(k).Nesting(); depth < 0 {
			return false
		}
		listed = listed && (depth > 0 || !s.tok(k).Is("from"))
		if depth == 0 && (s.tok(k).Is("having") || listed && s.tok(k).Text == ",") {
			return true
		}
	}
	return false
}

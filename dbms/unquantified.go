package dbms

import (
	"fmt"
	"slices"
	"strings"

	"txweave/sqltext"
)

// longest is how long a statement may become, in bytes: a subquery stands there twice, and those within it four times.
const longest = 20000

// unquantified is a statement in which comparisons with the rows of a subquery are said by EXISTS: a IN (SELECT b FROM t WHERE c), which is a = ANY of
// them, is true where there is a row for which c and a = b are, unknown where there is none and one for which a = b is unknown, else false; and a op ALL is false
// where a op b is false of a row, unknown where it is of none and unknown of one, else true (ISO/IEC 9075-2, quantified comparison predicate). Databases answer them by
// semi-joins, by tables that hold the subquery's rows, by indexes, or by the smallest and the largest of them. Columns are compared so: what type a literal is taken for
// depends on what it stands beside. What is no condition of its own stays, as does a subquery that prints anything but a column, or has more than FROM and WHERE.
func unquantified(sql string, q sqltext.Quoting) string {
	if !respellable(sql, q) {
		return sql
	}
	for limit := len(sql); len(sql) < longest; {
		s := spelled(sql, q)
		c, ok := s.lastQuantified(limit)
		if !ok {
			break
		}
		limit = s.at[c.begin] // what is written there has been looked through
		sql = sql[:limit] + c.text() + sql[c.end:]
	}
	return sql
}

// quantified is a comparison with the rows of a subquery.
type quantified struct {
	begin            int // its first token
	end              int // where what is behind it begins, in bytes
	negated, all     bool
	left, sign, item string
	from, where      string // where is "" if there is none
}

// text is the comparison by EXISTS.
func (c *quantified) text() string {
	compared := "(" + c.left + " " + c.sign + " " + c.item + ")"
	exists := func(condition string) string {
		if c.where != "" {
			condition = "(" + c.where + ") AND " + condition
		}
		return "EXISTS (SELECT 1 " + c.from + " WHERE " + condition + ")"
	}
	not, decided, otherwise := "", "TRUE", "FALSE"
	one := compared
	if c.all {
		one, decided, otherwise = "NOT "+compared, "FALSE", "TRUE"
	}
	if c.negated {
		not = "NOT "
	}
	return fmt.Sprintf("(%sCASE WHEN %s THEN %s WHEN %s THEN NULL ELSE %s END)", not, exists(one), decided, exists(compared+" IS NULL"), otherwise)
}

// lastQuantified is the last such comparison whose subquery begins before a place: one within another one comes first.
func (s *spelling) lastQuantified(limit int) (c quantified, ok bool) {
	for i := len(s.tokens) - 1; i >= 0 && !ok; i-- {
		if s.at[i] < limit {
			c, ok = s.quantifiedAt(i)
		}
	}
	return c, ok
}

// quantifiedAt reads the comparison whose subquery begins behind token i: IN, ANY, SOME or ALL.
func (s *spelling) quantifiedAt(i int) (c quantified, ok bool) {
	if !s.tok(i).Is("in", "any", "some", "all") || s.tok(i+1).Text != "(" || !s.tok(i+2).Is("select") {
		return c, false
	}
	last, left := s.match(i+1, 1), i-1
	if c.sign, c.all = "=", s.tok(i).Is("all"); s.tok(i).Is("in") {
		if c.negated = s.tok(left).Is("not"); c.negated {
			left--
		}
	} else {
		for c.sign = ""; left >= 0 && s.tok(left).Kind == sqltext.Symbol && strings.Contains("<>=!", s.tok(left).Text); left-- {
			c.sign = s.tok(left).Text + c.sign
		}
	}
	c.begin = s.operand(left)
	if last < 0 || c.begin < 1 || !slices.Contains([]string{"=", "<>", "!=", "<", "<=", ">", ">="}, c.sign) || !s.alone(c.begin-1, last+1) || !s.qualified(c.begin, left) {
		return c, false
	}
	c.left, c.end = s.text(c.begin, left), s.at[last]+1
	return c, s.rowsOf(&c, i+2, last, s.tok(c.begin))
}

// rowsOf takes what a subquery prints, from what, and under which condition.
func (s *spelling) rowsOf(c *quantified, begin, end int, left sqltext.Token) bool {
	item := begin + 1
	if s.tok(item).Is("distinct", "all") {
		item++
	}
	from, where, depth := -1, end, 0
	for k := item; k < end; k++ {
		t := s.tok(k)
		if depth += t.Nesting(); depth > 0 {
			continue
		}
		switch {
		case t.Is(clauses...):
			return false
		case t.Is("from") && from < 0:
			from = k
		case t.Is("where") && where == end:
			where = k
		}
	}
	last := from - 1
	if from > item+1 && s.tok(last-1).Is("as") {
		last -= 2
	}
	if from < 0 || !s.qualified(item, last) || s.gives(left, from, where) {
		return false
	}
	c.item, c.from = s.text(item, last), s.text(from, where-1)
	if where < end {
		c.where = s.text(where+1, end-1)
	}
	return true
}

// qualified says whether what stands from one token to another is the name of a column with that of its table.
func (s *spelling) qualified(from, to int) bool { return to == from+2 && s.column(from, to) }

// gives says whether FROM, between two tokens, gives the name by which the other operand knows its table to one of its own.
func (s *spelling) gives(table sqltext.Token, from, to int) bool {
	name, _ := table.Ident()
	for k := from; k < to; k++ {
		if own, ok := s.tok(k).Ident(); ok && own == name && s.tok(k+1).Text != "." && !s.tok(k+1).Is("as") {
			return true
		}
	}
	return false
}

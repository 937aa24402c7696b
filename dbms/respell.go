package dbms

import (
	"slices"
	"strings"

	"txweave/sqltext"
)

// spelling is a statement's text and its tokens but blanks and comments, with where they stand.
type spelling struct {
	sql    string
	tokens []sqltext.Token
	at     []int
}

// respelled is a statement in which lists of literals behind IN are comparisons: a IN (1, 2) is ((a >= 1 AND a <= 1) OR (a >= 2 AND a <= 2)),
// which is the same by sqlite.org/lang_expr.html, "The IN and NOT IN operators", and no list to the planner, as a = 1 OR a = 2 is.
// What stands otherwise than as a condition of its own stays as it is. IN (SELECT …) is said by EXISTS, a scalar subquery with a LIMIT is a query of the rows of
// one, a set operation is a query of its operands, a window function is a scalar subquery, the aggregate of a column is that of its values, a derived table is worked out by itself, and the
// first join of a FROM clause is a LEFT JOIN where it was a RIGHT one, and the other way round.
func respelled(sql string, q sqltext.Quoting) string {
	sql = compared(reworded(sql, q), q)
	sql = apart(within(turned(unwindowed(filtered(fenced(sql, q), q), q), q), q), q)
	s := spelled(sql, q)
	var out strings.Builder
	done := 0
	for i := range s.tokens {
		begin, end, text := s.list(i)
		if end == 0 {
			begin, end, text = s.chosen(i)
		}
		if end > 0 && s.at[begin] >= done {
			out.WriteString(sql[done:s.at[begin]] + text)
			done = s.at[end] + len(s.tok(end).Text)
		}
	}
	return out.String() + sql[done:]
}

// list is what a list behind an IN at i says, and its first and last tokens; end is 0 where there is none that can be respelled.
func (s *spelling) list(i int) (begin, end int, text string) {
	if !s.tok(i).Is("in") || i == 0 || i+1 == len(s.tokens) || s.tok(i+1).Text != "(" {
		return 0, 0, ""
	}
	end = s.match(i+1, 1)
	left, opening, closing := i-1, "(", ")"
	if s.tok(left).Is("not") {
		left, opening, closing = left-1, "(NOT (", "))"
	}
	begin = s.operand(left)
	if end < 0 || begin < 1 || !s.alone(begin-1, end+1) {
		return 0, 0, ""
	}
	operand := s.text(begin, left)
	var parts []string
	for _, member := range s.members(i+2, end) {
		if member == "" {
			return 0, 0, ""
		}
		parts = append(parts, "("+operand+" >= "+member+" AND "+operand+" <= "+member+")")
	}
	return begin, end, opening + strings.Join(parts, " OR ") + closing
}

// tok is token i; one that is nothing before the first and behind the last.
func (s *spelling) tok(i int) sqltext.Token {
	if i < 0 || i >= len(s.tokens) {
		return sqltext.Token{}
	}
	return s.tokens[i]
}

// text is what stands from one token to another; "" where that is nothing.
func (s *spelling) text(from, to int) string {
	if from < 0 || from > to || to >= len(s.tokens) {
		return ""
	}
	return s.sql[s.at[from] : s.at[to]+len(s.tokens[to].Text)]
}

// match is the parenthesis that belongs to the one at i, forwards or backwards; -1 if there is none.
func (s *spelling) match(i, step int) int {
	depth := 0
	for ; i >= 0 && i < len(s.tokens); i += step {
		if depth += s.tok(i).Nesting(); depth == 0 {
			return i
		}
	}
	return -1
}

// operand is the first token of the column, the literal, the call or the expression in parentheses that ends at i; -1 if it is none.
func (s *spelling) operand(i int) int {
	if i < 0 {
		return -1
	}
	switch t := s.tok(i); {
	case t.Text == ")":
		open := s.match(i, -1)
		if open < 0 || slices.ContainsFunc(s.tokens[open:i], func(t sqltext.Token) bool { return t.Is("select") || t.Text == "," && !s.calls(open) }) {
			return -1
		}
		if s.calls(open) {
			return open - 1
		}
		return open
	case t.Kind == sqltext.Symbol || t.Is("end"):
		return -1
	}
	for i > 1 && s.tok(i-1).Text == "." {
		i -= 2
	}
	return i
}

// before and behind are the words between which a condition stands by itself.
var (
	before = []string{"and", "or", "not", "where", "on", "when", "then", "else", "select", "distinct", "having"}
	behind = append(slices.Clone(behindCondition), "and", "or", "then", "else", "end", "as", "from", "left", "right")
)

// calls says whether a parenthesis is that of a function's arguments.
func (s *spelling) calls(open int) bool {
	return open > 0 && s.tok(open-1).Kind == sqltext.Word && !s.tok(open-1).Is(append(before, "in", "between", "like", "is", "over", "exists", "values", "case", "by", "all")...)
}

// alone says whether what stands between two tokens is an operand of nothing but AND, OR and NOT.
func (s *spelling) alone(left, right int) bool {
	if right < len(s.tokens) && s.tok(right).Text != ")" && s.tok(right).Text != "," && !s.tok(right).Is(behind...) {
		return false
	}
	t := s.tok(left)
	if t.Text == "(" || t.Text == "," {
		return true
	}
	if t.Is("and") { // that of a BETWEEN takes what is behind it for its own
		depth := 0
		for i := left - 1; i >= 0 && depth <= 0; i-- {
			depth += s.tok(i).Nesting()
			if depth == 0 && s.tok(i).Is("between") {
				return false
			}
			if depth == 0 && s.tok(i).Is("and", "or", "where", "on", "having") {
				break
			}
		}
	}
	return t.Is(before...)
}

// members are the members of a list, "" in the place of each that is no literal.
func (s *spelling) members(from, to int) []string {
	var out []string
	for first, i := from, from; i <= to; i++ {
		if i < to && s.tok(i).Text != "," {
			continue
		}
		member := ""
		if first < i && !slices.ContainsFunc(s.tokens[first:i], func(t sqltext.Token) bool {
			number := t.Kind == sqltext.Word && t.Text[0] >= '0' && t.Text[0] <= '9'
			return !number && t.Kind != sqltext.Literal && !t.Is("null") && t.Text != "." && t.Text != "-" && t.Text != "+"
		}) {
			member = s.text(first, i-1)
		}
		out, first = append(out, member), i+1
	}
	return out
}

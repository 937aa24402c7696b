package reduce

import (
	"slices"
	"strings"

	"txweave/sql/sqltext"
	"txweave/testcase"
)

// dropTokens makes a statement smaller that the parser does not read, or not in the form in which it prints: what lies
// in parentheses goes as a whole, then tokens inside them, then the parentheses themselves. A statement that can be
// read stays one and gains no risk; what a write says of pkey, vkey and pvkey stays.
func (s *Search) dropTokens(at func(*testcase.Case) *string) error {
	for g := 0; ; g++ {
		units := unitsOf(*at(s.Case()))
		groups := groupsOf(units)
		if g >= len(groups) {
			break
		}
		parts := partsOf(units, groups[g])
		if len(parts) < 2 {
			continue
		}
		accept := s.tokenGuard(at)
		err := s.Minimize(len(parts), func(keep []int) *testcase.Case {
			var text []string
			for _, i := range keep {
				text = append(text, units[parts[i].from:parts[i].to]...)
			}
			return accept(slices.Concat(units[:groups[g].from], text, units[groups[g].to:]))
		})
		if err != nil {
			return err
		}
	}
	return s.Sweep(func(*testcase.Case) []*testcase.Case {
		var out []*testcase.Case
		units := unitsOf(*at(s.Case()))
		accept := s.tokenGuard(at)
		for _, g := range groupsOf(units)[1:] {
			out = append(out, accept(slices.Concat(units[:g.from-1], units[g.from:g.to], units[g.to+1:])))
		}
		return out
	})
}

// tokenGuard returns what makes a case of a statement's tokens, nil where they do not make a statement to be tried.
func (s *Search) tokenGuard(at func(*testcase.Case) *string) func(units []string) *testcase.Case {
	c := s.Case()
	sql := *at(c)
	schema := s.schema()
	before, readable := s.rewriter.Risks(sql, schema)
	return func(units []string) *testcase.Case {
		text := joinUnits(units)
		if countBookkeeping(text) != countBookkeeping(sql) {
			return nil
		}
		if readable {
			if after, ok := s.rewriter.Risks(text, schema); !ok || after&^before != 0 {
				return nil
			}
		}
		d := c.Clone()
		*at(d) = text
		return d
	}
}

// span is a range of a list.
type span struct{ from, to int }

// groupsOf returns the whole statement, then what lies between each pair of parentheses, outer ones first.
func groupsOf(units []string) []span {
	out := []span{{0, len(units)}}
	var open []int // places in out
	for i, u := range units {
		switch strings.TrimSpace(u) {
		case "(":
			open = append(open, len(out))
			out = append(out, span{i + 1, i + 1})
		case ")":
			if len(open) > 0 {
				out[open[len(open)-1]].to = i
				open = open[:len(open)-1]
			}
		}
	}
	return slices.DeleteFunc(out, func(g span) bool { return g.to == g.from && g.from > 0 })
}

// partsOf cuts a group into tokens and, as one part each, the parentheses in it with what they hold.
func partsOf(units []string, g span) []span {
	var out []span
	depth := 0
	for i := g.from; i < g.to; i++ {
		if depth == 0 {
			out = append(out, span{i, i})
		}
		switch strings.TrimSpace(units[i]) {
		case "(":
			depth++
		case ")":
			depth--
		}
		out[len(out)-1].to = i + 1
	}
	return out
}

// unitsOf cuts a statement into tokens, each with the white space after it.
func unitsOf(sql string) []string {
	var out []string
	for t := range sqltext.Tokens(sql) {
		if t.Kind == sqltext.Blank && len(out) > 0 {
			out[len(out)-1] += t.Text
			continue
		}
		out = append(out, t.Text)
	}
	return out
}

// joinUnits writes units again, with a space where two words would become one.
func joinUnits(units []string) string {
	var b strings.Builder
	word := func(u string, first bool) bool {
		i := 0
		if !first {
			i = len(u) - 1
		}
		return u != "" && (u[i] == '_' || u[i] >= 0x80 || u[i] >= '0' && u[i] <= '9' || u[i]|0x20 >= 'a' && u[i]|0x20 <= 'z')
	}
	for i, u := range units {
		if i > 0 && word(units[i-1], false) && word(u, true) {
			b.WriteByte(' ')
		}
		b.WriteString(u)
	}
	return strings.TrimSpace(b.String())
}

// countBookkeeping counts where a write names a bookkeeping column; a statement that only reads may lose them.
func countBookkeeping(sql string) int {
	first := sqltext.Significant(sql, 1)
	if len(first) == 0 || !first[0].Is("insert", "replace", "update") {
		return 0
	}
	n := 0
	for t := range sqltext.Tokens(sql) {
		if name, ok := t.Ident(); ok && (name == sqltext.PKey || name == sqltext.VKey || name == sqltext.PVKey) {
			n++
		}
	}
	return n
}

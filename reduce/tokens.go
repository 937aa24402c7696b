package reduce

import (
	"strings"

	"txweave/instrument"
	"txweave/testcase"
)

// dropTokens makes a statement smaller that the parser does not read, or not in the form in which it prints: groups
// in parentheses and runs of tokens go as long as the predicate holds. A statement that can be read stays one, and
// gains no risk; what an INSERT says of pkey, vkey and pvkey stays.
func (s *Search) dropTokens(at func(*testcase.Case) *string) error {
	c := s.Case()
	sql := *at(c)
	units := unitsOf(sql)
	if len(units) < 2 {
		return nil
	}
	schema := readSchema(c.Schema)
	root, readable := s.grammar.read(sql)
	var before risk
	if readable {
		before = risksOf(root, schema)
	}
	return s.Minimize(len(units), func(keep []int) *testcase.Case {
		var b strings.Builder
		for _, i := range keep {
			b.WriteString(units[i])
		}
		text := strings.TrimSpace(b.String())
		if countBookkeeping(text) != countBookkeeping(sql) {
			return nil
		}
		if readable {
			again, ok := s.grammar.read(text)
			if !ok || risksOf(again, schema)&^before != 0 {
				return nil
			}
		}
		d := c.Clone()
		*at(d) = text
		return d
	})
}

// unitsOf cuts a statement into tokens, each with the white space after it.
func unitsOf(sql string) []string {
	var out []string
	for t := range testcase.Tokens(sql) {
		if t.Kind == testcase.Space && len(out) > 0 {
			out[len(out)-1] += t.Text
			continue
		}
		out = append(out, t.Text)
	}
	return out
}

// countBookkeeping counts where a write names a bookkeeping column; a statement that only reads may lose them.
func countBookkeeping(sql string) int {
	first := significant(sql, 1)
	if len(first) == 0 || !isWord(first[0], "insert", "replace", "update") {
		return 0
	}
	n := 0
	for t := range testcase.Tokens(sql) {
		if name, ok := tokenName(t); ok && (name == instrument.PKey || name == instrument.VKey || name == instrument.PVKey) {
			n++
		}
	}
	return n
}

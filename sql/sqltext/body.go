package sqltext

import "strings"

// Body finds the end of a statement that may hold others, of a trigger or a routine: a semicolon between BEGIN and END
// is theirs, and one in the parentheses of a rule. Its zero value is before the first token.
type Body struct {
	seen  int // words so far
	holds bool
	rule  bool
	depth int
	last  string // word before, in capitals
}

// Take goes on by a token: it counts what opens and ends a block.
func (b *Body) Take(t Token) {
	if t.Kind != Word {
		if t.Kind == Symbol {
			if b.rule {
				b.depth += t.Nesting()
			}
			if b.holds && b.last == "REPEAT" && t.Text == "(" { // the function, no block
				b.depth--
			}
			b.last = t.Text
		}
		return
	}
	w := strings.ToUpper(t.Text)
	b.seen++
	switch {
	case b.seen == 1 && w != "CREATE":
		b.seen = 100
	case b.seen < 12 && (w == "PROCEDURE" || w == "FUNCTION" || w == "TRIGGER" || w == "EVENT"):
		b.holds = true
	case b.seen < 5 && w == "RULE" && (b.last == "CREATE" || b.last == "REPLACE"):
		b.holds, b.rule = true, true
	case b.rule:
	case b.holds && b.last == "END" && (w == "IF" || w == "CASE" || w == "LOOP" || w == "WHILE" || w == "REPEAT"):
		w = "END " + w
	case b.holds && (w == "BEGIN" || w == "CASE" || w == "LOOP" || w == "WHILE" || w == "REPEAT"):
		b.depth++
	case b.holds && w == "IF" && b.depth > 0 && (b.last == ";" || b.last == "BEGIN" || b.last == "THEN" ||
		b.last == "ELSE" || b.last == "DO"):
		b.depth++
	case b.holds && w == "END":
		b.depth--
	}
	b.last = w
}

// Holds says whether the statement is one that may hold others.
func (b *Body) Holds() bool { return b.holds }

// Ends says whether a semicolon that comes now ends the statement.
func (b *Body) Ends() bool {
	b.last = ";"
	return !b.holds || b.depth <= 0
}

package sqltext

import "fmt"

// Bounds of a statement that comes from outside. The largest ones that are generated have some hundred tokens, and
// databases give up on their own far below such depths, at 1,000 to 3,000 signs.
const (
	MaxLength = 1 << 20 // bytes
	MaxTokens = 100_000 // of all that is no white space
	// MaxDepth is of tokens behind the last comma or semicolon, those of enclosing parentheses too: no tree is deeper that
	// a grammar makes of it, whatever nests there.
	MaxDepth = 10_000
)

// Bound says why a statement is too large to be read: how much time, memory and stack that takes goes by its length and
// by how deep it nests.
func (q Quoting) Bound(sql string) error {
	if len(sql) > MaxLength {
		return fmt.Errorf("it has %d bytes: a statement may have %d", len(sql), MaxLength)
	}
	if len(sql) <= MaxDepth { // which no token is shorter than
		return nil
	}
	return (&bounding{}).read(q, sql)
}

// bounding counts the tokens of one statement.
type bounding struct {
	tokens, depth int
	runs          []int // in front of each parenthesis that is open: tokens behind the last comma there
	run           int
}

func (b *bounding) read(q Quoting, sql string) error {
	for t := range q.Tokens(sql) {
		if t.Kind == Blank {
			continue
		}
		if t.Kind == Executable {
			if err := b.read(q, t.Inner()); err != nil {
				return err
			}
			continue
		}
		b.take(t)
		switch {
		case b.tokens > MaxTokens:
			return fmt.Errorf("it has more than %d words and signs: no statement may", MaxTokens)
		case b.depth > MaxDepth:
			return fmt.Errorf("it nests too deeply, or has more than %d words and signs without a comma: no statement may",
				MaxDepth)
		}
	}
	return nil
}

func (b *bounding) take(t Token) {
	b.tokens++
	switch {
	case t.Nesting() > 0:
		b.runs = append(b.runs, b.run)
		b.run, b.depth = 0, b.depth+1
	case t.Nesting() < 0 && len(b.runs) > 0:
		last := len(b.runs) - 1
		b.depth -= b.run
		b.run, b.runs = b.runs[last]+1, b.runs[:last]
	case t.Kind == Symbol && (t.Text == "," || t.Text == ";"):
		b.depth -= b.run
		b.run = 0
	case t.Kind != Comment:
		b.run++
		b.depth++
	}
}

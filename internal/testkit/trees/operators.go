package trees

import (
	"strings"

	"pgregory.net/rapid"

	"txweave/sql"
)

// Operators draws an expression of the columns a, b, c and d, and of a language's operators.
func Operators(t *rapid.T, language Language) sql.Expr {
	return (&builder{T: t, language: language, budget: 7}).operators()
}

func (b *builder) operators() sql.Expr {
	if b.budget--; b.budget < 0 || b.n(6) == 0 {
		return &sql.Column{Name: &sql.Name{Value: pick(b, "a", "b", "c", "d")}}
	}
	x := b.operators
	ops, truths, patterns, collations := binaries, []string{"NULL", "TRUE", "FALSE"}, []sql.Op{sql.OpLike, sql.OpGlob},
		[]string{"NOCASE", "RTRIM"}
	if b.my() {
		ops, truths, patterns, collations = myBinaries, append(truths, "UNKNOWN"), []sql.Op{sql.OpLike, sql.OpRegexp},
			[]string{"utf8mb4_bin", "utf8mb4_general_ci"}
	}
	if b.pg() {
		ops, patterns, collations = pgBinaries, pgPatterns[:2], []string{"C", "POSIX"}
	}
	switch b.n(10) {
	case 0:
		return &sql.Unary{Op: pick(b, sql.OpNot, sql.OpSub, sql.OpAdd, sql.OpBitNot), X: x()}
	case 1:
		return &sql.Is{X: x(), Not: b.maybe(), What: pick(b, truths...)}
	case 2:
		return &sql.In{X: x(), Not: b.maybe(), List: []sql.Expr{x(), x()}}
	case 3:
		return &sql.Between{X: x(), Not: b.maybe(), Low: x(), High: x()}
	case 4:
		return &sql.Like{X: x(), Not: b.maybe(), Op: pick(b, patterns...), Pattern: x()}
	case 5:
		return &sql.Like{X: x(), Not: b.maybe(), Op: sql.OpLike, Pattern: x(), Escape: &sql.Literal{Kind: sql.Text,
			Text: "'!'"}}
	case 6:
		n := &sql.Collate{X: x(), Collation: &sql.Name{Value: pick(b, collations...)}}
		if b.pg() {
			n.Collation.Quote = '"'
		}
		return n
	default:
		return &sql.Binary{Op: pick(b, ops...), Left: x(), Right: x()}
	}
}

// Enclosed is a tree with parentheses around each expression that has operators.
func Enclosed[N sql.Node](n N) N {
	return sql.Rewrite(n, func(n sql.Node) sql.Node {
		switch x := n.(type) {
		case *sql.Column, *sql.Paren, *sql.Literal:
			return n
		case sql.Expr:
			return &sql.Paren{X: x}
		}
		return n
	})
}

// Neighbours are what stands before, behind and between operands.
type Neighbours struct{ Before, Behind, Between []string }

// InARow draws an expression as words that stand behind each other, most of which are an expression.
func (w Neighbours) InARow(t *rapid.T) string {
	b := &builder{T: t}
	var words []string
	for i := range 1 + b.n(6) {
		if i > 0 {
			words = append(words, pick(b, w.Between...))
		}
		for b.maybe() {
			words = append(words, pick(b, w.Before...))
		}
		words = append(words, pick(b, "a", "b", "c", "d"))
		for b.maybe() {
			words = append(words, pick(b, w.Behind...))
		}
	}
	return strings.Join(words, " ")
}

package sql

import (
	"slices"
	"strings"
)

// Expr reads an expression.
func (r *Reader) Expr() Expr { return r.within(false) }

// Narrow reads an expression without operators that are Wide.
func (r *Reader) Narrow() Expr { return r.within(true) }

func (r *Reader) within(narrow bool) Expr {
	outer := r.narrow
	r.narrow = narrow
	x := r.exprFrom(0)
	r.narrow = outer
	return x
}

// exprFrom reads an expression whose operators outside parentheses have at least a level (Pratt, Top down operator
// precedence, POPL 1973).
func (r *Reader) exprFrom(level int) Expr {
	from := r.pos
	x, have := r.operand(level)
	for {
		o, not, words := r.infix()
		if o == nil || o.Level < level && (!not || o.Negated < level) {
			return x
		}
		if have < o.Left {
			if r.d.Grammar.Loose { // no operator further out takes it either
				r.Fail("what is left of %s needs parentheses", strings.ToUpper(r.tok().Text))
			}
			return x
		}
		r.pos += words
		x = r.behind(from, x, o, not)
		have = o.Level
		if is, ok := x.(*Is); ok && is.What != "NULL" && r.d.Grammar.Truths {
			have = r.d.Grammar.Truth
		}
		if r.d.Grammar.Loose && ended(x) {
			have = tightest
		}
	}
}

// infix returns the operator that is next, whether a NOT stands before it, and how many words both are; nil where none
// is.
func (r *Reader) infix() (o *Operator, not bool, words int) {
	not = r.tok().Key == "NOT"
	if o, words = r.infixAt(0); not && o == nil {
		o, words = r.infixAt(1)
		words++
		if o == nil || o.Form != InForm && o.Form != LikeForm && o.Form != BetweenForm {
			return nil, false, 0
		}
	}
	if o == nil || r.narrow && o.Wide {
		return nil, false, 0
	}
	return o, not, words
}

// infixAt returns the operator that begins n places behind the next token, and how many words it has; nil where none
// does.
func (r *Reader) infixAt(n int) (*Operator, int) {
	t := r.peek(n)
	if p, ok := r.d.pairs[t.Key]; ok {
		more := 0
		for more < len(p.more) && r.peek(n+1+more).is(p.more[more]) {
			more++
		}
		if more == len(p.more) {
			return p.operator, 1 + more
		}
	}
	if o := r.d.infixes[t.Key]; o != nil { // there is none without a name
		return o, 1
	}
	if t.Kind == Sign {
		return r.d.other(t.Key), 1
	}
	return nil, 0
}

// behind reads what stands behind an operator whose first operand is x.
func (r *Reader) behind(from int, x Expr, o *Operator, not bool) Expr {
	switch o.Form {
	case TwoOperands:
		if n := r.quantified(x, o.Op, false); n != nil {
			return Read(r, from, n)
		}
		return Read(r, from, &Binary{Op: o.Op, Left: x, Right: r.exprFrom(o.Right)})
	case MemberForm:
		r.Expect("(")
		n := &Binary{Op: o.Op, Left: x, Right: r.Expr()}
		r.Expect(")")
		return Read(r, from, n)
	case IsForm:
		return r.is(from, x, o)
	case IsNullForm, NotNullForm:
		return Read(r, from, &Is{X: x, Not: o.Form == NotNullForm, What: "NULL"})
	case InForm:
		return r.in(from, x, not)
	case LikeForm:
		if n := r.quantified(x, o.Op, not); n != nil {
			return Read(r, from, n)
		}
		n := &Like{X: x, Not: not, Op: o.Op, Pattern: r.exprFrom(o.Right)}
		if (o.Op == OpLike || r.d.Grammar.AnyEscape) && r.Accept("ESCAPE") {
			n.Escape = r.exprFrom(o.Right)
		}
		return Read(r, from, n)
	case BetweenForm:
		n := &Between{X: x, Not: not}
		if r.tok().Key == "SYMMETRIC" {
			r.pos++
			n.Symmetric = true
		} else if r.tok().Key == "ASYMMETRIC" {
			r.pos++
		}
		if o.Wide {
			n.Low = r.Narrow()
		} else {
			n.Low = r.exprFrom(o.Low)
		}
		r.Expect("AND")
		n.High = r.exprFrom(o.Right)
		return Read(r, from, n)
	case CastForm:
		n := &Cast{X: x, Colons: true}
		if n.Type = r.Type(); n.Type == nil {
			r.unexpected("a type")
		}
		return Read(r, from, n)
	case SubscriptForm, FieldForm:
		return r.part(from, x, o)
	default: // CollateForm
		return Read(r, from, &Collate{X: x, Collation: r.Label()})
	}
}

// comparisons are the operators that may compare with what a query returns.
var comparisons = []Op{OpEq, OpNe, OpLt, OpLe, OpGt, OpGe, OpSame}

// quantified reads ANY, SOME or ALL with a query behind it, or an array; nil where they are not there.
func (r *Reader) quantified(x Expr, op Op, not bool) Expr {
	if !r.d.Grammar.Quantifiers || r.narrow || !r.Any("ANY", "SOME", "ALL") {
		return nil
	}
	query := r.queryNext(1) || r.nestedQuery(1)
	if !r.d.Grammar.Arrays && (!query || !slices.Contains(comparisons, op)) {
		return nil
	}
	n := &Quantified{X: x, Not: not, Op: op, How: r.OneOf("ANY", "SOME", "ALL")}
	if query {
		n.Query = r.parenQuery()
	} else {
		n.Array = r.InParentheses()
	}
	return n
}

// is reads what stands behind IS.
func (r *Reader) is(from int, x Expr, o *Operator) Expr {
	op, not := OpSame, r.Accept("NOT")
	if r.d.Grammar.Truths && (r.d.spelled[OpDistinct] == nil || !r.Is("DISTINCT", "FROM")) {
		if r.narrow {
			r.unexpected("DISTINCT FROM")
		}
		what := r.OneOf("NULL", "TRUE", "FALSE", "UNKNOWN")
		if what == "" {
			r.unexpected("NULL, TRUE, FALSE or UNKNOWN")
		}
		return Read(r, from, &Is{X: x, Not: not, What: what})
	}
	distinct := r.Accept("DISTINCT", "FROM")
	if not != distinct {
		op = OpDistinct
	}
	right := r.exprFrom(o.Right)
	if !distinct && !r.d.Grammar.Truths && truth(right) {
		return Read(r, from, &Is{X: x, Not: not, What: strings.ToUpper(right.(*Literal).Text)})
	}
	return Read(r, from, &Binary{Op: op, Left: x, Right: right})
}

// truth says whether an expression is NULL, TRUE or FALSE.
func truth(x Expr) bool {
	lit, ok := x.(*Literal)
	return ok && (lit.Kind == Null || lit.Kind == Bool)
}

// in reads what stands behind IN.
func (r *Reader) in(from int, x Expr, not bool) Expr {
	n := &In{X: x, Not: not}
	switch {
	case !r.Is("(") && r.d.Grammar.InTables:
		n.Table = r.named(false)
	case r.queryNext(0), r.nestedQuery(0):
		n.Query = r.parenQuery()
	default:
		if r.Expect("("); !r.Is(")") || !r.d.Grammar.InTables {
			n.List = List(r, r.Expr)
		}
		r.Expect(")")
	}
	return Read(r, from, n)
}

// QueryNext says whether a query in parentheses is next, one pair of them or several.
func (r *Reader) QueryNext() bool { return r.queryNext(0) || r.nestedQuery(0) }

// queryNext says whether the token n places behind the next one is a parenthesis around a query: not one around an
// expression that begins with a query in parentheses, or around such parentheses alone.
func (r *Reader) queryNext(n int) bool { return r.queryAt(min(r.pos+n, len(r.tokens)-1)) }

func (r *Reader) queryAt(at int) bool {
	if r.tokens[at].Key != "(" {
		return false
	}
	inner := at + 1
	for r.d.Grammar.Nested && r.tokens[inner].Key == "(" {
		inner++
	}
	if !r.begins(inner) {
		return false
	}
	behind := ""
	for last := inner - 1; last > at; last-- { // from the parenthesis around SELECT
		if r.tokens[last].Closed == 0 {
			return false
		}
		if behind = r.tokens[r.tokens[last].Closed+1].Key; behind != ")" && !slices.Contains(behindOperand, behind) {
			return false
		}
	}
	return behind != ")"
}

// behindOperand are the words that may stand behind a query in parentheses that is part of another one.
var behindOperand = []string{"UNION", "INTERSECT", "EXCEPT", "ORDER", "LIMIT", "OFFSET", "FETCH", "FOR", "LOCK"}

// begins says whether a query begins with a token.
func (r *Reader) begins(at int) bool {
	t := &r.tokens[at]
	if t.is("VALUES") && r.d.Grammar.RowWords && at+3 < len(r.tokens) { // VALUES(name) is a function
		return r.tokens[at+3].Key != ")" || r.tokens[at+2].Kind != Word && r.tokens[at+2].Kind != QuotedName
	}
	return t.is("SELECT") || t.is("VALUES") || t.is("WITH") || t.is("TABLE") && r.d.Grammar.Nested
}

// nestedQuery says whether the parenthesis n places behind the next token is one of several around a query alone.
func (r *Reader) nestedQuery(n int) bool {
	first := min(r.pos+n, len(r.tokens)-1)
	at := first
	for r.d.Grammar.Nested && r.tokens[at].Key == "(" && r.tokens[at+1].Key == "(" &&
		r.tokens[r.tokens[at+1].Closed+1].Key == ")" {
		at++
	}
	return at > first && r.queryAt(at)
}

// parenQuery reads a query in parentheses.
func (r *Reader) parenQuery() *Query {
	r.Expect("(")
	q := r.Query()
	r.Expect(")")
	return q
}

// Value reads a value without parentheses: a literal or a name, with a sign where it has one, and no operators.
func (r *Reader) Value() Expr {
	if o := r.d.prefixes[r.tok().Key]; o != nil && o.Op == OpNot {
		r.unexpected("a value")
		return nil
	}
	x, _ := r.operand(0)
	return x
}

// Operand reads an expression whose operators outside parentheses have at least a level.
func (r *Reader) Operand(level int) Expr { return r.exprFrom(level) }

// WordNext says whether a word or a quoted name is next.
func (r *Reader) WordNext() bool { return r.tok().Kind == Word || r.tok().Kind == QuotedName }

// AcceptVariable passes a variable if one is next.
func (r *Reader) AcceptVariable() {
	if r.tok().Kind == VariableToken {
		r.pos++
	}
}

// TextFrom is the text from a place to the next token.
func (r *Reader) TextFrom(place int) string {
	if r.pos <= place {
		return ""
	}
	last := &r.tokens[r.pos-1]
	return r.text[r.tokens[place].At : last.At+len(last.Text)]
}

// Alone says whether the statement, or what commas divide, ends behind the next token.
func (r *Reader) Alone() bool {
	t := r.peek(1)
	return t.Kind == End || t.is(",") || t.is(";")
}

// NameBefore says whether one of the words is next, with a word or a text behind it.
func (r *Reader) NameBefore(words ...string) bool {
	k := r.peek(1).Kind
	return r.Any(words...) && (k == Word || k == TextToken || k == QuotedName)
}

// Settable reads what SET sets: a variable, a column, or a setting by its name.
func (r *Reader) Settable() Expr {
	if r.tok().Kind == VariableToken {
		return r.simple()
	}
	from := r.pos
	return Read(r, from, r.qualified(&Column{Name: r.Name()}))
}

// WordName reads a word, whichever it is, as a name.
func (r *Reader) WordName() *Name {
	if k := r.tok().Kind; k != Word && k != QuotedName && k != TextToken {
		r.unexpected("a word")
		return nil
	}
	return r.name()
}

// Word reads a word, whichever it is, or a name: what an option is set to, or a character set.
func (r *Reader) Word() Expr {
	from := r.pos
	name := r.WordName()
	if name == nil {
		return nil
	}
	return Read(r, from, &Column{Name: name})
}

// Number reads a number with its sign.
func (r *Reader) Number() Expr {
	if o := r.d.prefixes[r.tok().Key]; o != nil && o.Op != OpNot && r.peek(1).Kind == NumberToken {
		return r.prefixed(o)
	}
	if r.tok().Kind != NumberToken {
		r.unexpected("a number")
		return nil
	}
	return r.literal(Number)
}

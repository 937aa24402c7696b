package sql

import (
	"slices"
	"strings"
)

// Expr reads an expression.
func (r *Reader) Expr() Expr { return r.exprFrom(0) }

// exprFrom reads an expression whose operators outside parentheses have at least a level (Pratt, Top down operator
// precedence, POPL 1973).
func (r *Reader) exprFrom(level int) Expr {
	from := r.pos
	x := r.operand()
	for {
		o, not := r.infix()
		if o == nil || o.Level < level {
			return x
		}
		if not {
			r.pos++
		}
		r.pos++
		x = r.behind(from, x, o, not)
	}
}

// infix returns the operator that is next, and whether a NOT stands before it; nil where none is.
func (r *Reader) infix() (o *Operator, not bool) {
	t := r.tok()
	if t.Key != "NOT" {
		return r.d.infixes[t.Key], false // there is none without a name
	}
	switch o = r.d.infixes[r.peek(1).Key]; {
	case o != nil && (o.Form == InForm || o.Form == LikeForm || o.Form == BetweenForm):
		return o, true
	case r.peek(1).is("NULL"):
		return r.d.forms[NotNullForm], true
	}
	return nil, false
}

// behind reads what stands behind an operator whose first operand is x.
func (r *Reader) behind(from int, x Expr, o *Operator, not bool) Expr {
	switch o.Form {
	case TwoOperands:
		return Read(r, from, &Binary{Op: o.Op, Left: x, Right: r.exprFrom(o.Level + 1)})
	case IsForm:
		return r.is(from, x, o)
	case IsNullForm, NotNullForm:
		return Read(r, from, &Is{X: x, Not: o.Form == NotNullForm, What: "NULL"})
	case InForm:
		return r.in(from, x, not)
	case LikeForm:
		n := &Like{X: x, Not: not, Op: o.Op, Pattern: r.exprFrom(o.Level + 1)}
		if r.Accept("ESCAPE") {
			n.Escape = r.exprFrom(o.Level + 1)
		}
		return Read(r, from, n)
	case BetweenForm:
		n := &Between{X: x, Not: not, Low: r.exprFrom(r.d.spelled[OpAnd].Level + 1)}
		r.Expect("AND")
		n.High = r.exprFrom(o.Level + 1)
		return Read(r, from, n)
	default: // CollateForm
		return Read(r, from, &Collate{X: x, Collation: r.Label()})
	}
}

// is reads what stands behind IS.
func (r *Reader) is(from int, x Expr, o *Operator) Expr {
	op, not := OpSame, r.Accept("NOT")
	distinct := r.Accept("DISTINCT", "FROM")
	if not != distinct {
		op = OpDistinct
	}
	right := r.exprFrom(o.Level + 1)
	if !distinct && truth(right) {
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
	case !r.Is("("):
		n.Table = r.named(false)
	case r.queryNext(1):
		n.Query = r.parenQuery()
	default:
		if r.Expect("("); !r.Is(")") {
			n.List = List(r, r.Expr)
		}
		r.Expect(")")
	}
	return Read(r, from, n)
}

// queryNext says whether the token n places behind the next one begins a query.
func (r *Reader) queryNext(n int) bool {
	t := r.peek(n)
	return t.is("SELECT") || t.is("VALUES") || t.is("WITH")
}

// parenQuery reads a query in parentheses.
func (r *Reader) parenQuery() *Query {
	r.Expect("(")
	q := r.Query()
	r.Expect(")")
	return q
}

// operand reads an expression up to the first operator that stands behind an operand.
func (r *Reader) operand() Expr {
	from, t := r.pos, r.tok()
	switch t.Kind {
	case NumberToken:
		return r.literal(Number)
	case BlobToken:
		return r.literal(Blob)
	case TextToken:
		if r.peek(1).is(".") {
			return r.column()
		}
		return r.literal(Text)
	case ParamToken:
		r.pos++
		return Read(r, from, &Param{Text: t.Text})
	case QuotedName:
		return r.called()
	case Word:
		return r.word()
	case Sign:
		if t.Key == "(" {
			return r.paren()
		}
		if o := r.d.prefixes[t.Key]; o != nil {
			return r.prefixed(o)
		}
	}
	r.unexpected("an expression")
	return nil
}

func (r *Reader) prefixed(o *Operator) Expr {
	from := r.pos
	r.pos++
	return Read(r, from, &Unary{Op: o.Op, X: r.exprFrom(o.Level)})
}

func (r *Reader) literal(kind LiteralKind) Expr {
	from := r.pos
	r.pos++
	return Read(r, from, &Literal{Kind: kind, Text: r.tokens[from].Text})
}

// word reads an expression that begins with a word.
func (r *Reader) word() Expr {
	t := r.tok()
	qualified := r.peek(1).is(".")
	switch {
	case t.Key == "NULL" && !qualified:
		return r.literal(Null)
	case (t.is("TRUE") || t.is("FALSE")) && !qualified && !r.peek(1).is("("):
		return r.literal(Bool)
	case r.d.prefixes[t.Key] != nil:
		return r.prefixed(r.d.prefixes[t.Key])
	case slices.Contains(r.d.Niladics, t.Key):
		from := r.pos
		r.pos++
		return Read(r, from, &Niladic{Word: t.Key})
	}
	if special := r.d.Specials[t.Key]; special != nil && (t.Use&AsColumn == 0 || r.peek(1).is("(")) {
		from := r.pos
		r.pos++
		x := special(r)
		if r.err != nil {
			return nil
		}
		return Read(r, from, x)
	}
	return r.called()
}

// called reads a column or a call.
func (r *Reader) called() Expr {
	t, next := r.tok(), r.peek(1)
	switch {
	case next.is("(") && r.names(t, AsFunction):
		return r.call()
	case r.names(t, AsColumn), next.is(".") && r.names(t, AsName):
		return r.column()
	}
	r.unexpected("an expression")
	return nil
}

func (r *Reader) column() Expr {
	from := r.pos
	c := &Column{Name: r.name()}
	if r.Accept(".") {
		c.Table, c.Name = c.Name, r.Name()
		if r.Accept(".") {
			c.Schema, c.Table, c.Name = c.Table, c.Name, r.Name()
		}
	}
	return Read(r, from, c)
}

// paren reads what begins with a parenthesis: a subquery, a row or a single expression.
func (r *Reader) paren() Expr {
	from := r.pos
	if r.queryNext(1) {
		return Read(r, from, &Subquery{Query: r.parenQuery()})
	}
	items := ParenList(r, r.Expr)
	if len(items) == 1 {
		return Read(r, from, &Paren{X: items[0]})
	}
	return Read(r, from, &Row{Items: items})
}

// call reads a call with all that may stand behind its arguments.
func (r *Reader) call() Expr {
	from := r.pos
	c := &Call{Name: r.name()}
	r.Expect("(")
	switch {
	case r.Is("*"):
		c.Args = []Expr{r.star(nil, r.pos)}
	case !r.Is(")"):
		if c.Distinct = r.Accept("DISTINCT"); !c.Distinct {
			r.Accept("ALL")
		}
		c.Args = List(r, r.Expr)
		c.Order = r.OrderBy()
	}
	r.Expect(")")
	if r.Is("FILTER", "(") {
		r.Expect("FILTER", "(", "WHERE")
		c.Filter = r.Expr()
		r.Expect(")")
	}
	if r.tok().is("OVER") && (r.peek(1).is("(") || r.names(r.peek(1), AsName)) {
		r.Expect("OVER")
		at := r.pos
		if r.Is("(") {
			c.Over = r.window()
		} else {
			c.Over = &Window{Ref: r.Name()}
			Read(r, at, c.Over)
		}
	}
	return Read(r, from, c)
}

// star reads the sign *, behind the name of a table where one is given.
func (r *Reader) star(table *Name, from int) Expr {
	r.Expect("*")
	return Read(r, from, &Star{Table: table})
}

// window reads what makes a window, in parentheses.
func (r *Reader) window() *Window {
	from := r.pos
	r.Expect("(")
	w := &Window{}
	if !r.Is("PARTITION", "BY") && !r.Is("ORDER", "BY") && !r.Any("ROWS", "RANGE", "GROUPS", ")") {
		w.Base = r.Name()
	}
	if r.Accept("PARTITION", "BY") {
		w.Partition = List(r, r.Expr)
	}
	w.Order = r.OrderBy()
	w.Frame = r.frame()
	r.Expect(")")
	return Read(r, from, w)
}

// frame reads the frame of a window; nil where none is said.
func (r *Reader) frame() *Frame {
	from := r.pos
	f := &Frame{Unit: r.OneOf("ROWS", "RANGE", "GROUPS")}
	if f.Unit == "" {
		return nil
	}
	if r.Accept("BETWEEN") {
		f.Start = r.bound()
		r.Expect("AND")
		f.End = r.bound()
	} else {
		f.Start = r.bound()
	}
	if r.Accept("EXCLUDE") {
		switch {
		case r.Accept("NO", "OTHERS"):
			f.Exclude = "NO OTHERS"
		case r.Accept("CURRENT", "ROW"):
			f.Exclude = "CURRENT ROW"
		default:
			if f.Exclude = r.OneOf("GROUP", "TIES"); f.Exclude == "" {
				r.unexpected("what is excluded")
			}
		}
	}
	return Read(r, from, f)
}

func (r *Reader) bound() *Bound {
	from := r.pos
	b := &Bound{}
	switch {
	case r.Accept("CURRENT", "ROW"):
		b.Side = "CURRENT ROW"
		return Read(r, from, b)
	case r.Accept("UNBOUNDED"):
		b.Side = "UNBOUNDED "
	default:
		b.X = r.Expr()
	}
	side := r.OneOf("PRECEDING", "FOLLOWING")
	if side == "" {
		r.unexpected("PRECEDING or FOLLOWING")
	}
	b.Side += side
	return Read(r, from, b)
}

// Case reads what stands behind CASE.
func (r *Reader) Case() Expr {
	c := &Case{}
	if !r.Is("WHEN") {
		c.Operand = r.Expr()
	}
	for len(c.Whens) == 0 || r.Is("WHEN") {
		from := r.pos
		w := &When{}
		r.Expect("WHEN")
		w.Cond = r.Expr()
		r.Expect("THEN")
		w.Result = r.Expr()
		c.Whens = append(c.Whens, Read(r, from, w))
	}
	if r.Accept("ELSE") {
		c.Else = r.Expr()
	}
	r.Expect("END")
	return c
}

// Cast reads what stands behind CAST.
func (r *Reader) Cast() Expr {
	c := &Cast{}
	r.Expect("(")
	c.X = r.Expr()
	r.Expect("AS")
	if c.Type = r.Type(); c.Type == nil {
		r.unexpected("a type")
	}
	r.Expect(")")
	return c
}

// Exists reads what stands behind EXISTS.
func (r *Reader) Exists() Expr {
	if !r.queryNext(1) {
		r.unexpected("a query in parentheses")
		return nil
	}
	return &Exists{Query: r.parenQuery()}
}

// Type reads the name of a type; nil where none begins.
func (r *Reader) Type() *Type {
	from := r.pos
	t := &Type{}
	for r.tok().Kind != TextToken && r.names(r.tok(), AsAlias) && !r.Is("GENERATED", "ALWAYS") {
		if t.Words != "" {
			t.Words += " "
		}
		t.Words += r.tok().Text
		r.pos++
	}
	if t.Words == "" {
		return nil
	}
	if r.Is("(") {
		t.Args = ParenList(r, r.Number)
	}
	return Read(r, from, t)
}

// Value reads a value without parentheses: a literal or a name, with a sign where it has one, and no operators.
func (r *Reader) Value() Expr {
	if o := r.d.prefixes[r.tok().Key]; o != nil && o.Op == OpNot {
		r.unexpected("a value")
		return nil
	}
	return r.operand()
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

package sql

import "slices"

// ended says whether nothing can go on with an expression but what has it as its left operand.
func ended(x Expr) bool {
	switch x.(type) {
	case *Is, *In, *Collate, *Quantified, *Cast, *Subscript, *Field:
		return true
	}
	return false
}

// part reads what stands behind [ or a dot, which x must be able to have there without parentheses around it.
func (r *Reader) part(from int, x Expr, o *Operator) Expr {
	if !divisible(x, o.Form) {
		r.pos--
		r.unexpected("another operator")
		return nil
	}
	if o.Form == FieldForm {
		n := &Field{X: x}
		if !r.Accept("*") {
			n.Name = r.anyName()
		}
		return Read(r, from, n)
	}
	n := &Subscript{X: x}
	if !r.Is(":") {
		n.Low = r.Expr()
	}
	if n.Slice = r.Accept(":"); n.Slice && !r.Is("]") {
		n.High = r.Expr()
	}
	r.Expect("]")
	return Read(r, from, n)
}

// divisible says whether a subscript or a field may stand behind an expression without parentheses around that.
func divisible(x Expr, form Form) bool {
	switch x := x.(type) {
	case *Column:
		return form == SubscriptForm
	case *Field:
		return x.Name != nil
	case *Paren, *Subquery, *Subscript, *Param:
		return true
	}
	return false
}

// Array reads what stands behind ARRAY.
func (r *Reader) Array() Expr {
	if r.QueryNext() {
		return &Array{Query: r.parenQuery()}
	}
	return r.array(false)
}

func (r *Reader) array(inner bool) *Array {
	from := r.pos
	n := &Array{Inner: inner}
	r.Expect("[")
	switch {
	case r.Is("["):
		n.Items = List(r, func() Expr { return r.array(true) })
	case !r.Is("]"):
		n.Items = List(r, r.Expr)
	}
	r.Expect("]")
	return Read(r, from, n)
}

// starred says whether all columns of a table are next.
func (r *Reader) starred() bool {
	return r.peek(1).is(".") && (r.peek(2).is("*") || r.d.Grammar.AnyQualified && r.peek(3).is(".") && r.peek(4).is("*"))
}

// tableStar reads all columns of a table.
func (r *Reader) tableStar() Expr {
	from := r.pos
	n := &Star{Table: r.Name()}
	r.Expect(".")
	if !r.Is("*") {
		n.Schema, n.Table = n.Table, r.behindDot()
		r.Expect(".")
	}
	return r.star(n, from)
}

// group reads a term of GROUP BY.
func (r *Reader) group() Expr {
	from := r.pos
	if !r.d.Grammar.GroupingSets {
		return r.Expr()
	}
	switch {
	case r.tok().Key == "GROUPING" && r.Accept("GROUPING", "SETS"):
		return Read(r, from, &Grouping{Sets: ParenList(r, r.group)})
	case r.Accept("(", ")"):
		return Read(r, from, &Row{})
	}
	return r.Expr()
}

// behindItems are the words with which what stands behind a query's columns begins.
var behindItems = []string{"FROM", "WHERE", "GROUP", "HAVING", "WINDOW", "UNION", "INTERSECT", "EXCEPT", "ORDER",
	"LIMIT", "OFFSET", "FETCH", "FOR", "WITH",
	"ON", "RETURNING", ")"}

// items reads what a query prints.
func (r *Reader) items(distinct bool) []*Item {
	if r.d.Grammar.NoItems && !distinct && (r.AtEnd() || slices.ContainsFunc(behindItems, r.tok().is)) {
		return nil
	}
	return List(r, r.item)
}

// sample reads TABLESAMPLE; nil where it is not there.
func (r *Reader) sample() *Sample {
	from := r.pos
	if r.tok().Key != "TABLESAMPLE" {
		return nil
	}
	r.pos++
	n := &Sample{Method: r.Name(), Args: ParenList(r, r.Expr)}
	if r.Accept("REPEATABLE") {
		n.Seed = r.InParentheses()
	}
	return Read(r, from, n)
}

// columnAliases reads what the columns of a table are called from now on; nil where nothing says so.
func (r *Reader) columnAliases() []*Name {
	if !r.d.Grammar.ColumnAliases {
		return nil
	}
	return r.OptionalNames()
}

// Operator reads an operator of two operands that stands without them.
func (r *Reader) Operator() Op {
	o, _ := r.infixAt(0)
	if o == nil || o.Form != TwoOperands || r.tok().Kind != Sign {
		r.unexpected("an operator")
		return ""
	}
	r.pos++
	return o.Op
}

// Called reads a call with its arguments.
func (r *Reader) Called() Expr {
	if !r.peek(1).is("(") && !(r.peek(1).is(".") && r.peek(3).is("(")) {
		r.unexpected("a call")
		return nil
	}
	return r.called()
}

// ParameterName reads the name of a parameter, behind which its type stands; nil where it has none.
func (r *Reader) ParameterName() *Name {
	t, behind := r.tok(), r.peek(1)
	named := t.Kind == QuotedName || t.Use&AsType != 0 && t.Use&AsFunction != 0
	typed := behind.Kind == QuotedName || behind.Kind == Word && behind.Use&(AsName|AsType) != 0
	if !named || !typed || r.Is("DOUBLE", "PRECISION") || behind.is("VARYING") || behind.is("WITH") ||
		behind.is("WITHOUT") {
		return nil
	}
	return r.name()
}

// TypeName reads the name of a type, as it is spelled.
func (r *Reader) TypeName() string {
	from := r.pos
	if !r.names(r.tok(), AsType) && !r.peek(1).is(".") {
		r.unexpected("a type")
		return ""
	}
	for r.anyName(); r.Accept("."); {
		r.behindDot()
	}
	return r.TextFrom(from)
}

// PlainNext says whether a word is next that is not reserved, or a name in quotes.
func (r *Reader) PlainNext() bool { return r.names(r.tok(), AsName|AsType) }

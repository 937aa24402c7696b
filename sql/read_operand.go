package sql

import (
	"slices"
	"strings"
)

// operand reads an expression up to the first operator that stands behind an operand, for an operator that asks for a
// level; have is that of what is read.
func (r *Reader) operand(level int) (x Expr, have int) {
	o := r.d.prefixes[r.tok().Key]
	if o == nil && r.tok().Kind == Sign {
		o = r.d.other(r.tok().Key)
	}
	if o == nil || r.peek(1).is(".") {
		return r.simple(), tightest
	}
	if o.Level < level && !r.d.Grammar.Loose || r.narrow && o.Wide {
		r.unexpected("an operand that binds more tightly")
		return nil, tightest
	}
	return r.prefixed(o), o.Level
}

// simple reads an operand without an operator before it.
func (r *Reader) simple() Expr {
	from, t := r.pos, r.tok()
	switch t.Kind {
	case NumberToken:
		return r.literal(Number)
	case BlobToken:
		return r.literal(Blob)
	case TextToken:
		if r.d.TextNames != 0 && r.peek(1).is(".") {
			return r.column()
		}
		return r.literal(Text)
	case ParamToken:
		r.pos++
		return Read(r, from, &Param{Text: t.Text})
	case VariableToken:
		r.pos++
		return Read(r, from, &Variable{Text: t.Text})
	case QuotedName:
		return r.called()
	case Word:
		return r.word()
	case Sign:
		if t.Key == "(" {
			return r.paren()
		}
	}
	r.unexpected("an expression")
	return nil
}

func (r *Reader) prefixed(o *Operator) Expr {
	from := r.pos
	r.pos++
	return Read(r, from, &Unary{Op: o.Op, X: r.exprFrom(max(o.Level, o.Right))})
}

func (r *Reader) literal(kind LiteralKind) Expr {
	from := r.pos
	n := &Literal{Kind: kind}
	if kind == charset {
		r.pos++
		n.Charset = r.tokens[from].Text
		switch n.Kind = Text; r.tok().Kind {
		case NumberToken:
			n.Kind = Number
		case BlobToken:
			n.Kind = Blob
		}
	}
	n.Text = r.tok().Text
	r.pos++
	for n.Kind == Text && r.d.Grammar.TextsInARow && r.tok().Kind == TextToken {
		n.Text += " " + r.tok().Text
		r.pos++
	}
	if r.d.Lexis.Unicode && n.Kind == Text && n.Text[0]|0x20 == 'u' && r.Is("UESCAPE") && r.peek(1).Kind == TextToken {
		n.Text += " UESCAPE " + r.peek(1).Text
		r.pos += 2
	}
	return Read(r, from, n)
}

// charset has literal read a text's character set, too.
const charset LiteralKind = "charset"

// word reads an expression that begins with a word.
func (r *Reader) word() Expr {
	t := r.tok()
	qualified := r.peek(1).is(".")
	switch {
	case t.Key == "NULL" && !qualified:
		return r.literal(Null)
	case (t.is("TRUE") || t.is("FALSE")) && !qualified && !r.peek(1).is("("):
		return r.literal(Bool)
	case r.d.Grammar.Introducers && t.Text[0] == '_' && slices.Contains(introduced, r.peek(1).Kind):
		return r.literal(charset)
	case r.typed() > 0:
		return r.typedLiteral()
	case t.Key != "" && !r.peek(1).is("(") && slices.Contains(r.d.Niladics, t.Key):
		from := r.pos
		r.pos++
		return Read(r, from, &Niladic{Word: t.Key})
	}
	if special := r.d.Specials[t.Key]; special != nil &&
		(t.Use&AsColumn == 0 || r.peek(1).is("(") || r.d.Grammar.AnyTyped && r.peek(1).Kind == TextToken) {
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

// typed returns how many words are next that are the type of the text behind them; 0 where that is not so.
func (r *Reader) typed() int {
	for _, words := range r.d.typed {
		if r.Is(words...) && r.peek(len(words)).Kind == TextToken {
			return len(words)
		}
	}
	if r.d.Grammar.AnyTyped && r.peek(1).Kind == TextToken && r.tok().Use&AsType != 0 && r.d.Specials[r.tok().Key] == nil {
		return 1
	}
	return 0
}

func (r *Reader) typedLiteral() Expr {
	from, n := r.pos, &TypedLiteral{}
	for range r.typed() {
		t := r.tok()
		if n.Type != "" {
			n.Type += " "
		}
		if n.Type += t.Text; t.Key != "" {
			n.Type = strings.ToUpper(n.Type)
		}
		r.pos++
	}
	n.Text = r.tok().Text
	r.pos++
	return Read(r, from, n)
}

// introduced is what may stand behind the name of a character set.
var introduced = []TokenKind{TextToken, BlobToken, NumberToken}

// called reads a column or a call.
func (r *Reader) called() Expr {
	t, next := r.tok(), r.peek(1)
	switch {
	case next.is("(") && r.names(t, AsFunction):
		return r.call(false)
	case r.d.Grammar.AnyQualified && next.is(".") && r.peek(3).is("(") && r.names(t, AsName):
		return r.call(true)
	case r.names(t, AsColumn), next.is(".") && r.names(t, AsName):
		return r.column()
	}
	r.unexpected("an expression")
	return nil
}

func (r *Reader) column() Expr {
	from := r.pos
	if r.d.Grammar.Arrays && r.starred() {
		return r.tableStar()
	}
	return Read(r, from, r.qualified(&Column{Name: r.name()}))
}

// qualified reads what stands behind the first name of a column's.
func (r *Reader) qualified(c *Column) *Column {
	if r.Accept(".") {
		c.Table, c.Name = c.Name, r.behindDot()
		if r.Accept(".") {
			c.Schema, c.Table, c.Name = c.Table, c.Name, r.behindDot()
		}
	}
	return c
}

// behindDot reads a name behind a dot.
func (r *Reader) behindDot() *Name {
	if r.d.Grammar.AnyQualified && r.tok().Kind == Word {
		return r.name()
	}
	return r.Name()
}

// anyName reads any word, or a name in quotes.
func (r *Reader) anyName() *Name {
	if !r.WordNext() {
		r.unexpected("a name")
		return nil
	}
	return r.name()
}

// paren reads what begins with a parenthesis: a subquery, a row or a single expression.
func (r *Reader) paren() Expr {
	from := r.pos
	if r.queryNext(0) {
		return Read(r, from, &Subquery{Query: r.parenQuery()})
	}
	items := ParenList(r, r.Expr)
	if len(items) == 1 {
		return Read(r, from, &Paren{X: items[0]})
	}
	return Read(r, from, &Row{Items: items})
}

// call reads a call with all that may stand behind its arguments.
func (r *Reader) call(qualified bool) Expr {
	from := r.pos
	c := &Call{Name: r.name()}
	if qualified {
		r.Expect(".")
		c.Schema, c.Name = c.Name, r.behindDot()
	}
	r.Expect("(")
	switch {
	case r.Is("*"):
		c.Args = []Expr{r.star(&Star{}, r.pos)}
	case !r.Is(")"):
		if c.Distinct = r.Accept("DISTINCT"); !c.Distinct {
			r.Accept("ALL")
		}
		c.Args = r.args(c.Name)
		c.Order = r.OrderBy()
		if r.tok().Key == "SEPARATOR" {
			r.pos++
			c.Separator = r.simple()
		}
		if _, concat := r.d.Keywords["SEPARATOR"]; concat {
			c.Limit = r.Limit()
		}
	}
	r.Expect(")")
	if r.tok().Key == "WITHIN" && r.Accept("WITHIN", "GROUP", "(") {
		if c.Within = r.OrderBy(); c.Within == nil {
			r.unexpected("ORDER BY")
		}
		r.Expect(")")
	}
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

// args reads the arguments of a function, of which words may stand in front.
func (r *Reader) args(of *Name) (out []Expr) {
	var words []string
	if of != nil && len(r.d.Phrases) > 0 {
		words = r.d.Phrases[strings.ToUpper(of.Value)]
	}
	if len(words) == 0 {
		return List(r, r.Expr)
	}
	level := 0
	if slices.Contains(words, "IN") { // POSITION(X IN Y)
		level = r.d.forms[InForm].Level + 1
	}
	if len(words) == 1 && r.tok().Kind == Word && r.peek(1).is(words[0]) { // EXTRACT(DAY_HOUR FROM x)
		out = append(out, r.Word())
	}
	for {
		from := r.pos
		if word := r.OneOf(words...); word != "" {
			n := &Worded{Word: word}
			switch {
			case r.Any(words...), r.Is(")"):
			case word == "USING":
				n.X = r.Word()
			default:
				n.X = r.Expr()
			}
			out = append(out, Read(r, from, n))
		} else {
			out = append(out, r.exprFrom(level))
		}
		switch {
		case r.Accept(","), r.Any(words...):
		default:
			return out
		}
	}
}

// RowNext says whether the parenthesis that is next holds several expressions.
func (r *Reader) RowNext() bool {
	open := r.tok()
	for at := r.pos + 1; at < int(open.Closed); at++ {
		switch t := &r.tokens[at]; {
		case t.Key == ",":
			return true
		case t.Key == "(":
			at = int(t.Closed)
		}
	}
	return false
}

// Named reads a call of the function whose name was passed last.
func (r *Reader) Named() Expr {
	r.pos--
	return r.call(false)
}

// star reads the sign *, behind the name of a table where one is given.
func (r *Reader) star(n *Star, from int) Expr {
	r.Expect("*")
	return Read(r, from, n)
}

// window reads what makes a window, in parentheses.
func (r *Reader) window() *Window {
	from := r.pos
	r.Expect("(")
	w := &Window{}
	partition := r.Is("PARTITION", "BY") || r.d.Grammar.AnyLabels && r.Is("PARTITION")
	if !partition && !r.Is("ORDER", "BY") && !r.Any("ROWS", "RANGE", "GROUPS", ")") {
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
	if !r.QueryNext() {
		r.unexpected("a query in parentheses")
		return nil
	}
	return &Exists{Query: r.parenQuery()}
}

// Type reads the name of a type; nil where none begins.
func (r *Reader) Type() *Type {
	if r.d.Type != nil {
		return r.d.Type(r)
	}
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

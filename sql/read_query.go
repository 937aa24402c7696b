package sql

import (
	"slices"
	"strings"
)

// Query reads a query with its WITH, ORDER BY and LIMIT.
func (r *Reader) Query() *Query {
	from := r.pos
	var with *With
	if r.Is("WITH") {
		with = r.with()
	}
	return Read(r, from, r.QueryWith(with))
}

// QueryWith reads a query behind its WITH.
func (r *Reader) QueryWith(with *With) *Query {
	q := &Query{With: with, Body: r.body(0), Order: r.OrderBy()}
	if r.d.Limit != nil {
		q.Limit = r.d.Limit(r)
	} else {
		q.Limit = r.Limit()
	}
	if r.d.Tail != nil {
		r.d.Tail(r, q)
	}
	return q
}

// with reads a WITH clause.
func (r *Reader) with() *With {
	from := r.pos
	r.Expect("WITH")
	w := &With{Recursive: r.Accept("RECURSIVE")}
	w.CTEs = List(r, r.cte)
	return Read(r, from, w)
}

func (r *Reader) cte() *CTE {
	from := r.pos
	c := &CTE{Name: r.Name(), Columns: r.OptionalNames()}
	r.Expect("AS")
	switch {
	case r.Accept("MATERIALIZED"):
		c.Materialized = "MATERIALIZED"
	case r.Accept("NOT", "MATERIALIZED"):
		c.Materialized = "NOT MATERIALIZED"
	}
	if !r.d.Grammar.WritingWiths {
		c.Body = r.parenQuery()
		return Read(r, from, c)
	}
	r.Expect("(")
	if !r.Is("WITH") && !slices.Contains(r.d.Withs, r.tok().Key) {
		r.unexpected("a query or a write")
	}
	if stmt := r.Statement(); stmt != nil {
		c.Body = stmt
	}
	r.Expect(")")
	return Read(r, from, c)
}

// level is how tightly a set operation binds.
func (d *Dialect) levelOf(op string) int {
	if d.Grammar.Nested && strings.HasPrefix(op, "INTERSECT") {
		return 2
	}
	return 1
}

// body reads set operations of a level at least, which take what is left of them, and their operands.
func (r *Reader) body(level int) Body {
	from := r.pos
	left := r.rows()
	for {
		op := ""
		for _, word := range []string{"UNION", "INTERSECT", "EXCEPT"} {
			if r.Is(word) {
				op = word
			}
		}
		own := r.d.levelOf(op)
		if op == "" || own < level {
			return left
		}
		r.pos++
		if all := r.setQuantifier(op); all != "" {
			op += " " + all
		}
		left = Read(r, from, &Compound{Op: op, Left: left, Right: r.body(own + 1)})
	}
}

// setQuantifier passes ALL or DISTINCT behind a set operation. A dialect may have UNION ALL alone.
func (r *Reader) setQuantifier(op string) string {
	if r.d.Grammar.Nested {
		return r.OneOf("ALL", "DISTINCT")
	}
	if op == "UNION" {
		return r.OneOf("ALL")
	}
	return ""
}

// rows reads SELECT, VALUES or a query in parentheses.
func (r *Reader) rows() Body {
	from := r.pos
	switch {
	case r.Accept("VALUES"):
		return Read(r, from, &Values{Rows: List(r, r.Row)})
	case r.Accept("SELECT"):
		return Read(r, from, r.selected())
	case r.d.Grammar.Nested && r.Is("("):
		return Read(r, from, &Nested{Query: r.parenQuery()})
	case r.d.Grammar.Nested && r.Accept("TABLE"):
		at := r.pos
		return Read(r, from, &Whole{Table: Read(r, at, r.TableName())})
	}
	r.unexpected("SELECT or VALUES")
	return nil
}

// Row reads a row of VALUES.
func (r *Reader) Row() *Row {
	from := r.pos
	n := &Row{Word: r.d.Grammar.RowWords && r.Accept("ROW")}
	r.Expect("(")
	if !r.Is(")") || !r.d.Grammar.RowWords {
		n.Items = List(r, r.Expr)
	}
	r.Expect(")")
	return Read(r, from, n)
}

// selected reads what stands behind SELECT.
func (r *Reader) selected() *Select {
	s := &Select{Hints: r.Hints()}
	if r.d.SelectOptions == nil {
		if s.Distinct = r.Accept("DISTINCT"); s.Distinct && r.Accept("ON") {
			s.On = ParenList(r, r.Expr)
		}
		s.All = !s.Distinct && r.Accept("ALL")
	}
	for r.Any(r.d.SelectOptions...) {
		switch o := r.Option(r.d.SelectOptions...); o.Words {
		case "DISTINCT", "DISTINCTROW":
			s.Distinct = true
		case "ALL":
			s.All = true
		default:
			s.Options = append(s.Options, o)
		}
	}
	s.Items = r.items(s.Distinct)
	if r.Accept("FROM") {
		s.From = r.From()
	}
	s.Where = r.Where()
	if r.Accept("GROUP", "BY") {
		s.Group = List(r, r.group)
		s.Rollup = r.d.Grammar.Rollup && r.Accept("WITH", "ROLLUP")
	}
	if r.Accept("HAVING") {
		s.Having = r.Expr()
	}
	if r.windowClause() {
		r.Expect("WINDOW")
		s.Windows = List(r, r.namedWindow)
	}
	return s
}

// windowClause says whether a WINDOW clause is next: the word may be a name.
func (r *Reader) windowClause() bool {
	return r.tok().is("WINDOW") && r.names(r.peek(1), AsName) && r.peek(2).is("AS")
}

func (r *Reader) namedWindow() *NamedWindow {
	from := r.pos
	w := &NamedWindow{Name: r.Name()}
	r.Expect("AS")
	w.Window = r.window()
	return Read(r, from, w)
}

// item reads what a query prints.
func (r *Reader) item() *Item {
	from := r.pos
	i := &Item{}
	switch {
	case r.Is("*"):
		i.X = r.star(&Star{}, from)
	case !r.d.Grammar.Arrays && r.starred():
		i.X = r.tableStar()
	default:
		i.X = r.Expr()
		i.Alias = r.itemAlias()
	}
	return Read(r, from, i)
}

// Where reads a WHERE clause; nil where there is none.
func (r *Reader) Where() Expr {
	if !r.Accept("WHERE") {
		return nil
	}
	return r.Expr()
}

// Returning reads a RETURNING clause; nil where there is none.
func (r *Reader) Returning() []*Item {
	if !r.Accept("RETURNING") {
		return nil
	}
	return List(r, r.item)
}

// OrderBy reads an ORDER BY clause; nil where there is none.
func (r *Reader) OrderBy() []*Order {
	if !r.Accept("ORDER", "BY") {
		return nil
	}
	return List(r, r.Order)
}

// Order reads an expression with the direction in which rows are sorted by it.
func (r *Reader) Order() *Order {
	from := r.pos
	o := &Order{X: r.Expr()}
	if o.Desc = r.Accept("DESC"); !o.Desc {
		r.Accept("ASC")
	}
	if r.Is("NULLS", "FIRST") || r.Is("NULLS", "LAST") {
		r.Expect("NULLS")
		o.Nulls = r.OneOf("FIRST", "LAST")
	}
	return Read(r, from, o)
}

// Limit reads a LIMIT clause; nil where there is none.
func (r *Reader) Limit() *Limit {
	from := r.pos
	if !r.Accept("LIMIT") {
		return nil
	}
	l := &Limit{Count: r.Expr()}
	switch {
	case r.Accept("OFFSET"):
		l.Offset = r.Expr()
	case r.Accept(","):
		l.Offset, l.Count = l.Count, r.Expr()
	}
	return Read(r, from, l)
}

// Fetch reads what stands behind FETCH.
func (r *Reader) Fetch(n *Limit) {
	if r.OneOf("FIRST", "NEXT") == "" {
		r.Fail("FIRST or NEXT is expected")
	}
	if !r.Any("ROW", "ROWS") {
		n.Count = r.Value()
	}
	if r.OneOf("ROW", "ROWS") == "" {
		r.Fail("ROW or ROWS is expected")
	}
	switch {
	case r.Accept("ONLY"):
		n.Fetch = "ONLY"
	case r.Accept("WITH", "TIES"):
		n.Fetch = "WITH TIES"
	default:
		r.Fail("ONLY or WITH TIES is expected")
	}
}

// Hints reads what /*+ … */ says; nil where it is not there.
func (r *Reader) Hints() *Hints {
	t := r.tok()
	if t.Kind != HintToken {
		return nil
	}
	from := r.pos
	n := &Hints{}
	inner := &Reader{d: r.d, text: r.text, source: r.source}
	var err error
	if inner.tokens, err = r.d.tokensFrom(r.text[:t.At+len(t.Text)-len("*/")], t.At+len("/*+")); err != nil {
		r.Fail("hints are not read: %v", err)
		return nil
	}
	for inner.tok().Kind != End && inner.err == nil {
		inner.Accept(",")
		n.List = append(n.List, inner.hint())
	}
	if inner.err != nil {
		r.Fail("hints are not read: %v", inner.err)
		return nil
	}
	r.pos++
	return Read(r, from, n)
}

// hint reads one hint.
func (r *Reader) hint() *Hint {
	from, t := r.pos, r.tok()
	if t.Kind != Word {
		r.unexpected("the name of a hint")
		return nil
	}
	n := &Hint{Name: strings.ToUpper(t.Text)}
	r.pos++
	if open := r.tok(); open.Key == "(" {
		if open.Closed == 0 {
			r.Fail("a parenthesis is not closed")
			return nil
		}
		n.Called = true
		r.pos = int(open.Closed) + 1
		n.Args = strings.TrimSpace(r.text[open.At+1 : r.tokens[r.pos-1].At])
	}
	return Read(r, from, n)
}

// Option reads one of the words, whose phrases are divided by a space, as an option; nil where none is next.
func (r *Reader) Option(words ...string) *Option {
	from := r.pos
	for _, w := range words {
		if r.Accept(strings.Fields(w)...) {
			return Read(r, from, &Option{Words: w})
		}
	}
	return nil
}

// Phrase passes one of the phrases if one is next, and returns it; else "".
func (r *Reader) Phrase(phrases ...string) string {
	if o := r.Option(phrases...); o != nil {
		return o.Words
	}
	return ""
}

// ExpectPhrase passes one of the phrases.
func (r *Reader) ExpectPhrase(what string, phrases ...string) string {
	words := r.Phrase(phrases...)
	if words == "" {
		r.Fail("%s is expected", what)
	}
	return words
}

// Assigns reads the assignments of a SET clause.
func (r *Reader) Assigns() []*Assign { return List(r, r.assign) }

func (r *Reader) assign() *Assign {
	from := r.pos
	a := &Assign{Row: r.Is("(")}
	if a.Row {
		a.Columns = ParenList(r, r.set)
	} else {
		a.Columns = []*Column{r.set()}
	}
	if !r.Is(":=") || !r.d.Grammar.QualifiedSets {
		r.Expect("=")
	} else {
		r.pos++
	}
	a.Value = r.ValueOrDefault()
	return Read(r, from, a)
}

// set reads the column that is set.
func (r *Reader) set() *Column {
	from := r.pos
	c := &Column{Name: r.Name()}
	if r.d.Grammar.QualifiedSets {
		c = r.qualified(c)
	}
	return Read(r, from, c)
}

// ValueOrDefault reads an expression, or the word DEFAULT alone where a dialect has it in the place of one.
func (r *Reader) ValueOrDefault() Expr {
	from := r.pos
	if r.d.Grammar.QualifiedSets && r.Is("DEFAULT") && !r.peek(1).is("(") {
		r.pos++
		return Read(r, from, &DefaultValue{})
	}
	return r.Expr()
}

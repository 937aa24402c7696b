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

// setQuantifier passes ALL or DISTINCT behind a set operation. SQLite has UNION ALL alone.
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

// From reads the tables of a FROM clause and how they are joined.
func (r *Reader) From() TableRef {
	from := r.pos
	if !r.d.Grammar.LooseCommas {
		left := r.joined(true)
		if r.Is("ON") || r.Is("USING") {
			r.Fail("%s belongs to no join", r.tok().Key)
		}
		return left
	}
	left := r.joined(false)
	for r.Accept(",") {
		left = Read(r, from, &Join{Left: left, Kind: CommaJoin, Right: r.joined(false)})
	}
	return left
}

// link is a join that is read and not yet a node: from, and in the end to, are the places of its operands.
type link struct {
	*Join
	from, to int
}

// joined reads tables and how they are joined. Where a dialect says so, an ON belongs to the last join that has none,
// and what stands between both is joined first: a JOIN b JOIN c ON x ON y. Joins that have none take what is left of
// them, as those of other dialects do.
func (r *Reader) joined(commas bool) TableRef {
	var open []link // those that still may have an ON
	from := r.pos
	right, at := r.tableRef(), from
	for {
		if r.Any("ON", "USING") && len(open) > 0 {
			last := open[len(open)-1]
			last.Right = right
			r.condition(last.Join)
			last.to = r.pos
			open = open[:len(open)-1]
			right, at = r.closed(last), last.from
			continue
		}
		kind, natural := r.join(commas)
		if kind == "" {
			return r.leftOf(open, right)
		}
		j := link{Join: &Join{Left: right, Kind: kind, Natural: natural}, from: at}
		at = r.pos
		right = r.tableRef()
		conditioned := r.d.Grammar.LooseCommas || r.Any("ON", "USING")
		if r.d.Grammar.StrictJoins {
			conditioned = kind != CrossJoin
		}
		if !natural && conditioned {
			open = append(open, j)
			continue
		}
		j.Right, j.to = right, r.pos
		right, at = r.closed(j), j.from
	}
}

// closed is the node of a join.
func (r *Reader) closed(l link) TableRef {
	r.readTo(l.from, l.to, l.Join)
	return l.Join
}

// leftOf joins tables that no condition tells how: each with all that is left of it. A join on the right of the last
// one is what that joins to what is left: a JOIN b JOIN c ON x is (a JOIN b) JOIN c ON x.
func (r *Reader) leftOf(open []link, right TableRef) TableRef {
	for i := len(open) - 1; i >= 0; i-- {
		if open[i].Kind == LeftJoin || open[i].Kind == RightJoin || r.d.Grammar.StrictJoins {
			r.unexpected("ON")
		}
		right = r.leftmost(open[i], right)
	}
	return right
}

// leftmost puts what is on the left of a join to the left of all tables on its right.
func (r *Reader) leftmost(l link, right TableRef) TableRef {
	j, ok := right.(*Join)
	if !ok {
		l.Right, l.to = right, r.placeBehind(right)
		return r.closed(l)
	}
	n := *j
	n.Left = r.leftmost(l, j.Left)
	r.readTo(l.from, r.placeBehind(j), &n)
	return &n
}

// placeBehind is the place of the token behind a node that was read.
func (r *Reader) placeBehind(n Node) int {
	to := int(n.head().to)
	at, _ := slices.BinarySearchFunc(r.tokens, to, func(t Token, to int) int { return t.At - to })
	return at
}

// condition reads ON or USING.
func (r *Reader) condition(j *Join) {
	if r.Accept("ON") {
		j.On = r.Expr()
		return
	}
	r.Expect("USING")
	j.Using = r.Names()
}

// join passes the words of a join, or a comma; kind is "" where none is next.
func (r *Reader) join(commas bool) (kind JoinKind, natural bool) {
	if r.Is(",") && !commas {
		return "", false
	}
	if r.Accept(",") {
		return CommaJoin, false
	}
	natural = r.Accept("NATURAL")
	kind = InnerJoin
	switch side := r.OneOf(r.d.Joins...); side {
	case "LEFT", "RIGHT", "FULL":
		r.Accept("OUTER")
		kind = JoinKind(side + " JOIN")
	case "CROSS":
		kind = CrossJoin
	case string(Straight):
		return Straight, natural
	case "":
		if !natural && !r.Is("JOIN") {
			return "", false
		}
	}
	r.Expect("JOIN")
	return kind, natural
}

// tableRef reads one table of a FROM clause.
func (r *Reader) tableRef() TableRef {
	from := r.pos
	functions := r.d.Grammar.TableCalls && r.tok().Key == "LATERAL"
	lateral := r.d.Grammar.LooseCommas && (functions || r.Is("LATERAL", "(")) && r.Accept("LATERAL")
	switch {
	case r.QueryNext():
		d := &Derived{Lateral: lateral, Query: r.parenQuery()}
		if d.Alias = r.alias(); d.Alias != nil && r.d.Grammar.LooseCommas {
			d.Columns = r.OptionalNames()
		}
		return Read(r, from, d)
	case r.Accept("("):
		p := &ParenTable{X: r.From()}
		r.Expect(")")
		if r.d.Grammar.TableCalls {
			p.Alias = r.alias()
		}
		return Read(r, from, p)
	}
	x := r.named(true)
	if !lateral {
		return x
	}
	f, ok := x.(*TableCall)
	if !ok {
		r.Fail("LATERAL is said of a query or a function")
		return x
	}
	n := *f
	n.Lateral = true
	return Read(r, from, &n)
}

// named reads a table by its name, or a function that is one; in FROM with an alias and a hint.
func (r *Reader) named(inFrom bool) TableRef {
	from := r.pos
	var t *Table
	if r.d.Grammar.AnyTyped && r.peek(1).is("(") && r.names(r.tok(), AsFunction) {
		t = &Table{Name: r.name()}
	} else if t = r.TableName(); r.d.Grammar.AnyTyped && t.Schema == nil && r.Is("(") {
		r.Fail("a function of this name is not read")
	}
	if r.d.Grammar.TableCalls && !t.Only && r.Accept("(") {
		f := &TableCall{Schema: t.Schema, Name: t.Name}
		if !r.Is(")") {
			f.Args = List(r, r.Expr)
		}
		r.Expect(")")
		f.Ordinality = inFrom && r.d.Grammar.ColumnAliases && r.Accept("WITH", "ORDINALITY")
		if inFrom {
			if f.Alias = r.alias(); f.Alias != nil {
				f.Columns = r.columnAliases()
			}
		}
		return Read(r, from, f)
	}
	if inFrom {
		if r.d.TablePlace != nil {
			r.d.TablePlace(r, t)
		}
		if t.Alias = r.alias(); t.Alias != nil {
			t.Columns = r.columnAliases()
		}
		t.Sample = r.sample()
		t.Hints = r.indexHints()
	}
	return Read(r, from, t)
}

// TableName reads the name of a table, and nothing else of it.
func (r *Reader) TableName() *Table {
	if t := r.tok(); t.Kind == Word && r.d.NoTable != "" && t.is(r.d.NoTable) {
		return &Table{Name: r.name()}
	}
	t := &Table{}
	if r.tok().Key == "ONLY" {
		r.pos++
		t.Only = true
	}
	t.Name = r.Name()
	if r.Accept(".") {
		t.Schema, t.Name = t.Name, r.behindDot()
	}
	return t
}

func (r *Reader) indexHints() []*IndexHint {
	if r.d.TableHints == nil {
		return nil
	}
	return r.d.TableHints(r)
}

// Target reads the table that a statement writes, which may be hinted how to find rows.
func (r *Reader) Target(hinted bool) *Table {
	from := r.pos
	return r.target(from, r.TableName(), hinted)
}

// Behind reads what stands behind the name of a table whose rows are deleted.
func (r *Reader) Behind(t *Table) *Table {
	if t == nil {
		return nil
	}
	c := *t
	at, _ := slices.BinarySearchFunc(r.tokens, int(t.from), func(t Token, from int) int { return t.At - from })
	return r.target(at, &c, false)
}

func (r *Reader) target(from int, t *Table, hinted bool) *Table {
	if r.d.TablePlace != nil {
		r.d.TablePlace(r, t)
	}
	if r.Accept("AS") || hinted && r.d.Grammar.BareTargets && r.names(r.tok(), AsAlias) && !r.Is("SET") {
		t.Alias = r.Name()
	}
	if hinted {
		t.Hints = r.indexHints()
	}
	return Read(r, from, t)
}

// Hints reads what /*+ … */ says; nil where it is not there.
func (r *Reader) Hints() *Hints {
	t := r.tok()
	if t.Kind != HintToken {
		return nil
	}
	from := r.pos
	n := &Hints{}
	inner := &Reader{d: r.d, text: r.text}
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

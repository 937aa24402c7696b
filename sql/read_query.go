package sql

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
	return &Query{With: with, Body: r.body(), Order: r.OrderBy(), Limit: r.Limit()}
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
	c.Body = r.parenQuery()
	return Read(r, from, c)
}

// body reads set operations, which take what is left of them, and their operands.
func (r *Reader) body() Body {
	from := r.pos
	left := r.rows()
	for {
		op := ""
		switch {
		case r.Accept("UNION", "ALL"):
			op = "UNION ALL"
		default:
			op = r.OneOf("UNION", "INTERSECT", "EXCEPT")
		}
		if op == "" {
			return left
		}
		left = Read(r, from, &Compound{Op: op, Left: left, Right: r.rows()})
	}
}

// rows reads SELECT or VALUES.
func (r *Reader) rows() Body {
	from := r.pos
	switch {
	case r.Accept("VALUES"):
		return Read(r, from, &Values{Rows: List(r, r.row)})
	case r.Accept("SELECT"):
		return Read(r, from, r.selected())
	}
	r.unexpected("SELECT or VALUES")
	return nil
}

func (r *Reader) row() *Row {
	from := r.pos
	return Read(r, from, &Row{Items: ParenList(r, r.Expr)})
}

// selected reads what stands behind SELECT.
func (r *Reader) selected() *Select {
	s := &Select{Distinct: r.Accept("DISTINCT")}
	s.All = !s.Distinct && r.Accept("ALL")
	s.Items = List(r, r.item)
	if r.Accept("FROM") {
		s.From = r.From()
	}
	s.Where = r.Where()
	if r.Accept("GROUP", "BY") {
		s.Group = List(r, r.Expr)
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
		i.X = r.star(nil, from)
	case r.peek(1).is(".") && r.peek(2).is("*"):
		table := r.Name()
		r.Expect(".")
		i.X = r.star(table, from)
	default:
		i.X = r.Expr()
		i.Alias = r.alias()
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

// From reads the tables of a FROM clause and how they are joined. A comma binds as all other joins do.
func (r *Reader) From() TableRef {
	from := r.pos
	left := r.tableRef()
	for {
		kind, natural := r.join()
		if kind == "" {
			break
		}
		j := &Join{Left: left, Kind: kind, Natural: natural, Right: r.tableRef()}
		if r.Accept("ON") {
			j.On = r.Expr()
		} else if r.Accept("USING") {
			j.Using = r.Names()
		}
		left = Read(r, from, j)
	}
	if r.Is("ON") || r.Is("USING") {
		r.Fail("%s belongs to no join", r.tok().Key)
	}
	return left
}

// join passes the words of a join, or a comma; kind is "" where none is next.
func (r *Reader) join() (kind JoinKind, natural bool) {
	if r.Accept(",") {
		return CommaJoin, false
	}
	natural = r.Accept("NATURAL")
	kind = InnerJoin
	switch side := r.OneOf("LEFT", "RIGHT", "FULL", "INNER", "CROSS"); side {
	case "LEFT", "RIGHT", "FULL":
		r.Accept("OUTER")
		kind = JoinKind(side + " JOIN")
	case "CROSS":
		kind = CrossJoin
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
	switch {
	case r.Is("(") && r.queryNext(1):
		d := &Derived{Query: r.parenQuery()}
		d.Alias = r.alias()
		return Read(r, from, d)
	case r.Accept("("):
		p := &ParenTable{X: r.From()}
		r.Expect(")")
		p.Alias = r.alias()
		return Read(r, from, p)
	}
	return r.named(true)
}

// named reads a table by its name, or a function that is one; in FROM with an alias and a hint.
func (r *Reader) named(inFrom bool) TableRef {
	from := r.pos
	t := &Table{Name: r.Name()}
	if r.Accept(".") {
		t.Schema, t.Name = t.Name, r.Name()
	}
	if r.Accept("(") {
		f := &TableCall{Schema: t.Schema, Name: t.Name}
		if !r.Is(")") {
			f.Args = List(r, r.Expr)
		}
		r.Expect(")")
		if inFrom {
			f.Alias = r.alias()
		}
		return Read(r, from, f)
	}
	if inFrom {
		t.Alias = r.alias()
		t.Hint = r.hint()
	}
	return Read(r, from, t)
}

func (r *Reader) hint() *Indexed {
	if r.d.TableHint == nil {
		return nil
	}
	return r.d.TableHint(r)
}

// Target reads the table that a statement writes, which may be hinted how to find rows.
func (r *Reader) Target(hinted bool) *Table {
	from := r.pos
	t := &Table{Name: r.Name()}
	if r.Accept(".") {
		t.Schema, t.Name = t.Name, r.Name()
	}
	if r.Accept("AS") {
		t.Alias = r.Name()
	}
	if hinted {
		t.Hint = r.hint()
	}
	return Read(r, from, t)
}

// Assigns reads the assignments of a SET clause.
func (r *Reader) Assigns() []*Assign { return List(r, r.assign) }

func (r *Reader) assign() *Assign {
	from := r.pos
	a := &Assign{Row: r.Is("(")}
	if a.Row {
		a.Columns = r.Names()
	} else {
		a.Columns = []*Name{r.Name()}
	}
	r.Expect("=")
	a.Value = r.Expr()
	return Read(r, from, a)
}

package sql

import "slices"

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

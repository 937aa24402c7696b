package sql

import "slices"

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

type link struct {
	*Join
	from, to int
}

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
		if !natural && (r.d.Grammar.LooseCommas || r.Any("ON", "USING")) {
			open = append(open, j)
			continue
		}
		j.Right, j.to = right, r.pos
		right, at = r.closed(j), j.from
	}
}

func (r *Reader) closed(l link) TableRef {
	r.readTo(l.from, l.to, l.Join)
	return l.Join
}

func (r *Reader) leftOf(open []link, right TableRef) TableRef {
	for i := len(open) - 1; i >= 0; i-- {
		if open[i].Kind == LeftJoin || open[i].Kind == RightJoin {
			r.unexpected("ON")
		}
		right = r.leftmost(open[i], right)
	}
	return right
}

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

func (r *Reader) placeBehind(n Node) int {
	to := int(n.head().to)
	at, _ := slices.BinarySearchFunc(r.tokens, to, func(t Token, to int) int { return t.At - to })
	return at
}

func (r *Reader) condition(j *Join) {
	if r.Accept("ON") {
		j.On = r.Expr()
		return
	}
	r.Expect("USING")
	j.Using = r.Names()
}

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

func (r *Reader) tableRef() TableRef {
	from := r.pos
	lateral := r.d.Grammar.LooseCommas && r.Is("LATERAL", "(") && r.Accept("LATERAL")
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
		if !r.d.Grammar.LooseCommas {
			p.Alias = r.alias()
		}
		return Read(r, from, p)
	}
	return r.named(true)
}

func (r *Reader) named(inFrom bool) TableRef {
	from := r.pos
	t := r.TableName()
	if r.Is("(") && !r.d.Grammar.LooseCommas && r.Accept("(") {
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
		if r.d.TablePlace != nil {
			r.d.TablePlace(r, t)
		}
		t.Alias = r.alias()
		t.Hints = r.indexHints()
	}
	return Read(r, from, t)
}

func (r *Reader) TableName() *Table {
	if t := r.tok(); t.Kind == Word && r.d.NoTable != "" && t.is(r.d.NoTable) {
		return &Table{Name: r.name()}
	}
	t := &Table{Name: r.Name()}
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

func (r *Reader) Target(hinted bool) *Table {
	from := r.pos
	return r.target(from, r.TableName(), hinted)
}

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
	if r.Accept("AS") {
		t.Alias = r.Name()
	}
	if hinted {
		t.Hints = r.indexHints()
	}
	return Read(r, from, t)
}

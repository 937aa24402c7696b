package sql

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

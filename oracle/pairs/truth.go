package pairs

import (
	"txweave/history"
	"txweave/sql"
	"txweave/sql/classes"
)

// truth is what a condition is for a row.
type truth uint8

const (
	unsure truth = iota // not known: of a kind of values that is not told apart here
	yes
	no
	neither // NULL
)

// truth tells a condition for a row, of whole numbers and NULL alone: how texts compare is up to their collation.
func (l *listing) truth(x sql.Expr, r row) truth {
	if x == nil {
		return yes
	}
	switch n := sql.Bare(x).(type) {
	case *sql.Unary:
		if n.Op == sql.OpNot {
			return not(l.truth(n.X, r))
		}
	case *sql.Binary:
		switch n.Op {
		case sql.OpAnd:
			return not(either(not(l.truth(n.Left, r)), not(l.truth(n.Right, r))))
		case sql.OpOr:
			return either(l.truth(n.Left, r), l.truth(n.Right, r))
		case sql.OpEq, sql.OpNe, sql.OpLt, sql.OpLe, sql.OpGt, sql.OpGe:
			return compare(n.Op, l.value(n.Left, r), l.value(n.Right, r))
		}
	case *sql.Between:
		if n.Symmetric {
			return unsure
		}
		x := l.value(n.X, r)
		t := not(either(not(compare(sql.OpGe, x, l.value(n.Low, r))), not(compare(sql.OpLe, x, l.value(n.High, r)))))
		return notIf(n.Not, t)
	case *sql.In:
		if n.Query != nil || n.Table != nil || len(n.List) == 0 {
			return unsure
		}
		t := no
		for _, y := range n.List {
			t = either(t, compare(sql.OpEq, l.value(n.X, r), l.value(y, r)))
		}
		return notIf(n.Not, t)
	case *sql.Is:
		v, known := l.value(n.X, r), true
		if v == nil || n.What != "NULL" {
			known = false
		}
		switch {
		case !known:
			return unsure
		case (v.Kind == history.Null) != n.Not:
			return yes
		}
		return no
	}
	return unsure
}

// either is a OR b.
func either(a, b truth) truth {
	switch {
	case a == yes || b == yes:
		return yes
	case a == unsure || b == unsure:
		return unsure
	case a == neither || b == neither:
		return neither
	}
	return no
}

func not(t truth) truth {
	switch t {
	case yes:
		return no
	case no:
		return yes
	}
	return t
}

func notIf(is bool, t truth) truth {
	if is {
		return not(t)
	}
	return t
}

// value is the value of an expression for a row; nil where it is not known, or no whole number.
func (l *listing) value(x sql.Expr, r row) *history.Value {
	if v, ok := integer(x); ok {
		return &v
	}
	c, ok := sql.Bare(x).(*sql.Column)
	if !ok {
		return nil
	}
	name, own := l.column(c)
	v, known := r[name]
	if !own || !known || !whole(l.table.Column(name)) || v.Kind != history.Int && v.Kind != history.Null {
		return nil
	}
	return &v
}

// integer is a literal's value, where it is a whole number.
func integer(x sql.Expr) (history.Value, bool) {
	if x == nil {
		return history.Value{}, false
	}
	n, ok := classes.Integer(x)
	return history.IntValue(n), ok
}

// compare compares two values; nil is one that is not known.
func compare(op sql.Op, a, b *history.Value) truth {
	switch {
	case a != nil && a.Kind == history.Null, b != nil && b.Kind == history.Null:
		return neither
	case a == nil || b == nil:
		return unsure
	}
	is := map[sql.Op]bool{sql.OpEq: a.N == b.N, sql.OpNe: a.N != b.N, sql.OpLt: a.N < b.N, sql.OpLe: a.N <= b.N,
		sql.OpGt: a.N > b.N, sql.OpGe: a.N >= b.N}[op]
	if is {
		return yes
	}
	return no
}

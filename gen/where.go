package gen

import (
	"txweave/sql"
	"txweave/sql/build"
)

// Where productions: how an UPDATE, a DELETE or a locking read finds its rows; nothing means all of them. The first
// reference of the scope is the table in question.

func wherePoint(g *generator, sc *scope, _ int) sql.Expr {
	r := sc.refs[0]
	if g.pct(65) {
		return whereKey(g, sc, 0)
	}
	if len(r.base.own) > 1 && g.pct(ownShare) { // the first column of a key alone
		if key := r.base.keyOf(g.nameKey(r.base)); key != nil {
			return build.Eq(r.col(r.base.own[0]), g.lit(key[0]))
		}
	}
	column, keys := "pkey", make([]sql.Expr, g.between(2, 3))
	own := len(r.base.own) == 1 && g.pct(ownShare)
	for i := range keys {
		k := g.nameKey(r.base)
		keys[i] = build.Int(k)
		if key := r.base.keyOf(k); own && len(key) == 1 {
			column, keys[i] = r.base.own[0].name, g.lit(key[0])
		} else {
			own = false
		}
		if !own && column != "pkey" { // a row that may not be there: its own key is not known
			keys = keys[:i]
			break
		}
	}
	return build.In(build.Column(r.alias, column), false, keys...)
}

// whereFiltered finds rows by their keys, of which a predicate holds of some: those of which it does not are locked, or
// not, all the same.
func whereFiltered(g *generator, sc *scope, depth int) sql.Expr {
	return build.All(wherePoint(g, sc, 0), g.predicate(sc, max(depth-1, 0)))
}

// whereKey finds one row.
func whereKey(g *generator, sc *scope, _ int) sql.Expr {
	r := sc.refs[0]
	k := g.nameKey(r.base)
	return g.at(r, k, r.base.keyOf(k))
}

// nameKey returns a pkey that may exist in t and notes it as one of those that the statement names.
func (g *generator) nameKey(t *table) int64 {
	k := g.key(t)
	g.named = append(g.named, k)
	return k
}

func whereRange(g *generator, sc *scope, _ int) sql.Expr {
	r := sc.refs[0]
	k := g.nameKey(r.base)
	if cond, ok := g.ownRange(r, k); ok {
		return cond
	}
	return build.Between(r.pkey(), build.Int(k), build.Int(k+g.width(r.base)))
}

func whereFree(g *generator, sc *scope, depth int) sql.Expr {
	return g.anchored(sc, g.predicate(sc, depth))
}

// whereBoth narrows a free predicate to a range of keys.
func whereBoth(g *generator, sc *scope, depth int) sql.Expr {
	if g.pct(wideShare) {
		return build.All(whereWide(g, sc, 0), g.predicate(sc, depth))
	}
	return build.All(whereRange(g, sc, 0), g.predicate(sc, depth))
}

// whereWhole leaves the clause out.
func whereWhole(*generator, *scope, int) sql.Expr { return nil }

package gen

import (
	"slices"
	"strings"

	"txweave/sql"
	"txweave/sql/build"
)

// Writes of several tables. A row can be met with several rows of the other table, and the order of assignments is not
// promised: so what a column gets depends on nothing but that column.

// severalBoth: such UPDATEs and DELETEs that write both tables, in percent. severalOuter: joins that are LEFT JOINs.
const (
	severalBoth  = 60
	severalOuter = 20
)

// twoTables draws two tables, joined under the names r0 and r1.
func (g *generator) twoTables() (sc *scope, joined *sql.Join) {
	a := g.table()
	g.banned = a
	b := g.table()
	sc = &scope{flat: true}
	joined = build.Join(g.addTable(sc, a), sql.InnerJoin, nil, nil)
	if g.pct(severalOuter) {
		joined.Kind = sql.LeftJoin
	}
	joined.Right = g.addTable(sc, b)
	if g.pct(50) {
		joined.On = build.Eq(sc.refs[0].pkey(), sc.refs[1].pkey())
	} else {
		joined.On = g.joinOn(sc)
	}
	return sc, joined
}

// severalWhere returns a condition for two joined tables.
func (g *generator) severalWhere(sc *scope) sql.Expr {
	switch g.between(0, 3) {
	case 0:
		return wherePoint(g, sc, 0)
	case 1:
		return whereRange(g, sc, 0)
	case 2:
		return build.All(whereRange(g, sc, 0), g.predicate(sc, 1))
	}
	return g.predicate(sc, 1)
}

// stmtUpdateSeveral is UPDATE of two joined tables, of which it writes one or both.
func stmtUpdateSeveral(g *generator) sql.Stmt {
	if len(g.tables) < 2 {
		return stmtUpdate(g)
	}
	sc, from := g.twoTables()
	vkey := g.vkey()
	var set []*sql.Assign
	var wrote []*table
	for _, r := range sc.refs {
		if len(wrote) > 0 && !g.pct(severalBoth) {
			continue
		}
		values := g.apartFrom(r, r.alias)
		if len(values) == 0 {
			continue
		}
		wrote = append(wrote, r.base)
		set = append(append(set, g.versionOf(r.base, r.alias, r.alias, vkey)...), values...)
	}
	if len(wrote) == 0 {
		g.startStmt()
		return stmtUpdate(g)
	}
	n := &sql.Update{Table: from, Set: set, Where: g.severalWhere(sc)}
	for _, t := range wrote {
		g.wrote(t)
	}
	return n
}

// apartFrom returns assignments to columns of a reference that do not depend on any other column; none where it has no
// column that is in no key. They are written under a name of the table, or "".
func (g *generator) apartFrom(r *ref, as string) []*sql.Assign {
	var set []*sql.Assign
	for _, at := range g.rng.Perm(len(r.base.cols))[:g.between(1, min(2, len(r.base.cols)))] {
		c := r.base.cols[at]
		if c.unique || c.discerns || c.max != 0 || c.parent != nil || slices.Contains(r.base.own, c) ||
			slices.Contains(r.base.pair, c) || r.base.inPrimary(c) {
			continue
		}
		set = append(set, build.Set(build.Column(as, c.name), g.apartValue(r, c)))
	}
	return set
}

// apartValue returns what such an assignment gives a column: nothing that could be an error.
func (g *generator) apartValue(r *ref, c *column) sql.Expr {
	switch {
	case c.special != nil:
		return g.lit(oneOf(g, c.pool))
	case !c.notNull && g.pct(8):
		return build.Null()
	case c.hasDefault && g.wants("default-value"):
		return &sql.DefaultValue{}
	case c.fam <= FamDecimal && g.pct(50):
		return assignStep(g, c, &scope{flat: true, refs: []*ref{{alias: r.alias, base: r.base, cols: []*column{c}}}}).x
	}
	return g.literal(c.fam, c.pool).x
}

// inPrimary says whether a column is part of the table's primary key.
func (t *table) inPrimary(c *column) bool {
	return slices.ContainsFunc(t.primary, func(part string) bool { return strings.HasPrefix(part+" ", c.name+" ") })
}

// stmtDeleteSeveral is DELETE from two joined tables, from one or both. Where rows of one refer to rows of the other,
// the order in which they are deleted would decide whether it fails: then it deletes from one.
func stmtDeleteSeveral(g *generator) sql.Stmt {
	if len(g.tables) < 2 {
		return stmtDelete(g)
	}
	sc, from := g.twoTables()
	of := []*sql.Table{build.Table(sc.refs[0].alias, "")}
	wrote := []*table{sc.refs[0].base}
	if !related(sc.refs[0].base, sc.refs[1].base) && g.pct(severalBoth) {
		of, wrote = append(of, build.Table(sc.refs[1].alias, "")), append(wrote, sc.refs[1].base)
	}
	if slices.ContainsFunc(wrote, g.chancy) {
		return stmtDelete(g)
	}
	n := &sql.DeleteJoined{Targets: of, From: from, Using: g.pct(30)}
	n.Where = g.severalWhere(sc)
	for _, t := range wrote {
		g.wrote(t)
	}
	return n
}

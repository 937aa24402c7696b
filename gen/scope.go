package gen

import (
	"fmt"
	"slices"

	"txweave/sql"
	"txweave/sql/build"
)

// expr is a typed SQL expression.
type expr struct {
	x       sql.Expr
	lit     string // the literal that it is; "": none
	fam     Family
	bound   float64  // |value| never exceeds it; for strings the length in characters
	notNull bool     // never NULL
	pool    []string // literals that are useful to compare it with
	special *Special // the type of a bare column that is in no family
	blurred bool     // reads a column that is Blurred
}

// ref is a table reference of a FROM clause.
type ref struct {
	alias string
	base  *table    // nil for a derived table or a CTE
	cols  []*column // the columns that expressions may use
	outer bool      // on the NULL-supplying side of an outer join

	limited bool // a derived table of the first rows of others
}

// scope holds the table references that an expression may use.
type scope struct {
	parent *scope // scope of the enclosing query, for correlated subqueries
	refs   []*ref
	flat   bool      // no subqueries in here
	with   *sql.With // common table expressions of the query itself
	cte    *cte      // the one that queries below it may read, too; nil: none
}

// column returns column c of the reference as an expression.
func (r *ref) column(c *column) expr {
	if c.special != nil {
		return expr{x: c.reading.Fill(r.col(c)), fam: c.fam, bound: c.bound, notNull: c.notNull && !r.outer,
			blurred: c.special.Blurred}
	}
	return expr{x: r.col(c), fam: c.fam, bound: c.bound, notNull: c.notNull && !r.outer, pool: c.known()}
}

// target returns the scope of an UPDATE or DELETE: the table under its own name. What triggers write the statement may
// not read.
func target(t *table) *scope {
	return &scope{flat: len(t.fires) > 0, refs: []*ref{{alias: t.name, base: t, cols: tableColumns(t)}}}
}

// tableColumns returns the columns of t that expressions may use. vkey and pvkey are not among them: they
// would make every result depend on every write.
func tableColumns(t *table) []*column {
	return slices.Concat([]*column{t.pkey}, t.cols, t.derived)
}

// newAlias returns a table alias that the statement does not use yet.
func (g *generator) newAlias() string {
	g.aliases++
	return fmt.Sprintf("r%d", g.aliases-1)
}

// newOutput returns an output name that the statement does not use yet.
func (g *generator) newOutput() string {
	g.exprs++
	return fmt.Sprintf("e%d", g.exprs-1)
}

// addBase adds a reference to a random base table to sc and returns it. It takes one from the budget.
func (g *generator) addBase(sc *scope) *sql.Table {
	return g.addTable(sc, g.table())
}

// addTable adds a reference to t to sc and returns it.
func (g *generator) addTable(sc *scope, t *table) *sql.Table {
	g.refs--
	r := &ref{alias: g.newAlias(), base: t, cols: tableColumns(t)}
	sc.refs = append(sc.refs, r)
	from := build.Table(t.name, r.alias)
	from.Hints = g.hint(t)
	return from
}

// shifted is the row key of a reference, moved by the base of an INSERT's keys.
func (r *ref) shifted(base int64) sql.Expr {
	return build.Binary(build.Int(base), sql.OpAdd, r.pkey())
}

// query is the query of a scope, with its common table expressions.
func (sc *scope) query(b sql.Body) *sql.Query { return &sql.Query{With: sc.with, Body: b} }

// table returns a table, the first ones more often, never the banned one.
func (g *generator) table() *table {
	if w := g.txn.wrote; len(w) > 0 && g.pct(g.style.own) {
		if t := oneOf(g, w); t != g.banned {
			return t
		}
	}
	for {
		i := g.rng.IntN(len(g.tables))
		if g.pct(g.style.hot) {
			i = g.rng.IntN(min(2, len(g.tables)))
		}
		if g.tables[i] != g.banned {
			return g.tables[i]
		}
	}
}

// canRead reports whether a subquery may be added: the budget has room, and there is a table to read.
func (g *generator) canRead(sc *scope) bool {
	return !sc.flat && g.refs > 0 && (g.banned == nil || len(g.tables) > 1)
}

// place is a column of a reference, that an expression may be.
type place struct {
	r *ref
	c *column
}

// expr is the column as an expression.
func (p place) expr() expr { return p.r.column(p.c) }

func (p place) notNull() bool { return p.c.notNull && !p.r.outer }

// drawn is one of several columns, all equally likely.
func (g *generator) drawn(of []place) expr { return oneOf(g, of).expr() }

// columns returns the columns of the scope's own references that are in one of the families; all when none is given.
func (sc *scope) columns(fams ...Family) []place {
	var all []place
	for _, r := range sc.refs {
		for _, c := range r.cols {
			if len(fams) == 0 || slices.Contains(fams, c.fam) {
				all = append(all, place{r, c})
			}
		}
	}
	return all
}

// bases returns the references to base tables.
func (sc *scope) bases() []*ref {
	var all []*ref
	for _, r := range sc.refs {
		if r.base != nil {
			all = append(all, r)
		}
	}
	return all
}

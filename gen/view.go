package gen

import (
	"slices"

	"txweave/sql"
	"txweave/sql/build"
	"txweave/testcase"
)

// Views and triggers. They are drawn after the rows, from a random stream of their own: a case without any is the same
// whether or not there are such cases.

// viewShare: table references of cases with views that are one, in percent.
const viewShare = 35

// view is a view of the case: a query that reads like a derived table.
type view struct {
	name   string
	cols   []*column
	tables []*table // that it reads
	refs   int      // references to tables that it counts for
}

// viewTable weighs what views are.
var viewTable = []production[func(*generator) (body *sql.Query, cols []*column)]{
	{"view-rows", 50, viewRows, about{apart: true, what: "some rows of a table, which can be merged into a query",
		covers: "view; g:view", needs: CanView}},
	{"view-query", 50, viewQuery,
		about{apart: true, what: "any query that a derived table can be: joins, groups, set operations, windows",
			covers: "view; g:view", needs: CanView}},
}

// aside runs f with the random stream of a production that is drawn apart.
func (g *generator) aside(name string, f func()) {
	rng, txn := g.rng, g.txn
	g.rng, g.txn = g.beside(name), &txnState{}
	f()
	g.rng, g.txn = rng, txn
}

// drawViews draws the views of a case, and returns the statements that make them.
func (g *generator) drawViews() (stmts []testcase.Stmt) {
	g.aside("view-there", func() {
		if !g.wants("view-there") {
			return
		}
		for i := range g.between(1, 2) {
			g.startStmt()
			g.refs = 2 // a join of views is a join of all that they read
			v := &view{name: "v" + string(rune('0'+i))}
			body, cols := choose(g, viewTable)(g)
			v.cols, v.refs = cols, 2*(2-g.refs) // what joins views joins all their rows
			for _, t := range g.tables {
				if sql.Has(body, func(n sql.Node) bool {
					from, ok := n.(*sql.Table)
					return ok && from.Name.Value == t.name
				}) {
					v.tables = append(v.tables, t)
				}
			}
			g.viewed = append(g.viewed, v)
			stmts = append(stmts, g.finished(&sql.CreateView{Name: object(v.name), Query: body}))
		}
	})
	return stmts
}

func viewRows(g *generator) (*sql.Query, []*column) {
	sc := &scope{flat: true}
	from := g.addBase(sc)
	from.Hints = nil
	r := sc.refs[0]
	var cols []*column
	var outs []sql.Expr
	for _, c := range tableColumns(r.base) {
		if c.special == nil {
			cols, outs = append(cols, c), append(outs, r.col(c))
		}
	}
	s := block(from, nil, build.Items(outs...)...)
	if g.pct(70) {
		s.Where = g.predicate(sc, 1)
	}
	return build.Query(s), cols
}

func viewQuery(g *generator) (*sql.Query, []*column) {
	g.nesting = 1
	body, cols := g.derivedBody()
	g.nesting = 0
	return body, cols
}

// sourceView reads a view, or a table where there is no view that may be read here.
func sourceView(g *generator, sc *scope) sql.TableRef {
	fit := slices.DeleteFunc(slices.Clone(g.viewed), func(v *view) bool {
		return v.refs > g.refs || g.banned != nil && slices.Contains(v.tables, g.banned)
	})
	if len(fit) == 0 {
		return g.addBase(sc)
	}
	v := oneOf(g, fit)
	g.refs -= v.refs
	r := &ref{alias: g.newAlias(), cols: v.cols}
	sc.refs = append(sc.refs, r)
	return build.Table(v.name, r.alias)
}

// readsView draws whether a view is read in place of a table, in cases that have any.
func (g *generator) readsView() bool {
	return len(g.viewed) > 0 && g.beside("view-there").IntN(100) < viewShare
}

package analysis

import (
	"errors"
	"fmt"
	"strings"

	"txweave/sql"
	"txweave/sql/sqltext"
)

// maxViews is how deep views may stand on views: more is one that stands on itself.
const maxViews = 16

// own makes of a statement one about the tables of the schema alone.
func (r *Reader) own(s *sqltext.Schema, stmt sql.Stmt) (sql.Stmt, error) {
	stmt, err := r.family(s, stmt)
	if err != nil {
		return nil, err
	}
	return r.withoutViews(s, r.withoutDual(stmt))
}

// withoutDual leaves out FROM where it names no table: FROM DUAL.
func (r *Reader) withoutDual(stmt sql.Stmt) sql.Stmt {
	none := func(n sql.Node) *sql.Select {
		sel, ok := n.(*sql.Select)
		if !ok {
			return nil
		}
		t, ok := sel.From.(*sql.Table)
		if !ok || t.Schema != nil || t.Name.Quote != 0 || !strings.EqualFold(t.Name.Value, r.Dialect.NoTable) {
			return nil
		}
		return sel
	}
	if !sql.Has(stmt, func(n sql.Node) bool { return none(n) != nil }) {
		return stmt
	}
	return sql.Rewrite(stmt, func(n sql.Node) sql.Node {
		if sel := none(n); sel != nil {
			return sql.Edit(sel, func(s *sql.Select) { s.From = nil })
		}
		return n
	})
}

// withoutViews writes the queries of views in their places, as derived tables: what a statement reads through a view is
// what it would read then. So it does with tables that hold a part of another one's rows.
func (r *Reader) withoutViews(s *sqltext.Schema, stmt sql.Stmt) (sql.Stmt, error) {
	if len(s.Views)+len(s.Heirs) == 0 {
		return stmt, nil
	}
	v := &viewer{reader: r, schema: s}
	out := v.through(stmt, 0)
	return out.(sql.Stmt), v.err
}

// viewer replaces views by their queries.
type viewer struct {
	reader *Reader
	schema *sqltext.Schema
	err    error
}

// through is a tree without views, below a number of them.
func (v *viewer) through(root sql.Node, depth int) sql.Node {
	ctes := map[string]bool{} // which come before views
	sql.Walk(root, func(n sql.Node) bool {
		if cte, ok := n.(*sql.CTE); ok {
			if v.schema.View(cte.Name.Folded()) != nil { // which of the two a name means is a matter of scopes
				v.err = fmt.Errorf("common table expression %s hides a view", cte.Name.Value)
			}
			ctes[cte.Name.Folded()] = true
		}
		return true
	})
	return sql.Replace(root, func(n sql.Node, above []sql.Node) sql.Node {
		t, ok := n.(*sql.Table)
		if !ok || v.err != nil || t.Schema != nil || ctes[t.Name.Folded()] || !isRead(t, above) {
			return n
		}
		query := v.queryOf(t)
		if query == "" {
			return n
		}
		if depth == maxViews {
			v.err = fmt.Errorf("view %s stands on itself", t.Name.Value)
			return n
		}
		stmt, err := v.reader.Dialect.Parse(query)
		q, isQuery := stmt.(*sql.Query)
		if err != nil || !isQuery {
			v.err = errors.Join(fmt.Errorf("view %s is no query that is read", t.Name.Value), err)
			return n
		}
		alias := t.Alias
		if alias == nil {
			alias = t.Name
		}
		return &sql.Derived{Query: v.through(q, depth+1).(*sql.Query), Alias: alias, Columns: t.Columns}
	})
}

// isRead says whether a table stands where a query could.
func isRead(t *sql.Table, above []sql.Node) bool {
	if len(above) == 0 {
		return false
	}
	switch x := above[len(above)-1].(type) {
	case *sql.Insert, *sql.Whole:
		return false
	case *sql.Delete:
		return sql.TableRef(t) == x.Using
	case *sql.Update:
		return sql.TableRef(t) == x.From
	case *sql.Merge:
		return sql.TableRef(t) == x.Source
	case *sql.DeleteJoined:
		return sql.TableRef(t) == x.From
	}
	return true
}

// queryOf is the query that a table's name stands for; "" where it is a table of the schema.
func (v *viewer) queryOf(t *sql.Table) string {
	name := t.Name.Folded()
	if view := v.schema.View(name); view != nil {
		return view.Query
	}
	h := v.schema.Heir(name)
	if h == nil || h.Own() && !t.Only {
		return ""
	}
	return "SELECT " + strings.Join(v.schema.Table(h.Of).Names(), ", ") + " FROM " + h.Of + " WHERE " + h.Where("")
}

// Tables that inherit. The rows of all of them are the parent's: who reads t reads them all, who reads ONLY t, or one
// of those that inherit by its name, reads those that its CHECK lets in, as a view of t would. So do writes: an INSERT
// writes t, in whichever table the row lies, and UPDATE ONLY t is an UPDATE of t with one more condition.

// family makes of a statement that writes one of several tables which hold another one's rows a statement that writes
// that.
func (r *Reader) family(s *sqltext.Schema, stmt sql.Stmt) (sql.Stmt, error) {
	if len(s.Heirs) == 0 {
		return stmt, nil
	}
	switch n := stmt.(type) {
	case *sql.Insert:
		h := s.Heir(n.Table.Name.Folded())
		switch {
		case h == nil:
			return stmt, nil
		case len(n.Conflicts) > 0:
			return nil,
				errors.New(
					"ON CONFLICT of a table that others inherit from, or that inherits, is not read: no key of one holds the rows " +
						"of the others")
		}
		return sql.Edit(n, func(n *sql.Insert) {
			n.Table = sql.Edit(n.Table, func(t *sql.Table) { t.Name = &sql.Name{Value: h.Of} })
		}), nil
	case *sql.Update:
		t, ok := n.Table.(*sql.Table)
		if !ok {
			return stmt, nil
		}
		whole, more, err := r.narrowed(s, t, n.From != nil)
		if err != nil || more == nil {
			return stmt, err
		}
		return sql.Edit(n, func(n *sql.Update) { n.Table, n.Where = whole, and(more, n.Where) }), nil
	case *sql.Delete:
		whole, more, err := r.narrowed(s, n.Table, n.Using != nil)
		if err != nil || more == nil {
			return stmt, err
		}
		return sql.Edit(n, func(n *sql.Delete) { n.Table, n.Where = whole, and(more, n.Where) }), nil
	}
	return stmt, nil
}

// narrowed is what UPDATE and DELETE write as the whole table and a condition; without one it is that as it stands.
func (r *Reader) narrowed(s *sqltext.Schema, t *sql.Table, joined bool) (whole *sql.Table, more sql.Expr, err error) {
	h := s.Heir(t.Name.Folded())
	switch {
	case h == nil || h.Own() && !t.Only:
		return t, nil, nil
	case !h.Own():
		return nil, nil, fmt.Errorf("%s inherits from %s: that is what UPDATE and DELETE are to name, ONLY or not",
			h.Name, h.Of)
	case joined || t.Alias != nil:
		return nil, nil, errors.New("ONLY is read of writes that read no further table, of a table without an alias")
	}
	more, err = r.Dialect.ParseExpr(h.Where(h.Of))
	return sql.Edit(t, func(t *sql.Table) { t.Only = false }), more, err
}

// and joins two conditions, the second of which may be none.
func and(a, b sql.Expr) sql.Expr {
	if b == nil {
		return a
	}
	return &sql.Binary{Op: sql.OpAnd, Left: a, Right: b}
}

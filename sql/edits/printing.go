package edits

import (
	"slices"

	"txweave/sql"
	"txweave/sql/classes"
	"txweave/sql/sqltext"
)

// Printing returns queries that tell what a query reads, for one that does not print it: each prints pkey and vkey of
// one of its tables, of all rows, or of those for which its conditions on that table alone are true. They come in the
// order of how much they explain.
func Printing(stmt sql.Stmt, s *sqltext.Schema) (out []*sql.Query) {
	q, ok := stmt.(*sql.Query)
	if x, made := stmt.(*sql.CreateTable); made && x.As != nil {
		q, ok = x.As, true
	}
	if !ok || len(q.Locks) > 0 {
		return nil
	}
	for _, x := range referencesIn(q).sources { // first the snapshot, which explains more
		if t, base := x.(*sql.Table); base && versioned(s, t) {
			out = addPrinting(out, tells(t, nil, nil))
		}
	}
	sel, block := q.Body.(*sql.Select)
	if !block || sel.From == nil || q.With != nil {
		return out
	}
	leaves := classes.Leaves(sel.From)
	conditions := append(conjuncts(sel.Where), joinConditions(sel.From)...)
	for _, x := range leaves {
		t, base := x.(*sql.Table)
		if !base || !versioned(s, t) {
			continue
		}
		if own := ofTable(t, conditions, len(leaves) == 1); own != nil {
			out = addPrinting(out, tells(t, &sql.Name{Value: classes.SourceName(t)}, own))
		}
	}
	return out
}

// ofTable joins the conditions that are about one table; nil for none. alone says that it is the only one.
func ofTable(t *sql.Table, conditions []sql.Expr, alone bool) (own sql.Expr) {
	for _, c := range conditions {
		if about(c, classes.SourceName(t), alone) {
			own = both(own, c)
		}
	}
	return own
}

func both(a, b sql.Expr) sql.Expr {
	if a == nil {
		return b
	}
	return &sql.Binary{Op: sql.OpAnd, Left: a, Right: b}
}

// versioned says whether a table has keys of rows and versions, and is read as a whole.
func versioned(s *sqltext.Schema, t *sql.Table) bool {
	known := s.Table(t.Name.Folded())
	return known != nil && !t.Only && known.Column(sqltext.PKey) != nil && known.Column(sqltext.VKey) != nil
}

// tells prints pkey and vkey of a table, of all rows or of those that a condition lets through.
func tells(t *sql.Table, alias *sql.Name, where sql.Expr) *sql.Query {
	of := func(name string) *sql.Item {
		return &sql.Item{X: &sql.Column{Table: alias, Name: &sql.Name{Value: name}}}
	}
	return &sql.Query{Body: &sql.Select{
		Items: []*sql.Item{of(sqltext.PKey), of(sqltext.VKey)}, From: &sql.Table{Name: t.Name, Alias: alias}, Where: where,
	}}
}

func addPrinting(list []*sql.Query, q *sql.Query) []*sql.Query {
	if slices.ContainsFunc(list, func(o *sql.Query) bool { return sql.Equal(o, q) }) {
		return list
	}
	return append(list, q)
}

// conjuncts are the conditions all of which one is true for.
func conjuncts(x sql.Expr) []sql.Expr {
	switch n := sql.Bare(x).(type) {
	case nil:
		return nil
	case *sql.Binary:
		if n.Op == sql.OpAnd {
			return append(conjuncts(n.Left), conjuncts(n.Right)...)
		}
	}
	return []sql.Expr{sql.Bare(x)}
}

// joinConditions are those of a FROM clause's inner joins.
func joinConditions(from sql.TableRef) (out []sql.Expr) {
	switch x := from.(type) {
	case *sql.ParenTable:
		return joinConditions(x.X)
	case *sql.Join:
		if x.Kind == sql.InnerJoin || x.Kind == sql.CrossJoin || x.Kind == sql.CommaJoin {
			out = conjuncts(x.On)
		}
		return append(append(out, joinConditions(x.Left)...), joinConditions(x.Right)...)
	}
	return nil
}

// about says whether a condition is one of a single table's columns, and of nothing else.
func about(x sql.Expr, alias string, alone bool) (is bool) {
	other := false
	classes.Visit(x, func(n sql.Node) bool {
		switch c := n.(type) {
		case *sql.Query:
			other = true
		case *sql.Column:
			is = true
			of := c.Table.Folded()
			other = other || of != alias && (of != "" || !alone)
		}
		return !other
	})
	return is && !other
}

package edits

import "txweave/sql"

// from adds the edits of a FROM clause, or of what a write joins.
func (e *editor) from(x sql.TableRef) {
	switch x := x.(type) {
	case *sql.Join:
		e.join(x)
	case *sql.ParenTable:
		e.from(x.X)
		if x.Alias == nil {
			e.late = append(e.late, e.replacing(x, x.X))
		}
	case *sql.Table:
		dropAll(e, "", x.Hints)
		if x.Sample != nil {
			e.drop("", x.Sample)
		}
		dropAll(e, "", x.Partitions)
	case *sql.Derived:
		e.query(x.Query, tied(x.Columns))
		plainer(e, x, func(d *sql.Derived) { d.Lateral = false })
	}
}

// join adds the edits of a join. What has no condition is said as one database says it, and as another one.
func (e *editor) join(n *sql.Join) {
	e.edits = append(e.edits, Edit{"the join", e.replacing(n, n.Left).apply})
	e.replace(n, n.Right)
	conditional := n.On != nil || n.Using != nil || n.Natural
	plain := n.Kind == sql.InnerJoin || n.Kind == sql.CrossJoin || n.Kind == sql.CommaJoin
	if conditional {
		change(e, "", n, func(j *sql.Join) { j.Kind = sql.InnerJoin })
	}
	if conditional || !plain {
		for _, kind := range []sql.JoinKind{sql.InnerJoin, sql.CrossJoin} {
			change(e, "", n, func(j *sql.Join) { j.Kind, j.Natural, j.On, j.Using = kind, false, nil, nil })
		}
	}
	e.from(n.Left)
	e.from(n.Right)
	e.values(n.On)
}

package edits

import (
	"slices"

	"txweave/sql"
	"txweave/sql/classes"
)

// SameShape says whether two statements are the same but for the names in them, those of functions left out.
func SameShape(a, b sql.Stmt) bool { return sql.Equal(nameless(a), nameless(b)) }

// nameless is a statement with one name in the place of all.
func nameless(stmt sql.Stmt) sql.Stmt {
	same := &sql.Name{Value: "x"}
	return sql.Replace(stmt, func(n sql.Node, above []sql.Node) sql.Node {
		name, ok := n.(*sql.Name)
		if !ok {
			return n
		}
		if c, call := above[len(above)-1].(*sql.Call); call && name == c.Name {
			return n
		}
		return same
	})
}

// WithoutColumns takes columns, by table, out of the assignments of an UPDATE or the lists of an INSERT. ok is false
// where there is nothing to be done.
func WithoutColumns(stmt sql.Stmt, gone map[string]map[string]bool) (out sql.Stmt, ok bool) {
	switch n := stmt.(type) {
	case *sql.Update:
		leaves := classes.Leaves(n.Table)
		if len(leaves) == 0 {
			return stmt, false
		}
		out = sql.Edit(n, func(n *sql.Update) { n.Set = someAssigns(n.Set, gone[classes.TableOf(leaves[0])]) })
	case *sql.Insert:
		out = withoutColumns(n, gone[classes.TableOf(n.Table)])
	default:
		return stmt, false
	}
	return out, out != stmt
}

// keptAssigns are the assignments that are not to columns that are gone.
func keptAssigns(list []*sql.Assign, gone map[string]bool) (out []*sql.Assign) {
	isGone := func(c *sql.Column) bool { return gone[c.Name.Folded()] }
	for _, a := range list {
		single := spreadRow(a)
		switch {
		case !slices.ContainsFunc(a.Columns, isGone):
			out = append(out, a)
		case single != nil:
			out = append(out, keptAssigns(single, gone)...)
		}
	}
	return out
}

// someAssigns are those, or all where none is left: without any it would be another clause.
func someAssigns(list []*sql.Assign, gone map[string]bool) []*sql.Assign {
	if kept := keptAssigns(list, gone); len(kept) > 0 {
		return kept
	}
	return list
}

// withoutColumns is an INSERT without some columns, if its rows can do without them.
func withoutColumns(n *sql.Insert, gone map[string]bool) sql.Stmt {
	keep := make([]bool, len(n.Columns))
	for i, c := range n.Columns {
		keep[i] = !gone[c.Folded()]
	}
	source, ok := narrowed(n.Source, keep)
	if !ok {
		return n
	}
	return sql.Edit(n, func(n *sql.Insert) {
		n.Source, n.Columns = source, kept(n.Columns, keep)
		n.Set, n.Duplicate = someAssigns(n.Set, gone), someAssigns(n.Duplicate, gone)
		n.Conflicts = slices.Clone(n.Conflicts)
		for i, c := range n.Conflicts {
			n.Conflicts[i] = sql.Edit(c, func(c *sql.OnConflict) { c.Set = someAssigns(c.Set, gone) })
		}
	})
}

// narrowed is a query without some of its columns; ok is false where it has others than those.
func narrowed(q *sql.Query, keep []bool) (out *sql.Query, ok bool) {
	if q == nil {
		return nil, true
	}
	switch b := q.Body.(type) {
	case *sql.Select:
		ok = len(b.Items) == len(keep) && !slices.ContainsFunc(b.Items, isStar)
		q = sql.Edit(q, func(q *sql.Query) {
			q.Body = sql.Edit(b, func(s *sql.Select) { s.Items = kept(s.Items, keep) })
		})
	case *sql.Values:
		ok = !slices.ContainsFunc(b.Rows, func(r *sql.Row) bool { return len(r.Items) != len(keep) })
		q = sql.Edit(q, func(q *sql.Query) {
			q.Body = sql.Edit(b, func(v *sql.Values) {
				v.Rows = nil
				for _, r := range b.Rows {
					v.Rows = append(v.Rows, sql.Edit(r, func(r *sql.Row) { r.Items = kept(r.Items, keep) }))
				}
			})
		})
	}
	return q, ok
}

// kept are those of a list that are to be kept.
func kept[N any](list []N, keep []bool) (out []N) {
	for i, n := range list {
		if i >= len(keep) || keep[i] {
			out = append(out, n)
		}
	}
	return out
}

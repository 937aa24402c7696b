package edits

import (
	"slices"

	"txweave/sql"
	"txweave/sql/sqltext"
)

// insert adds the edits of an INSERT, whose bookkeeping columns stay as they are.
func (e *editor) insert(n *sql.Insert) {
	e.around(n.With, n.Hints, n.Returning)
	plainer(e, n, func(n *sql.Insert) { n.Ignore = false }, func(n *sql.Insert) { n.Or = "" },
		func(n *sql.Insert) { n.Replace = false }, func(n *sql.Insert) { n.Priority = "" },
		func(n *sql.Insert) { n.Overriding = "" })
	dropAll(e, "ON DUPLICATE KEY UPDATE", n.Duplicate)
	e.assigned(n.Duplicate)
	for _, c := range n.Conflicts {
		e.drop("ON CONFLICT", c)
		if c.Where != nil {
			e.drop("", c.Where)
		}
		e.assigned(c.Set)
		e.values(c.Where)
	}
	e.assigned(n.Set)
	if n.Source == nil {
		return
	}
	fixed := func(i int) bool { return i >= len(n.Columns) || isBookkeeping(n.Columns[i]) }
	switch b := n.Source.Body.(type) {
	case *sql.Values:
		dropEach(e, b.Rows)
		for _, row := range b.Rows {
			for i, x := range row.Items {
				if !fixed(i) {
					e.values(x)
				}
			}
		}
	case *sql.Select:
		e.replace(n.Source, oneRow(n.Columns, b))
		e.fixedQuery(n.Source, outputFixed, fixed)
	default:
		e.fixedQuery(n.Source, outputFixed, fixed)
	}
}

func isBookkeeping(n *sql.Name) bool { return sqltext.IsBookkeeping(n.Folded()) }

// oneRow makes of the query of an INSERT one row: its literals, and 1 for what is none. The primary key is the version
// key's number, which is new in the case and so, very likely, in the table.
func oneRow(columns []*sql.Name, s *sql.Select) *sql.Query {
	at := func(i int, name string) bool { return i < len(columns) && columns[i].Folded() == name }
	var vkey sql.Expr
	for i, item := range s.Items {
		if at(i, sqltext.VKey) {
			vkey = item.X
		}
	}
	row := &sql.Row{}
	for i, item := range s.Items {
		x := item.X
		if _, ok := x.(*sql.Literal); !ok {
			x = number(1)
		}
		if at(i, sqltext.PKey) && vkey != nil {
			x = vkey
		}
		row.Items = append(row.Items, x)
	}
	return &sql.Query{Body: &sql.Values{Rows: []*sql.Row{row}}}
}

// around adds the edits of what stands around a write.
func (e *editor) around(with *sql.With, hints *sql.Hints, returning []*sql.Item) {
	dropAll(e, "", returning)
	dropEach(e, returning)
	e.with(with)
	e.hints(hints)
}

// assigned adds the edits of assignments, those to bookkeeping columns left out; one is to stay.
func (e *editor) assigned(list []*sql.Assign) {
	for _, a := range list {
		kept := slices.ContainsFunc(a.Columns, func(c *sql.Column) bool { return isBookkeeping(c.Name) })
		if len(list) > 1 && !kept {
			e.drop("", a)
		}
		e.assignment(a)
	}
}

// assignment adds the edits of what is assigned.
func (e *editor) assignment(a *sql.Assign) {
	fixed := func(i int) bool { return i >= len(a.Columns) || isBookkeeping(a.Columns[i].Name) }
	switch x := a.Value.(type) {
	case *sql.Row:
		for i, value := range x.Items {
			if a.Row && !fixed(i) {
				e.values(value)
			}
		}
	case *sql.Subquery:
		e.query(x.Query, outputFixed)
		if !a.Row && !fixed(0) {
			e.values(x)
		}
	default:
		if !fixed(0) {
			e.values(x)
		}
	}
}

// spreadRow are the assignments of the values of a row to single columns; nil where it is none.
func spreadRow(a *sql.Assign) (out []*sql.Assign) {
	row, ok := a.Value.(*sql.Row)
	if !a.Row || !ok || len(row.Items) != len(a.Columns) {
		return nil
	}
	for i, c := range a.Columns {
		out = append(out, &sql.Assign{Columns: []*sql.Column{c}, Value: row.Items[i]})
	}
	return out
}

// spread are assignments to one column at a time, where rows are assigned.
func spread(list []*sql.Assign) (out []*sql.Assign, changed bool) {
	for _, a := range list {
		if single := spreadRow(a); single != nil {
			out, changed = append(out, single...), true
		} else {
			out = append(out, a)
		}
	}
	return out, changed
}

func (e *editor) update(n *sql.Update) {
	e.around(n.With, n.Hints, n.Returning)
	plainer(e, n, func(n *sql.Update) { n.Ignore = false }, func(n *sql.Update) { n.Or = "" },
		func(n *sql.Update) { n.Priority = "" })
	if n.From != nil {
		e.drop("", n.From)
	}
	e.tail(n.Where, n.Order, n.Limit)
	if list, rows := spread(n.Set); rows {
		change(e, "", n, func(n *sql.Update) { n.Set = list })
	}
	e.assigned(n.Set)
	e.from(n.Table)
	e.from(n.From)
}

func (e *editor) delete(n *sql.Delete) {
	e.around(n.With, n.Hints, n.Returning)
	plainer(e, n, func(n *sql.Delete) { n.Ignore = false }, func(n *sql.Delete) { n.Quick = false },
		func(n *sql.Delete) { n.Priority = "" })
	if n.Using != nil {
		e.drop("", n.Using)
	}
	e.tail(n.Where, n.Order, n.Limit)
	e.from(n.Using)
}

func (e *editor) deleteJoined(n *sql.DeleteJoined) {
	e.around(n.With, n.Hints, nil)
	plainer(e, n, func(n *sql.DeleteJoined) { n.Ignore = false }, func(n *sql.DeleteJoined) { n.Quick = false },
		func(n *sql.DeleteJoined) { n.Priority = "" })
	e.tail(n.Where, nil, nil)
	dropEach(e, n.Targets)
	e.from(n.From)
}

// tail adds the edits of WHERE, ORDER BY and LIMIT of a write.
func (e *editor) tail(where sql.Expr, order []*sql.Order, limit *sql.Limit) {
	if where != nil {
		e.drop("WHERE", where)
	}
	e.ordered(order, limit)
	e.values(where)
}

// merge adds the edits of a MERGE: its WHEN clauses and their conditions first.
func (e *editor) merge(n *sql.Merge) {
	dropEach(e, n.Whens)
	for _, w := range n.Whens {
		if w.Cond != nil {
			e.drop("", w.Cond)
		}
	}
	e.around(n.With, nil, n.Returning)
	e.from(n.Source)
	e.values(n.On)
	for _, w := range n.Whens {
		e.values(w.Cond)
		if list, rows := spread(w.Set); rows {
			change(e, "", w, func(w *sql.MergeWhen) { w.Set = list })
		}
		e.assigned(w.Set)
		plainer(e, w, func(w *sql.MergeWhen) { w.Overriding = "" })
		if w.Row == nil {
			continue
		}
		for i, x := range w.Row.Items {
			if i < len(w.Columns) && !isBookkeeping(w.Columns[i]) {
				e.values(x)
			}
		}
	}
}

package analysis

import (
	"errors"
	"slices"

	"txweave/sql"
	"txweave/sql/sqltext"
)

// merge reads MERGE: it inserts, changes and deletes rows of its target, which only a comparison tells, and does not
// judge the rows of one table one by one.
func (a *analysis) merge(v *collector, n *sql.Merge) error {
	target := sourcesOf(n.Table)
	joined := append(slices.Clone(target), sourcesOf(n.Source)...)
	a.writes(target[0].table, target[0].alias)
	var set []*sql.Assign
	inserts, deletes := false, false
	for _, w := range n.Whens {
		switch w.Do {
		case "INSERT":
			if inserts {
				return errors.New("MERGE is read with one INSERT")
			}
			inserts = true
			a.mergeInserts(w, n.Source)
		case "UPDATE":
			set = append(set, w.Set...)
		case "DELETE":
			deletes = true
		}
	}
	var err error
	switch {
	case inserts:
		err = a.keepsVersions(assigned(set))
		if a.Unkeyed {
			for _, as := range assigned(set) {
				v.columns = append(v.columns, &sql.Column{Name: as.column.Name})
			}
		}
	case len(set) > 0:
		err = a.sets(v, set, target, joined)
	case !deletes:
		err = errors.New("MERGE that writes nothing is not read")
	}
	a.Kind, a.Diff, a.ChecksUnique = sqltext.Insert, true, true
	a.ValueDepends = inserts || len(set) > 0
	return err
}

// mergeInserts reads what MERGE inserts: where its source spells the rows, their primary keys are known.
func (a *analysis) mergeInserts(w *sql.MergeWhen, from sql.TableRef) {
	if w.Row == nil {
		a.Unkeyed = true
		return
	}
	columns := a.schema.Table(a.Target).Names()
	if len(w.Columns) > 0 {
		columns = nil
	}
	for _, name := range w.Columns {
		columns = append(columns, name.Folded())
	}
	a.insertsRows(columns, []*sql.Row{w.Row})
	at := slices.Index(columns, sqltext.PKey)
	if at < 0 || at >= len(w.Row.Items) {
		return
	}
	if col, ok := w.Row.Items[at].(*sql.Column); ok {
		a.PKeys = append(a.PKeys, spelled(from, col.Name.Folded())...)
	}
}

// spelled are the integers under a name in (SELECT 1 AS a, 2 AS b UNION ALL SELECT …).
func spelled(from sql.TableRef, name string) []int64 {
	derived, ok := from.(*sql.Derived)
	if !ok {
		return nil
	}
	blocks := operandsOf(derived.Query.Body)
	at := -1
	if len(blocks) > 0 {
		at = slices.IndexFunc(blocks[0].Items, func(i *sql.Item) bool { return i.Alias.Folded() == name })
	}
	var out []int64
	for _, sel := range blocks {
		if at < 0 || at >= len(sel.Items) {
			continue
		}
		if n, ok := integerOf(sel.Items[at].X); ok {
			out = append(out, n)
		}
	}
	return out
}

// operandsOf are the blocks of a query that set operations put together.
func operandsOf(b sql.Body) []*sql.Select {
	switch x := b.(type) {
	case *sql.Select:
		return []*sql.Select{x}
	case *sql.Compound:
		return append(operandsOf(x.Left), operandsOf(x.Right)...)
	case *sql.Nested:
		return operandsOf(x.Query.Body)
	}
	return nil
}

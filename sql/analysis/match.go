package analysis

import (
	"txweave/sql"
	"txweave/sql/classes"
	"txweave/sql/sqltext"
)

// match fills in what lets the rows of a single-table statement be judged one by one.
func (a *analysis) match() error {
	from, where, ok := a.judged()
	if !ok || a.Subquery || a.SetOrCTE {
		return nil
	}
	tables := sourcesOf(from)
	if len(tables) != 1 || tables[0].table == "" || !wholeTable(from) {
		return nil
	}
	a.Judges = tables[0].table
	if _, update := a.stmt.(*sql.Update); update && a.checksUnique() {
		return nil
	}
	if where != nil {
		text, err := a.reader.Dialect.PrintExpr(where)
		if err != nil {
			return err
		}
		a.MatchWhere = text
	}
	a.MatchTable, a.MatchAlias = tables[0].table, tables[0].alias
	a.EveryRow = true
	if q, ok := a.stmt.(*sql.Query); ok {
		sel := selectOf(q)
		a.EveryRow = !sel.Distinct && len(sel.Group) == 0 && sel.Having == nil && !shortcut(sel) && !a.SkipsLocked
		if a.EveryRow && len(unnested(q).Locks) == 0 {
			a.RowCount = a.rowCount(sel)
		}
	}
	return nil
}

// judged is what a statement reads its rows from, and the condition that they meet; ok is false where other rows matter
// to which of them it takes.
func (a *analysis) judged() (from sql.TableRef, where sql.Expr, ok bool) {
	switch n := a.stmt.(type) {
	case *sql.Query:
		if sel := selectOf(n); sel != nil {
			return sel.From, sel.Where, sel.From != nil && unnested(n).Limit == nil
		}
	case *sql.Update:
		skips := n.Ignore || n.Or != "" // it leaves out a row for others' keys
		return n.Table, n.Where, n.From == nil && n.Limit == nil && !(skips && a.checksUnique())
	case *sql.Delete:
		return n.Table, n.Where, n.Using == nil && n.Limit == nil
	case *sql.DeleteJoined:
		return n.From, n.Where, true
	}
	return nil, nil, false
}

// rowLock is how strongly a query locks each row that it returns; not known where it says so twice.
func rowLock(q *sql.Query) sqltext.RowLock {
	if selectOf(q) == nil || len(unnested(q).Locks) != 1 {
		return sqltext.NoRowLock
	}
	switch unnested(q).Locks[0].Strength {
	case "KEY SHARE":
		return sqltext.ForKeyShare
	case "SHARE", "SHARE MODE":
		return sqltext.ForShare
	case "NO KEY UPDATE":
		return sqltext.ForNoKeyUpdate
	}
	return sqltext.ForUpdate
}

// wholeTable says whether FROM is one table with all its partitions.
func wholeTable(from sql.TableRef) bool {
	switch x := from.(type) {
	case *sql.ParenTable:
		return wholeTable(x.X)
	case *sql.Table:
		return len(x.Partitions) == 0
	}
	return false
}

// rowCount says how a SELECT of a whole table tells its number of rows.
func (a *analysis) rowCount(sel *sql.Select) sqltext.RowCount {
	calls := a.reader.SetReturning && sql.Has(sel, func(n sql.Node) bool {
		call, ok := n.(*sql.Call)
		return ok && !classes.IsAggregate(call)
	})
	switch {
	case !hasAggregate(sel):
		return sqltext.RowCount{Told: !calls}
	case calls:
		return sqltext.RowCount{}
	}
	for i, item := range sel.Items {
		if isWildcard(item) {
			break // as many columns as the table has
		}
		if call, ok := item.X.(*sql.Call); ok && countsRows(call) {
			return sqltext.RowCount{Told: true, Counts: true, Column: i}
		}
	}
	return sqltext.RowCount{}
}

// countsRows says whether an aggregate is COUNT(*), or COUNT of a value that is not NULL.
func countsRows(x *sql.Call) bool {
	if isCountStar(x) {
		return x.Filter == nil && x.Over == nil
	}
	if x.Name.Folded() != "count" || x.Distinct || len(x.Args) != 1 || x.Filter != nil || x.Over != nil {
		return false
	}
	l, ok := x.Args[0].(*sql.Literal)
	return ok && l.Kind != sql.Null
}

// shortcut says whether an index can answer a query without a visit to every row.
func shortcut(sel *sql.Select) (found bool) {
	sql.Walk(sel, func(n sql.Node) bool {
		call, ok := n.(*sql.Call)
		if !ok || found {
			return !found
		}
		name := call.Name.Folded()
		found = call.Over != nil || call.Distinct || (name == "min" || name == "max") && classes.IsAggregate(call)
		return !found
	})
	return found
}

// aggregates says whether an expression has an aggregate, or with windows a window function.
func aggregates(n sql.Node, windows bool) (found bool) {
	sql.Walk(n, func(x sql.Node) bool {
		if _, query := x.(*sql.Query); query && x != n {
			return false // what it makes one value of are its own rows
		}
		call, ok := x.(*sql.Call)
		found = found || ok && (classes.IsAggregate(call) || windows && call.Over != nil)
		return !found
	})
	return found
}

func hasAggregate(n sql.Node) bool { return aggregates(n, false) }

package edits

import (
	"strconv"

	"txweave/sql"
	"txweave/sql/classes"
	"txweave/sql/sqltext"
)

// ChangeKeys gives every integer that stands for a pkey or vkey to change and returns the statement with what that
// returns. ok is false for a MERGE, whose source may spell keys under any name.
func ChangeKeys(stmt sql.Stmt, change func(table, column string, n int64) int64) (changed sql.Stmt, ok bool) {
	if _, merge := stmt.(*sql.Merge); merge {
		return stmt, false
	}
	k := &keyLiterals{tables: tablesOf(stmt), change: change, to: map[sql.Node]sql.Node{}}
	sql.Walk(stmt, func(n sql.Node) bool {
		k.node(n)
		return true
	})
	if len(k.to) == 0 {
		return stmt, true
	}
	return (&editor{root: stmt}).swapped(k.to), true
}

// keyLiterals changes the integers that a statement gives to a key column or compares with one.
type keyLiterals struct {
	tables map[string]string // by the name under which the statement knows them
	change func(table, column string, n int64) int64
	to     map[sql.Node]sql.Node
}

// tablesOf returns the base tables of a statement by the names under which it knows them, and under "" the one that is
// its only source.
func tablesOf(root sql.Node) map[string]string {
	sources := referencesIn(root).sources
	out := map[string]string{}
	for _, s := range sources {
		out[classes.SourceName(s)] = classes.TableOf(s)
	}
	if len(out) == 1 {
		out[""] = classes.TableOf(sources[0])
	}
	return out
}

func (k *keyLiterals) node(n sql.Node) {
	switch x := n.(type) {
	case *sql.Insert:
		k.insert(x)
	case *sql.Update:
		leaves := classes.Leaves(x.Table)
		target := ""
		if len(leaves) == 1 {
			target = classes.TableOf(leaves[0])
		}
		k.assigned(target, x.Set)
	case *sql.Binary:
		switch x.Op {
		case sql.OpEq, sql.OpNe, sql.OpLt, sql.OpLe, sql.OpGt, sql.OpGe, sql.OpSame, sql.OpDistinct:
			k.compared(x.Left, x.Right)
			k.compared(x.Right, x.Left)
		}
	case *sql.Between:
		k.compared(x.X, x.Low, x.High)
	case *sql.In:
		k.compared(x.X, x.List...)
	}
}

// assigned changes the literals of assignments, to columns of the target where they do not say of which table.
func (k *keyLiterals) assigned(target string, list []*sql.Assign) {
	list, _ = spread(list)
	for _, a := range list {
		if len(a.Columns) > 1 {
			continue
		}
		table := target
		if c := a.Columns[0]; c.Table != nil || table == "" {
			table = k.tables[c.Table.Folded()]
		}
		k.literals(table, a.Columns[0].Name.Folded(), a.Value)
	}
}

func (k *keyLiterals) insert(n *sql.Insert) {
	table := classes.TableOf(n.Table)
	k.assigned(table, n.Set)
	k.assigned(table, n.Duplicate)
	for _, c := range n.Conflicts {
		k.assigned(table, c.Set)
	}
	if n.Source == nil {
		return
	}
	for i, c := range n.Columns {
		name := c.Folded()
		switch b := n.Source.Body.(type) {
		case *sql.Values:
			for _, row := range b.Rows {
				if i < len(row.Items) {
					k.literals(table, name, row.Items[i])
				}
			}
		case *sql.Select:
			if i < len(b.Items) {
				k.literals(table, name, b.Items[i].X)
			}
		}
	}
}

// compared changes the literals of a comparison with a key column.
func (k *keyLiterals) compared(x sql.Expr, with ...sql.Expr) {
	if c, ok := sql.Bare(x).(*sql.Column); ok {
		k.literals(k.tables[c.Table.Folded()], c.Name.Folded(), with...)
	}
}

func (k *keyLiterals) literals(table, column string, list ...sql.Expr) {
	if column != sqltext.PKey && column != sqltext.VKey {
		return
	}
	for _, x := range list {
		old, ok := classes.Integer(x)
		if !ok {
			continue
		}
		if n := k.change(table, column, old); n != old {
			lit := sql.Bare(x).(*sql.Literal)
			k.to[lit] = sql.Edit(lit, func(l *sql.Literal) { l.Text = strconv.FormatInt(n, 10) })
		}
	}
}

package reduce

import (
	"slices"
	"strconv"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"
	"github.com/pingcap/tidb/pkg/parser/test_driver"

	"txweave/instrument"
	"txweave/testcase"
)

// key names a key column: vkey, whose numbers are unique in the case, or a table's pkey. Without a table it is the
// pkeys of all tables, numbered together.
type key struct{ table, column string }

// renumberKeys makes version keys and primary keys small: 1, 2, 3, …, each in the order that they have now, so that
// what is unique stays so and what is compared with a key still compares: primary keys by table where that can be.
func renumberKeys(s *Search) error {
	choices := []func(table, column string) (key, bool){
		func(table, column string) (key, bool) {
			if column == instrument.VKey {
				table = ""
			}
			return key{table, column}, true
		},
		func(_, column string) (key, bool) { return key{"", column}, true },
		func(_, column string) (key, bool) { return key{"", column}, column == instrument.VKey },
		func(_, column string) (key, bool) { return key{"", column}, column == instrument.PKey },
	}
	for _, of := range choices {
		kept, err := s.Try(s.renumbered(of))
		if kept || err != nil {
			return err
		}
	}
	return nil
}

// renumbered returns the case with small numbers in the key columns for which of says so; nil where a statement cannot
// be written again.
func (s *Search) renumbered(of func(table, column string) (key, bool)) *testcase.Case {
	d := s.Case().Clone()
	found := map[key][]int64{}
	s.keys(d, func(table, column string, n int64) int64 {
		if k, ok := of(table, column); ok {
			found[k] = append(found[k], n)
		}
		return n
	})
	numbers := map[key]map[int64]int64{}
	for k, list := range found {
		slices.Sort(list)
		numbers[k] = map[int64]int64{}
		for i, n := range slices.Compact(list) {
			numbers[k][n] = int64(i) + 1
		}
	}
	ok := s.keys(d, func(table, column string, n int64) int64 {
		if k, ok := of(table, column); ok {
			return numbers[k][n]
		}
		return n
	})
	if !ok {
		return nil
	}
	return d
}

// keys gives every number that stands for a key to change and writes what that returns. ok is false where a
// statement could not be written again.
func (s *Search) keys(c *testcase.Case, change func(table, column string, n int64) int64) (ok bool) {
	ok = true
	for i := range c.Rows {
		v, split := valuesOf(c, c.Rows[i].SQL)
		if !split {
			continue
		}
		changed := false
		for _, row := range v.cells {
			for k, name := range v.columns {
				old, err := strconv.ParseInt(row[k], 10, 64)
				if err != nil || name != instrument.PKey && name != instrument.VKey {
					continue
				}
				if n := change(v.table, name, old); n != old {
					row[k], changed = strconv.FormatInt(n, 10), true
				}
			}
		}
		if changed {
			c.Rows[i].SQL = v.text(nil)
		}
	}
	for n := range c.Txns {
		for i := range c.Txns[n].Stmts {
			stmt := &c.Txns[n].Stmts[i]
			root, readable := s.grammar.read(stmt.SQL)
			if !readable {
				continue
			}
			v := &keyLiterals{tables: tablesOf(root), change: change}
			root.Accept(v)
			if v.changed {
				var printed bool
				if stmt.SQL, printed = s.grammar.print(root); !printed {
					return false
				}
			}
		}
	}
	return ok
}

// keyLiterals changes the integers that a statement gives to a key column or compares with one.
type keyLiterals struct {
	tables  map[string]string // by the name under which the statement knows them
	change  func(table, column string, n int64) int64
	changed bool
}

// tablesOf returns the base tables of a statement by the names under which it knows them, and under "" the one that is
// its only source.
func tablesOf(root ast.StmtNode) map[string]string {
	v := &references{}
	root.Accept(v)
	out := map[string]string{}
	for _, ts := range v.sources {
		name := ts.AsName.L
		if name == "" {
			name = tableOf(ts)
		}
		out[name] = tableOf(ts)
	}
	if len(v.sources) > 0 && len(out) == 1 {
		out[""] = tableOf(v.sources[0])
	}
	return out
}

func (k *keyLiterals) Enter(n ast.Node) (ast.Node, bool) {
	switch x := n.(type) {
	case *ast.InsertStmt:
		k.insert(x)
	case *ast.Assignment:
		k.literals(k.tables[x.Column.Table.L], x.Column.Name.L, x.Expr)
	case *ast.BinaryOperationExpr:
		switch x.Op {
		case opcode.EQ, opcode.NE, opcode.LT, opcode.LE, opcode.GT, opcode.GE, opcode.NullEQ:
			k.compared(x.L, x.R)
			k.compared(x.R, x.L)
		}
	case *ast.BetweenExpr:
		k.compared(x.Expr, x.Left, x.Right)
	case *ast.PatternInExpr:
		k.compared(x.Expr, x.List...)
	}
	return n, false
}

func (k *keyLiterals) Leave(n ast.Node) (ast.Node, bool) { return n, true }

func (k *keyLiterals) insert(n *ast.InsertStmt) {
	ts, _ := n.Table.TableRefs.Left.(*ast.TableSource)
	for i, col := range n.Columns {
		for _, row := range n.Lists {
			if i < len(row) {
				k.literals(tableOf(ts), col.Name.L, row[i])
			}
		}
		if sel, ok := n.Select.(*ast.SelectStmt); ok && i < len(sel.Fields.Fields) && sel.Fields.Fields[i].Expr != nil {
			k.literals(tableOf(ts), col.Name.L, sel.Fields.Fields[i].Expr)
		}
	}
}

// compared changes the literals of a comparison with a key column.
func (k *keyLiterals) compared(x ast.ExprNode, with ...ast.ExprNode) {
	if col, ok := unwrap(x).(*ast.ColumnNameExpr); ok {
		k.literals(k.tables[col.Name.Table.L], col.Name.Name.L, with...)
	}
}

func (k *keyLiterals) literals(table, column string, list ...ast.ExprNode) {
	if column != instrument.PKey && column != instrument.VKey {
		return
	}
	for _, x := range list {
		v, ok := unwrap(x).(*test_driver.ValueExpr)
		if !ok || v.Kind() != test_driver.KindInt64 {
			continue
		}
		if n := k.change(table, column, v.GetInt64()); n != v.GetInt64() {
			v.SetInt64(n)
			k.changed = true
		}
	}
}

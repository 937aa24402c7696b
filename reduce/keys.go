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

// renumberKeys makes version keys and primary keys small: 1, 2, 3, …, each in the order that they have now, so that
// what is unique stays so and what is compared with a key still compares.
func renumberKeys(s *Search) error {
	for _, columns := range [][]string{{instrument.VKey, instrument.PKey}, {instrument.VKey}, {instrument.PKey}} {
		kept, err := s.Try(s.renumbered(columns))
		if kept || err != nil {
			return err
		}
	}
	return nil
}

// renumbered returns the case with small numbers in the key columns; nil where a statement cannot be written again.
func (s *Search) renumbered(columns []string) *testcase.Case {
	d := s.Case().Clone()
	numbers := map[string]map[int64]int64{}
	for _, col := range columns {
		var found []int64
		s.keys(d, func(column string, n int64) int64 {
			if column == col {
				found = append(found, n)
			}
			return n
		})
		slices.Sort(found)
		numbers[col] = map[int64]int64{}
		for i, n := range slices.Compact(found) {
			numbers[col][n] = int64(i) + 1
		}
	}
	ok := s.keys(d, func(column string, n int64) int64 {
		if m := numbers[column]; m != nil {
			return m[n]
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
func (s *Search) keys(c *testcase.Case, change func(column string, n int64) int64) (ok bool) {
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
				if n := change(name, old); n != old {
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
			v := &keyLiterals{change: change}
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
	change  func(column string, n int64) int64
	changed bool
}

func (k *keyLiterals) Enter(n ast.Node) (ast.Node, bool) {
	switch x := n.(type) {
	case *ast.InsertStmt:
		k.insert(x)
	case *ast.Assignment:
		k.literals(x.Column.Name.L, x.Expr)
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
	for i, col := range n.Columns {
		for _, row := range n.Lists {
			if i < len(row) {
				k.literals(col.Name.L, row[i])
			}
		}
		if sel, ok := n.Select.(*ast.SelectStmt); ok && i < len(sel.Fields.Fields) && sel.Fields.Fields[i].Expr != nil {
			k.literals(col.Name.L, sel.Fields.Fields[i].Expr)
		}
	}
}

// compared changes the literals of a comparison with a key column.
func (k *keyLiterals) compared(x ast.ExprNode, with ...ast.ExprNode) {
	if col, ok := unwrap(x).(*ast.ColumnNameExpr); ok {
		k.literals(col.Name.Name.L, with...)
	}
}

func (k *keyLiterals) literals(column string, list ...ast.ExprNode) {
	if column != instrument.PKey && column != instrument.VKey {
		return
	}
	for _, x := range list {
		v, ok := unwrap(x).(*test_driver.ValueExpr)
		if !ok || v.Kind() != test_driver.KindInt64 {
			continue
		}
		if n := k.change(column, v.GetInt64()); n != v.GetInt64() {
			v.SetInt64(n)
			k.changed = true
		}
	}
}

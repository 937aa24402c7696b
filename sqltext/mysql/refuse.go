package mysql

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/test_driver"

	"txweave/sqltext"
)

// refuse returns why a node makes a statement unfit for the oracles; nil if it does not.
func (c *collector) refuse(n ast.Node) error {
	switch x := n.(type) {
	case *ast.TableName:
		if x.Schema.O != "" {
			return fmt.Errorf("table %s.%s: a case knows the tables of its own schema only", x.Schema.O, x.Name.O)
		}
		if !c.ctes[x.Name.L] && c.schema.Table(x.Name.L) == nil {
			return fmt.Errorf("unknown table %s", x.Name.O)
		}
	case *ast.VariableExpr:
		if x.IsSystem {
			return fmt.Errorf("system variable @@%s: its value is not part of the case", x.Name)
		}
		return fmt.Errorf("user variable @%s: its value is not part of the case", x.Name)
	case *test_driver.ParamMarkerExpr:
		return fmt.Errorf("a parameter, whose value nobody gives")
	case *ast.FuncCallExpr:
		if c.pipes && x.FnName.O == ast.Concat {
			return fmt.Errorf("the operator || cannot be printed again for this target: write CONCAT or another function")
		}
		var literals []string
		for _, arg := range x.Args {
			if v, ok := unwrap(arg).(*test_driver.ValueExpr); ok && v.Kind() == test_driver.KindString {
				literals = append(literals, v.GetString())
			}
		}
		if sqltext.IsSessionCall(x.FnName.L, len(x.Args), literals) {
			return fmt.Errorf("function %s: its value does not come from the database's contents", strings.ToUpper(x.FnName.O))
		}
	case *ast.SelectStmt:
		if x.SelectIntoOpt != nil {
			return fmt.Errorf("SELECT … INTO returns no rows")
		}
		if x.Kind != ast.SelectStmtKindSelect {
			return fmt.Errorf("TABLE and VALUES statements are not supported")
		}
	}
	return nil
}

// insertsKeys finds the version key that every row which an INSERT writes is given, where there is one, and the literals
// that it gives as pkey.
func (a *analysis) insertsKeys(n *ast.InsertStmt, columns []*ast.ColumnName) {
	find := func(name string) int {
		return slices.IndexFunc(columns, func(c *ast.ColumnName) bool { return c.Name.L == name })
	}
	vkey, pkey := find(sqltext.VKey), find(sqltext.PKey)
	if n.Select != nil {
		sel, ok := n.Select.(*ast.SelectStmt)
		if !ok || vkey < 0 || vkey >= len(sel.Fields.Fields) ||
			slices.ContainsFunc(sel.Fields.Fields[:vkey], func(f *ast.SelectField) bool { return f.WildCard != nil }) {
			a.Unkeyed = true
			return
		}
		key, err := integerOf(sel.Fields.Fields[vkey].Expr)
		a.VKey, a.Unkeyed = key, err != nil
		return
	}
	for _, row := range n.Lists {
		if vkey < 0 || vkey >= len(row) {
			a.Unkeyed = true
		} else if key, err := integerOf(row[vkey]); err != nil || a.VKey != 0 && key != a.VKey {
			a.Unkeyed = true
		} else {
			a.VKey = key
		}
		if pkey >= 0 && pkey < len(row) {
			if key, err := integerOf(row[pkey]); err == nil {
				a.PKeys = append(a.PKeys, key)
			}
		}
	}
	if a.Unkeyed {
		a.VKey = 0
	}
}

// keepsVersions says whether ON DUPLICATE KEY UPDATE gives the row that it finds the version key of the INSERT.
func (a *analysis) keepsVersions(n *ast.InsertStmt) error {
	named := len(n.OnDuplicate) == 0
	for _, as := range n.OnDuplicate {
		switch as.Column.Name.L {
		case sqltext.PKey:
			return fmt.Errorf("%s must never be updated", sqltext.PKey)
		case sqltext.VKey:
			key, err := integerOf(as.Expr)
			named = err == nil && key == a.VKey
		}
	}
	a.Unkeyed = a.Unkeyed || !named
	return nil
}

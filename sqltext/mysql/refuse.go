package mysql

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

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
	case *ast.FuncCallExpr:
		if c.pipes && x.FnName.O == ast.Concat {
			return fmt.Errorf("the operator || cannot be printed again for this target: write CONCAT or another function")
		}
		if name := x.FnName.L; sqltext.IsSessionFunction(name) && (name != "unix_timestamp" || len(x.Args) == 0) {
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

// insertsVKey finds the version key that every row which an INSERT writes is given.
func (a *analysis) insertsVKey(n *ast.InsertStmt, at int) error {
	if n.Select == nil {
		pkey := slices.IndexFunc(n.Columns, func(c *ast.ColumnName) bool { return c.Name.L == sqltext.PKey })
		for _, row := range n.Lists {
			if at >= len(row) {
				return fmt.Errorf("INSERT has a row of %d values for %d columns", len(row), len(n.Columns))
			}
			key, err := integerOf(row[at])
			if err != nil || a.VKey != 0 && key != a.VKey {
				return fmt.Errorf("INSERT must give every row the same integer literal as %s", sqltext.VKey)
			}
			a.VKey = key
			if pkey >= 0 && pkey < len(row) {
				if key, err := integerOf(row[pkey]); err == nil {
					a.PKeys = append(a.PKeys, key)
				}
			}
		}
		return nil
	}
	sel, ok := n.Select.(*ast.SelectStmt)
	if !ok || at >= len(sel.Fields.Fields) {
		return fmt.Errorf("INSERT … SELECT must take its %s from one plain query block", sqltext.VKey)
	}
	for _, f := range sel.Fields.Fields[:at] {
		if f.WildCard != nil {
			return fmt.Errorf("INSERT … SELECT has a wildcard before its %s", sqltext.VKey)
		}
	}
	key, err := integerOf(sel.Fields.Fields[at].Expr)
	if err != nil {
		return fmt.Errorf("INSERT … SELECT must select an integer literal as %s", sqltext.VKey)
	}
	a.VKey = key
	return nil
}

// keepsVersions makes sure that ON DUPLICATE KEY UPDATE leaves a new version, or its writes would not show.
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
	if !named {
		return fmt.Errorf("ON DUPLICATE KEY UPDATE must set %s to the literal that INSERT gives it, %d", sqltext.VKey, a.VKey)
	}
	return nil
}

package mysql

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"txweave/sqltext"
)

// aliasedTable is a table of a FROM clause; table is "" where it is a derived one.
type aliasedTable struct{ alias, table string }

func lookupAlias(as []aliasedTable, alias string) string {
	for _, a := range as {
		if a.alias == alias {
			return a.table
		}
	}
	return ""
}

// aliasOf returns the first name that a table has.
func aliasOf(as []aliasedTable, table string) string {
	for _, a := range as {
		if a.table == table {
			return a.alias
		}
	}
	return ""
}

// baseTables lists the base tables in a FROM clause; a derived table yields an entry without a table.
func baseTables(n ast.ResultSetNode) []aliasedTable {
	switch x := n.(type) {
	case *ast.Join:
		if x.Right == nil {
			return baseTables(x.Left)
		}
		return append(baseTables(x.Left), baseTables(x.Right)...)
	case *ast.TableSource:
		alias := x.AsName.L
		t, ok := x.Source.(*ast.TableName)
		if !ok {
			return []aliasedTable{{alias: alias}}
		}
		if alias == "" {
			alias = t.Name.L
		}
		return []aliasedTable{{alias: alias, table: t.Name.L}}
	}
	return nil
}

// owner returns the table that a column belongs to; "" if that cannot be told.
func owner(s *sqltext.Schema, tables []aliasedTable, col *ast.ColumnName) string {
	if col.Table.L != "" {
		return lookupAlias(tables, col.Table.L)
	}
	if len(tables) == 1 { // the database says whether it has such a column
		return tables[0].table
	}
	found := ""
	for _, t := range tables {
		if known := s.Table(t.table); known != nil && known.Column(col.Name.L) != nil {
			if found != "" && found != t.table {
				return ""
			}
			found = t.table
		}
	}
	return found
}

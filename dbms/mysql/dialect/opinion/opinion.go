// Package opinion asks a second reader what a statement of MySQL's family is: TiDB's parser. What the two of them take
// for different statements is not judged: one of them is wrong about it.
package opinion

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	_ "github.com/pingcap/tidb/pkg/parser/test_driver" // literals of the tree

	"txweave/sql"
)

// Doubt returns in what the second reader differs from a dialect about a statement that reads or writes rows: its kind,
// the tables that it names, its columns. It is nil where they agree, and where one of them does not read it.
func Doubt(d *sql.Dialect, text string) error {
	stmt, err := d.Parse(text)
	if err != nil {
		return nil // that is said elsewhere
	}
	ours := read(d, stmt)
	if ours.kind == "" {
		return nil
	}
	theirs, ok := ask(text)
	switch {
	case !ok || theirs.kind == "":
		return nil
	case ours.kind != theirs.kind:
		return fmt.Errorf("it is read as %s, and by another parser as %s", ours.kind, theirs.kind)
	case !maps.Equal(ours.tables, theirs.tables):
		return fmt.Errorf("it is read as one about the tables %s, and by another parser about %s", list(ours.tables),
			list(theirs.tables))
	}
	for name := range theirs.columns {
		if !ours.columns[name] {
			return fmt.Errorf("another parser reads a column %s in it", name)
		}
	}
	return nil
}

// reading is what a statement is taken for; names are in lower case.
type reading struct {
	kind            string
	tables, columns map[string]bool
}

func list(names map[string]bool) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}

// read is what a tree is taken for.
func read(d *sql.Dialect, stmt sql.Stmt) reading {
	r := reading{tables: map[string]bool{}, columns: map[string]bool{}}
	switch x := stmt.(type) {
	case *sql.Query:
		r.kind = "a query"
	case *sql.Insert:
		r.kind = "INSERT"
		for _, name := range x.Columns {
			r.columns[name.Folded()] = true
		}
	case *sql.Update:
		r.kind = "UPDATE"
	case *sql.Delete, *sql.DeleteJoined:
		r.kind = "DELETE"
	}
	sql.Walk(stmt, func(n sql.Node) bool {
		switch x := n.(type) {
		case *sql.Table:
			if !strings.EqualFold(x.Name.Value, d.NoTable) {
				r.tables[x.Name.Folded()] = true
			}
		case *sql.Column:
			r.columns[x.Name.Folded()] = true
		case *sql.Join:
			for _, name := range x.Using {
				r.columns[name.Folded()] = true
			}
		}
		return true
	})
	return r
}

// ask is what TiDB's parser takes a text for; ok is false where it does not read it. It panics at some texts: that is
// no opinion.
func ask(text string) (r reading, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	stmt, err := parser.New().ParseOneStmt(text, "", "")
	if err != nil {
		return r, false
	}
	v := &visitor{reading: reading{tables: map[string]bool{}, columns: map[string]bool{}}, of: map[*ast.TableName]bool{}}
	switch stmt.(type) {
	case *ast.SelectStmt, *ast.SetOprStmt:
		v.kind = "a query"
	case *ast.InsertStmt:
		v.kind = "INSERT"
	case *ast.UpdateStmt:
		v.kind = "UPDATE"
	case *ast.DeleteStmt:
		v.kind = "DELETE"
	}
	stmt.Accept(v)
	return v.reading, true
}

type visitor struct {
	reading
	of map[*ast.TableName]bool // what FOR UPDATE OF names
}

// Enter implements ast.Visitor.
func (v *visitor) Enter(n ast.Node) (ast.Node, bool) {
	switch x := n.(type) {
	case *ast.SelectStmt:
		if x.LockInfo != nil {
			for _, t := range x.LockInfo.Tables {
				v.of[t] = true
			}
		}
	case *ast.TableName:
		if !v.of[x] {
			v.tables[x.Name.L] = true
		}
	case *ast.ColumnName:
		v.columns[x.Name.L] = true
	}
	return n, false
}

// Leave implements ast.Visitor.
func (v *visitor) Leave(n ast.Node) (ast.Node, bool) { return n, true }

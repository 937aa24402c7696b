// Package control tells what a statement does besides reading and writing rows: it opens and ends transactions, sets
// savepoints, locks tables and numbers, and changes how tables are kept. It asks trees, and knows the forms that a case
// may have; of others it says that they are none of these.
package control

import (
	"slices"

	"txweave/sql"
	"txweave/sql/classes"
	"txweave/sql/sqltext"
)

// Statement is one statement.
type Statement struct {
	Tree sql.Stmt // nil: it is not read as a tree
	Kind sqltext.Kind
	text string
	of   *sql.Dialect
}

// Read understands a statement of a dialect. Of one that is not read as a tree its first words tell the kind, and
// nothing else is known.
func Read(d *sql.Dialect, text string) Statement {
	stmt, err := d.Parse(text)
	if err != nil {
		return Statement{Kind: sqltext.KindOf(text), text: text, of: d}
	}
	return Statement{Tree: stmt, Kind: kindOf(stmt), text: text, of: d}
}

// Text is the statement as it is written.
func (s Statement) Text() string { return s.text }

// kindOf is the kind of a tree.
func kindOf(stmt sql.Stmt) sqltext.Kind {
	switch n := stmt.(type) {
	case *sql.Query:
		return sqltext.Select
	case *sql.Insert, *sql.Merge:
		return sqltext.Insert
	case *sql.Update:
		return sqltext.Update
	case *sql.Delete, *sql.DeleteJoined:
		return sqltext.Delete
	case *sql.Begin:
		return sqltext.Begin
	case *sql.Commit:
		return sqltext.Commit
	case *sql.Rollback:
		if n.To != nil {
			return sqltext.RollbackTo
		}
		return sqltext.Rollback
	case *sql.Savepoint:
		return sqltext.Savepoint
	case *sql.Release:
		return sqltext.Release
	case *sql.Set, *sql.SetTransaction, *sql.SetConstraints, *sql.Pragma:
		return sqltext.Set
	case *sql.LockTables:
		return sqltext.Lock
	case *sql.XA:
		return sqltext.XA
	case *sql.TwoPhase:
		return twoPhase(n)
	case *sql.AlterTable:
		if n.What == "" {
			return sqltext.Alter
		}
		return sqltext.Define
	case *sql.CreateTable, *sql.CreateIndex, *sql.CreateView:
		return sqltext.Create
	case *sql.CreateTrigger, *sql.CreateFunction, *sql.CreateDatabase, *sql.Sequence, *sql.Drop, *sql.Rename,
		*sql.Truncate:
		return sqltext.Define
	case *sql.Maintain:
		if n.What == "FLUSH" {
			return sqltext.Lock
		}
	}
	return sqltext.Other
}

func twoPhase(n *sql.TwoPhase) sqltext.Kind {
	switch n.Step {
	case "COMMIT PREPARED":
		return sqltext.Commit
	case "ROLLBACK PREPARED":
		return sqltext.Rollback
	}
	return sqltext.XA
}

// Does is the kind of a statement by what it does to the rows of the case: a query is one wherever its answer goes.
func (s Statement) Does() sqltext.Kind {
	if _, ok := s.Scratch(); ok {
		return sqltext.Select
	}
	if _, ok := s.Truncates(); ok {
		return sqltext.Delete
	}
	return s.Kind
}

// IsTarget says whether a statement reads or writes rows, and does nothing else.
func (s Statement) IsTarget() bool { return s.Does().IsTarget() }

// Truncates returns the table, in lower case, that TRUNCATE TABLE t empties; ok is false for all other statements.
func (s Statement) Truncates() (table string, ok bool) {
	n, ok := s.Tree.(*sql.Truncate)
	if !ok || len(n.Tables) != 1 || len(n.Options) > 0 || n.Tables[0].Schema != nil {
		return "", false
	}
	return n.Tables[0].Name.Folded(), true
}

// PartitionOf returns the table, in lower case, that CREATE TABLE … PARTITION OF makes a part of; "" for other
// statements.
func (s Statement) PartitionOf() string {
	if n, ok := s.Tree.(*sql.CreateTable); ok && n.Of != nil {
		return n.Of.Name.Folded()
	}
	return ""
}

// Inherits returns the table, in lower case, from which the one inherits that CREATE TABLE … (…) INHERITS (table)
// makes; "" for other statements.
func (s Statement) Inherits() string {
	if n, ok := s.Tree.(*sql.CreateTable); ok && len(n.Inherits) == 1 {
		return n.Inherits[0].Name.Folded()
	}
	return ""
}

// named is an object's name in lower case; "" where it has a schema, or there is none.
func named(o *sql.Object) string {
	if o == nil || o.Schema != nil || o.Name == nil {
		return ""
	}
	return o.Name.Folded()
}

// target is the name of the table or view that a statement writes, defines, or defines an index on; nil for none; of
// several that a DELETE names the first one.
func (s Statement) target() *sql.Name {
	var x sql.TableRef
	switch n := s.Tree.(type) {
	case *sql.Insert:
		return n.Table.Name
	case *sql.Merge:
		return n.Table.Name
	case *sql.DeleteJoined:
		for _, leaf := range classes.Leaves(n.From) {
			if t, ok := leaf.(*sql.Table); ok && t.Alias != nil && t.Alias.Folded() == n.Targets[0].Name.Folded() {
				return t.Name
			}
		}
		return n.Targets[0].Name
	case *sql.CreateTable:
		return n.Name.Name
	case *sql.CreateView:
		return n.Name.Name
	case *sql.CreateIndex:
		return n.Table.Name
	case *sql.AlterTable:
		return n.Table.Name
	case *sql.Update:
		x = n.Table
	case *sql.Delete:
		x = n.Table
	default:
		return nil
	}
	for _, leaf := range classes.Leaves(x) {
		if t, ok := leaf.(*sql.Table); ok {
			return t.Name
		}
	}
	return nil
}

// Target returns that name in lower case; "" for none.
func (s Statement) Target() string {
	if name := s.target(); name != nil {
		return name.Folded()
	}
	return ""
}

// Written is that name as it is written, quotes included.
func (s Statement) Written() string {
	name := s.target()
	if name == nil {
		return ""
	}
	from, to, _ := sql.Span(name)
	return s.text[from:to]
}

// Tables are the tables and views, in lower case, that a statement reads or writes, each once: not its common table
// expressions.
func (s Statement) Tables() (out []string) {
	if s.Tree == nil {
		return nil
	}
	var ctes []string
	sql.Walk(s.Tree, func(n sql.Node) bool {
		if c, ok := n.(*sql.CTE); ok {
			ctes = append(ctes, c.Name.Folded())
		}
		return true
	})
	classes.Visit(s.Tree, func(n sql.Node) bool {
		if t, ok := n.(*sql.Table); ok {
			if name := t.Name.Folded(); !slices.Contains(out, name) && (t.Schema != nil || !slices.Contains(ctes, name)) {
				out = append(out, name)
			}
		}
		return true
	})
	return out
}

// Creates returns what a CREATE makes, "table", "index" or "view", "partition" for a table that is a part of another
// one; "" for other statements.
func (s Statement) Creates() string {
	switch s.Tree.(type) {
	case *sql.CreateTable:
		if s.PartitionOf() != "" || s.Inherits() != "" {
			return "partition"
		}
		return "table"
	case *sql.CreateIndex:
		return "index"
	case *sql.CreateView:
		return "view"
	}
	return ""
}

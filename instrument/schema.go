// Package instrument analyses the statements of a case and surrounds each with the probes that show what it
// read and wrote: before-write, after-write and version-set reads (TxCheck, section 3.2), each in the read mode
// that the profile prescribes.
package instrument

import (
	"fmt"
	"slices"

	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"
	_ "github.com/pingcap/tidb/pkg/parser/test_driver" // literals of the AST

	"txweave/testcase"
)

// Names of the bookkeeping columns that every table has.
const (
	PKey  = "pkey"  // primary key, assigned once, never updated or used again
	VKey  = "vkey"  // version key, unique in the case per writing statement or initial row
	PVKey = "pvkey" // version key of the version that the last UPDATE overwrote
)

// Table is one table of a case's schema; names are in lower case.
type Table struct {
	Name    string
	Columns []string
	Key     string // the primary key's column; "" in a plan without probes
	// Unique are the columns of unique keys besides the primary key: whether an INSERT, or an UPDATE of such a
	// column, fails depends on the rows that are there.
	Unique  []string
	Parents []string // tables that its foreign keys refer to
}

// Schema is the set of tables of a case, in order of creation.
type Schema struct {
	Tables []*Table
	index  map[string]*Table
	parse  *parser.Parser // keeps its sql_mode; a Schema is for one goroutine at a time
	ansi   bool
}

// Table returns the table of that name, or nil.
func (s *Schema) Table(name string) *Table { return s.index[name] }

// Children returns the tables with a foreign key to the named one.
func (s *Schema) Children(name string) []string {
	var out []string
	for _, t := range s.Tables {
		if slices.Contains(t.Parents, name) {
			out = append(out, t.Name)
		}
	}
	return out
}

// NewParser returns a parser, for one goroutine at a time. With ansi, || concatenates and a backslash in a string
// is an ordinary character.
func NewParser(ansi bool) *parser.Parser {
	p := parser.New()
	if ansi {
		p.SetSQLMode(mysql.ModePipesAsConcat | mysql.ModeNoBackslashEscapes)
	}
	return p
}

// ParseSchema reads CREATE TABLE and CREATE INDEX statements. Every table must have pkey as its primary key,
// vkey and pvkey. With ansi, || concatenates and a backslash in a string is an ordinary character.
func ParseSchema(ddl []testcase.Stmt, ansi bool) (*Schema, error) {
	s := &Schema{index: map[string]*Table{}, parse: NewParser(ansi), ansi: ansi}
	for _, d := range ddl {
		node, err := s.parse.ParseOneStmt(d.SQL, "", "")
		if err != nil {
			return nil, fmt.Errorf("schema: %q: %w", d.SQL, err)
		}
		switch n := node.(type) {
		case *ast.CreateTableStmt:
			if err := s.addTable(n); err != nil {
				return nil, err
			}
		case *ast.CreateIndexStmt:
			t := s.index[n.Table.Name.L]
			if t == nil {
				return nil, fmt.Errorf("schema: index %s on unknown table %s", n.IndexName, n.Table.Name.O)
			}
			if n.KeyType == ast.IndexKeyTypeUnique {
				t.addUnique(n.IndexPartSpecifications)
			}
		default:
			return nil, fmt.Errorf("schema: only CREATE TABLE and CREATE INDEX are known here: %q", d.SQL)
		}
	}
	if len(s.Tables) == 0 {
		return nil, fmt.Errorf("schema: no table")
	}
	return s, nil
}

func (s *Schema) addTable(n *ast.CreateTableStmt) error {
	t := &Table{Name: n.Table.Name.L}
	if s.index[t.Name] != nil {
		return fmt.Errorf("schema: table %s is created twice", t.Name)
	}
	key, cascade := "", false
	for _, c := range n.Cols {
		t.Columns = append(t.Columns, c.Name.Name.L)
		for _, o := range c.Options {
			switch o.Tp {
			case ast.ColumnOptionPrimaryKey:
				key = c.Name.Name.L
			case ast.ColumnOptionUniqKey:
				t.Unique = append(t.Unique, c.Name.Name.L)
			case ast.ColumnOptionReference:
				t.Parents = append(t.Parents, o.Refer.Table.Name.L)
				cascade = cascade || cascades(o.Refer)
			}
		}
	}
	for _, c := range n.Constraints {
		switch c.Tp {
		case ast.ConstraintPrimaryKey:
			if len(c.Keys) == 1 && c.Keys[0].Column != nil {
				key = c.Keys[0].Column.Name.L
			}
		case ast.ConstraintUniq, ast.ConstraintUniqKey, ast.ConstraintUniqIndex:
			t.addUnique(c.Keys)
		case ast.ConstraintForeignKey:
			t.Parents = append(t.Parents, c.Refer.Table.Name.L)
			cascade = cascade || cascades(c.Refer)
		}
	}
	if cascade {
		return fmt.Errorf("schema: table %s: a foreign key that cascades writes rows that no statement names: not supported", t.Name)
	}
	if key != PKey {
		return fmt.Errorf("schema: table %s: the primary key must be the column %s (or the case must say the equivalent order)", t.Name, PKey)
	}
	for _, want := range []string{VKey, PVKey} {
		if !slices.Contains(t.Columns, want) {
			return fmt.Errorf("schema: table %s has no column %s", t.Name, want)
		}
	}
	t.Key = key
	s.Tables = append(s.Tables, t)
	s.index[t.Name] = t
	return nil
}

// addUnique notes the columns of a unique key; a key on an expression concerns every column.
func (t *Table) addUnique(keys []*ast.IndexPartSpecification) {
	for _, k := range keys {
		if k.Column == nil {
			t.Unique = slices.Clone(t.Columns)
			return
		}
		t.Unique = append(t.Unique, k.Column.Name.L)
	}
}

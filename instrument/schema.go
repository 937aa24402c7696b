// Package instrument analyses the statements of a case and surrounds each with the probes that show what it
// read and wrote: before-write, after-write and version-set reads (TxCheck, section 3.2), each in the read mode
// that the profile prescribes.
package instrument

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"txweave/dbms"
	"txweave/sql"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// readSchema reads the statements that define tables, indexes, views and triggers. Every table must have pkey.
func readSchema(syntax *sqltext.Syntax, ddl []testcase.Stmt) (*sqltext.Schema, error) {
	schema := syntax.Schema(testcase.Texts(ddl))
	if err := checkHeirs(schema); err != nil {
		return nil, err
	}
	r := definitions{schema: schema, seen: map[string]bool{}}
	for _, d := range ddl {
		stmt, err := syntax.Tree.Parse(d.SQL)
		if err != nil { // its keys and references are not known
			s := sqltext.Read(d.SQL)
			what := map[string]string{"table": "table", "index": "index on", "view": "view"}[s.Creates()]
			return nil, fmt.Errorf("schema: %s %s: %w", cmp.Or(what, "definition"), s.Target, err)
		}
		if err := r.check(stmt, d.SQL); err != nil {
			return nil, fmt.Errorf("schema: %w", err)
		}
	}
	if len(schema.Tables) == 0 {
		return nil, fmt.Errorf("schema: no table")
	}
	for _, t := range schema.Tables {
		if err := checkTable(t); err != nil {
			return nil, err
		}
	}
	return schema, nil
}

// definitions are checked one after the other.
type definitions struct {
	schema *sqltext.Schema
	seen   map[string]bool // the tables so far
}

func (r *definitions) check(stmt sql.Stmt, text string) error {
	switch n := stmt.(type) {
	case *sql.CreateIndex:
		return r.index(n)
	case *sql.CreateTrigger:
		if t, ok := sqltext.TriggerOf(n); ok {
			return r.trigger(&t)
		}
	case *sql.CreateView:
		if r.seen[n.Name.Name.Folded()] {
			return fmt.Errorf("view %s has a table's name", n.Name.Name.Folded())
		}
		if len(n.Columns) == 0 {
			return nil
		}
	case *sql.CreateTable:
		return r.table(n)
	}
	return fmt.Errorf(
		"only tables, indexes, views without a list of columns and triggers of one statement are known here: %q", text)
}

func (r *definitions) index(n *sql.CreateIndex) error {
	name, table := "", n.Table.Name.Folded()
	if n.Name != nil {
		name = n.Name.Name.Folded()
	}
	switch {
	case !r.seen[table]:
		return fmt.Errorf("index %s on unknown table %s", name, table)
	case n.Unique && r.schema.Table(table) == nil:
		return fmt.Errorf("index %s: a unique index on a table that inherits is not known here", name)
	}
	return nil
}

func (r *definitions) trigger(t *sqltext.Trigger) error {
	if !r.seen[t.Table] || t.Writes != "" && !r.seen[t.Writes] {
		return fmt.Errorf("trigger %s is about a table that is not created before it", t.Name)
	}
	if c := t.Sets(sqltext.IsBookkeeping); c != "" {
		return fmt.Errorf("trigger %s sets %s of the row that fires it: that says which statement wrote a row", t.Name, c)
	}
	return nil
}

func (r *definitions) table(n *sql.CreateTable) error {
	name := n.Name.Name.Folded()
	switch {
	case n.Of != nil:
		if r.schema.Table(n.Of.Name.Folded()) == nil || r.seen[name] || len(n.Columns)+len(n.Constraints) > 0 {
			return fmt.Errorf(
				"%s: a partition is one of a table that is created before it, and says which rows it has and nothing else", name)
		}
		return nil
	case len(n.Inherits) > 0:
		if len(n.Inherits) > 1 || !r.seen[n.Inherits[0].Name.Folded()] || r.seen[name] {
			return fmt.Errorf("table %s inherits from one that is created before it", name)
		}
		r.seen[name] = true
		return nil
	case r.seen[name]:
		return fmt.Errorf("table %s is created twice", name)
	}
	if err := checkConstraints(n); err != nil {
		return fmt.Errorf("table %s: %w", name, err)
	}
	r.seen[name] = true
	return nil
}

// checkConstraints refuses constraints that a statement which runs alone meets otherwise than in a transaction, those
// that are keys of another kind than the unique ones, and those that do something by themselves with a row
// that violates them, in place of an error.
func checkConstraints(table *sql.CreateTable) (err error) {
	sql.Walk(table, func(n sql.Node) bool {
		conflict := ""
		switch n := n.(type) {
		case *sql.PrimaryKey:
			conflict = n.Conflict
		case *sql.Unique:
			conflict = n.Conflict
		case *sql.Nullable:
			conflict = n.Conflict
		case *sql.Check:
			conflict = n.Conflict
		case *sql.Exclude:
			if n.Where != nil || slices.ContainsFunc(n.Elements, func(e *sql.Exclusion) bool { return e.Op != sql.OpEq }) {
				err = errors.New("EXCLUDE is read with = and without a condition")
			}
		}
		if conflict != "" && conflict != "ABORT" {
			err = fmt.Errorf(
				"ON CONFLICT %[1]s would let each of its statements do what only INSERT OR %[1]s says: write it there", conflict)
		}
		if sqltext.DeferredConstraint(n) {
			err = errors.New(
				"a constraint that is checked at COMMIT, and is no foreign key, says nothing of statements that run one by one: " +
					"let it be INITIALLY IMMEDIATE")
		}
		return err == nil
	})
	return err
}

// admit lets a case pass that reaches beyond its own tables nowhere, as the DBMS reads it. Whoever read it from a text
// has made sure of that for the DBMS that it names; where another one is to run it, the same text may mean something
// else.
func admit(c *testcase.Case, p *dbms.Profile) error {
	x := sqltext.SyntaxOf(p.DBMS)
	if x.TablesByCase {
		if err := inSmallLetters(c); err != nil {
			return err
		}
	}
	switch own := sqltext.SyntaxOf(c.Target); {
	case x == own:
		return nil
	case x.Quoting == own.Quoting: // the words are the same, and trees are read of other statements
		return c.AdmitNames(x)
	}
	return c.Admit(x)
}

// inSmallLetters refuses a table with capitals in its name: such databases tell Tab from tab, and who reads the tables
// has their names in small letters, as every other name.
func inSmallLetters(c *testcase.Case) error {
	for _, d := range c.Schema {
		s := c.Read(d.SQL)
		if name := strings.Trim(s.Written(), "`\""); s.Creates() == "table" && name != s.Target() {
			return fmt.Errorf("schema: table %s: write its name in small letters: the database tells it from %s",
				name, s.Target())
		}
	}
	return nil
}

// checkTable refuses a table whose rows and versions cannot be told apart.
func checkTable(t *sqltext.Table) error {
	if t.Column(sqltext.PKey) == nil {
		return fmt.Errorf("schema: table %s has no column %s (or the case must say the equivalent order)", t.Name,
			sqltext.PKey)
	}
	if !t.Column(sqltext.PKey).NotNull {
		return fmt.Errorf("schema: table %s: the column %s names the rows: it must be NOT NULL or the primary key", t.Name,
			sqltext.PKey)
	}
	return nil
}

// fires adds what the triggers that a block's statement fires read and write, and those that their own writes may fire.
// The statement itself writes the first direct tables of those that the block writes.
func (p *Plan) fires(b *Block, direct int, also func(table string)) {
	info := b.Info
	for i := 0; i < len(b.Writes); i++ {
		fired := p.Schema.Fired(b.Writes[i], info.Kind)
		if i >= direct || info.Kind == sqltext.Insert && !info.Plain {
			fired = p.Schema.On(b.Writes[i])
		}
		for _, t := range fired {
			for _, name := range t.Named {
				if !slices.Contains(info.Tables, name) {
					info.Tables = append(info.Tables, name)
				}
				delete(info.Used, name) // nil: all its columns
			}
			slices.Sort(info.Tables)
			info.ValueDepends, info.MatchTable, info.Judges, info.KeyWhere = true, "", "", ""
			if t.Writes != "" {
				also(t.Writes)
			}
		}
	}
}

// checkHeirs refuses tables that inherit where rows of theirs could not be told apart: a key of one table says nothing
// of the others' rows, so that it must be a CHECK of each that does.
func checkHeirs(s *sqltext.Schema) error {
	seen := map[string]bool{}
	for i := range s.Heirs {
		h := &s.Heirs[i]
		parent := s.Table(h.Of)
		share := fmt.Sprintf("%s %d of %d", h.Of, h.Rest, s.Heir(h.Of).Modulus)
		switch {
		case h.Extra != "":
			return fmt.Errorf("schema: table %s: what inherits has a CHECK of its pkey and PRIMARY KEY (pkey) at most: %s",
				h.Name, h.Extra)
		case h.Modulus == 0 || h.Modulus != s.Heir(h.Of).Modulus || seen[share]:
			return fmt.Errorf(
				"schema: table %s: CHECK (pkey %% n = m), in %s with NO INHERIT, must say which rows it has and no other of them",
				h.Name, h.Of)
		case parent.Named() && !h.Own() && !h.Keyed:
			return fmt.Errorf(
				"schema: table %s: it needs PRIMARY KEY (pkey): what makes the pkeys of %s unique is no key of its own",
				h.Name, h.Of)
		case len(parent.Deciding()) > 0 || len(parent.Unique) > 0:
			return fmt.Errorf("schema: table %s: a unique key of %s without pkey is none of the rows of tables that inherit",
				h.Name, h.Of)
		case len(parent.Parents) > 0 || len(s.Children(h.Of)) > 0 || len(s.On(h.Of)) > 0 || len(s.On(h.Name)) > 0:
			return fmt.Errorf("schema: table %s: foreign keys and triggers of %s are none of the tables that inherit",
				h.Name, h.Of)
		}
		seen[share] = true
	}
	return nil
}

// Package instrument analyses the statements of a case and surrounds each with the probes that show what it
// read and wrote: before-write, after-write and version-set reads (TxCheck, section 3.2), each in the read mode
// that the profile prescribes.
package instrument

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"txweave/sqltext"
	"txweave/testcase"
)

// readSchema reads the statements that define tables, indexes, views and triggers. Every table must have pkey.
func readSchema(syntax *sqltext.Syntax, ddl []testcase.Stmt) (*sqltext.Schema, error) {
	schema := syntax.Schema(testcase.Texts(ddl))
	if err := checkHeirs(schema); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, d := range ddl {
		if x, ok := sqltext.ReadIndex(d.SQL); ok {
			if !seen[x.Table] {
				return nil, fmt.Errorf("schema: index %s on unknown table %s", x.Name, x.Table)
			}
			if _, err := syntax.Tree.Parse(d.SQL); err != nil { // it may be unique
				return nil, fmt.Errorf("schema: index %s: %w", x.Name, err)
			}
			if x.Unique && schema.Table(x.Table) == nil {
				return nil, fmt.Errorf("schema: index %s: a unique index on a table that inherits is not known here", x.Name)
			}
			continue
		}
		if t, ok := sqltext.ReadTrigger(d.SQL); ok {
			if !seen[t.Table] || t.Writes != "" && !seen[t.Writes] {
				return nil, fmt.Errorf("schema: trigger %s is about a table that is not created before it", t.Name)
			}
			if c := t.Sets(sqltext.IsBookkeeping); c != "" {
				return nil, fmt.Errorf("schema: trigger %s sets %s of the row that fires it: that says which statement wrote a row", t.Name, c)
			}
			continue
		}
		if v, ok := sqltext.ReadView(d.SQL); ok {
			if seen[v.Name] {
				return nil, fmt.Errorf("schema: view %s has a table's name", v.Name)
			}
			continue
		}
		s := sqltext.Read(d.SQL)
		if of := s.PartitionOf(); of != "" {
			if schema.Table(of) == nil || seen[s.Target] || len(s.Tokens) < 7 || !s.Tokens[6].Is("for", "default") {
				return nil, fmt.Errorf("schema: %s: a partition is one of a table that is created before it, and says which rows it has and nothing else", s.Target)
			}
			continue
		}
		if of := s.Inherits(); of != "" {
			if !seen[of] || seen[s.Target] {
				return nil, fmt.Errorf("schema: table %s inherits from one that is created before it", s.Target)
			}
			seen[s.Target] = true
			continue
		}
		if s.Creates() != "table" {
			return nil, fmt.Errorf("schema: only tables, indexes, views without a list of columns and triggers of one statement are known here: %q", d.SQL)
		}
		if seen[s.Target] {
			return nil, fmt.Errorf("schema: table %s is created twice", s.Target)
		}
		if clause := resolved(s); clause != "" {
			return nil, fmt.Errorf("schema: table %s: ON CONFLICT %s would let each of its statements do what only INSERT OR %s says: write it there", s.Target, clause, clause)
		}
		if err := checkConstraints(sqltext.Significant(sqltext.WithoutDeferred(d.SQL), -1)); err != nil {
			return nil, fmt.Errorf("schema: table %s: %w", s.Target, err)
		}
		if _, err := syntax.Tree.Parse(d.SQL); err != nil { // its keys and references are not known
			return nil, fmt.Errorf("schema: table %s: %w", s.Target, err)
		}
		seen[s.Target] = true
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

// resolved is what a constraint of SQLite's does by itself with a row that violates it, in place of an error: REPLACE, IGNORE, and others.
func resolved(s sqltext.Statement) string {
	t := s.Tokens
	for i := 0; i+2 < len(t); i++ {
		if t[i].Is("on") && t[i+1].Is("conflict") && !t[i+2].Is("abort") {
			return strings.ToUpper(t[i+2].Text)
		}
	}
	return ""
}

// checkConstraints refuses constraints that a statement which runs alone meets otherwise than in a transaction, and those that are keys
// of another kind than the unique ones.
func checkConstraints(tokens []sqltext.Token) error {
	excludes, depth := false, 0
	for i := 1; i+1 < len(tokens); i++ {
		if depth += tokens[i].Nesting(); depth == 0 { // behind the definitions: WITH (fillfactor=10) is the table's
			excludes = false
		}
		switch {
		case tokens[i].Is("initially") && tokens[i+1].Is("deferred"):
			return errors.New("a constraint that is checked at COMMIT, and is no foreign key, says nothing of statements that run one by one: let it be INITIALLY IMMEDIATE")
		case tokens[i].Is("exclude") && tokens[i+1].Is("using"):
			excludes = true
		case excludes && tokens[i].Is("with") && tokens[i+1].Text != "=", excludes && tokens[i].Is("where"):
			return errors.New("EXCLUDE is read with = and without a condition")
		}
	}
	return nil
}

// inSmallLetters refuses a table with capitals in its name: MySQL and MariaDB tell Tab from tab, and who reads the tables has their
// names in small letters, as every other name.
func inSmallLetters(ddl []testcase.Stmt) error {
	for _, d := range ddl {
		s := sqltext.Read(d.SQL)
		if s.Creates() != "table" {
			continue
		}
		for _, t := range s.Tokens {
			if name, ok := t.Ident(); ok && name == s.Target {
				if t.Unquote() != name {
					return fmt.Errorf("schema: table %s: write its name in small letters: MySQL and MariaDB tell it from %s", t.Unquote(), name)
				}
				break
			}
		}
	}
	return nil
}

// checkTable refuses a table whose rows and versions cannot be told apart.
func checkTable(t *sqltext.Table) error {
	if t.Column(sqltext.PKey) == nil {
		return fmt.Errorf("schema: table %s has no column %s (or the case must say the equivalent order)", t.Name, sqltext.PKey)
	}
	if !t.Column(sqltext.PKey).NotNull {
		return fmt.Errorf("schema: table %s: the column %s names the rows: it must be NOT NULL or the primary key", t.Name, sqltext.PKey)
	}
	return nil
}

// fires adds what the triggers that a block's statement fires read and write, and those that their own writes may fire. The statement itself
// writes the first direct tables of those that the block writes.
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
			info.ValueDepends, info.MatchTable, info.KeyWhere = true, "", ""
			if t.Writes != "" {
				also(t.Writes)
			}
		}
	}
}

package testcase

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	tree "txweave/sql"
	"txweave/sql/sqltext"
)

// definition judges a statement of the schema.
func (a *admission) definition(text string) error {
	s, err := a.read(text)
	if err = cmp.Or(err, a.prompt(s)); err != nil {
		return err
	}
	switch {
	case s.Kind == sqltext.Create && slices.ContainsFunc(s.Tokens[:min(5, len(s.Tokens))], func(t sqltext.Token) bool {
		return t.Is("temporary", "temp")
	}):
		return errors.New("a temporary table is there for one session only")
	case s.Creates() == "view":
		return a.view(s, text)
	case hasBody(s) && s.Tokens[1].Is("trigger"):
		return a.trigger(s, text)
	case s.Kind != sqltext.Create && s.Kind != sqltext.Alter:
		return errors.New("a schema consists of CREATE TABLE, CREATE INDEX, ALTER TABLE, CREATE VIEW and CREATE TRIGGER")
	case s.Target == "":
		return errors.New("it names no table")
	case a.inside(s.Target):
		return errors.New("a table of the database itself")
	}
	if err := a.definitionWords(s); err != nil {
		return err
	}
	if of := s.PartitionOf(); of != "" && !a.tables[of] {
		return errors.New("a partition is one of a table that the schema creates before it")
	}
	if of := s.Inherits(); of != "" && !a.tables[of] {
		return errors.New("a table inherits from one that the schema creates before it")
	}
	if s.Creates() == "table" || s.Inherits() != "" {
		a.tables[s.Target] = true
	}
	return nil
}

// view judges CREATE VIEW: a query on tables and views of the schema, under a name that none of them has.
func (a *admission) view(s sqltext.Statement, text string) error {
	stmt, err := a.x.Tree.Parse(text)
	v, ok := stmt.(*tree.CreateView)
	switch {
	case err != nil && !isQuery(s.Tokens), err == nil && (!ok || v.Materialized || len(v.Columns) > 0):
		return errors.New("a view is a name, AS and a query")
	case a.tables[s.Target] || a.inside(s.Target):
		return errors.New("a table has that name")
	case slices.ContainsFunc(s.Tokens, func(t sqltext.Token) bool { return t.Is("definer") }):
		return errors.New("it names a user")
	}
	return nil
}

// isQuery says of a view that is not read as a tree whether its first AS stands before a query.
func isQuery(tokens []sqltext.Token) bool {
	at := slices.IndexFunc(tokens, func(t sqltext.Token) bool { return t.Is("as") || t.Text == "(" })
	return at >= 0 && at+1 < len(tokens) && tokens[at].Is("as") && (tokens[at+1].Is("select", "with", "values", "table") ||
		tokens[at+1].Text == "(")
}

// trigger judges CREATE TRIGGER: one statement, which writes a table of the schema or the row itself.
func (a *admission) trigger(s sqltext.Statement, text string) error {
	stmt, _ := a.x.Tree.Parse(text)
	n, ok := stmt.(*tree.CreateTrigger)
	t := sqltext.Trigger{}
	if ok {
		t, ok = sqltext.TriggerOf(n)
	}
	switch {
	case !ok:
		return errors.New(
			"a trigger is CREATE TRIGGER name BEFORE or AFTER, INSERT, UPDATE or DELETE, ON table FOR EACH ROW, and one " +
				"statement")
	case !a.tables[t.Table] || t.Writes != "" && !a.tables[t.Writes]:
		return errors.New("a trigger is about tables that the schema creates before it")
	case t.Block && !a.x.Tree.Grammar.TriggerBlock:
		return errors.New("the statement of a trigger stands alone, without BEGIN and END")
	case !t.Block && a.x.Tree.Grammar.TriggerBlock:
		return errors.New("the statement of a trigger stands between BEGIN and END")
	}
	for _, x := range s.Tokens {
		if x.Is(bodyWords...) || x.Text == "@" || x.Text == "@@" {
			return fmt.Errorf("%s in its body could reach beyond the database", strings.ToUpper(x.Text))
		}
	}
	if !t.OnlyRow() {
		return errors.New("settings are not part of a case")
	}
	return nil
}

// definitionWords refuses clauses of a definition that reach beyond the database, and unless it is a script's those
// that a case has another place for.
func (a *admission) definitionWords(s sqltext.Statement) error {
	known := a.x.Admission.Engines
	if a.script {
		known = slices.Concat(known, a.x.Admission.LooseEngines)
	}
	depth, defined := 0, false // defined: the word TABLE has been there
	for i, t := range s.Tokens {
		depth += t.Nesting()
		first := t.Is("table") && !defined
		defined = defined || first
		switch {
		case a.script && t.Is("union", "exchange", "rename"):
			continue
		case !a.script && s.Creates() == "table" && (t.Is("select") || t.Is("values", "table") && depth == 0 && !first):
			return errors.New("a table's rows belong in the section of rows")
		}
		w := clauseWord{s: s, at: i, depth: depth}
		if err := w.reaches(); err != nil {
			return err
		}
		if name, ok := w.engine(); ok && !slices.Contains(known, name) {
			return fmt.Errorf("engine %s: its tables are in no transaction, or their rows somewhere else", name)
		}
	}
	return nil
}

// clauseWord is a token of a definition, within so many parentheses.
type clauseWord struct {
	s         sqltext.Statement
	at, depth int
}

// behind is the token that stands n places behind; an empty one for none.
func (w clauseWord) behind(n int) sqltext.Token {
	if w.at+n < len(w.s.Tokens) {
		return w.s.Tokens[w.at+n]
	}
	return sqltext.Token{}
}

// reaches refuses a clause about files, servers, users or other tables.
func (w clauseWord) reaches() error {
	t, next := w.s.Tokens[w.at], w.behind(1)
	switch {
	case t.Is("rename") && w.s.Kind == sqltext.Alter && !next.Is("column", "index", "key"):
		return errors.New("it renames a table: give it that name when it is created")
	case t.Is("data", "index") && next.Is("directory"):
		return errors.New("it names a directory")
	case t.Is("connection") && (w.depth == 0 || next.Text == "=" || next.Kind == sqltext.Literal):
		return errors.New("it names another server")
	case t.Is("tablespace", "union", "discard", "import", "exchange", "server", "wrapper", "definer") && w.depth == 0,
		t.Is("definer") && next.Text == "=",
		t.Is("tablespace", "directory") && w.ofPartition():
		return fmt.Errorf("%s reaches beyond the table", strings.ToUpper(t.Text))
	}
	return nil
}

// engine is the name of the engine that the word ENGINE asks for, in lower case.
func (w clauseWord) engine() (name string, ok bool) {
	next := w.behind(1)
	if !w.s.Tokens[w.at].Is("engine") || next.Text != "=" && w.depth > 0 && !w.ofPartition() {
		return "", false
	}
	if next.Text == "=" {
		next = w.behind(2)
	}
	return strings.ToLower(next.Unquote()), next.Text != ""
}

// ofPartition says whether a word within parentheses is an option of a partition, and not the name of a column: it
// stands behind another word, or what that has in parentheses.
func (w clauseWord) ofPartition() bool {
	if w.depth == 0 || w.at == 0 {
		return false
	}
	before := w.s.Tokens[w.at-1]
	return before.Kind != sqltext.Symbol || before.Text == ")"
}

// plainNames refuses names that are more than letters, digits and underscores where they come into statements of the
// tool's own, and quotes in those that stand in texts there, too. What a query calls its columns, collations and types
// have any name.
func plainNames(stmt tree.Stmt) (err error) {
	tree.Walk(stmt, func(n tree.Node) bool {
		for _, name := range namesOf(n) {
			if name != nil && err == nil {
				err = plainName(name.Value)
			}
		}
		for _, name := range keyNames(n) {
			if name != nil && err == nil && strings.ContainsAny(name.Value, "'\"`\\;") {
				err = fmt.Errorf("%s: the name of an index or a constraint has no quotes in it", quote(name.Value))
			}
		}
		return err == nil
	})
	return err
}

// namesOf are the names that a node gives tables and columns, or knows them by: those that are made, and what a
// statement calls its tables.
func namesOf(n tree.Node) []*tree.Name {
	switch n := n.(type) {
	case *tree.Table:
		return append(slices.Clone(n.Columns), n.Name, n.Alias)
	case *tree.TableCall:
		return append(slices.Clone(n.Columns), n.Alias)
	case *tree.Derived:
		return append(slices.Clone(n.Columns), n.Alias)
	case *tree.ParenTable:
		return []*tree.Name{n.Alias}
	case *tree.CTE:
		return append(slices.Clone(n.Columns), n.Name)
	case *tree.ColumnDef:
		return []*tree.Name{n.Name}
	case *tree.CreateTable:
		return objects(append(slices.Clone(n.Inherits), n.Name, n.Like, n.Of)...)
	case *tree.CreateView:
		return append(slices.Clone(n.Columns), objects(n.Name)...)
	case *tree.CreateTrigger:
		return objects(n.Name, n.Table)
	case *tree.CreateIndex:
		return objects(n.Table)
	case *tree.AlterTable:
		return objects(n.Table)
	case *tree.ForeignKey:
		return slices.Concat(n.Columns, n.Keys, objects(n.Table))
	case *tree.Insert:
		return append(slices.Clone(n.Columns), n.Row)
	case *tree.Drop:
		if n.What != "INDEX" {
			return objects(n.Names...)
		}
	case *tree.RenamePair:
		return objects(n.From, n.To)
	case *tree.Maintain:
		return objects(n.Tables...)
	}
	return nil
}

func objects(list ...*tree.Object) (names []*tree.Name) {
	for _, o := range list {
		if o != nil {
			names = append(names, o.Name)
		}
	}
	return names
}

// keyNames are the names that a node gives indexes and constraints, or knows them by.
func keyNames(n tree.Node) []*tree.Name {
	switch n := n.(type) {
	case *tree.CreateIndex:
		return objects(n.Name)
	case *tree.Drop:
		if n.What == "INDEX" {
			return objects(n.Names...)
		}
	case *tree.Index:
		return []*tree.Name{n.Name}
	case *tree.Unique:
		return []*tree.Name{n.Name, n.Index}
	case *tree.ForeignKey:
		return []*tree.Name{n.Name, n.Index}
	case *tree.PrimaryKey:
		return []*tree.Name{n.Name}
	case *tree.Check:
		return []*tree.Name{n.Name}
	case *tree.Exclude:
		return []*tree.Name{n.Name}
	}
	return nil
}

// plainName refuses a name that needs its quotes for more than being a keyword.
func plainName(name string) error {
	if strings.ContainsFunc(name, func(r rune) bool { return r < 0x80 && r != '_' && r != '$' && !isAlphanumeric(r) }) {
		return fmt.Errorf("%s: a name has letters, digits and underscores", quote(name))
	}
	return nil
}

func isAlphanumeric(r rune) bool { return r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' }

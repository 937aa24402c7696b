package testcase

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	tree "txweave/sql"
	"txweave/sql/control"
	"txweave/sql/sqltext"
)

// Admit reports the first statement that a case must not hold, because it could reach beyond the tables that the case
// creates: other databases, files, users, settings of the server, other servers. A case comes from anywhere, and to
// replay it is to run it. A schema creates and alters tables and indexes; rows and transactions read and write
// unqualified tables, rows those of the schema only; a transaction begins and ends and does nothing else. The syntax is
// that of the database that will run it: what is one statement of the one can be two of another.
//
// Where Validate is about the text of a case, Admit is about what it does. The statements of generated and reduced
// cases pass it too. Its error is of type *RefusedError.
func (c *Case) Admit(x *sqltext.Syntax) error {
	err := c.admit(x)
	if err == nil {
		return nil
	}
	err.at = c.places
	return err
}

func (c *Case) admit(x *sqltext.Syntax) *RefusedError {
	a := admission{x: x, calls: c.calls(x), tables: map[string]bool{}}
	sections := append([]section{{"schema", c.Schema, a.definition}, {"rows", c.Rows, a.row}}, a.sessions(c)...)
	index := 0
	for _, s := range sections {
		if err := s.judge(); err != nil {
			err.index += index
			return err
		}
		index += len(s.stmts)
	}
	for n := range c.Txns {
		if err := a.txn(n, &c.Txns[n]); err != nil {
			err.index += index
			return err
		}
		index += c.Txns[n].Steps()
	}
	return nil
}

// section is a part of a case whose statements are judged alike.
type section struct {
	name  string
	stmts []Stmt
	admit func(sql string) error
}

// judge reports the first statement that is refused; its index is that within the section.
func (s section) judge() *RefusedError {
	for i, stmt := range s.stmts {
		if err := s.admit(stmt.SQL); err != nil {
			return &RefusedError{Where: fmt.Sprintf("%s, statement %d", s.name, i), index: i, SQL: stmt.SQL, Reason: err}
		}
	}
	return nil
}

// sessions are the sections of the sessions' settings.
func (a *admission) sessions(c *Case) (out []section) {
	for _, s := range c.Sessions {
		out = append(out, section{sessionSection(s.Number), s.Stmts, a.setSession})
	}
	return out
}

// txn judges the statements of transaction n; the index of the first that is refused is that of its step.
func (a *admission) txn(n int, t *Txn) *RefusedError {
	alone, last := t.Autocommit(), t.Steps()-1
	a.written = false
	for i := range t.Steps() {
		sql := t.Step(i).SQL
		begin, end := i == 0 && !alone, i == last && !alone
		err := cmp.Or(a.step(sql, begin, end, alone), a.search(sql))
		if err == nil {
			continue
		}
		where := Ref{n, i - 1}.String()
		switch {
		case alone:
			where = Ref{n, 0}.String()
		case begin || end:
			where = txnName(n)
		}
		return &RefusedError{Where: where, index: i, SQL: sql, Reason: err}
	}
	return nil
}

// admission judges the statements of a case, the schema first.
type admission struct {
	x       *sqltext.Syntax
	calls   calls
	tables  map[string]bool // that the schema creates
	script  bool            // it is a script's statement: see Script.Admit
	alone   bool            // … and the server is its own
	setting bool            // it is one of a session's settings
	written bool            // the transaction has written something
	views   map[string]float64
}

// search refuses a full-text search that does not find what its transaction wrote before: without transactions it does.
func (a *admission) search(text string) error {
	if !a.x.Traits.LateSearch {
		return nil
	}
	if a.written && a.x.Searches(text) {
		return errors.New("a full-text search finds what is committed, and nothing that its own transaction wrote")
	}
	a.written = a.written || a.x.Quoting.Read(text).Kind.Writes()
	return nil
}

// row judges a statement of the rows.
func (a *admission) row(sql string) error {
	s, err := a.read(sql)
	if err != nil {
		return err
	}
	if !s.Kind.Writes() {
		return errors.New("rows are INSERTs")
	}
	if err := a.prompt(s); err != nil {
		return err
	}
	return a.writes(s)
}

// byAlias says whether a DELETE may name what it deletes from by aliases: DELETE a, b FROM …, DELETE FROM a, b USING ….
func byAlias(t []sqltext.Token) bool {
	if !t[1].Is("from") {
		return true
	}
	after := slices.IndexFunc(t[2:], func(t sqltext.Token) bool {
		return t.Kind != sqltext.Name && t.Text != "," && (t.Kind != sqltext.Word || t.Is("using"))
	})
	return after > 0 && t[2+after].Is("using")
}

// writes refuses a write to a table that the schema does not create.
func (a *admission) writes(s sqltext.Statement) error {
	known := func(n sqltext.TableName) bool { return a.tables[n.Name] }
	switch {
	case !s.Kind.Writes() || a.tables[s.Target]:
	case s.Target == "":
		return errors.New("it names no table that it writes")
	case s.Kind == sqltext.Delete && byAlias(s.Tokens) && slices.ContainsFunc(s.Named, known):
	default:
		return fmt.Errorf("it writes table %s, which the schema does not create", s.Target)
	}
	return nil
}

// step judges a statement of a transaction: the one that begins it, the one that ends it, or one by itself.
func (a *admission) step(sql string, begin, end, alone bool) error {
	t := control.Read(a.x.Tree, sql)
	if end && t.Disconnects() && a.x.Quoting.Plain(sql) {
		return nil
	}
	s, err := a.read(sql)
	if err != nil {
		return err
	}
	frames := begin || end
	switch {
	case frames && (s.Kind == sqltext.Set || s.Kind == sqltext.XA) || t.IsXA() || end && t.Unlocks():
		return a.framed(t)
	case !alone && inTwoPhases(t, frames, end):
		return nil
	case frames && t.Tree == nil:
		return errors.New("it is not known as a statement of this database that begins or ends a transaction")
	case begin:
		return a.onlyWords(sql, s, sqltext.Begin, beginWords)
	case end && (s.Kind == sqltext.Commit || s.Kind == sqltext.Rollback):
		return a.onlyWords(sql, s, s.Kind, endWords)
	}
	return a.within(t, s, alone || end)
}

// inTwoPhases says whether a statement prepares its transaction, or ends a prepared one.
func inTwoPhases(t control.Statement, frames, end bool) bool {
	if frames {
		return end && t.EndsPrepared() != ""
	}
	return !t.IsXA() && t.Prepares() != ""
}

// within judges a statement between the beginning and the end of a transaction, or one that stands alone.
func (a *admission) within(t control.Statement, s sqltext.Statement, alone bool) error {
	if d, ok := t.Redefinition(); ok {
		if !alone && a.commits(t) {
			return errors.New("it ends the transaction: let it stand alone, in autocommit")
		}
		return a.redefines(s, d)
	}
	if table, ok := t.Truncates(); ok {
		return a.truncates(table, alone)
	}
	if locks, ok := tableLocks(t); ok && !alone {
		return a.locks(locks)
	}
	if err := target(t); err != nil {
		return err
	}
	if x, ok := t.Scratch(); ok {
		return a.scratch(t, x, alone)
	}
	return a.writes(s)
}

// commits says whether a statement commits the transaction that it is sent in.
func (a *admission) commits(t control.Statement) bool {
	return a.x.Traits.Commits != nil && a.x.Traits.Commits(t.Tree, t.Kind)
}

// target refuses what is no statement of a transaction.
func target(s control.Statement) error {
	switch s.Kind {
	case sqltext.Savepoint, sqltext.RollbackTo, sqltext.Release:
		if _, ok := s.Savepoint(); !ok {
			return errors.New("a savepoint has one name")
		}
		return nil
	case sqltext.Set:
		return errors.New("settings are not part of a case: it has one level, and no others")
	case sqltext.Lock:
		return errors.New("locks of whole tables end the transaction, or block it for good")
	case sqltext.XA:
		return errors.New("prepared transactions are not supported")
	case sqltext.Begin, sqltext.Commit, sqltext.Rollback:
		return errors.New("a transaction begins with its first statement and ends with its last")
	}
	if !s.IsTarget() {
		return errors.New("a transaction consists of SELECT, INSERT, REPLACE, UPDATE, DELETE and savepoints")
	}
	return nil
}

var (
	beginWords = strings.Fields(
		`begin start transaction work deferred immediate exclusive concurrent optimistic pessimistic with consistent
		snapshot causal consistency read only write isolation level repeatable committed uncommitted serializable deferrable ,`)
	endWords = strings.Fields(`commit rollback abort work transaction and no chain release`)
)

// onlyWords judges the statement that begins or ends a transaction.
func (a *admission) onlyWords(sql string, s sqltext.Statement, kind sqltext.Kind, known []string) error {
	if s.Kind != kind {
		return fmt.Errorf("%s is expected here", strings.ToUpper(kind.String()))
	}
	for i, t := range s.Tokens {
		word := strings.ToLower(t.Text)
		switch {
		case !slices.Contains(known, word):
			return fmt.Errorf("%s is unknown here", quote(t.Text))
		case word == "chain" && a.x.Admission.Chain && s.Kind != sqltext.Begin && strings.HasSuffix(sql, " AND CHAIN"):
		case (word == "chain" || word == "release") && !s.Tokens[i-1].Is("no"):
			return fmt.Errorf("%s does more than end the transaction", strings.ToUpper(word))
		}
	}
	return nil
}

// read understands a statement and refuses what no statement of a case may have.
func (a *admission) read(sql string) (sqltext.Statement, error) {
	s := a.x.Quoting.Read(sql)
	if strings.IndexByte(sql, 0) >= 0 {
		return s, errors.New("it holds a zero byte")
	}
	if s.Open {
		return s, errors.New("a literal, a name or a comment in it does not end")
	}
	references := s.Expands(a.views)
	if references > sqltext.MaxExpands {
		return s, fmt.Errorf("its views and common table expressions stand for more than %d tables", sqltext.MaxExpands)
	}
	if s.Creates() == "view" {
		if a.views == nil {
			a.views = map[string]float64{}
		}
		a.views[s.Target] = references + 1
	}
	several := hasBody(s) && (a.script || a.isBlock(sql))
	for i, t := range s.Tokens {
		if t.Text == ";" && !several {
			return s, errors.New("it is more than one statement")
		}
		if err := a.spelling(s.Tokens, i); err != nil {
			return s, err
		}
		if err := a.reaches(s, sql, i); err != nil {
			return s, err
		}
	}
	return s, a.names(s, sql)
}

// spelling refuses a token that some server reads otherwise, or whose value stands nowhere.
func (a *admission) spelling(tokens []sqltext.Token, i int) error {
	t := tokens[i]
	switch {
	case t.Kind == sqltext.Executable:
		return errors.New("a comment that some servers run: write what it says, or leave it out")
	case t.Kind == sqltext.Symbol && (t.Text[0] < ' ' || t.Text[0] == 0x7f): // behind "--" it begins a comment for some
		return errors.New("it holds a control character outside of literals")
	case t.Text == "{" || t.Text == "}":
		return errors.New("braces are not supported")
	}
	if a.x.Admission.Token != nil {
		return a.x.Admission.Token(tokens, i, a.script)
	}
	return nil
}

// reaches refuses a word by which a statement reaches for files, variables or the engine.
func (a *admission) reaches(s sqltext.Statement, sql string, i int) error {
	t := s.Tokens[i]
	switch {
	case t.Is("into"):
		if !a.into(s, i) {
			return errors.New("INTO writes its result to a file or a variable")
		}
	case i == 0 && t.Is("attach", "detach", "vacuum", "pragma", "outfile", "dumpfile", "infile") &&
		!(t.Is("vacuum", "pragma") && (a.script || a.setting || a.keeps(sql))):
		return fmt.Errorf("%s reaches beyond the case", strings.ToUpper(t.Text))
	case isPragma(t):
		return errors.New("it reads the engine's settings")
	}
	return nil
}

// into says whether INTO may stand there: in a script, in the body of a trigger, and before the table that is written.
func (a *admission) into(s sqltext.Statement, i int) bool {
	if a.script && !(i+1 < len(s.Tokens) && s.Tokens[i+1].Is("outfile", "dumpfile")) {
		return true
	}
	return hasBody(s) && s.Tokens[i-1].Is("insert", "replace") || introducesTarget(s, i)
}

// names refuses the tables, functions and qualifiers that a statement must not name.
func (a *admission) names(s sqltext.Statement, sql string) error {
	var rows []string // what a trigger calls the row, or a session's settings are called
	switch {
	case hasBody(s):
		rows = []string{"new", "old"}
	case a.setting:
		rows = []string{"session", "local"}
	}
	if err := a.outsideSchema(s, sql); err != nil {
		return err
	}
	if err := qualified(s, rows...); err != nil {
		return err
	}
	if n, ok := a.catalogue(s); ok {
		return fmt.Errorf("table %s is the database's own", n)
	}
	if name := a.reachesOut(s); name != "" {
		return fmt.Errorf("function %s reaches beyond the database", name)
	}
	if a.script {
		return nil
	}
	if err := plainName(s.Target); err != nil {
		return err
	}
	return cmp.Or(a.calls.hinted(sql, a.x.Quoting), namedIn(a.x.Tree, a.calls, sql))
}

// outsideSchema refuses a qualified name in a table's place. Words alone take some columns behind RETURNING for tables:
// a statement whose tree has no such name is believed.
func (a *admission) outsideSchema(s sqltext.Statement, sql string) error {
	for _, n := range s.Named {
		if n.Qualifier == "" {
			continue
		}
		if !a.script {
			if stmt, err := a.x.Tree.Parse(sql); err == nil && ofSchema(stmt) == nil {
				return nil
			}
		}
		return fmt.Errorf("table %s: a case knows the tables of its own schema only", n)
	}
	return nil
}

// namedIn refuses what a statement names that a case must not name, where it is read as a tree.
func namedIn(d *tree.Dialect, known calls, sql string) error {
	stmt, err := d.Parse(sql)
	if err != nil {
		return nil // it is judged by its words, and nobody asks it for names
	}
	return cmp.Or(ofSchema(stmt), known.in(stmt), plainNames(stmt))
}

// AdmitNames is what Admit asks of statements as trees, for a database that divides texts into words as the case's
// target does and reads others of them as trees.
func (c *Case) AdmitNames(x *sqltext.Syntax) error {
	known := c.calls(x)
	named := func(sql string) error { return namedIn(x.Tree, known, sql) }
	a := admission{x: x, calls: known, tables: map[string]bool{}}
	sections := append(a.sessions(c), section{"schema", c.Schema, named}, section{"rows", c.Rows, named})
	for n := range c.Txns {
		sections = append(sections, section{txnName(n), c.Txns[n].Stmts, named})
	}
	for _, s := range sections {
		if err := s.judge(); err != nil {
			return err
		}
	}
	return nil
}

// ofSchema refuses what a tree names in another schema or database, in whatever place.
func ofSchema(stmt tree.Stmt) (err error) {
	tree.Walk(stmt, func(n tree.Node) bool {
		var schema, name *tree.Name
		switch n := n.(type) {
		case *tree.Object:
			schema, name = n.Schema, n.Name
		case *tree.Table:
			schema, name = n.Schema, n.Name
		case *tree.TableCall:
			schema, name = n.Schema, n.Name
		case *tree.Call:
			schema, name = n.Schema, n.Name
		case *tree.Column:
			schema, name = n.Schema, n.Name
		}
		if err == nil && strings.HasPrefix(name.Folded(), "pragma_") && !isColumn(n) {
			err = errors.New("it reads the engine's settings")
		}
		if schema != nil && err == nil {
			err = fmt.Errorf("%s: a case knows the tables of its own schema only", quote(schema.Value+"."+name.Value))
		}
		return err == nil
	})
	return err
}

func isColumn(n tree.Node) bool {
	_, is := n.(*tree.Column)
	return is
}

// isBlock says whether a statement makes a trigger of one statement between BEGIN and END.
func (a *admission) isBlock(text string) bool {
	stmt, _ := a.x.Tree.Parse(text)
	n, ok := stmt.(*tree.CreateTrigger)
	if !ok {
		return false
	}
	t, ok := sqltext.TriggerOf(n)
	return ok && t.Block
}

// catalogue returns a table of the database's own that a statement names: they are there without a qualifier, tell of
// users and files, and a superuser may write them. A script may read those that tell of sessions, locks and tables.
func (a *admission) catalogue(s sqltext.Statement) (name string, ok bool) {
	prefix := a.x.Traits.Catalogue
	if prefix == "" {
		return "", false
	}
	reads := a.script && s.Kind == sqltext.Select && !slices.ContainsFunc(s.Tokens, func(t sqltext.Token) bool {
		return t.Is("insert", "update", "delete", "merge") // below WITH
	})
	for i, t := range s.Tokens {
		n, ok := t.Ident()
		called := i+1 < len(s.Tokens) && s.Tokens[i+1].Text == "("
		if ok && strings.HasPrefix(n, prefix) && !called && !(reads && slices.Contains(a.x.Admission.Told, n)) {
			return n, true
		}
	}
	return "", false
}

// isPragma says whether a token names one of the table-valued functions that are PRAGMAs.
func isPragma(t sqltext.Token) bool {
	const prefix = "pragma_"
	if len(t.Text) <= len(prefix) || t.Kind != sqltext.Word && t.Kind != sqltext.Name {
		return false
	}
	name := t.Unquote()
	return len(name) > len(prefix) && strings.EqualFold(name[:len(prefix)], prefix)
}

// introducesTarget says whether the INTO at i is the one of INSERT, REPLACE or MERGE, with nothing but modifiers before
// it.
func introducesTarget(s sqltext.Statement, i int) bool {
	for j := i - 1; j >= 0; j-- {
		switch t := s.Tokens[j]; {
		case t.Is("insert", "replace", "merge") && (j == 0 || s.Tokens[j-1].Text == ")" || s.Tokens[j-1].Is("or")):
			if j > 1 && s.Tokens[j-1].Is("or") {
				return s.Tokens[j-2].Is("insert")
			}
			return s.Kind == sqltext.Insert
		case t.Is("or") && j > 0 && s.Tokens[j-1].Is("insert"):
		case !t.Is("low_priority", "high_priority", "delayed", "ignore", "abort", "fail", "rollback"):
			return false
		}
	}
	return false
}

// qualified refuses names of other databases: one of three parts, a qualified function, and a qualifier that is nothing
// else in the statement. Other names that may be qualifiers are given.
func qualified(s sqltext.Statement, others ...string) error {
	q := qualifiers{s.Tokens, append([]string{"excluded"}, others...)}
	for i, t := range s.Tokens {
		if i == 0 || !q.dot(i) {
			continue
		}
		before := s.Tokens[i-1]
		switch {
		case before.Kind == sqltext.Literal:
			return fmt.Errorf("%s: a literal is not a name", quote(before.Text+t.Text))
		case !q.isName(i - 1):
		case before.Kind == sqltext.Word && strings.Trim(before.Text, "0123456789") == "": // a number
		case q.dot(i+2) || q.called(i+1) || !q.alone(before):
			return fmt.Errorf("%s: a case knows the tables of its own schema only",
				quote(before.Text+"."+s.Tokens[min(i+1, len(s.Tokens)-1)].Text))
		}
	}
	return nil
}

// qualifiers tells which names of a statement may stand in front of a dot.
type qualifiers struct {
	tokens []sqltext.Token
	known  []string // names that may
}

func (q *qualifiers) isName(i int) bool {
	return i < len(q.tokens) && (q.tokens[i].Kind == sqltext.Word || q.tokens[i].Kind == sqltext.Name)
}

func (q *qualifiers) dot(i int) bool { return i >= 0 && i < len(q.tokens) && q.tokens[i].Text == "." }

// called says whether a function is called there.
func (q *qualifiers) called(i int) bool {
	return q.isName(i) && i+1 < len(q.tokens) && q.tokens[i+1].Text == "("
}

// alone says whether a name stands somewhere without a qualifier, as a table or an alias does.
func (q *qualifiers) alone(qualifier sqltext.Token) bool {
	name, _ := qualifier.Ident()
	if slices.Contains(q.known, name) {
		return true
	}
	for i, t := range q.tokens {
		if len(t.Text) < len(name) || q.dot(i-1) || q.dot(i+1) {
			continue
		}
		if other, ok := t.Ident(); ok && other == name {
			q.known = append(q.known, name)
			return true
		}
	}
	return false
}

// Sent judges texts of which a trace says that they were sent while the case was run. A trace comes from anywhere, as a
// case does, and scripts are written of it.
type Sent struct{ admission }

// Sending is what a text was sent for.
type Sending uint8

// What texts are sent for.
const (
	Within   Sending = iota // a transaction's statement, or a read around it
	Opening                 // the begin of a transaction
	Closing                 // its end
	Clearing                // a setting of the level before it, or what is left of it after an error
)

// Sent returns a judge for a case, which is admitted, as the database reads it.
func (c *Case) Sent(x *sqltext.Syntax) (*Sent, error) {
	a := admission{x: x, calls: c.calls(x), tables: map[string]bool{}}
	for _, s := range c.Schema {
		if err := a.definition(s.SQL); err != nil {
			return nil, err
		}
	}
	return &Sent{a}, nil
}

// Admit says why running the case sends no such text.
func (s *Sent) Admit(sql string, what Sending) error {
	if what != Clearing {
		return s.step(sql, what == Opening, what == Closing, what == Within)
	}
	x, err := s.read(sql)
	t := control.Read(s.x.Tree, sql)
	switch {
	case err != nil:
		return err
	case t.Kind == sqltext.Rollback || t.Kind == sqltext.Commit || t.EndsPrepared() != "" || t.Unlocks() ||
		sql == "SET autocommit = 1":
		return nil
	case x.Kind == sqltext.Set && len(x.Tokens) > 1 && x.Tokens[1].Is("transaction"):
		x.Tokens = x.Tokens[1:]
		return s.onlyWords(sql, x, sqltext.Set, beginWords)
	case x.Kind == sqltext.Select:
		return target(t)
	}
	return errors.New("nothing is cleared up by it")
}

// truncates judges TRUNCATE TABLE, which commits the transaction that it is sent in, or takes from others' snapshots
// what they see.
func (a *admission) truncates(table string, alone bool) error {
	switch {
	case !alone:
		return errors.New("it ends the transaction, or empties the table for older snapshots, too: let it stand alone, in " +
			"autocommit")
	case !a.tables[table]:
		return fmt.Errorf("it empties table %s, which the schema does not create", table)
	}
	return nil
}

// locks judges LOCK TABLES, and LOCK TABLE.
func (a *admission) locks(locks []control.TableLock) error {
	for _, l := range locks {
		if !a.tables[l.Table] {
			return fmt.Errorf("it locks table %s, which the schema does not create", l.Table)
		}
	}
	return nil
}

// scratch judges a query whose answer goes through a table of its own.
func (a *admission) scratch(t control.Statement, x control.Scratch, alone bool) error {
	switch {
	case a.outside(x.Table):
		return fmt.Errorf("%s is no name that a table may have which comes and goes", x.Table)
	case !alone && a.commits(t):
		return errors.New("it ends the transaction: let it stand alone, in autocommit, or make the table TEMPORARY")
	}
	return nil
}

// outside says whether a name is none that a table may have which comes and goes.
func (a *admission) outside(name string) bool {
	return plainName(name) != nil || a.tables[name] || a.inside(name) || strings.HasPrefix(name, "txw_")
}

// inside says whether a table of that name is the database's own.
func (a *admission) inside(name string) bool {
	return a.x.Inside != "" && strings.HasPrefix(name, a.x.Inside)
}

// framed judges a statement of a transaction that is opened otherwise than by BEGIN.
func (a *admission) framed(s control.Statement) error {
	on, off := s.Ends(control.Switched), s.Opens() == control.Switched
	if a.x.Admission.Framed && (on || off || s.XAName() != "") {
		return nil
	}
	return target(s)
}

// redefines judges a statement of a transaction that changes how a table is kept.
func (a *admission) redefines(s sqltext.Statement, d control.Redefinition) error {
	if d.Table != "" && !a.tables[d.Table] {
		return fmt.Errorf("it redefines table %s, which the schema does not create", d.Table)
	}
	for _, name := range []string{d.Through, d.Makes, d.Drops} {
		if a.outside(name) {
			return fmt.Errorf("%s is no name that a table may have which comes and goes", name)
		}
	}
	return a.definitionWords(s)
}

// tableLocks are the locks that a statement takes of whole tables.
func tableLocks(t control.Statement) (locks []control.TableLock, ok bool) {
	if locks, ok = t.TableLocks(); ok {
		return locks, ok
	}
	return t.ModeLocks()
}

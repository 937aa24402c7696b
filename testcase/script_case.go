package testcase

import (
	"regexp"
	"slices"
	"strings"

	"txweave/sql"
	"txweave/sql/control"
	"txweave/sql/sqltext"
)

// leaveOut is what to do about a statement that a case does not hold.
const leaveOut = "leave it out if the bug shows without it"

// lacks is the error of a statement that a case has no place for.
func lacks(st *ScriptStmt, why string) error {
	return &ParseError{Line: st.Line, Msg: quote(strings.Join(strings.Fields(st.SQL), " ")) + ": " + why}
}

// Case makes a case of a script whose transactions a case can hold: what stands in them are statements that read and
// write rows, and savepoints; a statement outside any runs in autocommit, a transaction that nobody ends is rolled
// back. The error says, with its line, which statement a case has no place for.
//
// levels are those of its steps, "" for the case's own, which is the script's. at says which statement of the case each
// step is; Txn is -1 for one that is none of those between the beginning and the end of a transaction.
func (s *Script) Case(levels []string) (c *Case, at []Ref, err error) {
	at = make([]Ref, len(s.Steps))
	for i := range at {
		at[i].Txn = -1
	}
	c, err = s.caseOf(levels, at)
	return c, at, err
}

func (s *Script) caseOf(levels []string, at []Ref) (*Case, error) {
	c := &Case{Target: s.Target, Isolation: s.Isolation, places: &places{}}
	m := caseMaker{Script: s, c: c, levels: levels, at: at, txnOf: make([]int, len(s.Steps)),
		of: make([]int, len(s.Sessions)), commits: map[int]int{}, settings: map[int][]int{}}
	before, err := m.setUp()
	if err != nil {
		return nil, err
	}
	m.keysUnchecked()
	units := s.Units(nil, nil)
	for n := range units { // what only takes time has no place in a case
		u := &units[n]
		if u.Data = u.Data && slices.ContainsFunc(u.Steps, func(i int) bool { return !s.OnlyWaits(i) }); u.Data {
			m.of[u.Session]++
		}
	}
	for n := range units {
		if err := m.unit(&units[n]); err != nil {
			return nil, err
		}
	}
	for i, n := range m.txnOf {
		if t, ok := m.commits[i]; ok {
			c.Schedule = append(c.Schedule, t)
		}
		if n >= 0 {
			c.Schedule = append(c.Schedule, n)
		}
	}
	c.DropUnusedSessions()
	for _, o := range c.Sessions {
		before = append(before, m.settings[o.Number]...)
	}
	c.places.lines = append(before, c.places.lines...)
	c.close(s, units)
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return c.Number(), nil
}

// caseMaker makes a case of a script.
type caseMaker struct {
	*Script
	c        *Case
	levels   []string
	at       []Ref
	txnOf    []int         // the transaction of each step; -1 for what is left out
	of       []int         // how many transactions each session has
	commits  map[int]int   // transactions that end where a step commits them, by that step
	settings map[int][]int // lines, by session
}

// setUp makes schema and rows of the set-up; it returns their lines.
func (m *caseMaker) setUp() ([]int, error) {
	var schema, rows []int
	for _, st := range m.Setup {
		read := sqltext.Read(st.SQL)
		stmt := Stmt{SQL: st.SQL, Comments: st.remarks()}
		switch {
		case read.Kind == sqltext.Alter && m.c.merged(st.SQL):
		case read.Kind == sqltext.Alter, slices.Contains([]string{"table", "partition", "index", "view"}, read.Creates()):
			m.c.Schema, schema = append(m.c.Schema, stmt), append(schema, st.Line)
		case read.Kind == sqltext.Insert:
			m.c.Rows, rows = append(m.c.Rows, stmt), append(rows, st.Line)
		case read.Kind == sqltext.Set, read.Kind == sqltext.Begin, read.Kind == sqltext.Commit, read.Kind == sqltext.Other:
		default:
			return nil, lacks(&st, "a case makes tables, indexes and views, and nothing else: "+leaveOut)
		}
	}
	return append(schema, rows...), nil
}

// keysUnchecked takes the foreign keys out of the schema where the database does not check them and the script does not
// ask for it.
func (m *caseMaker) keysUnchecked() {
	x := sqltext.SyntaxOf(m.Target)
	if x.CheckKeys == "" || slices.ContainsFunc(slices.Concat(m.Setup, m.Steps), func(st ScriptStmt) bool {
		return m.pragma(st.SQL, x.CheckKeys) != nil
	}) {
		return
	}
	free := func(n sql.Constraint) bool { _, is := n.(*sql.ForeignKey); return is }
	for i := range m.c.Schema {
		stmt, err := x.Tree.Parse(m.c.Schema[i].SQL)
		table, ok := stmt.(*sql.CreateTable)
		if err != nil || !ok || !sql.Has(table, func(n sql.Node) bool { _, is := n.(*sql.ForeignKey); return is }) {
			continue
		}
		own := sql.Edit(table, func(t *sql.CreateTable) {
			t.Constraints = slices.DeleteFunc(slices.Clone(t.Constraints), free)
			t.Columns = slices.Clone(t.Columns)
			for n, c := range t.Columns {
				t.Columns[n] = sql.Edit(c, func(c *sql.ColumnDef) {
					c.Constraints = slices.DeleteFunc(slices.Clone(c.Constraints), free)
				})
			}
		})
		if text, err := x.Tree.Print(own); err == nil {
			m.c.Schema[i].SQL = text
		}
	}
}

// pragma is the value that a PRAGMA gives a setting; nil for any other statement.
func (m *caseMaker) pragma(text, setting string) sql.Expr {
	stmt, _ := sqltext.SyntaxOf(m.Target).Tree.Parse(text)
	if p, ok := stmt.(*sql.Pragma); ok && p.Name.Name.Folded() == setting {
		return p.Value
	}
	return nil
}

// keysChecked says whether a step has its session check foreign keys, as each session of the script does.
func (m *caseMaker) keysChecked(step int) bool {
	x := sqltext.SyntaxOf(m.Target)
	on := func(st ScriptStmt) bool {
		value := m.pragma(st.SQL, x.CheckKeys)
		word := ""
		switch v := value.(type) {
		case *sql.Column:
			word = v.Name.Folded()
		case *sql.Literal:
			word = strings.ToLower(v.Characters())
		}
		return value != nil && slices.Contains([]string{"on", "1", "true", "yes"}, word)
	}
	if x.CheckKeys == "" || !on(m.Steps[step]) {
		return false
	}
	for n := range m.Sessions {
		if !slices.ContainsFunc(m.Steps, func(st ScriptStmt) bool { return st.Session == n && on(st) }) {
			return false
		}
	}
	return true
}

// remarks are what the text says of a statement, as comments of a case.
func (st *ScriptStmt) remarks() (out []string) {
	for _, c := range st.Comments {
		out = append(out, strings.TrimSpace("# "+strings.ReplaceAll(c, "\n", " ")))
	}
	return out
}

// ordinary are settings that change no answer, or that every case runs under: how names and results are spelled, how
// long to wait, a strict mode, the usual engine.
var ordinary = regexp.MustCompile(
	`(?i)^set\s+(?:session\s+|local\s+|@@session\s*\.\s*|@@)?(?:names\b|character\s+set\b|(?:character_set_\w+|collation_connection|sql_notes|sql_log_bin|` +
		`(?:innodb_)?lock_wait_timeout|wait_timeout|max_execution_time|unique_checks|profiling|` +
		`lock_timeout|deadlock_timeout|statement_timeout|idle_in_transaction_session_timeout|client_min_messages|` +
		`application_name)(?:\s*:?=\s*|\s+to\s+)[^,]+$|` +
		`default_storage_engine\s*=\s*'?innodb'?\s*$|sql_mode\s*=\s*'[^']*STRICT_TRANS_TABLES[^']*'\s*$)|^pragma\s+busy_timeout\b`)

// OfSessions says whether a SET is of a setting that each session has for itself, as far as that is known.
func OfSessions(x *sqltext.Syntax, text string) bool {
	return ordinary.MatchString(text) || AdmitsSetting(x, text)
}

// unit adds a transaction of the script, or what stands outside of any.
func (m *caseMaker) unit(u *Unit) error {
	if u.Data {
		return m.transaction(u)
	}
	for _, i := range u.Steps {
		m.txnOf[i] = -1
		if err := m.outside(i, u.Session); err != nil {
			return err
		}
	}
	return nil
}

// outside takes a step that is in no transaction: a setting of its session, or what a case does without.
func (m *caseMaker) outside(step, session int) error {
	st := &m.Steps[step]
	kind := sqltext.KindOf(st.SQL)
	switch {
	case m.OnlyWaits(step) || m.shows(step) || ordinary.MatchString(st.SQL) || m.keysChecked(step):
	case kind == sqltext.Set && AdmitsSetting(sqltext.SyntaxOf(m.Target), st.SQL):
		if slices.ContainsFunc(m.Steps[:step], func(before ScriptStmt) bool {
			return before.Session == session && sqltext.KindOf(before.SQL).IsTarget()
		}) {
			return lacks(st, "a case sets a session before all else")
		}
		m.c.set(session+1, st.SQL)
		m.settings[session+1] = append(m.settings[session+1], st.Line)
	case kind == sqltext.Begin, kind == sqltext.Commit, kind == sqltext.Rollback, m.SetsLevel(st.SQL),
		SwitchesAutocommit(st.SQL):
	case kind == sqltext.Set:
		return lacks(st, "a case does not hold this setting: "+leaveOut)
	default:
		return lacks(st, "a case does not hold this outside of a transaction: "+leaveOut)
	}
	return nil
}

// transaction adds a transaction; one whose beginning or end the script leaves out gets its own.
func (m *caseMaker) transaction(u *Unit) error {
	t := Txn{Begin: Stmt{SQL: "BEGIN"}, End: Stmt{SQL: "COMMIT"}}
	switch {
	case !u.Explicit:
		t.Begin.SQL, t.End.SQL = "", ""
	case u.CommittedBy > 0:
		m.commits[u.CommittedBy] = len(m.c.Txns)
	case !u.Ends:
		t.End.SQL = "ROLLBACK"
	}
	if level := m.levels[u.Steps[0]]; level != m.Isolation {
		t.Isolation = level
	}
	if m.of[u.Session] > 1 || slices.ContainsFunc(m.c.Sessions, func(o SessionSettings) bool {
		return o.Number == u.Session+1
	}) {
		t.Session = u.Session + 1
	}
	n, last := len(m.c.Txns), len(u.Steps)-1
	var lines []int // of the statements between
	for k, i := range u.Steps {
		st := &m.Steps[i]
		kind := sqltext.KindOf(st.SQL)
		m.txnOf[i] = n
		switch {
		case m.OnlyWaits(i), m.shows(i), ordinary.MatchString(st.SQL):
			m.txnOf[i] = -1
		case k == 0 && u.Opened:
			t.Begin = Stmt{SQL: m.withoutLevel(st.SQL), Comments: st.remarks()}
		case m.SetsLevel(st.SQL): // it is said of the case, or of its transaction
			m.txnOf[i] = -1
		case u.Ends && k == last && SwitchesAutocommit(st.SQL): // it commits
			t.End.Comments = st.remarks()
		case u.Ends && k == last:
			t.End = Stmt{SQL: m.chained(st.SQL), Comments: st.remarks()}
		case !u.Explicit, kind.IsTarget(), kind.IsSavepoint(), kind == sqltext.XA,
			kind >= sqltext.Create && kind < sqltext.Other:
			// a case judges which definitions it can hold
			m.at[i] = Ref{n, len(t.Stmts)}
			t.Stmts, lines = append(t.Stmts, Stmt{SQL: st.SQL, Comments: st.remarks()}), append(lines, st.Line)
		default:
			return lacks(st, "a case does not hold this in a transaction: "+leaveOut)
		}
	}
	if m.c.Txns = append(m.c.Txns, t); !t.Autocommit() {
		lines = slices.Concat([]int{m.Steps[u.Steps[0]].Line}, lines, []int{m.Steps[u.Steps[last]].Line})
	}
	m.c.places.lines = append(m.c.places.lines, lines...)
	return nil
}

// chained is a statement that ends a transaction, with AND CHAIN as cases have it, where they do.
func (m *caseMaker) chained(text string) string {
	x := sqltext.SyntaxOf(m.Target)
	read := control.Read(x.Tree, text)
	if !read.Chains() {
		return text
	}
	if read = control.Read(x.Tree, read.Unchained()); x.Admission.Chain {
		return read.Text() + " AND CHAIN"
	}
	return read.Text()
}

// shows says whether a step only tells of the server, or of how tables are defined.
func (m *caseMaker) shows(step int) bool {
	text := m.Steps[step].SQL
	return sqltext.KindOf(text) == sqltext.Other && sqltext.FirstWord(text) == "SHOW"
}

// OnlyWaits says whether a step does nothing but to take a while.
func (s *Script) OnlyWaits(step int) bool {
	return control.Read(sqltext.SyntaxOf(s.Target).Tree, s.Steps[step].SQL).OnlyWaits()
}

// SetsLevel says whether a statement asks for a level, or a part of one, and does nothing else.
func (s *Script) SetsLevel(text string) bool {
	_, ok := SetsLevel(s.Target, text)
	part, _ := readSetting(s.Target, text).LevelPart()
	return ok || part != nil
}

// withoutLevel is a statement that opens a transaction without the level that it asks for.
func (s *Script) withoutLevel(text string) string {
	tree := sqltext.SyntaxOf(s.Target).Tree
	read := control.Read(tree, text)
	begin, ok := read.Tree.(*sql.Begin)
	if _, asks := read.Level(); !ok || !asks || begin.Mode != "" {
		return text
	}
	plain, err := tree.Print(sql.Edit(begin, func(n *sql.Begin) {
		n.Traits = slices.DeleteFunc(slices.Clone(n.Traits), func(o *sql.Option) bool {
			return strings.HasPrefix(o.Words, "ISOLATION LEVEL ")
		})
	}))
	if err != nil {
		return text
	}
	return plain
}

// close completes the schedule: a BEGIN in front of each transaction that had none, behind everything the end
// of those that nothing in the script ends.
func (c *Case) close(s *Script, units []Unit) {
	opened, counted := make([]bool, len(c.Txns)), make([]int, len(c.Txns))
	given := make([]bool, len(c.Txns)) // it begins with a statement of the script's
	ends := make([]bool, len(c.Txns))
	n := 0
	for _, u := range units {
		if u.Data {
			given[n] = u.Opened
			ends[n] = u.Ends || u.CommittedBy > 0
			n++
		}
	}
	var out, open []int
	for _, t := range c.Schedule {
		if c.Txns[t].Autocommit() {
			out = append(out, t)
			continue
		}
		if !opened[t] && !given[t] {
			out, counted[t] = append(out, t), counted[t]+1
		}
		opened[t] = true
		out, counted[t] = append(out, t), counted[t]+1
		if !ends[t] && counted[t] == c.Txns[t].Steps()-1 {
			open = append(open, t)
		}
	}
	c.Schedule = append(out, open...)
}

package testcase

import (
	"regexp"
	"slices"
	"strings"

	"txweave/sql"
	"txweave/sql/control"
	"txweave/sqltext"
)

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
	c := &Case{Target: s.Target, Isolation: s.Isolation}
	var schema, rows []int // lines
	for _, st := range s.Setup {
		read := sqltext.Read(st.SQL)
		stmt := Stmt{SQL: st.SQL, Comments: st.remarks()}
		switch {
		case read.Kind == sqltext.Alter && c.merged(st.SQL):
		case read.Creates() == "table", read.Creates() == "partition", read.Creates() == "index", read.Creates() == "view",
			read.Kind == sqltext.Alter:
			c.Schema, schema = append(c.Schema, stmt), append(schema, st.Line)
		case read.Kind == sqltext.Insert:
			c.Rows, rows = append(c.Rows, stmt), append(rows, st.Line)
		case read.Kind == sqltext.Set, read.Kind == sqltext.Begin, read.Kind == sqltext.Commit, read.Kind == sqltext.Other:
		default:
			return nil, &ParseError{Line: st.Line, Msg: "the set-up of a case has no place for it"}
		}
	}
	c.places = &places{}
	settings := map[int][]int{} // lines, by session
	units := s.Units(nil, nil)
	for n := range units { // what only takes time has no place in a case
		units[n].Data = units[n].Data && slices.ContainsFunc(units[n].Steps, func(i int) bool { return !s.OnlyWaits(i) })
	}
	txnOf := make([]int, len(s.Steps))
	perSession := make([]int, len(s.Sessions))
	for _, u := range units {
		if u.Data {
			perSession[u.Session]++
		}
	}
	for _, u := range units {
		if err := s.addUnit(c, &u, txnOf, at, settings); err != nil {
			return nil, err
		}
		if level := levels[u.Steps[0]]; u.Data && level != s.Isolation {
			c.Txns[len(c.Txns)-1].Isolation = level
		}
		if u.Data && (perSession[u.Session] > 1 || slices.ContainsFunc(c.Sessions, func(o SessionSettings) bool {
			return o.Number == u.Session+1
		})) {
			c.Txns[len(c.Txns)-1].Session = u.Session + 1
		}
	}
	for i := range s.Steps {
		if n := txnOf[i]; n >= 0 {
			c.Schedule = append(c.Schedule, n)
		}
	}
	c.DropUnusedSessions()
	before := append(schema, rows...)
	for _, o := range c.Sessions {
		before = append(before, settings[o.Number]...)
	}
	c.places.lines = append(before, c.places.lines...)
	c.close(s, units)
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return c.Number(), nil
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
		`(?:innodb_)?lock_wait_timeout|wait_timeout|max_execution_time|unique_checks|profiling)\s*:?=\s*[^,]+$|` +
		`default_storage_engine\s*=\s*'?innodb'?\s*$|sql_mode\s*=\s*'[^']*STRICT_TRANS_TABLES[^']*'\s*$)`)

// addUnit adds a transaction of the script; txnOf gets its number for each of its steps, -1 for what is left out, and
// settings the lines of those of its session.
func (s *Script) addUnit(c *Case, u *Unit, txnOf []int, at []Ref, settings map[int][]int) error {
	t := Txn{Begin: Stmt{SQL: "BEGIN"}, End: Stmt{SQL: "COMMIT"}}
	var first, last int
	var lines []int // of the statements between
	switch {
	case !u.Explicit && u.Data:
		t.Begin.SQL, t.End.SQL = "", ""
	case !u.Ends && !u.Commits:
		t.End.SQL = "ROLLBACK"
	}
	for k, i := range u.Steps {
		st := &s.Steps[i]
		kind := sqltext.KindOf(st.SQL)
		txnOf[i] = len(c.Txns)
		if last = st.Line; first == 0 {
			first = st.Line
		}
		switch {
		case s.OnlyWaits(i):
			txnOf[i] = -1
		case !u.Data && kind == sqltext.Set && !ordinary.MatchString(st.SQL) &&
			AdmitsSetting(sqltext.SyntaxOf(s.Target), st.SQL):
			if slices.ContainsFunc(s.Steps[:i], func(before ScriptStmt) bool {
				return before.Session == u.Session && sqltext.KindOf(before.SQL).IsTarget()
			}) {
				return &ParseError{Line: st.Line, Msg: "a case sets a session before all else"}
			}
			c.set(u.Session+1, st.SQL)
			settings[u.Session+1] = append(settings[u.Session+1], st.Line)
			txnOf[i] = -1
		case !u.Data:
			if !s.SetsLevel(st.SQL) && !ordinary.MatchString(st.SQL) && !SwitchesAutocommit(st.SQL) && kind != sqltext.Commit &&
				kind != sqltext.Rollback && kind != sqltext.Begin {
				return &ParseError{Line: st.Line, Msg: "a case has no place for a setting"}
			}
			txnOf[i] = -1
		case k == 0 && kind == sqltext.Begin:
			t.Begin = Stmt{SQL: s.withoutLevel(st.SQL), Comments: st.remarks()}
		case s.SetsLevel(st.SQL): // it is said of the case, or of its transaction
			txnOf[i] = -1
		case u.Ends && k == len(u.Steps)-1 && (kind == sqltext.Commit || kind == sqltext.Rollback):
			t.End = Stmt{SQL: st.SQL, Comments: st.remarks()}
		case !u.Explicit, kind.IsTarget(), kind.IsSavepoint(), kind >= sqltext.Create && kind < sqltext.Other:
			// a case judges which definitions it can hold
			at[i] = Ref{len(c.Txns), len(t.Stmts)}
			t.Stmts, lines = append(t.Stmts, Stmt{SQL: st.SQL, Comments: st.remarks()}), append(lines, st.Line)
		default:
			return &ParseError{Line: st.Line, Msg: "a transaction of a case has no place for it"}
		}
	}
	if u.Data {
		if c.Txns = append(c.Txns, t); !t.Autocommit() {
			lines = slices.Concat([]int{first}, lines, []int{last})
		}
		c.places.lines = append(c.places.lines, lines...)
	}
	return nil
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

// close completes the schedule: a BEGIN in front of each transaction that had none, an end behind it.
func (c *Case) close(s *Script, units []Unit) {
	opened, counted := make([]bool, len(c.Txns)), make([]int, len(c.Txns))
	given := make([]bool, len(c.Txns)) // it begins with a statement of the script's
	ends := make([]bool, len(c.Txns))
	n := 0
	for _, u := range units {
		if u.Data {
			given[n] = sqltext.KindOf(s.Steps[u.Steps[0]].SQL) == sqltext.Begin
			ends[n] = u.Ends
			n++
		}
	}
	var out []int
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
			out, counted[t] = append(out, t), counted[t]+1
		}
	}
	c.Schedule = out
}

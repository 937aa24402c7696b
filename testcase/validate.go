package testcase

import (
	"errors"
	"fmt"
	"strings"

	"txweave/sql"
	"txweave/sql/control"
	"txweave/sql/sqltext"
)

// Validate reports the first thing that makes the case no case, or one whose text would not read back as the
// same case: transactions that do not begin and end as such, a schedule that does not match them, a statement
// that is empty or more than one, a comment without its '#'. It does not judge SQL further than that.
func (c *Case) Validate() error {
	if err := checkComments("case", c.Comments); err != nil {
		return err
	}
	if err := c.checkHeader(); err != nil {
		return err
	}
	if err := checkStmts(secSchema, c.Schema, c.lexis()); err != nil {
		return err
	}
	if err := checkStmts(secRows, c.Rows, c.lexis()); err != nil {
		return err
	}
	if len(c.Txns) == 0 {
		return errors.New("no transaction is left that reads or writes rows")
	}
	for n := range c.Txns {
		if err := c.checkTransaction(n); err != nil {
			return err
		}
	}
	for i, n := range c.Schedule {
		if n < 0 || n >= len(c.Txns) {
			return fmt.Errorf("schedule entry %d names transaction %d; the case has %d", i, n, len(c.Txns))
		}
	}
	for _, check := range []func() error{c.checkSchedule, c.checkPrepared, c.checkOrder, c.checkIdentities} {
		if err := check(); err != nil {
			return err
		}
	}
	for i := range c.Sessions {
		if err := c.checkSession(i); err != nil {
			return err
		}
	}
	return checkComments("end of case", c.Tail)
}

// checkTransaction checks a transaction by itself.
func (c *Case) checkTransaction(n int) error {
	t := &c.Txns[n]
	if t.Session < 0 || t.Session > 999_999_999 {
		return fmt.Errorf("T%d runs in session %d: want 0 for one of its own, or a number of up to 9 digits", n, t.Session)
	}
	if t.Isolation != "" && !isKey(t.Isolation) {
		return fmt.Errorf("T%d runs at %s: want the name of a level", n, quote(t.Isolation))
	}
	stmts := make([]Stmt, 0, t.Steps())
	for i := range t.Steps() {
		stmts = append(stmts, *t.Step(i))
	}
	if err := checkStmts(txnName(n), stmts, c.lexis()); err != nil {
		return err
	}
	_, err := checkTxn(c.dialect(), n, stmts)
	return err
}

func (c *Case) checkHeader() error {
	seen := map[string]bool{fieldTool: true, fieldSeed: true, fieldTarget: true, fieldIsolation: true,
		fieldStatements: true}
	fields := []Option{{fieldTool, c.Tool}, {fieldTarget, c.Target}, {fieldIsolation, c.Isolation}}
	for _, o := range c.Options {
		if !isKey(o.Key) {
			return fmt.Errorf("option name %s: want letters, digits, '-', '_' and '.', a letter first", quote(o.Key))
		}
		if seen[o.Key] {
			return fmt.Errorf("option %q: the header has this field already", o.Key)
		}
		seen[o.Key] = true
		fields = append(fields, o)
	}
	for _, f := range fields {
		if strings.ContainsRune(f.Value, '\n') || strings.Trim(f.Value, space) != f.Value {
			return fmt.Errorf("header field %q: the value %s is not one line without white space at its ends", f.Key,
				quote(f.Value))
		}
	}
	return c.checkRequired()
}

// checkRequired reports a header field that a case cannot do without.
func (c *Case) checkRequired() error {
	for _, f := range []Option{{fieldTarget, c.Target}, {fieldIsolation, c.Isolation}} {
		if f.Value == "" {
			return fmt.Errorf("header has no %q field", f.Key)
		}
	}
	return nil
}

// isKey reports whether s can name a header field.
func isKey(s string) bool {
	for i, r := range []byte(s) {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || !(r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.')) {
			return false
		}
	}
	return s != ""
}

func checkComments(where string, comments []string) error {
	for _, c := range comments {
		if !strings.HasPrefix(c, "#") || strings.ContainsRune(c, '\n') || strings.Trim(c, space) != c {
			return fmt.Errorf("%s: comment %s is not one line that starts with '#' and has no white space at its end",
				where, quote(c))
		}
	}
	return nil
}

func checkStmts(section string, stmts []Stmt, lexis sqltext.Quoting) error {
	for i, s := range stmts {
		where := fmt.Sprintf("%s, statement %d", section, i)
		if err := checkComments(where, s.Comments); err != nil {
			return err
		}
		if err := checkSQL(s.SQL, lexis); err != nil {
			return fmt.Errorf("%s: %w: %s", where, err, quote(s.SQL))
		}
	}
	return nil
}

// checkSQL reports whether sql would not read back as one statement.
func checkSQL(sql string, lexer sqltext.Quoting) error {
	switch {
	case sql == "":
		return errors.New("empty statement")
	case strings.Trim(sql, space) != sql:
		return errors.New("white space at an end of the statement")
	case sql[0] == '#' || lexer.DashComment(sql):
		return errors.New("statement starts with a comment; that belongs in its comments")
	}
	at := 0
	var body sqltext.Body
	for t := range lexer.Tokens(sql) {
		body.Take(t)
		switch {
		case t.Kind == sqltext.Symbol && t.Text == ";" && body.Ends():
			return errors.New("semicolon inside the statement")
		case t.Open && (t.Kind == sqltext.Literal || t.Kind == sqltext.Name):
			return errors.New("unterminated literal")
		case t.Open:
			return errors.New("unterminated comment")
		case t.Kind == sqltext.Comment && swallowsSection(sql, at):
			return errors.New("a comment in the statement looks like a section")
		}
		at += len(t.Text)
	}
	return nil
}

// swallowsSection reports whether the line comment at s[i] is the line of a section: a statement without its
// semicolon would otherwise take the section that follows for a part of itself.
func swallowsSection(s string, i int) bool {
	if !strings.HasPrefix(s[i:], "-- ") { // of which a line has one: what stands before it is looked at once
		return false
	}
	rest, atStart := lineAt(s, i)
	if !atStart {
		return false
	}
	_, known, _ := sectionName(rest)
	return known
}

// checkTxn checks that a transaction's statements begin and end one; at is the statement to blame.
func checkTxn(d dialect, n int, stmts []Stmt) (at int, err error) {
	last := len(stmts) - 1
	switch {
	case len(stmts) == 1 && d.standsAlone(stmts[0].SQL):
		return 0, nil
	case len(stmts) == 0:
		return 0, fmt.Errorf("T%d has no statements: it needs BEGIN or START TRANSACTION first, COMMIT or ROLLBACK last", n)
	}
	read := make([]control.Statement, len(stmts))
	for i, s := range stmts {
		read[i] = d.read(s.SQL)
	}
	end, frame := read[last], read[0].Opens()
	switch {
	case frame == control.NoFrame && len(stmts) == 1:
		return 0, fmt.Errorf("T%d is %s alone, in autocommit, which a case does not hold: %s", n, quote(stmts[0].SQL), leaveOut)
	case frame == control.NoFrame:
		return 0, fmt.Errorf("T%d must start with BEGIN, START TRANSACTION, SET autocommit = 0 or XA START 'NAME', not with %s",
			n, quote(stmts[0].SQL))
	case last == 0 || !end.Ends(frame):
		return last, fmt.Errorf("T%d must end with COMMIT or ROLLBACK, not with %s", n, quote(stmts[last].SQL))
	}
	for i, s := range read[1:last] {
		if s.Opens() != control.NoFrame || (s.Kind == sqltext.Commit || s.Kind == sqltext.Rollback) && s.Ends(control.Begun) {
			return i + 1, fmt.Errorf("T%d has %s inside: it begins with its first statement and ends with its last", n,
				quote(stmts[i+1].SQL))
		}
	}
	if err := checkLocks(read, frame); err != nil {
		return last, fmt.Errorf("T%d: %w", n, err)
	}
	if err := control.CheckPrepared(read); err != nil {
		return last, fmt.Errorf("T%d: %w", n, err)
	}
	if frame == control.Prepared {
		if err := control.CheckXA(read); err != nil {
			return last, fmt.Errorf("T%d: %w", n, err)
		}
	}
	return 0, nil
}

// checkLocks checks that a transaction locks tables before it does anything else, and unlocks them with its end, which
// commits.
func checkLocks(stmts []control.Statement, frame control.Frame) error {
	locks := 0
	for i, s := range stmts[1 : len(stmts)-1] {
		if _, ok := s.TableLocks(); !ok {
			continue
		}
		if i > 0 || frame != control.Switched {
			return fmt.Errorf("tables are locked by LOCK TABLES right behind SET autocommit = 0: %s", quote(s.Text()))
		}
		locks++
	}
	if stmts[len(stmts)-1].Unlocks() != (locks > 0) {
		return errors.New(
			"a transaction that begins with LOCK TABLES ends with UNLOCK TABLES, which commits it, and no other one does")
	}
	return nil
}

// dialect is how the statements of a case's target are read.
type dialect struct{ tree *sql.Dialect }

func (d dialect) read(text string) control.Statement { return control.Read(d.tree, text) }

// Read understands a statement as the case's target does.
func (c *Case) Read(text string) control.Statement { return c.dialect().read(text) }

func (c *Case) dialect() dialect { return dialect{sqltext.SyntaxOf(c.Target).Tree} }

// standsAlone says whether it can be a statement in autocommit: one that reads or writes rows, or defines something.
func (d dialect) standsAlone(text string) bool {
	s := d.read(text)
	_, definition := s.Redefinition()
	return s.IsTarget() || definition
}

// checkPrepared refuses two transactions that are prepared under one name: the end of one would be that of the other.
func (c *Case) checkPrepared() error {
	names := map[string]int{}
	for n := range c.Txns {
		name := c.Read(c.Txns[n].End.SQL).EndsPrepared()
		if other, taken := names[name]; taken && name != "" {
			return fmt.Errorf("T%d and T%d are both prepared as %s: a name is of one transaction", other, n, name)
		}
		names[name] = n
	}
	return nil
}

// checkSchedule compares the schedule with the transactions' step counts. Its entries must be in range.
func (c *Case) checkSchedule() error {
	entries := make([]int, len(c.Txns))
	for _, n := range c.Schedule {
		entries[n]++
	}
	for n := range c.Txns {
		if steps := c.Txns[n].Steps(); entries[n] != steps {
			return fmt.Errorf("schedule has T%d %d times, but T%d has %d statements", n, entries[n], n, steps)
		}
	}
	before, ok := c.Predecessors(c.Schedule)
	if !ok {
		return errors.New(
			"schedule interleaves two transactions of one session: the first must end before the next one begins")
	}
	for n, b := range before {
		if b >= 0 && c.Read(c.Txns[b].End.SQL).Disconnects() {
			return fmt.Errorf("T%d runs in a session that T%d has ended", n, b)
		}
	}
	return nil
}

// checkOrder reports an entry of the order that names no target statement or one that was named before.
func (c *Case) checkOrder() error {
	seen := map[Ref]bool{}
	for _, r := range c.Order {
		switch {
		case r.Txn < 0 || r.Txn >= len(c.Txns) || r.Stmt < 0 || r.Stmt >= len(c.Txns[r.Txn].Stmts):
			return fmt.Errorf("order entry %s: the case has no such statement", r)
		case !c.Read(c.Txns[r.Txn].Stmts[r.Stmt].SQL).IsTarget():
			return fmt.Errorf("order entry %s: it neither reads nor writes rows, and has no place in an order", r)
		case seen[r]:
			return fmt.Errorf("order entry %s appears twice", r)
		}
		seen[r] = true
	}
	return nil
}

// quote returns the beginning of s in quotes, on one line.
func quote(s string) string {
	const limit = 40
	if r := []rune(s); len(r) > limit {
		return fmt.Sprintf("%q", string(r[:limit])+"…")
	}
	return fmt.Sprintf("%q", s)
}

// keeps says whether a statement is VACUUM, or a PRAGMA, that changes how tables are kept and nothing else: of one
// table, or of all that there is where nothing untold is waited for.
func (a *admission) keeps(sql string) bool {
	d, ok := control.Read(a.x.Tree, sql).Redefinition()
	return ok && (d.Table != "" || a.x.Admission.WholeVacuum)
}

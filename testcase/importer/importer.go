// Package importer reads schedules that people wrote for people, in bug reports, papers and test suites, and
// turns them into cases.
//
// A text is a set-up, which belongs to no session, and then statements of sessions in the order in which they are
// submitted. A statement says its session in front of it (T0> …; /* t1 */ …; session1: …;), behind it (…; -- T1) or
// in a heading above it (-- session 1). Remarks and printed results are kept as comments or skipped. A second part
// without sessions, under a line that speaks of "no transaction", "equivalent" or "oracle" or simply behind the
// sessions' statements, is the equivalent order: each of its statements must be one of a session.
package importer

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"txweave/sqltext"
	"txweave/testcase"
)

// Options of Read.
type Options struct {
	Target    string // dialect, e.g. "mariadb"
	Isolation string // level; "": what the text sets, or Default
	Default   string // level of a text that sets none
	Order     []testcase.Ref
	Part      int // which schedule of a text that holds several, from 1; 0: the only one
}

// choose returns the schedule that was asked for.
func choose(name string, parts []*scanner, n int) (*scanner, error) {
	switch {
	case n > len(parts):
		return nil, &testcase.ParseError{Name: name, Line: 1, Msg: fmt.Sprintf("it holds %d schedules: there is no number %d", len(parts), n)}
	case n == 0 && len(parts) > 1:
		return nil, &testcase.ParseError{Name: name, Line: parts[1].at, Msg: fmt.Sprintf("it holds %d schedules, of which this is the second: say which one with --part", len(parts))}
	}
	return parts[max(n-1, 0)], nil
}

// Read turns a text into a case. Notes say what was added, left out or understood in a way that the text does
// not state. Errors are of type *testcase.ParseError.
func Read(name string, text []byte, o Options) (c *testcase.Case, notes []string, err error) {
	parts, err := pieces(name, text, o)
	if err != nil {
		return nil, nil, err
	}
	s, err := choose(name, parts, o.Part)
	if err != nil {
		return nil, nil, err
	}
	if s.own != nil {
		return s.own, nil, nil
	}
	b := &builder{scanner: s, options: o, c: &testcase.Case{Target: o.Target, Isolation: o.Isolation}, session: map[string]int{}, lines: map[string]int{}}
	for _, n := range s.notes {
		b.notes = append(b.notes, fmt.Sprintf("line %d: %s", n.Line, n.Text))
	}
	if err := b.build(); err != nil {
		return nil, nil, err
	}
	return b.c.Number(), b.notes, nil
}

// builder makes a case of pieces.
type builder struct {
	*scanner
	options  Options
	c        *testcase.Case
	notes    []string
	session  map[string]int // number by name
	sessions []sessionState
	setup    []string        // texts of the set-up, normalised
	settings []testcase.Stmt // what the set-up sets
	lines    map[string]int  // where a statement stands, by its text
}

// sessionState is one session while its statements are read.
type sessionState struct {
	txn      int             // that it is in; -1 for none
	txns     []int           // all of its transactions
	implicit bool            // autocommit is off
	settings []testcase.Stmt // what it is set to before all else
}

func (b *builder) notef(p *piece, format string, args ...any) {
	b.notes = append(b.notes, fmt.Sprintf("line %d: ", p.line)+fmt.Sprintf(format, args...))
}

func (b *builder) errorf(p *piece, format string, args ...any) error {
	return &testcase.ParseError{Name: b.name, Line: p.line, Msg: fmt.Sprintf(format, args...)}
}

func (b *builder) build() error {
	first := slices.IndexFunc(b.out, func(p piece) bool { return p.tag != "" && p.tag != setupTag })
	if first < 0 {
		return &testcase.ParseError{Name: b.name, Line: 1, Msg: "no statement says its session: want T0> …; or /* t0 */ …; or …; -- T0"}
	}
	for i := range b.out {
		p := &b.out[i]
		var err error
		switch {
		case p.tag == setupTag || p.tag == "" && i < first:
			err = b.addSetup(p)
		case p.tag == "":
			b.order = append(b.order, *p)
		default:
			err = b.add(p)
		}
		if err != nil {
			return err
		}
	}
	b.finish()
	if b.c.Isolation == "" {
		b.c.Isolation = b.options.Default
		b.notes = append(b.notes, "no isolation level given: "+b.c.Isolation)
	}
	if err := b.addOrder(); err != nil {
		return err
	}
	if err := b.c.Validate(); err != nil {
		return &testcase.ParseError{Name: b.name, Line: 1, Msg: err.Error()}
	}
	var refused *testcase.RefusedError
	if err := b.c.Admit(sqltext.SyntaxOf(b.c.Target)); errors.As(err, &refused) {
		return &testcase.ParseError{Name: b.name, Line: b.lines[refused.SQL], Msg: err.Error()}
	}
	return nil
}

// addSetup files a statement of the set-up.
func (b *builder) addSetup(p *piece) error {
	b.setup = append(b.setup, normalSQL(p.sql))
	stmt := b.stmt(p)
	switch w := words(p.sql, 3); w[0] {
	case "CREATE":
		if len(w) > 1 && (w[1] == "DATABASE" || w[1] == "SCHEMA") {
			return nil
		}
		if slices.Contains(words(p.sql, 5), "VIEW") {
			return b.errorf(p, "views are not supported in a case: write the query instead")
		}
		b.c.Schema = append(b.c.Schema, stmt)
	case "ALTER":
		if len(b.c.Rows) > 0 {
			b.notef(p, "runs before the rows are inserted")
		}
		b.c.Schema = append(b.c.Schema, stmt)
	case "INSERT", "REPLACE", "UPDATE", "DELETE":
		b.c.Rows = append(b.c.Rows, stmt)
	case "SET":
		return b.setting(p, nil)
	case "DROP", "USE", "COMMIT", "BEGIN", "START":
	case "ANALYZE", "SELECT", "SHOW", "EXPLAIN", "DESC", "DESCRIBE":
		b.notef(p, "left out of the set-up: %s", quote(p.sql))
	default:
		return b.errorf(p, "a set-up cannot hold %s", quote(p.sql))
	}
	return nil
}

var (
	levelWords = lazily(`(?i)\b(read[ -]uncommitted|read[ -]committed|repeatable[ -]read|serializable)\b`)
	autocommit = lazily(`(?i)\bautocommit\s*:?=\s*'?(\w+)`)
	txnMode    = lazily(`(?i)\btidb_txn_mode\s*:?=\s*['"]?(\w+)`)
	accessMode = lazily(`(?i)^[^,]*,\s*(?:read\s+(?:only|write)|isolation\s+level\s+[\w\s]+)$`)
	// without are settings that change no answer: how names and results are spelled, how long to wait, what a dump puts
	// back when it is read.
	without = lazily(`(?i)^set\s+(?:session\s+|@@session\.|@@)?(?:names\b|character\s+set\b|(?:character_set_\w+|sql_notes|sql_log_bin` +
		`|(?:innodb_)?lock_wait_timeout|wait_timeout|max_execution_time|unique_checks|profiling)\s*:?=|@old_\w+\s*:?=\s*@@\w+\s*$|\w+\s*=\s*@old_\w+)`)
)

// setting reads an isolation level out of a SET; a session is nil for the set-up's. What changes no answer is left out;
// any other setting may be what the report is about: sessions are set to it where a case has a place for such a one.
func (b *builder) setting(p *piece, session *sessionState) error {
	one := !strings.Contains(p.sql, ",")
	if m := autocommit.FindStringSubmatch(p.sql); m != nil && one {
		off := slices.Contains([]string{"0", "off", "false"}, strings.ToLower(m[1]))
		switch {
		case session == nil && off:
			return b.errorf(p, "%s in the set-up: say it in the sessions that it is meant for", quote(p.sql))
		case session != nil:
			if !off && session.txn >= 0 && session.implicit {
				b.notef(p, "T%d was open: it is committed", session.txn)
				b.end(session, testcase.Stmt{SQL: "COMMIT"})
			}
			session.implicit = off
		}
		return nil
	}
	if m := txnMode.FindStringSubmatch(p.sql); m != nil && one {
		if strings.EqualFold(m[1], "optimistic") {
			return b.level(p, "optimistic")
		}
		return nil
	}
	if m := levelWords.FindString(p.sql); m != "" && (one || accessMode.MatchString(p.sql)) {
		return b.level(p, strings.ReplaceAll(strings.ToLower(m), " ", "-"))
	}
	if one && without.MatchString(p.sql) {
		b.notef(p, "left out: %s", quote(p.sql))
		return nil
	}
	if !testcase.AdmitsSetting(sqltext.SyntaxOf(b.c.Target), lexer.Trim(p.sql)) {
		return b.errorf(p, "%s may be what the report is about, and a case has no place for such a setting: take the line out to do without it", quote(p.sql))
	}
	switch {
	case session == nil:
		b.notef(p, "every session is set so")
		b.settings = append(b.settings, b.stmt(p))
	case len(session.txns) > 0:
		return b.errorf(p, "%s between statements of a session: a case sets a session before all else", quote(p.sql))
	default:
		session.settings = append(session.settings, b.stmt(p))
	}
	return nil
}

// level notes the isolation level that the text asks for. A case has one.
func (b *builder) level(p *piece, level string) error {
	switch {
	case b.c.Isolation == "":
		b.c.Isolation = level
	case b.c.Isolation == level:
	case b.options.Isolation != "":
		b.notef(p, "asks for %s; the case is to have %s", level, b.options.Isolation)
	default:
		return b.errorf(p, "asks for %s after %s: a case has one level, which --isolation chooses", level, b.c.Isolation)
	}
	return nil
}

// add files a session's statement.
func (b *builder) add(p *piece) error {
	n, known := b.session[p.tag]
	if !known {
		n = len(b.sessions)
		b.session[p.tag] = n
		b.sessions = append(b.sessions, sessionState{txn: -1})
	}
	s := &b.sessions[n]
	w := words(p.sql, 3)
	switch first := w[0]; {
	case first == "BEGIN" || first == "START":
		if s.txn >= 0 {
			b.notef(p, "T%d was open: it is committed first", s.txn)
			b.end(s, testcase.Stmt{SQL: "COMMIT"})
		}
		if slices.Contains(words(p.sql, 4), "OPTIMISTIC") {
			if err := b.level(p, "optimistic"); err != nil {
				return err
			}
		}
		b.begin(s, b.stmt(p))
	case first == "COMMIT" || first == "ROLLBACK" && !slices.Contains(w, "TO"):
		if s.txn < 0 {
			b.notef(p, "left out: no transaction is open")
			return nil
		}
		b.end(s, b.stmt(p))
	case first == "SET":
		return b.setting(p, s)
	case first == "USE" || first == "SHOW" || first == "ANALYZE" || first == "EXPLAIN":
		b.notef(p, "left out: %s", quote(p.sql))
	case first == "SAVEPOINT" || first == "RELEASE" || first == "ROLLBACK" || first == "XA" || first == "UNLOCK":
		return b.errorf(p, "%s: a case cannot hold it", quote(p.sql))
	case first == "DROP" && s.txn < 0:
		b.notef(p, "left out: %s", quote(p.sql))
	case first == "CREATE" || first == "DROP" || first == "ALTER" || first == "TRUNCATE" || first == "LOCK":
		return b.errorf(p, "%s in a session commits its transaction: a case cannot hold it", quote(p.sql))
	case s.txn >= 0:
		b.statement(s, p)
	case s.implicit:
		b.begin(s, testcase.Stmt{SQL: "BEGIN"})
		b.statement(s, p)
	default: // autocommit: a transaction of one statement
		b.begin(s, testcase.Stmt{SQL: "BEGIN"})
		b.statement(s, p)
		b.end(s, testcase.Stmt{SQL: "COMMIT"})
	}
	return nil
}

func (b *builder) begin(s *sessionState, stmt testcase.Stmt) {
	s.txn = len(b.c.Txns)
	s.txns = append(s.txns, s.txn)
	b.c.Txns = append(b.c.Txns, testcase.Txn{Begin: stmt})
	b.c.Schedule = append(b.c.Schedule, s.txn)
}

func (b *builder) statement(s *sessionState, p *piece) {
	t := &b.c.Txns[s.txn]
	t.Stmts = append(t.Stmts, b.stmt(p))
	b.c.Schedule = append(b.c.Schedule, s.txn)
}

func (b *builder) end(s *sessionState, stmt testcase.Stmt) {
	b.c.Txns[s.txn].End = stmt
	b.c.Schedule = append(b.c.Schedule, s.txn)
	s.txn = -1
}

// finish commits what the text leaves open and says which transactions share a session.
func (b *builder) finish() {
	for i := range b.sessions {
		if s := &b.sessions[i]; s.txn >= 0 {
			b.notes = append(b.notes, fmt.Sprintf("T%d is never ended: a COMMIT is added", s.txn))
			b.end(s, testcase.Stmt{SQL: "COMMIT"})
		}
	}
	if len(b.settings) > 0 {
		b.c.Sessions = append(b.c.Sessions, testcase.SessionSettings{Stmts: b.settings})
	}
	shared := 0
	for _, s := range b.sessions {
		if len(s.txns) == 0 {
			for _, left := range s.settings {
				b.notes = append(b.notes, fmt.Sprintf("left out: %s, as its session does nothing else", quote(left.SQL)))
			}
		} else if len(s.txns) > 1 || len(s.settings) > 0 {
			shared++
			if len(s.settings) > 0 {
				b.c.Sessions = append(b.c.Sessions, testcase.SessionSettings{Number: shared, Stmts: s.settings})
			}
			for _, n := range s.txns {
				b.c.Txns[n].Session = shared
			}
		}
	}
}

// stmt makes a statement of a piece, its remarks as comments.
func (b *builder) stmt(p *piece) testcase.Stmt {
	s := testcase.Stmt{SQL: lexer.Trim(p.sql)}
	if b.lines[s.SQL] == 0 {
		b.lines[s.SQL] = p.line
	}
	for _, c := range p.comments {
		s.Comments = append(s.Comments, strings.TrimSpace("# "+c))
	}
	return s
}

// normalSQL is a statement's text as it is compared.
func normalSQL(sql string) string {
	return strings.ToLower(spaces.ReplaceAllString(lexer.Trim(sql), " "))
}

// addOrder finds the statements of the equivalent order among those of the sessions.
func (b *builder) addOrder() error {
	if b.options.Order != nil {
		b.c.Order = b.options.Order
		return nil
	}
	used := map[testcase.Ref]bool{}
	for i := range b.order {
		p := &b.order[i]
		if w := word(p.sql, 0); w == "DROP" || w == "USE" || w == "SET" || slices.Contains(b.setup, normalSQL(p.sql)) {
			continue
		}
		ref, ok := b.find(normalSQL(p.sql), used)
		if !ok {
			return b.errorf(p, "%s is no statement of a session: the equivalent order repeats those", quote(p.sql))
		}
		used[ref] = true
		b.c.Order = append(b.c.Order, ref)
	}
	return nil
}

// find returns the first statement of that text that has not been used.
func (b *builder) find(text string, used map[testcase.Ref]bool) (testcase.Ref, bool) {
	for n := range b.c.Txns {
		for i, s := range b.c.Txns[n].Stmts {
			r := testcase.Ref{Txn: n, Stmt: i}
			if !used[r] && normalSQL(s.SQL) == text {
				return r, true
			}
		}
	}
	return testcase.Ref{}, false
}

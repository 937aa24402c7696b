package testcase

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"txweave/sql/sqltext"
)

// ParseError is a text that is no case.
type ParseError struct {
	Name string // the name that was given to Parse, most often a path
	Line int    // the line to blame, from 1
	Msg  string // what is wrong, one line
}

// Error returns "name:line: message", or "line 3: message" where there is no name.
func (e *ParseError) Error() string {
	if e.Name == "" {
		return fmt.Sprintf("line %d: %s", e.Line, e.Msg)
	}
	return fmt.Sprintf("%s:%d: %s", e.Name, e.Line, e.Msg)
}

// Read parses the text of a case that comes from outside, and refuses what Admit refuses by the quoting of its target.
func Read(name string, text []byte) (*Case, error) {
	p, err := parse(name, text)
	if err != nil {
		return nil, err
	}
	var refused *RefusedError
	if err := p.c.Admit(sqltext.SyntaxOf(p.c.Target)); errors.As(err, &refused) {
		return nil, p.errorf(p.starts[refused.index], "%s", err)
	}
	p.placed()
	return p.c, nil
}

// Parse reads the text of a case. The name stands in error messages, which are of type *ParseError.
// What it returns is valid in the sense of Validate; a missing schedule has become the serial one.
func Parse(name string, text []byte) (*Case, error) {
	p, err := parse(name, text)
	if err != nil {
		return nil, err
	}
	return p.c, nil
}

func parse(name string, text []byte) (*parser, error) {
	s := strings.TrimPrefix(string(text), "\ufeff")
	if n := strings.IndexByte(s, '\n'); n > 0 && s[n-1] == '\r' {
		s = strings.ReplaceAll(s, "\r\n", "\n")
	}
	p := &parser{name: name, text: s, c: &Case{}, lexer: firstLexer, identitiesAt: -1}
	if err := p.header(); err != nil {
		return nil, err
	}
	if p.version > FirstVersion {
		p.lexer = sqltext.SyntaxOf(p.c.Target).Quoting
	}
	for p.pos < len(p.text) {
		if err := p.section(); err != nil {
			return nil, err
		}
	}
	if len(p.c.Txns) == 0 {
		return nil, p.errorf(len(p.text), `case has no transactions: it needs a section "-- T0 --"`)
	}
	for i, at := range p.sessionsAt {
		if err := p.c.checkSession(i); err != nil {
			return nil, p.errorf(at, "%s", err)
		}
	}
	if !p.scheduled {
		p.c.Schedule = p.c.SerialSchedule()
	}
	p.c.Tail = p.pending
	return p, p.identify()
}

// parser reads one text from front to back.
type parser struct {
	name       string
	text       string
	pos        int // what lies before it has been read
	c          *Case
	pending    []string // comments that wait for the statement they belong to
	last       string   // name of the section read last, "" before the first
	starts     []int    // where each statement starts, in the order of the text
	version    int
	sessionsAt []int           // where the sections of settings start
	lexer      sqltext.Quoting // how statements are divided

	scheduled bool // there was a schedule

	identities   string // as the header spells them out …
	identitiesAt int    // … and where; below 0: it does not
}

// errorf returns an error that blames the line of text[at].
func (p *parser) errorf(at int, format string, args ...any) error {
	line := 1 + strings.Count(strings.TrimRight(p.text[:at], space), "\n")
	if at < len(p.text) {
		line = 1 + strings.Count(p.text[:at], "\n")
	}
	return &ParseError{Name: p.name, Line: line, Msg: fmt.Sprintf(format, args...)}
}

// line reads one line and returns where it starts and its text without white space at the ends.
func (p *parser) line() (start int, line string) {
	start = p.pos
	line, _ = lineAt(p.text, start)
	p.pos = min(start+len(line)+1, len(p.text))
	return start, strings.Trim(line, space)
}

// header reads up to the first section.
func (p *parser) header() error {
	magicAt := -1
	seen := map[string]bool{}
	for p.pos < len(p.text) {
		at, line := p.line()
		_, _, isSection := sectionName(line)
		switch {
		case line == "":
		case line[0] == '#':
			p.c.Comments = append(p.c.Comments, line)
		case magicAt < 0:
			if err := p.magic(at, line); err != nil {
				return err
			}
			magicAt = at
		case isSection:
			p.pos = at
			return p.required(magicAt)
		default:
			if err := p.field(at, line, seen); err != nil {
				return err
			}
		}
	}
	if magicAt < 0 {
		return p.errorf(len(p.text), "no case here: the line %q is missing", fmt.Sprintf("txweave case %d", FirstVersion))
	}
	return p.required(magicAt)
}

func (p *parser) required(magicAt int) error {
	if err := p.c.checkRequired(); err != nil {
		return p.errorf(magicAt, "%s", err)
	}
	return nil
}

// magic reads the line that says what the file is.
func (p *parser) magic(at int, line string) error {
	w := strings.Fields(line)
	if len(w) != 3 || w[0] != "txweave" || w[1] != "case" {
		return p.errorf(at, "the header must start with %q, not with %s", fmt.Sprintf("txweave case %d",
			FirstVersion), quote(line))
	}
	version, known := number(w[2])
	if !known || version < FirstVersion || version > FormatVersion {
		return p.errorf(at, "format version %s is unknown: this txweave reads versions %d to %d", quote(w[2]), FirstVersion,
			FormatVersion)
	}
	p.version = version
	return nil
}

// field reads one "key: value" line of the header.
func (p *parser) field(at int, line string, seen map[string]bool) error {
	key, value, ok := strings.Cut(line, ":")
	if !ok || !isKey(key) {
		return p.errorf(at, "%s in the header: want a field \"key: value\" or a section such as \"-- schema --\"",
			quote(line))
	}
	if seen[key] {
		return p.errorf(at, "header field %q appears twice", key)
	}
	seen[key] = true
	value = strings.Trim(value, space)
	switch key {
	case fieldTool:
		p.c.Tool = value
	case fieldSeed:
		n, err := strconv.ParseUint(value, 10, 64)
		if err != nil {
			return p.errorf(at, "seed %s: want a number from 0 to 2^64-1", quote(value))
		}
		p.c.Seed = n
	case fieldTarget:
		p.c.Target = value
	case fieldIsolation:
		p.c.Isolation = value
	case fieldStatements:
		p.identities, p.identitiesAt = value, at
	default:
		p.c.Options = append(p.c.Options, Option{Key: key, Value: value})
	}
	return nil
}

// section reads one section, its line first.
func (p *parser) section() error {
	at, line := p.line()
	name, known, _ := sectionName(line)
	if !known {
		return p.errorf(at, "unknown section %s: want schema, rows, session, T0, T1, …, schedule or order", quote(name))
	}
	if err := p.order(at, name); err != nil {
		return err
	}
	p.last = name
	switch name {
	case secSchedule:
		return p.schedule(at)
	case secOrder:
		return p.equivalentOrder(at)
	}
	stmts, starts, err := p.stmts()
	if err != nil {
		return err
	}
	p.starts = append(p.starts, starts...)
	switch name {
	case secSchema:
		p.c.Schema = stmts
		return nil
	case secRows:
		p.c.Rows = stmts
		return nil
	}
	if n, ok := sessionNumber(name); ok {
		p.c.Sessions, p.sessionsAt = append(p.c.Sessions, SessionSettings{Number: n, Stmts: stmts}), append(p.sessionsAt, at)
		return nil
	}
	if i, err := checkTxn(p.c.dialect(), len(p.c.Txns), stmts); err != nil {
		if len(starts) > 0 {
			at = starts[i]
		}
		return p.errorf(at, "%s", err)
	}
	_, session, isolation, _ := txnSection(name)
	t := Txn{Session: session, Isolation: isolation, Begin: stmts[0], End: stmts[len(stmts)-1]}
	switch {
	case len(stmts) == 1:
		t = Txn{Session: session, Isolation: isolation, Stmts: stmts}
	case len(stmts) > 2:
		t.Stmts = stmts[1 : len(stmts)-1]
	}
	p.c.Txns = append(p.c.Txns, t)
	return nil
}

// order checks that a section of this name may come now.
func (p *parser) order(at int, name string) error {
	rank := map[string]int{"": 0, secSchema: 1, secRows: 2, secSchedule: 5, secOrder: 6}
	rankOf := func(name string) int {
		if _, ok := sessionNumber(name); ok {
			return 3
		}
		if r, ok := rank[name]; ok {
			return r
		}
		return 4
	}
	if _, ok := sessionNumber(name); ok && p.version < 2 {
		return p.errorf(at, "section %q is one of version 2: let the file begin with %q", name, "txweave case 2")
	}
	n, _, _, isTxn := txnSection(name)
	switch {
	case name == p.last || isTxn && n < len(p.c.Txns):
		return p.errorf(at, "section %q appears twice", name)
	case rankOf(name) < rankOf(p.last):
		return p.errorf(at, "section %q must come before section %q", name, p.last)
	case isTxn && n >= MaxTransactions:
		return p.errorf(at, "more than %d transactions: no case has so many", MaxTransactions)
	case isTxn && n > len(p.c.Txns):
		return p.errorf(at, "section %q where \"T%d\" is expected: transactions are numbered in order", name, len(p.c.Txns))
	}
	return nil
}

// stmts reads statements up to the next section or the end. starts says where in the text each one starts.
func (p *parser) stmts() (stmts []Stmt, starts []int, err error) {
	for {
		more, err := p.boundary()
		if err != nil || !more {
			return stmts, starts, err
		}
		starts = append(starts, p.pos)
		if len(p.starts)+len(starts) > MaxStatements {
			return nil, nil, p.errorf(p.pos, "more than %d statements: no case has so many", MaxStatements)
		}
		sql, err := p.stmt()
		if err != nil {
			return nil, nil, err
		}
		stmts = append(stmts, Stmt{Comments: p.pending, SQL: sql})
		p.pending = nil
	}
}

// boundary reads what lies between two statements. more tells whether a statement follows; otherwise p is at
// the line of a section or at the end.
func (p *parser) boundary() (more bool, err error) {
	for p.pos < len(p.text) {
		switch b := p.text[p.pos]; {
		case strings.IndexByte(space, b) >= 0:
			p.pos++
		case b == '#':
			at := p.pos
			p.pos += len(firstLexer.Next(p.text, at).Text) // to the end of the line, whatever the target says of #
			p.pending = append(p.pending, strings.Trim(p.text[at:p.pos], space))
		case p.lexer.DashComment(p.text[p.pos:]):
			rest, atStart := lineAt(p.text, p.pos)
			if _, _, isSection := sectionName(rest); isSection && atStart {
				return false, nil
			}
			return false, p.errorf(p.pos, "comment %s between statements: start it with '#'", quote(rest))
		default:
			return true, nil
		}
	}
	return false, nil
}

// stmt reads one statement and its semicolon.
func (p *parser) stmt() (sql string, err error) {
	start := p.pos
	var body sqltext.Body
	for p.pos < len(p.text) {
		at := p.pos
		t := p.lexer.Next(p.text, at)
		p.pos += len(t.Text)
		body.Take(t)
		switch {
		case t.Open && (t.Kind == sqltext.Literal || t.Kind == sqltext.Name):
			return "", p.errorf(at, "unterminated literal: no closing %c for %s", p.text[at], quote(p.text[at:]))
		case t.Open:
			return "", p.errorf(at, "unterminated comment: no */ for %s", quote(p.text[at:]))
		case t.Kind == sqltext.Comment && swallowsSection(p.text, at):
			rest, _ := lineAt(p.text, at)
			name, _, _ := sectionName(rest)
			return "", p.errorf(start, "statement %s has no ';' before section %q", quote(strings.Trim(p.text[start:at], space)),
				name)
		case t.Kind == sqltext.Symbol && t.Text == ";" && body.Ends():
			if sql = strings.Trim(p.text[start:at], space); sql == "" {
				return "", p.errorf(at, "empty statement before ';'")
			}
			if err := errors.Join(checkSQL(sql, p.lexer), p.lexer.Bound(sql)); err != nil { // "--;" is all that is left
				return "", p.errorf(start, "%s: %s", err, quote(sql))
			}
			return sql, nil
		}
	}
	return "", p.errorf(start, "statement %s has no ';' before the end of the file",
		quote(strings.Trim(p.text[start:], space)))
}

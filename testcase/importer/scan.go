package importer

import (
	"fmt"
	"regexp"
	"strings"

	"txweave/sqltext"
	"txweave/testcase"
)

// piece is one statement of the text with what stands around it.
type piece struct {
	line     int
	tag      string   // session, "" without one, setupTag
	sql      string   // without its semicolon
	comments []string // what the report says of it: results, remarks; without comment marks
}

// lexer is how a text is split, whatever the target of its case.
const lexer = sqltext.MySQL

// setupTag marks statements that the text itself calls its set-up.
const setupTag = "init"

// sessionName is how reports name a session: T1, tx2, session 3, conn_a, client B, …
const sessionName = `(?:t|tx|txn|trx|transaction|session|sess|s|conn|con|connection|client|c|thread)[ _-]?(?:\d+|[a-z])`

var (
	commentTag  = regexp.MustCompile(`(?i)^/\*\s*(` + sessionName + `|init|setup|set-up|prepare)\s*\*/`)
	promptTag   = regexp.MustCompile(`(?i)^(?:mysql|mariadb|tidb)?\s*\[?(` + sessionName + `)\]?\s*(?:>|:)(?:\s|$)`)
	barePrompt  = regexp.MustCompile(`(?i)^(?:mysql|mariadb|tidb|sqlite)(?:\s*[\[(][^\])]*[\])])?\s*>\s`)
	heading     = regexp.MustCompile(`(?i)^(?:--+|#+|/\*+)?\s*(?:connection\s+|connect\s+)?(` + sessionName + `)\s*(?::|;|\*/)?\s*$`)
	orderStart  = regexp.MustCompile(`(?i)\b(?:no transactions?|without (?:the )?transactions?|oracle|equivalent|serial(?:ly|ized)?)\b`)
	suffixTag   = regexp.MustCompile(`(?i)^(` + sessionName + `)\b[.,:;]?\s*`)
	resultLine  = regexp.MustCompile(`(?i)^(?:\+[-+]+\+|\||query ok|empty set|error\b|rows matched|\d+ rows? (?:in set|affected)|records:)`)
	fence       = regexp.MustCompile("^(?:```|~~~)")
	nextPrompt  = regexp.MustCompile(`(?i)\s(?:` + sessionName + `)\s*>\s`)
	spaces      = regexp.MustCompile(`\s+`)
	commentMark = regexp.MustCompile(`^(?:--+|#+)\s*`)
)

// scanner splits a text into pieces.
type scanner struct {
	name   string
	text   string
	pos    int
	sticky string // session of a heading: what follows belongs to it
	serial bool   // what follows is the equivalent order
	ansi   bool   // comments of the form /*! … */ are remarks
	tag    string // of the statement that comes next
	out    []piece
	order  []piece // statements of the equivalent order
}

func (s *scanner) errorf(at int, format string, args ...any) error {
	return &testcase.ParseError{Name: s.name, Line: s.lineOf(at), Msg: fmt.Sprintf(format, args...)}
}

func (s *scanner) lineOf(at int) int { return 1 + strings.Count(s.text[:at], "\n") }

// rest returns the text from pos to the end of its line.
func (s *scanner) rest() string {
	line, _, _ := strings.Cut(s.text[s.pos:], "\n")
	return line
}

// normal is a session's name as it is compared: "Session 1" and "session1" are one.
func normal(tag string) string {
	tag = strings.ToLower(tag)
	switch tag {
	case "setup", "set-up", "prepare":
		return setupTag
	}
	return strings.NewReplacer(" ", "", "_", "", "-", "").Replace(tag)
}

// scan reads the whole text.
func (s *scanner) scan() error {
	for {
		s.skipSpace()
		if s.pos >= len(s.text) {
			return nil
		}
		if s.startsLine() && s.headingLine() {
			continue
		}
		if s.prefix() || s.remark() {
			continue
		}
		if err := s.statement(); err != nil {
			return err
		}
	}
}

func (s *scanner) skipSpace() {
	for s.pos < len(s.text) && strings.IndexByte(" \t\r\n\f\v;", s.text[s.pos]) >= 0 {
		s.pos++
	}
}

func (s *scanner) startsLine() bool {
	begin := strings.LastIndexByte(s.text[:s.pos], '\n') + 1
	return strings.TrimSpace(s.text[begin:s.pos]) == ""
}

// headingLine takes a line that says whose the statements below it are, or that is a result or a fence.
func (s *scanner) headingLine() bool {
	line := strings.TrimSpace(s.rest())
	switch m := heading.FindStringSubmatch(line); {
	case m != nil:
		s.sticky, s.serial = normal(m[1]), false
	case fence.MatchString(line), resultLine.MatchString(line):
	case len(s.out) > 0 && !strings.Contains(line, ";") && orderStart.MatchString(line):
		s.serial, s.sticky = true, ""
	default:
		return false
	}
	s.pos += len(s.rest())
	return true
}

// prefix takes a session's mark in front of a statement.
func (s *scanner) prefix() bool {
	rest := s.rest()
	for _, re := range []*regexp.Regexp{commentTag, promptTag} {
		if m := re.FindStringSubmatch(rest); m != nil {
			s.tag = normal(m[1])
			s.pos += len(m[0])
			return true
		}
	}
	if m := barePrompt.FindString(rest); m != "" {
		s.pos += len(m)
		return true
	}
	return false
}

// remark takes a comment: what it says goes to the statement before it.
func (s *scanner) remark() bool {
	rest := s.rest()
	var text string
	switch {
	case strings.HasPrefix(rest, "--"), strings.HasPrefix(rest, "#"):
		text = rest
		if at := nextPrompt.FindStringIndex(rest); at != nil && strings.HasPrefix(rest, "---") {
			text = rest[:at[0]] // several statements with their results on one line
		}
		s.pos += len(text)
	case s.executable():
		return true
	case strings.HasPrefix(rest, "/*"):
		end := strings.Index(s.text[s.pos:], "*/")
		if end < 0 {
			end = len(s.text) - s.pos - 2
		}
		text = strings.TrimPrefix(s.text[s.pos:s.pos+end], "/*")
		s.pos += end + 2
	default:
		return false
	}
	s.note(text)
	return true
}

// neverRun is the version that no server has: MariaDB's dumps hide remarks behind it.
const neverRun = "999999"

// executable puts what an executable comment says in its place: /*!50001 CREATE … */ is a statement. Its lines stay
// where they are. It reports whether there was one.
func (s *scanner) executable() bool {
	if s.ansi {
		return false
	}
	t := lexer.Next(s.text, s.pos)
	if t.Kind != sqltext.Executable || t.Open || strings.HasPrefix(strings.TrimLeft(t.Text, "/*M!"), neverRun) {
		return false
	}
	s.text = s.text[:s.pos] + t.Inner() + " " + s.text[s.pos+len(t.Text):]
	return true
}

// note files a remark under the last statement.
func (s *scanner) note(text string) {
	text = strings.TrimSpace(commentMark.ReplaceAllString(spaces.ReplaceAllString(strings.TrimSpace(text), " "), ""))
	if list := s.list(); text != "" && len(*list) > 0 {
		p := &(*list)[len(*list)-1]
		p.comments = append(p.comments, text)
	}
}

func (s *scanner) list() *[]piece {
	if s.serial {
		return &s.order
	}
	return &s.out
}

// statement takes one statement, its semicolon and a session's mark behind it.
func (s *scanner) statement() error {
	start := s.pos
	end := s.statementEnd(start)
	p := piece{line: s.lineOf(start), tag: s.tag, sql: strings.TrimSpace(s.text[start:end])}
	if p.tag == "" {
		p.tag = s.sticky
	}
	if !isStatement(p.sql) {
		return s.errorf(start, "%s is no SQL statement: put -- in front of what is a remark", quote(p.sql))
	}
	s.pos, s.tag = min(end+1, len(s.text)), ""
	rest := strings.TrimLeft(s.rest(), " \t")
	if mark := commentMark.FindString(rest); mark != "" {
		if m := suffixTag.FindStringSubmatch(rest[len(mark):]); m != nil && p.tag == "" {
			p.tag = normal(m[1])
			s.pos += len(s.rest()) - len(rest) + len(mark) + len(m[0])
			list := s.list()
			*list = append(*list, p)
			s.note(s.rest())
			s.pos += len(s.rest())
			return nil
		}
	}
	list := s.list()
	if p.tag != "" && s.serial { // sessions again: another test case
		return s.errorf(start, "statements of sessions after the equivalent order: one schedule a file, please")
	}
	*list = append(*list, p)
	return nil
}

// statementEnd returns where the statement that starts there ends. Executable comments in it become part of it.
func (s *scanner) statementEnd(start int) int {
	for at := start; at < len(s.text); {
		s.pos = at
		if s.executable() {
			continue
		}
		t := lexer.Next(s.text, at)
		if t.Kind == sqltext.Symbol && t.Text == ";" {
			return at
		}
		at += len(t.Text)
	}
	return len(s.text)
}

// statementWords begin a statement.
var statementWords = map[string]bool{}

func init() {
	for _, w := range strings.Fields(`SELECT WITH INSERT REPLACE UPDATE DELETE BEGIN START COMMIT ROLLBACK SAVEPOINT RELEASE
		CREATE DROP ALTER TRUNCATE USE SET SHOW ANALYZE TABLE VALUES PRAGMA EXPLAIN LOCK UNLOCK XA CALL DO ADMIN SPLIT DESC DESCRIBE`) {
		statementWords[w] = true
	}
}

func isStatement(sql string) bool { return statementWords[word(sql, 0)] || strings.HasPrefix(sql, "(") }

// words returns the leading words of a statement in capitals, comments left out.
func words(sql string, n int) []string {
	var out []string
	for _, t := range lexer.Significant(sql, n) {
		out = append(out, strings.ToUpper(t.Unquote()))
	}
	return out
}

func word(sql string, i int) string {
	if w := words(sql, i+1); len(w) > i {
		return w[i]
	}
	return ""
}

func quote(s string) string {
	const limit = 40
	if r := []rune(s); len(r) > limit {
		s = string(r[:limit]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

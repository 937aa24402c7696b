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
	printed  *testcase.Printed
	dump     bool // it stands in an executable comment
}

// lexer is how a text is split, whatever the target of its case.
const lexer = sqltext.MySQL

// setupTag marks statements that the text itself calls its set-up.
const setupTag = "init"

// sessionName is how reports name a session: T1, tx2, session 3, conn_a, client B, …
const sessionName = `(?:t|tx|txn|trx|transaction|session|sess|s|conn|con|connection|client|c|thread)[ _-]?(?:\d+|[a-z])`

var (
	commentTag    = regexp.MustCompile(`(?i)^/\*\s*(` + sessionName + `|init|setup|set-up|prepare)\s*\*/`)
	promptTag     = regexp.MustCompile(`(?i)^(?:mysql|mariadb|tidb)?\s*\[?(` + sessionName + `)\]?\s*(?:>|:)(?:\s|$)`)
	barePrompt    = regexp.MustCompile(`(?i)^(?:mysql|mariadb|tidb|sqlite)(?:\s*[\[(][^\])]*[\])])?\s*>\s`)
	heading       = regexp.MustCompile(`(?i)^(?:--+|#+|/\*+)?\s*(?:connection\s+|connect\s+)?(` + sessionName + `)\s*(?::|;|\*/)?\s*$`)
	orderStart    = regexp.MustCompile(`(?i)\b(?:no transactions?|without (?:the )?transactions?|oracle|equivalent|serial(?:ly|ized)?)\b`)
	suffixTag     = regexp.MustCompile(`(?i)^(` + sessionName + `)\b[.,:;]?\s*`)
	resultLine    = regexp.MustCompile(`(?i)^(?:\+[-+]+\+|\||query ok|empty set|error\b|rows matched|\d+ rows? (?:in set|affected)|records:)`)
	delimiterLine = regexp.MustCompile(`(?i)^delimiter\s+(\S+)$`)
	fence         = regexp.MustCompile("^(?:```|~~~)")
	nextPrompt    = regexp.MustCompile(`(?i)\s(?:` + sessionName + `)\s*>\s`)
	spaces        = regexp.MustCompile(`\s+`)
	commentMark   = regexp.MustCompile(`^(?:--+|#+)\s*`)
)

// scanner splits a text into pieces.
type scanner struct {
	name      string
	text      string
	pos       int
	sticky    string            // session of a heading: what follows belongs to it
	serial    bool              // what follows is the equivalent order
	target    string            // dialect that it is read for
	dump      bool              // the statement that comes next stands in an executable comment
	ansi      bool              // comments of the form /*! … */ are remarks
	tag       string            // of the statement that comes next
	delimiter string            // that the text has set in place of the semicolon
	names     map[string]string // of the sessions, as the text has them
	out       []piece
	order     []piece // statements of the equivalent order
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

// session returns a session's name as it is compared, and remembers how the text writes it.
func (s *scanner) session(name string) string {
	tag := normal(name)
	if s.names == nil {
		s.names = map[string]string{}
	}
	if s.names[tag] == "" {
		s.names[tag] = strings.Join(strings.Fields(name), " ")
	}
	return tag
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
		s.sticky, s.serial = s.session(m[1]), false
	case fence.MatchString(line), resultLine.MatchString(line):
	case delimiterLine.MatchString(line):
		if s.delimiter = delimiterLine.FindStringSubmatch(line)[1]; s.delimiter == ";" {
			s.delimiter = ""
		}
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
			s.tag = s.session(m[1])
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
		s.dump = true
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
	switch {
	case t.Kind != sqltext.Executable || t.Open || strings.HasPrefix(strings.TrimLeft(t.Text, "/*M!"), neverRun):
		return false
	case strings.HasPrefix(t.Text, "/*T!") && s.target != "" && s.target != "tidb", strings.HasPrefix(t.Text, "/*M!") && (s.target == "mysql" || s.target == "tidb"):
		return false // a remark for this one
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
	end, mark := s.statementEnd(start)
	p := piece{line: s.lineOf(start), tag: s.tag, sql: strings.TrimSpace(s.text[start:end])}
	if p.tag == "" {
		p.tag = s.sticky
	}
	if !isStatement(p.sql) {
		return s.errorf(start, "%s is no SQL statement: put -- in front of what is a remark", quote(p.sql))
	}
	p.dump = s.dump
	s.pos, s.tag, s.dump = min(end+mark, len(s.text)), "", false
	rest := strings.TrimLeft(s.rest(), " \t")
	if mark := commentMark.FindString(rest); mark != "" {
		if m := suffixTag.FindStringSubmatch(rest[len(mark):]); m != nil && p.tag == "" {
			p.tag = s.session(m[1])
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

// statementEnd returns where the statement that starts there ends, and how long the mark behind it is. Executable comments in
// it become part of it. It ends with its semicolon, with another delimiter that the text has set, with \g or \G, or where a
// line begins that is somebody else's: a session's mark, a printed result, a fence.
func (s *scanner) statementEnd(start int) (end, mark int) {
	body := bodyScanner{}
	for at := start; at < len(s.text); {
		s.pos = at
		if s.executable() {
			continue
		}
		if s.delimiter != "" && strings.HasPrefix(s.text[at:], s.delimiter) {
			return at, len(s.delimiter)
		}
		t := lexer.Next(s.text, at)
		switch {
		case t.Kind == sqltext.Symbol && t.Text == ";" && s.delimiter == "" && body.ends():
			return at, 1
		case t.Text == `\` && at+1 < len(s.text) && (s.text[at+1] == 'G' || s.text[at+1] == 'g'):
			return at, 2
		case t.Kind == sqltext.Blank && strings.Contains(t.Text, "\n"):
			if next := at + len(t.Text); s.foreign(next) || strings.Count(t.Text, "\n") > 1 && s.begins(next) {
				return at, 0
			}
		}
		body.take(t)
		at += len(t.Text)
	}
	return len(s.text), 0
}

// foreign says whether the line that begins there is no part of a statement.
func (s *scanner) foreign(at int) bool {
	line, _, _ := strings.Cut(s.text[at:], "\n")
	if commentTag.MatchString(line) || promptTag.MatchString(line) || barePrompt.MatchString(line) {
		return true
	}
	line = strings.TrimSpace(line)
	return fence.MatchString(line) || resultLine.MatchString(line) && !strings.HasPrefix(line, "||") || heading.MatchString(line)
}

// begins says whether a statement begins there.
func (s *scanner) begins(at int) bool {
	line, _, _ := strings.Cut(s.text[at:], "\n")
	switch word(line, 0) {
	case "BEGIN", "START", "COMMIT", "ROLLBACK", "CREATE", "DROP", "INSERT", "UPDATE", "DELETE":
		return true
	}
	return false
}

// bodyScanner finds the end of a statement that holds others: a trigger or a routine.
type bodyScanner struct {
	seen  int // words so far
	holds bool
	depth int
	last  string // word before
}

// take counts what opens and ends a block.
func (b *bodyScanner) take(t sqltext.Token) {
	if t.Kind != sqltext.Word {
		if t.Kind == sqltext.Symbol {
			b.last = t.Text
		}
		return
	}
	w := strings.ToUpper(t.Text)
	b.seen++
	switch {
	case b.seen == 1 && w != "CREATE":
		b.seen = 100
	case b.seen < 12 && (w == "PROCEDURE" || w == "FUNCTION" || w == "TRIGGER" || w == "EVENT"):
		b.holds = true
	case b.holds && b.last == "END" && (w == "IF" || w == "CASE" || w == "LOOP" || w == "WHILE" || w == "REPEAT"):
	case b.holds && (w == "BEGIN" || w == "CASE" || w == "LOOP" || w == "WHILE" || w == "REPEAT"):
		b.depth++
	case b.holds && w == "IF" && b.depth > 0 && b.last != "DROP" && b.last != "TABLE" && (b.last == ";" || b.last == "BEGIN" || b.last == "THEN" || b.last == "ELSE" || b.last == "DO"):
		b.depth++
	case b.holds && w == "END":
		b.depth--
	}
	b.last = w
}

// ends says whether a semicolon ends the statement.
func (b *bodyScanner) ends() bool {
	b.last = ";"
	return !b.holds || b.depth <= 0
}

// statementWords begin a statement.
var statementWords = map[string]bool{}

func init() {
	for _, w := range strings.Fields(`SELECT WITH INSERT REPLACE UPDATE DELETE BEGIN START COMMIT ROLLBACK SAVEPOINT RELEASE
		CREATE DROP ALTER TRUNCATE RENAME USE SET SHOW ANALYZE TABLE VALUES PRAGMA EXPLAIN LOCK UNLOCK XA CALL DO ADMIN SPLIT DESC DESCRIBE
		CHECK CHECKSUM OPTIMIZE REPAIR FLUSH PREPARE EXECUTE DEALLOCATE HANDLER KILL SOURCE GRANT REVOKE LOAD VACUUM ATTACH RESET`) {
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

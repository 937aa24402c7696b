package importer

import (
	"fmt"
	"slices"
	"strconv"
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
	dump     bool     // it stands in an executable comment
	ragged   bool     // what was printed has bars in it: its cells cannot be told apart
	open     bool     // of a cell: without its semicolon
	own      bool     // its session stands in front of it, or behind it below another one's heading
	behind   bool     // it stands on the line of another one that has its session in front
	suffixed bool     // its session stands behind it
	headed   bool     // its session stands above it, and no prose between
	clock    string   // when it was sent, where the text says so
	step     int      // its number, where the text counts its statements; 0: none
	stage    int      // the number of the step that it stands under; 0: none
	idle     []string // sessions that must have answered before it is sent
}

// lexer is how a text is split, whatever the target of its case.
const lexer = sqltext.MySQL

// setupTag marks statements that the text itself calls its set-up.
const setupTag = "init"

var (
	commentTag = lazily(`(?i)^/\*\s*(` + anySession + `|init|setup|set-up|prepare)\s*:?\s*\*/`)
	// wordyTag is a session in a comment with a word behind it, in front of a statement.
	wordyTag = lazily(`(?i)^/\*\s*(` + anySession + `)\b[^*\n]{0,40}\*/`)
	// countedTag is a session that is a number in a comment, and letterTag one of one letter or number: where the text counts
	// sessions so, and not its statements.
	countedTag = lazily(`^/\*\s*(\d{1,6}|[A-Z])\s*:?\s*\*/`)
	// armTag is a session with an arrow or a bar behind it.
	armTag = lazily(`(?i)^(?:(` + anySession + `)\s*(?:->|→|»|\||-)|((?-i:[A-H]))\s*(?:->|→|»))\s+`)
	// nameTag is a session by a name of its own.
	nameTag   = lazily(`^([A-Za-z][\w-]{0,20})\s?(?:>|:)\s+`)
	promptTag = lazily(`(?i)^(?:mysql|mariadb|tidb)?\s*[\[(]?(` + anySession + `)[\])]?\s*` +
		`(?:(?:mysql|mariadb|tidb|sql|psql|postgres|sqlite)?\s*(?:[\[(][^\])]{0,30}[\])])?\s*>|:|=>|\)?\s?#>)(?:\s|$)`)
	// bracketTag is a session in brackets, or a transaction and the number of its statement.
	bracketTag = lazily(`(?i)^[\[<]((?:` + anySession + `)|\d{1,6})(?:-\d+)?[\]>]:?\s*`)
	letterTag  = lazily(`^([A-H]|\d)\s?(?:>|:)\s+`)
	// parenTag is a session in parentheses.
	parenTag   = lazily(`(?i)^\((` + anySession + `|(?-i:[A-H]))\)\s*:?\s*`)
	barePrompt = lazily(`(?i)^sql>|^>\s|^(?:mysql|mariadb|tidb|obclient|sqlite|root@\S+(?:\s+[A-Z][A-Za-z]+)?)(?:\s*[\[(][^\])]*[\])])?\s*>(?:\s|$)|` +
		`^[\w@. :-]{0,40}\[[\w()-]{0,40}\]\s*>(?:\s|$)|` +
		`^(?:mysql|mariadb|tidb|obclient)\b[^>\n;|'"=]{1,60}>\s|^\(?[\w.%-]+@[\w.%-]+\)?[^>\n;|'"=]{0,40}>\s`)
	// sandbox is a prompt with the server's name in front, its port and its user.
	sandbox    = lazily(`^(\w+)\s*\[[^\]\n]{0,40}\]\s*\{\w*\}\s*\(\(?[^)\n]{0,60}\)?\)\s*>(?:\s|$)`)
	anyPrompt  = lazily(`(?im)^[ \t]*(?:mysql|mariadb|tidb|` + anySession + `|[\w@. :-]{0,40}\[[\w()-]{0,40}\])[^>\n;]{0,40}>`)
	stepNumber = lazily(`^\(?\d{1,3}[.):]\s+`)
	// stepLabel says when a statement is sent; a session follows.
	stepLabel = lazily(`(?i)^(?:step|time|t)?\s?\d{1,3}\s?[:.)|-]?\s+`)
	executed  = lazily(`(?i)^\s*Q\d+-T(\d+) execute \w+: '(.*)'\s*;?\s*$`)
	heading   = lazily(`(?i)^(?:--+|#+|/\*+|=+|//+|[–—]+)?\s*[\[(*_<]{0,3}` +
		`(?:(?:in|on|from|at|then|and|now|open|start|connect|connection|switch to|back to|use)[ ,]+)*(?:the\s+)?(?:connection\s+)?(` +
		anySession + `)[\])*_>]{0,3}\s*(?:\([^)]{0,30}\)\s*)?(?::|;|,|\.|\*/|-+|=+)*[*_]{0,2}\s*(?:\*/)?$`)
	orderStart    = lazily(`(?i)\b(?:no transactions?|without (?:the )?transactions?|oracle|equivalent|serial(?:ly|ized)?)\b`)
	suffixTag     = lazily(`(?i)^(` + anySession + `|either|both)\b[.,:;]?\s*`)
	resultLine    = lazily(`(?i)^(?:\+[-+]+\+|\||query ok|empty set|error\b|rows matched|\d+ rows? (?:in set|affected)|records:|database changed|bye$|time: [\d.]+ ms)`)
	delimiterLine = lazily(`(?i)^delimiter\s+(\S+)$`)
	fence         = lazily("^(?:```|~~~)")
	unknownPrompt = lazily(`^[^'"]{0,80}[>#$%|:]\s*(\w+\b[^>]*;)[\s|]*$`)
	nextPrompt    = lazily(`(?i)\s(?:` + sessionName + `)\s*>\s`)
	answerArrow   = lazily(`\s+(?:=>|-->|->|→|⇒)\s+([^'"\s][^'"\n]*|\([^\n]*)$`)
	// saidInParens is what a statement answered, in parentheses behind it.
	saidInParens = lazily(`(?i)\s\(((?:returns?|gives?|sees?|shows?|prints?|waits?|blocks?|blocked|hangs?|fails?)\b[^()]{0,60})\)$`)
	endRemark    = lazily(`\s+(?:--\s+|#\s*|//\s*)([^'"\n]+)$`)
	spaces       = lazily(`\s+`)
	commentMark  = lazily(`^(?:--+|#+|//+|[–—]+)\s*`)
	inParens     = lazily(`(?i)^\((?:[\pL ,.'!-]{2,40}|(?:returns?|gives?|sees?|shows?|reads?|prints?|waits?|blocks?|still|now)\b[^()]{0,60})\)\s*$`) // behind a statement
	arrowRemark  = lazily(`^(?:=>|-->|->|→|⇒)\s*`)                                                                                                    // behind a statement
	lineRest     = lazily(`(?i)^/\*\s*(` + anySession + `)\s*\*/[ \t]*$`)
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
	notes     []Note
	own       *testcase.Case  // that the text is
	title     string          // of the schedule, where the text holds several
	at        int             // line where it begins
	base      int             // lines of the whole text before this one
	copied    int             // bytes, for executable comments
	loose     bool            // no statement has a semicolon
	talks     bool            // the text has prompts: what has none is what was printed
	marks     *tallied        // by which the text tells its sessions, where they have to be counted
	behind    *bool           // marks stand behind statements; nil: not known yet
	spoken    []mention       // sessions that lines of prose and remarks name
	levels    []string        // that its prose names
	vows      []mention       // those of which they say that their transaction ends
	looked    bool            // whether what follows was only expected has been asked
	clock     string          // of the statement that comes next
	step      int             // number of the statement that comes next
	stage     int             // number of the step that stands above what follows; 0: none
	gaps      []int           // lines where something stands for a statement
	celled    []int           // lines of what was printed, with a statement between bars
	told      []mention       // remarks that tell of another session's statement
	headed    int             // the line that names the session of what follows, without prose behind it; 0: none
	heads     map[string]bool // sessions that lines of their own name
	jumps     []mention       // remarks that say to go on in another session
	unclear   []int           // lines of prose that name several sessions and end as if one of them went on
	cases     []int           // lines where one of several experiments begins
	contrasts []int           // lines that begin one by what came of it
	style     string          // how remarks that name sessions are marked
	stepped   bool            // the text counts its statements
	turns     []int           // numbers of sessions in the order in which they speak, where a line says so
	turnsAt   int             // that line
	fences    int             // from how many fences it was read
	prosaic   []int           // lines of prose that were left out without a note
	unrun     []unrun         // statements in lines of prose
	// where lineOf was asked last
	seen struct{ at, line int }
}

func (s *scanner) errorf(at int, format string, args ...any) error {
	return &testcase.ParseError{Name: s.name, Line: s.lineOf(at), Msg: fmt.Sprintf(format, args...)}
}

func (s *scanner) parseError(line int, format string, args ...any) error {
	return &testcase.ParseError{Name: s.name, Line: line, Msg: fmt.Sprintf(format, args...)}
}

func (s *scanner) lineOf(at int) int {
	if at < s.seen.at || s.seen.line == 0 {
		s.seen.at, s.seen.line = 0, 1
	}
	s.seen.line += strings.Count(s.text[s.seen.at:at], "\n")
	s.seen.at = at
	return s.base + s.seen.line
}

// rest returns the text from pos to the end of its line.
func (s *scanner) rest() string {
	line, _, _ := strings.Cut(s.text[s.pos:], "\n")
	return line
}

// front returns the beginning of what rest does: a line may be as long as the text, and all marks are short.
func (s *scanner) front() string {
	const enough = 2000
	line, _, _ := strings.Cut(s.text[s.pos:min(len(s.text), s.pos+enough)], "\n")
	return line
}

// session returns a session's name as it is compared, and remembers how the text writes it.
func (s *scanner) session(name string) string {
	tag := normal(name)
	if s.names == nil {
		s.names = map[string]string{}
	}
	if s.names[tag] == "" {
		s.names[tag] = strings.Clone(strings.Join(strings.Fields(name), " "))
	}
	return strings.Clone(tag)
}

// scan reads the whole text.
func (s *scanner) scan() error {
	for {
		s.skipSpace()
		if len(s.notes) > maxStatements {
			return s.errorf(s.pos, "more than %d lines of prose: no report is that long", maxStatements)
		}
		if s.copied > maxCopied {
			return s.errorf(s.pos, "too many executable comments for a text of this size")
		}
		if s.pos >= len(s.text) {
			return nil
		}
		if s.startsLine() && s.headingLine() {
			continue
		}
		if s.prefix() || s.startsLine() && s.prose() || s.remark() {
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
	before := strings.TrimRight(s.text[:s.pos], " \t\v\f\r")
	return before == "" || before[len(before)-1] == '\n'
}

// headingLine takes a line that says whose the statements below it are, or that is a result or a fence.
func (s *scanner) headingLine() bool {
	line := strings.TrimSpace(s.rest())
	var m []string
	if len(line) <= longestHeading {
		m = heading.FindStringSubmatch(line)
	}
	switch {
	case m != nil:
		s.sticky, s.serial, s.headed, s.stage = s.session(m[1]), false, s.lineOf(s.pos), 0
		if !isRemark(line) {
			s.head(s.sticky)
		}
		s.levelOfHead(line, s.headed)
		if m := styled.FindStringSubmatch(line); m != nil {
			s.style = m[1]
		}
	case fence.MatchString(line), closing.MatchString(line):
	case resultLine.MatchString(line), s.printedTag(line):
		s.print(line)
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

// prefix takes a session's mark in front of a statement, a client's prompt, or the number of a step.
func (s *scanner) prefix() bool {
	rest, _, _ := strings.Cut(s.front(), ";") // no mark has one
	if !strings.ContainsAny(rest[:min(len(rest), longestMark)], ">:#|-*]→».)") && rest[:min(len(rest), 1)] != "Q" {
		return false
	}
	if m := clockTime.FindString(rest); m != "" && s.startsLine() && (s.speaks(rest[len(m):]) || s.named(rest[len(m):])) {
		s.clock = strings.Trim(clockOnly.FindString(m), " ")
		s.pos += len(m)
		return true
	}
	if m := setupLabel.FindString(rest); m != "" && s.startsLine() && defines(rest[len(m):]) {
		s.tag = setupTag
		s.pos += len(m)
		return true
	}
	for _, re := range []*pattern{commentTag, promptTag, bracketTag, parenTag, wordyTag} {
		if m := re.FindStringSubmatch(rest); m != nil && ((re != parenTag && re != wordyTag) || isStatement(strings.TrimSpace(rest[len(m[0]):]))) {
			s.talks = s.talks || re == promptTag
			if re != bracketTag || s.marks.brackets || !bracketNumber.MatchString(m[0]) {
				s.tag = s.session(m[1])
			}
			s.pos += len(m[0])
			return true
		}
	}
	if tag, n := s.counted(rest); n > 0 {
		s.tag = s.session(tag)
		s.pos += n
		return true
	}
	if m := sandbox.FindStringSubmatch(rest); m != nil {
		if s.talks = true; wholeSession.MatchString(m[1]) {
			s.tag = s.session(m[1])
		}
		s.pos += len(m[0])
		return true
	}
	if m := barePrompt.FindString(rest); m != "" {
		s.talks = true
		s.pos += len(m)
		return true
	}
	if m := stepNumber.FindString(rest); m != "" && s.startsLine() && isStatement(withoutPrompt(rest[len(m):])) {
		s.step, _ = strconv.Atoi(strings.Trim(m, "(.): \t"))
		s.stepped = true
		s.pos += len(m)
		return true
	}
	if s.hashed(rest) {
		return true
	}
	if m := stepLabel.FindString(rest); m != "" && s.startsLine() {
		for _, re := range []*pattern{commentTag, promptTag, bracketTag} {
			if next := re.FindString(rest[len(m):]); next != "" && isStatement(strings.TrimSpace(rest[len(m)+len(next):])) {
				s.pos += len(m)
				return true
			}
		}
	}
	if rest = strings.TrimLeft(rest, " \t"); rest == "" || rest[0] != 'Q' {
		return false
	}
	rest = s.rest()
	if m := executed.FindStringSubmatchIndex(rest); m != nil && s.startsLine() {
		s.talks = true
		s.tag = s.session("T" + rest[m[2]:m[3]])
		s.text = s.text[:s.pos] + strings.Repeat(" ", m[4]) + strings.TrimSuffix(rest[m[4]:m[5]], ";") + ";" + strings.Repeat(" ", len(rest)-m[5]) + s.text[s.pos+len(rest):]
		return true
	}
	return false
}

// isRemark says whether a remark begins there that ends with its line.
func isRemark(text string) bool {
	for _, mark := range []string{"--", "#", "//", "– ", "— "} {
		if strings.HasPrefix(text, mark) {
			return true
		}
	}
	return false
}

// remark takes a comment: what it says goes to the statement before it.
func (s *scanner) remark() bool {
	rest := s.text[s.pos:]
	var text string
	switch {
	case isRemark(rest):
		rest = s.rest()
		text = rest
		if name := s.prompted(rest); name != "" {
			s.sticky, s.headed = s.session(name), s.lineOf(s.pos)
			s.head(s.sticky)
			s.pos += len(rest)
			return true
		}
		if at := nextPrompt.FindStringIndex(rest); at != nil && strings.HasPrefix(rest, "---") {
			text = rest[:at[0]] // several statements with their results on one line
		}
		s.pos += len(text)
	case s.tag == "" && !s.startsLine() && arrowRemark.MatchString(rest):
		text = strings.TrimSpace(arrowRemark.ReplaceAllString(s.rest(), ""))
		s.pos += len(s.rest())
	case s.tag == "" && !s.startsLine() && inParens.MatchString(s.rest()):
		text = strings.Trim(s.rest(), "() \t")
		s.pos += len(s.rest())
	case s.executable():
		s.dump = true
		return true
	case strings.HasPrefix(rest, "/*"):
		inner, _, closed := strings.Cut(s.text[s.pos+2:], "*/")
		if !closed || strings.Contains(inner, "/*") { // never closed: it ends with its line
			line := s.rest()
			text = line[2:]
			if !closed && strings.Contains(line, ";") {
				s.notes = append(s.notes, Note{s.lineOf(s.pos), "left out: " + quote(line) + " is a comment that does not end", true})
			}
			s.pos += len(line)
			break
		}
		text = inner
		s.pos += len(inner) + 4
	default:
		return false
	}
	s.note(text)
	return true
}

// maxCopied bounds the work that executable comments make: each of them writes the text anew.
const maxCopied = 8 << 30

// neverRun is the version that no server has: MariaDB's dumps hide remarks behind it.
const neverRun = "999999"

// executable puts what an executable comment says in its place: /*!50001 CREATE … */ is a statement. Its lines stay
// where they are. It reports whether there was one.
func (s *scanner) executable() bool {
	if s.ansi {
		return false
	}
	t := lexer.Next(s.text, s.pos)
	if t.Kind == sqltext.Executable && !t.Open {
		if s.copied += len(s.text); s.copied > maxCopied {
			return false // scan says so
		}
	}
	switch {
	case t.Kind != sqltext.Executable || t.Open || strings.HasPrefix(strings.TrimLeft(t.Text, "/*M!"), neverRun):
		return false
	case slices.ContainsFunc(sqltext.SyntaxOf(s.target).Remarks, func(mark string) bool { return strings.HasPrefix(t.Text, mark) }):
		// A remark for this one: its lines stay where they are.
		s.text = s.text[:s.pos] + " " + strings.Repeat("\n", strings.Count(t.Text, "\n")) + s.text[s.pos+len(t.Text):]
		return true
	}
	s.text = s.text[:s.pos] + t.Inner() + " " + s.text[s.pos+len(t.Text):]
	return true
}

// note files a remark under the last statement.
func (s *scanner) note(text string) {
	s.tell(text, s.lineOf(min(s.pos, len(s.text))))
	text = strings.TrimSpace(commentMark.ReplaceAllString(spaces.ReplaceAllString(strings.TrimSpace(text), " "), ""))
	if list := s.list(); text != "" && len(*list) > 0 {
		p := &(*list)[len(*list)-1]
		if m := logged.FindStringSubmatch(text); m != nil {
			for i := range slices.Backward(*list) {
				if (*list)[i].tag == normal(m[1]) {
					p, text = &(*list)[i], m[2]
					break
				}
			}
		}
		p.comments = append(p.comments, strings.Clone(text))
		p.remarked(text)
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
	if len(s.out) > maxStatements {
		return s.errorf(start, "more than %d statements: no report is that long", maxStatements)
	}
	if !isStatement(s.front()) {
		if s.answers() {
			return nil
		}
		if m := unknownPrompt.FindStringSubmatch(s.front()); m != nil && isStatement(m[1]) {
			return s.errorf(start, "%s looks like a statement behind a prompt that is not known: put mysql> or the session in front of it", quote(strings.TrimSpace(s.rest())))
		}
		if s.talks && len(s.out) > 0 && s.tag == "" { // a client printed it
			s.note(s.rest())
			s.headed = 0
			s.pos += len(s.rest())
			return nil
		}
		return s.errorf(start, "%s is no SQL statement: put -- in front of what is a remark", quote(strings.TrimSpace(s.rest())))
	}
	behind := s.tag == "" && !s.startsLine() && s.besideLast()
	end, mark := s.statementEnd(start)
	if err := s.bound(s.lineOf(start), s.text[start:end]); err != nil {
		return err
	}
	p := piece{line: s.lineOf(start), tag: s.tag, sql: strings.Clone(strings.TrimSpace(s.text[start:end]))} // not to keep the text of each
	if p.behind = behind; behind {
		p.tag = (*s.list())[len(*s.list())-1].tag
	} else if p.tag == "" {
		p.tag = s.sticky
	}
	for _, re := range []*pattern{endRemark, answerArrow, saidInParens} { // what it answered stands behind it
		if m := re.FindStringSubmatchIndex(p.sql); mark == 0 && m != nil {
			said := strings.Clone(p.sql[m[2]:m[3]])
			p.comments, p.sql = append(p.comments, said), p.sql[:m[0]]
			p.remarked(said)
		}
	}
	p.dump, p.own, p.headed, p.step, p.stage = s.dump, s.tag != "" || behind, s.headed > 0, s.step, s.stage
	if slices.ContainsFunc(s.prosaic, func(line int) bool { return line > s.headed && line < p.line }) {
		p.headed = false
	}
	p.clock = s.clock
	s.pos, s.tag, s.dump, s.step, s.clock = min(end+mark, len(s.text)), "", false, 0, ""
	list := s.list()
	if p.tag != "" && s.serial { // sessions again: another test case
		return s.errorf(start, "statements of sessions after the equivalent order: one schedule a file, please")
	}
	*list = append(*list, p)
	s.suffix(list)
	return nil
}

// besideLast says whether what comes stands on the line of a statement that has its session in front: it is that session's, too.
func (s *scanner) besideLast() bool {
	list := *s.list()
	return len(list) > 0 && list[len(list)-1].own && list[len(list)-1].tag != "" && !list[len(list)-1].suffixed
}

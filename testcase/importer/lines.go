package importer

import (
	"cmp"
	"slices"
	"strings"

	"txweave/sql/sqltext"
)

// reader reads statements with what stands around them: marks of sessions, prompts, answers, tables. What it meets and
// does not read is an error with its line.
type reader struct {
	*part
	src       *source
	text      string
	pos       int
	signs     signs
	fences    *fences
	sticky    string // session of the heading above
	headed    bool   // … which stands outside of fences
	headAt    int    // … its line
	tag       string // of the statement that comes next
	delimiter string // that the text has set in place of the semicolon
	serial    bool   // what follows is the equivalent order
	loose     bool   // no statement has a semicolon
	bare      bool   // nothing but statements and remarks stands there
	forced    bool   // it is to be read so, whatever its signs
	prompts   prompts
	variables variables
	endings   []int  // lines of sentences that speak of the end of a transaction
	command   bool   // the line above is a client's command
	frame     bool   // rows of a printed table are read
	ruled     string // … what stands below their columns' names, where that says how wide they are
	vertical  bool   // … a line a value
	quiet     bool   // what stands below is no answer of the last statement
	err       error
	said      map[string]bool // sessions that have sent a statement
	starts    []int           // where lines start
}

// signs say what is read beside statements and remarks.
type signs struct{ marks, prompts, tables bool }

// lineAt returns the number of the line that a place is on.
func (r *reader) lineAt(at int) int {
	if r.starts == nil {
		r.starts, r.said = []int{0}, map[string]bool{}
		for i := range len(r.text) {
			if r.text[i] == '\n' {
				r.starts = append(r.starts, i+1)
			}
		}
	}
	line, exact := slices.BinarySearch(r.starts, at)
	if exact {
		line++
	}
	return line
}

// rest returns the text from pos to the end of its line.
func (r *reader) rest() string { return lineOf(r.text[r.pos:]) }

// scan reads the whole text.
func (r *reader) scan() error {
	for {
		r.skipSpace()
		if r.pos >= len(r.text) {
			r.unended()
			return nil
		}
		taken, err := r.beside()
		if err == nil && !taken {
			err = r.statement()
		}
		if err != nil {
			return err
		}
	}
}

// beside takes what stands beside statements: a line that is none, a mark, a remark.
func (r *reader) beside() (taken bool, err error) {
	if r.startsLine() {
		if taken, err := r.wholeLine(); err != nil || taken {
			return taken, err
		}
	}
	if r.prefix() {
		return true, nil
	}
	return r.remark()
}

func (r *reader) skipSpace() {
	for r.pos < len(r.text) && strings.IndexByte(" \t\r\n\f\v;", r.text[r.pos]) >= 0 {
		r.pos++
	}
}

func (r *reader) startsLine() bool {
	before := strings.TrimRight(r.text[:r.pos], " \t\v\f\r")
	return before == "" || before[len(before)-1] == '\n'
}

// wholeLine takes a line that is no statement: a heading, a row of a table, what a client printed.
func (r *reader) wholeLine() (taken bool, err error) {
	number, line := r.lineAt(r.pos), strings.TrimSpace(r.rest())
	if r.fences.opens(number) && !r.headed {
		r.sticky = ""
	}
	r.headed = r.headed && !r.fences.opens(number)
	if r.signs.tables && r.tag == "" {
		if taken, err := r.table(number); err != nil || taken {
			return taken, err
		}
	}
	heading := ""
	if r.signs.marks {
		heading = headingOf(line)
	}
	switch {
	case heading != "":
		r.sticky, r.serial, r.tag, r.headAt = r.session(heading), false, "", number
		r.headed = r.fences.outside(number)
	case r.delimits(line):
	case len(r.out) > 0 && startsOrder(line):
		r.serial, r.sticky = true, ""
	case isRule(line) && !r.frame && !strings.HasPrefix(line, "--") || isRule(line) && r.tag == "" && len(r.out) == 0:
	case r.signs.tables && isTableRule(line) && headerOf(lineOf(strings.TrimPrefix(r.text[r.pos+len(r.rest()):],
		"\n"))) != nil:
	case r.tag == "" && r.answers(line):
	case r.tag == "" && r.exits(line):
	default:
		return false, nil
	}
	r.pos += len(r.rest())
	return true, r.err
}

// delimits takes a line that sets the delimiter; false for another one.
func (r *reader) delimits(line string) bool {
	if !isDelimiter(line) {
		return false
	}
	r.delimiter = strings.TrimPrefix(strings.Fields(line)[1], ";")
	return true
}

// isDelimiter says whether a line sets the delimiter.
func isDelimiter(line string) bool {
	w := strings.Fields(line)
	return len(w) == 2 && strings.EqualFold(w[0], "delimiter")
}

// startsOrder says whether a line says that what stands below it are the statements of the sessions without
// transactions.
func startsOrder(line string) bool {
	switch strings.ToLower(strings.Trim(line, "-#*=: \t")) {
	case "no transaction", "no transactions", "without transaction", "without transactions", "equivalent order",
		"serial order":
		return true
	}
	return false
}

// closes says whether a line ends a client.
func closes(line string) bool {
	return slices.Contains([]string{"exit", "quit", `\q`, ".quit", ".exit"}, strings.ToLower(strings.TrimRight(line,
		"; ")))
}

// exits takes the end of a client, which rolls back what its session has left open; false for another line.
func (r *reader) exits(line string) bool {
	if !closes(line) {
		return false
	}
	p := piece{line: r.lineAt(r.pos), tag: cmp.Or(r.tag, r.sticky), sql: "ROLLBACK", own: true,
		comments: []string{"the client ends"}}
	others := func(q piece) bool { return q.tag != p.tag }
	if p.tag != "" && !ended(slices.DeleteFunc(slices.Clone(r.out), others)) {
		r.out = append(r.out, p)
	}
	return true
}

// list is where the statement that comes next goes.
func (r *reader) list() *[]piece {
	if r.serial {
		return &r.order
	}
	return &r.out
}

// last is the statement that was read last; nil before the first.
func (r *reader) last() *piece {
	if list := *r.list(); len(list) > 0 {
		return &list[len(list)-1]
	}
	return nil
}

// isRemark says whether a remark begins there that ends with its line.
func isRemark(text string) bool {
	return strings.HasPrefix(text, "--") || strings.HasPrefix(text, "#") || strings.HasPrefix(text, "//")
}

// remark takes a comment: what it says goes to the statement before it.
func (r *reader) remark() (bool, error) {
	rest, starts, line := r.text[r.pos:], r.startsLine(), strings.TrimSpace(r.rest())
	r.quiet = r.quiet || starts && blankAbove(r.text[:r.pos])
	switch {
	case isRemark(rest):
		return true, r.lineRemark(starts)
	case strings.HasPrefix(rest, "/*") && !r.executable(r.pos):
		inner, _, closed := strings.Cut(rest[2:], "*/")
		if !closed || strings.Contains(inner, "\n") && strings.Contains(inner, "/*") {
			return false, r.src.errorf(r.lineAt(r.pos), "%s: a comment that does not end", quote(r.rest()))
		}
		r.pos += len(inner) + 4
		r.say(inner, starts)
	case r.tag == "" && r.last() != nil && isSaidHere(line, starts):
		r.pos += len(r.rest())
		r.say(line, false)
	default:
		return false, nil
	}
	return true, nil
}

// lineRemark takes a remark that ends with its line.
func (r *reader) lineRemark(starts bool) error {
	text := r.rest()
	n := strings.TrimLeft(strings.TrimPrefix(text, "#"), "0123456789")
	if text[0] == '#' && n != text[1:] && begins(withoutMark(n)) {
		return r.src.errorf(r.lineAt(r.pos),
			"%s: a number behind # in front of a statement: put the session there (T1> …;)", quote(text))
	}
	prompted := !starts && r.afterPrompt()
	if name := headingOf(text); name != "" && r.signs.prompts && r.tag == "" && prompted {
		r.sticky, r.headAt, r.pos = r.session(name), r.lineAt(r.pos), r.pos+len(text)
		return nil
	}
	if at := r.markWithin(text); at > 0 {
		text = text[:at]
	}
	r.pos += len(text)
	r.say(text, starts || prompted)
	return nil
}

// isSaidHere says whether a line is what the statement above answered, or the one in front of it on its line.
func isSaidHere(line string, starts bool) bool {
	if !starts {
		return isAnswer(line) && line[0] != '|'
	}
	return isSaid(line) && (waits(line) && !strings.HasPrefix(line, "(wait ") || line[0] != '(')
}

// afterPrompt says whether nothing but a prompt stands before pos on its line.
func (r *reader) afterPrompt() bool {
	_, line, _ := cutLast(r.text[:r.pos])
	return promptOf(strings.TrimSpace(line)+" ").length > 0
}

// withoutMark is a text without the session's mark in front of it.
func withoutMark(text string) string {
	text = strings.TrimLeft(text, " \t.:)")
	return text[frontMark(text).length:]
}

// isSaid says whether what stands behind a statement on its line is what it answered: "-> 1 row", "(blocks)".
func isSaid(line string) bool {
	for _, arrow := range []string{"->", "=>", "-->", "→", "⇒"} {
		if strings.HasPrefix(line, arrow) {
			return true
		}
	}
	return strings.HasPrefix(line, "(") && strings.HasSuffix(line, ")") && !begins(line) ||
		strings.IndexAny(line, "<[*") == 0 && waits(line)
}

// markWithin is where in a remark with three dashes the next session's mark stands: several statements with their
// results on one line.
func (r *reader) markWithin(text string) int {
	if !strings.HasPrefix(text, "---") || !r.signs.marks {
		return 0
	}
	for at := 3; at < len(text); at++ {
		if text[at-1] == ' ' {
			if m := frontMark(text[at:]); m.length > 0 && begins(text[at+m.length:]) {
				return at
			}
		}
	}
	return 0
}

// say files a remark under the last statement. Behind a statement, and right below it, it may say what that was
// answered.
func (r *reader) say(text string, below bool) {
	text = strings.TrimSpace(strings.Join(strings.Fields(strings.TrimLeft(strings.TrimSpace(text), "-#/ ")), " "))
	p := r.last()
	if below && speaks(text) && !isAnswer(text) {
		r.hints = append(r.hints, r.lineAt(r.pos))
	}
	if r.tag != "" {
		for i := range slices.Backward(r.out) {
			if p = &r.out[i]; p.tag == r.tag {
				break
			}
		}
		r.tag = ""
	}
	if sql, ok := strings.CutPrefix(text, "every window first: "); ok { // as reports of txweave's have it
		all, _ := statements(sql)
		for _, one := range all {
			r.out = append(r.out, piece{line: r.lineAt(min(r.pos, len(r.text)-1)), sql: one})
		}
		return
	}
	if text == "" || p == nil {
		return
	}
	p.comments, p.told = append(p.comments, strings.Clone(text)), len(*r.list())
	r.quiet = r.quiet || below && strings.HasPrefix(text, "but ")
	if !below || !r.quiet && p.tells(text) {
		p.remarked(text)
	}
}

// tells says whether a remark on a line below a statement is of what that was answered.
func (p *piece) tells(text string) bool {
	_, led, stated := told(text)
	return waits(text) || led && stated ||
		strings.HasPrefix(strings.ToLower(text), "error") && !speaksOfOther(text, p.tag)
}

// blankAbove says whether the line above the one that a text ends in is blank.
func blankAbove(text string) bool {
	above, _, _ := cutLast(text)
	_, line, _ := cutLast(above)
	return above != "" && strings.TrimSpace(line) == ""
}

// cutLast cuts a text at its last line feed.
func cutLast(text string) (before, after string, ok bool) {
	at := strings.LastIndexByte(text, '\n')
	if at < 0 {
		return "", text, false
	}
	return text[:at], text[at+1:], true
}

// executable says whether an executable comment begins there that is a statement for the target.
func (r *reader) executable(at int) bool {
	t := lexer.Next(r.text, at)
	return t.Kind == sqltext.Executable && !t.Open && runs(r.src, t)
}

// neverRun is the version that no server has: dumps hide remarks behind it.
const neverRun = "999999"

// runs says whether what an executable comment holds is run by the target.
func runs(s *source, t sqltext.Token) bool {
	return !s.ansi && !strings.HasPrefix(strings.TrimLeft(t.Text, "/*M!"), neverRun) &&
		!slices.ContainsFunc(sqltext.SyntaxOf(s.target).Remarks,
			func(mark string) bool { return strings.HasPrefix(t.Text, mark) })
}

// flat puts what executable comments say in their place: /*!50001 CREATE … */ is a statement.
func flat(s *source, sql string) string {
	if !strings.Contains(sql, "!") || !strings.Contains(sql, "/*") {
		return sql
	}
	var b strings.Builder
	for t := range lexer.Tokens(sql) {
		switch {
		case t.Kind != sqltext.Executable || t.Open || s.ansi:
			b.WriteString(t.Text)
		case runs(s, t):
			b.WriteString(t.Inner() + " ")
		default: // a remark for this one: its lines stay where they are
			b.WriteString(" " + strings.Repeat("\n", strings.Count(t.Text, "\n")))
		}
	}
	return b.String()
}

// statement takes one statement, its semicolon and a session's mark behind it.
func (r *reader) statement() error {
	start, number := r.pos, r.lineAt(r.pos)
	if len(r.out) > maxStatements {
		return r.src.errorf(number, "more than %d statements: no report is that long", maxStatements)
	}
	if !begins(r.text[start:]) {
		return r.noStatement(number)
	}
	end, mark := r.statementEnd(start)
	text := r.text[start:end]
	if err := lexer.Bound(text); err != nil {
		return r.src.errorf(number, "%s: %s", quote(text), err)
	}
	said := ""
	if mark == 0 {
		text, said = behindRemark(text)
	}
	p := piece{line: number, tag: r.tag, own: r.tag != "", front: r.tag != "", fence: r.fences.at(number)}
	p.head = r.headAt
	p.dump = lexer.Next(text, 0).Kind == sqltext.Executable
	p.sql = strings.Clone(strings.TrimSpace(flat(r.src, text))) // not to keep the text of each
	var filled bool
	if p.sql, filled = bind(p.sql); !filled {
		return r.src.errorf(number, "%s: \\bind gives it other values than it has parameters", quote(text))
	}
	list := r.list()
	if l := r.last(); p.tag == "" && l != nil && l.front && !r.freshLine(start) {
		p.tag, p.own, p.front = l.tag, true, true // beside a statement that has its mark in front
	} else if p.tag == "" {
		p.tag = r.sticky
	}
	if p.tag != "" && r.serial { // sessions again: another test case
		return r.src.errorf(number, "statements of sessions after the equivalent order: one schedule a file, please")
	}
	p.sql = r.filled(p.sql, p.tag)
	r.said[p.tag] = r.said[p.tag] || p.ofSession()
	r.pos, r.tag, r.frame, r.vertical, r.quiet = min(end+mark, len(r.text)), "", false, false, false
	r.command = false
	if taken, err := r.gets(p.sql, number); err != nil || taken {
		return err
	}
	if taken, err := r.copied(&p); err != nil || taken {
		return err
	}
	if *list = append(*list, p); said != "" {
		if !r.suffix(list, said) {
			r.say(said, false)
		}
		return nil
	}
	if next := strings.TrimLeft(r.rest(), " \t"); r.signs.marks && r.suffix(list, next) {
		r.pos += len(r.rest())
	}
	return nil
}

// noStatement takes what is none: the end of a client, its delimiter, or what a session was answered ("T2: ERROR
// 1213", "T2: blocked").
func (r *reader) noStatement(number int) error {
	line := strings.TrimSpace(r.rest())
	switch {
	case r.prose():
		return nil
	case r.prompts.seen && r.exits(line), r.delimits(line), r.clients(line):
	case r.tag != "" && r.spoke(r.tag) && isAnswer(line):
		r.say(line, false)
	case programLog.MatchString(line):
		return r.src.errorf(number, "%s: a line of a program's log, which does not say over which connection a statement "+
			"goes, nor what begins and ends transactions: write the statements with the session in front of each (T1> …;)",
			quote(line))
	case line[0] == '\\':
		return r.src.errorf(number, "%s: a command of psql's that is not followed: write the statements that it ran",
			quote(line))
	default:
		if name := programIn(line); name != "" {
			return r.src.errorf(number, "%s: a line of %s: %s", quote(line), name, handOver)
		}
		return r.src.errorf(number, "%s: %s", quote(line), r.wants())
	}
	r.pos, r.tag = r.pos+len(r.rest()), ""
	return nil
}

// freshLine says whether nothing but marks stands before a statement on its line.
func (r *reader) freshLine(start int) bool {
	line := r.text[strings.LastIndexByte(r.text[:start], '\n')+1 : start]
	return !strings.Contains(line, ";")
}

// spoke says whether a session has sent a statement.
func (r *reader) spoke(tag string) bool { return r.said[tag] }

// behindRemark parts a statement without a semicolon from the remark behind it.
func behindRemark(text string) (sql, said string) {
	at := 0
	for t := range lexer.Tokens(text) {
		switch {
		case t.Kind == sqltext.Comment:
			if sql == "" {
				sql, said = text[:at], t.Text
			}
		case t.Kind != sqltext.Blank:
			sql, said = "", ""
		}
		at += len(t.Text)
	}
	if said == "" {
		return text, ""
	}
	return sql, strings.TrimSpace(said)
}

// wants says what would be read.
func (r *reader) wants() string {
	if r.signs == (signs{}) && r.forced {
		return "neither a statement nor a remark behind --"
	}
	return "neither a statement nor a remark behind --, nor a session's mark (T1> …; or /* s1 */ …; or …; -- T1; " +
		"or a line -- session 1), a client's prompt or answer, or a table (| session 1 | session 2 |); " +
		"put -- in front of prose, or the statements between lines of ```"
}

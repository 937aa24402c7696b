package importer

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"txweave/sqltext"
	"txweave/testcase"
)

// Bounds of a text: how many statements and lines it may have.
const (
	maxStatements = 20000
	maxLines      = 100000
)

// normalise makes a text one of UTF-8 with LF: what was pasted from elsewhere comes with a byte-order mark, other line
// ends, blanks that do not break and characters without a width.
func normalise(text []byte) string {
	s := string(text)
	if len(s) >= 2 && (s[:2] == "\xff\xfe" || s[:2] == "\xfe\xff") {
		units := make([]uint16, 0, len(s)/2)
		for i := 2; i+1 < len(s); i += 2 {
			a, b := uint16(s[i]), uint16(s[i+1])
			if s[0] == '\xff' {
				a, b = b, a
			}
			units = append(units, a<<8|b)
		}
		s = string(utf16.Decode(units))
	}
	return pasted.Replace(s)
}

var pasted = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\ufeff", "", "\u200b", "", "\u2028", "\n", "\u00a0", " ", "\u3000", " ")

// form is a form in which people write schedules: what tells it, and what reads it.
type form struct {
	name string
	is   func(text string) bool
	read func(s *scanner) ([]*scanner, error)
}

// forms are tried in this order; the last one takes whatever is left.
var forms = []form{
	{"a case", func(t string) bool { return ownCase.MatchString(t) }, readOwn},
	{"a Go test of export's", func(t string) bool { return goProgram.MatchString(t) && strings.Contains(t, "TXWEAVE_DSN") }, func(s *scanner) ([]*scanner, error) {
		return nil, s.errorf(0, "a Go program: import the case that it was made of")
	}},
	{"a program", isProgram, readProgram},
	{"a Go program", goProgram.MatchString, func(s *scanner) ([]*scanner, error) {
		return nil, s.errorf(0, "a Go program that does not show which statements it sends, one after the other: write them out")
	}},
	{"an isolation spec", isSpec, readSpec},
	{"an mtr test", isMTR, readMTR},
	{"a logic test", isLogicTest, readLogicTest},
	{"Troc's", isTroc, readTrocs},
	{"text", func(string) bool { return true }, readText},
}

var (
	ownCase   = lazily(`(?m)\A(?:#.*\n|\s*\n)*txweave case \d+\s*$`)
	goProgram = lazily(`(?m)\A(?://.*\n|\s*\n)*package \w+\s*$`)
)

// pieces splits a text into statements with what stands around them: one scanner for each schedule in it, at least one.
func pieces(name string, text []byte, o Options) ([]*scanner, error) {
	s := &scanner{name: name, target: o.Target, text: withoutBars(normalise(text)), ansi: sqltext.SyntaxOf(o.Target).Quoting != sqltext.MySQL}
	if !utf8.ValidString(s.text) && strings.Contains(s.text, "\x00") || strings.Contains(s.text, "\x00") {
		return nil, s.errorf(strings.IndexByte(s.text, 0), "it holds a zero byte: no text")
	}
	if strings.Count(s.text, "\n") > maxLines {
		return nil, s.errorf(0, "more than %d lines: no report is that long", maxLines)
	}
	if err := s.tooWide(); err != nil {
		return nil, err
	}
	for _, f := range forms {
		if f.is(s.text) {
			parts, err := f.read(s)
			if err == nil {
				err = bounded(s, parts)
			}
			return parts, err
		}
	}
	return nil, s.errorf(0, "nothing here can be read")
}

func bounded(s *scanner, parts []*scanner) error {
	n := 0
	for _, p := range parts {
		if n += len(p.out); n > maxStatements {
			return s.errorf(0, "more than %d statements: no report is that long", maxStatements)
		}
		for i := range p.out {
			if err := s.bound(p.out[i].line, p.out[i].sql); err != nil {
				return err
			}
		}
	}
	return nil
}

// bound refuses a statement that is too large to be read.
func (s *scanner) bound(line int, sql string) error {
	if err := lexer.Bound(sql); err != nil {
		return s.parseError(line, "%s: %s", quote(sql), err)
	}
	return nil
}

// tooWide refuses a text with a line that can be no statement, nor anything else that people write.
func (s *scanner) tooWide() error {
	at := 0
	for line := range strings.Lines(s.text) {
		if len(line) > 2*sqltext.MaxLength {
			return s.errorf(at, "a line of %d bytes: a statement may have %d", len(line), sqltext.MaxLength)
		}
		at += len(line)
	}
	return nil
}

// readText reads what has no form of its own: statements with their sessions' marks, with prose and fences around them, or in
// columns.
func readText(s *scanner) ([]*scanner, error) {
	s.laidOut()
	s.text = marksBelow(asMySQLPrints(tidied(withoutTags(apart(s.text)))))
	s.turnsOf()
	s.marks, s.levels = marksOf(s.text), levelsOf(s.text)
	whole := toRepeat(s.text)
	s.again(whole)
	if parts, err := readColumns(s); len(parts) > 0 || err != nil {
		for _, p := range parts {
			p.withoutAutocommit()
			if err := p.doubt(); err != nil {
				return nil, err
			}
		}
		return parts, err
	}
	var parts []*scanner
	var err error
	if fenced(s.text) {
		parts, err = readFenced(s)
		for _, p := range parts {
			p.turns, p.turnsAt = s.turns, s.turnsAt
		}
	} else {
		s.text, s.prosaic = indented(fromSentences(toRepeat(s.text)))
		s.text = withoutContinuations(s.text)
		s.loose = !strings.Contains(s.text, ";")
		if parts, err = []*scanner{s}, s.scan(); err == nil {
			s.missed(parts)
		}
	}
	if err != nil {
		return nil, err
	}
	var out []*scanner
	for _, p := range parts {
		p.firstWindow()
		p.plainEnds()
		p.printedRows()
		p.byStage()
		p.awaited()
		p.refused()
		p.once()
		p.letters()
		p.tablesFirst()
		if len(parts) == 1 {
			p.rowsTold(whole)
		}
		p.byClock()
		p.byNumber()
		p.withoutAutocommit()
		if err := p.byTurns(); err != nil {
			return nil, err
		}
		cases, err := p.apartBy()
		if err != nil {
			return nil, err
		}
		for _, p := range cases {
			if err := p.doubt(); err != nil {
				return nil, err
			}
			out = append(out, p.anew()...)
		}
	}
	return out, nil
}

var (
	howToRepeat = lazily(`(?mi)^\**how to repeat:?\**[ \t]*$`)
	afterRepeat = lazily(`(?mi)^\**suggested fix:?\**[ \t]*$|\n\n-{4,}$`)
)

// toRepeat leaves the part of a report that says how to repeat what it is about; its lines stay where they are.
func toRepeat(text string) string {
	from := howToRepeat.FindStringIndex(text)
	if from == nil {
		return text
	}
	rest := text[from[1]:]
	if to := afterRepeat.FindStringIndex(rest); to != nil {
		rest = rest[:to[0]]
	}
	if marked, other := markedStatements(text[:from[1]]), markedStatements(rest); marked > 2 && other == 0 {
		return text // the sessions are above
	}
	return strings.Repeat("\n", strings.Count(text[:from[1]], "\n")) + rest
}

// markedStatements counts the lines that have a session's mark in front of a statement.
func markedStatements(text string) (n int) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for _, re := range []*pattern{commentTag, promptTag, bracketTag} {
			if m := re.FindString(line); m != "" && isStatement(strings.TrimSpace(line[len(m):])) {
				n++
				break
			}
		}
	}
	return n
}

// indented leaves the indented lines of a text whose statements are all indented: the others are prose.
func indented(text string) (left string, prosaic []int) {
	lines := strings.Split(text, "\n")
	const indent = "    "
	deep, flat := 0, 0
	for _, line := range lines {
		if isStatement(withoutPrompt(line)) {
			if strings.HasPrefix(line, indent) || strings.HasPrefix(line, "\t") {
				deep++
			} else {
				flat++
			}
		}
	}
	if deep < 2 || flat > 0 {
		return text, nil
	}
	for i, line := range lines {
		bare := strings.TrimSpace(line)
		if !strings.HasPrefix(line, indent) && !strings.HasPrefix(line, "\t") && !heading.MatchString(bare) && handsOver(bare) == "" && !unclear(bare) && subjectOf(bare) == "" {
			if lines[i] = ""; strings.TrimSpace(line) != "" {
				prosaic = append(prosaic, i+1)
			}
		}
	}
	return strings.Join(lines, "\n"), prosaic
}

// readOwn reads a case: its transactions in the order of its schedule.
func readOwn(s *scanner) ([]*scanner, error) {
	c, err := testcase.Parse(s.name, []byte(s.text))
	if err != nil {
		return nil, err
	}
	s.own = c
	line := func(sql string) int {
		if at := strings.Index(s.text, sql); at >= 0 {
			return s.lineOf(at)
		}
		return 1
	}
	for _, list := range [][]testcase.Stmt{c.Schema, c.Rows} {
		for _, st := range list {
			s.out = append(s.out, piece{line: line(st.SQL), tag: setupTag, sql: st.SQL, comments: remarksOf(st)})
		}
	}
	next := make([]int, len(c.Txns))
	for _, n := range c.Schedule {
		t := &c.Txns[n]
		st := t.Step(next[n])
		next[n]++
		name := fmt.Sprintf("T%d", n)
		if t.Session > 0 {
			name = fmt.Sprintf("session %d", t.Session)
		}
		s.out = append(s.out, piece{line: line(st.SQL), tag: s.session(name), sql: st.SQL, comments: remarksOf(*st)})
	}
	return []*scanner{s}, nil
}

func remarksOf(st testcase.Stmt) (out []string) {
	for _, c := range st.Comments {
		out = append(out, strings.TrimSpace(strings.TrimLeft(c, "#")))
	}
	return out
}

// part makes a scanner of another schedule in the same text.
func (s *scanner) part(title string, line int) *scanner {
	return &scanner{name: s.name, target: s.target, text: s.text, ansi: s.ansi, marks: s.marks, levels: s.levels, title: title, at: line}
}

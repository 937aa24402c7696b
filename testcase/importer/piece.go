package importer

import (
	"fmt"
	"slices"
	"strings"

	"txweave/sql/sqltext"
	"txweave/testcase"
)

// lexer is how a text is divided, whatever the target of its case.
var lexer = sqltext.FileQuoting

// setupTag marks statements that the text itself calls its set-up.
const setupTag = "init"

// piece is one statement of a text with what stands around it.
type piece struct {
	line     int
	tag      string   // session, "" without one, setupTag
	sql      string   // without its semicolon
	comments []string // what the text says of it, without comment marks
	printed  *testcase.Printed
	unclear  bool     // a remark says of its answer what is not read
	ragged   bool     // what was printed has bars in it: its cells cannot be told apart
	dump     bool     // it stands in an executable comment
	own      bool     // its session's mark stands on its line
	front    bool     // … in front of it
	head     int      // the line of the heading above it; 0: none
	fence    int      // number of the fence that it stands in; 0: none
	idle     []string // sessions that must have answered before it is sent
	told     int      // how many statements stand above its answer in the text; 0: those above itself
}

// ofSession says whether a session sends it, and not the set-up or nobody.
func (p *piece) ofSession() bool { return p.tag != "" && p.tag != setupTag }

// answer returns what the text says that it was answered, to be filled in.
func (p *piece) answer() *testcase.Printed {
	if p.printed == nil {
		p.printed = &testcase.Printed{Count: -1}
	}
	return p.printed
}

// source is a text that is read.
type source struct {
	name, target, text string
	ansi               bool    // comments of the form /*! … */ are remarks
	fences             *fences // that stood around it
	forced             bool    // its format was asked for
}

func (s *source) errorf(line int, format string, args ...any) error {
	return &testcase.ParseError{Name: s.name, Line: max(line, 1), Msg: fmt.Sprintf(format, args...)}
}

// lines are those of the text.
func (s *source) lines() []string { return strings.Split(s.text, "\n") }

// part is one schedule of a text.
type part struct {
	title  string // as the text has it; "" for none
	line   int    // where it begins
	names  map[string]string
	out    []piece
	order  []piece // statements of the equivalent order
	notes  []Note
	hints  []int          // lines of remarks that speak of a session, and are no heading
	own    *testcase.Case // that the text is
	format string
}

func newPart(title string, line int) *part {
	return &part{title: title, line: line, names: map[string]string{}}
}

// session returns a session's name as it is compared, and remembers how the text writes it.
func (p *part) session(name string) string {
	tag := normal(name)
	if p.names[tag] == "" {
		p.names[tag] = strings.Clone(strings.Join(strings.Fields(name), " "))
	}
	return strings.Clone(tag)
}

func (p *part) note(line int, missing bool, format string, args ...any) {
	p.notes = append(p.notes, Note{line, fmt.Sprintf(format, args...), missing})
}

// tags are the sessions of what was read.
func (p *part) tags() (out []string) {
	for i := range p.out {
		if q := &p.out[i]; q.ofSession() && !slices.Contains(out, q.tag) {
			out = append(out, q.tag)
		}
	}
	return out
}

// ended says whether every transaction that has begun has ended.
func ended(list []piece) bool {
	open := map[string]bool{}
	for i := range list {
		switch sqltext.KindOf(list[i].sql) {
		case sqltext.Begin:
			open[list[i].tag] = true
		case sqltext.Commit, sqltext.Rollback:
			delete(open, list[i].tag)
		}
	}
	return len(open) == 0
}

// normalSQL is a statement's text as it is compared.
func normalSQL(sql string) string {
	return strings.ToLower(strings.Join(strings.Fields(lexer.Trim(sql)), " "))
}

func quote(s string) string {
	const limit = 40
	s = strings.TrimSpace(s)
	if r := []rune(s); len(r) > limit {
		s = string(r[:limit]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

func lineOf(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

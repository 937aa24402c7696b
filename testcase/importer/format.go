package importer

import (
	"fmt"
	"strings"
	"unicode/utf16"

	"txweave/sql/sqltext"
)

// Bounds of a text: how many statements and lines it may have.
const (
	maxStatements = 20000
	maxLines      = 100000
)

// format is a form in which schedules are written: its name, the signs by which it is told, and what reads it.
type format struct {
	name string
	is   func(s *source) bool
	read func(s *source) ([]*part, error)
}

// formats are tried in this order; the last one takes whatever is left.
var formats = []format{
	{"case", isOwn, readOwn},
	{"go", isGo, readGo},
	{"isolation-spec", isSpec, readSpec},
	{"mysqltest", isMTR, readMTR},
	{"sqllogictest", isLogicTest, readLogicTest},
	{"general-log", isGeneralLog, readGeneralLog},
	{"postgresql-log", isPostgresLog, readPostgresLog},
	{"table", isTableText, readTable},
	{"transcript", isTranscript, readTranscript},
	{"marks", isMarked, readMarked},
	{"sql", func(*source) bool { return true }, readPlain},
}

// firstOfText is the first of the formats that are statements with what tells their sessions: the others stand by
// themselves.
const firstOfText = 7

// Formats are the names of the formats that are read.
func Formats() (out []string) {
	for i := range formats {
		out = append(out, formats[i].name)
	}
	return out
}

// normalise makes a text one of UTF-8 with LF: what was pasted from elsewhere comes with a byte-order mark, other line
// ends, blanks that do not break and characters without a width. In literals these stay.
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
	s = strings.TrimPrefix(lineEnds.Replace(s), "\ufeff")
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if pasted.Replace(line) != line {
			lines[i] = outsideLiterals(line)
		}
		if strings.IndexAny(strings.TrimSpace(line), "┌├└│╔╠╚║╟") == 0 { // a drawn table
			lines[i] = drawn.Replace(lines[i])
		}
	}
	return strings.Join(lines, "\n")
}

// outsideLiterals replaces what was pasted in a line, but for its literals.
func outsideLiterals(line string) string {
	var b strings.Builder
	for t := range lexer.Tokens(line) {
		if t.Kind == sqltext.Literal {
			b.WriteString(t.Text)
		} else {
			b.WriteString(pasted.Replace(t.Text))
		}
	}
	return b.String()
}

// drawn are the characters that tables are drawn with.
var drawn = strings.NewReplacer("│", "|", "║", "|", "─", "-", "═", "-", "┌", "+", "┬", "+", "┐", "+", "├", "+", "┼",
	"+", "┤", "+", "└", "+", "┴", "+", "┘", "+",
	"╔", "+", "╦", "+", "╗", "+", "╠", "+", "╬", "+", "╣", "+", "╚", "+", "╩", "+", "╝", "+", "╟", "+", "╢", "+", "╫",
	"+", "╪", "+", "╤", "+", "╧", "+")

var (
	lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")
	pasted   = strings.NewReplacer("\ufeff", "", "\u200b", "", "\u2028", "\n", "\u00a0", " ", "\u3000", " ")
)

// read reads a text in the format that its signs tell, or that is asked for: a part for each schedule in it, at least
// one.
func read(name string, text []byte, o Options) ([]*part, error) {
	s := &source{name: name, target: o.Target, text: normalise(text),
		ansi: !sqltext.SyntaxOf(o.Target).Quoting.Backslash}
	if err := s.bounded(); err != nil {
		return nil, err
	}
	notes := append(s.unquoted(), s.withoutDeadlock()...)
	if f, err := fencesOf(s); err != nil {
		return nil, err
	} else if f != nil {
		text, more, err := f.unfenced(s)
		if err != nil {
			return nil, err
		}
		s.text, s.fences, notes = text, f, append(notes, more...)
	}
	notes = append(notes, s.straightened()...)
	s.withoutTimes()
	s.samePrompt()
	for i := range formats {
		f := &formats[i]
		if o.Format != f.name && (o.Format != "" || !f.is(s)) {
			continue
		}
		s.forced = o.Format != ""
		parts, err := f.read(s)
		if err != nil {
			return nil, err
		}
		parts[0].notes = append(notes, parts[0].notes...)
		for _, p := range parts {
			if p.waitOut(); s.fences != nil {
				s.fences.unended(p)
			}
		}
		return parts, s.check(parts, f.name)
	}
	return nil, fmt.Errorf("no format %q: %s", o.Format, strings.Join(Formats(), ", "))
}

// bounded refuses a text that is none, or larger than what people write.
func (s *source) bounded() error {
	if at := strings.IndexByte(s.text, 0); at >= 0 {
		return s.errorf(1+strings.Count(s.text[:at], "\n"), "it holds a zero byte: no text")
	}
	if strings.Count(s.text, "\n") > maxLines {
		return s.errorf(1, "more than %d lines: no report is that long", maxLines)
	}
	for i, line := range s.lines() {
		if len(line) > 2*sqltext.MaxLength {
			return s.errorf(i+1, "a line of %d bytes: a statement may have %d", len(line), sqltext.MaxLength)
		}
	}
	return nil
}

// check refuses schedules of more, or of larger, statements than people write, and notes the format.
func (s *source) check(parts []*part, format string) error {
	n := 0
	for _, p := range parts {
		p.format = format
		if n += len(p.out); n > maxStatements {
			return s.errorf(1, "more than %d statements: no report is that long", maxStatements)
		}
		for i := range p.out {
			if err := lexer.Bound(p.out[i].sql); err != nil {
				return s.errorf(p.out[i].line, "%s: %s", quote(p.out[i].sql), err)
			}
		}
	}
	return nil
}

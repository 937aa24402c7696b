package importer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"txweave/sql/sqltext"
)

// typographic are the quotes that word processors and trackers write for those of statements.
var typographic = strings.NewReplacer("‘", "'", "’", "'", "“", `"`, "”", `"`)

// straightened writes typographic quotes as those of statements, where a line has them in pairs: by itself one is an
// apostrophe. In literals they stay.
func (s *source) straightened() (notes []Note) {
	if typographic.Replace(s.text) == s.text {
		return nil
	}
	lines := s.lines()
	for i, line := range lines {
		var b strings.Builder
		quotes := 0
		for t := range lexer.Tokens(line) {
			text := t.Text
			if t.Kind != sqltext.Literal && t.Kind != sqltext.Comment {
				straight := typographic.Replace(text)
				quotes += strings.Count(straight, "'") + strings.Count(straight, `"`) - strings.Count(text, "'") -
					strings.Count(text, `"`)
				text = straight
			}
			b.WriteString(text)
		}
		if quotes > 0 && quotes%2 == 0 && holdsStatement(line) {
			lines[i] = b.String()
			notes = append(notes, Note{Line: i + 1,
				Text: fmt.Sprintf("typographic quotes are read as ' and \": %s", quote(line))})
		}
	}
	s.text = strings.Join(lines, "\n")
	return notes
}

// unquoted takes off the > in front of the lines of a mail that is answered, where most lines have one. What is written
// around these, and holds no statement, is not read.
func (s *source) unquoted() (notes []Note) {
	const deepest = 4 // answers to answers
	for range deepest {
		lines := s.lines()
		if !mostlyQuoted(lines) {
			return notes
		}
		var prose []string
		for i, line := range lines {
			inner, ok := strings.CutPrefix(line, ">")
			switch {
			case ok:
				lines[i] = strings.TrimPrefix(inner, " ")
			case strings.TrimSpace(line) != "" && !holdsStatement(line):
				lines[i] = ""
				prose = append(prose, strconv.Itoa(i+1))
			}
		}
		if len(prose) > 0 {
			notes = append(notes, Note{Line: 1, Text: "around what the mail quotes, not read: lines " +
				strings.Join(prose, ", ")})
		}
		s.text = strings.Join(lines, "\n")
	}
	return notes
}

// mostlyQuoted says whether most lines of a mail are of one that it answers, with statements among them.
func mostlyQuoted(lines []string) bool {
	filled, quoted, stated := 0, 0, false
	for _, line := range lines {
		if strings.TrimSpace(line) != "" {
			filled++
		}
		if inner, ok := strings.CutPrefix(line, ">"); ok {
			quoted++
			stated = stated || holdsStatement(inner) || strings.HasPrefix(strings.TrimLeft(inner, " "), ">")
		}
	}
	return stated && 2*quoted >= filled
}

// prose passes over sentences among statements of which each has its session's mark, or its prompt; false where none
// begin there. A session that they speak of is in doubt, and so is the one of the heading above them.
func (r *reader) prose() bool {
	before := strings.TrimSpace(r.text[:r.pos])
	if r.signs == (signs{}) || r.tag != "" || before != "" && !blankAbove(r.text[:r.pos]) &&
		(r.signs.prompts || !strings.HasSuffix(before, ";")) {
		return false
	}
	lines := r.paragraph()
	if len(lines) == 0 || before != "" && !isSentence(lines) && !takesLeave(lines[0]) {
		return false
	}
	first := r.lineAt(r.pos)
	for i, line := range lines {
		if speaks(line) || r.signs.marks && r.sticky != "" {
			r.hints = append(r.hints, first+i)
		}
		if w := strings.ToLower(line); strings.Contains(w, "commit") || strings.Contains(w, "roll") {
			r.endings = append(r.endings, first+i)
		}
		r.pos = min(r.pos+len(r.rest())+1, len(r.text))
	}
	r.note(first, false, "not read: %s", quote(lines[0]))
	return true
}

// paragraph are the lines from pos to a blank one, or to a statement with its mark; none where one of them may be
// something else than prose.
func (r *reader) paragraph() (lines []string) {
	for _, line := range strings.Split(r.text[r.pos:], "\n") {
		line = strings.TrimSpace(line)
		switch other := holdsStatement(line) || headingOf(line) != ""; {
		case line == "", r.signs.marks && other:
			return lines
		case other, strings.ContainsAny(line, ";|"), r.speaks(line), strings.IndexByte(`\.`, line[0]) >= 0,
			writesWithin(line):
			return nil
		}
		lines = append(lines, line)
	}
	return lines
}

// isSentence says whether lines end as sentences do, and have more than two words.
func isSentence(lines []string) bool {
	said := strings.Join(lines, " ")
	return strings.IndexByte(".:?!", said[len(said)-1]) >= 0 && len(strings.Fields(said)) > 2
}

// takesLeave says whether a text begins as the end of a mail does.
func takesLeave(text string) bool {
	word, _, _ := strings.Cut(strings.ToLower(strings.Fields(text)[0]), ",")
	return slices.Contains([]string{"thanks", "thank", "regards", "best", "kind", "cheers", "sincerely"}, word)
}

// writesWithin says whether a sentence has a statement in it that makes a table, or writes rows.
func writesWithin(line string) bool {
	for i := range line {
		if i == 0 || isLetter(line[i-1]) {
			continue
		}
		w := append(words(line[i:], 5), make([]string, 5)...)
		if defines(line[i:]) || w[0] == "UPDATE" && w[2] == "SET" && w[4] == "=" ||
			w[0] == "DELETE" && w[1] == "FROM" && w[3] == "WHERE" {
			return true
		}
	}
	return false
}

// unended notes the sentences that speak of the end of a transaction, where one is left open.
func (r *reader) unended() {
	for _, line := range r.endings {
		if !ended(r.out) {
			r.note(line, true, "it speaks of the end of a transaction, and one is never ended by a statement")
		}
	}
}

// withoutTimes blanks a time in front of a session's mark.
func (s *source) withoutTimes() {
	lines := s.lines()
	for i, line := range lines {
		rest := strings.TrimLeft(line, " \t")
		for range 2 { // a date, and a time
			field, after, _ := strings.Cut(rest, " ")
			if !isTimeMark(field) {
				break
			}
			rest = strings.TrimLeft(after, " \t-|")
		}
		if m := frontMark(rest); m.length > 0 && len(rest) < len(strings.TrimLeft(line, " \t")) && begins(rest[m.length:]) {
			lines[i] = rest
		}
	}
	s.text = strings.Join(lines, "\n")
}

// samePrompt writes the prompt of a client that shows the database alone (test> …) as one that is known, in a text
// whose headings name the sessions and which has that one name in front of every statement.
func (s *source) samePrompt() {
	lines, name, headed := s.lines(), "", false
	var at []int
	for i, line := range lines {
		m := wordMark.FindStringSubmatch(line)
		headed = headed || headingOf(line) != ""
		switch {
		case m == nil || m[2] != ">" || !begins(line[len(m[0]):]):
		case noNames[m[1]] || isSession(m[1]) || isShort(m[1]) || name != "" && name != m[1]:
			return
		default:
			name, at = m[1], append(at, i)
		}
	}
	if !headed || len(at) < 2 {
		return
	}
	for _, i := range at {
		lines[i] = "sql" + lines[i][len(name):]
	}
	s.text = strings.Join(lines, "\n")
}

// isTimeMark says whether a word is a date or a time, maybe in brackets.
func isTimeMark(word string) bool {
	bare := strings.Trim(word, "[](),:")
	digits := strings.Count(strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '0'
		}
		return r
	}, bare), "0")
	return digits >= 3 && strings.Trim(bare, "0123456789:.,-+TZ") == "" && strings.ContainsAny(bare[1:], ":-")
}

package importer

import (
	"fmt"
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

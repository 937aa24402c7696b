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

// clientsOwn are commands of psql that change what it prints, and no statement.
var clientsOwn = strings.Fields(`\echo \qecho \warn \timing \x \pset \conninfo \a \t \H \errverbose \h \? \l \d \dt \d+ \di`)

// shownVariables are the variables of psql, in capitals, that do so.
var shownVariables = strings.Fields("VERBOSITY ECHO ON_ERROR_STOP SHOW_CONTEXT QUIET PROMPT1 PROMPT2 HISTCONTROL FETCH_COUNT")

// clients takes a command of psql that is about what it prints; false for another line.
func (r *reader) clients(line string) bool {
	w := strings.Fields(line)
	if len(w) == 0 || line[0] != '\\' {
		return false
	}
	shows := false
	for _, own := range clientsOwn {
		shows = shows || w[0] == own
	}
	for _, name := range shownVariables {
		shows = shows || w[0] == `\set` && len(w) > 1 && w[1] == name
	}
	if shows {
		r.note(r.lineAt(r.pos), false, "left out, as it is about what the client prints: %s", quote(line))
	}
	return shows
}

// bind puts the values of psql's \bind into a statement; false where they are not its parameters.
func bind(sql string) (string, bool) {
	at := strings.Index(sql, `\bind `)
	if at < 0 {
		return sql, !strings.Contains(sql, `\bind`)
	}
	var values []string
	for t := range lexer.Tokens(sql[at+len(`\bind `):]) {
		switch {
		case t.Kind == sqltext.Blank:
		case t.Kind == sqltext.Literal:
			values = append(values, t.Text)
		default:
			values = append(values, "'"+strings.ReplaceAll(t.Text, "'", "''")+"'")
		}
	}
	n := 0
	return putIn(strings.TrimSpace(sql[:at]), func(mark string) (string, bool) {
		if _, err := fmt.Sscanf(mark, "$%d", &n); err != nil || n < 1 || n > len(values) {
			return mark, false
		}
		return values[n-1], true
	})
}

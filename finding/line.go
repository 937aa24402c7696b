package finding

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLine is how many bytes of a text that a server wrote are shown on a line.
const maxLine = 4000

// Line makes a text that a server, or a file, wrote fit to be shown on one line of a terminal or of a report: control
// characters, which could move the cursor or end the line, become visible, what is no UTF-8 is written in hex, and what
// is too long is cut.
func Line(text string) string {
	cut := ""
	if len(text) > maxLine {
		end := maxLine
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		cut = fmt.Sprintf("… (%d bytes more)", len(text)-end)
		text = text[:end]
	}
	if !strings.ContainsFunc(text, strange) && utf8.ValidString(text) {
		return text + cut
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && text[i] != "\uFFFD"[0]:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r == '\n':
			b.WriteString(`\n`)
		case strange(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + cut
}

// strange says whether a character does something to a terminal, or hides in a text.
func strange(r rune) bool {
	return r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == utf8.RuneError || r == '\u2028' ||
		r == '\u2029')
}

// ErrorLine is Line for an error: the lines of one that has several stand one after the other.
func ErrorLine(err error) string {
	return Line(strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' }), "; "))
}

// Count prints a number of things: 0 rows, 1 row, 2 rows.
func Count[N int | int64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

package output

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// TestShownDoesNothingToATerminal: whatever is written, and in whatever pieces, no character of what is shown moves a
// cursor or hides, and a text without such characters is shown as it is.
func TestShownDoesNothingToATerminal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"\x1b[2J", "\x1b]0;x\a", "\r", "\u009b2J", "\u202e",
			"\xff\xfe", "ä\xe2\x82", "ein Text\tmit\nZeilen, 二", "\U000e0001"}),
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
		var b strings.Builder
		s := Show(&b)
		for left := text; left != ""; {
			n := rapid.IntRange(1, len(left)).Draw(t, "piece")
			if got, err := s.Write([]byte(left[:n])); err != nil || got != n {
				t.Fatal(got, err)
			}
			left = left[n:]
		}
		if err := s.Flush(); err != nil {
			t.Fatal(err)
		}
		got := b.String()
		harmful := func(r rune) bool {
			return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r))
		}
		if strings.ContainsFunc(got, harmful) || !utf8.ValidString(got) {
			t.Fatalf("%q", got)
		}
		if clean := utf8.ValidString(text) && !strings.ContainsFunc(text, acts); clean && got != text {
			t.Fatalf("%q, want %q", got, text)
		} else if got != Clean(text) {
			t.Fatalf("%q in pieces, %q as a whole", got, Clean(text))
		}
	})
}

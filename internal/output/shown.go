package output

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Shown writes what people read: characters that would do something to a terminal, or hide in a text, become visible,
// whoever wrote them. Line breaks and tabs stay. What is a terminal goes through one; a file, or a pipe, takes what is
// printed as it is.
type Shown struct {
	to   io.Writer
	file *os.File // nil: it is no file

	mu   sync.Mutex
	left []byte // the beginning of a character
}

// Show returns a writer that shows what it writes to another one.
func Show(w io.Writer) *Shown {
	f, _ := w.(*os.File)
	return &Shown{to: w, file: f}
}

// Terminal is the file, most often a terminal, that a writer shows something in, or is; ok is false where there is
// none. Whoever moves a terminal's cursor writes to it, and Clean texts alone.
func Terminal(w io.Writer) (f *os.File, ok bool) {
	if s, is := w.(*Shown); is {
		return s.file, s.file != nil
	}
	f, ok = w.(*os.File)
	return f, ok
}

// Write shows a text.
func (s *Shown) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := append(s.left, p...)
	end := len(text)
	for i := end - 1; i >= max(0, end-utf8.UTFMax); i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRune(text[i:]) {
				end = i
			}
			break
		}
	}
	s.left = bytes.Clone(text[end:])
	if _, err := io.WriteString(s.to, Clean(string(text[:end]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush shows what began as a character and did not go on.
func (s *Shown) Flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := Clean(string(s.left))
	s.left = nil
	_, err := io.WriteString(s.to, text)
	return err
}

// Clean makes visible in a text what Shown does.
func Clean(text string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, acts) {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case acts(r) && r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		case acts(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// acts says whether a character does something to a terminal, or hides in a text.
func acts(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029')
}

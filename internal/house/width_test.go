package house

import (
	"bytes"
	"go/scanner"
	"go/token"
	"os"
	"testing"
	"unicode/utf8"
)

// columns is how wide a line of code is at most. One that holds a text of more than long bytes may be wider: statements
// and expected outputs are not divided.
const (
	columns = 120
	long    = 50
)

// TestWidth holds lines to columns.
func TestWidth(t *testing.T) {
	goFiles(t, func(path string) error {
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text := literalLines(src)
		for i, line := range bytes.Split(src, []byte("\n")) {
			if n := utf8.RuneCount(line); n > columns && !text[i+1] {
				t.Errorf("%s:%d has %d columns, more than %d", path, i+1, n, columns)
			}
		}
		return nil
	})
}

// literalLines are the lines, from 1, that a literal in backquotes, or one of more than long bytes, stands on.
func literalLines(src []byte) map[int]bool {
	files := token.NewFileSet()
	f := files.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(f, src, nil, 0)
	out := map[int]bool{}
	for {
		pos, kind, text := s.Scan()
		if kind == token.EOF {
			return out
		}
		if kind != token.STRING {
			continue
		}
		at := f.Position(pos)
		if text[0] == '`' {
			for i := range bytes.Count([]byte(text), []byte("\n")) + 1 {
				out[at.Line+i] = true
			}
		} else if len(text) > long {
			out[at.Line] = true
		}
	}
}

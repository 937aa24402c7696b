package sqlite_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"txweave/internal/testkit/trees"
)

// TestHostileTextsAreReadOrRefused: what nests or goes on without end is read as far as the bounds let it.
func TestHostileTextsAreReadOrRefused(t *testing.T) { trees.Hostile(t, dialect) }

// FuzzParse: whatever the text, it is read or refused; what is read prints its bytes, and printed anew reads as the same tree.
func FuzzParse(f *testing.F) {
	paths, err := filepath.Glob(filepath.Join("testdata", "golden", "*"))
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSuffix(line, "\n"); !strings.HasPrefix(line, "(") && line != "" {
				f.Add(strings.TrimPrefix(line, "  "))
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		if stmt, err := dialect.Parse(text); err == nil {
			trees.Read(t, dialect, stmt, text)
		}
	})
}

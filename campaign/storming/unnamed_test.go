package storming

import (
	"os"
	"testing"
)

// TestNameless: what is written to a trace is read again, and the directory shows nothing of it at any time.
func TestNameless(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	f, err := nameless()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("%v %v", entries, err)
	}
	text := make([]byte, 3)
	if _, err := f.Write([]byte("abc")); err != nil {
		t.Fatal(err)
	}
	if _, err := f.ReadAt(text, 0); err != nil || string(text) != "abc" {
		t.Errorf("%q %v", text, err)
	}
}

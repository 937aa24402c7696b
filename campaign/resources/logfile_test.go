package resources

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// TestLogFile: a log keeps the latest entries, each whole, in as many files as it may have, also when many write and it
// is opened anew.
func TestLogFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	const size, keep = 1000, 2
	for start := range 3 {
		l, err := OpenLog(path, size, keep)
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for w := range 4 {
			wg.Go(func() {
				for i := range 25 {
					if _, err := fmt.Fprintf(l, "start %d writer %d entry %02d .............\n", start, w, i); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	list, err := filepath.Glob(path + "*")
	if err != nil || len(list) != keep+1 {
		t.Fatalf("%v: %v", list, err)
	}
	lines := 0
	for _, name := range list {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if st, err := os.Stat(name); err != nil || st.Mode().Perm() != 0o600 || len(text) > size {
			t.Errorf("%s: %d bytes, %v: %v", name, len(text), st.Mode(), err)
		}
		for line := range strings.Lines(string(text)) {
			if lines++; !strings.HasPrefix(line, "start 2 ") || !strings.HasSuffix(line, ".............\n") {
				t.Errorf("%s: %q", name, line)
			}
		}
	}
	if lines < 2*size/50 {
		t.Errorf("%d lines are kept", lines)
	}
}

// TestLogFileStuck: where older files cannot be moved the latest entries are kept all the same, and no more of the disk
// is taken.
func TestLogFileStuck(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if err := os.MkdirAll(filepath.Join(path+".1", "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	const size = 200
	l, err := OpenLog(path, size, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for i := range 100 {
		if _, err := fmt.Fprintf(l, "entry %02d ..........\n", i); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil || len(text) > size || !strings.HasPrefix(string(text), "entry ") || !strings.HasSuffix(string(text),
		"entry 99 ..........\n") {
		t.Errorf("%q, %v", text, err)
	}
}

// TestLogFileLeadsNowhereElse: a link, or a pipe, in the place of a log is refused.
func TestLogFileLeadsNowhereElse(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("elsewhere", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"link", "pipe"} {
		if l, err := OpenLog(filepath.Join(dir, name), 200, 1); err == nil {
			t.Errorf("%s: it is written to", name)
			_ = l.Close()
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, "elsewhere")); err == nil {
		t.Error("a file was made elsewhere")
	}
}

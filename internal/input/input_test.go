package input

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// pipe makes a pipe with a name.
func pipe(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestRead reads every kind of file that a user may name.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	huge := file("huge", "")
	if err := os.Truncate(huge, 5<<30); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, want, wrong string }{
		{file("text", "abc"), "abc", ""},
		{file("empty", ""), "", ""},
		{file("full", strings.Repeat("x", 8)), strings.Repeat("x", 8), ""},
		{file("larger", strings.Repeat("x", 9)), "", "larger is larger than 0 KiB"},
		{huge, "", "huge is larger than 0 KiB"},
		{os.DevNull, "", ""},
		{"/dev/zero", "", "read /dev/zero: is a device"},
		{"/dev/urandom", "", "is a device"},
		{dir, "", "is a directory"},
		{filepath.Join(dir, "none"), "", "no such file"},
		{filepath.Join(dir, "text", "below"), "", "not a directory"},
	} {
		text, err := Read(t.Context(), c.path, 8)
		if c.wrong == "" && (err != nil || string(text) != c.want) || c.wrong != "" &&
			(err == nil || !strings.Contains(err.Error(), c.wrong)) {
			t.Errorf("%s: %q, %v; want %q, %q", c.path, text, err, c.want, c.wrong)
		}
	}
}

// TestPipe reads pipes: one that a writer comes to late and fills slowly, one that is larger than allowed and never
// ends, one that nobody writes, and one whose writer says nothing.
func TestPipe(t *testing.T) {
	write := func(path string, texts ...string) {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close()
		for _, text := range texts {
			time.Sleep(3 * turn * time.Millisecond)
			if _, err := f.WriteString(text); err != nil && !errors.Is(err, unix.EPIPE) {
				t.Error(err)
			}
		}
	}
	path := pipe(t)
	go func() {
		time.Sleep(3 * turn * time.Millisecond)
		write(path, "ab", "c")
	}()
	if text, err := Read(t.Context(), path, 8); err != nil || string(text) != "abc" {
		t.Errorf("%q, %v: want abc", text, err)
	}
	path = pipe(t)
	go write(path, "0123456789", "0123456789")
	if _, err := Read(t.Context(), path, 8); err == nil || !strings.Contains(err.Error(), "larger") {
		t.Errorf("a pipe with more than allowed: %v", err)
	}
	for _, silent := range []bool{false, true} {
		path = pipe(t)
		if silent {
			keep, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer keep.Close()
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*turn*time.Millisecond)
		defer cancel()
		_, err := Read(ctx, path, 8)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a pipe without data (writer %t): %v", silent, err)
		}
	}
}

// TestStdin reads what comes by standard input.
func TestStdin(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	old := os.Stdin
	os.Stdin = r
	defer func() { os.Stdin = old }()
	go func() {
		time.Sleep(3 * turn * time.Millisecond)
		w.WriteString("abc")
		w.Close()
	}()
	if text, err := Read(t.Context(), Stdin, 8); err != nil || string(text) != "abc" {
		t.Errorf("%q, %v: want abc", text, err)
	}
}

// TestKept: in a directory that may be a stranger's regular files are read, and nothing else.
func TestKept(t *testing.T) {
	dir := t.TempDir()
	text, link := filepath.Join(dir, "text"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(text, []byte("abc"), 0o600), os.Symlink(text, link)); err != nil {
		t.Fatal(err)
	}
	if got, err := Kept(text, 3); err != nil || string(got) != "abc" {
		t.Errorf("%q, %v", got, err)
	}
	for _, path := range []string{link, dir, pipe(t), "/dev/zero"} {
		if _, err := Kept(path, 3); err == nil || !strings.Contains(err.Error(), "is not a regular file") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := Kept(text, 2); err == nil || !strings.Contains(err.Error(), "larger") {
		t.Errorf("larger than allowed: %v", err)
	}
	if _, err := Kept(filepath.Join(dir, "none"), 2); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("one that is not there: %v", err)
	}
}

package output

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
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

// large is more than a pipe takes.
var large = bytes.Repeat([]byte("0123456789abcdef"), 1<<14)

// ways are the ways to write a text to a file that is named.
var ways = map[string]func(context.Context, string, []byte) error{"File": File, "Replace": Replace,
	"Append": func(ctx context.Context, path string, text []byte) error {
		w, err := Append(ctx, path)
		if err != nil {
			return err
		}
		_, err = w.Write(text)
		return errors.Join(err, w.Close())
	}}

// TestPipe writes to pipes: one whose reader comes late and reads slowly, one that nobody reads, and one whose reader
// has stopped.
func TestPipe(t *testing.T) {
	for name, write := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := pipe(t)
			read := make(chan []byte, 1)
			go func() {
				time.Sleep(200 * time.Millisecond)
				text, _ := os.ReadFile(path)
				read <- text
			}()
			if err := write(t.Context(), path, large); err != nil {
				t.Fatal(err)
			}
			if text := <-read; !bytes.Equal(text, large) {
				t.Errorf("%d bytes arrived of %d", len(text), len(large))
			}
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			if err := write(ctx, path, large); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(),
				"nobody reads it") {
				t.Errorf("nobody reads it: %v", err)
			}
			silent, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer silent.Close()
			if err := write(ctx, path, large); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(),
				"does not read") {
				t.Errorf("its reader does not read: %v", err)
			}
			if st, err := os.Lstat(path); err != nil || st.Mode()&fs.ModeNamedPipe == 0 {
				t.Errorf("it is a pipe no more: %v, %v", st.Mode(), err)
			}
		})
	}
}

// TestPatience: without a context that ends a pipe is waited for all the same only for so long.
func TestPatience(t *testing.T) {
	defer func(was time.Duration) { patience = was }(patience)
	patience = 200 * time.Millisecond
	path := pipe(t)
	if err := File(t.Context(), path, large); err == nil || !strings.Contains(err.Error(), "nobody reads it, for ") {
		t.Error(err)
	}
	silent, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	if err := File(t.Context(), path, large); err == nil || !strings.Contains(err.Error(),
		"its reader does not read, for ") {
		t.Error(err)
	}
}

// TestStandard: what is said when the context has ended arrives where somebody reads, and is not waited for else.
func TestStandard(t *testing.T) {
	r, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer to.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := Standard(ctx, to)
	if _, err := w.Write([]byte("the last words")); err != nil {
		t.Error(err)
	}
	if n, err := w.Write(large); !errors.Is(err, context.Canceled) || n == 0 {
		t.Errorf("%d, %v", n, err)
	}
}

// TestReplace: a link leads on, a file that cannot be replaced is as it was, and nothing is left beside it.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Replace(t.Context(), link, []byte("after")); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "after" {
		t.Errorf("%q, %v", text, err)
	}
	if st, err := os.Lstat(link); err != nil || st.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	if err := Replace(t.Context(), dir, []byte("x")); err == nil {
		t.Error("a directory was replaced")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("%v, %v", left, err)
	}
}

// TestCheck: what cannot be written is known before.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, good := range map[string]bool{file: true, filepath.Join(dir, "new"): true, os.DevNull: true,
		pipe(t): true, dir: false,
		filepath.Join(dir, "none", "new"): false, filepath.Join(file, "below"): false} {
		if err := Check(path); (err == nil) != good {
			t.Errorf("%s: %v", path, err)
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "kept" {
		t.Errorf("%q, %v", text, err)
	}
}

// Package output writes the files that a user names, and standard output. Any of them may be a pipe that nobody reads,
// a device, or a link: a write waits no longer than its context and for no reader that does not come, and what is no
// regular file is written to and never replaced.
package output

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// patience is how long a pipe with a name is waited for that nobody opens, or whose reader does not read: what comes
// after it is not to wait for ever.
var patience = 2 * time.Minute // a variable for tests

const (
	turn  = 50          // ms that a write waits before it looks at its context again
	grace = time.Second // for what is still to be said when the context has ended
	part  = 4096        // bytes that a pipe takes at once or not at all where it is ready (POSIX: PIPE_BUF)
)

// Writer writes a file from its beginning to its end.
type Writer struct {
	name     string // as errors call it
	ctx      context.Context
	file     *os.File
	asks     bool          // it may have no room now
	patience time.Duration // 0: as long as the context

	mu    sync.Mutex // several goroutines say something
	since time.Time  // when the file took something last, or a write began
	ended time.Time  // when the context was first seen to have ended, and nothing was taken since
}

// Create opens a file anew. A pipe is waited for until somebody reads it. Errors are of type *fs.PathError.
func Create(ctx context.Context, path string) (*Writer, error) { return open(ctx, path, os.O_TRUNC) }

// Append opens a file at its end.
func Append(ctx context.Context, path string) (*Writer, error) { return open(ctx, path, os.O_APPEND) }

func open(ctx context.Context, path string, how int) (*Writer, error) {
	w := &Writer{name: path, ctx: ctx, patience: patience}
	for w.since = time.Now(); ; {
		// Without O_NONBLOCK open itself waits for the reader of a pipe, where nothing but the process's end reaches it.
		f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|unix.O_NONBLOCK|how, 0o644)
		switch {
		case err == nil:
			w.file = f
			st, err := f.Stat()
			if err != nil {
				return nil, errors.Join(err, f.Close())
			}
			w.asks = !st.Mode().IsRegular()
			return w, nil
		case !errors.Is(err, unix.ENXIO) || !isPipe(path):
			return nil, err
		}
		if err := w.wait("nobody reads it"); err != nil {
			return nil, err
		}
		time.Sleep(turn * time.Millisecond)
	}
}

// Standard writes to a file that is open, standard output or standard error. Its reader is waited for as long as it
// likes, until the context ends.
func Standard(ctx context.Context, f *os.File) *Writer {
	w := &Writer{name: f.Name(), ctx: ctx, file: f}
	st, err := f.Stat()
	w.asks = err == nil && !st.Mode().IsRegular()
	return w
}

// Waits says whether what reads the other end may stop: it is a pipe or the like, and no file and no terminal.
func (w *Writer) Waits() bool {
	st, err := w.file.Stat()
	return err == nil && st.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0
}

func isPipe(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode()&fs.ModeNamedPipe != 0
}

// wait says why there is no more waiting; nil while there is.
func (w *Writer) wait(why string) error {
	now := time.Now()
	if err := w.ctx.Err(); err != nil {
		if w.ended.IsZero() {
			w.ended = now
		}
		if now.Sub(w.ended) >= grace {
			return &fs.PathError{Op: "write", Path: w.name, Err: fmt.Errorf("%s: %w", why, err)}
		}
	}
	if waited := now.Sub(w.since); w.patience > 0 && waited > w.patience {
		return &fs.PathError{Op: "write", Path: w.name, Err: fmt.Errorf("%s, for %s", why, waited.Round(time.Second))}
	}
	return nil
}

// Write writes all of p. It waits for as long as there is no room, or until the context ends.
func (w *Writer) Write(p []byte) (n int, err error) {
	if !w.asks {
		return w.file.Write(p)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.since = time.Now(); n < len(p); {
		if !w.ready() {
			if err := w.wait("its reader does not read"); err != nil {
				return n, err
			}
			continue
		}
		got, err := w.file.Write(p[n:min(len(p), n+part)])
		if n += got; got > 0 {
			w.since, w.ended = time.Now(), time.Time{}
		}
		if err != nil && !errors.Is(err, unix.EAGAIN) {
			return n, err
		}
	}
	return n, nil
}

// ready waits for a turn until there is room for a part, or an error to be told.
func (w *Writer) ready() bool {
	n, err := 1, error(nil)
	if c, cerr := w.file.SyscallConn(); cerr == nil { // File.Fd would make its writes wait again
		_ = c.Control(func(fd uintptr) { // a closed file, which the write after it tells
			n, err = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, turn)
		})
	}
	return n > 0 || err != nil && !errors.Is(err, unix.EINTR)
}

// Close closes the file.
func (w *Writer) Close() error { return w.file.Close() }

// File writes a file that holds a text.
func File(ctx context.Context, path string, text []byte) error {
	w, err := Create(ctx, path)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return errors.Join(err, w.Close())
}

// Replace writes a file that holds a text, the whole of it or none: what was there is there until then. What is no
// regular file, a device or a pipe, is written to; a link goes on leading where it leads.
func Replace(ctx context.Context, path string, text []byte) error {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		return File(ctx, path, text)
	}
	made := fmt.Sprintf("%s.%d.tmp", path, os.Getpid())
	f, err := os.OpenFile(made, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(made, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(made))
	}
	return nil
}

// Check reports what would keep a file from being written that is to be written later, when the work is done. It writes
// nothing.
func Check(path string) error {
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		path = filepath.Dir(path)
		if st, err := os.Stat(path); err != nil || !st.IsDir() {
			return &fs.PathError{Op: "write", Path: path, Err: errors.New("no such directory")}
		}
	case err != nil:
		return err
	case st.IsDir():
		return &fs.PathError{Op: "write", Path: path, Err: errors.New("is a directory")}
	}
	if err := unix.Access(path, unix.W_OK); err != nil {
		return &fs.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}

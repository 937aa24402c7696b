// Package input reads the files that a user names. Any of them may be a pipe that nobody writes, a device that never
// ends, a directory, or larger than memory: each read ends with its context, and is bounded.
package input

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/mattn/go-isatty"
	"golang.org/x/sys/unix"
)

// Stdin is the path of standard input.
const Stdin = "-"

// standard is what standard input is called in errors.
const standard = "standard input"

// MaxLine is how long a line may be of a file that is read line by line, in bytes.
const MaxLine = 64 << 20

// Sizes, in bytes, that no file of a kind has which is what it should be.
const (
	Secret = 64 << 10  // a data source name, a token: one line
	Config = 16 << 20  // what people write
	Report = 256 << 20 // what a program wrote and is read whole
	Trace  = 4 << 30   // what clients recorded and is read whole
)

// Reader reads a file from its beginning to its end.
type Reader struct {
	Name string // as errors call it
	Size int64  // in bytes; 0 where the file does not tell

	ctx  context.Context // ends what waits for a writer
	file *os.File
	asks bool // the file may have nothing to read now
}

// Open opens a file, or standard input for "-". Where nobody writes to a pipe yet, the first Read waits for it. Errors
// are of type *fs.PathError: of a file that is not there or cannot be read, of a directory, of a device that has no
// end.
func Open(ctx context.Context, path string) (*Reader, error) {
	r := &Reader{Name: path, ctx: ctx, file: os.Stdin}
	if path == Stdin {
		r.Name = standard
	} else {
		// Without O_NONBLOCK open itself waits for the writer of a pipe, where nothing but the process's end reaches it.
		f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
		if err != nil {
			return nil, err
		}
		r.file = f
	}
	if err := r.look(); err != nil {
		r.Close()
		return nil, &fs.PathError{Op: "read", Path: r.Name, Err: err}
	}
	return r, nil
}

// look says what is wrong with the kind of the file, and learns its size.
func (r *Reader) look() error {
	st, err := r.file.Stat()
	if err != nil {
		return plain(err)
	}
	switch mode := st.Mode(); {
	case mode.IsRegular():
		r.Size = st.Size()
	case mode.IsDir():
		return errors.New("is a directory")
	case mode&fs.ModeDevice == 0 || ends(r.file):
		r.asks = true
	default:
		return errors.New("is a device")
	}
	return nil
}

// ends says whether a device has an end: a terminal, where somebody types it, and /dev/null.
func ends(f *os.File) bool {
	null, err := os.Stat(os.DevNull)
	if err != nil {
		return false
	}
	st, err := f.Stat()
	if err == nil && os.SameFile(null, st) {
		return true
	}
	tty := false
	descriptor(f, func(fd uintptr) { tty = isatty.IsTerminal(fd) })
	return tty
}

// descriptor gives a file's descriptor to do. File.Fd would make its reads wait again.
func descriptor(f *os.File, do func(fd uintptr)) {
	if c, err := f.SyscallConn(); err == nil {
		_ = c.Control(do) // a closed file, which the read after it tells
	}
}

// Read reads what comes next. It waits for as long as there is nothing and somebody may write, or until the context
// ends.
func (r *Reader) Read(p []byte) (int, error) {
	for {
		if err := r.ctx.Err(); err != nil {
			return 0, &fs.PathError{Op: "read", Path: r.Name, Err: err}
		}
		if r.asks && !r.ready() {
			continue
		}
		n, err := r.file.Read(p)
		if n == 0 && errors.Is(err, unix.EAGAIN) { // another reader of the pipe was faster
			continue
		}
		return n, err
	}
}

// turn is how long a read waits before it looks at its context again, in milliseconds.
const turn = 50

// ready waits for a turn until there is something to read: data, or the end. Before a pipe's first writer has come
// there is neither, while a read would tell an end.
func (r *Reader) ready() bool {
	n, err := 1, error(nil)
	descriptor(r.file, func(fd uintptr) {
		n, err = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, turn)
	})
	return n > 0 || err != nil && !errors.Is(err, unix.EINTR)
}

// Close closes the file; standard input stays open.
func (r *Reader) Close() {
	if r.file != os.Stdin {
		_ = r.file.Close() // it was only read
	}
}

// Read returns what a file of at most limit bytes holds, or standard input for "-".
func Read(ctx context.Context, path string, limit int64) ([]byte, error) {
	r, err := Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if r.Size > limit {
		return nil, larger(r.Name, limit)
	}
	return limited(r.Name, r, limit)
}

// Kept returns what a regular file of at most limit bytes holds which lies in a directory that may be a stranger's. A
// link would put into reports what lies elsewhere, and a pipe is not waited for. Its error is fs.ErrNotExist where
// there is none.
func Kept(path string, limit int64) ([]byte, error) {
	f, err := OpenKept(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return limited(path, f, limit)
}

// OpenKept opens such a file.
func OpenKept(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, unix.ELOOP) {
		return nil, irregular(path)
	}
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = irregular(path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func irregular(path string) error { return fmt.Errorf("%s is not a regular file", path) }

func limited(name string, r io.Reader, limit int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(text)) > limit {
		return nil, larger(name, limit)
	}
	return text, err
}

func larger(name string, limit int64) error {
	if limit < 1<<20 {
		return fmt.Errorf("%s is larger than %d KiB", name, limit>>10)
	}
	return fmt.Errorf("%s is larger than %d MiB", name, limit>>20)
}

// Line reads up to the next '\n' and with it, as bufio.Reader.ReadBytes does, but for a line of more than limit bytes,
// which is refused.
func Line(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if line = append(line, part...); len(line) > limit {
			return nil, fmt.Errorf("longer than %d MiB", limit>>20)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// plain drops the operation and the path from a file system's error.
func plain(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

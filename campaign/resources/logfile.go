package resources

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
)

// LogFile is a file that is written at its end and never takes more of the disk than so much: where it would, it
// becomes path.1, what that was path.2, and so on. Its methods may be called by many goroutines.
type LogFile struct {
	path string
	size int64 // of each file, in bytes
	keep int   // older files

	mu   sync.Mutex
	file *os.File
	n    int64
}

// OpenLog opens a log, which nobody but the user can read, or goes on with it.
func OpenLog(path string, size int64, keep int) (*LogFile, error) {
	l := &LogFile{path: path, size: size, keep: keep}
	return l, l.open()
}

func (l *LogFile) open() error {
	// A link in a directory of somebody else's could lead to any file of the user's.
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return err
	}
	st, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	if !st.Mode().IsRegular() {
		return errors.Join(fmt.Errorf("%s is not a file", l.path), f.Close())
	}
	l.file, l.n = f, st.Size()
	return nil
}

// Write writes what is one entry: it is not divided between files.
func (l *LogFile) Write(entry []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.n > 0 && l.n+int64(len(entry)) > l.size {
		if err := l.rotate(); err != nil { // the latest entries are worth more than those that cannot be moved
			if err := l.file.Truncate(0); err != nil {
				return 0, err
			}
			l.n = 0
		}
	}
	n, err := l.file.Write(entry)
	l.n += int64(n)
	return n, err
}

// rotate makes each file the next older one. The file that is open stays in use if that fails, and where there is no
// new one to be had.
func (l *LogFile) rotate() error {
	for i := l.keep - 1; i >= 0; i-- {
		from := l.path
		if i > 0 {
			from = fmt.Sprintf("%s.%d", l.path, i)
		}
		if err := os.Rename(from, fmt.Sprintf("%s.%d", l.path, i+1)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	old := l.file
	if err := l.open(); err != nil {
		l.n = 0 // it is tried again when as much has been written
		return nil
	}
	return old.Close()
}

// Close closes the file.
func (l *LogFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Close()
}

package storming

import (
	"os"

	"golang.org/x/sys/unix"
)

// unnamed makes a file that never has a name in a directory; nil where its file system has no such thing.
func unnamed(dir string) *os.File {
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil
	}
	return os.NewFile(uintptr(fd), "trace")
}

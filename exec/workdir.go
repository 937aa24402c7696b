package exec

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	workPrefix = "txweave-"
	lockName   = "owner.lock"
	roomNeeded = 256 << 20 // bytes; a data directory takes 33 to 150 MB
)

// inTheMaking is how long a directory may be without its lock: it is there within milliseconds.
const inTheMaking = 10 * time.Minute

// WorkDir is a private directory that a lock marks as in use as long as its owner lives.
type WorkDir struct {
	Path string
	lock *os.File
}

// NewWorkDir makes a directory in memory where there is a tmpfs with room, else in the temporary directory. It
// first sweeps away those that killed processes of this user left behind.
func NewWorkDir() (*WorkDir, error) {
	var errs []error
	for _, base := range []string{"/dev/shm", os.TempDir()} {
		if st, err := os.Stat(base); err != nil || !st.IsDir() {
			continue
		}
		sweep(base)
		if free, _, err := FileSystem(base); err != nil || free < roomNeeded {
			errs = append(errs, fmt.Errorf("%s has less than %d MB of room", base, roomNeeded>>20))
			continue
		}
		w, err := makeWorkDir(base)
		if err == nil {
			return w, nil
		}
		errs = append(errs, err)
	}
	return nil, fmt.Errorf("%w: no place for a private server: %w", ErrUnavailable, errors.Join(errs...))
}

func makeWorkDir(base string) (*WorkDir, error) {
	path, err := os.MkdirTemp(base, fmt.Sprintf("%s%d-", workPrefix, os.Getuid()))
	if err != nil {
		return nil, err
	}
	// The lock gets its name once it is held: one that could be taken is a dead owner's.
	made := filepath.Join(path, lockName+".new")
	lock, err := os.OpenFile(made, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(path))
	}
	err = unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		err = os.Rename(made, filepath.Join(path, lockName))
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close(), os.RemoveAll(path))
	}
	return &WorkDir{Path: path, lock: lock}, nil
}

// Remove removes the directory with all that is in it.
func (w *WorkDir) Remove() error {
	err := os.RemoveAll(w.Path)
	return errors.Join(err, w.lock.Close())
}

// FileSystem says of the file system in which a path lies how many bytes of it may still be used, and whether it is
// known to be in memory.
func FileSystem(path string) (free uint64, memory bool, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return 0, false, err
	}
	return uint64(st.Bavail) * uint64(st.Bsize), inMemory(&st), nil
}

// sweep removes the directories under base whose owner is gone, and ends servers that still run in them.
func sweep(base string) {
	dirs, err := filepath.Glob(filepath.Join(base, fmt.Sprintf("%s%d-*", workPrefix, os.Getuid())))
	if err != nil {
		return
	}
	for _, dir := range dirs {
		lock, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR, 0)
		if err != nil { // being made, or whoever made it was killed
			if st, serr := os.Stat(dir); errors.Is(err, os.ErrNotExist) && serr == nil && time.Since(st.ModTime()) >
				inTheMaking {
				_ = os.RemoveAll(dir)
			}
			continue
		}
		if unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			endServers(dir)
			_ = os.RemoveAll(dir) // what cannot go now goes at the next start
		}
		lock.Close()
	}
}

// endServers kills the servers whose pid files lie in a stale directory, if they are indeed running in it.
func endServers(dir string) {
	pids, _ := filepath.Glob(filepath.Join(dir, "s*", PIDName))
	for _, file := range pids {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil || pid <= 1 {
			continue
		}
		cmdline, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err == nil && strings.Contains(string(cmdline), dir) {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
	}
}

package exec

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// account is another user that a server runs as; nil is the one that txweave runs as.
type account struct{ uid, gid int }

// accounts are the users that a server which refuses to run as root is given to: the one that its package makes, and
// the one that is everywhere.
var accounts = []string{"postgres", "nobody"}

// unprivileged returns the user that a server runs as which refuses to run as root, and lets it reach what will be in
// dir; nil where txweave does not run as root.
func unprivileged(dir string) (*account, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range accounts {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err1 != nil || err2 != nil || uid == 0 {
			continue
		}
		return &account{uid, gid}, os.Chmod(dir, 0o711) //nolint:gosec // others may pass, not look
	}
	return nil, fmt.Errorf("%w: the server refuses to run as root, and there is no other user for it (%v)",
		ErrUnavailable, accounts)
}

// give makes a directory and all that is in it the user's.
func (a *account) give(dir string) error {
	if a == nil {
		return nil
	}
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, a.uid, a.gid)
	})
}

// as makes a process that is about to start the user's.
func (a *account) as(attributes *syscall.SysProcAttr) {
	if a != nil {
		attributes.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
}

// makeData has a program of the DBMS make a data directory, as the user that will run the server.
func (l *Launcher) makeData(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := l.user.give(dir); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, initialiseTime)
	defer cancel()
	program, args := l.kind.MakeData(l.binary, dir)
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.WaitDelay, cmd.SysProcAttr = dir, time.Second, groupAttributes()
	l.user.as(cmd.SysProcAttr)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: cannot make a data directory with %s: %w: %s", ErrUnavailable, program, err, lastLines(out, 3))
	}
	return nil
}

package exec

import (
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// account is another user that a server runs as; nil is the one that txweave runs as.
type account struct{ uid, gid int }

// unprivileged returns the first of accounts that there is, for a server that refuses to run as root, and lets it reach
// what will be in dir; nil where txweave does not run as root.
func unprivileged(dir string, accounts []string) (*account, error) {
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

package campaign

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"txweave/finding"

	"golang.org/x/sys/unix"
)

// The files of a store beside its findings.
const (
	bugFile  = "bugs.json"
	lockFile = ".lock" // held while bugs.json is read and written: a campaign and "txweave bugs" may run at once
)

// Bugs reads the store's bugs; a store without any has none.
func (s *Store) Bugs() (*finding.Bugs, error) {
	b := &finding.Bugs{Next: 1, Bugs: []*finding.Bug{}, Known: map[string]int{}}
	path := filepath.Join(s.Dir, bugFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return b, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, b); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if b.Known == nil {
		b.Known = map[string]int{}
	}
	return b, nil
}

// Update reads the bugs, lets change alter them and writes them, as one step that no other process comes between. The
// file is the old one or the new one at every moment, whenever the process is killed.
func (s *Store) Update(change func(*finding.Bugs) error) error {
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return err
	}
	lock, err := os.OpenFile(filepath.Join(s.Dir, lockFile), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	defer lock.Close() // which lets go of it
	for {
		if err = unix.Flock(int(lock.Fd()), unix.LOCK_EX); !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", lock.Name(), err)
	}
	b, err := s.Bugs()
	if err != nil {
		return err
	}
	if err := change(b); err != nil {
		return err
	}
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(s.Dir, bugFile), append(text, '\n'))
}

// replaceFile puts a file in the place of another one, whole.
func replaceFile(path string, text []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// orphans lists the directories of findings, oldest first, that belong to no bug: a campaign that was killed while they
// were reduced has left them. There are none while another campaign uses the store. Until it ends, this process counts as
// a campaign that uses it.
func (s *Store) orphans() ([]string, error) {
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	alone, err := s.enter()
	if err != nil || !alone {
		return nil, err
	}
	b, err := s.Bugs()
	if err != nil {
		return nil, err
	}
	placed := map[string]bool{}
	for _, g := range b.Bugs {
		for _, k := range g.Kept {
			placed[k.Dir] = true
		}
	}
	var out []string
	for _, e := range entries { // sorted by name
		if e.IsDir() && strings.HasPrefix(e.Name(), "finding-") && !placed[e.Name()] {
			out = append(out, filepath.Join(s.Dir, e.Name()))
		}
	}
	return out, nil
}

// Exists says whether the store has bugs.
func (s *Store) Exists() bool {
	_, err := os.Stat(filepath.Join(s.Dir, bugFile))
	return err == nil
}

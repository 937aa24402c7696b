package campaign

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"txweave/finding"

	"golang.org/x/sys/unix"

	"txweave/report/page"
)

// Store keeps findings, each in a directory of its own below Dir, made when the first one comes, and the bugs that
// they are grouped to.
type Store struct {
	Dir string

	mu       sync.Mutex
	presence *os.File // locked while a campaign uses the store
}

// presenceFile is locked, shared, by every campaign that uses a store.
const presenceFile = ".campaign"

// enter makes this campaign one that uses the store, and says whether no other one did. Dir must exist.
func (s *Store) enter() (alone bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.presence != nil {
		return false, nil
	}
	f, err := os.OpenFile(filepath.Join(s.Dir, presenceFile), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return false, err
	}
	alone = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
	if err := unix.Flock(int(f.Fd()), unix.LOCK_SH); err != nil {
		f.Close()
		return false, fmt.Errorf("%s: %w", f.Name(), err)
	}
	s.presence = f
	return alone, nil
}

// leave takes back enter.
func (s *Store) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.presence != nil {
		s.presence.Close()
		s.presence = nil
	}
}

// Check tells, before there is anything to lose, whether Dir is a directory that can be written, or can be made.
func (s *Store) Check() error {
	dir, err := filepath.Abs(s.Dir)
	if err != nil {
		return err
	}
	for {
		st, err := os.Stat(dir)
		switch {
		case err == nil && !st.IsDir():
			return fmt.Errorf("%s is not a directory", dir)
		case err == nil:
			if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
				return fmt.Errorf("cannot write to %s: %w", dir, err)
			}
			return nil
		case !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir):
			return err
		}
		dir = filepath.Dir(dir)
	}
}

// Save keeps a finding with its files, by name, in a directory of its own.
func (s *Store) Save(r *finding.Record, files map[string][]byte) (dir string, err error) {
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return "", err
	}
	if _, err := s.enter(); err != nil {
		return "", err
	}
	dir = filepath.Join(s.Dir, r.ID)
	for n := 2; ; n++ {
		if _, err := os.Lstat(dir); os.IsNotExist(err) {
			break
		}
		dir = filepath.Join(s.Dir, fmt.Sprintf("%s.%d", r.ID, n)) // an earlier campaign's
	}
	if err := WriteFinding(dir, r, files); err != nil {
		return "", err
	}
	return dir, nil
}

// WriteFinding writes a finding's files, finding.json and, made from them, its page timeline.html. The directory, which must not be there yet, appears under
// its name only when it is whole.
func WriteFinding(dir string, r *finding.Record, files map[string][]byte) error {
	tmp, err := os.MkdirTemp(filepath.Dir(dir), ".new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	record, err := r.Print()
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := os.WriteFile(filepath.Join(tmp, name), files[name], 0o644); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(tmp, finding.RecordFile), record, 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(tmp, page.File), page.ForDirectory(tmp), 0o644); err != nil {
		return err
	}
	if err := os.Chmod(tmp, 0o755); err != nil {
		return err
	}
	return os.Rename(tmp, dir)
}

// SmallestCase returns the case of a bug to look at first: the reduced one of the first finding that has one, else the first.
func (s *Store) SmallestCase(g *finding.Bug) (path string, text []byte) {
	for _, below := range []string{ReducedDir, ""} {
		for _, k := range g.Kept {
			path = filepath.Join(s.Dir, k.Dir, below, caseFile)
			if text, err := os.ReadFile(path); err == nil {
				return path, text
			}
		}
	}
	return "", nil
}

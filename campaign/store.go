package campaign

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// Store keeps findings, each in a directory of its own below Dir, made when the first one comes.
type Store struct{ Dir string }

// storedFinding is finding.json: the reference and the finding's own fields.
type storedFinding struct {
	ID string `json:"id"`
	*Found
	Files any `json:"files,omitempty"` // hides Found.Files: they lie beside finding.json
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

// Save writes a finding's files and finding.json. The directory appears under its name only when it is whole.
func (s *Store) Save(ref FindingRef, f *Found) (dir string, err error) {
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(s.Dir, ".new-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	meta, err := json.MarshalIndent(storedFinding{ID: ref.ID, Found: f}, "", "  ")
	if err != nil {
		return "", err
	}
	files := maps.Clone(f.Files)
	if files == nil {
		files = map[string][]byte{}
	}
	files["finding.json"] = append(meta, '\n')
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := os.WriteFile(filepath.Join(tmp, name), files[name], 0o644); err != nil {
			return "", err
		}
	}
	if err := os.Chmod(tmp, 0o755); err != nil {
		return "", err
	}
	dir = filepath.Join(s.Dir, ref.ID)
	for n := 2; ; n++ {
		if _, err := os.Lstat(dir); os.IsNotExist(err) {
			break
		}
		dir = filepath.Join(s.Dir, fmt.Sprintf("%s.%d", ref.ID, n)) // an earlier campaign's
	}
	if err := os.Rename(tmp, dir); err != nil {
		return "", err
	}
	return dir, nil
}

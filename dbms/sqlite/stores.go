package sqlite

import (
	"context"
	"errors"

	"txweave/dbms"
	"txweave/exec"
)

// stores is the embedded engine on a database file for each shape of the store that has been asked for: one of them is
// the target's, the others wait, with their connections, until their shape is asked for again.
type stores struct {
	*target
	kept map[string]*target // by the name of the shape; all of them
}

// KeepsStores implements exec.StoreKeeper.
func (s *stores) KeepsStores() bool { return true }

// Reshape implements exec.Storer.
func (s *stores) Reshape(ctx context.Context, shape *dbms.StoreShape) error {
	name := ""
	if shape != nil {
		name = shape.Name
	}
	if s.kept[name] == nil {
		t := inFile(s.dir, name+databaseName, shape)
		if err := t.start(ctx); err != nil {
			return err
		}
		s.kept[name] = t
	}
	s.target = s.kept[name]
	return nil
}

// Close closes all of them.
func (s *stores) Close() error {
	var errs []error
	for _, t := range s.kept {
		errs = append(errs, t.Connection.Close())
	}
	return errors.Join(append(errs, s.dir.Remove())...)
}

// Open creates an empty database as a target.
func Open(ctx context.Context) (exec.Target, error) {
	dir, err := exec.NewWorkDir()
	if err != nil {
		return nil, err
	}
	t := inFile(dir, databaseName, nil)
	if err := t.start(ctx); err != nil {
		return nil, errors.Join(err, dir.Remove())
	}
	return &stores{target: t, kept: map[string]*target{"": t}}, nil
}

// inFile is the engine on a file of a directory.
func inFile(dir *exec.WorkDir, file string, shape *dbms.StoreShape) *target {
	t := &target{dir: dir, file: file, shape: shape}
	t.dial = func() (*exec.Session, error) { return open(t.path(), "OFF", t.shape) }
	return t
}

package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"txweave/finding"
)

// shared says whether the database is one that other machines use: findings' files then lie in it, too.
func (d *DB) shared() bool { return d.dialect != &sqliteDialect }

// How large a row of a file is, and how large the files of one finding may be, in bytes: larger ones stay where they were made.
const (
	partSize    = 256 << 10
	maxArtifact = 32 << 20
)

// upload puts the files of a finding into the database, in place of those that are there.
func (t *tx) upload(name string) error {
	if name == "" {
		return nil
	}
	root, err := finding.PathIn(t.d.dir, name)
	if err != nil {
		return err
	}
	if err := t.exec("DELETE FROM artifacts WHERE finding = ?", name); err != nil {
		return err
	}
	left := int64(maxArtifact)
	for _, below := range []string{"", finding.ReducedDir} {
		entries, err := os.ReadDir(filepath.Join(root, below))
		if errors.Is(err, fs.ErrNotExist) && below != "" {
			continue
		}
		if err != nil {
			return err
		}
		for _, e := range entries {
			if !e.Type().IsRegular() {
				continue
			}
			st, err := e.Info()
			if err != nil {
				return err
			}
			if st.Size() > left && e.Name() != finding.RecordFile && e.Name() != finding.CaseFile {
				continue
			}
			left -= st.Size()
			if err := t.uploadFile(name, root, filepath.Join(below, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *tx) uploadFile(name, root, path string) error {
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		return err
	}
	for part := 0; part == 0 || part*partSize < len(text); part++ {
		body := text[part*partSize : min(len(text), (part+1)*partSize)]
		if err := t.exec("INSERT INTO artifacts (finding, path, part, body) VALUES (?, ?, ?, ?)", name, filepath.ToSlash(path), part, body); err != nil {
			return err
		}
	}
	return nil
}

// download brings the files of a finding here, all of them or none.
func (d *DB) download(ctx context.Context, name, path string) error {
	tmp, err := os.MkdirTemp(d.dir, finding.TempPrefix)
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	files := 0
	err = d.rows(ctx, func(scan func(...any) error) error {
		var file string
		var body []byte
		if err := scan(&file, &body); err != nil {
			return err
		}
		dir, base := filepath.Split(filepath.FromSlash(file))
		if dir != "" && dir != finding.ReducedDir+string(filepath.Separator) || !finding.ValidName(base) {
			return fmt.Errorf("finding %s has a file %q, which is no name of one", name, file)
		}
		files++
		if err := os.MkdirAll(filepath.Join(tmp, dir), 0o700); err != nil {
			return err
		}
		out, err := os.OpenFile(filepath.Join(tmp, dir, base), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return err
		}
		_, err = out.Write(body)
		return errors.Join(err, out.Close())
	}, "SELECT path, body FROM artifacts WHERE finding = ? ORDER BY path, part", name)
	if err != nil {
		return err
	}
	if files == 0 {
		return &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	if err := os.Rename(tmp, path); err != nil && !errors.Is(err, fs.ErrExist) { // another one has brought it
		return err
	}
	return nil
}

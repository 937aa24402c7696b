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
func (d *DB) shared() bool { return d.dialect != &embedded }

// How large a row of a file is, and how large the files of one finding may be, in bytes: larger ones stay where they
// were made.
const (
	partSize    = 256 << 10
	maxArtifact = 32 << 20
)

// files calls each for every file of a finding that others are to see, by its path in the finding's directory.
func (d *DB) files(name string, each func(path string, text []byte) error) error {
	root, err := finding.PathIn(d.dir, name)
	if err != nil {
		return err
	}
	left := int64(maxArtifact)
	err = filesIn(root, "", &left, each)
	if err != nil {
		return err
	}
	if err := filesIn(root, finding.ReducedDir, &left, each); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// filesIn is files for one directory of a finding; left is how many bytes they may have yet.
func filesIn(root, below string, left *int64, each func(path string, text []byte) error) error {
	entries, err := os.ReadDir(filepath.Join(root, below))
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
		if st.Size() > *left && e.Name() != finding.RecordFile && e.Name() != finding.CaseFile {
			continue
		}
		*left -= st.Size()
		text, err := os.ReadFile(filepath.Join(root, below, e.Name()))
		if err != nil {
			return err
		}
		if err := each(filepath.ToSlash(filepath.Join(below, e.Name())), text); err != nil {
			return err
		}
	}
	return nil
}

// publish puts the files of a finding into the bucket, if there is one, before the finding is counted.
func (d *DB) publish(ctx context.Context, name string) error {
	if d.bucket == nil || name == "" {
		return nil
	}
	files := map[string][]byte{}
	err := d.files(name, func(path string, text []byte) error {
		files[path] = text
		return nil
	})
	if err != nil {
		return err
	}
	return d.bucket.put(ctx, name, files)
}

// upload puts the files of a finding into the database, in place of those that are there, if they do not lie in a
// bucket.
func (t *tx) upload(name string) error {
	if name == "" || t.d.bucket != nil {
		return nil
	}
	if err := t.exec("DELETE FROM artifacts WHERE finding = ?", name); err != nil {
		return err
	}
	return t.d.files(name, func(path string, text []byte) error {
		for part := 0; part == 0 || part*partSize < len(text); part++ {
			body := text[part*partSize : min(len(text), (part+1)*partSize)]
			if err := t.exec("INSERT INTO artifacts (finding, path, part, body) VALUES (?, ?, ?, ?)", name, path, part,
				body); err != nil {
				return err
			}
		}
		return nil
	})
}

// Share puts the files of a finding of the campaign, as they lie here, where the other machines see them. Of a database
// that is a directory's own there is nothing to do.
func (d *DB) Share(ctx context.Context, name string) error {
	if !d.shared() {
		return nil
	}
	var n int64
	if err := d.row(ctx, "SELECT COUNT(*) FROM findings WHERE name = ?", name).Scan(&n); err != nil {
		return err
	}
	if n == 0 {
		return fmt.Errorf("%s is not a finding of the shared campaign", name)
	}
	if err := d.publish(ctx, name); err != nil {
		return err
	}
	return d.tx(ctx, func(t *tx) error { return t.upload(name) })
}

// download brings the files of a finding here, all of them or none.
func (d *DB) download(ctx context.Context, name, path string) error {
	tmp, err := os.MkdirTemp(d.dir, finding.TempPrefix)
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	files := 0
	write := func(file string, body []byte) error {
		dir, base := filepath.Split(filepath.FromSlash(file))
		if dir != "" && dir != finding.ReducedDir+string(filepath.Separator) || !finding.ValidName(base) {
			return fmt.Errorf("finding %s: %q is not the name of one of its files", name, file)
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
	}
	if d.bucket != nil {
		err = d.bucket.get(ctx, name, write)
	}
	if err != nil || files > 0 {
		return d.downloaded(err, files, tmp, path)
	}
	err = d.rows(ctx, func(scan func(...any) error) error {
		var file string
		var body []byte
		if err := scan(&file, &body); err != nil {
			return err
		}
		return write(file, body)
	}, "SELECT path, body FROM artifacts WHERE finding = ? ORDER BY path, part", name)
	return d.downloaded(err, files, tmp, path)
}

// downloaded gives the files that were brought their place.
func (d *DB) downloaded(err error, files int, tmp, path string) error {
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

package guide

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"txweave/internal/input"
	"txweave/testcase"
)

// Corpus is a directory with the cases that showed something new, each a file of its own, and the list of all shapes.
type Corpus struct {
	dir    string
	shapes *os.File
}

// shapesFile is the list of shapes, one a line, in the order in which they were first shown.
const shapesFile = "shapes.txt"

// OpenCorpus opens a directory, which is made where it is missing.
func OpenCorpus(dir string) (*Corpus, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, shapesFile), os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	return &Corpus{dir, f}, nil
}

// Load reads the cases, in the order of their names, and the shapes.
func (c *Corpus) Load(ctx context.Context) ([]*testcase.Case, []string, error) {
	cases, err := ReadCases(ctx, c.dir)
	if err != nil {
		return nil, nil, err
	}
	shapes, err := ReadShapes(c.dir)
	return cases, shapes, err
}

// ReadCases reads the cases below a directory, in the order of their paths. Files that hold none are passed over: a campaign
// that was killed may have left half of one.
func ReadCases(ctx context.Context, dir string) ([]*testcase.Case, error) {
	var out []*testcase.Case
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".txw" {
			return err
		}
		if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() { // a pipe would be waited for
			return nil
		}
		if c, err := testcase.ReadNamed(ctx, path); err == nil {
			out = append(out, c)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("cannot read the cases of %s: %w", dir, err)
	}
	return out, nil
}

// ReadShapes reads the shapes of a corpus; there are none where there is no such file.
func ReadShapes(dir string) ([]string, error) {
	f, err := input.OpenKept(filepath.Join(dir, shapesFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []string
	in := bufio.NewScanner(f)
	for in.Scan() {
		if line := in.Text(); slices.Contains(Kinds(), KindOf(line)) {
			out = append(out, line)
		}
	}
	return out, in.Err()
}

// Add keeps a case and what it was the first to show.
func (c *Corpus) Add(x *testcase.Case, shapes []string) error {
	if err := c.keep(x); err != nil {
		return err
	}
	return c.note(shapes)
}

// Replace keeps a case in the place of another one. A case that is not there, as another campaign has replaced it, is replaced all the same.
func (c *Corpus) Replace(old, x *testcase.Case) error {
	if err := c.keep(x); err != nil {
		return err
	}
	if err := os.Remove(c.path(old.Print())); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// keep writes the file of a case.
func (c *Corpus) keep(x *testcase.Case) error {
	text := x.Print()
	path := c.path(text)
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// path is the file of a case by its text.
func (c *Corpus) path(text []byte) string {
	sum := sha256.Sum256(text)
	return filepath.Join(c.dir, hex.EncodeToString(sum[:8])+".txw")
}

// note keeps shapes alone; without a corpus it keeps nothing.
func (c *Corpus) note(shapes []string) error {
	if c == nil {
		return nil
	}
	_, err := c.shapes.WriteString(strings.Join(shapes, "\n") + "\n")
	return err
}

// Close closes the list of shapes.
func (c *Corpus) Close() error { return c.shapes.Close() }

// Package bugs finds what campaigns have found by its names: bugs, findings and cases, in a campaign's directory or in
// the database that several machines share.
package bugs

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"txweave/campaign/database"
	"txweave/campaign/store"
	"txweave/finding"
	"txweave/finding/signature"
	"txweave/internal/outcome"
	"txweave/report/index"
	"txweave/testcase"
)

// DefaultOut is where fuzz keeps what it finds where nobody has said otherwise.
const DefaultOut = "txweave-out"

// IsFinding says whether a text is a finding's name.
func IsFinding(name string) bool {
	_, is := finding.ParseName(name)
	return is
}

// Shelf says where bugs and findings are looked up.
type Shelf struct {
	Out      string // the campaign's directory; with Shared files of findings are brought there
	Explicit bool   // it is what somebody has named: names below other directories are refused
	Shared   string // the database that several machines share, as users write it; "": none
}

// Open opens the store of the bugs. Its error is fs.ErrNotExist where there is none.
func (f *Shelf) Open(ctx context.Context) (store.BugStore, error) {
	if f.Shared != "" {
		db, err := database.At(ctx, f.Shared, f.Out, false)
		if err != nil {
			return nil, err
		}
		return store.AsItStands(db), nil
	}
	s, err := Open(f.Out)
	if err != nil {
		return nil, err // no store, and no interface that holds none
	}
	return s, nil
}

// Named finds what a command is about: a case's file or a finding's directory by its path; a bug, "B3", or a finding,
// "finding-000001-0", by its name in --out, or below another campaign's directory: "found/B3". Of a bug it is the
// directory of the finding to look at first. From a shared database its files are brought here.
func (f *Shelf) Named(ctx context.Context, arg string) (path string, err error) {
	if _, err := os.Stat(arg); err == nil {
		return arg, nil
	}
	dir, name := filepath.Split(arg)
	switch {
	case dir == "":
		dir = f.Out
	case f.Explicit && filepath.Clean(dir) != filepath.Clean(f.Out) &&
		(finding.IsBugName(name) || IsFinding(name)):
		return "", outcome.Misusef("%s: a bug of another directory than --out %s", arg, f.Out)
	}
	if f.Shared == "" {
		return namedIn(arg, dir, name)
	}
	db, err := database.At(ctx, f.Shared, dir, false)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	switch {
	case IsFinding(name):
		if _, err := db.Open(name); err != nil {
			return "", outcome.Misuse(fmt.Errorf("%s is not a finding in --store: %w", name, err))
		}
		return filepath.Join(dir, name), nil
	case finding.IsBugName(name):
		return bugPath(db, arg, name, "--store")
	}
	return "", outcome.Misusef("%s is neither a file nor a bug (B3) nor a finding (finding-000001-0)", arg)
}

// Share puts the files of a finding that was brought here from a shared database back to where the other machines see
// them.
func (f *Shelf) Share(ctx context.Context, dir string) (err error) {
	if f.Shared == "" {
		return nil
	}
	db, err := database.At(ctx, f.Shared, filepath.Dir(dir), false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := db.Share(ctx, filepath.Base(dir)); err != nil {
		return fmt.Errorf("the reduced case lies in %s; --store does not have it: %w",
			filepath.Join(dir, finding.ReducedDir), err)
	}
	return nil
}

// Recount counts a finding whose case has been reduced, of a directory or of a shared database, by what is left of it.
// It returns the names of the bug that the finding was counted to and of the one that it is now; "" where it is of
// none, and for the former where that goes on without it.
func (f *Shelf) Recount(ctx context.Context, dir string) (was, is string, err error) {
	at := *f
	if f.Shared == "" {
		at.Out = filepath.Dir(dir)
	}
	s, err := at.Open(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", nil // it is of no campaign
	}
	if err != nil {
		return "", "", err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	small, err := finding.Open(filepath.Join(dir, finding.ReducedDir))
	if err != nil {
		return "", "", err
	}
	c, err := small.Case()
	if err != nil {
		return "", "", err
	}
	sig := signature.Of(&small.Record.Finding, c)
	minimal, err := small.Minimal()
	if err != nil {
		return "", "", err
	}
	if minimal {
		sig = sig.Reduced()
	}
	if early, is := s.(*store.Early); is { // what waits to be counted is none of its bugs
		s = early.WaitingStore
	}
	if b, err := s.Bugs(); err != nil || !b.Placed()[filepath.Base(dir)] {
		return "", "", err
	}
	err = s.Update(func(b *finding.Bugs) error {
		if from, to := b.Recount(filepath.Base(dir), small.Record, sig, ""); to != nil {
			was, is = from.ID, to.ID
			if _, err := b.Find(was); was != is && err == nil {
				was = ""
			}
		}
		return nil
	})
	return was, is, err
}

// bugPath is the directory of the finding of a bug to look at first.
func bugPath(s store.BugStore, arg, name, where string) (string, error) {
	b, err := s.Bugs()
	if err != nil {
		return "", err
	}
	g, err := b.Find(name)
	if err != nil {
		return "", outcome.Misuse(fmt.Errorf("%s: %w", where, err))
	}
	path, _ := s.SmallestCase(g)
	if path == "" && len(g.Kept) > 0 { // of a storm
		if path = filepath.Join(where, g.Kept[0].Dir); exists(path) {
			return path, nil
		}
		path = ""
	}
	if path == "" {
		return "", outcome.Misusef("%s: no finding of it is kept", arg)
	}
	path = filepath.Dir(path)
	if filepath.Base(path) == finding.ReducedDir {
		path = filepath.Dir(path)
	}
	return path, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// namedIn is named for a name in a campaign's directory.
func namedIn(arg, dir, name string) (path string, err error) {
	switch {
	case IsFinding(name):
		path = filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	case finding.IsBugName(name):
		s, err := Open(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return "", outcome.Misusef("%s: %s holds no bugs; with a campaign's --out DIR a bug is named DIR/%s", arg,
				filepath.Clean(dir), name)
		}
		if err != nil {
			return "", err
		}
		defer s.Close()
		return bugPath(s, arg, name, filepath.Clean(dir))
	}
	return "", outcome.Misusef("%s is neither a file nor a bug (B3) nor a finding (finding-000001-0) in %s", arg,
		filepath.Clean(dir))
}

// Placed takes the campaign's directory from bugs, findings and their cases that are named with it, "found/B3", as
// named does.
func (f *Shelf) Placed(args []string) ([]string, error) {
	args = slices.Clone(args)
	dir := ""
	for i, arg := range args {
		d, name := filepath.Split(OfFinding(arg))
		if d == "" || !finding.IsBugName(name) && !IsFinding(name) {
			continue
		}
		if d = filepath.Clean(d); dir != "" && d != dir || f.Explicit && d != filepath.Clean(f.Out) {
			return nil, outcome.Misusef("%s: a bug of another directory than %s", arg, cmp.Or(dir, f.Out))
		}
		args[i], dir = name, d
	}
	f.Out = cmp.Or(dir, f.Out)
	return args, nil
}

// OfFinding is the finding's directory that a path leads into: to its case, to what it was reduced to.
func OfFinding(arg string) string {
	dir := filepath.Clean(arg)
	if filepath.Base(dir) == finding.CaseFile {
		dir = filepath.Dir(dir)
	}
	if filepath.Base(dir) == finding.ReducedDir {
		dir = filepath.Dir(dir)
	}
	if IsFinding(filepath.Base(dir)) {
		return dir
	}
	return filepath.Clean(arg)
}

// Smallest is the reduced case's directory of a finding that was named by its bug, where it has one.
func Smallest(arg, path string) string {
	small := filepath.Join(path, finding.ReducedDir)
	if _, err := os.Stat(filepath.Join(small, finding.CaseFile)); err == nil && finding.IsBugName(filepath.Base(arg)) &&
		path != arg {
		return small
	}
	return path
}

// IDs names the bugs that arguments mean: bugs by their names, findings by theirs or by their directories, cases by
// what they hold.
func IDs(ctx context.Context, s store.BugStore, args []string) ([]string, error) {
	b, err := s.Bugs()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, arg := range args {
		id, err := ID(ctx, s, b, arg)
		if err != nil {
			return nil, outcome.Misuse(err)
		}
		out = append(out, id)
	}
	return out, nil
}

// ErrNoBug says that a case is of no bug.
var ErrNoBug = errors.New("no bug has this case")

// ID names the bug that an argument means; see IDs.
func ID(ctx context.Context, s store.BugStore, b *finding.Bugs, arg string) (string, error) {
	name := filepath.Base(OfFinding(arg))
	if g, err := b.Find(name); err == nil {
		return g.ID, nil
	}
	if IsFinding(name) {
		for _, g := range b.Bugs {
			if slices.ContainsFunc(g.Kept, func(k finding.Kept) bool { return k.Dir == name }) {
				return g.ID, nil
			}
		}
		return "", fmt.Errorf("%s is kept with no bug", name)
	}
	if st, err := os.Stat(arg); err == nil && st.Mode().IsRegular() {
		return bugOfCase(ctx, s, b, arg)
	}
	return "", fmt.Errorf("there is no bug %s", name)
}

// bugOfCase is the bug one of whose kept cases is that of a file.
func bugOfCase(ctx context.Context, s store.BugStore, b *finding.Bugs, path string) (string, error) {
	c, err := testcase.ReadNamed(ctx, path)
	if err != nil {
		return "", err
	}
	text := c.Print()
	for _, g := range b.Bugs {
		for _, k := range g.Kept {
			d, err := s.Open(k.Dir)
			if err != nil {
				continue
			}
			for _, file := range []string{finding.CaseFile, filepath.Join(finding.ReducedDir, finding.CaseFile)} {
				if had, err := d.Read(file); err == nil && bytes.Equal(had, text) {
					return g.ID, nil
				}
			}
		}
	}
	return "", fmt.Errorf("%s: %w: txweave replay runs it", path, ErrNoBug)
}

// Open opens the store in a directory. Its error is fs.ErrNotExist where there is none.
func Open(dir string) (*store.Early, error) {
	db, err := database.Of(dir)
	if err != nil {
		return nil, err
	}
	return store.AsItStands(db), nil
}

// WriteIndex writes the page of a store's bugs. It is for people: where it cannot be written, nothing else is lost.
func WriteIndex(out string) error {
	s, err := Open(out)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	b, err := s.Bugs()
	if err = errors.Join(err, s.Close()); err != nil {
		return err
	}
	text, err := index.Write(out, b)
	if err != nil {
		return err
	}
	path := filepath.Join(out, index.File)
	if err := os.WriteFile(path+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/spf13/pflag"

	"txweave/campaign/store"
	"txweave/finding"
	"txweave/testcase"
)

// defaultOut is where campaigns keep what they find.
const defaultOut = "txweave-out"

var (
	bugName     = regexp.MustCompile(`^[Bb][1-9][0-9]*$`)
	findingName = regexp.MustCompile(`^(finding|suspect)-([a-z0-9.-]+-)?[0-9]+-[0-9]+$`)
)

// sourceFlags say where a finding comes from that a command is about.
type sourceFlags struct {
	shared storeFlags
	out    string
	flags  *pflag.FlagSet
}

func (f *sourceFlags) add(fs *pflag.FlagSet) {
	f.flags = fs
	f.shared.add(fs)
	f.shared.shorten(fs, "the database in which several machines share the campaign, as campaign run has it: the bug or finding is one of it")
	fs.StringVar(&f.out, "out", defaultOut, "the campaign's directory, in which bugs and findings are looked up by their names alone; with --store their files are brought there")
}

// open opens the store of the bugs. Its error is fs.ErrNotExist where there is none.
func (f *sourceFlags) open(ctx context.Context) (store.BugStore, error) {
	if f.shared.store != "" { // files of findings are brought to --out
		db, err := f.shared.open(ctx, f.out, false)
		if err != nil {
			return nil, err
		}
		return store.AsItStands(db), nil
	}
	s, err := openBugs(f.out)
	if err != nil {
		return nil, err // no store, and no interface that holds none
	}
	return s, nil
}

// named finds what a command is about: a case's file or a finding's directory by its path; a bug, "B3", or a finding,
// "finding-000001-0", by its name in --out, or below another campaign's directory: "found/B3". Of a bug it is the
// directory of the finding to look at first. From a shared database its files are brought here.
func (f *sourceFlags) named(ctx context.Context, arg string) (path string, err error) {
	if _, err := os.Stat(arg); err == nil {
		return arg, nil
	}
	dir, name := filepath.Split(arg)
	switch {
	case dir == "":
		dir = f.out
	case f.flags.Changed("out") && filepath.Clean(dir) != filepath.Clean(f.out) && (bugName.MatchString(name) || findingName.MatchString(name)):
		return "", usagef("%s: a bug of another directory than --out %s", arg, f.out)
	}
	if f.shared.store == "" {
		return namedIn(arg, dir, name)
	}
	db, err := f.shared.open(ctx, dir, false)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	switch {
	case findingName.MatchString(name):
		if _, err := db.Open(name); err != nil {
			return "", usage(fmt.Errorf("%s is no finding of --store: %w", name, err))
		}
		return filepath.Join(dir, name), nil
	case bugName.MatchString(name):
		return bugPath(db, arg, name, "--store")
	}
	return "", usagef("%s is no file, and no bug (B3) or finding (finding-000001-0)", arg)
}

// share puts the files of a finding that was brought here from a shared database back to where the other machines see them.
func (f *sourceFlags) share(ctx context.Context, dir string) (err error) {
	if f.shared.store == "" {
		return nil
	}
	db, err := f.shared.open(ctx, filepath.Dir(dir), false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := db.Share(ctx, filepath.Base(dir)); err != nil {
		return fmt.Errorf("the reduced case lies in %s; --store does not have it: %w", filepath.Join(dir, finding.ReducedDir), err)
	}
	return nil
}

// bugPath is the directory of the finding of a bug to look at first.
func bugPath(s store.BugStore, arg, name, where string) (string, error) {
	b, err := s.Bugs()
	if err != nil {
		return "", err
	}
	g, err := b.Find(name)
	if err != nil {
		return "", usage(fmt.Errorf("%s: %w", where, err))
	}
	path, _ := s.SmallestCase(g)
	if path == "" {
		return "", usagef("%s: no finding of it is kept", arg)
	}
	path = filepath.Dir(path)
	if filepath.Base(path) == finding.ReducedDir {
		path = filepath.Dir(path)
	}
	return path, nil
}

// namedIn is named for a name in a campaign's directory.
func namedIn(arg, dir, name string) (path string, err error) {
	switch {
	case findingName.MatchString(name):
		path = filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	case bugName.MatchString(name):
		s, err := openBugs(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return "", usagef("%s: %s holds no bugs; with a campaign's --out DIR a bug is named DIR/%s", arg, filepath.Clean(dir), name)
		}
		if err != nil {
			return "", err
		}
		defer s.Close()
		return bugPath(s, arg, name, filepath.Clean(dir))
	}
	return "", usagef("%s is no file, and no bug (B3) or finding (finding-000001-0) in %s", arg, filepath.Clean(dir))
}

// placed takes the campaign's directory from bugs, findings and their cases that are named with it, "found/B3", as named does; explicit
// says that --out was given, too.
func (f *sourceFlags) placed(args []string, explicit bool) ([]string, error) {
	args = slices.Clone(args)
	dir := ""
	for i, arg := range args {
		d, name := filepath.Split(ofFinding(arg))
		if d == "" || !bugName.MatchString(name) && !findingName.MatchString(name) {
			continue
		}
		if d = filepath.Clean(d); dir != "" && d != dir || explicit && d != filepath.Clean(f.out) {
			return nil, usagef("%s: a bug of another directory than %s", arg, cmp.Or(dir, f.out))
		}
		args[i], dir = name, d
	}
	f.out = cmp.Or(dir, f.out)
	return args, nil
}

// ofFinding is the finding's directory that a path leads into: to its case, to what it was reduced to.
func ofFinding(arg string) string {
	dir := filepath.Clean(arg)
	if filepath.Base(dir) == finding.CaseFile {
		dir = filepath.Dir(dir)
	}
	if filepath.Base(dir) == finding.ReducedDir {
		dir = filepath.Dir(dir)
	}
	if findingName.MatchString(filepath.Base(dir)) {
		return dir
	}
	return filepath.Clean(arg)
}

// smallest is the reduced case's directory of a finding that was named by its bug, where it has one.
func smallest(arg, path string) string {
	small := filepath.Join(path, finding.ReducedDir)
	if _, err := os.Stat(filepath.Join(small, finding.CaseFile)); err == nil && bugName.MatchString(filepath.Base(arg)) && path != arg {
		return small
	}
	return path
}

// bugIDs names the bugs that arguments mean: bugs by their names, findings by theirs or by their directories, cases by what they hold.
func bugIDs(ctx context.Context, s store.BugStore, args []string) ([]string, error) {
	b, err := s.Bugs()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, arg := range args {
		id, err := bugID(ctx, s, b, arg)
		if err != nil {
			return nil, usage(err)
		}
		out = append(out, id)
	}
	return out, nil
}

// errNoBug says that a case is of no bug.
var errNoBug = errors.New("no bug has this case")

func bugID(ctx context.Context, s store.BugStore, b *finding.Bugs, arg string) (string, error) {
	name := filepath.Base(ofFinding(arg))
	if g, err := b.Find(name); err == nil {
		return g.ID, nil
	}
	if findingName.MatchString(name) {
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
	return "", fmt.Errorf("%s: %w: txweave replay runs it", path, errNoBug)
}

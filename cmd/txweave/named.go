package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"txweave/campaign/store"
	"txweave/finding"
)

// defaultOut is where campaigns keep what they find.
const defaultOut = "txweave-out"

var (
	bugName     = regexp.MustCompile(`^B[1-9][0-9]*$`)
	findingName = regexp.MustCompile(`^(finding|suspect)-([a-z0-9.-]+-)?[0-9]+-[0-9]+$`)
)

// sourceFlags say where a finding comes from that a command is about.
type sourceFlags struct {
	shared storeFlags
	out    string
}

func (f *sourceFlags) add(fs *pflag.FlagSet) {
	f.shared.add(fs)
	f.shared.shorten(fs, "the database in which several machines share the campaign, as campaign run has it: the bug or finding is one of it")
	fs.StringVar(&f.out, "out", defaultOut, "the campaign's directory, in which bugs and findings are looked up by their names alone; with --store their files are brought there")
}

// named is named for a finding that may lie in a shared database: its files are brought here.
func (f *sourceFlags) named(ctx context.Context, arg string) (path string, err error) {
	if _, err := os.Stat(arg); err == nil {
		return arg, nil
	}
	dir, name := filepath.Split(arg)
	if dir == "" {
		dir = f.out
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

// named finds what a command is about: a case's file or a finding's directory by its path; a bug, "B3", or a finding,
// "finding-000001-0", by its name in txweave-out, or below another campaign's directory: "found/B3". Of a bug it is the
// directory of the finding to look at first.
func named(arg string) (path string, err error) {
	if _, err := os.Stat(arg); err == nil {
		return arg, nil
	}
	dir, name := filepath.Split(arg)
	if dir == "" {
		dir = defaultOut
	}
	return namedIn(arg, dir, name)
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

// smallest is the reduced case's directory of a finding that was named by its bug, where it has one.
func smallest(arg, path string) string {
	small := filepath.Join(path, finding.ReducedDir)
	if _, err := os.Stat(filepath.Join(small, finding.CaseFile)); err == nil && bugName.MatchString(filepath.Base(arg)) && path != arg {
		return small
	}
	return path
}

// bugIDs names the bugs that arguments mean: bugs by their names, findings by theirs or by their directories.
func bugIDs(s store.BugStore, args []string) ([]string, error) {
	b, err := s.Bugs()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, arg := range args {
		id, err := bugID(b, arg)
		if err != nil {
			return nil, usage(err)
		}
		out = append(out, id)
	}
	return out, nil
}

func bugID(b *finding.Bugs, arg string) (string, error) {
	name := filepath.Base(filepath.Clean(strings.TrimSuffix(filepath.Clean(arg), string(filepath.Separator)+finding.ReducedDir)))
	if findingName.MatchString(name) {
		for _, g := range b.Bugs {
			if slices.ContainsFunc(g.Kept, func(k finding.Kept) bool { return k.Dir == name }) {
				return g.ID, nil
			}
		}
		return "", fmt.Errorf("%s is kept with no bug", name)
	}
	if _, err := b.Find(name); err != nil {
		return "", err
	}
	return name, nil
}

package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"txweave/finding"
	"txweave/report/page"
)

// What lies in a campaign's directory beside its database and its findings.
const (
	QuarantineDir = "quarantine" // what cannot be read
	FaultsDir     = "faults"     // what txweave itself did wrong
)

// Check tells, before there is anything to lose, whether findings can be kept in a directory: it writes a file and
// removes it again, and the directories that it had to make.
func Check(at string) (err error) {
	dir, err := filepath.Abs(at)
	if err != nil {
		return err
	}
	var made []string
	for at := dir; ; at = filepath.Dir(at) {
		st, err := os.Stat(at)
		if err == nil && !st.IsDir() {
			return fmt.Errorf("%s is not a directory", at)
		}
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			return err
		}
		made = append(made, at)
	}
	defer func() {
		for _, name := range made {
			_ = os.Remove(name) // one that was not made, or that another campaign uses already, stays
		}
	}()
	var f *os.File
	if err := Making(dir, func() (err error) {
		f, err = os.CreateTemp(dir, finding.TempPrefix)
		return err
	}); err != nil {
		return fmt.Errorf("cannot write to %s: %w", dir, err)
	}
	_, err = f.WriteString("txweave\n")
	err = errors.Join(err, f.Sync(), f.Close())
	if gone := os.Remove(f.Name()); !errors.Is(gone, fs.ErrNotExist) {
		// another campaign that enters takes it for what was left
		err = errors.Join(err, gone)
	}
	if err != nil {
		return fmt.Errorf("cannot write to %s: %w", dir, err)
	}
	return nil
}

// Making calls use with the directory made. Another campaign's check may have made it, or one above it, and take it
// away again in between: then it is made again.
func Making(dir string, use func() error) (err error) {
	for range 1000 {
		if err = os.MkdirAll(dir, 0o700); err == nil {
			err = use()
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return err
}

// WriteReduced puts the smaller case of a finding into its directory, in the place of an earlier one.
func WriteReduced(dir string, r *finding.Record, files map[string][]byte) error {
	to := filepath.Join(dir, finding.ReducedDir)
	if err := finding.Remove(to); err != nil {
		return err
	}
	return finding.Write(to, r, files, page.ForDirectory)
}

// Quarantine puts a finding that cannot be read out of the way, and returns where it lies now.
func Quarantine(dir, name string) (where string, err error) {
	path, err := finding.PathIn(dir, name)
	if err != nil {
		return "", err
	}
	to := filepath.Join(dir, QuarantineDir)
	if err := os.MkdirAll(to, 0o700); err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		where = filepath.Join(to, name)
		if n > 1 {
			where += fmt.Sprint(".", n)
		}
		if _, err := os.Lstat(where); errors.Is(err, fs.ErrNotExist) {
			return where, os.Rename(path, where)
		}
	}
}

// maxFaults is how many faults of txweave's own are described: whoever mends them wants a few.
const maxFaults = 100

// Fault keeps the description of a fault of txweave's own in a campaign's directory, a file for each, and returns where
// it lies; "" where there are enough. The same case's is written anew.
func Fault(in, name string, text []byte) (where string, err error) {
	dir := filepath.Join(in, FaultsDir)
	where, err = finding.PathIn(dir, name)
	if err != nil {
		return "", err
	}
	var there []os.DirEntry
	if err := Making(dir, func() (err error) {
		there, err = os.ReadDir(dir)
		return err
	}); err != nil {
		return "", err
	}
	if err := os.Remove(where); errors.Is(err, fs.ErrNotExist) && len(there) >= maxFaults {
		return "", nil
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return where, errors.Join(finding.WriteFile(where, text), finding.SyncDir(dir))
}

// SmallestCase returns the case of a bug to look at first, of those that lie in a directory, and where it lies.
func SmallestCase(dir string, g *finding.Bug) (where string, text []byte) {
	for _, below := range []string{finding.ReducedDir, ""} {
		for _, k := range g.Kept {
			if !finding.ValidName(k.Dir) {
				continue
			}
			in := finding.Dir{Path: filepath.Join(dir, k.Dir, below)}
			if text, err := in.Read(finding.CaseFile); err == nil {
				return filepath.Join(in.Path, finding.CaseFile), text
			}
		}
	}
	return "", nil
}

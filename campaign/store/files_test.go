package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// TestChecksTogether: campaigns that start at once do not trip over each other's directories.
func TestChecksTogether(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out", "deep", "er", "still")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 100 {
				if err := Check(dir); err != nil {
					t.Errorf("campaign %d: %v", i, err)
					return
				}
			}
		})
	}
	all.Wait()
}

// TestMakingAgain: a directory that somebody takes away while it is made, or before it is used, is made again.
func TestMakingAgain(t *testing.T) {
	root := t.TempDir()
	deep := filepath.Join(root, "a", "b", "c", "d")
	var done atomic.Bool
	var all sync.WaitGroup
	all.Go(func() {
		for !done.Load() {
			for at := deep; at != root; at = filepath.Dir(at) {
				_ = os.Remove(at)
			}
		}
	})
	for i := range 2000 {
		if err := Making(deep, func() error {
			f, err := os.CreateTemp(deep, "")
			if err != nil {
				return err
			}
			return errors.Join(f.Close(), os.Remove(f.Name()))
		}); err != nil {
			t.Errorf("%d: %v", i, err)
			break
		}
	}
	done.Store(true)
	all.Wait()
}

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir:                           "",
		filepath.Join(dir, "new/new"): "",
		file:                          "is not a directory",
		filepath.Join(file, "below"):  "not a directory",
	} {
		err := Check(path)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	if os.Getuid() != 0 { // root may write anywhere
		sealed := filepath.Join(dir, "sealed")
		if err := os.Mkdir(sealed, 0o555); err != nil {
			t.Fatal(err)
		}
		if err := Check(filepath.Join(sealed, "out")); err == nil || !strings.Contains(err.Error(),
			"cannot write to "+sealed) {
			t.Errorf("sealed directory: %v", err)
		}
	}
}

// TestFault: descriptions of faults lie below the directory, a case's once, and no more of them than somebody reads.
func TestFault(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	for i := range maxFaults + 2 {
		for range 2 {
			where, err := Fault(dir, fmt.Sprintf("case-%03d.txt", i), []byte("why"))
			if err != nil || (where == "") != (i >= maxFaults) {
				t.Fatalf("%d: %q, %v", i, where, err)
			}
		}
	}
	if files, err := os.ReadDir(filepath.Join(dir, FaultsDir)); err != nil || len(files) != maxFaults {
		t.Errorf("%d files: %v", len(files), err)
	}
	if _, err := Fault(dir, "../x", nil); err == nil {
		t.Error("a name led elsewhere")
	}
}

package exec

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// TestWorkDirsAtOnce: directories that are made side by side sweep nothing of each other away.
func TestWorkDirsAtOnce(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 60 {
				w, err := NewWorkDir()
				if err != nil {
					t.Error(err)
					return
				}
				if err := os.WriteFile(filepath.Join(w.Path, "case.db"), nil, 0o600); err != nil {
					t.Error(err)
				}
				if err := w.Remove(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

// TestSweep: what a killed process left goes, with its lock and, once it is old, without; what is being made stays.
func TestSweep(t *testing.T) {
	base := t.TempDir()
	owned, err := makeWorkDir(base)
	if err != nil {
		t.Fatal(err)
	}
	defer owned.Remove()
	left, err := makeWorkDir(base)
	if err != nil {
		t.Fatal(err)
	}
	left.lock.Close()
	making, old := owned.Path+"1", owned.Path+"2"
	for _, dir := range []string{making, old} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(old, long, long); err != nil {
		t.Fatal(err)
	}
	sweep(base)
	for dir, want := range map[string]bool{owned.Path: true, left.Path: false, making: true, old: false} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s: there %v, want %v", dir, err == nil, want)
		}
	}
}

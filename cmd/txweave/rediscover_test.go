package main

import (
	"path/filepath"
	"testing"

	"txweave/finding/known"
)

// TestBugsToRediscover: the lists that the repository keeps can be read, and each bug is of one DBMS.
func TestBugsToRediscover(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "bench", "rediscover", "*.toml"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		bugs, err := known.Read(path)
		if err != nil {
			t.Error(err)
		}
		for _, b := range bugs {
			if b.DBMS == "" || b.Title == "" {
				t.Errorf("%s: %s does not say of what it is a bug", path, b.Name)
			}
		}
	}
}

package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"testing"
)

// A database leaves nothing behind.
func TestClose(t *testing.T) {
	db, err := Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	dir := db.(*target).dir.Path
	if err := db.Restart(t.Context()); err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory is there: %v", err)
	}
}

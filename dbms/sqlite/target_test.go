package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"txweave/dbms"
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

// No statement reaches another file than the case's own database.
func TestKeptIn(t *testing.T) {
	db, err := Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s, err := db.Open(t.Context(), &dbms.Profile{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	victim := filepath.Join(t.TempDir(), "victim.db")
	for _, sql := range []string{
		"ATTACH '" + victim + "' AS v", "ATTACH ':memory:' AS v", "VACUUM INTO '" + victim + "'", "SELECT load_extension('" + victim + "')",
		"SELECT writefile('" + victim + "', 'x')", "COMMIT; ATTACH '" + victim + "' AS v; DELETE FROM v.t",
	} {
		if a, err := s.Exec(t.Context(), sql); err == nil && a.Err == nil {
			t.Errorf("%s: no error", sql)
		} else if _, err := os.Stat(victim); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: there is a file", sql)
		}
	}
	if r, err := s.Read(t.Context(), "PRAGMA trusted_schema"); err != nil || strings.TrimSpace(r.Row(0)[0].String()) != "0" {
		t.Errorf("the schema is trusted: %v", err)
	}
}

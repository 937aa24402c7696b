package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/exec"
	"txweave/testcase"
)

// A database leaves nothing behind.
func TestClose(t *testing.T) {
	db, err := Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	dir := db.(*stores).dir.Path
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
	s, err := db.Open(t.Context(), exec.FirstNode, &dbms.Profile{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	victim := filepath.Join(t.TempDir(), "victim.db")
	for _, sql := range []string{
		"ATTACH '" + victim + "' AS v", "ATTACH ':memory:' AS v", "VACUUM INTO '" + victim + "'", "SELECT load_extension('" +
			victim + "')",
		"SELECT writefile('" + victim + "', 'x')", "COMMIT; ATTACH '" + victim + "' AS v; DELETE FROM v.t",
	} {
		if a, err := s.Exec(t.Context(), sql); err == nil && a.Err == nil {
			t.Errorf("%s: no error", sql)
		} else if _, err := os.Stat(victim); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: there is a file", sql)
		}
	}
	for _, sql := range []string{"SELECT zeroblob(900000000)", "SELECT printf('%.*c', 999999999, 'x')",
		"SELECT hex(zeroblob(10000000))"} {
		if a, err := s.Query(t.Context(), sql); err == nil && a.Err == nil && a.Rows.Row(0)[0].String() != "NULL" {
			t.Errorf("%s: a value of so many bytes is made", sql)
		}
	}
	if r, err := s.Read(t.Context(), "PRAGMA trusted_schema"); err != nil ||
		strings.TrimSpace(r.Row(0)[0].String()) != "0" {
		t.Errorf("the schema is trusted: %v", err)
	}
}

// A store has the shape that it is asked for, on every connection, until another one is.
func TestStore(t *testing.T) {
	db, err := Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	p := &dbms.Profile{DBMS: "sqlite", Variants: dbms.Variants{Stores: Levels()[0].Variants.Stores}}
	read := func(pragma string) string {
		t.Helper()
		s, err := db.Open(t.Context(), exec.FirstNode, p)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		r, err := s.Read(t.Context(), "PRAGMA "+pragma)
		if err != nil {
			t.Fatal(err)
		}
		return r.Row(0)[0].String()
	}
	usual := read("page_size")
	for i := range p.Variants.Stores {
		shape := &p.Variants.Stores[i]
		c := &testcase.Case{Target: "sqlite", Options: []testcase.Option{{Key: testcase.OptionStore, Value: shape.Name}}}
		if err := exec.Shape(t.Context(), db, c, p, func() { t.Error("sessions of a file that stays are closed") }); err !=
			nil {
			t.Fatalf("%s: %v", shape.Name, err)
		}
		if err := db.Control().Must(t.Context(), "BEGIN IMMEDIATE"); err != nil { // others may come while somebody writes
			t.Fatal(err)
		}
		for _, set := range shape.Set {
			pragma, value, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(set, "PRAGMA "), ")"), "(")
			if got := read(pragma); got != value {
				t.Errorf("%s: %s is %s, want %s", shape.Name, pragma, got, value)
			}
		}
		if got := read("journal_mode"); got != "'wal'" {
			t.Errorf("%s: the journal is %s", shape.Name, got)
		}
		if err := db.Control().Must(t.Context(), "ROLLBACK"); err != nil {
			t.Fatal(err)
		}
		if err := exec.Shape(t.Context(), db, c, p, func() { t.Error("the same shape again") }); err != nil {
			t.Error(err)
		}
	}
	other := &testcase.Case{Target: "sqlite", Options: []testcase.Option{{Key: testcase.OptionStore, Value: "round"}}}
	if err := exec.Shape(t.Context(), db, other, p, func() {}); err == nil {
		t.Error("there is no such store")
	}
	if err := exec.Shape(t.Context(), db, &testcase.Case{Target: "sqlite"}, p, func() {}); err != nil ||
		read("page_size") != usual {
		t.Errorf("the usual store: page_size is %s, want %s: %v", read("page_size"), usual, err)
	}
}

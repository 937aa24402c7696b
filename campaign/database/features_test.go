package database

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"txweave/campaign/store"
	"txweave/finding"
)

// TestFeatures: what checked cases are made of is counted once for each of them, over all starts.
func TestFeatures(t *testing.T) {
	dir := t.TempDir()
	for start := range 2 {
		d, c := open(t, dir)
		if err := c.Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		first := 3 * start
		done := []*store.CaseDone{
			{Case: first, Outcome: finding.Clean, Uses: []string{"a", "b"}},
			{Case: first + 1, Outcome: finding.Found, Uses: []string{"b"}},
			{Case: first + 2, Outcome: finding.Unchecked, Unchecked: &store.Unchecked{Case: first + 2, Reason: "r"},
				Uses: []string{"c"}},
			{Case: first, Outcome: finding.Clean, Uses: []string{"a"}}, // it was counted
		}
		for _, x := range done {
			if _, err := c.Done(x); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 { // the second has nothing to write
			if err := c.TakeSample(t.Context(), 1, 1); err != nil {
				t.Fatal(err)
			}
		}
		n := int64(start + 1)
		have, err := d.Features(t.Context())
		if want := []Production{{1, "a", n, 0}, {1, "b", 2 * n, n}}; err != nil || !reflect.DeepEqual(have, want) {
			t.Errorf("%v %v, want %v", have, err, want)
		}
		if s, err := d.Samples(t.Context(), Sample{}.At); err != nil || len(s) == 0 || s[len(s)-1].Features != 2 {
			t.Errorf("%v %v", s, err)
		}
	}
}

// TestUpgrade: a campaign of the first format goes on, also where whoever brought it up to date was killed amidst that;
// one of a later format is refused.
func TestUpgrade(t *testing.T) {
	for name, change := range map[string][]string{
		"format 1": {"UPDATE meta SET v = '1' WHERE k = 'format'", "ALTER TABLE samples DROP COLUMN edges",
			"ALTER TABLE samples DROP COLUMN features", "DROP TABLE features"},
		"before the columns": {"UPDATE meta SET v = '1' WHERE k = 'format'", "ALTER TABLE samples DROP COLUMN edges",
			"ALTER TABLE samples DROP COLUMN features"},
		"before the format": {"DELETE FROM meta WHERE k = 'format'", "ALTER TABLE samples DROP COLUMN edges",
			"ALTER TABLE samples DROP COLUMN features"},
		"later": {"UPDATE meta SET v = '3' WHERE k = 'format'"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			_, c := open(t, dir)
			if _, err := c.Done(&store.CaseDone{Outcome: finding.Clean, Uses: []string{"a"}}); err != nil {
				t.Fatal(err)
			}
			old, err := sql.Open("sqlite", filepath.Join(dir, File))
			if err != nil {
				t.Fatal(err)
			}
			defer old.Close()
			for _, stmt := range change {
				if _, err := old.Exec(stmt); err != nil {
					t.Fatal(stmt, err)
				}
			}
			if name == "later" {
				var plan *PlanError
				if _, err := Open(t.Context(), dir, true); !errors.As(err, &plan) || !strings.Contains(err.Error(),
					"its format is 3") {
					t.Error(err)
				}
				return
			}
			d, c := open(t, dir)
			if err := c.TakeSample(t.Context(), 1, 1); err != nil {
				t.Fatal(err)
			}
			if v, err := d.Meta(t.Context(), "format"); v != "2" {
				t.Error(v, err)
			}
			if s, err := d.Status(t.Context()); err != nil || s.Cells[0].CasesChecked != 1 {
				t.Errorf("%+v %v", s, err)
			}
		})
	}
}

// TestUpgradeShared: the same on real servers, one of which ends a transaction at each change of a table.
func TestUpgradeShared(t *testing.T) {
	for name, at := range stores(t) {
		t.Run(name, func(t *testing.T) {
			d, err := OpenShared(t.Context(), at, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			for _, stmt := range []string{"UPDATE meta SET v = '1' WHERE k = 'format'",
				"ALTER TABLE samples DROP COLUMN features"} {
				// killed between the two
				if _, err := d.sql.Exec(stmt); err != nil {
					t.Fatal(stmt, err)
				}
			}
			if d.dialect == &postgresDialect { // there it is one change
				if _, err := d.sql.Exec("ALTER TABLE samples DROP COLUMN edges"); err != nil {
					t.Fatal(err)
				}
			}
			again, err := OpenShared(t.Context(), at, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			if v, err := again.Meta(t.Context(), "format"); v != "2" || again.upgrade(t.Context()) != nil {
				t.Error(v, err)
			}
			if _, err := again.sql.Exec(hasFormat2); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestDamaged: of a file that is no database, or not a whole one, one line says which and what mends it.
func TestDamaged(t *testing.T) {
	for name, damage := range map[string]func(text []byte) []byte{
		"no database": func([]byte) []byte { return []byte("something else, of some length, that is none") },
		"cut off":     func(text []byte) []byte { return text[:2*4096] },
		"overwritten": func(text []byte) []byte {
			return append(append(text[:4096:4096], make([]byte, 8192)...), text[3*4096:]...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			d, err := Open(t.Context(), dir, true)
			if err != nil || d.Close() != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, File)
			text, err := os.ReadFile(path)
			if err != nil || os.WriteFile(path, damage(text), 0o600) != nil {
				t.Fatal(err)
			}
			d, err = Open(t.Context(), dir, false)
			if err == nil {
				_, err = d.Status(t.Context())
				defer d.Close()
			}
			var damaged *BrokenError
			if !errors.As(err, &damaged) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(),
				path+" is damaged") || strings.Count(err.Error(), path) > 1 {
				t.Error(err)
			}
		})
	}
}

// TestFaults: a fault that is no case's is counted to its cell, and shown with it.
func TestFaults(t *testing.T) {
	d, c := open(t, t.TempDir())
	for range 2 {
		if err := c.CountFault(t.Context(), "leak"); err != nil {
			t.Fatal(err)
		}
	}
	s := status(t, d)
	if one := &s.Cells[0]; one.Faults["leak"] != 2 || one.CasesChecked != 0 || !strings.Contains(one.Remark(time.Now()),
		"2 × leak") {
		t.Errorf("%+v: %s", one.Faults, one.Remark(time.Now()))
	}
	if wrong, _, _, err := d.Audit(t.Context()); err != nil || len(wrong) > 0 {
		t.Error(wrong, err)
	}
}

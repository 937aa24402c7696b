package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"txweave/finding"
)

// damaged makes a store of three bugs, one finding of each kept, none of the backup's files, and then damages it.
func damaged(t *testing.T, damage func(dir string)) string {
	t.Helper()
	dir := t.TempDir()
	s := In(dir)
	for i := range 4 {
		f := found(fmt.Sprint("c", i%3))
		name, err := s.Save(record(fmt.Sprintf("finding-%06d-0", i), "x"), f.Files)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Place([]Placement{{Record: record(name, "x"), Signature: finding.Signature{Coarse: f.Signature},
			Name: name}}, 1); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(s.CountKnown("known-1", ""), s.Close()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{backupFile, oldJournalFile} {
		if err := removeOld(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	damage(dir)
	return dir
}

// TestRepair: whatever a disk or a hand has done to the files of the bugs, and there is no backup, the next campaign
// goes on with every bug that is whole, lists the findings of the others, and says so once. Whoever only looks is told,
// and changes nothing.
func TestRepair(t *testing.T) {
	edit := func(name string, change func(string) string) func(string) {
		return func(dir string) {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(change(string(text))), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	replaced := func(old, new string) func(string) string {
		return func(s string) string { return strings.Replace(s, old, new, 1) }
	}
	for _, tc := range []struct {
		name   string
		damage func(dir string)
		kept   string // the bugs afterwards
		left   int    // findings that are to be counted anew
		next   int
	}{
		{"empty", edit(bugFile, func(string) string { return "" }), "", 3, 1},
		{"zeros", edit(bugFile, func(s string) string { return strings.Repeat("\x00", len(s)) }), "", 3, 1},
		{"another file", edit(bugFile, func(string) string { return "[]" }), "", 3, 1},
		{"cut in the midst of the last bug", edit(bugFile, func(s string) string {
			return s[:strings.Index(s, `"id": "B3"`)+30]
		}), "B1 B2", 1, 4},
		{"one bug's brace", edit(bugFile, replaced("\n    {\n      \"id\": \"B2\"", "\n    [\n      \"id\": \"B2\"")),
			"B1 B3", 1, 4},
		{"one count is no number", edit(bugFile, replaced(`"count": 2`, `"count": x2`)), "B2 B3", 1, 4},
		{"a name twice", edit(bugFile, replaced(`"id": "B2"`, `"id": "B1"`)), "B1 B3", 1, 4},
		{"a name that leads out of it", edit(bugFile, replaced(`"dir": "finding-000001-0"`, `"dir": "../victim"`)),
			"B1 B3", 1, 4},
		{"null", edit(bugFile, replaced(`"bugs": [`, `"bugs": [null,`)), "B1 B2 B3", 0, 4},
		{"a journal of another kind", func(dir string) {
			if err := os.WriteFile(filepath.Join(dir, journalFile), []byte("nonsense\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "B1 B2 B3", 0, 4},
		{"a journal with a hole", func(dir string) {
			s := In(dir)
			for i := range 3 {
				if _, err := s.Place([]Placement{{Record: record("n", "x"),
					Signature: finding.Signature{Coarse: fmt.Sprint("n", i)}}}, 1); err != nil {
					t.Fatal(err)
				}
			}
			edit(journalFile, replaced(`{"next":6,"bug"`, `{"next:6,"bug"`))(dir)
		}, "B1 B2 B3 B4 B6", 0, 7},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := damaged(t, tc.damage)
			var wrong *DamagedError
			if _, err := In(dir).Bugs(); !errors.As(err, &wrong) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("whoever looks is told: %v", err)
			}
			if _, err := os.Stat(filepath.Join(dir, QuarantineDir)); err == nil {
				t.Error("whoever looks has changed something")
			}
			for again := range 2 {
				s := In(dir)
				var said []string
				s.Tell(func(line string) { said = append(said, line) })
				left, err := s.Enter()
				if err != nil || len(left) != tc.left {
					t.Fatalf("%q left, want %d: %v", left, tc.left, err)
				}
				b, err := s.Bugs()
				if err != nil || b.Next != tc.next {
					t.Fatalf("%+v, want %d next: %v", b, tc.next, err)
				}
				var names []string
				for _, g := range b.Bugs {
					names = append(names, g.ID)
				}
				if got := strings.Join(names, " "); got != tc.kept {
					t.Errorf("bugs %s, want %s", got, tc.kept)
				}
				if len(said) != 1-again || again == 0 && (strings.Contains(said[0], "\n") || !strings.Contains(said[0],
					QuarantineDir)) {
					t.Errorf("said %q", said)
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestRepairUnderway: files that are damaged while a campaign uses them take nothing from it: it knows what they said.
func TestRepairUnderway(t *testing.T) {
	dir := damaged(t, func(string) {})
	s := In(dir)
	if _, err := s.Enter(); err != nil {
		t.Fatal(err)
	}
	place := func() finding.Bug {
		t.Helper()
		out, err := s.Place([]Placement{{Record: record("n", "x"),
			Signature: finding.Signature{Coarse: found("c0").Signature}}}, 1)
		if err != nil {
			t.Fatal(err)
		}
		return out[0].Bug
	}
	place()
	if err := os.WriteFile(filepath.Join(dir, bugFile), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if g := place(); g.ID != "B1" || g.Count != 4 {
		t.Errorf("%+v", g)
	}
	if b, err := In(dir).Bugs(); err != nil || len(b.Bugs) != 3 || b.Known["known-1"] != 1 {
		t.Errorf("%+v: %v", b, err)
	}
}

// TestNewerFormat: what a newer txweave has written is refused, not put aside.
func TestNewerFormat(t *testing.T) {
	for _, text := range []string{"{\n  \"format\": 3,\n  \"bugs\": \"elsewhere\"}", `{"format":3,"bugs":[]}`} {
		dir := damaged(t, func(dir string) {
			if err := os.WriteFile(filepath.Join(dir, bugFile), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		})
		_, err := In(dir).Enter()
		var wrong *DamagedError
		if now, rerr := os.ReadFile(filepath.Join(dir, bugFile)); err == nil || errors.As(err, &wrong) || rerr != nil ||
			string(now) != text {
			t.Errorf("%q: %v; now %q, %v", text, err, now, rerr)
		}
	}
}

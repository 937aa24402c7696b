package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"txweave/finding"
	"txweave/internal/testkit/cputime"
	"txweave/internal/testkit/effort"
)

func TestStore(t *testing.T) {
	s := In(filepath.Join(t.TempDir(), "a", "b"))
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(s.dir)); err == nil {
		t.Error("Check made a directory")
	}
	f := found("replay-difference")
	f.Confirmed, f.Repeated = 4, 5
	ref := &finding.Record{ID: "finding-000003-0", Finding: f.Finding, Environment: finding.Environment{DBMS: "fake",
		Seed: 7, Case: 3}}
	dir, err := s.Save(ref, f.Files)
	if err != nil || dir != ref.ID {
		t.Fatalf("%s, %v", dir, err)
	}
	name := dir
	dir = s.Where(name)
	if len(f.Files) != 1 {
		t.Errorf("Save changed the finding's files: %v", f.Files)
	}
	text, err := os.ReadFile(filepath.Join(dir, "finding.json"))
	if err != nil {
		t.Fatal(err)
	}
	var meta map[string]any
	if err := json.Unmarshal(text, &meta); err != nil {
		t.Fatal(err)
	}
	if meta["id"] != ref.ID || meta["class"] != "replay-difference" || meta["summary"] != "a summary" ||
		meta["files"] != nil {
		t.Errorf("finding.json: %s", text)
	}
	if rec, err := finding.ReadRecord(dir); err != nil || !reflect.DeepEqual(rec, ref) || rec.Rate != "4/5" {
		t.Errorf("%+v, %v", rec, err)
	}
	if text, err = os.ReadFile(filepath.Join(dir, "case.txw")); err != nil || string(text) != "text" {
		t.Errorf("case.txw: %q, %v", text, err)
	}
	if st, err := os.Stat(dir); err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", st.Mode(), err)
	}

	// A name that an earlier campaign took stays its own.
	again, err := s.Save(ref, f.Files)
	if err != nil || again != name+".2" {
		t.Errorf("%s, %v", again, err)
	}
	if third, err := s.Save(ref, f.Files); err != nil || third != name+".3" {
		t.Errorf("%s, %v", third, err)
	}
}

// TestStoreWhole checks that a finding that cannot be written whole leaves no directory, neither under its name nor
// under a temporary one.
func TestStoreWhole(t *testing.T) {
	s := In(t.TempDir())
	f := found("x")
	f.Files["no/such/directory"] = []byte("y")
	if dir, err := s.Save(&finding.Record{ID: "finding-000001-0"}, f.Files); err == nil || dir != "" {
		t.Errorf("%q, %v", dir, err)
	}
	left, err := os.ReadDir(s.dir)
	if err != nil || len(left) != 1 || left[0].Name() != presenceFile {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestChecksTogether: campaigns that start at once neither take each other's files for left ones nor trip over each
// other's directories.
func TestChecksTogether(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out", "deep", "er", "still")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 100 {
				d := In(dir)
				if err := d.Check(); err != nil {
					t.Errorf("campaign %d: %v", i, err)
					return
				}
				if _, err := d.Enter(); err != nil {
					t.Errorf("campaign %d: %v", i, err)
					return
				}
				if err := d.Close(); err != nil {
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
		if err := making(deep, func() error {
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

func TestStoreCheck(t *testing.T) {
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
		err := In(path).Check()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	if os.Getuid() != 0 { // root may write anywhere
		sealed := filepath.Join(dir, "sealed")
		if err := os.Mkdir(sealed, 0o555); err != nil {
			t.Fatal(err)
		}
		if err := In(filepath.Join(sealed, "out")).Check(); err == nil || !strings.Contains(err.Error(),
			"cannot write to "+sealed) {
			t.Errorf("sealed directory: %v", err)
		}
	}
}

// TestUpdateTogether lets several writers count in one store at once: none may lose another's.
func TestUpdateTogether(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			s := In(dir) // as another process would
			for range 25 {
				if err := s.Update(func(b *finding.Bugs) error { b.Known["k"]++; return nil }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	s := In(dir)
	b, err := s.Bugs()
	if err != nil || b.Known["k"] != 100 {
		t.Errorf("%+v, %v", b, err)
	}
	boom := errors.New("boom")
	if err := s.Update(func(b *finding.Bugs) error { b.Known["k"] = 0; return boom }); !errors.Is(err, boom) {
		t.Error(err)
	}
	if b, _ := s.Bugs(); b.Known["k"] != 100 {
		t.Error("a change that failed was written")
	}
}

// found is a finding with a case.
type foundFiles struct {
	finding.Finding
	Files map[string][]byte
}

func found(class string) foundFiles {
	f := foundFiles{finding.Finding{Class: class, Oracle: "fake", Summary: "a summary"},
		map[string][]byte{"case.txw": []byte("text")}}
	f.Sign()
	return f
}

func record(id, dbms string) *finding.Record {
	return &finding.Record{ID: id, Finding: finding.Finding{Class: "c", Summary: "s"},
		Environment: finding.Environment{DBMS: dbms, Version: "1.0", Isolation: "rr", Seed: 7, Case: 3,
			Command: "txweave fuzz"}}
}

// TestBugsThatDoHarm: a bugs.json that somebody else wrote is refused on one line, a campaign puts it aside, and
// nothing outside the store is touched.
func TestBugsThatDoHarm(t *testing.T) {
	for name, text := range map[string]string{
		"null":      `{"bugs":[null]}`,
		"up":        `{"bugs":[{"id":"B1","kept":[{"dir":"../victim"}]}]}`,
		"absolute":  `{"bugs":[{"id":"B1","kept":[{"dir":"/victim"}]}]}`,
		"below":     `{"bugs":[{"id":"B1","kept":[{"dir":"a/../../victim"}]}]}`,
		"nothing":   `{"bugs":[{"id":"B1","kept":[{"dir":""}]}]}`,
		"itself":    `{"bugs":[{"id":"B1","kept":[{"dir":"."}]}]}`,
		"gone":      `{"bugs":[],"gone":["../victim"]}`,
		"twice":     `{"bugs":[{"id":"B1"},{"id":"B1"}]}`,
		"no name":   `{"bugs":[{}]}`,
		"tomorrow":  `{"format":3,"bugs":[]}`,
		"truncated": `{"bugs":[`,
		"no object": `[]`,
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			victim := filepath.Join(parent, "victim")
			s := In(filepath.Join(parent, "out"))
			for _, dir := range []string{victim, s.dir} {
				if err := os.Mkdir(dir, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(s.dir, bugFile), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			f := found("c")
			place := func(limit int) error {
				_, err := s.Place([]Placement{{Record: record("finding-000001-0", "x"), Signature: finding.Signature{Coarse: "c"},
					Files: f.Files}}, limit)
				return err
			}
			if _, err := s.Bugs(); err == nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v", err)
			}
			said := ""
			s.Tell(func(line string) { said += line + "\n" })
			_, enter := s.Enter()
			if err := errors.Join(enter, place(1)); (err != nil) != (name == "tomorrow") || (err == nil) !=
				(strings.Count(said, "\n") == 1) {
				t.Errorf("error %v, said %q", err, said)
			}
			if _, err := os.Stat(victim); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestJournal: what was counted is there for another process at once, whether bugs.json was written since or not, and a
// line that was cut off is as if it had not been.
func TestJournal(t *testing.T) {
	dir := t.TempDir()
	one, two := In(dir), In(dir)
	place := func(s *Directory, coarse string) finding.Bug {
		t.Helper()
		out, err := s.Place([]Placement{{Record: record("finding-000001-0", "x"), Signature: finding.Signature{
			Coarse: coarse}}}, 1)
		if err != nil {
			t.Fatal(err)
		}
		return out[0].Bug
	}
	journal := filepath.Join(dir, journalFile)
	if g := place(one, "a"); g.ID != "B1" || g.Count != 1 || g.Origin.Seed != 7 || g.Origin.Case != 3 ||
		g.Origin.Command == "" {
		t.Errorf("%+v", g)
	}
	if g := place(two, "a"); g.ID != "B1" || g.Count != 2 {
		t.Errorf("%+v", g)
	}
	if g := place(one, "b"); g.ID != "B2" {
		t.Errorf("%+v", g)
	}
	f, err := os.OpenFile(journal, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"bug":{"id":"B9","dbms"`); err != nil {
		t.Fatal(err)
	}
	f.Close()
	if g := place(two, "c"); g.ID != "B3" {
		t.Errorf("after a line that was cut off: %+v", g)
	}
	if err := one.CountKnown("k", ""); err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	if err := two.Update(func(b *finding.Bugs) error { b.Bugs[0].Note = "n"; return nil }); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(journal, old, 0o600); err != nil { // it was killed before it could remove that
		t.Fatal(err)
	}
	if g := place(one, "a"); g.Count != 3 || g.Note != "n" {
		t.Errorf("%+v", g)
	}
	b, err := In(dir).Bugs()
	if err != nil || len(b.Bugs) != 3 || b.Known["k"] != 1 || b.Bugs[0].Count != 3 || b.Next != 4 {
		t.Errorf("%+v, %v", b, err)
	}
}

// TestBackup: a bugs.json that a disk has damaged is had back from the one before it and its journal.
func TestBackup(t *testing.T) {
	dir := t.TempDir()
	s := In(dir)
	for i := range 5 {
		if _, err := s.Place([]Placement{{Record: record("finding-000001-0", "x"), Signature: finding.Signature{
			Coarse: fmt.Sprint("c", i)}}}, 1); err != nil {
			t.Fatal(err)
		}
		if i == 2 {
			if err := s.Update(func(*finding.Bugs) error { return nil }); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "{", `{"format": 1, "bugs": [{"id": "B1`} {
		if err := os.WriteFile(filepath.Join(dir, bugFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		b, err := In(dir).Bugs()
		if err != nil || len(b.Bugs) != 5 || b.Next != 6 {
			t.Errorf("%q: %+v, %v", text, b, err)
		}
	}
}

// TestCountedOnce: a finding that was counted and whose files were to go is not taken for one that was left.
func TestCountedOnce(t *testing.T) {
	dir := t.TempDir()
	s := In(dir)
	f := found("c")
	for i := range 2 {
		name, err := s.Save(record(fmt.Sprintf("finding-%06d-0", i), "x"), f.Files)
		if err != nil {
			t.Fatal(err)
		}
		if i == 1 { // its files come back, as if it had been killed before it removed them
			if err := os.CopyFS(filepath.Join(dir, "copy"), os.DirFS(filepath.Join(dir, name))); err != nil {
				t.Fatal(err)
			}
		}
		out, err := s.Place([]Placement{{Record: record(name, "x"), Signature: finding.Signature{Coarse: "c"}, Name: name}},
			1)
		if err != nil || (out[0].Name != "") != (i == 0) {
			t.Fatalf("%+v, %v", out, err)
		}
	}
	s.presence.Close()
	if err := os.Rename(filepath.Join(dir, "copy"), filepath.Join(dir, "finding-000001-0")); err != nil {
		t.Fatal(err)
	}
	left, err := In(dir).Enter()
	if err != nil || len(left) != 0 {
		t.Errorf("%v, %v", left, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "finding-000001-0")); err == nil {
		t.Error("it is still there")
	}
}

// TestFlatCost: a finding costs about the same processor time with 20,000 bugs as with few.
func TestFlatCost(t *testing.T) {
	cost := func(bugs int) time.Duration {
		s := In(t.TempDir())
		err := s.Update(func(b *finding.Bugs) error {
			for i := range bugs {
				b.Place(record("finding-000001-0", "x"), finding.Signature{Coarse: fmt.Sprint("c", i)}, time.Unix(1, 0))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		var all []time.Duration
		for i := range 101 {
			began := cputime.Process()
			if _, err := s.Place([]Placement{{Record: record("finding-000001-0", "x"), Signature: finding.Signature{
				Coarse: fmt.Sprint("new", i)}}}, 1); err != nil {
				t.Fatal(err)
			}
			all = append(all, cputime.Process()-began)
		}
		return slices.Min(all) // the others tell of what else the machine had to do
	}
	most := effort.Cases(20_000)
	few, many := cost(1), cost(most)
	t.Logf("a finding costs %v with 1 bug, %v with %d", few, many, most)
	if many > 10*few+2*time.Millisecond {
		t.Errorf("a finding costs %v with %d bugs, and %v with one", many, most, few)
	}
}

// TestFault: descriptions of faults lie below the directory, a case's once, and no more of them than somebody reads.
func TestFault(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	s := In(dir)
	for i := range maxFaults + 2 {
		for range 2 {
			where, err := s.Fault(fmt.Sprintf("case-%03d.txt", i), []byte("why"))
			if err != nil || (where == "") != (i >= maxFaults) {
				t.Fatalf("%d: %q, %v", i, where, err)
			}
		}
	}
	if files, err := os.ReadDir(filepath.Join(dir, FaultsDir)); err != nil || len(files) != maxFaults {
		t.Errorf("%d files: %v", len(files), err)
	}
	if _, err := s.Fault("../x", nil); err == nil {
		t.Error("a name led elsewhere")
	}
}

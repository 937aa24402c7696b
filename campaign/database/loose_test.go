package database

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"

	"txweave/campaign/store"
	"txweave/finding"
	"txweave/finding/signature"
)

// loose is the store of findings of no cell in a directory, until the test ends.
func loose(t testing.TB, dir string) *Loose {
	l := In(dir)
	t.Cleanup(func() { l.Close() })
	return l
}

// TestLoose: a finding lies whole in its directory, and each has a name of its own.
func TestLoose(t *testing.T) {
	s := loose(t, filepath.Join(t.TempDir(), "a", "b"))
	if left, err := s.Enter(); err != nil || len(left) > 0 {
		t.Fatal(left, err)
	}
	if _, err := os.Stat(filepath.Dir(s.dir)); err == nil {
		t.Error("a directory was made for nothing")
	}
	f := withCase("replay-difference")
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
	for _, want := range []string{name + ".2", name + ".3"} {
		ref.ID = name
		if again, err := loose(t, s.dir).Save(ref, f.Files); err != nil || again != want || ref.ID != want {
			t.Errorf("%s, %s, %v", again, ref.ID, err)
		}
	}
}

// asItStands is what is kept in a directory, as others see it.
func asItStands(t testing.TB, dir string) *store.Early {
	t.Helper()
	db, err := Of(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return store.AsItStands(db)
}

// TestLooseWhole checks that a finding that cannot be written whole leaves no directory, neither under its name nor
// under a temporary one.
func TestLooseWhole(t *testing.T) {
	s := loose(t, t.TempDir())
	f := withCase("x")
	f.Files["no/such/directory"] = []byte("y")
	if dir, err := s.Save(&finding.Record{ID: "finding-000001-0"}, f.Files); err == nil || dir != "" {
		t.Errorf("%q, %v", dir, err)
	}
	for _, pattern := range []string{"finding-*", finding.TempPrefix + "*"} {
		if left, err := filepath.Glob(filepath.Join(s.dir, pattern)); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
	if b, err := asItStands(t, s.dir).Bugs(); err != nil || len(b.Bugs) > 0 {
		t.Errorf("%+v, %v", b, err)
	}
}

// TestLooseUncounted: a finding that the database does not take leaves no directory, from which the next campaign would
// count it after all.
func TestLooseUncounted(t *testing.T) {
	s := loose(t, t.TempDir())
	if err := s.CountKnown("k", ""); err != nil { // so that the database is there
		t.Fatal(err)
	}
	if _, err := s.kept.db.sql.ExecContext(t.Context(),
		"CREATE TRIGGER full BEFORE INSERT ON findings BEGIN SELECT RAISE(ABORT, 'full'); END"); err != nil {
		t.Fatal(err)
	}
	f := withCase("x")
	if name, err := s.Save(record("finding-000001-0", "x"), f.Files); err == nil || name != "" {
		t.Fatalf("%q, %v", name, err)
	}
	if left, err := filepath.Glob(filepath.Join(s.dir, "finding-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestUpdateTogether: several processes count in one store at once, and none loses another's.
func TestUpdateTogether(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			s := loose(t, dir) // as another process would
			for range 25 {
				if err := s.CountKnown("k", ""); err != nil {
					t.Error(err)
				}
				if _, err := s.Place([]store.Placement{{Record: record("finding-000001-0", "x"), Signature: finding.Signature{
					Coarse: "c"}}}, 1); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	s := loose(t, dir)
	b, err := s.Bugs()
	if err != nil || b.Known["k"] != 100 || len(b.Bugs) != 1 || b.Bugs[0].Count != 100 {
		t.Errorf("%+v, %v", b, err)
	}
	boom := errors.New("boom")
	if err := s.Update(func(b *finding.Bugs) error { b.Bugs[0].Note = "x"; return boom }); !errors.Is(err, boom) {
		t.Error(err)
	}
	if b, _ := s.Bugs(); b.Bugs[0].Note != "" {
		t.Error("a change that failed was written")
	}
}

// TestCountedOnce: a finding that was counted and whose files were to go is not taken for one that was left.
func TestCountedOnce(t *testing.T) {
	dir := t.TempDir()
	s := loose(t, dir)
	f := withCase("c")
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
		out, err := s.Place([]store.Placement{{Record: record(name, "x"), Signature: finding.Signature{Coarse: "c"},
			Name: name}}, 1)
		if err != nil || (out[0].Name != "") != (i == 0) {
			t.Fatalf("%+v, %v", out, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "copy"), filepath.Join(dir, "finding-000001-0")); err != nil {
		t.Fatal(err)
	}
	left, err := loose(t, dir).Enter()
	if err != nil || len(left) != 0 {
		t.Errorf("%v, %v", left, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "finding-000001-0")); err == nil {
		t.Error("it is still there")
	}
}

// found is a finding with a case.
type foundFiles struct {
	finding.Finding
	Files map[string][]byte
}

func withCase(class string) foundFiles {
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

// TestFindingsThatWaitAreGrouped: findings that a campaign has kept and not reduced yet are bugs as they are, beside
// those that are placed and with them where they are alike; nothing of that is written, and a campaign finds them as it
// has left them.
func TestFindingsThatWaitAreGrouped(t *testing.T) {
	dir := t.TempDir()
	s := loose(t, dir)
	save := func(n int, sig string) *finding.Record {
		r := &finding.Record{ID: fmt.Sprintf("finding-%06d-0", n)}
		r.Class, r.Signature, r.Summary = finding.ClassReplay, sig, "it differs"
		r.Environment.DBMS, r.Environment.Isolation = "sqlite", "serializable"
		if _, err := s.Save(r, map[string][]byte{finding.CaseFile: []byte("no case that can be read")}); err != nil {
			t.Fatal(err)
		}
		return r
	}
	for n, sig := range []string{"a", "b", "a"} {
		save(n, sig)
	}
	see := func() (text string) {
		t.Helper()
		b, err := asItStands(t, dir).Bugs()
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range b.Bugs {
			text += fmt.Sprintf("%s %s %s %d, %d kept, %d not reduced\n", g.ID, g.Status, g.Signature.Coarse, g.Count,
				len(g.Kept), g.Unreduced)
		}
		return text
	}
	want := "finding-000000-0 open a 2, 2 kept, 2 not reduced\nfinding-000001-0 open b 1, 1 kept, 1 not reduced\n"
	if got := see(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if b, err := s.Bugs(); err != nil || len(b.Bugs) != 0 {
		t.Errorf("%v, %v is written", b, err)
	}
	placed := save(4, "a")
	if _, err := s.Place([]store.Placement{{Record: placed, Name: placed.ID,
		Signature: signature.OfText(&placed.Finding, nil)}}, 3); err != nil {
		t.Fatal(err)
	}
	want = "B1 open a 3, 3 kept, 2 not reduced\nfinding-000001-0 open b 1, 1 kept, 1 not reduced\n"
	if got := see(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if err := s.Close(); err != nil { // it is killed
		t.Fatal(err)
	}
	left, err := loose(t, dir).Enter()
	if err != nil || fmt.Sprint(left) != "[finding-000000-0 finding-000001-0 finding-000002-0]" {
		t.Errorf("left %v, %v", left, err)
	}
}

// TestSaidEarly: what is said of findings that wait is seen at once, and is said of the bug that their first one is
// counted to; what somebody has settled of that bug before stands, a bug of other findings gets no status, and nothing
// is said twice.
func TestSaidEarly(t *testing.T) {
	dir := t.TempDir()
	var waiting []store.Placement
	for n, sig := range []string{"a", "a", "b", "c", "d", "d"} {
		r := &finding.Record{ID: fmt.Sprintf("finding-%06d-0", n)}
		r.Class, r.Signature = finding.ClassReplay, sig
		r.Environment.DBMS, r.Environment.Isolation = "sqlite", "serializable"
		name, err := loose(t, dir).Save(r, map[string][]byte{finding.CaseFile: []byte("no case that can be read")})
		if err != nil {
			t.Fatal(err)
		}
		waiting = append(waiting, store.Placement{Record: r, Name: name, Signature: signature.OfText(&r.Finding, nil)})
	}
	edit := func(id string, what func(g *finding.Bug)) {
		t.Helper()
		err := asItStands(t, dir).Update(func(b *finding.Bugs) error {
			g, err := b.Find(id)
			if err == nil {
				what(g)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	see := func(want string) {
		t.Helper()
		b, err := asItStands(t, dir).Bugs()
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, g := range b.Bugs {
			text += fmt.Sprintf("%s %s %q %q %d\n", g.ID, g.Status, g.Note, g.Labels, g.Count)
		}
		if text != want {
			t.Errorf("%swant\n%s", text, want)
		}
	}
	place := func(n int) {
		t.Helper()
		s := loose(t, dir)
		if _, err := s.Place(waiting[n:n+1], 1); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	edit("finding-000000-0", func(g *finding.Bug) { g.Settle(finding.StatusInvalid, "as documented") })
	edit("finding-000000-0", func(g *finding.Bug) { g.Label([]string{"x", "y"}, false) })
	edit("finding-000000-0", func(g *finding.Bug) { g.Label([]string{"y"}, true) })
	edit("finding-000002-0", func(g *finding.Bug) { g.Label([]string{"z"}, false) })
	see(`finding-000000-0 invalid "as documented" ["x"] 2
finding-000002-0 open "" ["z"] 1
finding-000003-0 open "" [] 1
finding-000004-0 open "" [] 2
`)
	place(0)
	see(`B1 invalid "as documented" ["x"] 2
finding-000002-0 open "" ["z"] 1
finding-000003-0 open "" [] 1
finding-000004-0 open "" [] 2
`)
	place(1) // of the same signature, and another finding
	place(3)
	edit("finding-000002-0", func(g *finding.Bug) { g.Settle(finding.StatusInvalid, "as documented") })
	place(2)
	see(`B1 invalid "as documented" ["x"] 2
B2 open "" [] 1
B3 invalid "as documented" ["z"] 1
finding-000004-0 open "" [] 2
`)
	edit("finding-000004-0", func(g *finding.Bug) { g.Settle(finding.StatusInvalid, "as documented") })
	edit("finding-000004-0", func(g *finding.Bug) { g.Label([]string{"w"}, false) })
	place(5)
	place(4) // of the bug another finding was there, of which nobody has said that
	see(`B1 invalid "as documented" ["x"] 2
B2 open "" [] 1
B3 invalid "as documented" ["z"] 1
B4 open "" ["w"] 2
`)
	edit("B1", func(g *finding.Bug) { g.Settle(finding.StatusOpen, "") })
	if b, err := loose(t, dir).Bugs(); err != nil || len(b.Said) != 0 || b.Bugs[0].Status != finding.StatusOpen {
		t.Errorf("%v: %v", b.Said, err)
	}
}

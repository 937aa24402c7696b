package store

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"txweave/finding"
	"txweave/finding/signature"
)

// TestFindingsThatWaitAreGrouped: findings that a campaign has kept and not reduced yet are bugs as they are, beside
// those that are placed and with them where they are alike; nothing of that is written, and a campaign finds them as it
// has left them.
func TestFindingsThatWaitAreGrouped(t *testing.T) {
	dir := t.TempDir()
	s := In(dir)
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
	if err := os.Mkdir(filepath.Join(dir, "finding-000009-0"), 0o700); err != nil { // which is damaged
		t.Fatal(err)
	}
	see := func() (text string) {
		t.Helper()
		if !In(dir).Holds() {
			t.Fatal("there are no findings")
		}
		b, err := AsItStands(In(dir)).Bugs()
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
	if b, err := In(dir).Bugs(); err != nil || len(b.Bugs) != 0 {
		t.Errorf("%v, %v is written", b, err)
	}
	placed := save(4, "a")
	if _, err := s.Place([]Placement{{Record: placed, Name: placed.ID, Signature: signature.OfText(&placed.Finding, nil)}},
		3); err != nil {
		t.Fatal(err)
	}
	want = "B1 open a 3, 3 kept, 2 not reduced\nfinding-000001-0 open b 1, 1 kept, 1 not reduced\n"
	if got := see(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if err := s.Close(); err != nil { // it is killed
		t.Fatal(err)
	}
	left, err := In(dir).Enter()
	if err != nil || fmt.Sprint(left) != "[finding-000000-0 finding-000001-0 finding-000002-0 finding-000009-0]" {
		t.Errorf("left %v, %v", left, err)
	}
}

// TestSaidEarly: what is said of findings that wait is seen at once, and is said of the bug that their first one is
// counted to; what somebody has settled of that bug before stands, a bug of other findings gets no status, and nothing
// is said twice.
func TestSaidEarly(t *testing.T) {
	dir := t.TempDir()
	var waiting []Placement
	for n, sig := range []string{"a", "a", "b", "c", "d", "d"} {
		r := &finding.Record{ID: fmt.Sprintf("finding-%06d-0", n)}
		r.Class, r.Signature = finding.ClassReplay, sig
		r.Environment.DBMS, r.Environment.Isolation = "sqlite", "serializable"
		name, err := In(dir).Save(r, map[string][]byte{finding.CaseFile: []byte("no case that can be read")})
		if err != nil {
			t.Fatal(err)
		}
		waiting = append(waiting, Placement{Record: r, Name: name, Signature: signature.OfText(&r.Finding, nil)})
	}
	edit := func(id string, what func(g *finding.Bug)) {
		t.Helper()
		err := AsItStands(In(dir)).Update(func(b *finding.Bugs) error {
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
		b, err := AsItStands(In(dir)).Bugs()
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
		s := In(dir)
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
	if b, err := In(dir).Bugs(); err != nil || len(b.Said) != 0 || b.Bugs[0].Status != finding.StatusOpen {
		t.Errorf("%v: %v", b.Said, err)
	}
}

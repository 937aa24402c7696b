package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"txweave/campaign/store"
	_ "txweave/dbms/registry"
	"txweave/finding"
)

// open opens the database of a directory with one cell, as a process that starts does.
func open(t testing.TB, dir string) (*DB, *Cell) {
	t.Helper()
	d, err := Open(t.Context(), dir, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	cells, err := d.Begin(t.Context(), Shard{0, 1}, "test",
		[]CellPlan{{Name: "one", Target: "sqlite", Isolation: "serializable", Mode: "fuzz", Seed: 7}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := cells[0].Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	return d, cells[0]
}

func status(t testing.TB, d *DB) *CampaignStatus {
	t.Helper()
	s, err := d.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// a finding of a case with a signature.
func found(n int, signature string) (*finding.Record, finding.Signature) {
	rec := &finding.Record{ID: fmt.Sprintf("finding-one-%06d-0", n), Finding: finding.Finding{Class: "crash",
		Signature: signature, Summary: "s"},
		Environment: finding.Environment{DBMS: "sqlite", Version: "3", Isolation: "serializable", Case: n, Seed: 7}}
	return rec, finding.Signature{Coarse: signature, Features: []string{}}
}

// TestEachCaseOnce: whatever ends a process when, in whatever order cases end, each number counts once, and all that
// were begun and not counted come again first.
func TestEachCaseOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		counted := map[int]bool{}
		for range rapid.IntRange(1, 2).Draw(rt, "starts") {
			d, c := open(t, dir)
			var underWay []int
			for range rapid.IntRange(0, 12).Draw(rt, "steps") {
				if len(underWay) < 3 {
					n, ok := c.Next()
					if !ok || counted[n] {
						rt.Fatalf("case %d is begun, and was counted: %v", n, ok)
					}
					underWay = append(underWay, n)
				}
				if rapid.Bool().Draw(rt, "ends") {
					i := rapid.IntRange(0, len(underWay)-1).Draw(rt, "which")
					n := underWay[i]
					underWay = append(underWay[:i], underWay[i+1:]...)
					if fresh, err := c.Done(&store.CaseDone{Case: n}); err != nil || !fresh {
						rt.Fatalf("case %d: %v, %v", n, fresh, err)
					}
					counted[n] = true
					if fresh, err := c.Done(&store.CaseDone{Case: n}); err != nil || fresh {
						rt.Fatalf("case %d counts twice: %v", n, err)
					}
				}
			}
			d.Close() // killed: what is under way is lost
		}
		d, c := open(t, dir)
		s := status(t, d).Cells[0]
		if s.CasesChecked != int64(len(counted)) || s.NextCase-s.Holes != int64(len(counted)) {
			rt.Fatalf("%d cases were counted: %+v", len(counted), s)
		}
		seen := map[int]bool{}
		for range 60 {
			n, _ := c.Next()
			if counted[n] || seen[n] {
				rt.Fatalf("case %d comes again", n)
			}
			seen[n] = true
		}
		for n := range 20 {
			if !counted[n] && !seen[n] {
				rt.Fatalf("case %d is left out", n)
			}
		}
		if wrong, n, _, err := d.Audit(t.Context()); err != nil || len(wrong) > 0 || n != int64(len(counted)) {
			rt.Fatalf("%d of %d cases: %v, %v", n, len(counted), wrong, err)
		}
		d.Close()
	})
}

// TestFindings: a finding is there from when its case counts, and counts to its bug once.
func TestFindings(t *testing.T) {
	dir := t.TempDir()
	d, c := open(t, dir)
	save := func(n int, signature string, counted bool) store.Placement {
		rec, sig := found(n, signature)
		name, err := c.Save(rec, map[string][]byte{finding.LogFile: []byte("log"), finding.StormFile: []byte("{}")})
		if err != nil {
			t.Fatal(err)
		}
		p := store.Placement{Record: rec, Signature: sig, Name: name}
		if counted {
			if _, err := c.Done(&store.CaseDone{Case: n, Outcome: finding.Found, Waiting: []store.Placement{p}}); err != nil {
				t.Fatal(err)
			}
		}
		return p
	}
	a, b := save(0, "crash/a", true), save(1, "crash/b", true)
	save(2, "crash/a", false) // killed before the case counted
	if _, err := c.Place([]store.Placement{a}, 3); err != nil {
		t.Fatal(err)
	}
	d.Close()

	d, c = open(t, dir)
	left, err := c.Enter()
	if err != nil || len(left) != 1 || left[0] != b.Name {
		t.Fatalf("%v are left: %v", left, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "finding-one-000002-0")); !os.IsNotExist(err) {
		t.Errorf("a finding of a case that does not count is there: %v", err)
	}
	for range 3 { // the first time counts
		out, err := c.Place([]store.Placement{a, b}, 3)
		if err != nil || out[0].Bug.ID != "B1" || out[1].Bug.ID != "B2" {
			t.Fatalf("%+v: %v", out, err)
		}
	}
	for n := 2; n < 8; n++ {
		if _, err := c.Place([]store.Placement{save(n, "crash/a", true)}, 3); err != nil {
			t.Fatal(err)
		}
	}
	bugs, err := d.Bugs()
	if err != nil || len(bugs.Bugs) != 2 || bugs.Bugs[0].Count != 7 || bugs.Bugs[1].Count != 1 ||
		len(bugs.Bugs[0].Kept) != 3 {
		t.Fatalf("%+v: %v", bugs, err)
	}
	dirs, err := filepath.Glob(filepath.Join(dir, "finding-*"))
	if err != nil || len(dirs) != 4 {
		t.Errorf("%v are kept: %v", dirs, err)
	}
	if s := status(t, d); s.Bugs != 2 || s.Findings != 8 {
		t.Errorf("%+v", s)
	}
	if wrong, _, n, err := d.Audit(t.Context()); err != nil || len(wrong) > 0 || n != 8 {
		t.Errorf("%d: %v, %v", n, wrong, err)
	}
	// One that turns out to be a known bug counts to none, and its files go.
	known := save(8, "crash/c", true)
	if err := c.CountKnown("known-1", known.Name); err != nil {
		t.Fatal(err)
	}
	if wrong, cases, n, err := d.Audit(t.Context()); err != nil || len(wrong) > 0 || n != 8 || cases != 9 {
		t.Errorf("with a known bug %d findings of %d cases: %v, %v", n, cases, wrong, err)
	}
	if err := os.Remove(filepath.Join(dir, a.Name, finding.RecordFile)); err != nil {
		t.Fatal(err)
	}
	if wrong, _, _, err := d.Audit(t.Context()); err != nil || len(wrong) != 1 {
		t.Errorf("a finding without its record: %v, %v", wrong, err)
	}
}

// TestLostDatabase: findings of a campaign whose database is gone are put aside, with a word, and not swept away.
func TestLostDatabase(t *testing.T) {
	dir := t.TempDir()
	d, c := open(t, dir)
	rec, sig := found(0, "crash/a")
	name, err := c.Save(rec, map[string][]byte{finding.StormFile: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	p := store.Placement{Record: rec, Signature: sig, Name: name}
	if _, err := c.Done(&store.CaseDone{Case: 0, Outcome: finding.Found, Waiting: []store.Placement{p}}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Place([]store.Placement{p}, 3); err != nil {
		t.Fatal(err)
	}
	d.Close()
	files, err := filepath.Glob(filepath.Join(dir, File+"*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if err := os.Remove(f); err != nil {
			t.Fatal(err)
		}
	}
	before := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(dir, name), before, before); err != nil {
		t.Fatal(err)
	}
	_, c = open(t, dir)
	said := ""
	c.Tell(func(line string) { said += line + "\n" })
	if left, err := c.Enter(); err != nil || len(left) > 0 || strings.Count(said, "\n") != 1 {
		t.Errorf("%v left, said %q: %v", left, said, err)
	}
	if _, err := os.Stat(filepath.Join(dir, store.QuarantineDir, name, finding.RecordFile)); err != nil {
		t.Error(err)
	}
}

// TestUncounted: files of a cell's first finding, whose case was not counted as its process was killed or the disk was
// full, are no lost database's: they go without a word, as the case comes again.
func TestUncounted(t *testing.T) {
	dir := t.TempDir()
	d, c := open(t, dir)
	rec, _ := found(0, "crash/a")
	name, err := c.Save(rec, map[string][]byte{finding.StormFile: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	d.Close()
	_, c = open(t, dir)
	c.Tell(func(line string) { t.Errorf("said: %s", line) })
	if left, err := c.Enter(); err != nil || len(left) > 0 {
		t.Errorf("%v left: %v", left, err)
	}
	for _, path := range []string{store.QuarantineDir, name} {
		if _, err := os.Stat(filepath.Join(dir, path)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is there: %v", path, err)
		}
	}
}

// TestCountedOnly: findings of which nothing but the number is kept are placed by the next process.
func TestCountedOnly(t *testing.T) {
	dir := t.TempDir()
	d, c := open(t, dir)
	rec, sig := found(0, "crash/a")
	if _, err := c.Done(&store.CaseDone{Case: 0, Outcome: finding.Found,
		Waiting: []store.Placement{{Record: rec, Signature: sig}}}); err != nil {
		t.Fatal(err)
	}
	d.Close()
	d, c = open(t, dir)
	if left, err := c.Enter(); err != nil || len(left) > 0 {
		t.Fatalf("%v: %v", left, err)
	}
	if b, err := d.Bugs(); err != nil || len(b.Bugs) != 1 || b.Bugs[0].Count != 1 {
		t.Fatalf("%+v: %v", b, err)
	}
}

// TestUnreadableFinding: a row that cannot be read keeps no campaign from going on: it is said, and waits no longer.
func TestUnreadableFinding(t *testing.T) {
	d, c := open(t, t.TempDir())
	for n, signature := range []string{"crash/a", "crash/b"} {
		rec, sig := found(n, signature)
		if _, err := c.Done(&store.CaseDone{Case: n, Outcome: finding.Found,
			Waiting: []store.Placement{{Record: rec, Signature: sig}}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := d.sql.ExecContext(t.Context(), "UPDATE findings SET record = '[null' WHERE n = 0"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{1, 0} {
		said := 0
		c.Tell(func(string) { said++ })
		if _, err := c.Enter(); err != nil || said != want {
			t.Fatalf("%d lines said, want %d: %v", said, want, err)
		}
	}
	if b, err := d.Bugs(); err != nil || len(b.Bugs) != 1 || b.Bugs[0].Count != 1 {
		t.Fatalf("%+v: %v", b, err)
	}
}

// TestHistory: who did what to a bug is told, and bugs can be merged and split.
func TestHistory(t *testing.T) {
	d, c := open(t, t.TempDir())
	for n, signature := range []string{"crash/a", "crash/b"} {
		rec, sig := found(n, signature)
		p := store.Placement{Record: rec, Signature: sig}
		if _, err := c.Done(&store.CaseDone{Case: n, Outcome: finding.Found, Waiting: []store.Placement{p}}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Place([]store.Placement{p}, 3); err != nil {
			t.Fatal(err)
		}
	}
	steps := []func(*finding.Bugs) error{
		func(b *finding.Bugs) error { b.Bugs[0].Settle(finding.StatusInvalid, "as documented"); return nil },
		func(b *finding.Bugs) error { b.Bugs[0].Label([]string{"x"}, false); return nil },
		func(b *finding.Bugs) error { _, err := b.Merge("B1", []string{"B2"}); return err },
	}
	for _, step := range steps {
		if err := d.UpdateAs("ann", step); err != nil {
			t.Fatal(err)
		}
	}
	h, err := d.History(t.Context(), "B1")
	if err != nil || len(h) != 3 {
		t.Fatalf("%+v: %v", h, err)
	}
	for i, want := range []string{"B2 merged into it", "label x", "invalid, was open; note: as documented"} {
		if h[i].Who != "ann" || h[i].What != want {
			t.Errorf("%+v, want %q", h[i], want)
		}
	}
	if b, err := d.Bugs(); err != nil || len(b.Bugs) != 1 || b.Bugs[0].Count != 2 {
		t.Errorf("%+v: %v", b, err)
	}
}

// TestPlans: a cell goes on at its cursor, and does not become another one.
func TestPlans(t *testing.T) {
	dir := t.TempDir()
	d, c := open(t, dir)
	if _, err := c.Done(&store.CaseDone{Case: 0}); err != nil {
		t.Fatal(err)
	}
	begin := func(s Shard, p ...CellPlan) error {
		_, err := d.Begin(context.Background(), s, "test", p, func() uint64 { return rand.Uint64() })
		return err
	}
	one := CellPlan{Name: "one", Target: "sqlite", Isolation: "serializable", Mode: "fuzz"}
	if err := begin(Shard{0, 1}, one); err != nil {
		t.Error(err)
	}
	other := one
	other.Mode = "storm"
	for _, err := range []error{begin(Shard{0, 1}, other), begin(Shard{0, 2}, one)} {
		if plan := (*PlanError)(nil); !errors.As(err, &plan) {
			t.Errorf("%v", err)
		}
	}
	two := CellPlan{Name: "two", Target: "sqlite", Isolation: "serializable", Mode: "fuzz"}
	if err := begin(Shard{0, 1}, two); err != nil {
		t.Error(err)
	}
	s := status(t, d)
	if len(s.Cells) != 2 || s.Cells[0].Shown() != "left out" || s.Cells[0].NextCase != 1 || s.Cells[1].Shown() !=
		"stopped" || s.Cells[1].Seed == 0 {
		t.Errorf("%+v", s.Cells)
	}
	if _, err := Lock(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(dir); !errors.Is(err, ErrRunning) {
		t.Errorf("%v", err)
	}
	if !status(t, d).Running {
		t.Error("it is not seen that it runs")
	}
}

// TestPrivate: nobody else can read what is there.
func TestPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "c")
	open(t, dir)
	for _, name := range []string{"", File, File + "-wal", File + "-shm"} {
		st, err := os.Stat(filepath.Join(dir, name))
		if err != nil || st.Mode().Perm()&0o077 != 0 {
			t.Errorf("%q: %v, %v", name, st.Mode(), err)
		}
	}
}

// TestHostileTexts: what a server says is kept, whatever it is.
func TestHostileTexts(t *testing.T) {
	d, c := open(t, t.TempDir())
	rec, sig := found(0, "crash/\x00\xff'\"--"+strings.Repeat("a", 400))
	p := store.Placement{Record: rec, Signature: sig}
	done := &store.CaseDone{Case: 0, Waiting: []store.Placement{p}, Held: []string{sig.Coarse},
		Unchecked: &store.Unchecked{Reason: "\xff", Detail: "\x00"}}
	if _, err := c.Done(done); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Place([]store.Placement{p}, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Bugs(); err != nil {
		t.Fatal(err)
	}
}

// TestTakeOver: bugs that fuzz kept in the directory are the campaign's from then on, and its findings are counted to
// them.
func TestTakeOver(t *testing.T) {
	dir := t.TempDir()
	for n := range 2 {
		rec, _ := found(n, "crash/a")
		if err := finding.Write(filepath.Join(dir, fmt.Sprintf("finding-%06d-0", n)), rec,
			map[string][]byte{finding.StormFile: []byte("{}")}, nil); err != nil {
			t.Fatal(err)
		}
	}
	const bug = `{"id": "B1", "dbms": "sqlite", "status": "open", "class": "crash", "signature": {"coarse": "crash/a",
"features": []}, "count": %d, "kept": [{"dir": "finding-000000-0"}, {"dir": "finding-000001-0"}]}`
	line := func(count int) string {
		return fmt.Sprintf(`{"next": 2, "bug": %s}`+"\n", strings.ReplaceAll(fmt.Sprintf(bug, count), "\n", " "))
	}
	for name, text := range map[string]string{
		"bugs.json": `{"format": 2, "generation": 4, "next": 2, "bugs": [` + fmt.Sprintf(bug, 2) + `]}`,
		"bugs.journal.jsonl": `{"generation": 4}` + "\n" + line(3) + `{"known": {"known-1": 1}}` + "\n" +
			strings.TrimSuffix(line(9), "}\n"), // a kill has cut it off
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d, c := open(t, dir)
	for _, want := range []int{1, 0} { // it is done once
		if n, err := d.TakeOver(t.Context(), func(line string) { t.Error(line) }); err != nil || n != want {
			t.Fatalf("%d bugs: %v", n, err)
		}
	}
	rec, sig := found(7, "crash/a")
	p := store.Placement{Record: rec, Signature: sig}
	if _, err := c.Done(&store.CaseDone{Case: 7, Waiting: []store.Placement{p}}); err != nil {
		t.Fatal(err)
	}
	if out, err := c.Place([]store.Placement{p}, 2); err != nil || out[0].Bug.ID != "B1" || out[0].Bug.Count != 4 {
		t.Fatalf("%+v: %v", out, err)
	}
	if wrong, _, n, err := d.Audit(t.Context()); err != nil || len(wrong) > 0 || n != 4 {
		t.Errorf("%d findings: %v, %v", n, wrong, err)
	}
	if b, err := d.Bugs(); err != nil || b.Known["known-1"] != 1 {
		t.Errorf("%+v: %v", b, err)
	}
	there := func() bool {
		_, err := os.Stat(filepath.Join(dir, oldBugs))
		return err == nil
	}
	if there() {
		t.Error("bugs.json is there still")
	}
	if err := os.Rename(filepath.Join(dir, "bugs.json"+taken), filepath.Join(dir, "bugs.json")); err != nil {
		// as a kill leaves it
		t.Fatal(err)
	}
	if n, err := d.TakeOver(t.Context(), func(line string) { t.Error(line) }); err != nil || n != 1 || there() {
		t.Errorf("%d bugs: %v", n, err)
	}
	if b, err := d.Bugs(); err != nil || len(b.Bugs) != 1 || b.Bugs[0].Count != 4 {
		t.Errorf("%+v: %v", b, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "bugs.json"), []byte(`{"bugs": []}`), 0o600); err != nil {
		// of a fuzz that came later
		t.Fatal(err)
	}
	var wrong *PlanError
	if _, err := d.TakeOver(t.Context(), func(line string) { t.Error(line) }); !errors.As(err, &wrong) {
		t.Errorf("%v", err)
	}
}

package database

import (
	"fmt"
	"testing"

	"txweave/campaign/store"
	"txweave/finding"
)

// TestUnreduced: a group that may be a bug with a reduced case counts as none, in the campaign and in its cell, until
// one of its findings can be none of the bugs; a finding of it that is reduced later is counted where it belongs.
func TestUnreduced(t *testing.T) {
	d, c := open(t, t.TempDir())
	reduced := finding.Signature{Coarse: "snapshot-violation/dirty-read", Cause: finding.CauseDirty,
		Features: []string{"transactions"}, Minimal: true}
	large := func(features ...string) finding.Signature {
		return finding.Signature{Coarse: "mechanism-violation/refused-update", Features: features, Whole: features}
	}
	var names []string
	put := func(sig finding.Signature) {
		t.Helper()
		n, _ := c.Next()
		rec, _ := found(n, sig.Coarse)
		name, err := c.Save(rec, map[string][]byte{finding.StormFile: []byte("{}")})
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
		p := []store.Placement{{Record: rec, Signature: sig, Name: name}}
		if _, err := c.Done(&store.CaseDone{Case: n, Outcome: finding.Found, Waiting: p}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Place(p, 3); err != nil {
			t.Fatal(err)
		}
	}
	counts := func(want string) {
		t.Helper()
		s := status(t, d)
		if err := c.TakeSample(t.Context(), 1, 1); err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("%s, cell %d, sample %d", finding.CountBugs(s.Bugs, s.Unreduced), s.Cells[0].BugsShown,
			c.sampled.Bugs)
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if wrong, _, _, err := d.Audit(t.Context()); err != nil || len(wrong) > 0 {
			t.Errorf("%v, %q", err, wrong)
		}
	}
	put(reduced)
	put(large("UPDATE", "transactions"))
	counts("1 bug and 1 unreduced group, cell 1, sample 1")
	put(large("UPDATE")) // which that bug does not explain
	counts("2 bugs, cell 2, sample 2")
	rec, _ := found(1, reduced.Coarse)
	err := d.Update(func(b *finding.Bugs) error {
		b.Recount(names[1], rec, reduced, "")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	counts("2 bugs, cell 2, sample 2")
	if id, err := d.BugOf(t.Context(), names[1]); id != "B1" || err != nil {
		t.Errorf("%s is of %s, want B1 (%v)", names[1], id, err)
	}
}

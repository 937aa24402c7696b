package database

import (
	"fmt"
	"testing"

	"txweave/campaign/store"
	"txweave/finding"
)

// TestWaiting: findings that wait in a campaign's database are bugs as they are, whether their files are kept or not,
// and what is said of them the bug has that they are counted to.
func TestWaiting(t *testing.T) { each(t, waits) }

func waits(t *testing.T, d *DB) {
	cells, err := d.Begin(t.Context(), Shard{0, 1}, "test",
		[]CellPlan{{Name: "one", Target: "sqlite", Isolation: "serializable", Mode: "fuzz", Seed: 7}}, nil)
	if err == nil {
		err = cells[0].Resume(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	c := cells[0]
	var list []store.Placement
	for n, signature := range []string{"crash/a", "crash/a", "crash/b"} {
		rec, sig := found(n, signature)
		p := store.Placement{Record: rec, Signature: sig}
		if n == 0 { // the others are only counted
			var err error
			if p.Name, err = c.Save(rec, map[string][]byte{finding.StormFile: []byte("{}")}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.Done(&store.CaseDone{Case: n, Outcome: finding.Found, Waiting: []store.Placement{p}}); err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	see := func(want string) {
		t.Helper()
		b, err := store.AsItStands(d).Bugs()
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, g := range b.Bugs {
			text += fmt.Sprintf("%s %s %q %d %d %d\n", g.ID, g.Status, g.Labels, g.Count, g.Unreduced, len(g.Kept))
		}
		if text != want {
			t.Errorf("%swant\n%s", text, want)
		}
	}
	for _, label := range []string{"x", "y"} {
		err := store.AsItStands(d).Update(func(b *finding.Bugs) error {
			g, err := b.Find("finding-one-000000-0")
			if err == nil {
				g.Settle(finding.StatusInvalid, "")
				g.Label([]string{label}, false)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	see("finding-one-000000-0 invalid [\"x\" \"y\"] 2 2 1\nfinding-one-000002-0 open [] 1 1 0\n")
	if _, err := c.Place(list[:1], 3); err != nil {
		t.Fatal(err)
	}
	see("B1 invalid [\"x\" \"y\"] 2 1 1\nfinding-one-000002-0 open [] 1 1 0\n")
	if _, err := c.Place(list, 3); err != nil {
		t.Fatal(err)
	}
	see("B1 invalid [\"x\" \"y\"] 2 0 1\nB2 open [] 1 0 0\n")
}

package interleave_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"txweave/dbms"
	"txweave/dbms/sqlite"
	"txweave/exec"
	"txweave/exec/planted"
	"txweave/gen/guide/interleave"
	"txweave/instrument"
	"txweave/internal/testkit/servers"
	"txweave/sdg"
	"txweave/testcase"
	"txweave/weave"
)

// TestExploreFindsWhatEveryInterleavingShows runs every interleaving of small cases on an engine with a planted bug,
// and those that are explored: the others must show nothing that these do not.
func TestExploreFindsWhatEveryInterleavingShows(t *testing.T) {
	t.Parallel()
	engine, err := sqlite.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	p := servers.Level(t, "sqlite", "")
	showing, least, most := 0, 0, 0
	bugs := []string{"lost-update", "non-repeatable-read", "stale-snapshot", "lost-delete"}
	if testing.Short() {
		bugs = bugs[:1]
	}
	for _, name := range bugs {
		i := slices.IndexFunc(planted.Faults(), func(f *planted.Fault) bool { return f.Name == name })
		target := planted.PlantAlways(engine, planted.Faults()[i])
		for _, path := range small(t) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			c, err := testcase.Parse(path, text)
			if err != nil {
				t.Fatal(err)
			}
			plan, err := instrument.Instrument(c, p)
			if err != nil {
				t.Fatal(err)
			}
			if n := interleave.Count(plan); !n.IsInt64() || n.Int64() > 72 {
				continue
			}
			r := servers.Runner(t, target, p)
			want, all := explored(t, r, c, p, plan, true)
			got, some := explored(t, r, c, p, plan, false)
			if !maps.Equal(got, want) {
				t.Errorf("%s, %s: %d interleavings show %v, the %d explored %v", name, path, all, want, some, got)
			}
			least, most = least+some, most+all
			if len(want) > 0 {
				showing++
			}
		}
	}
	if least*3 > most*2 {
		t.Errorf("%d of %d interleavings explored", least, most)
	}
	if showing < 3*len(bugs)-2 {
		t.Errorf("%d pairs of a case and a bug show something: there is little to compare", showing)
	}
}

// small lists cases of two transactions.
func small(t *testing.T) []string {
	paths, err := filepath.Glob("../../../docs/hermitage/*.txw")
	if err != nil || len(paths) == 0 {
		t.Fatal("no cases", err)
	}
	return paths
}

// explored returns the signatures that the interleavings of a case show, each of them or one of each class, and how
// many ran.
func explored(t *testing.T, r *exec.Runner, c *testcase.Case, p *dbms.Profile, plan *instrument.Plan,
	each bool) (map[string]bool, int) {
	shown, ran := map[string]bool{}, 0
	check := func(steps []instrument.Step) (*weave.Explored, error) {
		d := c.Clone()
		d.Schedule = interleave.Numbers(steps)
		rep, err := weave.Check(r, d, p, weave.Options{Repeats: 1, Orders: 1, Precision: sdg.Match, Explore: true})
		if err != nil {
			return nil, err
		}
		ran++
		for _, ev := range append(rep.Findings, rep.Unconfirmed...) {
			shown[ev.Signature] = true
		}
		return rep.Explored, nil
	}
	if each {
		for steps := range interleave.All(plan) {
			if _, err := check(steps); err != nil {
				t.Fatal(err)
			}
		}
		return shown, ran
	}
	out, err := interleave.Explore(plan, 1000, check)
	if err != nil || !out.Whole || out.Ran != ran {
		t.Fatal(out, ran, err)
	}
	return shown, ran
}

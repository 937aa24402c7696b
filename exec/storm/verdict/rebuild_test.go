package verdict

import (
	"testing"

	"txweave/exec/storm"
	"txweave/oracle/mechanism"
)

// Only a row that is missing from a snapshot which was taken while its own table was built anew has the name of that, and each
// other finding stands before the second one of a kind.
func TestRebuilt(t *testing.T) {
	acts := []storm.Act{{Nemesis: storm.DDL, What: "ALTER TABLE {table} FORCE", Start: 100, End: 200, Rebuilt: "t1"},
		{Nemesis: storm.DDL, What: "ANALYZE TABLE {table}", Start: 300, End: 400}}
	missing := mechanism.Violation{Mechanism: mechanism.CR, What: "missing-row", Item: "t1:5", Seen: [2]int64{150, 160}}
	if !rebuilt(acts, &missing) {
		t.Error("its snapshot was taken meanwhile")
	}
	for name, change := range map[string]func(*mechanism.Violation){
		"another table":   func(v *mechanism.Violation) { v.Item = "t0:5" },
		"before":          func(v *mechanism.Violation) { v.Seen = [2]int64{50, 99} },
		"after":           func(v *mechanism.Violation) { v.Seen = [2]int64{201, 210} },
		"another act":     func(v *mechanism.Violation) { v.Seen = [2]int64{310, 320} },
		"a dirty version": func(v *mechanism.Violation) { v.What = "dirty-read" },
		"a lock":          func(v *mechanism.Violation) { v.Mechanism = mechanism.ME },
	} {
		v := missing
		if change(&v); rebuilt(acts, &v) {
			t.Errorf("%s: it is blamed on the rebuilding", name)
		}
	}
	for _, what := range []string{"future-read", "stale-read", "aborted-read (G1a)"} {
		v := missing
		if v.What = what; !rebuilt(acts, &v) {
			t.Errorf("%s: its snapshot was taken meanwhile", what)
		}
	}
	stale := missing
	stale.What, stale.Seen = "stale-read", [2]int64{210, 220}
	res := &storm.Result{Acts: acts}
	found := Findings(res, &mechanism.TraceReport{Violations: []mechanism.Violation{missing, missing, stale}})
	var got []string
	for _, f := range found {
		got = append(got, f.Summary)
	}
	want := []string{"consistent-read: missing-row-after-rebuild of t1:5", "consistent-read: stale-read of t1:5", "consistent-read: missing-row-after-rebuild of t1:5"}
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			t.Fatalf("%q, want %q", got, want)
		}
	}
	if Findings(&storm.Result{}, &mechanism.TraceReport{}) == nil {
		t.Error("no findings are null in JSON")
	}
}

// Only a row that was missing to a statement which was killed while it ran has the name of that.
func TestKilled(t *testing.T) {
	res := &storm.Result{Sinks: 9, Acts: []storm.Act{{Nemesis: storm.Kill, What: "the statement of session 7", Start: 100, End: 200, Killed: 8}}}
	missing := mechanism.Violation{Mechanism: mechanism.CR, What: "missing-row", Item: "t1:5", Txns: []int64{3752}, At: 150, Seen: [2]int64{150, 160}}
	if !killed(res, &missing) { // T3752 is of session 7: 8 modulo 9
		t.Error("its statement was killed")
	}
	for name, change := range map[string]func(*mechanism.Violation){
		"another session":  func(v *mechanism.Violation) { v.Txns = []int64{3753} },
		"sent later":       func(v *mechanism.Violation) { v.At, v.Seen = 201, [2]int64{201, 210} },
		"answered before":  func(v *mechanism.Violation) { v.At, v.Seen = 50, [2]int64{50, 99} },
		"a stale version":  func(v *mechanism.Violation) { v.What = "stale-read" },
		"of another kind":  func(v *mechanism.Violation) { v.Mechanism = mechanism.ME },
		"of nobody's name": func(v *mechanism.Violation) { v.Txns = nil },
	} {
		v := missing
		if change(&v); killed(res, &v) {
			t.Errorf("%s: it is blamed on the kill", name)
		}
	}
	for _, what := range []string{"missing-row", mechanism.AbortedDelete} {
		v := missing
		v.What = what
		found := Findings(res, &mechanism.TraceReport{Violations: []mechanism.Violation{v}})
		if len(found) != 1 || found[0].Signature != "mechanism-violation/consistent-read:missing-row-after-kill" {
			t.Errorf("%s: %+v", what, found)
		}
	}
}

// Only a version of a rolled-back transaction that is read after the partitions of its own table were copied has the name of that.
func TestCopied(t *testing.T) {
	acts := []storm.Act{{Nemesis: storm.DDL, What: "ALTER TABLE {table} REMOVE PARTITIONING", Start: 100, End: 200, Copied: "t1"}}
	read := mechanism.Violation{Mechanism: mechanism.CR, What: "aborted-read", Item: "t1:5", Seen: [2]int64{250, 260}}
	found := Findings(&storm.Result{Acts: acts}, &mechanism.TraceReport{Violations: []mechanism.Violation{read}})
	if len(found) != 1 || found[0].Signature != "mechanism-violation/consistent-read:aborted-read-after-repartitioning" {
		t.Errorf("%+v", found)
	}
	for name, change := range map[string]func(*mechanism.Violation){
		"another table": func(v *mechanism.Violation) { v.Item = "t0:5" },
		"before":        func(v *mechanism.Violation) { v.Seen = [2]int64{50, 99} },
		"a stale one":   func(v *mechanism.Violation) { v.What = "stale-read" },
	} {
		v := read
		if change(&v); copied(acts, &v) {
			t.Errorf("%s: it is blamed on the copying", name)
		}
	}
}

package verdict

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"txweave/exec/storm"
	"txweave/fault"
	"txweave/finding"
	"txweave/oracle/mechanism"
)

// named is what a violation is called that is found when some acts have ended, and others have not.
func named(u *disruption, v mechanism.Violation, ended, going []storm.Act) mechanism.Violation {
	for _, acts := range [][]storm.Act{ended, going} {
		for i := range acts {
			a := acts[i]
			a.End = 0
			u.begin(&a)
			if len(ended) > 0 && &acts[0] == &ended[0] {
				a.End = acts[i].End
				u.end(&a)
			}
		}
	}
	u.name(&v)
	return v
}

// fresh is an disruption of nine sessions of which nothing has been verified.
func fresh() *disruption {
	return &disruption{sinks: 9, passed: func() int64 { return math.MinInt64 }}
}

// Only a row that is missing from a snapshot which was taken while its own table was built anew has the name of that.
func TestRebuilt(t *testing.T) {
	acts := []storm.Act{{Nemesis: storm.DDL, What: "ALTER TABLE {table} FORCE", Start: 100, End: 200, Rebuilt: "t1"},
		{Nemesis: storm.DDL, What: "ANALYZE TABLE {table}", Start: 300, End: 400}}
	missing := mechanism.Violation{Mechanism: mechanism.CR, What: "missing-row", Item: "t1:5", Table: "t1",
		Txns: []int64{1}, Seen: [2]int64{150, 160}, At: 250}
	for what, acts := range map[string][2][]storm.Act{"done": {acts}, "going on": {nil, acts}} {
		v := named(fresh(), missing, acts[0], acts[1])
		if v.What != "missing-row-after-rebuild" || !slices.ContainsFunc(v.Explanation, func(s finding.Sentence) bool {
			return strings.Contains(s.String(), "beside it: ddl: ALTER TABLE {table} FORCE")
		}) {
			t.Errorf("%s: its snapshot was taken meanwhile: %s, %q", what, v.What, v.Explanation)
		}
	}
	for name, change := range map[string]func(*mechanism.Violation){
		"another table":   func(v *mechanism.Violation) { v.Table = "t0" },
		"before":          func(v *mechanism.Violation) { v.Seen = [2]int64{50, 99} },
		"after":           func(v *mechanism.Violation) { v.Seen = [2]int64{201, 210} },
		"another act":     func(v *mechanism.Violation) { v.Seen = [2]int64{310, 320} },
		"a dirty version": func(v *mechanism.Violation) { v.What = fault.G1b },
		"a lock":          func(v *mechanism.Violation) { v.Mechanism = mechanism.ME },
	} {
		v := missing
		if change(&v); named(fresh(), v, acts, nil).What != v.What {
			t.Errorf("%s: it is blamed on the rebuilding", name)
		}
	}
	index := []storm.Act{{Nemesis: storm.DDL, What: "ALTER TABLE {table} DROP INDEX {table}_v", Start: 100, End: 200,
		Indexed: "t1"}}
	for _, what := range []fault.Kind{fault.MissingRow, fault.NewerRead, fault.DirtyRead,
		fault.StaleRead, fault.G1a} {
		v := missing
		if v.What = what; named(fresh(), v, acts, nil).What != what.With(fault.AfterRebuild) ||
			named(fresh(), v, append(index, acts...), nil).What != what.With(fault.AfterRebuild) {
			t.Errorf("%s: its snapshot was taken meanwhile", what)
		}
		if named(fresh(), v, index, nil).What != what.With(fault.AfterIndexBuild) {
			t.Errorf("%s: its snapshot was taken while an index was built", what)
		}
		if v.Table = "t0"; named(fresh(), v, index, nil).What != what {
			t.Errorf("%s: the index is another table's", what)
		}
	}
}

// Of the findings each stands before the second one of a kind.
func TestFindings(t *testing.T) {
	missing := mechanism.Violation{Mechanism: mechanism.CR, What: "missing-row-after-rebuild", Item: "t1:5", Table: "t1"}
	stale := mechanism.Violation{Mechanism: mechanism.CR, What: "stale-read", Item: "t1:5", Table: "t1"}
	var got []string
	for _, f := range Findings(&storm.Result{}, &mechanism.TraceReport{Violations: []mechanism.Violation{missing,
		missing, stale}}) {
		got = append(got, f.Summary)
	}
	want := []string{"consistent-read: missing-row-after-rebuild of t1:5", "consistent-read: stale-read of t1:5",
		"consistent-read: missing-row-after-rebuild of t1:5"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if Findings(&storm.Result{}, &mechanism.TraceReport{}) == nil {
		t.Error("no findings are null in JSON")
	}
}

// Only a row that was missing to a statement which was killed while it ran has the name of that.
func TestKilled(t *testing.T) {
	acts := []storm.Act{{Nemesis: storm.Kill, What: "the statement of session 7", Start: 100, End: 200, Killed: 8}}
	missing := mechanism.Violation{Mechanism: mechanism.CR, What: "missing-row", Item: "t1:5", Table: "t1",
		Txns: []int64{3752}, At: 150, Seen: [2]int64{150, 160}}
	for _, what := range []fault.Kind{fault.MissingRow, fault.G1aDelete} { // T3752 is of session 7: 8 modulo 9
		v := missing
		v.What = what
		for _, v := range []mechanism.Violation{named(fresh(), v, acts, nil), named(fresh(), v, nil, acts)} {
			if l := v.Listed(); l.Signature != "mechanism-violation/missing-row-after-kill" {
				t.Errorf("%s: its statement was killed: %+v", what, l)
			}
		}
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
		if change(&v); named(fresh(), v, acts, nil).What != v.What {
			t.Errorf("%s: it is blamed on the kill", name)
		}
	}
}

// Only a version of a rolled-back transaction that is read after the partitions of its own table were copied has the
// name of that, however long afterwards.
func TestCopied(t *testing.T) {
	acts := []storm.Act{{Nemesis: storm.DDL, What: "ALTER TABLE {table} REMOVE PARTITIONING", Start: 100, End: 200,
		Copied: "t1"}}
	read := mechanism.Violation{Mechanism: mechanism.CR, What: fault.G1a, Item: "t1:5", Table: "t1", Txns: []int64{1},
		Seen: [2]int64{250, 260}, At: 250}
	late := read
	late.At, late.Seen = int64(3*time.Hour), [2]int64{int64(3 * time.Hour), int64(3*time.Hour) + 10}
	for _, v := range []mechanism.Violation{read, late} {
		v = named(fresh(), v, acts, nil)
		if l := v.Listed(); l.Signature != "mechanism-violation/G1a-after-repartitioning" {
			t.Errorf("%+v", l)
		}
	}
	for name, change := range map[string]func(*mechanism.Violation){
		"another table": func(v *mechanism.Violation) { v.Table = "t0" },
		"before":        func(v *mechanism.Violation) { v.Seen = [2]int64{50, 99} },
		"a stale one":   func(v *mechanism.Violation) { v.What = "stale-read" },
	} {
		v := read
		if change(&v); named(fresh(), v, acts, nil).What != v.What {
			t.Errorf("%s: it is blamed on the copying", name)
		}
	}
}

// However many acts a storm has, what is found has the name of its own act, and is told what was done before; no more
// are kept than those that what is still to be verified may need.
func TestManyActs(t *testing.T) {
	const acts, apart, lag, sessions = 500_000, int64(7 * time.Millisecond), int64(3 * time.Second), 9
	var passed int64
	u := &disruption{sinks: sessions, passed: func() int64 { return passed }}
	most := 0
	for i := range acts {
		start := int64(1+i) * apart
		a := storm.Act{Nemesis: storm.Kill, What: fmt.Sprintf("statements of session %d", i%sessions), Start: start,
			Killed: 1 + i%sessions}
		if i%1000 == 0 {
			a = storm.Act{Nemesis: storm.DDL, What: fmt.Sprintf("rebuilding %d", i), Start: start, Rebuilt: "t0"}
		}
		u.begin(&a)
		a.End = start + apart/2
		u.end(&a)
		passed = max(0, start-lag)
		if most = max(most, len(u.done)); i%10_000 != 1000 {
			continue
		}
		at := start + apart/4
		rebuilt := mechanism.Violation{Mechanism: mechanism.CR, What: "stale-read", Item: "t0:1", Table: "t0",
			Txns: []int64{3}, At: at + lag/2, Seen: [2]int64{at, at}}
		u.name(&rebuilt)
		at -= 20 * apart
		killed := mechanism.Violation{Mechanism: mechanism.CR, What: "missing-row", Item: "t1:1", Table: "t1",
			Txns: []int64{int64(1 + (i-20)%sessions)}, At: at, Seen: [2]int64{at, at}}
		u.name(&killed)
		beside := fmt.Sprintf("beside it: kill: statements of session %d in [%d, %d]", (i-20)%sessions, start-20*apart,
			start-20*apart+apart/2)
		if rebuilt.What != "stale-read-after-rebuild" || killed.What != "missing-row-after-kill" ||
			!strings.Contains(killed.Explanation.String(), beside) {
			t.Fatalf("after %d acts: %s, %s, %q", i, rebuilt.What, killed.What, killed.Explanation)
		}
	}
	if within := int((lag+actsOld)/apart) + 256; most > 2*within+256 || len(u.going) > 0 {
		t.Errorf("%d acts are kept, %d go on, of which %d are needed", most, len(u.going), within)
	}
}

// What others' statements are put through is not told.
func TestBefore(t *testing.T) {
	acts := []storm.Act{{Nemesis: storm.Crash, What: "the process was killed", Start: 10, End: 20},
		{Nemesis: storm.Kill, What: "statements of session 3", Start: 30, End: 40, Killed: 4},
		{Nemesis: storm.Kill, What: "statements of session 5", Start: 50, End: 60, Killed: 6},
		{Nemesis: storm.Pause, What: "the process was stopped", Start: 200, End: 210}}
	v := named(fresh(), mechanism.Violation{Mechanism: mechanism.ME, What: "two-locks", Item: "t0:1", Table: "t0",
		Txns: []int64{8, 4}, At: 100}, acts, nil)
	want := []string{"before that: crash: the process was killed in [10, 20]",
		"before that: kill: statements of session 3 in [30, 40]"}
	if v.Explanation.String() != strings.Join(want, "; ") {
		t.Errorf("%q, want %q", v.Explanation, want)
	}
}

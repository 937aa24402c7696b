package finding

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"txweave/fault"
)

func sig(coarse string, minimal bool, features ...string) Signature {
	return Signature{Coarse: coarse, Features: features, Minimal: minimal}
}

func record(dbms, version string) *Record {
	return &Record{Finding: Finding{Class: "c", Summary: "s"}, Environment: Environment{DBMS: dbms, Version: version,
		Isolation: "rr"}}
}

// TestPlace places findings one after the other and checks to which bug each is counted.
func TestPlace(t *testing.T) {
	b := &Bugs{}
	now := time.Unix(1, 0)
	for i, tc := range []struct {
		dbms string
		sig  Signature
		want string
	}{
		{"x", sig("a", false, "join", "write"), "B1"},          // nothing is known yet
		{"x", sig("a", false, "case", "write"), "B1"},          // not reduced: all of one coarse signature together
		{"x", sig("a", true, "join"), "B2"},                    // reduced: by what it needs
		{"x", sig("a", true, "join"), "B2"},                    // again
		{"x", sig("a", true, "write"), "B3"},                   // another bug: it needs no join
		{"y", sig("a", true, "join"), "B4"},                    // another DBMS
		{"x", sig("b", true, "join"), "B5"},                    // another coarse signature
		{"x", sig("a", true, "join", "write"), "B2"},           // a join that stands in something
		{"x", sig("a", true, "order", "write"), "B6"},          // nothing that tells is common
		{"x", sig("a", false, "case", "order", "write"), "B6"}, // not reduced: the most specific one that it covers
		{"x", sig("a", false, "join"), "B2"},
		{"x", sig("a", false, "case"), "B1"}, // it covers none
		{"x", sig("a", true), "B7"},
		{"x", sig("a", false, "case"), "B7"},
		{"x", sig("a", true, "order"), "B6"},           // it needs less than was thought …
		{"x", sig("a", true, "having", "order"), "B6"}, // … so this is one of them
		{"x", sig("crash/f<g<h", true, "index", "key-apart"), "B8"},
		{"x", sig("crash/f<g<h", true, "read"), "B8"}, // one stack, whatever the statement is
		{"x", sig("crash/f<g<i", true, "read"), "B9"},
		{"x", sig("crash/lost-connection", true, "key-apart"), "B10"},
		{"x", sig("crash/lost-connection", true, "join"), "B11"}, // no stack
	} {
		g, fresh := b.Place(record(tc.dbms, "1.0"), tc.sig, now)
		if g.ID != tc.want || fresh != (g.Count == 1) {
			t.Errorf("finding %d: %s, want %s", i, g.ID, tc.want)
		}
	}
}

// TestPlaceTitle: a bug is called by the finding that needs the least, and not by whichever came last.
func TestPlaceTitle(t *testing.T) {
	for _, findings := range [][]struct {
		sig   Signature
		title string // of the finding
		want  string // of the bug
	}{
		{{sig("a", true, "join", "write"), "a join writes", "a join writes"}, {sig("a", true, "join"), "a join", "a join"},
			{sig("a", true, "join"), "again", "a join"}, {sig("a", true, "join", "order"), "an order", "a join"}},
		{{sig("a", false, "join", "write"), "a large case", "a large case"}, {sig("a", false, "join"), "another",
			"a large case"}},
		{{sig("crash/f<g<h", false, "join"), "a large case", "a large case"}, {sig("crash/f<g<h", true), "a small one",
			"a small one"},
			{sig("crash/f<g<h", true), "another", "a small one"}},
	} {
		b := &Bugs{}
		for _, f := range findings {
			r := record("x", "1.0")
			r.Title = f.title
			g, _ := b.Place(r, f.sig, time.Unix(1, 0))
			g.Keep(Kept{Dir: f.title, Signature: f.sig}, 3)
			if g.ID != "B1" || g.Title != f.want {
				t.Errorf("after %q: %s is called %q, want %q", f.title, g.ID, g.Title, f.want)
			}
		}
	}
}

// TestPlaceCauses places findings that tell their cause: oracles and statements play no part where the cause is one of
// transactions; where it is one of statements, what needs something of SQL stays apart.
func TestPlaceCauses(t *testing.T) {
	b := &Bugs{}
	caused := func(cause Cause, coarse string, minimal bool, features ...string) Signature {
		s := sig(coarse, minimal, features...)
		s.Cause = cause
		return s
	}
	for i, tc := range []struct {
		sig  Signature
		want string
	}{
		{caused(CauseStale, "stale-read", true, "SELECT", "transactions"), "B1"},
		{caused(CauseStale, "UPDATE:overwrote-unseen", true, "UPDATE"), "B1"},   // another oracle, another kind of statement
		{caused(CauseStale, "stale-read", true, "SELECT", "group"), "B1"},       // who reads is no matter
		{caused(CauseLost, "stale-read", true, "SELECT", "transactions"), "B2"}, // the same oracle, another cause
		{caused(CauseLost, "final", true, "DELETE"), "B2"},
		{caused(CauseTwice, "SELECT:row-twice", true, "SELECT"), "B3"},
		{caused(CauseTwice, "DELETE:row-twice", true, "DELETE"), "B3"},
		{caused(CauseTwice, "SELECT:row-twice", true, "SELECT", "group"), "B4"}, // it needs something of SQL
		{caused(CauseTwice, "INSERT:row-twice", true, "INSERT", "group", "having"), "B4"},
		{caused(CauseTwice, "SELECT:row-twice", true, "SELECT", "join"), "B5"},
		{caused(CauseTwice, "SELECT:row-twice", false, "SELECT", "case", "join"), "B5"}, // not reduced: the most specific one
		{caused(CauseTwice, "SELECT:row-twice", false, "SELECT", "case"), "B3"},
		{sig("final", true, "UPDATE"), "B6"},          // it has no cause, though the first part is the same
		{sig("final", false, "DELETE", "case"), "B2"}, // a large case need not tell the cause
		{sig("other", false, "UPDATE", "case"), "B7"},
		{caused(CauseDirty, "other", true, "UPDATE"), "B8"},
		{caused(CauseMissing, "missing-row", true, "SELECT"), "B9"},
		{caused(CauseMiscount, "INSERT:affected", true, "INSERT"), "B10"},
		{caused(CauseMiscount, "INSERT:affected", true, "REPLACE"), "B11"}, // it is what REPLACE counts
		{caused(Cause{Of: "error 1 no such table"}, "corruption/1", true, "read"), "B12"},
		// the tool's own statement met it
		{caused(Cause{Of: "error 1 no such table"}, "corruption/1", true, "autocommit", "ddl:ALTER"), "B12"},
		{caused(Cause{Of: "error 1 no such table"}, "unexpected-error/1", true, "UPDATE", "view"), "B12"},
		{sig("first-updater-wins", true, "transactions", "write"), "B13"}, // what has no cause is one for others …
		{caused(Cause{Of: "first-updater-wins"}, "unexplained-read/DELETE", true, "DELETE", "transactions", "write"), "B13"},
		{caused(Cause{Of: "mutual-exclusion"}, "unexplained-read/DELETE", true, "DELETE", "transactions", "write"), "B14"},
		{sig("mutual-exclusion", true, "transactions", "write"), "B14"}, // … whichever is met first
		{caused(CauseGone, "RELEASE:lost-savepoint", true, "read", "savepoint"), "B15"},
		{caused(CauseGone, "ROLLBACK TO:lost-savepoint", true, "early-savepoint", "savepoint"), "B15"},
		{caused(Cause{fault.PassesOver, "UPDATE"}, "UPDATE:matched-versus-written", true, "UPDATE", "compare", "join:left",
			"joined-write"), "B16"},
		// it reads joined tables
		{caused(Cause{fault.PassesOver, "UPDATE"}, "UPDATE:matched-versus-written", true, "UPDATE", "derived", "join:left",
			"subquery", "versioned"), "B17"},
		{caused(Cause{fault.PassesOver, "UPDATE"}, "UPDATE:matched-versus-written", false, "IF", "UPDATE", "derived",
			"join:left", "subquery", "versioned"), "B17"},
	} {
		if g, fresh := b.Place(record("x", "1.0"), tc.sig, time.Unix(1, 0)); g.ID != tc.want || fresh != (g.Count == 1) {
			t.Errorf("finding %d: %s, want %s", i, g.ID, tc.want)
		}
	}
	old := &Bugs{}
	g, _ := old.Place(record("x", "1.0"), sig("stale-read", true, "SELECT"), time.Unix(1, 0))
	g.Settle(StatusInvalid, "documented")
	if again, fresh := old.Place(record("x", "1.0"), caused(CauseStale, "stale-read", true, "SELECT"),
		time.Unix(2, 0)); fresh || again != g {
		t.Error("a bug of before findings had causes is not known again")
	}
}

// TestPlaceOrder: stale reads of which neither needs what the other does are two bugs; what needs less is first.
func TestPlaceOrder(t *testing.T) {
	b := &Bugs{}
	for i, tc := range []struct {
		minimal bool
		order   []string
		want    string
	}{
		{true, []string{OneSession}, "B1"},
		{true, []string{ReadsAgain}, "B2"},
		{true, []string{ReadsOn}, "B3"},
		{true, []string{ReadsAgain, OneSession}, "B1"},
		{true, nil, "B1"},
		{false, []string{ReadsAgain}, "B1"}, // a large case may have what it does not need
	} {
		s := sig("stale-read", tc.minimal, append([]string{"SELECT"}, tc.order...)...)
		s.Cause = CauseStale
		if g, _ := b.Place(record("x", "1.0"), s, time.Unix(1, 0)); g.ID != tc.want {
			t.Errorf("finding %d: %s, want %s", i, g.ID, tc.want)
		}
	}
}

// TestPlaceMissearches: a write that finds too few rows, or others, is one bug, whichever kind of write it is, where
// the features tell something of it; where nothing but the cause tells, and in a case that is not reduced, it is not.
func TestPlaceMissearches(t *testing.T) {
	b := &Bugs{}
	for i, tc := range []struct {
		kind     fault.Kind
		verb     string
		minimal  bool
		features []string
		want     string
	}{
		{fault.PassesOver, "UPDATE", true, []string{"join:left", "subquery", "versioned"}, "B1"},
		{fault.WritesOthers, "UPDATE", true, []string{"join:left", "subquery", "versioned"}, "B1"},
		{fault.PassesOver, "DELETE", true, []string{"join:left", "subquery", "versioned"}, "B1"},
		{fault.PassesOver, "UPDATE", true, []string{"join:right", "subquery", "versioned"}, "B2"},
		{fault.PassesOver, "UPDATE", true, nil, "B3"},
		{fault.PassesOver, "DELETE", true, nil, "B4"},
		{fault.WritesOthers, "UPDATE", true, nil, "B5"},
		{fault.WritesOthers, "DELETE", false, []string{"join:left", "subquery", "versioned"}, "B6"},
	} {
		s := sig("inconsistent-read-write/"+tc.verb+":matched-versus-written", tc.minimal, append([]string{tc.verb},
			tc.features...)...)
		s.Cause = Cause{Kind: tc.kind, Of: tc.verb}
		if g, _ := b.Place(record("x", "1.0"), s, time.Unix(1, 0)); g.ID != tc.want {
			t.Errorf("finding %d: %s, want %s", i, g.ID, tc.want)
		}
	}
}

// TestPlaceWarned places findings that differ in warnings alone: by which ones, whichever kind of statement is warned.
// What the statement has is no matter where the warning is of a name of the database's own.
func TestPlaceWarned(t *testing.T) {
	b := &Bugs{}
	warned := func(cause Cause, coarse string, minimal bool, features ...string) Signature {
		s := sig(coarse, minimal, features...)
		s.Cause = cause
		return s
	}
	for i, tc := range []struct {
		sig  Signature
		want string
	}{
		{warned(Cause{fault.WarnedOfOwn, "a"}, "UPDATE:warnings", true, "UPDATE", "order"), "B1"},
		// whatever the statement has
		{warned(Cause{fault.WarnedOfOwn, "a"}, "SELECT:warnings", true, "SELECT", "distinct"), "B1"},
		{warned(Cause{fault.WarnedOfOwn, "a"}, "UPDATE:warnings", false, "UPDATE", "case", "order"), "B1"},
		{warned(Cause{fault.WarnedOfOwn, "b"}, "UPDATE:warnings", true, "UPDATE", "order"), "B2"}, // another name of its own
		{warned(Cause{fault.WarnedOtherwise, "a"}, "UPDATE:warnings", true, "UPDATE", "ignore"), "B3"},
		// the same warning, in something
		{warned(Cause{fault.WarnedOtherwise, "a"}, "DELETE:warnings", true, "DELETE", "cast", "ignore"), "B3"},
		// that needs something else
		{warned(Cause{fault.WarnedOtherwise, "a"}, "UPDATE:warnings", true, "UPDATE", "order"), "B4"},
		// another code
		{warned(Cause{fault.WarnedOtherwise, "b"}, "UPDATE:warnings", true, "UPDATE", "ignore"), "B5"},
		{warned(Cause{fault.WarnedOtherwise, "b"}, "UPDATE:warnings", false, "UPDATE", "case", "ignore"), "B5"},
		{sig("UPDATE:rows", true, "UPDATE", "ignore"), "B6"}, // it differs in rows
		{sig("UPDATE:rows", false, "UPDATE", "ignore"), "B6"},
	} {
		if g, fresh := b.Place(record("x", "1.0"), tc.sig, time.Unix(1, 0)); g.ID != tc.want || fresh != (g.Count == 1) {
			t.Errorf("finding %d: %s, want %s", i, g.ID, tc.want)
		}
	}
	for _, damage := range []Cause{CauseIndex, CauseLost} {
		// wrong answers of an index may be why a value is warned of, not why the database's own name is
		if got := Explains(damage, ClassReplay, Cause{fault.WarnedOtherwise, "a"}); got != (damage == CauseIndex) {
			t.Errorf("%s explains a warning: %v", damage, got)
		}
		if Explains(damage, ClassReplay, Cause{fault.WarnedOfOwn, "a"}) {
			t.Errorf("%s explains a warning of the database's own name", damage)
		}
	}
}

func TestPlaceSettled(t *testing.T) {
	b := &Bugs{}
	now := time.Unix(1, 0)
	place := func(version string, s Signature) *Bug {
		g, _ := b.Place(record("x", version), s, now)
		return g
	}
	one, two, three := sig("a", true, "join"), sig("a", true, "case"), sig("a", true, "order")
	place("10.2", one)
	place("10.2", two)
	place("10.2", three)
	if _, err := b.Duplicate("B2", "B1"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Duplicate("B3", "B2"); err != nil {
		t.Fatal(err)
	}
	if g := place("10.2", three); g.ID != "B1" {
		t.Errorf("a duplicate's duplicate is counted to %s", g.ID)
	}
	for _, ids := range [][2]string{{"B1", "B2"}, {"B1", "B3"}, {"B1", "B1"}, {"B1", "B9"}, {"B9", "B1"}} {
		if _, err := b.Duplicate(ids[0], ids[1]); err == nil {
			t.Errorf("%v: no error", ids)
		}
	}
	g, _ := b.Find("B1")
	g.Settle(StatusFixed, "")
	g.FixedIn = "10.11.3"
	if place("10.2.99-MariaDB", one); g.Status != StatusFixed {
		t.Error("opened again by an older version")
	}
	if place("10.11.3-MariaDB", one); g.Status != StatusOpen || !strings.Contains(g.Note, "fixed in 10.11.3") ||
		g.FixedIn != "" {
		t.Errorf("not opened again: %+v", g)
	}
	if !slices.Equal(g.Versions, []string{"10.11.3-MariaDB", "10.2", "10.2.99-MariaDB"}) || g.Count != 4 {
		t.Errorf("%+v", g)
	}
	g.Settle(StatusInvalid, "documented")
	if place("10.2", one); g.Count != 5 || g.Status != StatusInvalid {
		t.Errorf("%+v", g)
	}
	if g := place("10.2", sig("a", false, "case", "join")); g.ID == "B1" {
		t.Error("a finding that is not reduced vanishes in a bug that is none")
	}
}

// TestKeep checks that a variant takes the place of a finding that says nothing new.
func TestKeep(t *testing.T) {
	g := &Bug{}
	for i, tc := range []struct {
		sig  Signature
		gone string
		kept bool
	}{
		{sig("a", true, "x"), "", true}, {sig("a", true, "x"), "", true}, {sig("a", true, "x"), "", false},
		{sig("a", true, "x", "y"), "1", true}, {sig("a", true, "x", "y"), "", false}, {sig("a", true, "x", "z"), "", false},
	} {
		gone, kept := g.Keep(Kept{Dir: fmt.Sprint(i), Signature: tc.sig}, 2)
		if gone != tc.gone || kept != tc.kept {
			t.Errorf("%d: %q, %v", i, gone, kept)
		}
	}
	if len(g.Kept) != 2 || g.Kept[0].Dir != "0" || g.Kept[1].Dir != "3" {
		t.Errorf("%+v", g.Kept)
	}
}

func TestMergeSplit(t *testing.T) {
	b := &Bugs{}
	one, two := sig("a", true, "join"), sig("b", true, "case")
	for i, s := range []Signature{one, two, two} {
		g, _ := b.Place(record("x", "1.0"), s, time.Unix(int64(i), 0))
		g.Kept = append(g.Kept, Kept{Dir: fmt.Sprint("finding-", i), Signature: s,
			Title: fmt.Sprint("what ", i, " shows")})
	}
	g, err := b.Merge("B1", []string{"B2"})
	if err != nil || g.Count != 3 || len(g.Kept) != 3 || len(b.Bugs) != 1 || g.Last != time.Unix(2, 0) {
		t.Fatalf("%+v, %v", g, err)
	}
	if again, fresh := b.Place(record("x", "1.0"), two, time.Unix(9, 0)); again != g || fresh {
		t.Error("what was merged comes back as a new bug")
	}
	split, err := b.Split("B1", "finding-1")
	if err != nil || split.ID != "B3" || split.Title != "what 1 shows" || split.Count != 1 || g.Count != 3 ||
		len(g.Also) != 0 {
		t.Fatalf("%+v, %+v, %v", split, g, err)
	}
	if again, _ := b.Place(record("x", "1.0"), two, time.Unix(9, 0)); again != split {
		t.Errorf("findings of what was split off go to %s", again.ID)
	}
	for _, dir := range []string{"finding-1", "finding-9"} {
		if _, err := b.Split("B1", dir); err == nil {
			t.Errorf("%s split twice", dir)
		}
	}
	if _, err := b.Split("B3", "finding-1"); err == nil {
		t.Error("a bug was split into nothing and itself")
	}
	if _, err := b.Merge("B1", []string{"B9"}); err == nil {
		t.Error("merged with nothing")
	}
}

func TestCompareVersions(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want int
	}{{"10.11.19-MariaDB", "10.11.3", 1}, {"10.11", "10.11.0", -1}, {"9.7.4", "11.8", -1}, {"8.0.36-debug", "8.0.36", 0},
		{"x", "1", -1}} {
		if got := CompareVersions(tc.a, tc.b); got != tc.want {
			t.Errorf("%s and %s: %d, want %d", tc.a, tc.b, got, tc.want)
		}
	}
}

func TestCovers(t *testing.T) {
	one, two := Signature{Coarse: "a", Features: []string{"join"}}, Signature{Coarse: "a",
		Features: []string{"case", "join"}}
	if !one.Covers(two) || two.Covers(one) || !one.Covers(one) ||
		one.Covers(Signature{Coarse: "b", Features: two.Features}) {
		t.Error("Covers is no inclusion of features")
	}
	if one.Equal(two) || !one.Equal(Signature{Coarse: "a", Features: []string{"join"}, Minimal: true}) {
		t.Error("Equal")
	}
	plain, derived := Signature{Coarse: "a", Features: []string{"SELECT"}}, Signature{Coarse: "a",
		Features: []string{"SELECT", "derived", "join"}}
	if !one.Within(two) || two.Within(one) || plain.Within(derived) || !one.Within(derived) {
		t.Error("Within")
	}
	if s := two.String() + "; " + (Signature{Coarse: "a"}).String(); s != "a {case join}; a" {
		t.Error(s)
	}
}

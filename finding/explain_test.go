package finding

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"txweave/fault"
)

// large is the signature of a case that is not reduced.
func large(coarse string, cause Cause, whole ...string) Signature {
	return Signature{Coarse: coarse, Cause: cause, Features: whole[:len(whole)/2], Whole: whole}
}

// TestExplains: what a finding of a large case may be.
func TestExplains(t *testing.T) {
	caused := func(s Signature, cause Cause) Signature { s.Cause = cause; return s }
	rolledBack := caused(sig("mechanism-violation/write-lock", true, "ROLLBACK", "transactions", "write"), CauseKept)
	wroteNone := caused(sig("inconsistent-read-write/INSERT:affected-versus-written", true, "INSERT"), CauseNone)
	joins := sig("replay-difference/SELECT:rows", true, "SELECT", "join:left")
	crashes := sig("crash/f<g<h", true, "SELECT")
	for i, tc := range []struct {
		bug, finding Signature
		want         bool
	}{
		// A trial rolls back what commits: whether the large case does is no matter; that it has two transactions is.
		{rolledBack, large("snapshot-violation/dirty-read", CauseDirty, "SELECT", "UPDATE", "transactions",
			"write"), true},
		{rolledBack, large("snapshot-violation/dirty-read", CauseDirty, "ROLLBACK", "SELECT", "UPDATE", "write"), false},
		{caused(sig("replay-difference/final", true, "savepoint", "write"), CauseKeptTo),
			large("replay-difference/final", Cause{}, "INSERT", "transactions", "write"), false},
		// What is nearly reduced, and writes otherwise, is another bug.
		{caused(sig("snapshot-violation/own-write-missed", true, "UPDATE"), CauseOwn),
			large("replay-difference/INSERT:error(0,1062)", CauseKey, "INSERT", "index", "unique", "write"), false},
		// What a statement does by itself needs the statement.
		{wroteNone, large("replay-difference/SELECT:rows", Cause{}, "INSERT", "SELECT", "read", "write"), true},
		{wroteNone, large("replay-difference/SELECT:rows", Cause{}, "SELECT", "UPDATE", "read", "write"), false},
		{joins, large("inconsistent-read-write/SELECT:count-versus-seen", CauseCount, "SELECT", "join:left", "where"), true},
		{joins, large("inconsistent-read-write/SELECT:count-versus-seen", CauseCount, "SELECT", "where"), false},
		// Wrong answers end no server, and one that ends answers nothing.
		{rolledBack, large("crash/f<g<h", Cause{}, "SELECT", "transactions"), false},
		{crashes, large("snapshot-violation/dirty-read", CauseDirty, "SELECT", "transactions"), false},
		{crashes, large("crash/lost-connection", Cause{}, "SELECT"), false},
		{rolledBack, large("unexpected-error/1032", Cause{}, "SELECT", "transactions"), false},
		// Two reduced cases are no matter of this, nor two large ones.
		{joins, sig("replay-difference/SELECT:rows", true, "SELECT", "join:left", "order"), false},
		{sig("replay-difference/SELECT:rows", false, "SELECT"), large("replay-difference/final", Cause{}, "SELECT"), false},
		// A store of before says nothing of the whole case.
		{joins, Signature{Coarse: "replay-difference/final", Features: []string{"SELECT", "join:left"}}, true},
	} {
		if got := tc.bug.Explains(tc.finding); got != tc.want {
			t.Errorf("%d: %s explains %s: %v", i, tc.bug, tc.finding, got)
		}
	}
}

// TestExplain: a bug that is not reduced is one of its own until a reduced one may be it, whichever came first, and
// again when that one is settled. A status that somebody gave it stays.
func TestExplain(t *testing.T) {
	for _, order := range [][]int{{0, 1}, {1, 0}} {
		b := &Bugs{}
		findings := []Signature{large("mechanism-violation/refused-update", Cause{}, "SELECT", "UPDATE", "transactions"),
			{Coarse: "snapshot-violation/dirty-read", Cause: CauseDirty, Features: []string{"transactions"}, Minimal: true}}
		of := map[int]*Bug{}
		for _, i := range order {
			of[i], _ = b.Place(record("x", "1.0"), findings[i], time.Unix(1, 0))
		}
		b.Explain()
		if g := of[0]; g == of[1] || g.State() != "unreduced, may be "+of[1].ID || g.Open() || g.Status != StatusOpen ||
			!of[1].Open() {
			t.Fatalf("%v: %+v", order, g)
		}
		of[1].Settle(StatusInvalid, "as documented")
		if b.Explain(); !of[0].Open() || of[0].MayBe != nil {
			t.Errorf("%v: %+v", order, of[0])
		}
		of[1].Settle(StatusOpen, "")
		of[0].Settle(StatusFixed, "")
		of[0].FixedIn = "2.0"
		if b.Explain(); of[0].State() != "fixed in 2.0" {
			t.Errorf("%v: %+v", order, of[0])
		}
	}
}

// TestRecount: a finding that is reduced after it was counted says which bug its own is.
func TestRecount(t *testing.T) {
	for _, tc := range []struct {
		reduced  Signature
		known    string
		is, want string // the bug that it is counted to, and all bugs with their counts
	}{
		{Signature{Coarse: "replay-difference/final", Cause: CauseDirty, Features: []string{"write"}, Minimal: true}, "x-1",
			"B1", "B1 3"},
		{Signature{Coarse: "replay-difference/final", Cause: CauseLost, Features: []string{"write"}, Minimal: true}, "",
			"B2", "B1 1, B2 2"},
		{Signature{Coarse: "replay-difference/final", Cause: CauseLost, Features: []string{"write"}, Minimal: true}, "x-1",
			"B2", "B1 1, B2 2 (duplicate of x-1)"},
		{large("mechanism-violation/refused-update", Cause{}, "transactions"), "", "B2",
			"B1 1, B2 2 (unreduced, may be B1)"},
	} {
		b := &Bugs{}
		now := time.Unix(1, 0)
		b.Place(record("x", "1.0"), Signature{Coarse: "snapshot-violation/dirty-read", Cause: CauseDirty,
			Features: []string{"transactions"}, Minimal: true}, now)
		unlike := large("mechanism-violation/refused-update", Cause{}, "UPDATE", "transactions")
		for i := range 2 {
			g, _ := b.Place(record("x", "1.0"), unlike, now)
			g.Keep(Kept{Dir: fmt.Sprint("finding-00000", i, "-0"), Signature: unlike}, 5)
		}
		r := record("x", "1.0")
		r.Title = "as it is now"
		was, is := b.Recount("finding-000001-0", r, tc.reduced, tc.known)
		if was == nil || was.ID != "B2" || is.ID != tc.is {
			t.Fatalf("%s: from %v to %v", tc.reduced, was, is)
		}
		if tc.reduced.Minimal && is.ID == "B2" && is.Title != r.Title {
			t.Errorf("it is called %q", is.Title)
		}
		b.Explain()
		var got []string
		for _, g := range b.Bugs {
			text := fmt.Sprint(g.ID, " ", g.Count)
			if !g.Open() {
				text += " (" + g.State() + ")"
			}
			got = append(got, text)
		}
		if text := strings.Join(got, ", "); text != tc.want {
			t.Errorf("%s: %s, want %s", tc.reduced, text, tc.want)
		}
	}
	// A finding of the same group that can be none of the other bug stays a bug.
	apart := &Bugs{}
	apart.Place(record("x", "1.0"), Signature{Coarse: "snapshot-violation/dirty-read", Cause: CauseDirty,
		Features: []string{"transactions"}, Minimal: true}, time.Unix(1, 0))
	for i, s := range []Signature{large("mechanism-violation/refused-update", Cause{}, "UPDATE", "transactions"),
		large("mechanism-violation/refused-update", Cause{}, "UPDATE", "index", "where", "write")} {
		g, _ := apart.Place(record("x", "1.0"), s, time.Unix(1, 0))
		g.Keep(Kept{Dir: fmt.Sprint("finding-00000", i, "-0"), Signature: s}, 5)
	}
	was, is := apart.Recount("finding-000000-0", record("x", "1.0"), Signature{Coarse: "snapshot-violation/dirty-read",
		Cause: CauseDirty, Features: []string{"transactions"}, Minimal: true}, "")
	if apart.Explain(); was.ID != "B2" || is.ID != "B1" || len(apart.Bugs) != 2 || is.Count != 2 || was.Count != 1 ||
		!was.Open() || len(was.Kept) != 1 || was.Kept[0].Dir != "finding-000001-0" {
		t.Errorf("from %+v to %+v, of %d bugs", was, is, len(apart.Bugs))
	}
	// Where the other one is not reduced either the bug of the reduced finding takes it over.
	b := &Bugs{}
	for i, s := range []Signature{large("snapshot-violation/dirty-read", CauseDirty, "SELECT", "transactions"),
		large("mechanism-violation/refused-update", Cause{}, "UPDATE", "transactions")} {
		g, _ := b.Place(record("x", "1.0"), s, time.Unix(1, 0))
		g.Keep(Kept{Dir: fmt.Sprint("finding-00000", i, "-0"), Signature: s}, 5)
	}
	dirty := Signature{Coarse: "snapshot-violation/dirty-read", Cause: CauseDirty, Features: []string{"write"},
		Minimal: true}
	if _, is := b.Recount("finding-000001-0", record("x", "1.0"), dirty, ""); is.ID != "B2" || len(b.Bugs) != 1 ||
		is.Count != 2 || !is.Signature.Minimal {
		t.Errorf("%+v of %d bugs", is, len(b.Bugs))
	}
	if was, is := (&Bugs{}).Recount("finding-000001-0", record("x", "1.0"), Signature{}, ""); was != nil || is != nil {
		t.Errorf("of no bug: %v, %v", was, is)
	}
}

// TestNothingIsHidden: whatever is found, in whichever order, each finding is counted once, and a group that is none of
// its own names open bugs with reduced cases.
func TestNothingIsHidden(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Signature {
			coarse := Signed(rapid.SampledFrom([]string{ClassReplay, ClassMechanism, ClassCrash}).Draw(t, "class"), "",
				rapid.SampledFrom([]fault.Kind{fault.Rows, fault.Final}).Draw(t, "kind"))
			features := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"SELECT", "join:left", "savepoint", "transactions"}),
				func(s string) string { return s }).Draw(t, "features")
			slices.Sort(features)
			s := Signature{Coarse: coarse, Features: features, Whole: features,
				Cause: rapid.SampledFrom([]Cause{{}, CauseLost, CauseNone}).Draw(t, "cause")}
			if rapid.Bool().Draw(t, "reduced") {
				s = s.Reduced()
			}
			return s
		}), 1, 12).Draw(t, "findings")
		b := &Bugs{}
		for i, s := range all {
			g, _ := b.Place(record("x", "1.0"), s, time.Unix(1, 0))
			g.Keep(Kept{Dir: fmt.Sprint("finding-", i), Signature: s}, 3)
		}
		b.Explain()
		counted, own := 0, 0
		for _, g := range b.Bugs {
			if counted += g.Count; g.Open() {
				own++
			}
			for _, id := range g.MayBe {
				if o, err := b.Find(id); err != nil || !o.Open() || !o.Reduced() || g.Reduced() {
					t.Fatalf("%s may be %s: %+v", g.ID, id, o)
				}
			}
		}
		if counted != len(all) || own == 0 {
			t.Fatalf("%d of %d findings are counted, %d bugs are told", counted, len(all), own)
		}
	})
}

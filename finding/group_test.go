package finding

import (
	"testing"

	"txweave/fault"
)

// TestGroup: what a storm found is a bug for each signature, with how often it came and two samples, in the order of
// the first ones.
func TestGroup(t *testing.T) {
	var all []Listed
	for i := range 154 {
		all = append(all, List(ClassMechanism, fault.MissingRow.With(fault.AfterRebuild), "row", []int64{int64(i)},
			Say("a"), Say("b")))
	}
	all = append(all, Listed{Signature: "crash", Summary: "it is gone", Class: ClassCrash})
	got := Group(all)
	if len(got) != 2 || got[0].Count != 154 || len(got[0].Samples) != 2 || got[0].Samples[1].Transactions[0] != 1 ||
		got[1].Count != 1 {
		t.Fatalf("%+v", got)
	}
	if f := got[0].Finding(); f.Class != ClassMechanism || f.Summary != "row, the first of 154 such violations" ||
		len(f.Differences) != 2 ||
		f.Differences[0].What != "missing-row-after-rebuild" || f.Differences[0].Detail() != "a; b" {
		t.Errorf("%+v", f)
	}
	if f := got[1].Finding(); f.Class != ClassCrash || f.Summary != "it is gone" {
		t.Errorf("%+v", f)
	}
	if Group(nil) == nil {
		t.Error("no bugs are null in JSON")
	}
}

// TestAgain: a finding that did not come back is not said to have.
func TestAgain(t *testing.T) {
	for _, c := range []struct {
		confirmed, repeated int
		want                string
	}{{0, 0, ""}, {0, 1, "seen once"}, {0, 4, "seen once, and not again in 4 runs"}, {1, 1, "came back 1 of 1 time"},
		{3, 5, "came back 3 of 5 times"}} {
		f := Finding{Confirmed: c.confirmed, Repeated: c.repeated}
		if got := f.Again(); got != c.want {
			t.Errorf("%d of %d: %q, want %q", c.confirmed, c.repeated, got, c.want)
		}
	}
}

package finding

import (
	"encoding/json"
	"slices"
	"testing"

	"txweave/fault"
)

// TestSignaturesOfBefore checks that signatures of files of before are read as those of now, and that a store is asked
// for both.
func TestSignaturesOfBefore(t *testing.T) {
	for _, tc := range []struct{ before, now string }{
		{"affected-rows", "inconsistent-read-write/affected-versus-written"},
		{"duplicate-row", "inconsistent-read-write/row-twice"},
		{"wrong-row", "inconsistent-read-write/wrong-row"},
		{"torn-row", "inconsistent-read-write/torn-row"},
		{"receipt", "inconsistent-read-write/receipt"},
		{"passed-over", "inconsistent-read-write/passed-over-after-wait"},
		{"transaction-gone", "inconsistent-read-write/transaction-gone"},
		{"xa-forgotten", "inconsistent-read-write/xa-forgotten"},
		{"lock-kept", "hang/lock-kept"},
		{"lock-ignored", "mechanism-violation/table-lock"},
		{"corruption", "corruption/corruption"},
		{"hang/probe:hang", "hang/added-read:hang"},
		{"unexpected-error/probe:1412", "unexpected-error/added-read:1412"},
		{"unexpected-error/SELECT:6844177", "unexpected-error/SELECT:42P01"},
		{"inconsistent-read-write/COMMIT:refused-versus-owed", "inconsistent-read-write/COMMIT:refused-versus-unmatched"},
		{"inconsistent-read-write/UPDATE:given-versus-left", "inconsistent-read-write/UPDATE:assigned-versus-stored"},
		{"replay-difference/UPDATE:changed-versus-met", "replay-difference/UPDATE:changed-versus-matched"},
		{"mechanism-violation/consistent-read:stale-read", "mechanism-violation/stale-read"},
		{"mechanism-violation/consistent-read:missing-row-after-kill", "mechanism-violation/missing-row-after-kill"},
		{"mechanism-violation/consistent-read:stale-read-after-rebuild", "mechanism-violation/stale-read-after-rebuild"},
	} {
		if got := Renamed(tc.before); got != tc.now {
			t.Errorf("%s is read as %s, want %s", tc.before, got, tc.now)
		}
		if keys := (Signature{Coarse: tc.now}).Keys(); !slices.Contains(keys, tc.before) {
			t.Errorf("of %s a store is asked for %v, without %s", tc.now, keys, tc.before)
		}
		if got := Renamed(tc.now); got != tc.now {
			t.Errorf("%s is read as %s", tc.now, got)
		}
	}
}

// TestCausesOfBefore checks the same for causes.
func TestCausesOfBefore(t *testing.T) {
	for _, tc := range []struct {
		before string
		now    Cause
	}{
		{"stale read", CauseStale},
		{"UPDATE passes over rows", Cause{fault.PassesOver, "UPDATE"}},
		{"DELETE writes other rows", Cause{fault.WritesOthers, "DELETE"}},
		{"warned otherwise: Warning 1292", Cause{fault.WarnedOtherwise, "Warning 1292"}},
		{"replay-difference/SELECT:rows", Cause{Of: "replay-difference/SELECT:rows"}},
	} {
		var got Cause
		if err := got.UnmarshalText([]byte(tc.before)); err != nil || got != tc.now {
			t.Errorf("%s is read as %+v, %v, want %+v", tc.before, got, err, tc.now)
		}
		if keys := (Signature{Coarse: "c", Cause: tc.now}).Keys(); !slices.Contains(keys, tc.before) {
			t.Errorf("of %s a store is asked for %v, without %s", tc.now, keys, tc.before)
		}
		text, err := tc.now.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		if err := got.UnmarshalText(text); err != nil || got != tc.now {
			t.Errorf("%s is read as %+v, %v", text, got, err)
		}
	}
}

// TestDifferenceOfBefore reads a difference whose evidence is a text.
func TestDifferenceOfBefore(t *testing.T) {
	var d Difference
	text := `{"what": "final", "transaction": "5 rows", "replay": "4 rows", "detail": "table t0; T0.S2 wrote it; T0 was rolled back"}`
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	if d.Table != "t0" || len(d.Steps) != 2 || d.Detail() != "table t0; T0.S2 wrote it; T0 was rolled back" {
		t.Errorf("it is read as %+v", d)
	}
	if err := json.Unmarshal([]byte(`{"what": "rows", "failed": [{"stmt": "T0.S0"}]}`), &d); err == nil {
		t.Error("a failure without an error is read")
	}
}

// TestUnconfirmedOfBefore: findings and bugs that earlier versions called suspects are unconfirmed.
func TestUnconfirmedOfBefore(t *testing.T) {
	var r Record
	if err := json.Unmarshal([]byte(`{"format": 2, "id": "suspect-000012-0", "suspect": true,
		"differences": [{"what": "hang", "kind": "probe"}]}`), &r); err != nil || !r.Unconfirmed || r.ID == "" ||
		r.Differences[0].Kind != AddedRead {
		t.Errorf("%+v, %v", r, err)
	}
	var b Bugs
	if err := json.Unmarshal([]byte(`{"format": 1, "bugs": [{"id": "B1", "status": "suspect", "suspects": 2}]}`),
		&b); err != nil || b.Bugs[0].Status != StatusUnconfirmed || b.Bugs[0].Unconfirmed != 2 || b.Check() != nil {
		t.Errorf("%+v, %v", b.Bugs, err)
	}
}

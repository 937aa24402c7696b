package casesource

import (
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/weave"
)

// TestChecksLeftOut: what is done to every case as it is checked can be left out, each by its name, and the rest stays.
func TestChecksLeftOut(t *testing.T) {
	p, err := dbms.Lookup("sqlite", "serializable")
	if err != nil {
		t.Fatal(err)
	}
	usual := weave.Options{Orders: 2, Integrity: 10}
	for name, want := range map[string]weave.Options{
		"":            usual,
		partPlan:      usual,
		partSecond:    {Orders: 1, Integrity: 10},
		partIntegrity: {Orders: 2},
		partSearches:  {Orders: 2, Integrity: 10, NoSearches: true},
		partBefore:    {Orders: 2, Integrity: 10, NoBefore: true},
	} {
		src, err := NewCases(5, p, strings.Fields(name)...)
		if err != nil {
			t.Fatal(err)
		}
		got := usual
		src.Spare(&got)
		if got.Orders != want.Orders || got.Integrity != want.Integrity || got.NoSearches != want.NoSearches ||
			got.NoBefore != want.NoBefore {
			t.Errorf("without %q: %+v, want %+v", name, got, want)
		}
	}
}

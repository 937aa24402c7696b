package fault

import (
	"slices"
	"strings"
	"testing"
)

// TestCatalogue: each kind has a sentence, a reason and a source, and a name that no other kind has, or had.
func TestCatalogue(t *testing.T) {
	names := map[string]Kind{}
	for _, e := range All() {
		same := e.Same == "" || Of(e.Same) != nil && e.Class == History
		if !same || e.Title == "" || (e.Why == "") != (e.Class == History) || e.Source == "" || e.Class == "" ||
			strings.ContainsAny(string(e.Kind), " :/") {
			t.Errorf("%+v", e)
		}
		for _, name := range append([]string{string(e.Kind)}, e.Old...) {
			if other, taken := names[name]; taken {
				t.Errorf("%s is called %q, as is %s", e.Kind, name, other)
			}
			names[name] = e.Kind
		}
		if e.Mechanism != "" && !slices.Contains([]string{CR, ME, FUW, SC}, e.Mechanism) {
			t.Errorf("%s breaks %q, which is no mechanism", e.Kind, e.Mechanism)
		}
	}
}

// TestNamed: a name of before stands for its kind, with its circumstance too; one of now, and one that there never was,
// for itself.
func TestNamed(t *testing.T) {
	for name, want := range map[string]Kind{
		"consistent-read:uncommitted-read": DirtyRead, "consistent-read:missing-row-after-rebuild": MissingRow.With(
			AfterRebuild),
		"committed write lost": LostWrite, "stale-read": StaleRead, "G2-item": G2Item, "nothing such": "nothing such",
	} {
		if got := Named(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestCircumstances: a kind under a circumstance is told as what it is by itself, and what went on besides.
func TestCircumstances(t *testing.T) {
	k := StaleRead.With(AfterIndexBuild)
	if k.Base() != StaleRead || Of(k) == nil || !strings.HasPrefix(Of(k).Title, Of(StaleRead).Title) || Of(k).Title ==
		Of(StaleRead).Title {
		t.Errorf("%s is %+v", k, Of(k))
	}
	if Kind("nothing such").Base() != "nothing such" || Of("nothing such") != nil {
		t.Error("there is an entry for a kind that there is not")
	}
}

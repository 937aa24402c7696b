package finding

import (
	"slices"
	"testing"
)

// Only so many findings are printed: each stands before the second one of a signature.
func TestFirstOfEach(t *testing.T) {
	var all []Listed
	for _, s := range []string{"a", "a", "b", "a", "c", "b"} {
		all = append(all, Listed{Signature: s})
	}
	var got []string
	for _, l := range FirstOfEach(all) {
		got = append(got, l.Signature)
	}
	if want := []string{"a", "b", "c", "a", "a", "b"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if FirstOfEach(nil) == nil {
		t.Error("no findings are null in JSON")
	}
}

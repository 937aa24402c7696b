package casesource

import (
	"slices"
	"testing"
)

// TestNext: numbers follow each other from the first one on until there are enough, or come from where somebody says; a
// copy that nobody has taken from begins anew.
func TestNext(t *testing.T) {
	all := func(s CaseSource) (out []int) {
		for len(out) < 5 {
			n, ok := s.Next()
			if !ok {
				return append(out, -1)
			}
			out = append(out, n)
		}
		return out
	}
	left := []int{4, 9}
	of := func() (int, bool) {
		if len(left) == 0 {
			return 0, false
		}
		n := left[0]
		left = left[1:]
		return n, true
	}
	bounded := CaseSource{First: 7, Count: 3}
	for name, c := range map[string]struct {
		source CaseSource
		want   []int
	}{
		"nothing said":    {CaseSource{}, []int{0, 1, 2, 3, 4}},
		"three":           {bounded, []int{7, 8, 9, -1}},
		"those of others": {CaseSource{First: 7, Count: 1, Numbers: of}, []int{4, 9, -1}},
	} {
		if got := all(c.source); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	if got := all(bounded); got[0] != 7 {
		t.Errorf("once more: %v", got)
	}
	made := CaseSource{Made: func(n int) []byte {
		if n == 1 {
			return []byte("made")
		}
		return nil
	}}
	if string(made.Text(1)) != "made" || made.Text(2) != nil || bounded.Text(1) != nil {
		t.Error("a case is made where none is, or none where one is")
	}
}

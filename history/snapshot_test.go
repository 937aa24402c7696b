package history

import (
	"slices"
	"testing"
)

// TestSnapshot: the paper's example, the smallest snapshot, and what is none.
func TestSnapshot(t *testing.T) {
	for _, c := range []struct {
		text string
		sees []uint64
	}{{"100:104:100,102", []uint64{98, 99, 101, 103}}, {"100:100:", []uint64{98, 99}}, {"99:100:99", []uint64{98}}} {
		s, err := ParseSnapshot(7, c.text)
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		if s.String() != c.text || !s.Known() || s.Own != 7 {
			t.Errorf("%s is read as %+v", c.text, s)
		}
		for n := uint64(98); n < 107; n++ {
			if s.Sees(n) != slices.Contains(c.sees, n) {
				t.Errorf("%s: sees %d: %v", c.text, n, s.Sees(n))
			}
		}
	}
	if s, err := ParseSnapshot(739, "739:741:"); err != nil || s.Sees(739) || !s.Sees(738) || !s.Sees(740) {
		t.Errorf("its own number is none that it sees: %+v, %v", s, err)
	}
	for _, text := range []string{"1:2", "1:2:3:4", "a:2:", "3:2:", "0:0:", "1:9:4,3", "1:9:-1", "1:9:,"} {
		if s, err := ParseSnapshot(0, text); err == nil {
			t.Errorf("%q is read as %+v", text, s)
		}
	}
	if s, err := ParseSnapshot(3, ""); err != nil || s.Known() || s.String() != "" {
		t.Errorf("an unknown one: %+v, %v", s, err)
	}
}

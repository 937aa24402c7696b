package history

import (
	"testing"
	"time"
)

// TestClockBounds: what is of all clients, and what is of single ones.
func TestClockBounds(t *testing.T) {
	for text, want := range map[string][2]time.Duration{ // of session 3, and of another one
		"": {}, "5ms": {5 * time.Millisecond, 5 * time.Millisecond}, "3=1s": {time.Second, 0},
		"5ms,3=1s,4=0s": {time.Second, 5 * time.Millisecond},
	} {
		b, err := ParseClockBounds(text)
		if err != nil || b.Session(3) != want[0].Nanoseconds() || b.Session(7) != want[1].Nanoseconds() ||
			b.None() != (want == [2]time.Duration{}) {
			t.Errorf("%q: %+v, %v", text, b, err)
		}
	}
	for _, text := range []string{"-1s", "x", "3", "a=1s", "3=1s,5ms", "5ms,", "3=-1ms"} {
		if _, err := ParseClockBounds(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

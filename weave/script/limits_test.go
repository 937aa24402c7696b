package script

import (
	"testing"
	"time"

	"txweave/dbms"
)

// TestLimits: a limit is a number of the setting's unit, or has one; what cannot be read, or is off, is none.
func TestLimits(t *testing.T) {
	x := dbms.WaitLimit{Unit: time.Millisecond}
	for value, want := range map[string]time.Duration{"2000": 2 * time.Second, "500ms": 500 * time.Millisecond,
		"1 s": time.Second, "0": 0, "default": 0, "": 0} {
		if got := limitOf(x, value); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
	if got := shortest(map[string]time.Duration{"a": 0, "b": time.Hour}); got != 0 {
		t.Errorf("what is off or longer than it is waited for: %v", got)
	}
	if got := shortest(map[string]time.Duration{"a": 2 * time.Second, "b": time.Second}); got != time.Second {
		t.Errorf("the shortest of two: %v", got)
	}
}

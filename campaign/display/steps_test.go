package display

import (
	"strings"
	"testing"
	"time"
)

// TestSteps: what is left follows from the pace so far, and is over when the limit is.
func TestSteps(t *testing.T) {
	for _, c := range []struct {
		done, all      int
		elapsed, limit time.Duration
		want           string
	}{
		{0, 8, 3 * time.Second, 0, "3s | 0 of 8 bugs"},
		{0, 8, 3 * time.Second, time.Minute, "3s, 57s left | 0 of 8 bugs"},
		{2, 8, 10 * time.Second, 0, "10s, 30s left | 2 of 8 bugs"},
		{2, 8, 10 * time.Second, 15 * time.Second, "10s, 5s left | 2 of 8 bugs"},
		{8, 8, 10 * time.Second, 0, "10s | 8 of 8 bugs"},
		{0, 1, 0, 0, "0s | 0 of 1 bug"},
	} {
		if got := strings.Join(steps("bug", c.done, c.all, c.elapsed, c.limit), " | "); got != c.want {
			t.Errorf("%d of %d after %s: %q, want %q", c.done, c.all, c.elapsed, got, c.want)
		}
	}
}

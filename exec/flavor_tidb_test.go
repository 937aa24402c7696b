package exec

import (
	"testing"
	"time"
)

// A wait is believed once it is old enough, or where the server's clock is not the session's and no age means anything.
func TestTiDBYoung(t *testing.T) {
	for age, want := range map[time.Duration]time.Duration{
		0: tidbAcquiring, tidbAcquiring / 5: tidbAcquiring * 4 / 5, tidbAcquiring: 0, time.Minute: 0,
		-time.Millisecond: tidbAcquiring, -8 * time.Hour: 0, 8 * time.Hour: 0,
	} {
		if got := tidbYoung(age); got != want {
			t.Errorf("at the age of %s: %s, want %s", age, got, want)
		}
	}
}

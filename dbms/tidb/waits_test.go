package tidb

import (
	"testing"
	"time"
)

// A wait is believed once it is old enough, or where the server's clock is not the session's and no age means anything.
func TestTiDBYoung(t *testing.T) {
	for age, want := range map[time.Duration]time.Duration{
		0: acquiring, acquiring / 5: acquiring * 4 / 5, acquiring: 0, time.Minute: 0,
		-time.Millisecond: acquiring, -8 * time.Hour: 0, 8 * time.Hour: 0,
	} {
		if got := young(age); got != want {
			t.Errorf("at the age of %s: %s, want %s", age, got, want)
		}
	}
}

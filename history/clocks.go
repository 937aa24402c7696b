package history

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ClockBounds say by how much each client's clock may be off, either way. The zero value: by nothing.
type ClockBounds struct {
	All time.Duration           // of clients that are not named
	Of  map[int64]time.Duration // by session, as its file numbers it
}

// ParseClockBounds reads "5ms", "5ms,3=300ms" or "3=300ms": of all clients, and of single ones by their sessions.
func ParseClockBounds(text string) (ClockBounds, error) {
	var b ClockBounds
	if text == "" {
		return b, nil
	}
	for i, part := range strings.Split(text, ",") {
		session, bound, of := strings.Cut(part, "=")
		if !of {
			bound = session
		}
		d, err := time.ParseDuration(bound)
		switch {
		case err != nil || d < 0:
			return b, fmt.Errorf("%q is not a duration of 0 or more", bound)
		case !of && i > 0:
			return b, fmt.Errorf("%q is of no session: what is of all clients comes first", part)
		case !of:
			b.All = d
			continue
		}
		n, err := strconv.ParseInt(session, 10, 64)
		if err != nil {
			return b, fmt.Errorf("%q is not the number of a session", session)
		}
		if b.Of == nil {
			b.Of = map[int64]time.Duration{}
		}
		b.Of[n] = d
	}
	return b, nil
}

// None says whether no clock may be off.
func (b *ClockBounds) None() bool { return b.All == 0 && len(b.Of) == 0 }

// Met says which session has a bound and is none of those that were met: a slip of who named it.
func (b *ClockBounds) Met(sessions map[int64]bool) error {
	for _, session := range slices.Sorted(maps.Keys(b.Of)) {
		if !sessions[session] {
			return fmt.Errorf("there is no session %d", session)
		}
	}
	return nil
}

// String prints the bounds as ParseClockBounds reads them, in one order.
func (b *ClockBounds) String() string {
	if b.None() {
		return ""
	}
	parts := []string{b.All.String()}
	for _, session := range slices.Sorted(maps.Keys(b.Of)) {
		parts = append(parts, fmt.Sprintf("%d=%s", session, b.Of[session]))
	}
	return strings.Join(parts, ",")
}

// Session returns by how many ns the clock of a session's client may be off.
func (b *ClockBounds) Session(id int64) int64 {
	if d, named := b.Of[id]; named {
		return d.Nanoseconds()
	}
	return b.All.Nanoseconds()
}

package history

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Snapshot is which transactions one of a database that numbers its writers saw: those below Min, and those below Max
// that are not among Active, whose transactions had not ended then. As a text it is "100:104:100,102"
// (pg_current_snapshot; Clark et al., Emme, section 5.3).
type Snapshot struct {
	// Own is the transaction's own number; 0: it has none, for it wrote nothing.
	Own uint64
	// Max is 0 where the snapshot is not known, as where a transaction takes more than one.
	Min, Max uint64
	Active   []uint64 // sorted
}

// ParseSnapshot reads a snapshot as the database says it; a text without anything is one that is not known.
func ParseSnapshot(own uint64, text string) (Snapshot, error) {
	out := Snapshot{Own: own}
	if text == "" {
		return out, nil
	}
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		return Snapshot{}, fmt.Errorf("%.80q is not a snapshot: want MIN:MAX:ACTIVE,…", text)
	}
	numbers := parts[:2:2]
	if parts[2] != "" {
		numbers = append(numbers, strings.Split(parts[2], ",")...)
	}
	for i, s := range numbers {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			return Snapshot{}, fmt.Errorf("%.80q is not a snapshot: %w", text, err)
		}
		switch i {
		case 0:
			out.Min = n
		case 1:
			out.Max = n
		default:
			out.Active = append(out.Active, n)
		}
	}
	if out.Max == 0 || out.Min > out.Max || !slices.IsSorted(out.Active) {
		return Snapshot{}, fmt.Errorf("%.80q is not a snapshot: its numbers are not in order", text)
	}
	return out, nil
}

// Known says whether it is known what the transaction saw.
func (s *Snapshot) Known() bool { return s.Max != 0 }

// Sees says whether it saw what another transaction, of a number, left. A transaction may have its own number before it
// takes its snapshot, which does not list it then (GetSnapshotData).
func (s *Snapshot) Sees(number uint64) bool {
	if number >= s.Max || number == s.Own {
		return false
	}
	_, active := slices.BinarySearch(s.Active, number)
	return number < s.Min || !active
}

func (s *Snapshot) String() string {
	if !s.Known() {
		return ""
	}
	active := make([]string, len(s.Active))
	for i, n := range s.Active {
		active[i] = strconv.FormatUint(n, 10)
	}
	return fmt.Sprintf("%d:%d:%s", s.Min, s.Max, strings.Join(active, ","))
}

package history

import (
	"fmt"
	"slices"
	"strconv"
)

// Item is a row, identified by table and primary key.
type Item struct {
	Table string `json:"table"`
	PKey  int64  `json:"pkey"`
}

// String returns the row as reports spell it.
func (i Item) String() string { return fmt.Sprintf("row %d of %s", i.PKey, i.Table) }

// State names one state of an item: a version key, or one of the two absences.
type State int64

// The absent states of an item; version keys are never negative. Where it is only known that a row is not there, as of
// the reads of an interval trace, it is Dead.
const (
	Dead   State = Absent     // deleted
	Unborn State = Absent + 1 // not inserted yet
)

// Absent says whether there is no row in that state.
func (s State) Absent() bool { return s <= Unborn }

// Valid says whether a state is a version key or one of the absences.
func (s State) Valid() bool { return s >= 0 || s.Absent() }

// String returns the absences by name and a version by its key.
func (s State) String() string {
	switch s {
	case Unborn:
		return "unborn"
	case Dead:
		return "dead"
	}
	return strconv.FormatInt(int64(s), 10)
}

// StateOf is the state of an item that a read saw: the version of its row, where there was one.
func StateOf(vkey int64, there bool) State {
	if !there {
		return Dead
	}
	return State(vkey)
}

// Seen says what a read saw that met the state.
func (s State) Seen() string {
	if s.Absent() {
		return "nothing"
	}
	return fmt.Sprintf("version %d", int64(s))
}

// MarshalText writes what String prints.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (s *State) UnmarshalText(text []byte) error {
	state, ok := ParseState(string(text))
	if !ok {
		return fmt.Errorf("%q is no state of a row", text)
	}
	*s = state
	return nil
}

// ParseState reads what String printed.
func ParseState(text string) (s State, ok bool) {
	switch text {
	case "unborn":
		return Unborn, true
	case "dead":
		return Dead, true
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return State(n), err == nil && n >= 0
}

// Version is one version of an item; VKey is unique in a case per writing statement (or initial row).
type Version struct {
	Item
	VKey int64 `json:"vkey"`
}

// String returns the version as reports spell it.
func (v Version) String() string { return fmt.Sprintf("version %d of %s", v.VKey, v.Item) }

// Write is one item that a statement wrote: From is the state it overwrote (Unborn for an INSERT), To the
// state it left (Dead for a DELETE).
type Write struct {
	Item
	From State `json:"from"`
	To   State `json:"to"`
}

// String prints the write as "row 4 of t0 (version 17 → 23)".
func (w Write) String() string {
	switch {
	case w.From.Absent():
		return fmt.Sprintf("%s (inserted as version %s)", w.Item, w.To)
	case w.To.Absent():
		return fmt.Sprintf("%s (version %s, deleted)", w.Item, w.From)
	}
	return fmt.Sprintf("%s (version %s → %s)", w.Item, w.From, w.To)
}

// Outcome is what became of a transaction, as far as its client knows.
type Outcome uint8

// The outcomes of a transaction.
const (
	Committed  Outcome = iota
	Aborted            // by the database: deadlock, write conflict; or it is not known by whom
	Unknown            // no answer came: it may have committed, even after the client gave up
	RolledBack         // by its own ROLLBACK
)

// String returns the outcome in words.
func (o Outcome) String() string {
	switch o {
	case Committed:
		return "committed"
	case Aborted:
		return "aborted"
	case RolledBack:
		return "rolled back"
	default:
		return "unknown"
	}
}

// EdgeKind says why one transaction comes before another.
type EdgeKind uint8

// The kinds of an edge between transactions.
const (
	NoEdge EdgeKind = iota // joins two nodes that stand for one transaction, or for moments in time
	SO                     // session order
	RT                     // real time: the first ended before the second began
	WR                     // the second read what the first wrote
	WW                     // the second overwrote what the first wrote
	RW                     // the second overwrote what the first read
	CO                     // the level puts the first before the second in every commit order
	// Through a predicate: a version changes its matches (Adya, section 4.4.3 of his thesis).
	PWR // the second's search saw what the first wrote, or something later
	PRW // the second wrote what would change the result of the first's search
)

var edgeKinds = [...]string{"", "so", "rt", "wr", "ww", "rw", "co", "pwr", "prw"}

// String returns the kind as explanations and files spell it; NoEdge is empty.
func (k EdgeKind) String() string { return edgeKinds[k] }

// MarshalText returns what String does.
func (k EdgeKind) MarshalText() ([]byte, error) { return []byte(edgeKinds[k]), nil }

// UnmarshalText reads what MarshalText wrote.
func (k *EdgeKind) UnmarshalText(text []byte) error {
	at := slices.Index(edgeKinds[:], string(text))
	if at < 0 {
		return fmt.Errorf("%q is no kind of an edge", text)
	}
	*k = EdgeKind(at)
	return nil
}

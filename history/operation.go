package history

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// OpKind says what an operation of an interval trace is.
type OpKind uint8

// The kinds of an operation.
const (
	OpLoad   OpKind = iota // rows that were there before any transaction; before all other operations
	OpBegin                // opens a transaction; Snapshot says whether it took its snapshot at once
	OpRead                 // a query; Lock says whether it is a plain or a locking one
	OpWrite                // INSERT, UPDATE, DELETE
	OpCommit               // ends a transaction
	OpAbort                // ends it without effect: ROLLBACK, or an error that rolled the transaction back
	OpClose                // the session sends nothing more; without it a reader must wait for the end of the trace
)

// LockIntent is the lock that a statement takes on the rows that it reads and writes, until its transaction ends.
type LockIntent uint8

// The lock intents of a statement.
const (
	LockNone      LockIntent = iota // a plain read
	LockShared                      // SELECT … LOCK IN SHARE MODE, FOR SHARE; plain SELECTs where they lock
	LockExclusive                   // DML, SELECT … FOR UPDATE
	// a shared one of which it may be that an index's entry is locked and not the row: a write meets it, FOR UPDATE need
	// not
	LockEntries
)

// OpOutcome is what the client learned of an operation.
type OpOutcome uint8

// The outcomes of an operation. A commit that failed left nothing; one of unknown outcome may have succeeded at
// any time after it was sent, or never. A write of unknown outcome lists all that it may have written.
const (
	OpOK OpOutcome = iota
	OpFailed
	OpUnknown
)

// Absent is the version of an item that is not there: as a read, no row was seen; as a write, a DELETE.
const Absent = math.MinInt64

// ItemID is an Item of an interval trace: its table, and its primary key, as Symbols number them.
type ItemID struct {
	Table int32
	Key   int64
}

// Access is one version of an item, in a read or a write set. Versions are what tells two writes of an item
// apart: a version key, or the value written. Where two writes left the same version no dependency is deduced
// from reading it.
type Access struct {
	ItemID
	Version int64
	Payload Payload
}

// Payload is the number that a version holds in the column that conditions are on; 0: it is not known.
type Payload int64

// PayloadOf returns the payload of a number; math.MinInt64 counts as unknown.
func PayloadOf(v int64) Payload { return Payload(v ^ math.MinInt64) }

// Value returns the number, and whether it is known.
func (p Payload) Value() (v int64, known bool) { return int64(p) ^ math.MinInt64, p != 0 }

// KeyRange says that a statement read every row of a table with a key from Lo to Hi, both included, that meets a
// condition: items in it that are neither in the read set nor in the write set were absent, or did not meet it. A
// version-set read covers math.MinInt64+1 to math.MaxInt64. If is nil where every row does.
type KeyRange struct {
	Table  int32
	Lo, Hi int64
	If     *PayloadFilter
}

// PayloadFilter is a condition on a row's payload: it lies in one of the spans, both ends included, and is divisible by
// Divisor (0: by any number).
type PayloadFilter struct {
	In      [][2]int64
	Divisor int64
}

// Holds says whether a payload surely meets the condition, and whether it surely does not; neither where it is not
// known.
func (c *PayloadFilter) Holds(p Payload) (yes, no bool) {
	if c == nil {
		return true, false
	}
	v, known := p.Value()
	if !known {
		return false, false
	}
	in := slices.ContainsFunc(c.In, func(s [2]int64) bool { return s[0] <= v && v <= s[1] })
	yes = in && (c.Divisor == 0 || v%c.Divisor == 0)
	return yes, !yes
}

// String prints the condition: "a payload in 0..5, 8..9 that 3 divides".
func (c *PayloadFilter) String() string {
	if c == nil {
		return "any payload"
	}
	spans := make([]string, len(c.In))
	for i, s := range c.In {
		spans[i] = fmt.Sprintf("%d..%d", s[0], s[1])
		switch {
		case s[0] == math.MinInt64+1 && s[1] == math.MaxInt64:
			spans[i] = "any"
		case s[0] == math.MinInt64+1:
			spans[i] = fmt.Sprintf("up to %d", s[1])
		case s[1] == math.MaxInt64:
			spans[i] = fmt.Sprintf("from %d", s[0])
		}
	}
	text := "a payload in " + strings.Join(spans, ", ")
	if c.Divisor != 0 {
		text += fmt.Sprintf(" that %d divides", c.Divisor)
	}
	return text
}

// Operation is one statement of an interval trace (Li et al., Leopard, ICDE 2023, section IV-A): sent after Start
// and answered before End, in nanoseconds of one monotonic clock. A session's operations do not overlap.
//
// Reads holds the versions that the statement saw: for a query what it printed, for DML the versions that it
// overwrote, where they are known. Writes holds what it left, one entry for each item; a statement that failed
// wrote nothing.
type Operation struct {
	Session  int32
	Kind     OpKind
	Lock     LockIntent
	Outcome  OpOutcome
	Snapshot bool  // of OpBegin: START TRANSACTION WITH CONSISTENT SNAPSHOT
	Txn      int64 // unique in the trace, not only in the session
	Start    int64
	End      int64
	// of OpRead: the lock may be gone from then on, in ns; 0: at the end of its transaction. Not written to traces
	Unlocks int64
	Reads   []Access
	Writes  []Access
	Ranges  []KeyRange
}

var (
	opKinds   = [...]string{"load", "begin", "read", "write", "commit", "abort", "close"}
	opLocks   = [...]string{"", "shared", "exclusive", "entries"}
	opResults = [...]string{"", "failed", "unknown"}
)

// String prints the kind as traces do.
func (k OpKind) String() string { return opKinds[k] }

// String prints the lock intent as traces do; empty for none.
func (l LockIntent) String() string { return opLocks[l] }

// String prints the outcome as traces do; empty for OK.
func (o OpOutcome) String() string { return opResults[o] }

// symbolBase is where numbers of texts begin; integers below stand for themselves.
const symbolBase = 1 << 62

// Symbols numbers what a trace names: tables from 0, and keys and versions, where an integer is its own number.
// It may be used by several goroutines at once; what is numbered stays for ever, so sessions should use integers.
type Symbols struct {
	mu     sync.RWMutex
	tables []string
	table  map[string]int32
	texts  []string
	text   map[string]int64
}

// NewSymbols returns an empty numbering.
func NewSymbols() *Symbols {
	return &Symbols{table: map[string]int32{}, text: map[string]int64{}}
}

// Table returns the number of a table.
func (s *Symbols) Table(name string) int32 {
	s.mu.RLock()
	n, ok := s.table[name]
	s.mu.RUnlock()
	if ok {
		return n
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n, ok = s.table[name]; !ok {
		n = int32(len(s.tables))
		s.tables, s.table[name] = append(s.tables, name), n
	}
	return n
}

// TableName returns the name of table n.
func (s *Symbols) TableName(n int32) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if n < 0 || int(n) >= len(s.tables) {
		return fmt.Sprintf("table %d", n)
	}
	return s.tables[n]
}

// Text returns the number of a key or version that is given as text: itself where it is written as an integer
// would be, else one of a text.
func (s *Symbols) Text(text string) int64 {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > -symbolBase && n < symbolBase &&
		strconv.FormatInt(n, 10) == text {
		return n
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n, ok := s.text[text]
	if !ok {
		n = symbolBase + int64(len(s.texts))
		s.texts, s.text[text] = append(s.texts, text), n
	}
	return n
}

// Name returns what number n stands for, and whether it is a text.
func (s *Symbols) Name(n int64) (name string, text bool) {
	if n < symbolBase {
		return strconv.FormatInt(n, 10), false
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if i := n - symbolBase; i < int64(len(s.texts)) {
		return s.texts[i], true
	}
	return strconv.FormatInt(n, 10), false
}

// ItemName prints an item: "t0:4".
func (s *Symbols) ItemName(i ItemID) string {
	key, _ := s.Name(i.Key)
	return s.TableName(i.Table) + ":" + key
}

// VersionName prints a version: "absent" where there is no row.
func (s *Symbols) VersionName(v int64) string {
	if v == Absent {
		return "absent"
	}
	name, text := s.Name(v)
	if text {
		return strconv.Quote(name)
	}
	return name
}

package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"txweave/internal/input"
)

// Role says what a statement of a trace is there for.
type Role string

// The roles of a statement.
const (
	Level  Role = "level"  // sets the session to the level of the transaction that follows
	Begin  Role = "begin"  // opens a transaction
	VSR    Role = "vsr"    // version-set read, before the target
	BWR    Role = "bwr"    // before-write read
	Target Role = "target" // the statement under test
	AWR    Role = "awr"    // after-write read
	Again  Role = "again"  // before-write read made again, after a target that waited
	// read, right before COMMIT, of the rows that refer to none by a foreign key which is checked then
	Orphans Role = "orphans"
	End     Role = "end"     // commits or rolls back
	Abort   Role = "abort"   // rollback that the runner sends after a concurrency error
	Final   Role = "final"   // read of a table's contents at the end
	Initial Role = "initial" // read of a table's contents before the first statement
)

// DBError is an error that the database answered: data, not a fault of the run.
type DBError struct {
	Code    int    `json:"code"`
	State   string `json:"state,omitempty"`
	Message string `json:"message"`
}

// String prints the error as a client does.
func (e *DBError) String() string { return "error " + ErrorName(e.Code) + ": " + e.Message }

// firstState is the first code that stands for an SQLSTATE, where a DBMS has no other names for its errors: the five
// characters read as a number of base 36. It is that of 01000; numbers of errors are smaller.
const firstState = 46656

// ErrorName is an error's code as people know it: the number, or the SQLSTATE that it stands for.
func ErrorName(code int) string {
	if code < firstState {
		return strconv.Itoa(code)
	}
	state := strings.ToUpper(strconv.FormatInt(int64(code), 36))
	return strings.Repeat("0", max(0, 5-len(state))) + state
}

// Warning is one row of the database's warnings for a statement.
type Warning struct {
	Level   string `json:"level"`
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Event is one statement as it was sent and answered. Txn and Stmt are -1 where there is none; Stmt counts a
// transaction's target statements from 0.
type Event struct {
	Op      int    `json:"op"` // number in order of sending
	Session string `json:"session"`
	Txn     int    `json:"txn"`
	Stmt    int    `json:"stmt"`
	Role    Role   `json:"role"`
	Text    string `json:"text"`
	Start   int64  `json:"start"`             // ns since the run began, monotonic: before sending
	End     int64  `json:"end"`               // ns since the run began: after the answer
	Blocked bool   `json:"blocked,omitempty"` // it waited for a lock while others ran
	Done    int    `json:"done"`              // position in the order of answering
	// with the answer the database said that the transaction is open no more, which nothing had ended
	Gone bool `json:"gone,omitempty"`
	// Known says that it was not sent: nothing had been answered since the same read was that could change what it reads.
	Known bool `json:"known,omitempty"`
	Answer
}

// Answer is what a database answered to one statement.
type Answer struct {
	Rows     *Rows     `json:"rows,omitempty"` // nil unless it was a query that succeeded
	Affected int64     `json:"affected"`       // affected rows; -1 where the statement has no such count
	Warnings []Warning `json:"warnings,omitempty"`
	Err      *DBError  `json:"err,omitempty"` // the database's error: data
}

// SessionName is the name, in traces, of the session whose first transaction has that number.
func SessionName(i int) string { return "T" + strconv.Itoa(i) }

// Trace is all that a run sent and got back, in order of sending.
type Trace struct {
	Events []*Event
}

// TraceFormat is the number of the format that Write writes. Traces before it had no header, and are read.
const TraceFormat = 1

// eventsHeader is the first line of a trace.
type eventsHeader struct {
	Trace  string `json:"trace"` // "events"
	Format int    `json:"format"`
}

// Write writes the trace as JSON lines: a header, then an event each.
func (t *Trace) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(eventsHeader{"events", TraceFormat}); err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	for _, e := range t.Events {
		if err := enc.Encode(e); err != nil {
			return fmt.Errorf("trace: operation %d: %w", e.Op, err)
		}
	}
	return b.Flush()
}

// ReadTrace reads a trace. A last line that is cut off, as a kill leaves it, is dropped; any other damage is
// an error with its line number.
func ReadTrace(r io.Reader) (*Trace, error) {
	br := bufio.NewReader(r)
	t := &Trace{}
	for n := 1; ; n++ {
		line, err := input.Line(br, input.MaxLine)
		torn := errors.Is(err, io.EOF)
		if err != nil && !torn {
			return nil, fmt.Errorf("trace: line %d: %w", n, err)
		}
		if n == 1 && bytes.HasPrefix(line, []byte(`{"trace":`)) {
			if err := readEventsHeader(line); err != nil && !torn {
				return nil, err
			}
		} else if len(bytes.TrimSpace(line)) > 0 {
			e := new(Event)
			if jerr := json.Unmarshal(line, e); jerr == nil {
				t.Events = append(t.Events, e)
			} else if !torn {
				return nil, fmt.Errorf("trace: line %d: %w", n, jerr)
			}
		}
		if torn {
			return t, nil
		}
	}
}

// readEventsHeader refuses a trace of another kind, or of a later format.
func readEventsHeader(line []byte) error {
	var h eventsHeader
	switch err := json.Unmarshal(line, &h); {
	case err != nil:
		return fmt.Errorf("trace: line 1: %w", err)
	case h.Trace != "events":
		return fmt.Errorf("trace: line 1: a trace of %q, not of events", h.Trace)
	case h.Format != TraceFormat:
		return fmt.Errorf("trace: line 1: format %d; this version reads format %d", h.Format, TraceFormat)
	}
	return nil
}

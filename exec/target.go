package exec

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"txweave/dbms"
	"txweave/testcase"
)

// Description says what a target is: for reports and summaries.
type Description struct {
	Target   string            `json:"target"`  // name of the DBMS
	Version  string            `json:"version"` // as the server says it
	Settings map[string]string `json:"settings,omitempty"`
	Changed  []string          `json:"changed,omitempty"` // settings that somebody has made: they are not the default
}

// Observer levels, for Target.Observe.
const (
	ReadCommitted   = "READ COMMITTED"
	ReadUncommitted = "READ UNCOMMITTED"
)

// NodeID is a node of a target, by its number from 0. A server alone, and an embedded engine, is one.
type NodeID int

// FirstNode is the one that every target has.
const FirstNode NodeID = 0

// Target is a database that txweave may use as it likes: create tables in, reset, kill statements on. Who asks for a
// part of it takes that part.
type Target interface {
	// Describe says what the target is.
	Describe() Description
	Connections
	Tables
	Upkeep
}

// Connections are the sessions of a target: for whoever sends statements.
type Connections interface {
	// Open opens a session on a node that runs transactions at the level of a profile.
	Open(ctx context.Context, node NodeID, p *dbms.Profile) (*Session, error)
	// Observe opens a session on a node, in autocommit, that reads at a level, READ COMMITTED or READ UNCOMMITTED.
	Observe(ctx context.Context, node NodeID, level string) (*Session, error)
	// Control is the connection over which all goes that is no session's of a case.
	Control() *Session
	// Waiting tells what the sessions wait for at this moment.
	Waiting(ctx context.Context, sessions []*Session) ([]Wait, error)
	// Kill ends the statement that a session is running.
	Kill(ctx context.Context, s *Session) error
	// There says whether the server still knows a session, and so may have a transaction of it open.
	There(ctx context.Context, s *Session) (bool, error)
}

// Tables are what a target holds: for whoever runs cases.
type Tables interface {
	// Load creates the tables of a case anew and fills them.
	Load(ctx context.Context, c *testcase.Case, tables []string) error
	// Reset puts the tables back to what Load made of them, the cheap way.
	Reset(ctx context.Context) error
	// Sent is what Load and Reset last sent.
	Sent() (load, reset string)
	// Clear drops what Load created, Empty whatever the database holds.
	Clear(ctx context.Context) error
	Empty(ctx context.Context) error
}

// Upkeep is that of a target's server or engine: for whoever asks whether it is well, or begins anew.
type Upkeep interface {
	// Alive is nil while the database answers; a *CrashError if it went down by itself, a *HangError if its server is
	// there and does not answer in time. A control connection that was lost is opened again.
	Alive(ctx context.Context) error
	// Restart replaces the database, one that has crashed for instance, by a new and empty one.
	Restart(ctx context.Context) error
	// Log is the tail of the server's log; "" where txweave does not have it.
	Log() string
	// Worn says that a restart is due: the database has grown by the cases that it has seen, or the last restart did not
	// come to its end.
	Worn() bool
	// Close ends the target and removes all that it made.
	Close() error
}

// Base is what targets have and do alike.
type Base struct {
	About      Description
	Connection *Session // over which all goes that is no session's of a case
	// LoadScript and ResetScript are what Load and Reset send.
	LoadScript, ResetScript string
}

// Describe implements Target.
func (b *Base) Describe() Description { return b.About }

// Control implements Connections.
func (b *Base) Control() *Session { return b.Connection }

// Sent implements Tables.
func (b *Base) Sent() (load, reset string) { return b.LoadScript, b.ResetScript }

// Mortal is a target whose server says since when it lives, by its own clock: what is left of a crash where its log is
// not at hand.
type Mortal interface {
	Born(ctx context.Context) (Birth, error)
}

// Birth is since when a server lives: since it was started, or since it put itself together again after a crash of one
// of its processes.
type Birth struct {
	At     time.Time     // by the server's clock; zero: it does not tell
	Within time.Duration // how exactly it tells
}

// After says whether a server has begun anew since an earlier birth was asked for. One that does not tell has not.
func (b Birth) After(earlier Birth) bool {
	return !b.At.IsZero() && !earlier.At.IsZero() && b.At.After(earlier.At.Add(max(b.Within, earlier.Within)))
}

// Born asks a target since when its server lives.
func Born(ctx context.Context, t Target) Birth {
	m, tells := t.(Mortal)
	if !tells {
		return Birth{}
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	at, err := m.Born(ctx)
	if err != nil {
		return Birth{}
	}
	return at
}

// CrashError says that the database process is gone though nobody asked it to go.
type CrashError struct {
	Reason string // how the process ended
	Log    string // tail of its log
	// Killed says that it is no fault of the engine's: somebody ended it or asked it to end, or memory ran out.
	Killed bool
}

func (e *CrashError) Error() string { return "the server is gone: " + e.Reason }

// HangError says that the database is there and does not answer.
type HangError struct {
	Waited time.Duration
	State  string // of its process, as the system says it: "T (stopped)"; "" if that is not known
	Log    string // tail of its log
	Stacks string // what its threads do, where a debugger or the system tells
	Err    error  // what the last try to reach it met
	// Starved says that threads of the server had no processor for much of that time: the machine is too busy.
	Starved bool
	// Users says that it is a server of the user's: of its process nothing is known, nor of the network before it.
	Users bool
}

func (e *HangError) Error() string {
	text := fmt.Sprintf("the server has not answered for %s", e.Waited.Round(time.Second))
	if e.Users {
		return text + ": whether it hangs, or somebody has stopped it or what lies before it, cannot be known from here: " +
			strings.TrimPrefix(e.Err.Error(), ErrUnavailable.Error()+": ")
	}
	if e.Stopped() {
		return text + ": somebody has stopped its process, which is " + e.State
	}
	if e.State != "" {
		text += ", its process is " + e.State
	}
	if e.Starved {
		text += ", on a machine that gives it no processor for much of the time"
	}
	return text + ": " + e.Err.Error()
}

// Stopped says that somebody has stopped the process: that it does not answer is no doing of its own.
func (e *HangError) Stopped() bool { return strings.HasPrefix(e.State, "T") }

// Proved says that it is the database's own doing, as far as one try can tell.
func (e *HangError) Proved() bool { return !e.Users && !e.Stopped() && !e.Starved }

func (e *HangError) Unwrap() error { return e.Err }

// LostError says that a connection broke under a statement: every error of a driver that is no answer of the
// database's. The server may live on; Alive tells.
type LostError struct {
	Statement string
	// the session's statement before it, and its error: a server may answer one that panics and then close the connection;
	// or ""
	After string
	Err   error
	Log   string // tail of the server's log where txweave has it: why a server that lives on dropped the connection
}

func (e *LostError) Error() string {
	text := fmt.Sprintf("%s: the connection was lost: %v", e.Statement, e.Err)
	if e.After != "" {
		text += ", after " + e.After
	}
	return text
}

// Of says whether it was a statement of this text.
func (e *LostError) Of(sql string) bool { return e.Statement == clip(sql) }

func (e *LostError) Unwrap() error { return e.Err }

// ErrUnavailable marks errors of a target that cannot be had: unreachable, not permitted, not installed.
var ErrUnavailable = errors.New("target unavailable")

// ErrTimeout marks statements that did not answer in time, killed or not.
var ErrTimeout = errors.New("no answer in time")

// ErrTooLarge marks statements whose result was not read to its end, because it is too large to keep.
var ErrTooLarge = errors.New("result too large")

// EnvironmentError is an answer that says nothing about the engine's correctness: disk full, interrupted.
type EnvironmentError struct{ Answer *AnswerError }

func (e *EnvironmentError) Error() string { return "environment: " + e.Answer.Error() }

func (e *EnvironmentError) Unwrap() error { return e.Answer }

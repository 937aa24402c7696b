// Package check holds what the black-box history checkers share: levels, verdicts with their counterexamples, the
// names of anomalies, and the tracing of reads to the transactions that wrote what they returned.
package checker

import (
	"context"
	"fmt"
	"strings"

	"txweave/dbms"
	"txweave/fault"
	"txweave/history"
)

// Options say what a level includes.
type Options struct {
	// SessionOrder makes the order of a session's transactions part of the level ("strong session").
	SessionOrder bool
}

// Validity is whether a history is one of its level, as far as a checker can tell.
type Validity string

// The outcomes. Unknown is never fine: the history could not be judged, for the reason that goes with it.
const (
	Valid   Validity = "valid"
	Invalid Validity = "invalid"
	Unknown Validity = "unknown"
)

// Precondition is what a checker needs of a history.
type Precondition string

// The preconditions that a history may not meet.
const (
	MiniTransactions Precondition = "mini-transactions" // another checker, for general histories, may judge it
	UniqueValues     Precondition = "unique-values"
	RealTime         Precondition = "real-time"
	Registers        Precondition = "registers"       // reads and writes of registers only
	CompareAndSet    Precondition = "compare-and-set" // of lin: single operations on single keys
	SearchBudget     Precondition = "search-budget"   // the search was given up
	Supported        Precondition = "supported-level" // the checker does not know the level
	WellFormed       Precondition = "well-formed"     // the history contradicts itself
	Finished         Precondition = "finished"        // the check was stopped before its end
)

// ExplainedEdge is a Dependency of a counterexample, with names and in words.
type ExplainedEdge struct {
	From string           `json:"from,omitempty"` // transaction's name; empty where nobody wrote what was read
	To   string           `json:"to"`
	Kind history.EdgeKind `json:"kind"`
	Key  string           `json:"key,omitempty"`
	Text string           `json:"text"` // the reason in words
	// FromTxn and ToTxn are the transactions' indices in the history; -1 where there is none.
	FromTxn int `json:"-"`
	ToTxn   int `json:"-"`
}

// Verdict is a checker's answer.
type Verdict struct {
	Level        dbms.Level
	SessionOrder bool
	Outcome      Validity
	Anomaly      fault.Kind   // of Invalid
	Unmet        Precondition // of Unknown
	Reason       string       // one line: of Invalid what happened, of Unknown why
	// Counterexample is, of Invalid, a cycle whose last edge leads back to where the first began; or, for what one
	// read alone shows, the edges between it and the writes concerned.
	Counterexample []ExplainedEdge
	// Adya is what Adya and Elle call the anomaly; see the function of that name.
	Adya string
	// NotChecked says what of the history the checker passed over.
	NotChecked []string
	// Second is, of Invalid, a cycle of other transactions, or what another read shows, where that was found too.
	Second *Cycle
}

// Cycle is a cycle of dependencies, or what one read shows, and what it is called.
type Cycle struct {
	Anomaly fault.Kind      `json:"anomaly"`
	Adya    string          `json:"adya,omitempty"`
	Edges   []ExplainedEdge `json:"edges"`
}

// String prints the verdict over several lines: the outcome, and every edge in words.
func (v Verdict) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", v.Level, v.Outcome)
	if v.Anomaly != "" {
		fmt.Fprintf(&b, " %s", v.Anomaly)
	}
	if v.Unmet != "" {
		fmt.Fprintf(&b, " (%s)", v.Unmet)
	}
	if v.Reason != "" {
		fmt.Fprintf(&b, ": %s", v.Reason)
	}
	for _, e := range v.Counterexample {
		from := e.From
		if from == "" {
			from = "-"
		}
		fmt.Fprintf(&b, "\n  %s -%s-> %s: %s", from, e.Label(), e.To, e.Text)
	}
	for _, what := range v.NotChecked {
		fmt.Fprintf(&b, "\n  not checked: %s", what)
	}
	return b.String()
}

// Label is the edge's kind and key: "wr(x)".
func (e ExplainedEdge) Label() string {
	if e.Key == "" {
		return e.Kind.String()
	}
	return fmt.Sprintf("%s(%s)", e.Kind, e.Key)
}

// Valid returns a valid verdict for the level under these options.
func (o Options) Valid(l dbms.Level) Verdict {
	return Verdict{Level: l, SessionOrder: o.SessionOrder, Outcome: Valid}
}

// Unknown returns an unknown verdict.
func (o Options) Unknown(l dbms.Level, unmet Precondition, format string, args ...any) Verdict {
	return Verdict{Level: l, SessionOrder: o.SessionOrder, Outcome: Unknown, Unmet: unmet,
		Reason: fmt.Sprintf(format, args...)}
}

// Stopped is the verdict on a history whose check ctx has ended before it came to one, with the cause; nil while ctx
// has not ended.
func (o Options) Stopped(ctx context.Context, l dbms.Level) *Verdict {
	if ctx.Err() == nil {
		return nil
	}
	v := o.Unknown(l, Finished, "the check was stopped: %v", context.Cause(ctx))
	return &v
}

// reason says in one line what an anomaly is.
func reason(a fault.Kind) string {
	title := fault.Of(a).Title
	return strings.ToLower(title[:1]) + title[1:]
}

// Invalid returns an invalid verdict with its counterexample.
func (o Options) Invalid(l dbms.Level, a fault.Kind, edges []ExplainedEdge) Verdict {
	v := Verdict{Level: l, SessionOrder: o.SessionOrder, Outcome: Invalid, Anomaly: a, Reason: reason(a),
		Counterexample: edges, Adya: Adya(a, edges)}
	return v
}

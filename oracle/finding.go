// Package oracle holds what the oracles share: findings, their evidence and their signatures.
package oracle

import (
	"slices"
	"strings"
)

// Classes of findings.
const (
	ClassReplay       = "replay-difference"       // a statement or the final contents differ without transactions
	ClassInconsistent = "inconsistent-read-write" // a write disagrees with the reads around it
	ClassUnexplained  = "unexplained-read"        // a read or write that no committed statement accounts for
	ClassIsolation    = "isolation-violation"     // a phenomenon happened that the level forbids
	ClassCrash        = "crash"                   // the server process ended by itself
)

// What differs, in a Difference.
const (
	Rows     = "rows"
	Order    = "order"
	Affected = "affected"
	Error    = "error"
	Warnings = "warnings"
	Final    = "final"
)

// Difference is one piece of a finding's evidence.
type Difference struct {
	Stmt string `json:"stmt,omitempty"` // "T1.S3"; empty for final contents
	Kind string `json:"kind,omitempty"` // statement kind: "SELECT"
	What string `json:"what"`           // one of the constants above, or the inconsistency's name
	// Transaction and Replay are what the two executions gave, shortened to what differs.
	Transaction string `json:"transaction,omitempty"`
	Replay      string `json:"replay,omitempty"`
	Detail      string `json:"detail,omitempty"`
}

// Finding is what an oracle reports.
type Finding struct {
	Class       string       `json:"class"`
	Oracle      string       `json:"oracle"`
	Signature   string       `json:"signature"`
	Summary     string       `json:"summary"` // one line
	Differences []Difference `json:"differences,omitempty"`
	Log         string       `json:"log,omitempty"` // a crash's log tail
	Confirmed   int          `json:"confirmed"`     // repetitions that showed it again …
	Repeated    int          `json:"repeated"`      // … of this many
}

// Sign sets the signature: class, then what differs in which kinds of statement, each once, sorted. Names,
// numbers and literals stay out, so that one bug keeps one signature.
func (f *Finding) Sign() {
	var parts []string
	for _, d := range f.Differences {
		p := d.What
		if d.Kind != "" {
			p = d.Kind + ":" + d.What
		}
		if !slices.Contains(parts, p) {
			parts = append(parts, p)
		}
	}
	slices.Sort(parts)
	f.Signature = strings.Join(append([]string{f.Class}, parts...), "/")
}

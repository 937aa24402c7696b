// Package oracle holds what the oracles share: findings, their evidence and their signatures.
package finding

import (
	"fmt"
	"slices"

	"txweave/fault"
	"txweave/history"
)

// Classes of findings.
const (
	ClassReplay = "replay-difference" // a statement or the final contents differ without transactions
	// the same statements without transactions, planned otherwise, give something else
	ClassPlan         = "plan-difference"
	ClassInconsistent = "inconsistent-read-write" // a write disagrees with the reads around it
	ClassUnexplained  = "unexplained-read"        // a read or write that no committed statement accounts for
	ClassIsolation    = "isolation-violation"     // a phenomenon happened that the level forbids
	ClassSnapshot     = "snapshot-violation"      // a plain read did not see the snapshot that the level promises
	ClassMechanism    = "mechanism-violation"     // a concurrency control mechanism did not hold
	ClassCertificate  = "certificate-violation"   // the database's own account of the run contradicts what was seen
	ClassUnexpected   = "unexpected-error"        // an error that no statement can cause
	ClassCorruption   = "corruption"              // such an error in answer to a statement of the tool's own
	ClassHang         = "hang"                    // a statement does not end in a transaction, and at once without
	ClassCrash        = "crash"                   // the server process ended by itself
)

// Finding is what an oracle reports.
type Finding struct {
	Class       string       `json:"class"`
	Oracle      string       `json:"oracle"`
	Signature   string       `json:"signature"`
	Title       string       `json:"title,omitempty"` // one sentence for people, without names of versions
	Summary     string       `json:"summary"`         // one line
	Differences []Difference `json:"differences,omitempty"`
	Log         string       `json:"log,omitempty"` // a crash's log tail
	Confirmed   int          `json:"confirmed"`     // repetitions that showed it again …
	Repeated    int          `json:"repeated"`      // … of this many
	// With is the signature of the first finding of the same case that names one of the same transactions: most likely
	// both have one cause.
	With string `json:"with,omitempty"`
	// Cause is what it comes down to, where that is more than this one oracle and kind of statement would show; see
	// package oracle/cause.
	Cause Cause `json:"cause,omitzero"`
	// Derived says that nothing but the finding which it goes with tells its cause.
	Derived bool `json:"derived,omitempty"`
}

// OfStatement says whether the finding is of a statement of the case: what a trace tells of. A server that ended, a row
// that the tables cannot be filled with and tables that are damaged are not.
func (f *Finding) OfStatement() bool {
	return f.Class != ClassCrash && f.Class != ClassHang && len(f.Differences) > 0 && f.Differences[0].Stmt != ""
}

// Again says how often the finding came back; "" where nobody has tried.
func (f *Finding) Again() string {
	switch {
	case f.Repeated == 0:
		return ""
	case f.Confirmed == 0 && f.Repeated == 1:
		return "seen once"
	case f.Confirmed == 0:
		return fmt.Sprintf("seen once, and not again in %d runs", f.Repeated)
	}
	return fmt.Sprintf("came back %d of %s", f.Confirmed, Count(f.Repeated, "time"))
}

// OwnCause is the cause that the finding tells by itself; "" where it does not, or where only a smaller case does:
// whether a search goes wrong by an index shows when that cannot be taken away.
func (f *Finding) OwnCause() Cause {
	if f.Derived || f.Cause == CauseSearch {
		return Cause{}
	}
	return f.Cause
}

// Named returns the statements that the finding's differences name, each once.
func (f *Finding) Named() []string {
	var out []string
	for i := range f.Differences {
		for _, name := range f.Differences[i].Stmts() {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// Transactions returns the transactions that the finding's differences name, by a statement or by themselves, sorted.
func (f *Finding) Transactions() []int {
	var out []int
	for i := range f.Differences {
		out = append(out, f.Differences[i].Txns()...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Sign sets the signature: the class, then what differs first and in which kind of statement; of errors their codes,
// of a crash what its log tells. What differs after that is mostly a consequence, and comes and goes as a case is made
// smaller. Names, numbers and literals stay out, so that one bug keeps one signature. Package signature refines it.
func (f *Finding) Sign() {
	f.Signature = f.Class
	switch {
	case f.Class == ClassCrash:
		if why := crashSite(f.Log); why != "" {
			f.Signature += "/" + why
		}
	case len(f.Differences) > 0:
		d := &f.Differences[0]
		what := fault.Kind(d.Told())
		if d.What == fault.Error {
			what += fault.Kind("(" + errorCode(d.Transaction) + "," + errorCode(d.Replay) + ")")
		}
		f.Signature = Signed(f.Class, d.Kind, what)
	}
}

// Signed is the signature of a finding of a class in which a statement of a kind, or none where that is "", shows a
// fault.
func Signed(class, kind string, what fault.Kind) string {
	if kind != "" {
		kind += ":"
	}
	return class + "/" + kind + string(what)
}

// errorCode is the code of an error, "none" where there is none.
func errorCode(v Side) string {
	if v.Err == nil {
		return "none"
	}
	return history.ErrorName(v.Err.Code)
}

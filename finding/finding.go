// Package oracle holds what the oracles share: findings, their evidence and their signatures.
package finding

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"txweave/history"
)

// Classes of findings.
const (
	ClassReplay       = "replay-difference"       // a statement or the final contents differ without transactions
	ClassPlan         = "plan-difference"         // the same statements without transactions, planned otherwise, give something else
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

// What differs, in a Difference.
const (
	Rows     = "rows"
	Order    = "order"
	Affected = "affected"
	Error    = "error"
	Warnings = "warnings"
	Final    = "final"
)

// Matched is what differs where a write, without transactions, affects another number of rows than a query finds right before it that has its
// WHERE clause or, of an INSERT … SELECT, is its own.
const Matched = "matched-versus-affected"

// Claimed is what differs where an INSERT of one row, without transactions, is refused for a unique key that no row has by a query right
// before it, or adds a row though that one finds some.
const Claimed = "refused-versus-held"

// Met is what differs where an INSERT of one row that changes a row in its way on a condition, without transactions, writes though a query right before it finds that the condition is not true of
// that row, or passes over one of which it is.
const Met = "changed-versus-met"

// Gone is what is wrong where the database says with an answer that no transaction is open, though nothing has ended it.
const Gone = "transaction-gone"

// BySearch says whether what differs is between a write and a query right before it for the rows that it writes, or that keep it from writing.
func BySearch(what string) bool { return what == Matched || what == Claimed || what == Met }

// NoError is what a difference shows of a statement that was not refused.
const NoError = "no error"

// AskedBefore begins the detail of such a difference; the query follows.
const AskedBefore = "asked for right before it: "

// KeptLock is what differs where a statement waits for a lock that no open transaction holds.
const KeptLock = "kept-lock"

// Probe is the kind of a statement that txweave has added, where a difference is of that.
const Probe = "probe"

// InitialRow is the kind of a statement that fills a table with a row of the case, where a difference is of that.
const InitialRow = "initial row"

// InAutocommit begins the detail of a difference that a replay shows by itself: what is wrong there is wrong without
// transactions.
const InAutocommit = "in autocommit "

// Difference is one piece of a finding's evidence.
type Difference struct {
	Stmt string `json:"stmt,omitempty"` // "T1.S3"; empty for final contents
	Kind string `json:"kind,omitempty"` // statement kind: "SELECT"
	What string `json:"what"`           // one of the constants above, or the inconsistency's name
	// Transaction and Replay are what the two executions gave, shortened to what differs.
	Transaction string `json:"transaction,omitempty"`
	Replay      string `json:"replay,omitempty"`
	Detail      string `json:"detail,omitempty"`
	// Warned are, of a difference of warnings, those that one of the two gave more often: of each level and code one for each column and each
	// shape of what they say.
	Warned []Warned `json:"warned,omitempty"`
}

// Warned is a warning that one of two executions gave more often than the other.
type Warned struct {
	history.Warning     // one of them; which row it is about depends on the plan
	More            int `json:"more"` // how many more the one in transactions gave, negative: the other one
}

// String prints the warning as the server says it.
func (w *Warned) String() string { return fmt.Sprintf("%s %d: %s", w.Level, w.Code, w.Message) }

// What differs where a COMMIT that checks foreign keys does not go by the rows that refer to none, as reads right before it find them.
const (
	RefusedOwed   = "refused-versus-owed"
	CommittedOwed = "committed-versus-owed"
)

// OfCommit makes a difference one between the COMMIT of a transaction and the reads right before it.
func OfCommit(txn int, what, detail string) Difference {
	return Difference{Kind: commit, What: what, Detail: commitOf + history.SessionName(txn) + ": " + detail}
}

// OfCommit says whether a difference is such a one.
func (d *Difference) OfCommit(txn int) bool {
	return d.Kind == commit && (d.What == RefusedOwed || d.What == CommittedOwed) && strings.HasPrefix(d.Detail, commitOf+history.SessionName(txn)+": ")
}

const commit, commitOf = "COMMIT", "COMMIT of "

// FinalTable is the table that a difference of final contents is of; "" of other differences.
func (d *Difference) FinalTable() string {
	if d.What != Final {
		return ""
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(d.Detail, ofTable), "; ")
	return name
}

// OfTable makes a difference one of what a table holds in the end; more, where it is not "", says more of that.
func (d *Difference) OfTable(table, more string) {
	d.What, d.Detail = Final, ofTable+table
	if more != "" {
		d.Detail += "; " + more
	}
}

const ofTable = "table "

// Sides name what the two answers that a difference of a class tells are of: two executions, or a write and the query right before it.
func Sides(class, what string) (transaction, replay string) {
	switch {
	case BySearch(what):
		return "the write", "the query"
	case class == ClassPlan:
		return "as planned", "otherwise"
	}
	return "in transactions", "without"
}

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
	// Cause is what it comes down to, where that is more than this one oracle and kind of statement would show; see package
	// oracle/cause.
	Cause string `json:"cause,omitempty"`
	// Derived says that nothing but the finding which it goes with tells its cause.
	Derived bool `json:"derived,omitempty"`
}

// OfStatement says whether the finding is of a statement of the case: what a trace tells of. A server that ended, a row that the tables cannot be filled with and
// tables that are damaged are not.
func (f *Finding) OfStatement() bool {
	return f.Class != ClassCrash && f.Class != ClassHang && len(f.Differences) > 0 && f.Differences[0].Stmt != ""
}

// OwnCause is the cause that the finding tells by itself; "" where it does not, or where only a smaller case does: whether a search goes wrong by
// an index shows when that cannot be taken away.
func (f *Finding) OwnCause() string {
	if f.Derived || f.Cause == CauseSearch {
		return ""
	}
	return f.Cause
}

var stmtName = regexp.MustCompile(`\bT\d+\.S\d+\b`)

// Named returns the statements that a text names ("T1.S3"), each once, in order of appearance.
func Named(text string) []string {
	var out []string
	for _, name := range stmtName.FindAllString(text, -1) {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// Named returns the statements that the finding's differences name, each once.
func (f *Finding) Named() []string {
	var text strings.Builder
	for _, d := range f.Differences {
		text.WriteString(d.Stmt + " " + d.Detail + " ")
	}
	return Named(text.String())
}

var txnName = regexp.MustCompile(`\bT\d+\b`)

// Transactions returns the transactions that the finding's differences name ("T1"), by a statement or by themselves.
func (f *Finding) Transactions() []string {
	var out []string
	for _, d := range f.Differences {
		out = append(out, txnName.FindAllString(d.Stmt+" "+d.Detail, -1)...)
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
		f.Signature += "/"
		if d.Kind != "" {
			f.Signature += d.Kind + ":"
		}
		f.Signature += d.What
		if d.What == Error {
			f.Signature += "(" + errorCode(d.Transaction) + "," + errorCode(d.Replay) + ")"
		}
	}
}

var errorNumber = regexp.MustCompile(`^error (\d+)`)

// errorCode returns the code of an error as history.DBError prints it, "none" where there is none.
func errorCode(text string) string {
	if m := errorNumber.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return "none"
}

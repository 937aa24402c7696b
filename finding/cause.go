package finding

import (
	"slices"
	"strings"
)

// The causes that more than one oracle, or more than one kind of statement, shows. All others are a finding's own.
const (
	CauseLost   = "committed write lost"   // the final contents lack it
	CauseKept   = "rolled-back write kept" // the final contents have it
	CauseKeptTo = "write kept behind ROLLBACK TO"
	CauseStale  = "stale read"          // a read missed what was committed before its snapshot
	CauseDirty  = "dirty read"          // a read saw what was not committed
	CauseNewer  = "newer than snapshot" // a statement saw what was committed after its snapshot
	// Where one writes at a time: it must not write that read before another one committed. What such a transaction sees, overwrites and counts follows.
	CauseOldWriter = "write from an old snapshot"
	CauseOwn       = "own write missed by reads" // a read missed what its transaction had written and the final contents have
	CauseLater     = "own later write read"      // a read saw what its transaction wrote only after it
	CauseThinAir   = "thin-air read"             // a read saw what nobody wrote
	CauseMissing   = "row missing from reads"    // a read missed a row that nobody had touched
	CauseSearch    = "search finds wrong rows"   // a read with a WHERE clause, of a table with an index; the whole table reads right
	CauseTwice     = "row twice in a read"
	CauseUnwritten = "row names a version that nobody wrote" // as what it was before
	CauseKey       = "key there to one, not to the other"    // of a transaction and its replay: a unique key is looked up wrongly
	CauseNone      = "INSERT writes none of its rows"        // and says that it wrote
	CauseMiscount  = "affected rows miscounted"              // what was written is as it should be
	CauseCount     = "COUNT of other rows than are read"     // of a whole table, with a read of all its columns beside it
	CauseIndex     = "index and table disagree"              // the database says so itself
	CauseOrphan    = "reference to no row"                   // the same
	CauseDamaged   = "damaged pages"                         // the same
	CauseGone      = "savepoint gone"                        // from a transaction that goes on, whichever statement asks for it
	CauseEnded     = "transaction ended without a word"      // its COMMIT and its ROLLBACK found none
	// Behind the verb of a write: it wrote fewer rows than its WHERE clause is true for, and says so.
	PassesOver = " passes over rows"
	// Of warnings, where nothing else differs; which ones follows.
	CauseWarned      = "warned otherwise: "
	CauseWarnedOfOwn = "warned of a name of the database's own: " // which no statement knows
)

// ofEnded are the classes of what a transaction shows that was none any more: its writes were there for all at once, its locks and its
// snapshot gone.
var ofEnded = []string{ClassSnapshot, ClassIsolation, ClassMechanism, ClassUnexplained, ClassInconsistent, ClassReplay}

// EndExplains says whether a finding of a class, about a transaction that ended without a word, is explained by that.
func EndExplains(class string) bool { return slices.Contains(ofEnded, class) }

// ofReads are the other causes that any read shows: whether it needs a second transaction is chance.
var ofReads = []string{CauseMissing, CauseSearch, CauseTwice, CauseMiscount, CauseKey}

// OfReads says whether a cause is one that any read shows, and so a query of a table's versions, too.
func OfReads(cause string) bool {
	return slices.Contains([]string{CauseLost, CauseKept, CauseKeptTo, CauseStale, CauseDirty, CauseNewer, CauseOwn, CauseLater, CauseThinAir, CauseMissing, CauseSearch,
		CauseTwice}, cause)
}

// explained are the causes that damage explains which the database tells of in the same case.
var explained = append([]string{CauseThinAir, CauseLater}, ofReads...)

// answered are the classes of findings that have no cause by the answers alone, which damage may have made wrong. Of two transactions that
// held one lock, or depend on each other in a circle, it says nothing.
var answered = []string{ClassReplay, ClassPlan, ClassInconsistent, ClassUnexplained}

// Explains says whether a cause explains what else is found in its case: a finding of a class, with a cause or "".
func Explains(damage, class, cause string) bool {
	byAnswers := cause == "" || strings.HasPrefix(cause, CauseWarned)
	return (damage == CauseIndex || damage == CauseDamaged) && (slices.Contains(explained, cause) || byAnswers && slices.Contains(answered, class))
}

// OfWarnings says whether a cause is one of warnings alone. They tell nothing of what else goes wrong.
func OfWarnings(cause string) bool {
	return strings.HasPrefix(cause, CauseWarned) || strings.HasPrefix(cause, CauseWarnedOfOwn)
}

// ofTransactions are the causes for which no statement's own syntax matters: what was lost or damaged, or what a snapshot held, is the
// same for whoever reads it.
var ofTransactions = []string{CauseIndex, CauseDamaged, CauseOrphan, CauseLost, CauseKept, CauseKeptTo, CauseStale, CauseDirty, CauseNewer, CauseOldWriter, CauseOwn, CauseThinAir,
	CauseLater, CauseUnwritten, CauseEnded}

// OfStatements says whether a cause is one that a statement has by itself, so that what it needs of SQL matters: not where the cause is one of
// transactions, nor where the database names what only it knows, which tells more of the bug than the statement does.
func OfStatements(cause string) bool {
	return cause != "" && !slices.Contains(ofTransactions, cause) && !strings.HasPrefix(cause, CauseWarnedOfOwn)
}

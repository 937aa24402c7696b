package finding

import (
	"slices"
	"strings"

	"txweave/fault"
)

// Cause is what a finding comes down to, where more than one oracle, or more than one kind of statement, shows it. All
// others are a finding's own: the zero value.
type Cause struct {
	Kind fault.Kind
	// Of is more of it: the kind of the statement, the shape of an error's message, the warnings; without a Kind the
	// signature of the finding whose cause it is.
	Of string
}

// IsZero says whether the finding is its own cause.
func (c Cause) IsZero() bool { return c == Cause{} }

// String prints the cause.
func (c Cause) String() string {
	if c.Kind == "" || c.Of == "" {
		return string(c.Kind) + c.Of
	}
	return string(c.Kind) + ": " + c.Of
}

// MarshalText writes what String prints.
func (c Cause) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads what MarshalText wrote, with the names of before, too: a kind that the catalogue has, and what
// follows it.
func (c *Cause) UnmarshalText(text []byte) error {
	whole := string(text)
	name, of, _ := strings.Cut(whole, ": ")
	verb, passed, _ := strings.Cut(whole, " ") // before: "UPDATE passes over rows"
	for _, named := range []Cause{{fault.Named(whole), ""}, {fault.Named(name), of}, {fault.Named(passed), verb}} {
		if fault.Of(named.Kind) != nil {
			*c = named
			return nil
		}
	}
	*c = Cause{Of: Renamed(whole)}
	return nil
}

// earlier are the texts of files of before that are this cause now.
func (c Cause) earlier() []string {
	e := fault.Of(c.Kind)
	if e == nil {
		return nil
	}
	var out []string
	for _, name := range e.Old {
		if c.Of == "" {
			out = append(out, name)
		} else {
			out = append(out, name+": "+c.Of, c.Of+" "+name)
		}
	}
	return out
}

// The causes that more than one oracle, or more than one kind of statement, shows.
var (
	CauseLost   = Cause{Kind: fault.LostWrite} // the final contents lack it
	CauseKept   = Cause{Kind: fault.KeptWrite} // the final contents have it
	CauseKeptTo = Cause{Kind: fault.KeptUndone}
	CauseStale  = Cause{Kind: fault.StaleRead} // a read missed what was committed before its snapshot
	CauseDirty  = Cause{Kind: fault.DirtyRead} // a read saw what was not committed
	CauseNewer  = Cause{Kind: fault.NewerRead} // a statement saw what was committed after its snapshot
	// Where one writes at a time: it must not write that read before another one committed. What such a transaction sees,
	// overwrites and counts follows.
	CauseOldWriter = Cause{Kind: fault.OldWriter}
	// a read missed what its transaction had written and the final contents have
	CauseOwn     = Cause{Kind: fault.OwnWriteMissed}
	CauseLater   = Cause{Kind: fault.OwnLaterWrite} // a read saw what its transaction wrote only after it
	CauseThinAir = Cause{Kind: fault.ThinAirRead}   // a read saw what nobody wrote
	CauseMissing = Cause{Kind: fault.MissingRow}    // a read missed a row that nobody had touched
	// a read with a WHERE clause, of a table with an index; the whole table reads right
	CauseSearch    = Cause{Kind: fault.Searched}
	CauseTwice     = Cause{Kind: fault.RowTwice}
	CauseUnwritten = Cause{Kind: fault.UnwrittenVersion} // a row names it as what it was before
	// of a transaction and its replay: a unique key is looked up wrongly
	CauseKey      = Cause{Kind: fault.KeyOnce}
	CauseRead     = Cause{Kind: fault.ReadMends}    // of a replay, which is right with reads between its statements
	CauseNone     = Cause{Kind: fault.WroteNone}    // and says that it wrote
	CauseMiscount = Cause{Kind: fault.Affected}     // what was written is as it should be
	CauseCount    = Cause{Kind: fault.Counted}      // of a whole table, with a read of all its columns beside it
	CauseIndex    = Cause{Kind: fault.IndexDamaged} // the database says so itself
	CauseOrphan   = Cause{Kind: fault.Orphan}       // the same
	CauseDamaged  = Cause{Kind: fault.PagesDamaged} // the same
	// from a transaction that goes on, whichever statement asks for it
	CauseGone  = Cause{Kind: fault.LostSavepoint}
	CauseEnded = Cause{Kind: fault.Ended} // its COMMIT and its ROLLBACK found none
)

// ofEnded are the classes of what a transaction shows that was none any more: its writes were there for all at once,
// its locks and its snapshot gone.
var ofEnded = []string{ClassSnapshot, ClassIsolation, ClassMechanism, ClassUnexplained, ClassInconsistent, ClassReplay}

// EndExplains says whether a finding of a class, about a transaction that ended without a word, is explained by that.
func EndExplains(class string) bool { return slices.Contains(ofEnded, class) }

// OfReads says whether a cause is one that any read shows, and so a query of a table's versions, too.
func OfReads(cause Cause) bool { return cause.entry().AnyRead }

// entry is what the catalogue has of the cause; an empty entry where it has none.
func (c Cause) entry() *fault.CatalogueEntry {
	if e := fault.Of(c.Kind); e != nil {
		return e
	}
	return &fault.CatalogueEntry{}
}

// ofAnswer says whether a cause is one that any read, or any write's count, shows, and in which the statement's syntax
// matters: whether it takes a second transaction is chance.
func (c Cause) ofAnswer() bool { return c.entry().OfDamage && !c.entry().AnySyntax }

// answered are the classes of findings that have no cause by the answers alone, which damage may have made wrong. Of
// two transactions that held one lock, or depend on each other in a circle, it says nothing.
var answered = []string{ClassReplay, ClassPlan, ClassInconsistent, ClassUnexplained}

// Explains says whether a cause explains what else is found in its case: a finding of a class, with a cause or none.
func Explains(damage Cause, class string, cause Cause) bool {
	byAnswers := cause.IsZero() || cause.Kind == fault.WarnedOtherwise
	return (damage == CauseIndex || damage == CauseDamaged) &&
		(cause.entry().OfDamage || byAnswers && slices.Contains(answered, class))
}

// OfWarnings says whether a cause is one of warnings alone. They tell nothing of what else goes wrong.
func OfWarnings(cause Cause) bool {
	return cause.Kind == fault.WarnedOtherwise || cause.Kind == fault.WarnedOfOwn
}

// OfStatements says whether a cause is one that a statement has by itself, so that what it needs of SQL matters: not
// where the cause is one of transactions, nor where the database names what only it knows, which tells more of the bug
// than the statement does.
func OfStatements(cause Cause) bool {
	return !cause.IsZero() && !cause.entry().AnySyntax && cause.Kind != fault.WarnedOfOwn
}

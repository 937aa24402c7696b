// Package fault is the catalogue of what can be wrong: one entry for each kind of fault, with its name, what it is
// called, what it breaks and by which source. Oracles, storms, checkers, signatures, planted bugs, reports and docs
// take all that from here.
//
// Its claim: one phenomenon has one name. The names are the field's: Adya's phenomena (G0, G1a … G2) and Berenson's
// where they differ (P2, P4), else a word for what was seen. Recorded histories are judged under the names that their
// checkers are known by, with the kind that is the same. Names that stores and files of before have are known by
// Named.
package fault

import (
	"fmt"
	"slices"
)

// Kind is the name of a kind of fault, by itself ("stale-read") or with the circumstance under which it came about
// ("stale-read-after-rebuild").
type Kind string

// Branch is a group of kinds that one way of looking finds.
type Branch string

// The branches of the catalogue.
const (
	Isolation   Branch = "isolation"
	Snapshot    Branch = "snapshot"
	Mechanism   Branch = "mechanism"
	Statement   Branch = "statement"
	Certificate Branch = "certificate"
	Replay      Branch = "replay"
	Data        Branch = "data"
	Failure     Branch = "failure"
	History     Branch = "history"
)

// Mechanisms of concurrency control that a kind of fault breaks (Leopard, section II-B).
const (
	CR  = "consistent-read"
	ME  = "mutual-exclusion"
	FUW = "first-updater-wins"
	SC  = "serialization-certifier"
)

// CatalogueEntry is all that is known of a kind of fault.
type CatalogueEntry struct {
	Kind      Kind
	Base      Kind // the kind without its circumstance
	Class     Branch
	Mechanism string // that does not hold; "" where no single one is to blame
	Called    string // the everyday name; "" where the kind's own says as much
	// Same is the kind by which the oracles call the same phenomenon, where the checkers of histories have a name of
	// their own for it.
	Same Kind
	// Title is a sentence for the statement that met it: {stmt} stands for that, {sees} for it and its verb ("SELECT
	// returns").
	Title  string
	Why    string // it is wrong, in sentences that need no theory; "" of histories, of which the title says it
	Want   string // what should have happened; "" where the class of the finding says it
	Source string // who says so: a paper, the standard, a manual
	// As the cause of a finding: AnyRead says that any read of the rows shows it, one of their versions, too; AnySyntax
	// that nothing matters which a statement needs of SQL, as what was lost, or what a snapshot held, is the same for
	// whoever reads it; OfDamage that it may be what a damaged index or page looks like.
	AnyRead, AnySyntax, OfDamage bool

	OfAll *Wording // of a statement without a condition for its rows, where that is told otherwise
	Old   []string // names in stores and files of before
}

// Wording is how a kind of fault is told: see CatalogueEntry.
type Wording struct{ Title, Why, Want string }

// circumstances end the name of a kind that came about beside something else, and say what that was.
var circumstances = []struct{ suffix, title string }{
	{AfterKill, " when its statement is killed"},
	{AfterRebuild, " while its table is built anew"},
	{AfterIndexBuild, " while an index of its table is built"},
	{AfterRepartitioning, " after its table's partitions were copied"},
	{ThroughSearch, ""},
}

// The circumstances under which a kind of fault may come about: see Kind.With.
const (
	AfterKill           = "after-kill"
	AfterRebuild        = "after-rebuild"
	AfterIndexBuild     = "after-index-build"
	AfterRepartitioning = "after-repartitioning"
	// ThroughSearch: only because a search for rows to write, or to lock, did not look at its transaction's snapshot.
	ThroughSearch = "through-search"
)

// With is the kind under a circumstance.
func (k Kind) With(circumstance string) Kind { return k + "-" + Kind(circumstance) }

// catalogue holds the entries by kind, those under circumstances among them, and by old names.
var catalogue, old = func() (map[Kind]*CatalogueEntry, map[string]Kind) {
	byKind, byOld := map[Kind]*CatalogueEntry{}, map[string]Kind{}
	for _, e := range All() {
		enter(byKind, byOld, e, "", "")
		for _, c := range circumstances {
			enter(byKind, byOld, e, c.suffix, c.title)
		}
	}
	return byKind, byOld
}()

// enter adds an entry to both maps, by itself or under a circumstance.
func enter(byKind map[Kind]*CatalogueEntry, byOld map[string]Kind, e CatalogueEntry, circumstance, title string) {
	olds := slices.Clone(e.Old)
	e.Base = e.Kind
	if circumstance != "" {
		e.Kind, e.Title = e.Kind.With(circumstance), e.Title+title
		for i := range olds {
			olds[i] += "-" + circumstance
		}
	}
	if byKind[e.Kind] != nil {
		panic(fmt.Sprintf("two kinds of fault are called %s", e.Kind))
	}
	byKind[e.Kind] = &e
	e.Old = olds
	for _, name := range olds {
		byOld[name] = e.Kind
	}
}

// All lists the entries, class by class.
func All() []CatalogueEntry {
	return slices.Concat(ofIsolation, ofSnapshot, ofMechanism, ofStatement, ofCertificate, ofReplay, ofData,
		ofFailure, ofHistory)
}

// Of returns the entry of a kind; nil where there is none.
func Of(k Kind) *CatalogueEntry { return catalogue[k] }

// Named returns the kind that a name stands for, a present one or one of before; the name itself where nothing is
// called so.
func Named(name string) Kind {
	if k, was := old[name]; was {
		return k
	}
	return Kind(name)
}

// Base is the kind without its circumstance.
func (k Kind) Base() Kind {
	if e := catalogue[k]; e != nil {
		return e.Base
	}
	return k
}

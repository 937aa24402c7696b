package isolation

import (
	"slices"
	"strings"

	"txweave/finding"
	"txweave/observe"
	"txweave/oracle"
)

// Oracle is the oracle of package isolation, for the phenomena that a level is held to.
type Oracle struct{}

// Name implements oracle.Oracle.
func (Oracle) Name() string { return "isolation" }

// Class implements oracle.Oracle.
func (Oracle) Class() string { return finding.ClassIsolation }

// Judge implements oracle.Oracle.
func (Oracle) Judge(o *observe.Observation) (oracle.Ruling, error) {
	p := o.Promise
	var v oracle.Ruling
	add := func(a *Occurrence, suffix string) {
		v.Differences = append(v.Differences, finding.Difference{What: string(a.Phenomenon) + suffix, Detail: strings.Join(a.Explanation, "; ")})
	}
	found := Find(o, p.Judged())
	if !p.LooseSearch || p.Claimed != nil {
		for i := range found {
			add(&found[i], "")
		}
		return v, nil
	}
	held := Find(withoutLooseSearch(o), p.Judged())
	for i := range held {
		add(&held[i], "")
	}
	for i := range found {
		if !slices.ContainsFunc(held, func(a Occurrence) bool { return a.Phenomenon == found[i].Phenomenon }) {
			add(&found[i], ThroughSearch)
		}
	}
	return v, nil
}

// ThroughSearch ends the name of a phenomenon that there is only because a search for rows to write, or to lock, did not
// look at its transaction's snapshot.
const ThroughSearch = "-through-search"

// withoutLooseSearch takes from a run the searches for rows to write or to lock.
func withoutLooseSearch(o *observe.Observation) *observe.Observation {
	out := *o
	out.Stmts = slices.Clone(o.Stmts)
	for i, s := range out.Stmts {
		if !s.Plain() {
			held := *s
			held.Search = nil
			out.Stmts[i] = &held
		}
	}
	return &out
}

package isolation

import (
	"slices"

	"txweave/fault"
	"txweave/finding"
	"txweave/oracle"
	"txweave/oracle/observe"
)

// Oracle is the oracle of package isolation, for the phenomena that a level is held to.
type Oracle struct{}

// Name implements oracle.Oracle.
func (Oracle) Name() string { return "isolation" }

// Class implements oracle.Oracle.
func (Oracle) Class() string { return finding.ClassIsolation }

// Judge implements oracle.Oracle.
func (Oracle) Judge(o *observe.Observation) (oracle.Ruling, error) {
	var v oracle.Ruling
	add := func(a *Occurrence, what fault.Kind) {
		v.Differences = append(v.Differences, finding.Difference{What: what, Reader: a.Reader, Steps: a.Explanation})
	}
	all := func(o *observe.Observation) []Occurrence {
		if o.Mixed() {
			return FindMixed(o)
		}
		return Find(o, o.Promise.Judged())
	}
	loose := func(txn int) bool {
		p := o.PromiseOf(txn)
		return p.ReadModes.LooseSearch && p.Claimed == nil
	}
	found := all(o)
	if !slices.ContainsFunc(o.Stmts, func(s *observe.ObservedStmt) bool { return loose(s.Txn) }) {
		for i := range found {
			add(&found[i], found[i].Phenomenon)
		}
		return v, nil
	}
	held := all(withoutLooseSearch(o, loose))
	for i := range held {
		add(&held[i], held[i].Phenomenon)
	}
	for i := range found {
		if !slices.ContainsFunc(held, func(a Occurrence) bool { return a.Phenomenon == found[i].Phenomenon }) {
			add(&found[i], found[i].Phenomenon.With(fault.ThroughSearch))
		}
	}
	return v, nil
}

// withoutLooseSearch takes from a run the searches for rows to write or to lock of the transactions whose level lets
// them see current rows.
func withoutLooseSearch(o *observe.Observation, loose func(txn int) bool) *observe.Observation {
	out := *o
	out.Stmts = slices.Clone(o.Stmts)
	for i, s := range out.Stmts {
		if loose(s.Txn) && !s.Plain() {
			held := *s
			held.Search = nil
			out.Stmts[i] = &held
		}
	}
	return &out
}

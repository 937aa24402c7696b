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
	if p.LooseSearch && p.Claimed == nil {
		o = withoutLooseSearch(o)
	}
	var v oracle.Ruling
	for _, a := range Find(o, p.Judged()) {
		v.Differences = append(v.Differences, finding.Difference{What: string(a.Phenomenon), Detail: strings.Join(a.Explanation, "; ")})
	}
	return v, nil
}

// withoutLooseSearch takes from a run the searches that the level lets see current rows: those for rows to write.
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

package mechanism

import (
	"cmp"
	"fmt"
	"slices"

	"txweave/fault"
	"txweave/finding"
)

// Mechanism names what was violated.
type Mechanism string

// The four mechanisms, and the isolation oracle on the dependencies that they certify.
const (
	CR        Mechanism = fault.CR
	ME        Mechanism = fault.ME
	FUW       Mechanism = fault.FUW
	SC        Mechanism = fault.SC
	Isolation Mechanism = "isolation"
)

// Violation is one certain violation.
type Violation struct {
	Mechanism Mechanism `json:"mechanism"`
	// What tells the ways apart in which a mechanism can be violated: "stale-read".
	What       fault.Kind `json:"what"`
	Phenomenon fault.Kind `json:"phenomenon,omitempty"`
	Item       string     `json:"item,omitempty"` // "t0:4"
	Table      string     `json:"-"`              // the table of that
	Txns       []int64    `json:"txns"`
	At         int64      `json:"at"` // start of the operation that shows it, ns
	// Seen bounds the moment at which a read that shows it was, ns: that of its snapshot where it has one. Zero elsewhere.
	Seen [2]int64 `json:"-"`
	// Explanation says step by step why it is certain.
	Explanation finding.Sentences `json:"explanation"`
}

// Listed returns the violation as checks of traces list it.
func (v *Violation) Listed() finding.Listed {
	class, what := v.classified()
	return finding.List(class, what, v.String(), v.Txns, v.Explanation...)
}

// Finding is the violation as oracles report it.
func (v *Violation) Finding() finding.Finding {
	class, what := v.classified()
	f := finding.Finding{Class: class, Oracle: "mechanism", Summary: v.String(),
		Differences: []finding.Difference{{What: what, Steps: v.Explanation}}}
	f.Sign()
	return f
}

// classified is the class of the finding that the violation is, and what is wrong.
func (v *Violation) classified() (class string, what fault.Kind) {
	if v.Mechanism == Isolation {
		return finding.ClassIsolation, v.Phenomenon
	}
	return finding.ClassMechanism, v.What
}

// String prints the violation on one line.
func (v *Violation) String() string {
	s := fmt.Sprintf("%s: %s", v.Mechanism, v.What)
	if v.Phenomenon != "" && v.Phenomenon != v.What {
		s += fmt.Sprintf(" (%s)", v.Phenomenon)
	}
	if v.Item != "" {
		s += " of " + v.Item
	}
	return s
}

// Counts are numbers of dependencies.
type Counts struct {
	All int64 `json:"all"`
	// Before is how many of them overlapping intervals leave uncertain, After how many stay so after deduction.
	Before int64 `json:"uncertain_before"`
	After  int64 `json:"uncertain_after"`
}

func (c *Counts) add(o Counts) {
	c.All += o.All
	c.Before += o.Before
	c.After += o.After
}

// TraceStats count what was checked.
type TraceStats struct {
	Operations   int64 `json:"operations"`
	Transactions int64 `json:"transactions"` // ended, in any way
	Committed    int64 `json:"committed"`
	Aborted      int64 `json:"aborted"`
	Unknown      int64 `json:"unknown"` // of unknown outcome

	Reads      int64 `json:"reads"`      // versions checked against their candidate set
	Unchecked  int64 `json:"unchecked"`  // versions read that could not be: no such promise, or the snapshot is not known
	Locks      int64 `json:"locks"`      // lock intervals
	Candidates int64 `json:"candidates"` // versions in all candidate sets that were built

	WW Counts `json:"ww"`
	WR Counts `json:"wr"`
	RW Counts `json:"rw"`

	Items int64 `json:"items"` // kept at the end
	// Dispatched is the watermark: every operation that starts before it was checked. ns
	Dispatched int64 `json:"-"`
}

func (s *TraceStats) add(o *TraceStats) {
	s.Reads += o.Reads
	s.Unchecked += o.Unchecked
	s.Locks += o.Locks
	s.Candidates += o.Candidates
	s.WW.add(o.WW)
	s.WR.add(o.WR)
	s.RW.add(o.RW)
	s.Items += o.Items
}

// Uncertain returns the share of dependencies that overlapping intervals leave uncertain, before and after
// deduction; 0 where there are none (Leopard's β).
func (s *TraceStats) Uncertain() (before, after float64) {
	var c Counts
	c.add(s.WW)
	c.add(s.WR)
	c.add(s.RW)
	if c.All == 0 {
		return 0, 0
	}
	return float64(c.Before) / float64(c.All), float64(c.After) / float64(c.All)
}

// TraceReport is what the verifier says of a trace.
type TraceReport struct {
	Violations []Violation // in order of time; of each kind no more than Options.Limit
	Dropped    int         // violations beyond the limit
	Stats      TraceStats
	// NotChecked says which mechanisms were not checked, and why.
	NotChecked []string
}

// sortViolations puts violations into an order that does not depend on how the work was divided.
func sortViolations(vs []Violation) {
	slices.SortStableFunc(vs, func(a, b Violation) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Mechanism, b.Mechanism), cmp.Compare(a.What, b.What),
			cmp.Compare(a.Item, b.Item), slices.Compare(a.Txns, b.Txns))
	})
}

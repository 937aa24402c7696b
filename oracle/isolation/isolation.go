// Package isolation is the isolation oracle. Its claim: from what the statements of a run printed, searched and
// wrote it derives the direct serialization graph (Adya; TxCheck section 4), aborted
// transactions kept, and every phenomenon that it names has happened: only certain dependencies count. Certain are
// those between versions that were printed or overwritten, and those through predicates where it is known which
// versions a statement looked at and which of them match ("changes the matches": Adya; Emme, section 3.1).
package isolation

import (
	"slices"

	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/oracle"
	"txweave/oracle/observe"
)

// Occurrence is a phenomenon that happened, and among whom.
type Occurrence struct {
	Phenomenon fault.Kind
	Txns       []int // in the order of the cycle, or reader and writer
	// Explanation says edge by edge why: "T1.S0 read version 17 of row 4 of t0, which T2.S1 overwrote".
	Explanation finding.Sentences
	// Reader is the statement that saw, or overwrote, what it should not have; "" where there is no single one.
	Reader string
}

// Find returns the forbidden phenomena that happened: G0 and the three kinds of G1 each by itself, and of those
// with anti-dependencies, of which each implies the ones after it, the first.
func Find(o *observe.Observation, forbidden []fault.Kind) []Occurrence {
	return find(newGraph(o), forbidden)
}

// FindMixed is Find where transactions ran at levels of their own. A phenomenon is one then if the transaction that
// suffers from it is at a level that forbids it; a cycle consists of the dependencies that bind: on what somebody wrote
// over, those of a reader whose level forbids to see what is not committed, and the anti-dependencies of one whose
// level forbids the phenomenon, whatever the others' levels are (mixing-correctness: Adya).
func FindMixed(o *observe.Observation) []Occurrence {
	g := newGraph(o)
	g.held = func(txn int, p fault.Kind) bool { return slices.Contains(o.PromiseOf(txn).Judged(), p) }
	var forbidden []fault.Kind
	for i := range o.Txns {
		forbidden = append(forbidden, o.PromiseOf(i).Judged()...)
	}
	return find(g, forbidden)
}

func find(g *serialization, forbidden []fault.Kind) []Occurrence {
	var out []Occurrence
	for _, p := range []struct {
		name fault.Kind
		anti bool
		find func() *Occurrence
	}{
		{fault.G0, false, g.dirtyWrite},
		{fault.G1a, false, g.abortedRead},
		{fault.G1b, false, g.intermediateRead},
		{fault.G1c, false, g.informationFlow},
		{fault.OTV, true, func() *Occurrence { return g.fractured(true) }},
		{fault.P2, true, g.fuzzyRead},
		{fault.PMP, true, func() *Occurrence { return g.fractured(false) }},
		{fault.GSIaRead, true, func() *Occurrence { return g.interference(true) }},
		{fault.P4, true, g.lostUpdate},
		{fault.GSingle, true, g.single},
		{fault.GSIb, true, func() *Occurrence { return g.antiCycle(cycle{anti: true}) }},
		{fault.GSIa, true, func() *Occurrence { return g.interference(false) }},
		{fault.G2Item, true, func() *Occurrence { return g.antiCycle(cycle{anti: true, adjacent: true, items: true}) }},
		{fault.G2, true, func() *Occurrence { return g.antiCycle(cycle{anti: true, adjacent: true}) }},
	} {
		if !slices.Contains(forbidden, p.name) {
			continue
		}
		g.now = p.name
		if a := p.find(); a != nil {
			a.Phenomenon = p.name
			out = append(out, *a)
			if p.anti {
				break
			}
		}
	}
	return out
}

// informationFlow is G1c: a cycle of dependencies.
func (g *serialization) informationFlow() *Occurrence {
	return g.certain(func() []*edge {
		return g.shortest(func(k history.EdgeKind) bool {
			return k != history.RW
		}, cycle{})
	})
}

// single is G-single: a cycle with exactly one anti-dependency.
func (g *serialization) single() *Occurrence { return g.antiCycle(cycle{}) }

// antiCycle finds a cycle with at least one anti-dependency; what else may be in it, c says. Every cycle under
// snapshot isolation has two anti-dependencies that follow each other (Fekete et al.), so one without is G-SIb.
func (g *serialization) antiCycle(c cycle) *Occurrence {
	return g.certain(func() []*edge { return g.shortest(func(k history.EdgeKind) bool { return k == history.RW }, c) })
}

// lostUpdate is P4: a transaction printed a version and overwrote a later one of another transaction.
func (g *serialization) lostUpdate() *Occurrence {
	a := g.certain(func() []*edge {
		for _, r := range g.edges {
			if r.kind != history.RW || r.dead || r.pred || !g.suffers(r.from) {
				continue
			}
			for _, w := range g.out[r.to] {
				if w.kind == history.WW && w.to == r.from && w.item == r.item {
					return []*edge{r, w}
				}
			}
		}
		return nil
	})
	if a != nil { // who overwrites loses the update
		_, a.Reader, _ = a.Explanation[1].Precedes()
	}
	return a
}

// anomaly explains a cycle.
func anomaly(cycle []*edge) *Occurrence {
	a := &Occurrence{}
	for _, e := range cycle {
		a.Txns = append(a.Txns, e.from)
		step := e.why
		step.Edge = e.kind
		switch {
		case e.pred && e.kind == history.WR:
			step.Edge = history.PWR
		case e.pred && e.kind == history.RW:
			step.Edge = history.PRW
		}
		a.Explanation = append(a.Explanation, step)
		if from, to, ok := step.Precedes(); ok && a.Reader == "" && e.kind != history.WW {
			a.Reader = from
			if e.kind == history.WR {
				a.Reader = to
			}
		}
	}
	return a
}

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

// Package isolation is the isolation oracle. Its claim: from what the statements of a run printed, searched and
// wrote it derives the direct serialization graph (Adya; TxCheck section 4), aborted
// transactions kept, and every phenomenon that it names has happened: only certain dependencies count. Certain are
// those between versions that were printed or overwritten, and those through predicates where it is known which
// versions a statement looked at and which of them match ("changes the matches": Adya; Emme, section 3.1).
package isolation

import (
	"fmt"
	"slices"
	"txweave/dbms"
	"txweave/history"
)

// Op is one statement with the versions it printed, what it searched and the items it wrote. Sent and Done are
// instants of one clock.
type Op struct {
	Name       string
	Txn        int
	Sent, Done int64
	Plain      bool // a SELECT that takes no lock where the level gives it a snapshot
	Read       []history.Version
	Search     []Search
	Wrote      []history.Write
	// Unsure is a table in which the statement may have written more than Wrote says; "": none.
	Unsure string
}

// Search is a table whose rows a statement judged one by one (Adya's predicate-based read).
type Search struct {
	Table string
	Seen  map[int64]int64 // pkey -> vkey of every row it looked at (the version set)
	// Lists says that the statement printed the versions of the rows that match.
	Lists bool
	// Values says that the result depends on the values of the rows that match, though it prints no versions.
	Values bool
}

// Txn is one transaction; Sent and Done are when its end was sent and answered. A transaction that the database
// ended was ended at some moment between the two.
type Txn struct {
	Outcome    history.Outcome
	Sent, Done int64
}

// History is a run as the oracle wants it; Ops are in order of completion.
type History struct {
	Initial map[string]map[int64]int64 // table -> pkey -> vkey
	Ops     []Op
	Txns    []Txn
	// Matches says whether the predicate of Ops[op] is true for version v of the table it searched; known is false
	// where that cannot be told. It is asked only about what closes a cycle. nil: never known.
	Matches func(op int, v history.Version) (match, known bool)
	// Same says whether two versions of an item are equal in every column that Ops[op] uses. nil: never known.
	Same func(op int, a, b history.Version) (same, known bool)
}

// Anomaly is one phenomenon that happened.
type Anomaly struct {
	Phenomenon dbms.Phenomenon
	Txns       []int // in the order of the cycle, or reader and writer
	// Explanation says edge by edge why: "T1 read (t0, 4, 17); T2 wrote the next version (t0, 4, 23)".
	Explanation []string
}

// Find returns the forbidden phenomena that happened: G0 and the three kinds of G1 each by itself, and of those
// with anti-dependencies, of which each implies the ones after it, the first.
func Find(h *History, forbidden []dbms.Phenomenon) []Anomaly {
	g := newGraph(h)
	var out []Anomaly
	for _, p := range []struct {
		name dbms.Phenomenon
		anti bool
		find func() *Anomaly
	}{
		{dbms.G0, false, g.dirtyWrite},
		{dbms.G1a, false, g.abortedRead},
		{dbms.G1b, false, g.intermediateRead},
		{dbms.G1c, false, g.informationFlow},
		{dbms.OTV, true, func() *Anomaly { return g.fractured(true) }},
		{dbms.P2, true, g.fuzzyRead},
		{dbms.PMP, true, func() *Anomaly { return g.fractured(false) }},
		{dbms.GSIaRead, true, func() *Anomaly { return g.interference(true) }},
		{dbms.P4, true, g.lostUpdate},
		{dbms.GSingle, true, g.single},
		{dbms.GSIb, true, func() *Anomaly { return g.antiCycle(cycle{anti: true}) }},
		{dbms.GSIa, true, func() *Anomaly { return g.interference(false) }},
		{dbms.G2Item, true, func() *Anomaly { return g.antiCycle(cycle{anti: true, adjacent: true, items: true}) }},
		{dbms.G2, true, func() *Anomaly { return g.antiCycle(cycle{anti: true, adjacent: true}) }},
	} {
		if !slices.Contains(forbidden, p.name) {
			continue
		}
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

func txnName(t int) string { return fmt.Sprintf("T%d", t) }

// informationFlow is G1c: a cycle of dependencies.
func (g *serialization) informationFlow() *Anomaly {
	return g.certain(func() []*edge { return g.shortest(func(k history.EdgeKind) bool { return k != history.RW }, cycle{}) })
}

// single is G-single: a cycle with exactly one anti-dependency.
func (g *serialization) single() *Anomaly { return g.antiCycle(cycle{}) }

// antiCycle finds a cycle with at least one anti-dependency; what else may be in it, c says. Every cycle under
// snapshot isolation has two anti-dependencies that follow each other (Fekete et al.), so one without is G-SIb.
func (g *serialization) antiCycle(c cycle) *Anomaly {
	return g.certain(func() []*edge { return g.shortest(func(k history.EdgeKind) bool { return k == history.RW }, c) })
}

// lostUpdate is P4: a transaction printed a version and overwrote a later one of another transaction.
func (g *serialization) lostUpdate() *Anomaly {
	return g.certain(func() []*edge {
		for _, r := range g.edges {
			if r.kind != history.RW || r.dead || r.pred {
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
}

// anomaly explains a cycle.
func anomaly(cycle []*edge) *Anomaly {
	a := &Anomaly{}
	for _, e := range cycle {
		a.Txns = append(a.Txns, e.from)
		a.Explanation = append(a.Explanation, e.why)
	}
	return a
}

package sdg

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"txweave/internal/testkit/effort"
	"txweave/sql/sqltext"
)

var proofCases = flag.Int("txweave.cases", 0, "random model cases for each mode and precision (0: a short run)")

// tally counts what became of the statements of many cases.
type tally struct {
	cases, wrong   int
	nodes, dropped int
	rounds         int
}

func (t *tally) String() string {
	return fmt.Sprintf("%d cases, %d wrong (%.2f %%), %d statements, %.2f %% kept, %.3f runs a case",
		t.cases, t.wrong, 100*float64(t.wrong)/float64(max(t.cases, 1)), t.nodes,
		100-100*float64(t.dropped)/float64(max(t.nodes, 1)), float64(t.rounds)/float64(max(t.cases, 1)))
}

// difference is a case that replays wrongly.
type difference struct {
	seed  uint64
	c     *modelCase
	e     *engine
	g     *Graph
	nodes []*executed
	order []int
	at    int
}

func (d *difference) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "case %d, mode %s: ", d.seed, d.c.mode)
	if d.at < len(d.nodes) {
		fmt.Fprintf(&b, "%s gives another result\n", d.g.name(d.at))
	} else {
		b.WriteString("other final contents\n")
	}
	fmt.Fprintf(&b, "initial %v unique %v\n", d.c.initial, d.c.unique)
	for i, n := range d.nodes {
		fmt.Fprintf(&b, "%d %s %+v\n   saw %v\n   gave %+v\n", i, d.g.name(i), *n.stmt, n.view, *n.result)
		for _, w := range n.result.writes {
			fmt.Fprintf(&b, "     %d: %v -> %v\n", w.pkey, w.before, w.after)
		}
	}
	for i := range d.g.Edges {
		e := &d.g.Edges[i]
		fmt.Fprintf(&b, "%d -> %d %s: %s\n", e.From, e.To, e.Labels, d.g.Explain(e))
	}
	fmt.Fprintf(&b, "order %v\n", d.order)
	return b.String()
}

// inference is a way to get a graph.
type inference func(*Input) (*Graph, error)

// prove runs one case: infer, drop a feedback set, run again until the graph is acyclic, then replay in
// several random orders. It returns the first difference.
func prove(seed uint64, m mode, orders int, inf inference, t *tally) (*difference, error) {
	rng := rand.New(rand.NewPCG(seed, uint64(m)))
	return proveCase(seed, generate(rng, m), rng, orders, inf, t)
}

// proveContents is prove where versions are contents.
func proveContents(seed uint64, m mode, orders int, inf inference, t *tally) (*difference, error) {
	rng := rand.New(rand.NewPCG(seed, uint64(m)))
	c := generate(rng, m)
	c.contents = true
	for x := range c.txns {
		for i := range c.txns[x].stmts {
			c.txns[x].stmts[i].blind = c.txns[x].stmts[i].kind == sqltext.Update
		}
	}
	return proveCase(seed, c, rng, orders, inf, t)
}

func proveCase(seed uint64, c *modelCase, rng *rand.Rand, orders int, inf inference, t *tally) (*difference, error) {
	m := c.mode
	dropped := map[int]bool{}
	t.cases++
	for round := 0; ; round++ {
		t.rounds++
		e := runCase(c, dropped)
		in, nodes := e.emit()
		g, err := inf(in)
		if err != nil {
			return nil, fmt.Errorf("case %d, mode %s: %w", seed, m, err)
		}
		if len(g.Unexplained) > 0 {
			return nil, fmt.Errorf("case %d, mode %s: %s: %s", seed, m, g.name(g.Unexplained[0].Stmt), g.Unexplained[0])
		}
		if round == 0 {
			t.nodes += len(nodes)
		}
		set := g.FeedbackSet(rng)
		for _, i := range set {
			dropped[nodes[i].stmt.id] = true
		}
		if t.dropped += len(set); len(set) > 0 {
			continue
		}
		for range orders {
			order, err := g.Order(rng)
			if err != nil {
				return nil, err
			}
			if at := e.replay(nodes, order); at >= 0 {
				t.wrong++
				return &difference{seed, c, e, g, nodes, order, at}, nil
			}
		}
		return nil, nil
	}
}

// TestProof runs random cases on the model engine in every mode and precision: a replay in any order of
// the graph gives every result of the run again.
func TestProof(t *testing.T) {
	cases := effort.Cases(1000)
	if *proofCases > 0 {
		cases = *proofCases
	}
	for _, naming := range []struct {
		name  string
		prove func(uint64, mode, int, inference, *tally) (*difference, error)
	}{{"keys", prove}, {"contents", proveContents}} {
		for m := range modes {
			for p := Exact; p <= Match; p++ {
				t.Run(fmt.Sprintf("%s/%s/%s", naming.name, m, p), func(t *testing.T) {
					t.Parallel()
					var sum tally
					for seed := range uint64(cases) {
						d, err := naming.prove(seed, m, 4, func(in *Input) (*Graph, error) { return Infer(in, p) }, &sum)
						if err != nil {
							t.Fatal(err)
						}
						if d != nil {
							t.Fatalf("a replay differs\n%s", d)
						}
					}
					t.Logf("%-8s %-9s %-6s %s", naming.name, m, p, &sum)
				})
			}
		}
	}
}

package polygraph

import (
	"maps"
	"slices"

	"github.com/crillab/gophersat/solver"

	"txweave/checker"
	"txweave/history"
	"txweave/internal/graph"
)

// search looks for orders of the pairs that are left. Only pairs that an attempt violates become variables, only
// cycles that the solver's answers close become clauses: the formula stays as small as the conflict.
//
// The solver is gophersat: pure Go, maintained, MIT licence, and it takes clauses and variables after it has answered.
// A variable is false where the chain that had to wait in the attempt comes first, which is what the solver tries
// first.
func (g *polygraph) search(rounds int) checker.Verdict {
	s := &searcher{polygraph: g, number: map[pair]int{}, from: make([]step, len(g.succ)), seen: make([]int32, len(g.succ))}
	current := s.choice(nil)
	for range rounds {
		cycles := s.cycles(current)
		if g.stopped() {
			break // before all cycles are found, none means nothing
		}
		if len(cycles) > 0 {
			for _, lits := range cycles {
				s.forbid(lits)
			}
		} else {
			violated := g.attempt(current).violated
			if len(violated) == 0 {
				return g.r.Valid(g.level, g.opt.Options)
			}
			for _, p := range violated {
				s.variable(p)
			}
		}
		model, ok := s.solve()
		if !ok {
			return g.noOrder(checker.ShortCycle(len(g.succ), func(int32) bool { return true }, g.successors(current)),
				len(s.pairs))
		}
		current = s.choice(model)
	}
	return g.opt.Unknown(g.level, checker.SearchBudget, "the search was given up after %d rounds over %d pairs of writes",
		rounds, len(s.pairs))
}

// searcher is a search in progress.
type searcher struct {
	*polygraph
	sat     *solver.Solver
	room    int          // variables that it has
	number  map[pair]int // variable of a pair, from 1
	pairs   []pair       // by variable - 1: the chain that was open, and the one that began
	clauses [][]int

	from  []step  // of the search for a cycle: how a node was reached
	seen  []int32 // in which search it was reached
	epoch int32
}

type step struct {
	node int32
	lit  int
}

// variable makes a variable of a pair, unless it is one.
func (s *searcher) variable(p pair) {
	if s.number[p] == 0 && s.number[pair{p.b, p.a}] == 0 {
		s.pairs = append(s.pairs, p)
		s.number[p] = len(s.pairs)
	}
}

// choice makes edges of an assignment; variables beyond it are false.
func (s *searcher) choice(model []bool) *choice {
	c := &choice{arcs: make([][]chosenArc, len(s.succ))}
	for i, p := range s.pairs {
		lit, first, second := -(i + 1), p.b, p.a
		if i < len(model) && model[i] {
			lit, first, second = i+1, p.a, p.b
		}
		s.before(first, second, func(from, to int32, kind history.EdgeKind, key int32) {
			c.arcs[from] = append(c.arcs[from], chosenArc{arc{to, key, kind}, lit})
			c.all = append(c.all, chosenFrom{from, chosenArc{arc{to, key, kind}, lit}})
		})
	}
	return c
}

// forbid adds the clause that not all of these literals hold.
func (s *searcher) forbid(lits []int) {
	clause := make([]int, len(lits))
	for i, l := range lits {
		clause[i] = -l
	}
	s.clauses = append(s.clauses, clause)
	if s.sat != nil && len(s.pairs) <= s.room {
		s.sat.AppendClause(newClause(clause))
	}
}

func newClause(lits []int) *solver.Clause {
	clause := make([]solver.Lit, len(lits))
	for i, l := range lits {
		clause[i] = solver.IntToLit(int32(l))
	}
	return solver.NewClause(clause)
}

// solve returns an assignment that satisfies the clauses; ok is false if there is none. The solver's variables are made
// beforehand, with room for more: gophersat 1.4.0 does not grow all that it keeps by variable.
func (s *searcher) solve() (model []bool, ok bool) {
	if s.sat == nil || len(s.pairs) > s.room {
		s.room = 2*len(s.pairs) + 64
		s.sat = solver.New(solver.ParseSliceNb(nil, s.room))
		for _, c := range s.clauses {
			s.sat.AppendClause(newClause(c))
		}
	}
	if s.sat.Solve() != solver.Sat {
		return nil, false
	}
	return s.sat.Model(), true
}

// maxCycles bounds how many cycles of one answer become clauses.
const maxCycles = 64

// cycles returns the literals of cycles that a choice closes, no literal in two of them; none if there is no cycle.
func (s *searcher) cycles(c *choice) (out [][]int) {
	of := s.components(c)
	if of == nil {
		return nil
	}
	used := map[int]bool{}
	for _, a := range c.all {
		if len(out) == maxCycles || s.stopped() {
			break
		}
		if of[a.from] < 0 || of[a.from] != of[a.to] || used[a.lit] {
			continue
		}
		lits := s.path(c, of, a.to, a.from)
		lits[a.lit] = true
		cycle := slices.Sorted(maps.Keys(lits))
		for _, l := range cycle {
			used[l] = true
		}
		out = append(out, cycle)
	}
	return out
}

// components numbers the nodes by what is on cycles with them: two are on one if and only if they have the same number.
// It is nil if there are no cycles.
func (s *searcher) components(c *choice) []int32 {
	next := func(u int32, buf []int32) []int32 {
		each(s.polygraph, c, u, func(to int32, _ int) { buf = append(buf, to) })
		return buf
	}
	degree := make([]int32, len(s.succ))
	for u := range s.succ {
		each(s.polygraph, c, int32(u), func(to int32, _ int) { degree[to]++ })
	}
	left := slices.Repeat([]bool{true}, len(s.succ))
	order := graph.Order(degree, next)
	if len(order) == len(s.succ) {
		return nil
	}
	for _, u := range order {
		left[u] = false
	}
	of, _ := graph.Components(len(s.succ), func(u int32) bool { return left[u] }, next)
	return of
}

// each calls do with every edge out of a node and the literal that it follows from, 0 for known ones.
func each(g *polygraph, c *choice, u int32, do func(to int32, lit int)) {
	for _, a := range g.succ[u] {
		do(a.to, 0)
	}
	for _, a := range c.arcs[u] {
		do(a.to, a.lit)
	}
}

// path returns the literals of a path between two nodes of one component that has as few chosen edges as any.
func (s *searcher) path(c *choice, of []int32, from, to int32) map[int]bool {
	s.epoch++
	s.seen[from] = s.epoch
	s.from[from] = step{none, 0}
	for layer := []int32{from}; len(layer) > 0 && s.seen[to] != s.epoch; {
		for i := 0; i < len(layer) && s.seen[to] != s.epoch; i++ { // everything that known edges lead to
			for _, a := range s.succ[layer[i]] {
				if of[a.to] == of[to] && s.seen[a.to] != s.epoch {
					s.seen[a.to], s.from[a.to] = s.epoch, step{layer[i], 0}
					layer = append(layer, a.to)
				}
			}
		}
		layer = s.cross(c, of, to, layer)
	}
	lits := map[int]bool{}
	for v := to; v != from; v = s.from[v].node {
		if l := s.from[v].lit; l != 0 {
			lits[l] = true
		}
	}
	return lits
}

// cross follows the chosen edges out of nodes to nodes of a component that have not been reached.
func (s *searcher) cross(c *choice, of []int32, to int32, nodes []int32) (reached []int32) {
	for _, u := range nodes {
		for _, a := range c.arcs[u] {
			if of[a.to] == of[to] && s.seen[a.to] != s.epoch {
				s.seen[a.to], s.from[a.to] = s.epoch, step{u, a.lit}
				reached = append(reached, a.to)
			}
		}
	}
	return reached
}

// choice is an assignment of orders to pairs of chains: the edges that it adds.
type choice struct {
	arcs [][]chosenArc // by node
	all  []chosenFrom  // in order of variables
}

// chosenArc is an edge of a choice and the literal that it follows from.
type chosenArc struct {
	arc
	lit int
}

type chosenFrom struct {
	from int32
	chosenArc
}

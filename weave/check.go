package weave

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"txweave/dbms"
	"txweave/finding"
	"txweave/observe"
	"txweave/sqltext"

	"txweave/exec"
	"txweave/history"
	"txweave/instrument"
	"txweave/sdg"
	"txweave/testcase"
)

// Runner is what the oracle needs of a database.
type Runner interface {
	// Load creates the plan's tables anew and returns their initial contents.
	Load(*instrument.Plan) (map[string]*history.Rows, error)
	// Run executes steps in transactions on reset tables.
	Run(*instrument.Plan, []instrument.Step) (*observe.Run, error)
	// Replay executes blocks' targets in autocommit on reset tables.
	Replay([]*instrument.Block) (*observe.Replayed, error)
	// Reopen replaces every connection by a new one.
	Reopen() error
	// Matching returns which of the versions a WHERE clause matches; see exec.Runner.
	Matching(exec.MatchQuery) (map[history.Version]bool, error)
}

// Options of the oracle.
type Options struct {
	Orders    int           // topological orders to replay; 0: 2
	Precision sdg.Precision // the finest equivalence that may be used to break cycles
	Repeats   int           // repetitions of a difference before it counts as flaky; 0: 5
}

// Limits on how often a case is run again; both loops end anyway, because blocks only leave.
const (
	maxReschedules = 4  // runs with a changed order before blocks that still wait are dropped
	maxRounds      = 40 // runs in all
)

// Fate is what became of a generated statement.
type Fate uint8

// The fates of a statement.
const (
	Survived       Fate = iota
	DroppedBlocked      // it waited in every order tried, concurrency undid it, or it may have read two views at once
	DroppedCyclic       // dropped to break a cycle of the graph
	DroppedAborted      // its transaction did not commit
)

// Report is what became of one case.
type Report struct {
	Plan    *instrument.Plan
	Fates   map[string]Fate // by block name
	Errored int             // statements that failed deterministically in the first run
	// Effective statements returned or changed at least one row in the first run.
	Effective     int
	Runs, Replays int
	Checked       bool   // a replay was compared to its end; at a level without one: the run was judged
	Skipped       string // why not, if not
	// Overlapping: at least two surviving transactions were open at once in the run that was replayed.
	Overlapping bool
	// OverlapEdge: two transactions that overlapped have an edge between them.
	OverlapEdge bool
	CrossEdges  map[sdg.Label]int
	Graph       *sdg.Graph // of the run that was replayed; nil if none was
	Findings    []*Evidence
	Flaky       []*Evidence
}

// Evidence is a finding with the executions that show it.
type Evidence struct {
	finding.Finding
	Run      *observe.Run
	Replayed *observe.Replayed // nil if the run alone shows it
	Graph    *sdg.Graph
	Order    []string // block names in the order of the replay
}

// checker checks one case.
type checker struct {
	Runner
	opt     Options
	rng     *rand.Rand
	plan    *instrument.Plan
	initial map[string]*history.Rows
	rep     *Report
	dropped map[instrument.Step]bool
	// matchErr is an error that the match oracle met: inference asks it through a function without one.
	matchErr error
}

// stream separates this package's random stream from others that start from the same seed.
const stream = 0x7478_7765_6176_6532

// Check runs one case, refines it until its statements can be sorted, replays it and compares. A case that gives
// an order of its own is run as it is and compared with that order. Errors are the
// environment's or ours; what the database did wrong is in the report.
func Check(r Runner, c *testcase.Case, p *dbms.Profile, o Options) (*Report, error) {
	if o.Orders == 0 {
		o.Orders = 2
	}
	if o.Repeats == 0 {
		o.Repeats = 5
	}
	k, err := newChecker(r, c, p, o)
	if err != nil {
		return nil, err
	}
	if len(c.Order) > 0 {
		return k.rep, k.checkGiven()
	}
	return k.rep, k.check()
}

// newChecker prepares the check of a case: its probes, unless it gives an order, and its tables.
func newChecker(r Runner, c *testcase.Case, p *dbms.Profile, o Options) (*checker, error) {
	given := len(c.Order) > 0
	if given && p.NoReplay != "" {
		return nil, &RefusedError{fmt.Errorf("an order to compare with at %s: %s", p.Isolation, p.NoReplay)}
	}
	prepare := instrument.Instrument
	if given {
		prepare = instrument.Plain
	}
	plan, err := prepare(c, p)
	if err != nil {
		return nil, &RefusedError{err}
	}
	k := &checker{Runner: r, opt: o, rng: rand.New(rand.NewPCG(c.Seed, stream)), plan: plan,
		dropped: map[instrument.Step]bool{},
		rep:     &Report{Plan: plan, Fates: map[string]Fate{}, CrossEdges: map[sdg.Label]int{}}}
	if k.initial, err = r.Load(plan); err != nil || given {
		return k, err
	}
	if err := plan.CheckKeys(k.initialKeys); err != nil {
		return nil, &RefusedError{err}
	}
	return k, nil
}

// RefusedError says why a case is not one that the oracle can judge.
type RefusedError struct{ Reason error }

func (e *RefusedError) Error() string { return "the case cannot be judged: " + e.Reason.Error() }

func (e *RefusedError) Unwrap() error { return e.Reason }

// initialKeys returns the primary keys of a table's initial rows.
func (k *checker) initialKeys(table string) []int64 {
	rows := k.initial[table]
	at := slices.Index(rows.Columns, sqltext.PKey)
	var keys []int64
	for i := range rows.Len() {
		if n, ok := rows.Row(i)[at].Int64(); ok {
			keys = append(keys, n)
		}
	}
	return keys
}

// check is the main loop: run, judge, refine, until the graph is acyclic and nothing waited; then replay.
func (k *checker) check() error {
	steps := k.plan.Steps
	for reschedules := 0; ; {
		if k.rep.Runs++; k.rep.Runs > maxRounds {
			k.rep.Skipped = "still changing after many runs"
			return nil
		}
		run, err := k.Run(k.plan, steps)
		if err != nil {
			return err
		}
		obs, err := observeRun(k.plan, k.initial, run)
		if err != nil {
			return err
		}
		if k.rep.Runs == 1 {
			k.firstRun(run)
			found, err := k.anomalies(obs, run)
			if err != nil {
				return err
			}
			if len(found) > 0 {
				return k.confirmRun(steps, run, finding.ClassIsolation)
			}
		}
		if len(obs.odd) > 0 {
			return k.confirmRun(steps, run, finding.ClassInconsistent)
		}
		if k.rep.Runs == 1 && len(k.snapshots(obs, run)) > 0 {
			return k.confirmRun(steps, run, finding.ClassSnapshot)
		}
		if k.rep.Runs == 1 {
			found, err := k.violations(obs, run)
			if err != nil {
				return err
			}
			if len(found) > 0 {
				return k.confirmRun(steps, run, finding.ClassMechanism)
			}
		}
		if len(certificates(obs, run)) > 0 {
			return k.confirmRun(steps, run, finding.ClassCertificate)
		}
		if k.plan.Profile.NoReplay != "" { // nothing is refined: the run as generated is all there is to judge
			k.account(run, obs, nil)
			k.rep.Checked = true
			return nil
		}
		if waited := waitedBlocks(run, obs); len(waited) > 0 {
			if reschedules++; reschedules > maxReschedules {
				k.drop(waited, DroppedBlocked)
			}
			steps = k.without(run.Order)
			continue
		}
		if mixed := slices.DeleteFunc(slices.Clone(obs.nodes), func(n *observe.BlockRun) bool { return !obs.mixed[n] }); len(mixed) > 0 {
			k.drop(mixed, DroppedBlocked)
			steps = k.without(steps)
			continue
		}
		if k.opt.Precision >= sdg.Match {
			obs.input.Matches = k.matcher(obs.nodes, obs.nodes)
		}
		g, _, err := sdg.InferUpTo(obs.input, k.opt.Precision)
		if err = errors.Join(err, k.matchErr); err != nil {
			return err
		}
		if len(g.Unexplained) > 0 {
			return k.confirmRun(steps, run, finding.ClassUnexplained)
		}
		if !g.Acyclic() {
			var cyclic []*observe.BlockRun
			for _, i := range g.FeedbackSet(k.rng) {
				cyclic = append(cyclic, obs.nodes[i])
			}
			k.drop(cyclic, DroppedCyclic)
			steps = k.without(steps)
			continue
		}
		k.account(run, obs, g)
		return k.replay(steps, run, obs, g)
	}
}

// firstRun counts what the generated statements did.
func (k *checker) firstRun(run *observe.Run) {
	for _, b := range run.Blocks {
		switch {
		case b.Target == nil || b.Lost:
		case b.Target.Err != nil:
			k.rep.Errored++
		case b.Target.Rows.Len() > 0 || b.Target.Affected > 0:
			k.rep.Effective++
		}
	}
}

// waitedBlocks lists the nodes whose probes cannot be trusted because the statement waited.
func waitedBlocks(run *observe.Run, obs *observation) []*observe.BlockRun {
	var out []*observe.BlockRun
	for _, n := range obs.nodes {
		if n.Waited {
			out = append(out, n)
		}
	}
	return out
}

func (k *checker) drop(blocks []*observe.BlockRun, why Fate) {
	for _, b := range blocks {
		k.dropped[instrument.Step{Txn: b.Block.Txn, Unit: b.Block.Stmt}] = true
		k.rep.Fates[b.Block.Name()] = why
	}
}

// without returns the steps less those dropped.
func (k *checker) without(steps []instrument.Step) []instrument.Step {
	return slices.DeleteFunc(slices.Clone(steps), func(s instrument.Step) bool { return k.dropped[s] })
}

// account says what became of every statement and how much the surviving transactions overlapped; g is nil where
// the level has no replay.
func (k *checker) account(run *observe.Run, obs *observation, g *sdg.Graph) {
	survivors := map[int]bool{}
	survived := map[string]bool{}
	for _, n := range obs.nodes {
		survivors[n.Block.Txn] = true
		survived[n.Block.Name()] = true
	}
	for _, b := range run.Blocks {
		if b.Lost && run.Txns[b.Block.Txn] == history.Committed {
			k.rep.Fates[b.Block.Name()] = DroppedBlocked
		}
	}
	for i := range k.plan.Txns {
		for _, b := range k.plan.Txns[i].Blocks {
			if _, known := k.rep.Fates[b.Name()]; known && !survived[b.Name()] {
				continue
			}
			k.rep.Fates[b.Name()] = DroppedAborted
			if survived[b.Name()] {
				k.rep.Fates[b.Name()] = Survived
			}
		}
	}
	overlap := func(a, b int) bool {
		return a != b && survivors[a] && survivors[b] && run.Spans[a][0] < run.Spans[b][1] && run.Spans[b][0] < run.Spans[a][1]
	}
	for a := range k.plan.Txns {
		for b := range a {
			k.rep.Overlapping = k.rep.Overlapping || overlap(a, b)
		}
	}
	if g == nil {
		return
	}
	for i := range g.Edges {
		a, b := g.Stmts[g.Edges[i].From].Txn, g.Stmts[g.Edges[i].To].Txn
		k.rep.OverlapEdge = k.rep.OverlapEdge || overlap(a, b)
	}
	k.rep.CrossEdges, k.rep.Graph = g.CrossEdges(), g
}

// replay sorts the statements in several ways, replays each and compares.
func (k *checker) replay(steps []instrument.Step, run *observe.Run, obs *observation, g *sdg.Graph) error {
	for range k.opt.Orders {
		order, err := g.Order(k.rng)
		if err != nil {
			return err
		}
		rep, err := k.Replay(blocksOf(obs.nodes, order))
		if err != nil {
			return err
		}
		k.rep.Replays++
		diffs := compareRuns(k.plan, obs.nodes, order, run.Final, rep)
		if len(diffs) > 0 {
			ev := &Evidence{Run: run, Replayed: rep, Graph: g, Order: names(obs.nodes, order)}
			ev.Finding = finding.Finding{Class: finding.ClassReplay, Oracle: "replay", Differences: diffs}
			k.rep.Checked = true
			return k.confirmReplay(steps, order, obs.nodes, ev)
		}
	}
	k.rep.Checked = true
	return nil
}

func blocksOf(nodes []*observe.BlockRun, order []int) []*instrument.Block {
	out := make([]*instrument.Block, len(order))
	for i, n := range order {
		out[i] = nodes[n].Block
	}
	return out
}

func names(nodes []*observe.BlockRun, order []int) []string {
	out := make([]string, len(order))
	for i, n := range order {
		out[i] = nodes[n].Block.Name()
	}
	return out
}

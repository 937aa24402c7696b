package weave

import (
	"cmp"
	"errors"
	"slices"

	"txweave/exec"
	"txweave/finding"
	"txweave/history"
	"txweave/instrument"
	"txweave/oracle/consistency"
	"txweave/oracle/observe"
	"txweave/oracle/replay"
	"txweave/oracle/unexpected"
	"txweave/sdg"
)

// check is the main loop: run, judge, refine, until no statement is blamed, nothing waited and the graph is acyclic;
// then replay.
func (k *checker) check() error {
	steps := k.plan.Steps
	for round := range maxRounds {
		next, more, err := k.round(steps, round == 0)
		if err != nil || !more {
			return err
		}
		steps = next
	}
	k.rep.Why = StillChanging
	return nil
}

// round runs steps and judges the run. It returns what to run in its place, or comes to the end of the check.
func (k *checker) round(steps []instrument.Step, first bool) (next []instrument.Step, more bool, err error) {
	run, obs, err := k.watch(steps)
	if err != nil {
		return nil, false, err
	}
	if vain, err := k.waitsInVain(steps, run); vain || err != nil {
		return nil, false, err
	}
	if first {
		if err := k.begin(run, obs); err != nil {
			return nil, false, err
		}
	}
	blamed, err := k.judge(steps, run, obs)
	if err != nil {
		return nil, false, err
	}
	if k.plan.NoReplay() != "" && (blamed == 0 || k.judged) { // nothing is refined: the run is all there is to judge
		k.account(run, obs, nil)
		k.rep.Checked = true
		return nil, false, k.search(steps, run, obs)
	}
	if blamed > 0 {
		return k.without(steps), true, nil
	}
	if next, more := k.reschedule(steps, run, obs); more {
		return next, true, nil
	}
	g, err := k.infer(obs, obs.Nodes())
	if err != nil {
		return nil, false, err
	}
	sorts, err := k.sorts(steps, run, obs, g)
	if err != nil {
		return nil, false, err
	}
	if !sorts {
		return k.without(steps), true, nil
	}
	k.account(run, obs, g)
	return nil, false, k.replay(steps, run, obs, g)
}

// begin takes from the first run what is known of the case once and for all.
func (k *checker) begin(run *observe.Run, obs *observe.Observation) error {
	k.firstRun(run)
	k.rep.First = obs
	k.touched(obs)
	if k.opt.Explore {
		finds, err := k.finds(obs)
		if err != nil {
			return err
		}
		k.rep.Explored = &Explored{Order: run.Order, Finds: finds}
	}
	if k.due() { // the replay begins with other contents
		return k.integrity()
	}
	return nil
}

// reschedule is what to run in place of a run in which statements waited, in the order in which they got what they
// waited for, or where of some it is not known what they saw; those are dropped, and those that still wait after some
// runs. more is false for another run.
func (k *checker) reschedule(steps []instrument.Step, run *observe.Run, obs *observe.Observation) (
	next []instrument.Step, more bool) {
	if waited := slices.DeleteFunc(obs.Nodes(), func(s *observe.ObservedStmt) bool { return !s.Waited }); len(waited) > 0 {
		if k.reschedules++; k.reschedules > maxReschedules {
			k.drop(waited, DroppedBlocked)
		}
		return k.without(run.Order), true
	}
	if mixed := slices.DeleteFunc(obs.Nodes(), func(s *observe.ObservedStmt) bool { return !s.Mixed }); len(mixed) > 0 {
		k.drop(mixed, DroppedBlocked)
		return k.without(steps), true
	}
	return nil, false
}

// sorts says whether the statements can be sorted by their dependencies. Those that cannot are dropped, and are a
// finding where nothing explains their cycle.
func (k *checker) sorts(steps []instrument.Step, run *observe.Run, obs *observe.Observation,
	g *sdg.Graph) (bool, error) {
	out := k.unsorted(g, obs)
	if len(g.Unexplained) == 0 {
		if len(out) > 0 {
			k.drop(out, DroppedCyclic)
		}
		return len(out) == 0, nil
	}
	ev := &Evidence{Run: run, Observation: obs, Graph: g}
	ev.Finding = finding.Finding{Class: finding.ClassUnexplained, Oracle: "consistency",
		Differences: consistency.Unexplained(g)}
	if err := k.file(steps, []*Evidence{ev}); err != nil {
		return false, err
	}
	k.drop(out, DroppedBlamed)
	return false, nil
}

// unsorted lists the statements that must leave before the rest can be sorted: those that saw what nothing explains, or
// else those that break every cycle.
func (k *checker) unsorted(g *sdg.Graph, obs *observe.Observation) []*observe.ObservedStmt {
	var out []*observe.ObservedStmt
	nodes := obs.Nodes()
	for _, u := range g.Unexplained {
		out = append(out, nodes[u.Stmt])
	}
	if len(out) == 0 && !g.Acyclic() {
		for _, i := range g.FeedbackSet(k.rng) {
			out = append(out, nodes[i])
		}
	}
	return out
}

func (k *checker) drop(stmts []*observe.ObservedStmt, why Fate) {
	for _, s := range stmts {
		b := s.Run.Block
		k.dropped[instrument.Step{Txn: b.Txn, Unit: b.Stmt}] = true
		k.rep.Fates[b.Name()] = why
	}
}

// without returns the steps less those dropped.
func (k *checker) without(steps []instrument.Step) []instrument.Step {
	return slices.DeleteFunc(slices.Clone(steps), func(s instrument.Step) bool { return k.dropped[s] })
}

// account says what became of every statement and how much the surviving transactions overlapped; g is nil where
// the level has no replay.
func (k *checker) account(run *observe.Run, obs *observe.Observation, g *sdg.Graph) {
	survivors := map[int]bool{}
	survived := map[string]bool{}
	for _, n := range obs.Nodes() {
		survivors[n.Txn] = true
		survived[n.Name] = true
	}
	k.fates(run, survived)
	overlap := func(a, b int) bool {
		return a != b && survivors[a] && survivors[b] && run.Spans[a][0] < run.Spans[b][1] && run.Spans[b][0] <
			run.Spans[a][1]
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

// fates says what became of every statement, of which some have survived.
func (k *checker) fates(run *observe.Run, survived map[string]bool) {
	for _, b := range run.Blocks {
		if (b.Lost || b.Block.Info.SkipsLocked) && !b.Block.Control() && run.Txns[b.Block.Txn] == history.Committed {
			k.rep.Fates[b.Block.Name()] = DroppedBlocked
		}
	}
	for i := range k.plan.Txns {
		for _, b := range k.plan.Txns[i].Blocks {
			name := b.Name()
			if b.Control() {
				continue
			}
			if survived[name] {
				k.rep.Fates[name] = Survived
			} else if _, known := k.rep.Fates[name]; !known {
				k.rep.Fates[name] = DroppedAborted
			}
		}
	}
}

// replay sorts the statements in several ways, replays each and compares. The first of these executions is under the
// case's plan setting, where it has one: where that answers as the run did, a replay and a third execution have nothing
// to add.
func (k *checker) replay(steps []instrument.Step, run *observe.Run, obs *observe.Observation, g *sdg.Graph) error {
	nodes := obs.Nodes()
	var thirds thirds
	for n := range k.opt.Orders {
		order, err := g.Order(k.rng)
		if err != nil {
			return err
		}
		sorted := make([]*observe.BlockRun, len(order))
		for i, n := range order {
			sorted[i] = nodes[n].Run
		}
		if n == 0 {
			if agrees, err := k.underSetting(&thirds, sorted, run); err != nil {
				return err
			} else if agrees {
				continue
			}
		}
		rep, err := k.Replay(blocksOf(sorted))
		if err != nil {
			return cmp.Or(thirds.spoilt, err)
		}
		k.rep.Replays++
		found, mends, err := k.compare(sorted, run, rep)
		if err != nil {
			return err
		}
		if len(found.Differences) > 0 {
			ev := &Evidence{Finding: found, Run: run, Observation: obs, Replayed: rep, Graph: g, Order: names(sorted),
				readMends: mends}
			k.rep.Checked = true
			return k.confirmReplay(steps, sorted, ev)
		}
		if n == 0 {
			thirds.sorted, thirds.as = sorted, rep
		}
	}
	k.rep.Checked = true
	if err := k.search(steps, run, obs); err != nil {
		return err
	}
	return k.third(thirds, &Evidence{Run: run, Observation: obs, Graph: g})
}

// underSetting executes statements under the case's plan setting and says whether that answered as the run did. An
// error of the environment is kept: the usual plan may tell.
func (k *checker) underSetting(of *thirds, sorted []*observe.BlockRun, run *observe.Run) (agrees bool, err error) {
	var spoilt *exec.EnvironmentError
	if of.other, err = k.under(sorted); errors.As(err, &spoilt) {
		of.spoilt = err
	} else if err != nil {
		return false, err
	}
	if of.other == nil || !k.agrees(sorted, run, of.other) {
		return false, nil
	}
	of.other = nil
	return true, nil
}

// agrees says whether an execution without transactions and under another plan gave all that the run gave: answers,
// counts, errors, warnings and what the tables hold in the end.
func (k *checker) agrees(sorted []*observe.BlockRun, run *observe.Run, other *observe.Replayed) bool {
	return len(k.unexpected(other)) == 0 && replay.Agree(k.plan.Profile, k.plan.Schema.Tables, sorted, run, other) &&
		len(replay.CompareSearches(blocksOf(sorted), other, k.plan.Profile)) == 0
}

// compare holds a replay against its run, and, as the run was, against itself: errors that no statement causes, and,
// where the two differ, whether each write of the replay did what it says. Only the latter tell which side is wrong,
// or, readMends, that the two do not differ with reads of the tables between the statements.
func (k *checker) compare(sorted []*observe.BlockRun, run *observe.Run, rep *observe.Replayed) (
	f finding.Finding, readMends bool, err error) {
	events := rep.Events
	if len(k.plan.Case.Order) > 0 {
		// nobody has looked at its statements: one may name a table that the case does not make
		events = nil
		for i, e := range rep.Events {
			if in := sorted[i].Target.Err; e.Err != nil && (in == nil || in.Code != e.Err.Code) {
				events = append(events, e)
			}
		}
	}
	f = finding.Finding{Class: finding.ClassUnexpected, Oracle: unexpected.Oracle{}.Name(),
		Differences: unexpected.Find(k.plan.Profile, events)}
	if len(f.Differences) > 0 {
		return f, false, nil
	}
	differences := func(rep *observe.Replayed) []finding.Difference {
		return replay.Compare(k.plan.Profile, k.plan.Schema.Tables, sorted, run, rep)
	}
	f = finding.Finding{Class: finding.ClassReplay, Oracle: "replay", Differences: differences(rep)}
	if len(f.Differences) == 0 {
		return f, false, nil
	}
	k.witness()
	watched, err := k.Watch(blocksOf(sorted))
	if err != nil {
		return f, false, err
	}
	k.rep.Replays++
	if wrong := consistency.Replayed(blocksOf(sorted), watched); len(wrong) > 0 {
		f = finding.Finding{Class: finding.ClassInconsistent, Oracle: consistency.Oracle{}.Name(), Differences: wrong}
	}
	return f, len(differences(watched)) == 0, nil
}

func blocksOf(nodes []*observe.BlockRun) []*instrument.Block {
	out := make([]*instrument.Block, len(nodes))
	for i, n := range nodes {
		out[i] = n.Block
	}
	return out
}

func names(nodes []*observe.BlockRun) []string {
	out := make([]string, len(nodes))
	for i, n := range nodes {
		out[i] = n.Block.Name()
	}
	return out
}

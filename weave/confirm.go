package weave

import (
	"fmt"
	"slices"
	"strings"
	"txweave/finding"
	"txweave/observe"

	"txweave/instrument"
	"txweave/sdg"
)

// confirmReplay repeats a run and its replay on freshly created tables over new connections. Only a difference
// that comes back, from a run that gives the same answers, is a finding; one that does not is kept as flaky with
// its rate.
func (k *checker) confirmReplay(steps []instrument.Step, order []int, nodes []*observe.BlockRun, ev *Evidence) error {
	for range k.opt.Repeats {
		again, fresh, err := k.fresh(steps)
		if err != nil {
			return err
		}
		ev.Repeated++
		if !sameRun(ev.Run, again) || !sameNodes(nodes, fresh) {
			continue
		}
		rep, err := k.Replay(blocksOf(nodes, order))
		if err != nil {
			return err
		}
		if diffs := compareRuns(k.plan, fresh, order, again.Final, rep); sameKinds(diffs, ev.Differences) {
			ev.Confirmed++
		}
	}
	k.conclude(ev)
	return nil
}

// confirmRun repeats a run whose own trace shows something that no order explains.
func (k *checker) confirmRun(steps []instrument.Step, run *observe.Run, class string) error {
	first, err := k.judgeRun(run, class)
	if err != nil {
		return err
	}
	for range k.opt.Repeats {
		again, _, err := k.fresh(steps)
		if err != nil {
			return err
		}
		ev, err := k.judgeRun(again, class)
		if err != nil {
			return err
		}
		first.Repeated++
		if sameKinds(ev.Differences, first.Differences) {
			first.Confirmed++
		}
	}
	k.rep.Skipped = class
	k.conclude(first)
	return nil
}

// judgeRun lists what is wrong with a run by itself.
func (k *checker) judgeRun(run *observe.Run, class string) (*Evidence, error) {
	obs, err := observeRun(k.plan, k.initial, run)
	if err != nil {
		return nil, err
	}
	ev := &Evidence{Run: run}
	ev.Class = class
	switch class {
	case finding.ClassIsolation:
		ev.Oracle = "isolation"
		found, err := k.anomalies(obs, run)
		if err != nil {
			return nil, err
		}
		for _, a := range found {
			ev.Differences = append(ev.Differences, finding.Difference{What: string(a.Phenomenon), Detail: strings.Join(a.Explanation, "; ")})
		}
		return ev, nil
	case finding.ClassSnapshot:
		ev.Oracle = "snapshot"
		for _, a := range k.snapshots(obs, run) {
			ev.Differences = append(ev.Differences, finding.Difference{Stmt: a.Stmt, What: a.What, Detail: a.Detail})
		}
		return ev, nil
	case finding.ClassCertificate:
		ev.Oracle = "certificate"
		for _, a := range certificates(obs, run) {
			ev.Differences = append(ev.Differences, finding.Difference{Stmt: a.Stmt, What: a.What, Detail: a.Detail})
		}
		return ev, nil
	case finding.ClassMechanism:
		found, err := k.violations(obs, run)
		if err != nil {
			return nil, err
		}
		ev.Oracle = "mechanism"
		for i := range found {
			ev.Differences = append(ev.Differences, found[i].Finding().Differences...)
		}
		return ev, nil
	case finding.ClassInconsistent:
		ev.Oracle, ev.Differences = "consistency", obs.odd
		return ev, nil
	}
	ev.Oracle = "consistency"
	if ev.Graph, err = sdg.Infer(obs.input, sdg.Exact); err != nil {
		return nil, err
	}
	for _, u := range ev.Graph.Unexplained {
		n := obs.nodes[u.Stmt]
		ev.Differences = append(ev.Differences, finding.Difference{Stmt: n.Block.Name(), Kind: kindNames[n.Block.Info.Kind],
			What: u.Reason, Detail: fmt.Sprintf("row %d of %s: %s", u.PKey, u.Table, u.State)})
	}
	return ev, nil
}

// fresh runs steps on new tables over new connections.
func (k *checker) fresh(steps []instrument.Step) (*observe.Run, []*observe.BlockRun, error) {
	if err := k.Reopen(); err != nil {
		return nil, nil, err
	}
	if _, err := k.Load(k.plan); err != nil {
		return nil, nil, err
	}
	run, err := k.Run(k.plan, steps)
	if err != nil {
		return nil, nil, err
	}
	k.rep.Runs++
	if len(k.plan.Case.Order) > 0 {
		return run, k.givenNodes(run), nil
	}
	obs, err := observeRun(k.plan, k.initial, run)
	if err != nil {
		return nil, nil, err
	}
	return run, obs.nodes, nil
}

// conclude files the evidence: a finding if it came back every time it could be judged, else flaky.
func (k *checker) conclude(ev *Evidence) {
	ev.Sign()
	ev.Summary = summarize(&ev.Differences[0])
	// What these oracles see stands on the trace that shows it, with the rate at which it came again.
	if ev.Class == finding.ClassIsolation || ev.Class == finding.ClassSnapshot || ev.Class == finding.ClassMechanism || ev.Confirmed > 0 && ev.Confirmed == ev.Repeated {
		k.rep.Findings = append(k.rep.Findings, ev)
		return
	}
	k.rep.Flaky = append(k.rep.Flaky, ev)
}

// summarize says in a few words where and what the first difference is.
func summarize(d *finding.Difference) string {
	where := strings.TrimSpace(d.Stmt + " " + d.Kind)
	switch {
	case where == "" && d.Detail == "":
		return d.What
	case where == "":
		return d.What + ": " + d.Detail
	}
	return where + ": " + d.What
}

// sameRun says whether two runs gave the same answers, intervals aside.
func sameRun(a, b *observe.Run) bool {
	if !slices.Equal(a.Txns, b.Txns) || len(a.Blocks) != len(b.Blocks) {
		return false
	}
	for i, x := range a.Blocks {
		y := b.Blocks[i]
		if x.Block != y.Block || (x.Target == nil) != (y.Target == nil) {
			return false
		}
		if x.Target != nil && len(compareStatement(x.Block.Info, x.Target, y.Target)) > 0 {
			return false
		}
	}
	for t, rows := range a.Final {
		if _, differ := compareRows(rows, b.Final[t], true); differ {
			return false
		}
	}
	return true
}

func sameNodes(a, b []*observe.BlockRun) bool {
	return slices.EqualFunc(a, b, func(x, y *observe.BlockRun) bool { return x.Block == y.Block && x.Waited == y.Waited })
}

// sameKinds says whether two lists of differences concern the same statements in the same ways.
func sameKinds(a, b []finding.Difference) bool {
	return slices.EqualFunc(a, b, func(x, y finding.Difference) bool { return x.Stmt == y.Stmt && x.What == y.What })
}

package weave

import (
	"cmp"
	"slices"

	"txweave/fault"
	"txweave/finding"
	"txweave/instrument"
	"txweave/oracle/cause"
	"txweave/oracle/consistency"
	"txweave/oracle/observe"
	"txweave/oracle/replay"
	"txweave/sdg"
	"txweave/sql/edits"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// maxRepeats is how often a run is repeated whose finding came back some of the first times, and not each time.
const maxRepeats = 20

// file repeats a run that shows something wrong, once for all that it shows, and files the findings. Findings with a
// signature that the case has shown before are left out.
func (k *checker) file(steps []instrument.Step, found []*Evidence) error {
	for _, ev := range found {
		ev.Sign()
	}
	found = slices.DeleteFunc(found, func(ev *Evidence) bool {
		same := func(other *Evidence) bool { return other.Signature == ev.Signature }
		return slices.ContainsFunc(k.rep.Findings, same) || slices.ContainsFunc(k.rep.Unconfirmed, same)
	})
	if len(found) > 0 {
		k.witness()
	}
	open := slices.DeleteFunc(slices.Clone(found), func(ev *Evidence) bool { return k.known(ev) && stands(ev) })
	for n := 0; n < k.repeats(n, open); n++ {
		_, obs, err := k.again(steps, n)
		if err != nil {
			return err
		}
		for _, ev := range open {
			diffs, err := k.judgeAgain(ev, obs)
			if err != nil {
				return err
			}
			ev.Repeated++
			if sameKinds(diffs, ev.Differences) {
				ev.Confirmed++
			}
		}
	}
	for _, ev := range found {
		k.keep(ev)
	}
	if len(found) == 0 {
		return nil
	}
	return k.integrity()
}

// relate says which earlier finding of the case a finding goes with: one that names a transaction which it names too.
// Final contents name none, and go with the first.
func (k *checker) relate(ev *Evidence) {
	ev.Cause = cause.Of(&ev.Finding, cause.Facts{Observation: ev.Observation, Final: ev.Run.Final, Indexed: k.indexed(),
		ReadMends: ev.readMends})
	mine := ev.Transactions()
	for _, other := range slices.Concat(k.rep.Findings, k.rep.Unconfirmed) {
		theirs := other.Transactions()
		if len(mine) == 0 || other.Class == finding.ClassCorruption || slices.ContainsFunc(mine,
			func(t int) bool { return slices.Contains(theirs, t) }) {
			ev.With = cmp.Or(other.With, other.Signature)
			switch {
			case other.Cause == finding.CauseEnded && finding.EndExplains(ev.Class):
				ev.Cause, ev.Derived = other.Cause, true
			case ev.Cause.IsZero() && derived(ev):
				ev.Cause, ev.Derived = cmp.Or(other.Cause, finding.Cause{Of: other.Signature}), true
			}
			return
		}
	}
}

// derived says whether a finding tells of transactions as a whole or of what they left: what else went wrong in them
// explains it.
func derived(ev *Evidence) bool {
	switch ev.Class {
	case finding.ClassIsolation, finding.ClassMechanism, finding.ClassUnexplained:
		return true
	}
	return ev.Class == finding.ClassReplay && ev.Differences[0].What == fault.Final
}

// indexed says whether the case's tables have indexes beside the key that names their rows.
func (k *checker) indexed() bool {
	p := &edits.Rewriter{Dialect: sqltext.SyntaxOf(k.plan.Profile.DBMS).Tree}
	return slices.ContainsFunc(k.plan.Schema.Tables, func(t *sqltext.Table) bool {
		return len(t.Key) > 0 && !t.Named()
	}) ||
		slices.ContainsFunc(k.plan.Case.Schema, func(s testcase.Stmt) bool {
			features := p.SchemaFeatures(s.SQL)
			return slices.Contains(features, "index") || slices.Contains(features, "unique")
		})
}

// known says whether enough findings with this one's signature have been confirmed. One that stands on its trace is
// then not repeated, another one once.
func (k *checker) known(ev *Evidence) bool { return k.opt.Known != nil && k.opt.Known(ev.Signature) }

// repeats is how often to repeat what has been repeated n times: more often where that has not settled it.
func (k *checker) repeats(n int, open []*Evidence) int {
	unsettled := func(ev *Evidence) bool { return !stands(ev) && ev.Confirmed > 0 && ev.Confirmed < ev.Repeated }
	switch {
	case len(open) == 0:
		return 0
	case !slices.ContainsFunc(open, func(ev *Evidence) bool { return !k.known(ev) }):
		return 1
	case n >= k.opt.Repeats && slices.ContainsFunc(open, unsettled):
		return maxRepeats
	}
	return k.opt.Repeats
}

// again repeats a run for the n-th time: the first half of the usual number of times on the tables and connections as
// they are, since what a statement answers may depend on the physical order of rows, and thus on all that was done to
// them; then on new tables over new connections.
func (k *checker) again(steps []instrument.Step, n int) (*observe.Run, *observe.Observation, error) {
	if n >= k.opt.Repeats/2 {
		if err := k.Reopen(); err != nil {
			return nil, nil, err
		}
		if _, err := k.Load(k.plan); err != nil {
			return nil, nil, err
		}
	}
	if len(k.plan.Case.Order) > 0 {
		run, err := k.run(steps)
		return run, nil, err
	}
	return k.watch(steps)
}

// judgeAgain asks the oracle of a finding about another run of the same steps.
func (k *checker) judgeAgain(ev *Evidence, obs *observe.Observation) ([]finding.Difference, error) {
	if ev.Class == finding.ClassUnexplained {
		g, err := sdg.Infer(obs.Input(obs.Nodes(), nil), sdg.Exact)
		if err != nil {
			return nil, err
		}
		return consistency.Unexplained(g), nil
	}
	for _, o := range slices.Concat(plainly, deeply, lastly) {
		if o.Class() == ev.Class && o.Name() == ev.Oracle {
			v, err := k.verdict(o, obs)
			for _, part := range apart(ev.Class, v.Differences) {
				if part[0].Kind == ev.Differences[0].Kind && part[0].What == ev.Differences[0].What {
					return part, err
				}
			}
			return nil, err
		}
	}
	return nil, nil
}

// confirmReplay repeats a run and its replay. A repetition counts only where the run gives the same answers.
func (k *checker) confirmReplay(steps []instrument.Step, sorted []*observe.BlockRun, ev *Evidence) error {
	ev.Sign()
	open := []*Evidence{ev}
	for n := 0; n < k.repeats(n, open); n++ {
		run, obs, err := k.again(steps, n)
		if err != nil {
			return err
		}
		ev.Repeated++
		fresh := k.nodes(run, obs)
		if !replay.SameAnswers(ev.Run, run) || !sameNodes(k.nodes(ev.Run, ev.Observation), fresh) {
			continue
		}
		k.witness()
		rep, err := k.Replay(blocksOf(sorted))
		if err != nil {
			return err
		}
		again := make([]*observe.BlockRun, len(sorted))
		for i, n := range sorted {
			again[i] = fresh[slices.IndexFunc(fresh, func(f *observe.BlockRun) bool { return f.Block == n.Block })]
		}
		found, mends, err := k.compare(again, run, rep)
		if err != nil {
			return err
		}
		ev.readMends = ev.readMends && mends
		if found.Class == ev.Class && sameKinds(found.Differences, ev.Differences) {
			ev.Confirmed++
		}
	}
	k.keep(ev)
	return nil
}

// nodes are the executions that a replay is compared with: of the statements of the graph, or of the case's own order.
func (k *checker) nodes(run *observe.Run, obs *observe.Observation) []*observe.BlockRun {
	if obs == nil {
		return k.orderNodes(run)
	}
	var out []*observe.BlockRun
	for _, s := range obs.Nodes() {
		out = append(out, s.Run)
	}
	return out
}

// stands says whether a finding stands on the trace that shows it, with the rate at which it came back: it does not
// depend on what other runs answer. A write that waited is held against reads that need not have seen what it saw.
func stands(ev *Evidence) bool {
	switch ev.Class {
	case finding.ClassIsolation, finding.ClassSnapshot, finding.ClassMechanism, finding.ClassUnexpected,
		finding.ClassCorruption:
		return true
	case finding.ClassInconsistent:
		if ev.Observation == nil {
			return false
		}
		first := ev.Differences[0].Stmt
		return !slices.ContainsFunc(ev.Observation.Stmts, func(s *observe.ObservedStmt) bool {
			return s.Name == first && s.Waited
		})
	}
	return false
}

// keep files evidence: a finding if it stands on its trace, came back every time, or if the engine is
// embedded, so that nothing else could have interfered; else unconfirmed.
func (k *checker) keep(ev *Evidence) {
	ev.Summary = summarize(&ev.Differences[0])
	k.relate(ev)
	if stands(ev) || ev.Confirmed > 0 && ev.Confirmed == ev.Repeated || k.plan.Profile.Embedded {
		k.rep.Findings = append(k.rep.Findings, ev)
		return
	}
	k.rep.Unconfirmed = append(k.rep.Unconfirmed, ev)
}

// summarize says in a few words where and what the first difference is.
func summarize(d *finding.Difference) string {
	where, detail := d.Where(), d.Detail()
	switch {
	case where == "" && detail == "":
		return d.Told()
	case d.Kind == "" && where != "" && detail != "":
		return where + ": " + detail
	case where == "":
		return d.Told() + ": " + detail
	}
	return where + ": " + d.Told()
}

func sameNodes(a, b []*observe.BlockRun) bool {
	return slices.EqualFunc(a, b, func(x, y *observe.BlockRun) bool { return x.Block == y.Block && x.Waited == y.Waited })
}

// sameKinds says whether two lists of differences concern the same statements in the same ways.
func sameKinds(a, b []finding.Difference) bool {
	return slices.EqualFunc(a, b, func(x, y finding.Difference) bool { return x.Stmt == y.Stmt && x.What == y.What })
}

package weave

import (
	"errors"
	"fmt"
	"slices"

	"txweave/dbms"
	"txweave/exec"
	"txweave/finding"
	"txweave/history"
	"txweave/oracle/observe"
	"txweave/oracle/replay"
	"txweave/oracle/unexpected"
	"txweave/testcase"
)

// settingOf returns the plan setting that a case's header names for the third execution; nil where it names none. An
// error says that the header names one that the database has not, or that no case can be run under.
func settingOf(c *testcase.Case, p *dbms.Profile) (*dbms.PlanSetting, error) {
	if name := c.Option(testcase.OptionSetting); name != "" {
		if s := p.PlanSetting(name); s == nil || !s.Lasting() {
			return nil, fmt.Errorf("%s: %s runs no case under a setting %q", testcase.OptionSetting, p.DBMS, name)
		}
	}
	name := c.Option(testcase.OptionPlan)
	if name == "" {
		return nil, nil
	}
	if s := p.PlanSetting(name); s != nil && s.Replans() {
		return s, nil
	}
	return nil, fmt.Errorf("%s: %s has no plan setting %q", testcase.OptionPlan, p.DBMS, name)
}

// thirds are a replay that agreed with its run and, where other is not nil, the execution of the same statements in the
// same order under the case's plan setting.
type thirds struct {
	sorted    []*observe.BlockRun
	as, other *observe.Replayed
	// why there is no other, where the environment spoilt it: that keeps nobody from the usual plan, where the run may
	// have differed
	spoilt error
}

// large is how many rows an answer may have that is asked for by other words: 9,509 ranks, each counted among all of
// them, took as long as 500 cases.
const large = 400

// under executes statements under the case's plan setting; nil where it has none, or the database has not.
func (k *checker) under(sorted []*observe.BlockRun) (*observe.Replayed, error) {
	if k.setting == nil || len(sorted) == 0 {
		return nil, nil
	}
	for _, n := range sorted {
		n.Block.Large = n.Target.Rows.Len() > large
	}
	other, err := k.ReplayUnder(blocksOf(sorted), k.setting)
	if errors.Is(err, exec.ErrNoSetting) {
		k.rep.NotJudged["plans"] = finding.Line(err.Error())
		return nil, nil
	}
	if err == nil {
		k.rep.Replays++
	}
	return other, err
}

// third holds an execution planned otherwise against a replay that agreed with its run: what is wrong with transactions
// and without them alike, as a missing index entry is, shows here. Before each write it asks, where that is known,
// which rows it is about to find. A finding is as in.
func (k *checker) third(of thirds, in *Evidence) error {
	if of.other == nil {
		return of.spoilt
	}
	sorted, as, other := of.sorted, of.as, of.other
	ev := *in
	ev.Replayed, ev.Order = nil, names(sorted)
	differences := func(as, other *observe.Replayed) []finding.Difference {
		if diffs := k.unexpected(other); len(diffs) > 0 {
			return diffs
		}
		diffs := replay.ComparePlans(k.plan.Schema.Tables, blocksOf(sorted), as, other)
		return append(diffs, replay.CompareSearches(blocksOf(sorted), other, k.plan.Profile)...)
	}
	diffs := differences(as, other)
	if len(diffs) == 0 {
		return nil
	}
	k.witness()
	ev.Replayed = other
	ev.Finding = finding.Finding{Class: finding.ClassPlan, Oracle: "replay", Differences: diffs}
	if len(k.unexpected(other)) > 0 {
		ev.Class, ev.Oracle = finding.ClassUnexpected, unexpected.Oracle{}.Name()
	}
	ev.Sign()
	for n := 0; n < k.repeats(n, []*Evidence{&ev}); n++ {
		if n >= k.opt.Repeats/2 {
			if err := k.reload(); err != nil {
				return err
			}
		}
		again, err := k.Replay(blocksOf(sorted))
		if err != nil {
			return err
		}
		otherwise, err := k.under(sorted)
		if err != nil {
			return err
		}
		ev.Repeated++
		if otherwise != nil && sameKinds(differences(again, otherwise), diffs) {
			ev.Confirmed++
		}
	}
	k.keep(&ev)
	return nil
}

// unexpected are the errors of a third execution that no statement causes. Of a table that is not there nothing is
// said: what a query of copies takes for one may be a name that it gives to one.
func (k *checker) unexpected(other *observe.Replayed) []finding.Difference {
	if len(k.plan.Case.Order) > 0 { // nobody has looked at its statements: one may name what is not there
		return nil
	}
	p := k.plan.Profile
	return unexpected.Find(p, slices.DeleteFunc(other.Trace().Events, func(e *history.Event) bool {
		return e.Err != nil && p.Errors.NoTable.Has(e.Err.Code, e.Err.Message)
	}))
}

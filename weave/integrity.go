package weave

import (
	"slices"
	"strings"

	"txweave/exec"
	"txweave/fault"
	"txweave/finding"
	"txweave/instrument"
	"txweave/oracle/observe"
	"txweave/testcase"
)

// due says whether this case is one in which the database is asked whether its tables are whole: each one where that is
// cheap, as an index that disagrees with its table shows to those alone who search it, and each one with foreign keys,
// because a row that refers to none is there with transactions and without.
func (k *checker) due() bool {
	return k.opt.Integrity > 0 && (k.opt.Number%k.opt.Integrity == 0 || k.ComplainsCheaply() ||
		k.plan.Case.Refers() || k.purges())
}

// purges says whether what an index holds beyond its table's rows is taken away while the case runs: what then stays
// there shows to nobody else.
func (k *checker) purges() bool {
	s := k.plan.Profile.PlanSetting(k.plan.Case.Option(testcase.OptionSetting))
	return s != nil && len(s.Between) > 0
}

// integrityOracle is the name under which the database's own account of its tables goes.
const integrityOracle = "integrity"

// witness asks the database whether the tables are whole as they are at this moment, where something has just gone
// wrong on them: repetitions begin with tables made anew, and what does not strike each time may leave those whole.
// What it complains of first is kept until integrity makes a finding of it; an answer that is none is integrity's,
// which asks once more.
func (k *checker) witness() { _ = k.askWhole() }

func (k *checker) askWhole() error {
	if k.unsound || len(k.damage.said) > 0 {
		return nil
	}
	said, err := k.Complaints()
	if err != nil && exec.IsRefused(err) {
		k.rep.NotJudged[integrityOracle] = finding.Line(err.Error())
		return nil
	}
	k.damage = damage{said, k.trace(), k.last.steps}
	return err
}

// damage is what the database complained of, and what had been run last.
type damage struct {
	said  []string
	run   *observe.Run
	steps []instrument.Step
}

// integrity makes a finding of what the database complains of, or has complained of, one for each case, with what was
// run last; after it the database is not to be used any more, unless it is only that rows refer to none.
func (k *checker) integrity() error {
	if err := k.askWhole(); err != nil || k.unsound || len(k.damage.said) == 0 {
		return err
	}
	said := k.damage.said
	k.unsound, k.rep.Spoilt = true, k.rep.Spoilt || slices.ContainsFunc(said, func(s string) bool {
		return !exec.IsDangling(s)
	})
	ev := &Evidence{Run: k.damage.run}
	ev.Finding = finding.Finding{Class: finding.ClassCorruption, Oracle: integrityOracle, Log: k.Log(),
		Differences: []finding.Difference{
			{What: fault.Integrity, Shape: complaintShape(said), Transaction: finding.Side{Said: finding.Line(said[0])},
				Steps: finding.Sentences{finding.Say("%v", finding.Line(strings.Join(said, "; ")))}}}}
	ev.Sign()
	var err error
	if !k.known(ev) {
		err = k.confirmComplaint(ev)
	}
	k.keep(ev)
	return err
}

// confirmComplaint runs what was run last once more, on new tables, and asks again. Damage that an earlier case left
// does not come back, and the finding stands all the same. An error says that the tables cannot be made anew.
func (k *checker) confirmComplaint(ev *Evidence) error {
	ran := k.last.run
	if err := k.reload(); err != nil || ran == nil {
		return err
	}
	if _, err := k.run(k.damage.steps); err != nil {
		return err
	}
	ev.Repeated = 1
	said, err := k.Complaints()
	if len(said) > 0 {
		ev.Confirmed = 1
	}
	return err
}

// complaintShape is a complaint without the names of tables and indexes, and without numbers: of several lines the
// first one by its letters, as a database may tell them in any order.
func complaintShape(said []string) string {
	var shapes []string
	for _, lines := range said {
		for line := range strings.Lines(lines) {
			if shape := strings.TrimSpace(finding.MessageShape(line)); shape != "" && !strings.HasPrefix(shape, "***") {
				// the name of a database
				shapes = append(shapes, shape)
			}
		}
	}
	if len(shapes) == 0 {
		return ""
	}
	return slices.Min(shapes)
}

package weave

import (
	"slices"
	"strings"

	"txweave/exec"
	"txweave/finding"
)

// due says whether this case is one in which the database is asked whether its tables are whole.
func (k *checker) due() bool { return k.opt.Integrity > 0 && k.opt.Number%k.opt.Integrity == 0 }

// integrityOracle is the name under which the database's own account of its tables goes.
const integrityOracle = "integrity"

// integrity asks the database whether the tables are whole as they are at this moment. What it complains of is a finding, one for
// each case, with what was run last; after it the database is not to be used any more.
func (k *checker) integrity() error {
	if k.unsound {
		return nil
	}
	said, err := k.Complaints()
	if err != nil && exec.IsRefused(err) {
		k.rep.NotJudged[integrityOracle] = finding.Line(err.Error())
		return nil
	}
	if err != nil || len(said) == 0 {
		return err
	}
	k.unsound, k.rep.Spoilt = true, true
	ev := &Evidence{Run: k.trace()}
	ev.Finding = finding.Finding{Class: finding.ClassCorruption, Oracle: integrityOracle, Log: k.Log(), Differences: []finding.Difference{
		{What: integrityOracle + " (" + complaintShape(said) + ")", Transaction: finding.Line(said[0]), Detail: finding.Line(strings.Join(said, "; "))}}}
	ev.Sign()
	if !k.known(ev) {
		err = k.confirmComplaint(ev)
	}
	k.keep(ev)
	return err
}

// confirmComplaint runs what was run last once more, on new tables, and asks again. Damage that an earlier case left does not
// come back, and the finding stands all the same. An error says that the tables cannot be made anew.
func (k *checker) confirmComplaint(ev *Evidence) error {
	steps := k.last.steps
	if err := k.reload(); err != nil || k.last.run == nil {
		return err
	}
	if _, err := k.run(steps); err != nil {
		return err
	}
	ev.Repeated = 1
	said, err := k.Complaints()
	if len(said) > 0 {
		ev.Confirmed = 1
	}
	return err
}

// complaintShape is a complaint without the names of tables and indexes, and without numbers: of several lines the first one by its
// letters, as a database may tell them in any order.
func complaintShape(said []string) string {
	var shapes []string
	for _, lines := range said {
		for line := range strings.Lines(lines) {
			if shape := strings.TrimSpace(finding.MessageShape(line)); shape != "" && !strings.HasPrefix(shape, "***") { // the name of a database
				shapes = append(shapes, shape)
			}
		}
	}
	if len(shapes) == 0 {
		return ""
	}
	return slices.Min(shapes)
}

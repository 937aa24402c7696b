package report

import (
	"strings"

	"txweave/fault"
	"txweave/finding"
	"txweave/instrument"
	"txweave/report/script"
	"txweave/report/timeline"
)

// Script writes the steps that repeat the finding, with what each was answered.
func Script(d *Doc) {
	s := script.Of(d.f, d.t)
	if s.Windows > 1 {
		d.Text("%d clients, in windows side by side; each line is sent when the one before has answered or waits:", s.Windows)
	}
	d.verbatim(s.Text())
	if len(s.Dropped) > 0 {
		d.Text("Statements of the case that are not in this run: %s.", strings.Join(s.Dropped, ", "))
	}
}

// Compare writes actual and expected side by side.
func Compare(d *Doc) {
	if x := d.f.Searched(); x != nil {
		if x.What == fault.ChangedMatched {
			d.Text("Expected: it writes %s. This query, sent right before it, prints %d for each row that is in its way, and "+
				"%d for each of these for which its condition is true; it writes %s:",
				x.Replay.Count(), instrument.KeyHeld, instrument.KeyMet, x.Transaction.Count())
			d.asked(x)
			return
		}
		if x.What == fault.RefusedHeld {
			d.Text("Expected: it is refused for a duplicate key where this query finds a row, and only there. "+
				"That was sent right before it and finds %s, and the answer is: %s.", x.Replay.Count(), x.Transaction)
			d.asked(x)
			return
		}
		d.Text("Expected: it affects as many rows as this query finds. That was sent right before it and finds %s, and it "+
			"affects %s:", x.Replay.Count(), x.Transaction.Count())
		d.asked(x)
		return
	}
	s := script.Of(d.f, d.t)
	intro, table, more := s.Table()
	switch {
	case table != "":
		if intro != "" {
			d.Text("%s", intro)
		}
		d.verbatim(table)
		if more > 0 {
			d.Text("The %d other orders of the transactions give other answers, too.", more)
		}
		Planned(d)
	case d.f.Record.Class == finding.ClassReplay && s.Replayed(): // only warnings differ, which the script says
	case d.f.Record.Class == finding.ClassReplay:
		d.Text("What is expected is unknown: the finding has no replay.jsonl.")
	default:
		d.Text("Expected: %s", d.expects())
	}
}

// asked writes the query that was sent right before a write, behind what puts its plan in force.
func (d *Doc) asked(x *finding.Difference) {
	var lines []string
	if s := d.f.Setting(); s != nil {
		lines = timeline.PuttingInForce(s)
	}
	d.verbatim(strings.Join(append(lines, x.Asked+";"), "\n"))
}

// expects says what should have happened, where there is nothing to put beside it.
func (d *Doc) expects() string {
	if diffs := d.f.Record.Differences; len(diffs) > 0 {
		if e := d.f.Entry(diffs[0].What); e != nil && e.Want != "" {
			return e.Want
		}
	}
	return expected[d.f.Record.Class]
}

// expected is told by the class of the finding, where the kind of fault does not say it.
var expected = map[string]string{
	finding.ClassCrash:        "an answer to every statement, or an error.",
	finding.ClassHang:         "an answer to every statement, or an error.",
	finding.ClassPlan:         "the same answer, however the statement is planned.",
	finding.ClassUnexpected:   "an answer, or an error that the statement itself causes.",
	finding.ClassCorruption:   "that the database finds its tables whole.",
	finding.ClassInconsistent: "what the reads right before and after the statement show.",
	finding.ClassUnexplained:  "rows that a committed statement wrote, or that were there from the start.",
	finding.ClassSnapshot:     "what had been committed when the transaction took its snapshot, and its own changes.",
	finding.ClassIsolation:    "answers that the isolation level allows.",
	finding.ClassMechanism:    "that it does not happen: the isolation level rules it out.",
	finding.ClassCertificate:  "that it does not happen: the isolation level rules it out.",
}

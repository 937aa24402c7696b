package report

import (
	"strings"

	"txweave/dbms"
	"txweave/finding"
	"txweave/instrument"
	"txweave/report/script"
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
		if x.What == finding.Met {
			d.Text("Expected: it writes %s. This query, sent right before it, prints %d for each row that is in its way, and %d for each of these for which its condition is true; it writes %s:",
				x.Replay, instrument.KeyHeld, instrument.KeyMet, x.Transaction)
			d.asked(x)
			return
		}
		if x.What == finding.Claimed {
			d.Text("Expected: it is refused for a duplicate key where this query finds a row, and only there. That was sent right before it and finds %s, and the answer is: %s.", x.Replay, x.Transaction)
			d.asked(x)
			return
		}
		d.Text("Expected: it affects as many rows as this query finds. That was sent right before it and finds %s, and it affects %s:", x.Replay, x.Transaction)
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
		d.Text("Expected: %s", d.f.Unconditional(d.expects()))
	}
}

// asked writes the query that was sent right before a write, behind what puts its plan in force.
func (d *Doc) asked(x *finding.Difference) {
	var lines []string
	if s := d.setting(); s != nil {
		lines = puttingInForce(s)
	}
	d.verbatim(strings.Join(append(lines, strings.TrimPrefix(x.Detail, finding.AskedBefore)+";"), "\n"))
}

// expects says what should have happened, where there is nothing to put beside it.
func (d *Doc) expects() string {
	if diffs := d.f.Record.Differences; len(diffs) > 0 {
		what := diffs[0].What
		if text := expectedOf[what[strings.LastIndexByte(what, ':')+1:]]; text != "" {
			return text
		}
	}
	return expected[d.f.Record.Class]
}

// expectedOf is told by what is wrong, expected by the class of the finding.
var expectedOf = map[string]string{
	"affected-versus-written": "the number of rows that it reports is the number of rows that it changes.",
	"affected-versus-spelled": "as many affected rows as it spells: each is inserted or changes one that is there.",
	"given-versus-left":       "the row holds what the statement's text gives to it.",
	"changed-unmet-row":       "it changes rows that have a unique key which it spells, and no others.",
	"carried-otherwise":       "a row that refers to one which goes, or gets another key, is left as the action of its foreign key says.",
	"refused-versus-carried":  "it succeeds: each row that refers to one of its own goes with it, follows it or refers to none.",
	"search-versus-rows":      "it finds the rows for which its WHERE clause is true, all of them and no others.",
	"returned-versus-written": "each row that it writes, once, with the values that the row has then.",
	"matched-versus-written":  "it changes the rows that a SELECT with its WHERE clause finds right before it, all of them and no others.",
	"passed-over-after-wait":  "it changes the rows that a SELECT with its WHERE clause finds, all of them and no others.",
	"write-in-read-only":      "it is refused: its transaction is READ ONLY.",
	"late-key-twice":          "of two rows with one unique key it sees one, whenever the duplicate is refused.",
	"key-twice":               "of two rows with one unique key it sees one, whenever the duplicate is refused.",
	"failed-yet-wrote":        "a statement that fails changes nothing.",
	"read-yet-wrote":          "a statement that only reads changes nothing.",
	"failed-commit":           "COMMIT succeeds, or fails for a conflict with another transaction.",
	finding.RefusedOwed:       "COMMIT succeeds: each row refers to one that is there.",
	finding.CommittedOwed:     "COMMIT fails: a row refers to one that is not there.",
	"row-twice":               "each row once.",
	finding.Gone:              "the error that has ended the transaction, or one that is still open.",
	"write-lock-of-nobody":    "an answer: nobody keeps it from writing.",
	"dirty-write":             "the second change waits until the first transaction has ended.",
	string(dbms.G0):           "the second change waits until the first transaction has ended.",
}

var expected = map[string]string{
	finding.ClassCrash:        "an answer to every statement, or an error.",
	finding.ClassHang:         "an answer to every statement, or an error.",
	finding.ClassPlan:         "the same answer, however the statement is planned.",
	finding.ClassUnexpected:   "an answer, or an error that the statement itself causes.",
	finding.ClassCorruption:   "an answer, or an error that the statement itself causes.",
	finding.ClassInconsistent: "what the reads right before and after the statement show.",
	finding.ClassUnexplained:  "rows that a committed statement wrote, or that were there from the start.",
	finding.ClassSnapshot:     "what had been committed when the transaction took its snapshot, and its own changes.",
	finding.ClassIsolation:    "answers that the isolation level allows.",
	finding.ClassMechanism:    "that it does not happen: the isolation level rules it out.",
	finding.ClassCertificate:  "that it does not happen: the isolation level rules it out.",
}

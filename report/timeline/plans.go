package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"txweave/dbms"
	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// PlanSetting is the plan setting that the case names; "" if it names none.
func (f *Dossier) PlanSetting() string { return f.Case.Option(testcase.OptionPlan) }

// Setting is the plan setting by which the other answer was made; nil where the case names none, or none that the
// database has.
func (f *Dossier) Setting() *dbms.PlanSetting {
	p, err := dbms.Lookup(f.Record.Environment.DBMS, f.Record.Environment.Isolation)
	if err != nil {
		return nil
	}
	return p.PlanSetting(f.PlanSetting())
}

// PuttingInForce are the lines of a script that put a setting in force.
func PuttingInForce(s *dbms.PlanSetting) (lines []string) {
	for _, sql := range s.Set {
		lines = append(lines, sql+";")
	}
	if s.Each != "" {
		lines = append(lines, "-- the statements that this query prints:", s.Each+";")
	}
	return lines
}

// AnswerOfQuery is the answer to the query that a difference holds against a write; nil where the finding has none.
func (f *Dossier) AnswerOfQuery(d *finding.Difference) *history.Answer {
	if f.Replayed == nil {
		return nil
	}
	for _, e := range f.Replayed.Events {
		if e.Role == history.BWR && e.Text == d.Asked {
			return &e.Answer
		}
	}
	return nil
}

// Store is the shape of the store that the case lies in; nil: the usual one.
func (f *Dossier) Store() *dbms.StoreShape {
	name := f.Case.Option(testcase.OptionStore)
	p, err := dbms.Lookup(f.Record.Environment.DBMS, f.Record.Environment.Isolation)
	if name == "" || err != nil || f.Case.Target != p.DBMS { // it says nothing of another DBMS
		return nil
	}
	return p.Store(name)
}

// SettingsToRepeat lists the settings that somebody who repeats the finding has to make, with those with which a server
// of the case's store is started.
func (f *Dossier) SettingsToRepeat() [][2]string {
	out := f.Record.Environment.SettingsToRepeat(f.Record.Class)
	s := f.Store()
	if s == nil {
		return out
	}
	for _, argument := range s.Server {
		name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(argument, "--"), "loose-"), "=")
		name = strings.ReplaceAll(name, "-", "_")
		out = append(slices.DeleteFunc(out, func(t [2]string) bool { return t[0] == name }), [2]string{name, value})
	}
	return out
}

// Otherwise says how the other answer was had, behind a verb: "after SET SESSION optimizer_switch = 'mrr=off'".
func (f *Dossier) Otherwise() string {
	switch s := f.Setting(); {
	case s == nil:
	case s.Opaque && !s.Unquantified, s.Opaque && s.Name == dbms.OpaqueName:
		return "with conditions that are hidden from the planner"
	case s.Unquantified:
		return "with EXISTS in place of comparisons with subqueries"
	case s.Copies != nil:
		return "over copies of its tables"
	case s.Respelled:
		return "said by other words"
	case s.Parameters != nil && f.hasValues(s):
		return "with its values as parameters"
	case s.Prepared:
		return "as a prepared statement"
	case len(s.Set) == 1 && s.Each == "" && len(s.Set[0]) < 100:
		return "after " + s.Set[0]
	}
	return "under another plan (" + f.PlanSetting() + ")"
}

// hasValues says whether a statement of those that differ has values that can stand beside it, as far as is known.
func (f *Dossier) hasValues(s *dbms.PlanSetting) bool {
	t, c := f.Shown(), f.Case
	if f.Plain != nil {
		c = f.Plain.Case
	}
	return t == nil || !slices.ContainsFunc(t.Steps, func(x *LaneStep) bool { return len(x.Differences) > 0 }) ||
		slices.ContainsFunc(t.Steps, func(x *LaneStep) bool {
			_, values := s.Beside(x.SQL, c.ReadSchema())
			return len(x.Differences) > 0 && len(values) > 0
		})
}

// planned says in words what differs between two plans.
var planned = map[fault.Kind]string{fault.Rows: "rows", fault.AffectedRows: "affected rows"}

// planClaim is Claim of what differs without transactions.
func (f *Dossier) planClaim(t *Timeline, d *finding.Difference) string {
	switch d.What {
	case fault.MatchedAffected:
		if d.Kind == "INSERT" {
			return "INSERT adds another number of rows than its query finds"
		}
		return d.Kind + " affects another number of rows than a query with its WHERE clause finds"
	case fault.ChangedMatched:
		if d.Replay.Affected != nil && *d.Replay.Affected == 0 {
			return "INSERT … ON CONFLICT DO UPDATE changes a row for which its WHERE clause is not true"
		}
		return "INSERT … ON CONFLICT DO UPDATE passes over a row for which its WHERE clause is true"
	case fault.RefusedHeld:
		if d.Transaction.NoError {
			return "INSERT adds a row though another one has its key"
		}
		return "INSERT is refused for a key that no row has"
	}
	if c := f.sidedClaim(); c != "" {
		return c
	}
	if w := f.Written(); w != nil {
		return fmt.Sprintf("%s leaves other rows in table %s %s", w.Kind(), f.contents(), f.Otherwise())
	}
	if d.What == fault.Final {
		return "The same statements leave other rows in table " + cmp.Or(f.contents(), d.Table) + " " + f.Otherwise()
	}
	return fmt.Sprintf("%s gives other %s %s", subject(t, d), planned[d.What], f.Otherwise())
}

// contents is the table that does not hold the same at the end, by the name that a report has for it; "" where all do.
func (f *Dossier) contents() string {
	if t := f.Shown(); f.Plain != nil && t != nil {
		for i := range t.Tables {
			if len(t.Tables[i].Differences) > 0 {
				return t.Tables[i].Name
			}
		}
		return ""
	}
	for _, d := range f.Record.Differences {
		if d.What == fault.Final {
			return d.Table
		}
	}
	return ""
}

// Written is the write that leaves other rows by another plan: the only one of the case, after which whatever reads
// its table answers otherwise, too. nil where there are several, or no table differs at the end.
func (f *Dossier) Written() *LaneStep {
	t := f.Shown()
	if f.Record.Class != finding.ClassPlan || f.contents() == "" || t == nil {
		return nil
	}
	var out *LaneStep
	for _, s := range t.Steps {
		if s.Role != history.Target || !sqltext.KindOf(s.SQL).Writes() {
			continue
		}
		if out != nil {
			return nil
		}
		out = s
	}
	return out
}

// Shown is the timeline that a report of the finding shows; nil without any.
func (f *Dossier) Shown() *Timeline {
	if f.Plain != nil {
		return f.Plain.Timeline
	}
	t, err := f.Timeline()
	if err != nil {
		return nil
	}
	return t
}

// sidedClaim says what is answered, and what should have been, where another database tells which of two plans is
// wrong; "" where none does.
func (f *Dossier) sidedClaim() string {
	wrong := f.Plain.WrongPlan()
	if wrong == EitherSide {
		return ""
	}
	how := ""
	if wrong == TheOther {
		how = " " + f.Otherwise()
	}
	instead := func(usual, other *history.Rows) (x, y string) {
		if wrong == TheOther {
			usual, other = other, usual
		}
		return versus(usual, other)
	}
	t := f.Plain.Timeline
	if w := f.Written(); w != nil {
		for i := range t.Tables {
			if tab := &t.Tables[i]; len(tab.Differences) > 0 && tab.Expected != nil {
				x, y := instead(tab.Actual, tab.Expected)
				return fmt.Sprintf("%s leaves %s in table %s instead of %s%s", w.Kind(), x, tab.Name, y, how)
			}
		}
	}
	for _, s := range t.Steps {
		switch {
		case len(s.Differences) == 0 || s.Expected == nil:
		case s.Answer.Rows != nil && s.Expected.Rows != nil:
			x, y := instead(s.Answer.Rows, s.Expected.Rows)
			return fmt.Sprintf("%s returns %s instead of %s%s", s.Kind(), x, y, how)
		case s.Answer.Err == nil && s.Expected.Err == nil:
			x, y := s.Answer.Affected, s.Expected.Affected
			if wrong == TheOther {
				x, y = y, x
			}
			return fmt.Sprintf("%s affects %s instead of %s%s", s.Kind(), count(int(x), "row"), number(int(y)), how)
		}
	}
	return ""
}

// whyPlan is Why of what differs without transactions.
func (f *Dossier) whyPlan() string {
	if d := f.Searched(); d != nil && d.What == fault.RefusedHeld {
		return "The query was right before it, alone on the database and without a transaction. A unique key keeps a row " +
			"out where another one has it, and only there."
	} else if d != nil && d.What == fault.ChangedMatched {
		return "The query was right before it, alone on the database and without a transaction: the condition holds for " +
			"the same rows in both."
	} else if d != nil {
		return "The query was right before it, alone on the database and without a transaction: both must find the same rows."
	}
	const same = "Nothing else runs, and the statements are the same: "
	switch f.Plain.WrongPlan() {
	case TheRun:
		return same + f.Plain.Orders[1].On + " gives the answer that they have " + f.Otherwise() + "."
	case TheOther:
		return same + f.Plain.Orders[1].On + " gives the answer that they have as they are."
	}
	return same + "one of the two answers is wrong."
}

// Searched is the first difference of a finding, where that is between a write and a query right before it for the rows
// that it writes, or that keep it from writing; nil of other findings.
func (f *Dossier) Searched() *finding.Difference {
	if f.Record.Class != finding.ClassPlan || len(f.Record.Differences) == 0 {
		return nil
	}
	if d := &f.Record.Differences[0]; d.BySearch() {
		return d
	}
	return nil
}

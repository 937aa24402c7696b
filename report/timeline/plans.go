package timeline

import (
	"fmt"
	"slices"
	"strings"

	"txweave/dbms"
	"txweave/fault"
	"txweave/finding"
	"txweave/testcase"
)

// PlanSetting is the plan setting that the case names; "" if it names none.
func (f *Dossier) PlanSetting() string { return f.Case.Option(testcase.OptionPlan) }

// Store is the shape of the store that the case lies in; nil: the usual one.
func (f *Dossier) Store() *dbms.StoreShape {
	name := f.Case.Option(testcase.OptionStore)
	p, err := dbms.Lookup(f.Record.Environment.DBMS, f.Record.Environment.Isolation)
	if name == "" || err != nil || f.Case.Target != p.DBMS { // it says nothing of another DBMS
		return nil
	}
	return p.Store(name)
}

// Telling lists the settings that somebody who repeats the finding has to make, with those with which a server of the case's store is started.
func (f *Dossier) Telling() [][2]string {
	out := f.Record.Environment.Telling(f.Record.Class)
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

// otherPlan is how texts call that setting: by the one variable that it sets, where the case was reduced to that.
func (f *Dossier) otherPlan() string {
	if _, variable, one := strings.Cut(f.PlanSetting(), "/"); one {
		return variable
	}
	return f.PlanSetting()
}

// planned says in words what differs between two plans.
var planned = map[fault.Kind]string{fault.Rows: "rows", fault.AffectedRows: "affected rows"}

// planClaim is Claim of what differs without transactions.
func (f *Dossier) planClaim(t *Timeline, d *finding.Difference) string {
	switch d.What {
	case fault.Final:
		return "Under another plan (" + f.otherPlan() + ") the same statements leave other rows in table " + d.Table
	case fault.MatchedAffected:
		if d.Kind == "INSERT" {
			return "INSERT adds another number of rows than its query finds"
		}
		return d.Kind + " affects another number of rows than a query with its WHERE clause finds"
	case fault.ChangedMet:
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
	return fmt.Sprintf("%s gives other %s under another plan (%s)", subject(t, d), planned[d.What], f.otherPlan())
}

// whyPlan is Why of what differs without transactions.
func (f *Dossier) whyPlan() string {
	if d := f.Searched(); d != nil && d.What == fault.RefusedHeld {
		return "The query was right before it, alone on the database and without a transaction. A unique key keeps a row out where another one has it, and only there."
	} else if d != nil && d.What == fault.ChangedMet {
		return "The query was right before it, alone on the database and without a transaction: the condition holds for the same rows in both."
	} else if d != nil {
		return "The query was right before it, alone on the database and without a transaction: both must find the same rows."
	}
	return "Planned otherwise (" + f.otherPlan() + "), the same statements in the same order give another answer. One of the two answers is wrong."
}

// Searched is the first difference of a finding, where that is between a write and a query right before it for the rows that it writes, or that
// keep it from writing; nil of other findings.
func (f *Dossier) Searched() *finding.Difference {
	if f.Record.Class != finding.ClassPlan || len(f.Record.Differences) == 0 {
		return nil
	}
	if d := &f.Record.Differences[0]; d.BySearch() {
		return d
	}
	return nil
}

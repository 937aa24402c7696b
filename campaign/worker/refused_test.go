package worker

import (
	"errors"
	"slices"
	"testing"

	"txweave/campaign"
	"txweave/finding"
	"txweave/sqltext"
	"txweave/testcase"
)

// TestRefusedRow: a case of which a new database takes the tables and not a row is a finding; the next case is checked as ever.
func TestRefusedRow(t *testing.T) {
	w, _, _ := onSQLite(t)
	job := campaign.Job{Case: 0}
	c, _, _, err := w.load(job)
	if err != nil || len(c.Rows) == 0 {
		t.Fatal(err, len(c.Rows))
	}
	first, _ := sqltext.SplitValues(c.Rows[0].SQL)
	refusing := "CREATE TRIGGER refusing AFTER INSERT ON " + first.Table + " BEGIN SELECT RAISE(ABORT, 'no'); END"
	for name, x := range map[string]struct {
		trigger, row string
		want         int
	}{
		"a row for the second time":                   {"", c.Rows[0].SQL, 1},
		"a row for the second time, beside a trigger": {refusing, c.Rows[0].SQL, 1},
		"a row that a trigger refuses":                {refusing, "DELETE FROM " + first.Table + " WHERE 0", 0},
		"what is no row of the case's":                {"", "INSERT INTO nowhere VALUES (1)", 0},
		"what the database does not understand":       {"", "INSERT INTO t0 VALUES (", 0},
	} {
		bad := *c
		if x.trigger != "" {
			bad.Schema = append(slices.Clone(c.Schema), testcase.Stmt{SQL: x.trigger})
		}
		bad.Rows = append(bad.Rows[:len(c.Rows):len(c.Rows)], c.Rows[0])
		bad.Rows[len(c.Rows)].SQL = x.row
		row := w.refusedRow(t.Context(), &bad)
		res, err := w.refused(t.Context(), &campaign.CaseResult{}, &bad, errors.New("it does not take it"))
		if err != nil || res.Skipped != skippedRefused || len(res.Findings) != x.want || (row != nil) != (x.want > 0) {
			t.Errorf("%s: %+v, %v", name, res, err)
		}
		if x.want > 0 && (res.Findings[0].Class != finding.ClassUnexpected || res.Outcome() != finding.Found) {
			t.Errorf("%s: %+v", name, res.Findings[0].Finding)
		}
	}
	if res, err := w.Check(t.Context(), job); err != nil || !res.Checked || len(res.Findings) > 0 {
		t.Fatalf("the case after it: %+v, %v", res, err)
	}
}

package worker

import (
	"errors"
	"slices"
	"testing"

	"txweave/campaign"
	"txweave/dbms"
	"txweave/exec"
	"txweave/finding"
	"txweave/history"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// TestRefusedRow: a case of which a new database takes the tables and not a row is a finding; the next case is checked
// as ever.
func TestRefusedRow(t *testing.T) {
	w, _, _ := onSQLite(t)
	job := campaign.Job{Case: 0}
	c, _, _, err := w.load(job)
	if err != nil || len(c.Rows) == 0 {
		t.Fatal(err, len(c.Rows))
	}
	first := sqltext.Read(c.Rows[0].SQL).Target
	refusing := "CREATE TRIGGER refusing AFTER INSERT ON " + first + " BEGIN SELECT RAISE(ABORT, 'no'); END"
	for name, x := range map[string]struct {
		trigger, row string
		want         int
	}{
		"a row for the second time":                   {"", c.Rows[0].SQL, 1},
		"a row for the second time, beside a trigger": {refusing, c.Rows[0].SQL, 1},
		"a row that a trigger refuses":                {refusing, "DELETE FROM " + first + " WHERE 0", 0},
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

// TestUnfit: a row, or a table, that does not fit the pages of the case's store is no finding, and no trouble. In the
// usual store the same answer is unconfirmed, and so is another one in that store.
func TestUnfit(t *testing.T) {
	w, _, _ := onSQLite(t)
	c, _, _, err := w.load(campaign.Job{Case: 0})
	if err != nil || len(c.Rows) == 0 {
		t.Fatal(err, len(c.Rows))
	}
	c.Rows = append(c.Rows, c.Rows[0]) // a new database refuses it, too
	p := *w.profile
	w.profile = &p
	tooWide := &exec.AnswerError{Text: c.Rows[0].SQL, Err: &history.DBError{Code: 1118,
		Message: "Row size too large (> 1979)"}}
	p.Variants.Stores = []dbms.StoreShape{{Name: "pages", Unfit: []int{1118}}}
	for _, x := range []struct {
		store string
		why   error
		want  int
	}{{"pages", tooWide, 0}, {"", tooWide, 1}, {"pages", &exec.AnswerError{Text: c.Rows[0].SQL,
		Err: &history.DBError{Code: 1062}}, 1}} {
		c.SetOption(testcase.OptionStore, x.store)
		w.trouble = 3
		res, err := w.refused(t.Context(), &campaign.CaseResult{}, c, x.why)
		if err != nil || res.Skipped != skippedRefused || len(res.Findings) != x.want || w.trouble != 0 {
			t.Errorf("store %q, %v: %+v, %v, trouble %d", x.store, x.why, res, err, w.trouble)
		}
	}
}

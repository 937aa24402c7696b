package guide

import (
	"errors"
	"slices"
	"testing"

	"txweave/dbms"
	"txweave/finding"
	"txweave/history"
	"txweave/instrument"
	"txweave/testcase"
	"txweave/weave"
)

// TestPlans: a plan is told by what is done, not to which table; each comes once, but where it is asked for, of one case in a few, and not once
// the database refuses to say.
func TestPlans(t *testing.T) {
	c, err := testcase.Parse("case.txw", []byte(`txweave case 1
target: mariadb
isolation: repeatable-read

-- schema --
CREATE TABLE t0 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT);

-- T0 --
BEGIN;
SELECT r0.pkey FROM t0 AS r0;
DELETE FROM t0;
COMMIT;
`))
	if err != nil {
		t.Fatal(err)
	}
	p, err := dbms.Lookup("mariadb", "repeatable-read")
	if err != nil {
		t.Fatal(err)
	}
	plan, err := instrument.Instrument(c, p)
	if err != nil {
		t.Fatal(err)
	}
	rep := &weave.Report{Plan: plan, Checked: true, Outcome: finding.Clean}
	var asked []string
	ask := func(table, rows string) func(string) (*history.Rows, error) {
		return func(sql string) (*history.Rows, error) {
			asked = append(asked, sql)
			out := &history.Rows{Columns: []string{"id", "select_type", "table", "type", "key", "rows", "Extra"}}
			for _, cell := range []string{"1", "SIMPLE", table, "ref", table + "_i0", rows, "Using where"} {
				out.Cells = append(out.Cells, history.TextValue(cell))
			}
			return out, nil
		}
	}
	s := NewShapes("mariadb")
	if got, want := s.Plans(rep, p.Explain, nil, ask("t0", "7")), []string{"step SIMPLE ref x Using where"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if want := []string{"EXPLAIN FORMAT=TRADITIONAL SELECT r0.pkey FROM t0 AS r0"}; !slices.Equal(asked, want) {
		t.Errorf("asked %q, want %q", asked, want)
	}
	if got := s.Plans(rep, p.Explain, nil, ask("t1", "90")); got != nil {
		t.Errorf("the same plan of another table is new: %q", got)
	}
	if got := s.Plans(rep, p.Explain, []string{"step SIMPLE ref x Using where"}, ask("t1", "90")); len(got) != 1 {
		t.Errorf("a plan that is to be kept is not told of: %q", got)
	}
	if Explained(1) || !Explained(2*explainedShare) {
		t.Error("each case is asked for its plans, or none is")
	}
	if got := s.Plans(rep, p.Explain, nil, func(string) (*history.Rows, error) { return nil, errors.New("no") }); got != nil {
		t.Errorf("the database refuses, and shows %q", got)
	}
}

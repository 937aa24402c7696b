package timeline_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"txweave/dbms"
	_ "txweave/dbms/registry"
	"txweave/fault"
	"txweave/finding"
	"txweave/report/timeline"
	"txweave/testcase"
)

// TestPlanTitles: the title of a difference by plan says how the other answer is had, whichever setting it was.
func TestPlanTitles(t *testing.T) {
	datadriven.RunTest(t, "testdata/plans/titles", func(t *testing.T, d *datadriven.TestData) string {
		p, err := dbms.Lookup(d.Cmd, "")
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, s := range p.Alternatives() {
			c := &testcase.Case{}
			c.SetOption(testcase.OptionPlan, s.Name)
			f := &timeline.Dossier{Case: c, Record: finding.Record{
				Finding: finding.Finding{Class: finding.ClassPlan, Differences: []finding.Difference{
					{Stmt: "T0.S0", Kind: "SELECT", What: fault.Rows}}},
				Environment: finding.Environment{DBMS: p.DBMS, Isolation: p.Isolation}}}
			fmt.Fprintf(&b, "%s: %s\n", s.Name, f.Claim(&timeline.Timeline{}))
		}
		return b.String()
	})
}

package report

import (
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/report/timeline"
	"txweave/testcase"
)

// TestPlannedOtherwise: whoever reads of another plan can ask for it, whichever it is, and is told what the statement
// answers then.
func TestPlannedOtherwise(t *testing.T) {
	f := load(t, "planned")
	p, err := dbms.Lookup("mysql", "read-committed")
	if err != nil {
		t.Fatal(err)
	}
	settings := p.Alternatives()
	if len(settings) < 4 {
		t.Fatalf("%d settings", len(settings))
	}
	for _, s := range settings {
		text := planned(t, f, s.Name)
		for _, sql := range s.Set {
			if !strings.Contains(text, sql) {
				t.Errorf("%s: no %s in\n%s", s.Name, sql, text)
			}
		}
		for want, is := range map[string]bool{"each prepared over the client's protocol": s.Prepared && s.AsText == nil &&
			s.Parameters == nil,
			"prepared over the client's protocol, and executed": s.Parameters != nil,
			"PREPARE s FROM 'SELECT (SELECT":                    s.AsText != nil,
			"the statements that this query prints":             s.Each != "", "WITH t0 AS (SELECT": s.Copies != nil,
			"(NULL), (NULL)": true} {
			if strings.Contains(text, want) != is {
				t.Errorf("%s: %q is there: %v, in\n%s", s.Name, want, !is, text)
			}
		}
	}
	f.Case.Txns[0].Stmts[0].SQL += " WHERE r1.pkey < 7"
	if text := planned(t, f, "parameters"); !strings.Contains(text, "executed with its values, twice") ||
		!strings.Contains(text, "-- values: 1, 1, 7  -- ") {
		t.Error(text)
	}
	f.Record.Differences[0].Stmt = "" // contents at the end, of several statements
	if text := planned(t, f, "copies"); !strings.Contains(text, "the same statements after this.") {
		t.Error(text)
	}
}

// planned is the report of a finding whose case names a setting.
func planned(t *testing.T, f *timeline.Dossier, setting string) string {
	t.Helper()
	f.Case = f.Case.Clone()
	for i := range f.Case.Options {
		if f.Case.Options[i].Key == testcase.OptionPlan {
			f.Case.Options[i].Value = setting
		}
	}
	text, err := Write("mysql", f)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

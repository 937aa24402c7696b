package replay

import (
	"testing"

	"txweave/finding"
	"txweave/report/timeline"
	"txweave/testcase"
)

// TestKnown: a reduced finding is told to be a known bug, one that is not reduced to be one perhaps, and one of another
// database is not.
func TestKnown(t *testing.T) {
	const text = "txweave case 1\ntarget: mariadb\nisolation: repeatable-read\n\n-- schema --\nCREATE TABLE t0 (pvkey BIGINT " +
		"NOT NULL, vkey BIGINT NOT NULL, pkey BIGINT NOT NULL, PRIMARY KEY (pkey));\n\n-- T0 --\nSTART TRANSACTION WITH " +
		"CONSISTENT SNAPSHOT;\nSELECT 1 FROM t0 AS r0 WHERE r0.pkey IN (SELECT RANK() OVER (ORDER BY r1.pkey) FROM t0 AS " +
		"r1) OR FALSE;\nCOMMIT;\n\n-- T1 --\nBEGIN;\nDELETE FROM t0;\nCOMMIT;\n\n-- schedule --\nT0 T1 T1 T1 T0 T0\n"
	c, err := testcase.Parse("case", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		dbms, stop, want string
	}{
		{"mariadb", finding.Fixpoint, "mariadb-window-in-subquery-of-snapshot"},
		{"mariadb", "", "perhaps mariadb-window-in-subquery-of-snapshot"},
		{"mysql", finding.Fixpoint, ""},
	} {
		find := &timeline.Dossier{Case: c, Reduction: &timeline.Reduction{Stop: x.stop}, Record: finding.Record{
			Finding: finding.Finding{Class: finding.ClassReplay, Signature: "replay-difference/SELECT:rows",
				Differences: []finding.Difference{{Stmt: "T0.S0", Kind: "SELECT", What: "rows"}}},
			Environment: finding.Environment{DBMS: x.dbms, Version: "10.11.19", Isolation: "repeatable-read"}}}
		got := ""
		of, sure, err := Known(find)
		if err != nil {
			t.Fatal(err)
		}
		if len(of) > 0 {
			got = of[0].Name
		}
		if len(of) > 0 && !sure {
			got = "perhaps " + got
		}
		if got != x.want {
			t.Errorf("%s, %q: known as %q, want %q", x.dbms, x.stop, got, x.want)
		}
	}
}

package export

import (
	"testing"

	"txweave/finding"
	"txweave/report/timeline"
	"txweave/testcase"
)

// TestUnshown: a test whose two halves print the same does not show a finding that they differ; one that differs in an
// answer or in a table does, and so does one of a finding that no other execution is held against.
func TestUnshown(t *testing.T) {
	const same = `SET default_storage_engine = InnoDB;
#
# In a transaction
#
connect  con0,localhost,root,,;
BEGIN;
affected rows: 0
# T0.S0 (waits)
UPDATE t SET a = 1;
# T0.S0 (resumed)
affected rows: 0
COMMIT;
affected rows: 0
connection default;
# t at the end
SELECT * FROM t;
a
0
affected rows: 1
#
# the same statements in an equivalent order, without transactions
#
# T0.S0
UPDATE t SET a = 1;
affected rows: 0
# t at the end
SELECT * FROM t;
a
`
	for _, x := range []struct {
		name, class, printed string
		want                 bool
	}{
		{"same", finding.ClassReplay, same + "0\naffected rows: 1\n", true},
		{"another row", finding.ClassReplay, same + "1\naffected rows: 1\n", false},
		{"by plan", finding.ClassPlan, same + "0\naffected rows: 1\n", true},
		{"no other half", finding.ClassReplay, same[:200], false},
		{"nothing beside it", finding.ClassInconsistent, same + "0\naffected rows: 1\n", false},
	} {
		f := &timeline.Dossier{Case: &testcase.Case{}, Record: finding.Record{Finding: finding.Finding{Class: x.class}}}
		if got := Unshown(f, x.printed); got != x.want {
			t.Errorf("%s: %v", x.name, got)
		}
	}
}

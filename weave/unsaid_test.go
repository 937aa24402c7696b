package weave_test

import (
	"slices"
	"strings"
	"testing"

	"txweave/exec"
	faults "txweave/exec/planted"
	"txweave/finding"
	"txweave/internal/testkit/servers"
	"txweave/oracle/observe"
	"txweave/testcase"
	"txweave/weave"
)

// unsaidCase has a deadlock whose victim is the DELETE of T0, which a foreign key would carry to rows that T1 has
// locked. The probes lock nothing at this level.
const unsaidCase = `txweave case 1
target: mariadb
isolation: read-committed

-- schema --
CREATE TABLE t (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, f BIGINT, FOREIGN KEY (f) REFERENCES t (pkey) ON DELETE CASCADE) ENGINE=InnoDB;

-- rows --
INSERT INTO t (pkey, vkey, pvkey, f) VALUES (1, 1, 0, 1);
INSERT INTO t (pkey, vkey, pvkey, f) VALUES (2, 2, 0, 1);
INSERT INTO t (pkey, vkey, pvkey, f) VALUES (3, 3, 0, NULL);
INSERT INTO t (pkey, vkey, pvkey, f) VALUES (4, 4, 0, NULL), (5, 5, 0, NULL), (6, 6, 0, NULL), (7, 7, 0, NULL), (8, 8, 0, NULL);

-- T0 --
BEGIN;
INSERT INTO t (pkey, vkey, pvkey, f) VALUES (9, 1001, 0, NULL);
DELETE FROM t WHERE pkey = 1;
INSERT INTO t (pkey, vkey, pvkey, f) VALUES (10, 1002, 0, NULL);
ROLLBACK;

-- T1 --
BEGIN;
UPDATE t SET pvkey = vkey, vkey = 1003 WHERE pkey BETWEEN 2 AND 8;
UPDATE t SET pvkey = vkey, vkey = 1004 WHERE pkey = 1;
COMMIT;

-- T2 --
BEGIN;
SELECT pkey, vkey FROM t;
COMMIT;

-- schedule --
T0 T0 T1 T1 T0 T1 T0 T0 T1 T2 T2 T2
`

// TestVictimUnsaid: where a DELETE is the victim of a deadlock and the database says that it found no row, its answer
// says that no transaction is open. Where that is not told what its transaction goes on to write shows though that is
// rolled back, and what it had written does not though it commits. Which rows such a DELETE wrote, foreign keys and
// all, would not be known had it deleted any.
func TestVictimUnsaid(t *testing.T) {
	p := lookup(t, "mariadb/read-committed")
	db := target(t, "mariadb")
	at := slices.IndexFunc(faults.Semantic(), func(f *faults.Fault) bool { return f.Name == "victim-unsaid" })
	for _, x := range []struct{ ends, want string }{{"ROLLBACK", "T0 was rolled back"},
		{"COMMIT", "before T0.S0 inserted version 1001 of row 9 of t"}} {
		c, err := testcase.Parse("unsaid", []byte(strings.Replace(unsaidCase, "ROLLBACK", x.ends, 1)))
		if err != nil {
			t.Fatal(err)
		}
		check := func(db exec.Target, told bool) *weave.Report {
			r := &editor{Runner: servers.Runner(t, db, p), when: always, run: func(run *observe.Run) {
				for _, e := range run.Trace.Events {
					e.Gone = e.Gone && told
				}
			}}
			rep, err := weave.Check(r, c, p, weave.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return rep
		}
		if rep := check(db, true); len(rep.Findings)+len(rep.Unconfirmed) > 0 {
			t.Errorf("%s: as the database is: %+v", x.ends, rep.Findings[0].Finding)
		}
		broken := faults.PlantAlways(db, faults.Semantic()[at])
		if rep := check(broken, true); len(rep.Findings) != 1 || rep.Findings[0].Finding.Signature !=
			"inconsistent-read-write/DELETE:transaction-gone" {
			t.Errorf("%s: the database says that the transaction is gone, and %d findings", x.ends, len(rep.Findings))
		}
		rep := check(broken, false)
		if len(rep.Findings) == 0 || !slices.ContainsFunc(rep.Findings, func(ev *weave.Evidence) bool {
			return slices.ContainsFunc(ev.Finding.Differences, func(d finding.Difference) bool {
				return strings.Contains(d.Detail(), x.want)
			})
		}) {
			t.Errorf("%s: want a finding with %q", x.ends, x.want)
		}
	}
}

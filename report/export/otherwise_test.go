package export_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/dbms/postgresql"
	"txweave/exec"
	"txweave/finding"
	"txweave/history"
	"txweave/internal/testkit/effort"
	"txweave/internal/testkit/need"
	"txweave/internal/testkit/servers"
	"txweave/report/export"
	"txweave/report/timeline"
	"txweave/testcase"
)

// otherwise is a case of which each statement has values that can stand beside it.
const otherwise = `txweave case 1
target: %s
isolation: %s

-- schema --
CREATE TABLE t0 (c0 INT, pkey BIGINT NOT NULL, PRIMARY KEY (pkey));

-- rows --
INSERT INTO t0 (pkey, c0) VALUES (1, 5);
INSERT INTO t0 (pkey, c0) VALUES (2, 6);

-- T0 --
BEGIN;
SELECT pkey, c0 FROM t0 WHERE c0 > 5 ORDER BY pkey;
UPDATE t0 SET c0 = 9 WHERE c0 = 6;
SELECT pkey, c0 FROM t0 WHERE c0 = 9 ORDER BY pkey;
COMMIT;

-- schedule --
T0 T0 T0 T0 T0
`

// plannedOtherwise is a finding of the case that differs by plan, for each setting that a script can put in words.
func plannedOtherwise(t *testing.T, target exec.Target, p *dbms.Profile, visit func(setting string,
	f *timeline.Dossier)) {
	t.Helper()
	text := strings.NewReplacer("target: %s", "target: "+p.DBMS, "isolation: %s",
		"isolation: "+p.Isolation).Replace(otherwise)
	c, err := testcase.Parse("otherwise.txw", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, s := range p.Alternatives() {
		f := play(t, target, p, c)
		f.Case = c.Clone()
		f.Case.SetOption(testcase.OptionPlan, s.Name)
		f.Record.Class = finding.ClassPlan
		f.Record.Differences = []finding.Difference{{Stmt: "T0.S0", Kind: "SELECT", What: "rows"}}
		f.Replayed = &history.Trace{Events: slices.DeleteFunc(slices.Clone(f.Run.Events), func(e *history.Event) bool {
			return e.Role != history.Target
		})}
		if s.InScript(c.Txns[0].Stmts[0].SQL, c.ReadSchema()) == nil {
			if _, err := export.Write("annotated", f); err == nil || !strings.Contains(err.Error(), "no script can ask for") {
				t.Errorf("%s: it is exported, though no statements say so: %v", s.Name, err)
			}
			continue
		}
		seen++
		visit(s.Name, f)
	}
	if seen < 3 {
		t.Errorf("%s has %d settings that scripts can put in words", p.DBMS, seen)
	}
}

// TestOtherwisePostgreSQL: the isolation tester takes every statement of a spec that has them planned otherwise.
func TestOtherwisePostgreSQL(t *testing.T) {
	effort.Full(t)
	tool := postgresql.Spelling.Tool
	if !tool.Installed() {
		need.Missing(t, "needs PostgreSQL's isolationtester (Debian: apt-get install postgresql)")
	}
	target := postgres.Target(t)
	plannedOtherwise(t, target, servers.Level(t, "postgresql/repeatable-read", ""),
		func(setting string, f *timeline.Dossier) {
			spec, err := os.ReadFile(filepath.Join(save(t, "isolation-spec", f), "case.spec"))
			if err != nil {
				t.Fatal(err)
			}
			if err := target.Control().Must(t.Context(), "DROP TABLE t0"); err != nil { // the run's
				t.Fatal(err)
			}
			printed, err := tool.Run(t.Context(), target.Control(), string(spec))
			if err != nil || strings.Contains(printed, "ERROR") || strings.Count(printed, "   2| 9") < 2 {
				t.Errorf("%s: %v\n%s\n%s", setting, err, spec, printed)
			}
		})
}

// TestOtherwiseMariaDB: so does mysqltest.
func TestOtherwiseMariaDB(t *testing.T) {
	effort.Full(t)
	plannedOtherwise(t, shared.Target(t), servers.Level(t, "mariadb/repeatable-read", ""),
		func(setting string, f *timeline.Dossier) {
			if printed, err := runMysqltest(t, f); err != nil || strings.Contains(printed, "ERROR") || strings.Count(printed,
				"2\t9") < 2 {
				t.Errorf("%s: %v\n%s", setting, err, printed)
			}
		})
}

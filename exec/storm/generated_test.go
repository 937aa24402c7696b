package storm

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"txweave/dbms"
	"txweave/dbms/sqlite"
	"txweave/gen/workload"
	"txweave/history"
	"txweave/sql/analysis"
	"txweave/sql/sqltext"
)

// A statement of a workload with tables of its own may fail for what other tables hold, one that a DELETE is asked
// about before it too; nothing of that is a wrong answer. An UPDATE that leaves out a row for which its condition holds
// is one.
func TestGeneratedErrors(t *testing.T) {
	schema := []string{"CREATE TABLE p (pkey INTEGER PRIMARY KEY, vkey INT, pvkey INT, v INT)",
		"CREATE TABLE c (pkey INTEGER PRIMARY KEY, vkey INT, pvkey INT, v INT, f INT REFERENCES p (pkey))"}
	rows := []string{"INSERT INTO p VALUES (1, 0, 0, 500), (2, 0, 0, 500)", "INSERT INTO c VALUES (1, 0, 0, 500, 1)"}
	parser := analysis.TextsOf(sqltext.SyntaxOf("sqlite"))
	sent := func(sql, before, matching string) *workload.Generated {
		info, err := parser.Analyze(sqltext.SyntaxOf("sqlite").Schema(schema), sql)
		if err != nil {
			t.Fatal(err)
		}
		return &workload.Generated{SQL: sql, Mark: "8000000000000001", Info: info, Reads: []int{0}, Writes: []int{0},
			Before: before, Matching: matching}
	}
	for _, c := range []struct {
		name, wrong string
		fails       bool
		do          func(workload.Tx) error
	}{
		{"referred", "", true, func(tx workload.Tx) error { _, err := tx.Delete(0, 1); return err }},
		{"before", "", true, func(tx workload.Tx) error {
			return tx.Send(sent("DELETE FROM p WHERE pkey = 2",
				"SELECT pkey, vkey FROM p WHERE pkey = abs(-9223372036854775808)", ""))
		}},
		{"complete", "", false, func(tx workload.Tx) error {
			return tx.Send(sent("UPDATE p SET vkey = 8000000000000001, pvkey = vkey WHERE pkey = 2", "",
				"SELECT pkey, vkey FROM p WHERE pkey = 2"))
		}},
		{"passed over", "passed-over-after-wait", false, func(tx workload.Tx) error {
			return tx.Send(sent("UPDATE p SET vkey = 8000000000000001, pvkey = vkey WHERE pkey = 2", "",
				"SELECT pkey, vkey FROM p WHERE pkey <= 2"))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			db, err := sqlite.Open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			p, err := dbms.Lookup("sqlite", "")
			if err != nil {
				t.Fatal(err)
			}
			w := &workload.Workload{Kind: workload.Relational, Made: &workload.Made{Schema: schema, Rows: rows},
				Tables: []workload.TableSpec{{Name: "p", Initial: 500, Present: []int64{1, 2}}, {Name: "c", Initial: 500,
					Present: []int64{1}}},
				Next: func(*rand.Rand, *workload.SessionMemory) workload.Program { return c.do }}
			longer(t, 50*time.Millisecond, func(d time.Duration) bool {
				sink := &kept{t: t}
				res, err := Run(t.Context(), db, p, Options{Workload: w, Sessions: 1, Seed: 1, Duration: d, Sink: func(int) Sink {
					return sink
				}})
				if err != nil {
					t.Fatal(err)
				}
				var wrong []string
				for _, f := range res.Faults {
					if !slices.Contains(wrong, string(f.What)) {
						wrong = append(wrong, string(f.What))
					}
				}
				failed := slices.ContainsFunc(sink.ops, func(op history.Operation) bool { return op.Outcome == history.OpFailed })
				if len(wrong) == 0 && (res.Committed == 0 || c.wrong != "" || c.fails && !failed) {
					return false
				}
				if c.wrong == "" && len(wrong) > 0 || c.wrong != "" && !slices.Equal(wrong, []string{c.wrong}) {
					t.Errorf("wrong answers are %q, want %q: %+v", wrong, c.wrong, res.Faults[:1])
				}
				return true
			})
		})
	}
}

package observe_test

import (
	"fmt"
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/history"
	"txweave/instrument"
	"txweave/oracle/observe"
	"txweave/testcase"
)

// T0 inserts a row with a key that is there, and reads the table.
const alikeCase = `txweave case 1
target: tidb
isolation: optimistic
setting: late-keys

-- schema --
CREATE TABLE t0 (pkey BIGINT NOT NULL, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, k INT, UNIQUE KEY (k));

-- rows --
INSERT INTO t0 (pkey, vkey, pvkey, k) VALUES (1, 1, 0, 10);

-- T0 --
BEGIN;
INSERT INTO t0 (pkey, vkey, pvkey, k) VALUES (2, 101, 0, 10);
SELECT pkey, vkey FROM t0;
COMMIT;

-- schedule --
T0 T0 T0 T0
`

// TestAlike: two rows that are seen together and have one unique key are noted where keys are checked late, and nowhere
// else; NULL is no key.
func TestAlike(t *testing.T) {
	const null = -1
	for _, c := range []struct {
		name         string
		late         bool
		first, other int64
		key          string // as it is defined
		want         string
	}{
		{"one key", true, 10, 10, "UNIQUE KEY (k)", "&{t0 [1 2] 10 true}"},
		{"of rows that others made", true, 10, 11, "UNIQUE KEY (k)", "&{t0 [1 3] 10 false}"},
		{"by which rows lie", true, 10, 10, "PRIMARY KEY (k)", "&{t0 [1 2] 10 false}"},
		{"by which they do not", true, 10, 10, "PRIMARY KEY (k) NONCLUSTERED", "&{t0 [1 2] 10 true}"},
		{"two keys", true, 10, 11, "UNIQUE KEY (k)", "<nil>"},
		{"no keys", true, null, null, "UNIQUE KEY (k)", "<nil>"},
		{"checked at once", false, 10, 10, "UNIQUE KEY (k)", "<nil>"},
	} {
		p, err := dbms.Lookup("tidb", "optimistic")
		if err != nil {
			t.Fatal(err)
		}
		if c.late {
			p = p.Under(p.PlanSetting("late-keys"))
		}
		file, err := testcase.Parse(c.name, []byte(strings.Replace(alikeCase, "UNIQUE KEY (k)", c.key, 1)))
		if err != nil {
			t.Fatal(err)
		}
		plan, err := instrument.Instrument(file, p)
		if err != nil {
			t.Fatal(err)
		}
		whole := func(pkey, vkey, k int64) *history.Rows {
			r := rows([]string{"pkey", "vkey", "pvkey", "k"}, pkey, vkey, 0, k)
			if k == null {
				r.Cells[3] = history.Value{}
			}
			return r
		}
		sets := []*history.Rows{rows([]string{"t", "pkey", "vkey"}, 0, 1, 1), rows([]string{"t", "pkey", "vkey"}, 0, 1,
			1, 0, 2, 101)}
		initial := whole(1, 1, c.first)
		if c.name == "of rows that others made" {
			initial.Cells = append(initial.Cells, whole(3, 3, 10).Cells...)
			for _, set := range sets {
				set.Cells = append(set.Cells, rows([]string{"t", "pkey", "vkey"}, 0, 3, 3).Cells...)
			}
		}
		run := &observe.Run{Trace: &history.Trace{}, Txns: []history.Outcome{history.Aborted}}
		for i, b := range plan.Txns[0].Blocks {
			br := &observe.BlockRun{Block: b, Target: &history.Event{Stmt: i, Role: history.Target,
				Answer: history.Answer{Affected: int64(1 - i), Rows: rows([]string{"pkey", "vkey"}, 1, 1, 2, 101)}}}
			for _, probe := range b.VSR {
				br.VSR = append(br.VSR, &history.Event{Stmt: i, Role: probe.Role, Answer: history.Answer{Rows: sets[i]}})
			}
			if b.AWR != nil {
				br.AWR = &history.Event{Stmt: i, Role: b.AWR.Role, Answer: history.Answer{Rows: whole(2, 101, c.other)}}
			}
			run.Blocks = append(run.Blocks, br)
		}
		o, err := observe.New(plan, map[string]*history.Rows{"t0": initial}, run)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := fmt.Sprint(o.Stmts[1].Alike); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

package plain_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/dbms/sqlite"
	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/instrument"
	"txweave/internal/testkit/servers"
	"txweave/oracle/observe"
	"txweave/testcase"
	"txweave/weave"
	"txweave/weave/plain"
)

// otherwise is a database that loses the last row of each query under another plan.
type otherwise struct{ weave.Runner }

func (o otherwise) ReplayUnder(blocks []*instrument.Block, s *dbms.PlanSetting) (*observe.Replayed, error) {
	rep, err := o.Runner.ReplayUnder(blocks, s)
	if err != nil {
		return nil, err
	}
	for _, e := range rep.Events {
		if n := e.Rows.Len(); n > 0 {
			less := *e.Rows
			less.Cells = less.Cells[:(n-1)*len(less.Columns)]
			e.Rows = &less
		}
	}
	return rep, nil
}

const planned = `txweave case 1
target: sqlite
isolation: serializable
plan: opaque-conditions

-- schema --
CREATE TABLE t0 (pkey BIGINT NOT NULL, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, c0 INT);

-- rows --
INSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (1, 1, 0, 7);

-- T0 --
BEGIN;
UPDATE t0 SET pvkey = vkey, vkey = 2, c0 = 8 WHERE pkey = 1;
COMMIT;

-- T1 --
BEGIN;
SELECT pkey, c0 FROM t0 WHERE c0 = 8;
COMMIT;

-- schedule --
T0 T0 T0 T1 T1 T1
`

// TestPlans: what differs by plan is shown by its statements one after the other, without transactions, beside what
// they answer by the other plan.
func TestPlans(t *testing.T) {
	target, err := sqlite.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	p := servers.Level(t, "sqlite/serializable", "")
	c, err := testcase.Parse("case.txw", []byte(planned))
	if err != nil {
		t.Fatal(err)
	}
	f := &finding.Finding{Class: finding.ClassPlan, Differences: []finding.Difference{
		{Stmt: "T1.S0", Kind: "SELECT", What: fault.Rows}}}
	out, err := plain.Make(otherwise{servers.Runner(t, target, p)}, c, p, f, []string{"T0.S0", "T1.S0"})
	if err != nil || out == nil {
		t.Fatal(out, err)
	}
	for _, want := range []string{"UPDATE t SET a = 8 WHERE id = 1;", "SELECT * FROM t WHERE a = 8;"} {
		if !strings.Contains(out.Case, want) {
			t.Errorf("no %s in\n%s", want, out.Case)
		}
	}
	if n := len(out.Orders); n != 1 || out.Orders[0].Plan != "opaque-conditions" || out.Shown != out.Runs {
		t.Errorf("%d orders, shown %d of %d times", n, out.Shown, out.Runs)
	}
	for _, e := range out.Run {
		if e.Role == history.Begin || e.Role == history.End || e.Txn > 0 {
			t.Errorf("%s of T%d: %s", e.Role, e.Txn, e.Text)
		}
	}
}

// TestElsewhere: another database's answer is taken where it is that of one of the two plans, and only of statements
// that mean the same in every database.
func TestElsewhere(t *testing.T) {
	for _, c := range []struct {
		name, schema, row, query string
		usual, other             []int64
		want                     int // orders
	}{
		{"as the usual plan", "id INT", "1", "SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM t AS r WHERE r.id > t.id)",
			[]int64{1}, nil, 2},
		{"as the other plan", "id INT", "1", "SELECT id FROM t WHERE id IN (SELECT id FROM t)", nil, []int64{1}, 2},
		{"as neither", "id INT", "1", "SELECT id FROM t", nil, []int64{2}, 1},
		{"a text", "id INT, a VARCHAR(9)", "1, 'a'", "SELECT id FROM t WHERE a = 'A'", []int64{1}, nil, 1},
		{"a division", "id INT", "1", "SELECT id FROM t WHERE id / 2 = 0", []int64{1}, nil, 1},
		{"a limit", "id INT", "1", "SELECT id FROM t LIMIT 1", []int64{1}, nil, 1},
		{"OR that joins texts elsewhere", "id INT", "0", "SELECT id FROM t WHERE 1 = (id || 1)", []int64{0}, nil, 1},
		{"comparisons that bind alike", "id INT", "0", "SELECT id FROM t WHERE (2 = 2) < 2", []int64{0}, nil, 2},
		{"comparisons that bind otherwise", "id INT", "0", "SELECT id FROM t WHERE 2 = 2 < 2", []int64{0}, nil, 1},
		{"set operations that bind otherwise", "id INT", "1",
			"SELECT id FROM t UNION SELECT 2 INTERSECT SELECT 2", []int64{1, 2}, []int64{2}, 1},
		{"HAVING of rows", "id INT", "1", "SELECT id FROM t HAVING id > 1", nil, []int64{1}, 1},
		{"the least of several values", "id INT", "1", "SELECT MIN(id, 0) FROM t", []int64{0}, []int64{1}, 1},
	} {
		rows := func(ids []int64) *history.Rows {
			out := &history.Rows{Columns: []string{"id"}}
			for _, id := range ids {
				out.Cells = append(out.Cells, history.IntValue(id))
			}
			return out
		}
		event := func(ids []int64) []*history.Event {
			return []*history.Event{{Session: "T0", Role: history.Target, Text: c.query,
				Answer: history.Answer{Rows: rows(ids), Affected: -1}}}
		}
		form := &finding.Plain{Case: "txweave case 1\ntarget: mariadb\nisolation: repeatable-read\n\n-- schema --\n" +
			"CREATE TABLE t (" + c.schema + ");\n\n-- rows --\nINSERT INTO t VALUES (" + c.row + ");\n\n-- T0 --\nBEGIN;\n" +
			c.query + ";\nCOMMIT;\n\n-- schedule --\nT0 T0 T0\n",
			Run: event(c.usual), Orders: []finding.PlainOrder{{Plan: "no-indexes", Events: event(c.other)}}}
		ask(t, form)
		if len(form.Orders) != c.want {
			text, _ := json.Marshal(form.Orders)
			t.Errorf("%s: %s, want %d", c.name, text, c.want)
		}
	}
}

// ask has a plain form answered by a new database.
func ask(t *testing.T, form *finding.Plain) {
	t.Helper()
	target, err := sqlite.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	if err := plain.Elsewhere(t.Context(), form, target, servers.Level(t, "sqlite/serializable", "")); err != nil {
		t.Error(err)
	}
}

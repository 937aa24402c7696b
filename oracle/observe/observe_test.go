package observe_test

import (
	"bytes"
	"reflect"
	"testing"

	"txweave/dbms"
	_ "txweave/dbms/registry"
	"txweave/history"
	"txweave/instrument"
	"txweave/oracle/observe"
	"txweave/report/timeline"
	"txweave/testcase"
)

const overlayCase = `txweave case 1
target: tidb
isolation: repeatable-read

-- schema --
CREATE TABLE t0 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, c INT);

-- rows --
INSERT INTO t0 (pkey, vkey, c) VALUES (1, 1, 10), (2, 2, 20);

-- T0 --
BEGIN;
UPDATE t0 SET pvkey = vkey, vkey = 1001, c = 11 WHERE pkey = 1;
SELECT pkey, vkey, c FROM t0 WHERE pkey = 1 FOR UPDATE;
COMMIT;

-- schedule --
T0 T0 T0 T0
`

func rows(columns []string, cells ...int64) *history.Rows {
	r := &history.Rows{Columns: columns, Types: make([]string, len(columns))}
	for _, c := range cells {
		r.Cells = append(r.Cells, history.IntValue(c))
	}
	return r
}

// Where nobody can read uncommitted rows, what a transaction wrote itself is laid over the committed versions, for the
// oracles and on the page alike.
func TestOwnWritesAreOverlaid(t *testing.T) {
	p, err := dbms.Lookup("tidb", "repeatable-read")
	if err != nil {
		t.Fatal(err)
	}
	c, err := testcase.Parse("overlay", []byte(overlayCase))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := instrument.Instrument(c, p)
	if err != nil {
		t.Fatal(err)
	}
	run := &observe.Run{Trace: &history.Trace{}, Txns: []history.Outcome{history.Committed}}
	table := []string{"pkey", "vkey", "pvkey", "c"}
	for _, b := range plan.Txns[0].Blocks {
		br := &observe.BlockRun{Block: b, Target: &history.Event{Stmt: b.Stmt, Role: history.Target,
			Answer: history.Answer{Affected: 1}}}
		for _, probe := range b.VSR { // the observer sees what is committed
			e := &history.Event{Stmt: b.Stmt, Role: probe.Role, Answer: history.Answer{Rows: rows([]string{"t", "pkey", "vkey"},
				0, 1, 1, 0, 2, 2)}}
			br.VSR, run.Trace.Events = append(br.VSR, e), append(run.Trace.Events, e)
		}
		if b.AWR != nil {
			br.AWR = &history.Event{Stmt: b.Stmt, Role: history.AWR, Answer: history.Answer{Rows: rows(table, 1, 1001, 1, 11)}}
		} else {
			br.Target.Rows = rows(table[:2], 1, 1001)
		}
		run.Blocks, run.Trace.Events = append(run.Blocks, br), append(run.Trace.Events, br.Target)
	}
	o, err := observe.New(plan, map[string]*history.Rows{"t0": rows(table, 1, 1, 0, 10, 2, 2, 0, 20)}, run)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := o.Stmts[1].Seen("t0"), map[int64]int64{1: 1001, 2: 2}; !reflect.DeepEqual(got, want) {
		t.Errorf("T0.S1 saw %v, want %v", got, want)
	}
	var file bytes.Buffer
	if err := o.Write(&file); err != nil {
		t.Fatal(err)
	}
	d, err := observe.ReadDocument(&file)
	if err != nil {
		t.Fatal(err)
	}
	v := timeline.ReadVersions(d)["T0.S1"]
	if v == nil || len(v.Saw) != 1 || v.Saw[0].Version.String() != "version 1001 of row 1 of t0" ||
		v.Saw[0].Writer != "T0.S0" || v.Still != 1 {
		t.Errorf("the page says %+v", v)
	}
}

// A later format is refused with one line.
func TestLaterFormat(t *testing.T) {
	_, err := observe.ReadDocument(bytes.NewReader([]byte(`{"format": 2}`)))
	if err == nil || err.Error() != "observation: its format is 2, this program reads 1" {
		t.Error(err)
	}
}

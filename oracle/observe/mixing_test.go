package observe_test

import (
	"fmt"
	"testing"

	"txweave/dbms"
	"txweave/history"
	"txweave/instrument"
	"txweave/oracle/observe"
	"txweave/testcase"
)

// T1's snapshot is older than what T0 does to row 1, which T1 then deletes.
const movedCase = `txweave case 1
target: tidb
isolation: repeatable-read

-- schema --
CREATE TABLE t0 (pkey BIGINT NOT NULL, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, k INT NOT NULL PRIMARY KEY%s);

-- rows --
INSERT INTO t0 (pkey, vkey, pvkey, k) VALUES (1, 1, 0, 10);

-- T0 --
BEGIN;
UPDATE t0 SET pvkey = vkey, vkey = 101, k = %d;
COMMIT;

-- T1 --
BEGIN;
DELETE %s FROM t0 WHERE k < 30;
COMMIT;

-- schedule --
T1 T0 T0 T0 T1 T1
`

// TestDeletedBehindSnapshot: what a DELETE has removed a plain read after it may go on to show at the place where the
// snapshot has it, and nowhere else.
func TestDeletedBehindSnapshot(t *testing.T) {
	for _, c := range []struct {
		name  string
		apart string  // how the primary key ends
		read  bool    // a read before the DELETE finds its rows
		k     int64   // where T0 moves the row to; 10: it stays
		after []int64 // pkey and vkey of what the read after the DELETE prints
		want  string  // what T1 wrote, or what is wrong
	}{
		{"moved, and no read tells", "", false, 20, []int64{1, 1}, "unsure"},
		{"stayed, and no read tells", "", false, 10, []int64{1, 1}, "[]"},
		{"gone, and no read tells", "", false, 10, nil, "[row 1 of t0 (version 101, deleted)]"},
		{"moved", "", true, 20, []int64{1, 1}, "[row 1 of t0 (version 101, deleted)]"},
		{"moved in its index alone", " NONCLUSTERED", true, 20, []int64{1, 1}, "[]"},
		{"moved to another partition",
			" NONCLUSTERED) PARTITION BY RANGE (k) (PARTITION p0 VALUES LESS THAN (15), PARTITION p1 VALUES LESS THAN MAXVALUE",
			true, 20,
			[]int64{1, 1}, "unsure"},
		{"gone", "", true, 20, nil, "[row 1 of t0 (version 101, deleted)]"},
		{"stayed where it was", "", true, 10, []int64{1, 1}, "[]"},
		{"not deleted", "", true, 20, []int64{1, 101}, "[]"},
		{"twice, and nobody has moved it", "", true, 10, []int64{1, 101, 1, 1}, "row-twice"},
		{"twice, and it is nobody's own", "", true, 20, []int64{1, 101, 1, 1}, "row-twice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := deleted(t, c.apart, c.read, c.k, c.after, false)
			if c.want == "unsure" && s.Mixed && len(s.Unsure) == 1 {
				return
			}
			if got := fmt.Sprint(s.Writes); s.Bad == nil && got != c.want || s.Bad != nil && string(s.Bad.What) != c.want {
				t.Errorf("it wrote %s, bad answer %v; want %s", got, s.Bad, c.want)
			}
		})
	}
}

// deleted observes a run of movedCase and returns the DELETE; unseen: plain reads of its transaction have never shown
// the row.
func deleted(t *testing.T, apart string, read bool, k int64, after []int64, unseen bool) *observe.ObservedStmt {
	t.Helper()
	p, err := dbms.Lookup("tidb", "repeatable-read")
	if err != nil {
		t.Fatal(err)
	}
	ignore := ""
	if !read {
		ignore = "IGNORE"
	}
	file, err := testcase.Parse("moved", fmt.Appendf(nil, movedCase, apart, k, ignore))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := instrument.Instrument(file, p)
	if err != nil {
		t.Fatal(err)
	}
	table, set := []string{"pkey", "vkey", "pvkey", "k"}, []string{"t", "pkey", "vkey"}
	run := &observe.Run{Trace: &history.Trace{}, Txns: []history.Outcome{history.Committed, history.Committed}}
	for txn := range plan.Txns {
		for _, b := range plan.Txns[txn].Blocks {
			br := &observe.BlockRun{Block: b, Target: &history.Event{Txn: txn, Stmt: b.Stmt, Role: history.Target,
				Answer: history.Answer{Affected: 1}}}
			for _, probe := range b.VSR {
				r := rows(set, 0, 1, 1)
				if txn == 1 && probe.Conn != instrument.Own {
					r = rows(set, 0, 1, 101)
				} else if txn == 1 && unseen {
					r = rows(set)
				}
				br.VSR = append(br.VSR, &history.Event{Txn: txn, Stmt: b.Stmt, Role: probe.Role, Answer: history.Answer{Rows: r}})
			}
			if b.BWR != nil {
				br.BWR = &history.Event{Txn: txn, Stmt: b.Stmt, Role: history.BWR,
					Answer: history.Answer{Rows: rows(table[:2], 1, 101)}}
			}
			br.AWR = &history.Event{Txn: txn, Stmt: b.Stmt, Role: history.AWR,
				Answer: history.Answer{Rows: rows(table, 1, 101, 1, k)}}
			if txn == 1 {
				shown := []int64{}
				for i := 0; i < len(after); i += 2 {
					shown = append(shown, 0, after[i], after[i+1])
				}
				br.AWR.Rows = rows(set, shown...)
			}
			run.Blocks, run.Trace.Events = append(run.Blocks, br), append(run.Trace.Events, br.Target)
		}
	}
	o, err := observe.New(plan, map[string]*history.Rows{"t0": rows(table, 1, 1, 0, 10)}, run)
	if err != nil {
		t.Fatal(err)
	}
	return o.Stmts[len(o.Stmts)-1]
}

// TestDeletedUnseen: a DELETE that no read tells of, of a row that came after its transaction's snapshot: nothing is
// said of it.
func TestDeletedUnseen(t *testing.T) {
	for _, read := range []bool{true, false} {
		s := deleted(t, "", read, 20, nil, true)
		if read && (s.Mixed || len(s.Writes) != 1) || !read && (!s.Mixed || len(s.Unsure) != 1) {
			t.Errorf("read before it: %v: mixed %v, unsure %q, wrote %v", read, s.Mixed, s.Unsure, s.Writes)
		}
	}
}

package observe_test

import (
	"slices"
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/history"
	"txweave/instrument"
	"txweave/oracle/observe"
	"txweave/testcase"
)

// T1 is moving row 2 when T0's statement is looked into.
const movingCase = `txweave case 1
target: mariadb
isolation: repeatable-read

-- schema --
CREATE TABLE t (pkey BIGINT NOT NULL, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, k INT NOT NULL, PRIMARY KEY (k)) PARTITION BY HASH (k) PARTITIONS 3;

-- rows --
INSERT INTO t (pkey, vkey, pvkey, k) VALUES (1, 1, 0, 1), (2, 2, 0, 2);

-- T0 --
BEGIN;
DELETE FROM t WHERE k = 1;
COMMIT;

-- T1 --
BEGIN;
UPDATE t SET pvkey = vkey, vkey = 9, k = 4 WHERE k = 2;
COMMIT;

-- schedule --
T0 T1 T1 T0 T0 T1
`

// TestHalfMoved: a read of uncommitted rows may see a row twice which a statement of another session is moving, in the
// version that it had and in the one that it gets; not when that one has been answered, and not in two other versions.
// In a table that is not partitioned it may only where somebody ran meanwhile.
func TestHalfMoved(t *testing.T) {
	p, err := dbms.Lookup("mariadb", "repeatable-read")
	if err != nil {
		t.Fatal(err)
	}
	plans := map[bool]*instrument.Plan{} // by whether the table is partitioned
	for partitioned, text := range map[bool]string{true: movingCase, false: strings.Replace(movingCase,
		" PARTITION BY HASH (k) PARTITIONS 3", "", 1)} {
		file, err := testcase.Parse("moving", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if plans[partitioned], err = instrument.Instrument(file, p); err != nil {
			t.Fatal(err)
		}
	}
	table, set := []string{"pkey", "vkey", "pvkey", "k"}, []string{"t", "pkey", "vkey"}
	for _, c := range []struct {
		name     string
		answered int64 // when T1's UPDATE is; T0's reads are made at 10
		shown    []int64
		twice    bool
		whole    bool // the table is not partitioned
		waited   bool // somebody ran meanwhile
	}{
		{"its old version and its new one", 20, []int64{2, 2, 2, 9}, false, false, false},
		{"the other way round", 20, []int64{2, 9, 2, 2}, false, false, false},
		{"two others", 20, []int64{2, 2, 2, 5}, true, false, false},
		{"once it has been moved", 5, []int64{2, 2, 2, 9}, true, false, false},
		{"a table that is not partitioned", 20, []int64{2, 2, 2, 9}, true, true, false},
		{"… while it is being moved", 20, []int64{2, 2, 2, 9}, false, true, true},
	} {
		plan := plans[!c.whole]
		b, moving := plan.Txns[0].Blocks[0], plan.Txns[1].Blocks[0]
		at := func(role history.Role, r *history.Rows) *history.Event {
			return &history.Event{Stmt: b.Stmt, Role: role, Start: 10, End: 10, Answer: history.Answer{Rows: r, Affected: 1}}
		}
		latest := func(rest ...int64) *history.Rows {
			var cells []int64
			for pair := range slices.Chunk(append(rest, c.shown...), 2) {
				cells = append(cells, 0, pair[0], pair[1])
			}
			return rows(set, cells...)
		}
		br := &observe.BlockRun{Block: b, Waited: c.waited, Target: at(history.Target, nil),
			BWR: at(history.BWR, rows(table[:2], 1, 1)), AWR: at(history.AWR, latest())}
		for _, probe := range b.VSR {
			r := rows(set, 0, 1, 1, 0, 2, 2)
			if probe.Conn == instrument.Latest {
				r = latest(1, 1)
			}
			br.VSR = append(br.VSR, at(probe.Role, r))
		}
		update := &history.Event{Txn: 1, Stmt: moving.Stmt, Role: history.Target, Start: 1, End: c.answered, Blocked: true,
			Answer: history.Answer{Err: &history.DBError{Code: 1213}}}
		run := &observe.Run{Trace: &history.Trace{Events: []*history.Event{update, br.Target}},
			Blocks: []*observe.BlockRun{br},
			Txns:   []history.Outcome{history.Committed, history.RolledBack}}
		o, err := observe.New(plan, map[string]*history.Rows{"t": rows(table, 1, 1, 0, 1, 2, 2, 0, 2)}, run)
		if err != nil {
			t.Fatal(err)
		}
		s := o.Stmts[0]
		if twice := s.Bad != nil && s.Bad.What == "row-twice"; twice != c.twice || !twice &&
			(s.Bad != nil || len(s.Writes) != 1 || s.Writes[0].PKey != 1) {
			t.Errorf("%s: bad answer %v, it wrote %v", c.name, s.Bad, s.Writes)
		}
	}
}

package observe_test

import (
	"testing"

	"txweave/dbms"
	"txweave/history"
	"txweave/instrument"
	"txweave/oracle/observe"
	"txweave/testcase"
)

// T1's snapshot is older than T0's move of row 1 of t1, which the trigger of T1's UPDATE then writes as it is.
const rewrittenCase = `txweave case 1
target: mysql
isolation: repeatable-read

-- schema --
CREATE TABLE t0 (pkey BIGINT NOT NULL PRIMARY KEY, c INT);
CREATE TABLE t1 (pkey BIGINT NOT NULL, c INT, k INT NOT NULL PRIMARY KEY);
CREATE TRIGGER tr AFTER UPDATE ON t0 FOR EACH ROW UPDATE t1 SET c = 7 WHERE t1.pkey = NEW.pkey;

-- rows --
INSERT INTO t0 (pkey, c) VALUES (1, 1);
INSERT INTO t1 (pkey, c, k) VALUES (1, 7, 10);

-- T0 --
BEGIN;
UPDATE t1 SET k = 20 WHERE k = 10;
COMMIT;

-- T1 --
BEGIN;
UPDATE t0 SET c = 2 WHERE pkey = 1;
SELECT pkey, k FROM t1;
COMMIT;

-- schedule --
T1 T0 T0 T0 T1 T1 T1
`

// TestRewrittenByTrigger: where an UPDATE that changes nothing makes a version of the row all the same, its transaction
// shows a row that others have moved at both places, whether it has written it itself or a trigger has for it.
func TestRewrittenByTrigger(t *testing.T) {
	for _, c := range []struct {
		dbms string
		k    int64 // where T0 moves the row to; 10: the read prints it twice at its old place
		bad  string
	}{
		{"mysql", 20, ""},
		{"mysql", 10, "row-twice"},
		{"mariadb", 20, "row-twice"},
	} {
		p, err := dbms.Lookup(c.dbms, "repeatable-read")
		if err != nil {
			t.Fatal(err)
		}
		file, err := testcase.Parse("rewritten", []byte(rewrittenCase))
		if err != nil {
			t.Fatal(err)
		}
		plan, err := instrument.Instrument(file, p)
		if err != nil {
			t.Fatal(err)
		}
		run := &observe.Run{Trace: &history.Trace{}, Txns: []history.Outcome{history.Committed, history.Committed}}
		first, second := []string{"pkey", "c"}, []string{"pkey", "c", "k"}
		// contents are those of both tables at a moment.
		contents := func(b *instrument.Block, p instrument.Probe, after bool) *history.Event {
			e := &history.Event{Txn: b.Txn, Stmt: b.Stmt, Role: p.Role}
			set, k := int64(1), int64(10)
			if b.Txn == 1 && (b.Stmt == 1 || after) {
				set = 2
			}
			if b.Txn == 1 || after {
				k = c.k
			}
			switch {
			case p.Tables[0] == "t0":
				e.Rows = rows(first, 1, set)
			case b.Txn == 1 && p.Conn == instrument.Own:
				e.Rows = rows(second, 1, 7, 10, 1, 7, k)
			default:
				e.Rows = rows(second, 1, 7, k)
			}
			return e
		}
		for txn := range plan.Txns {
			for _, b := range plan.Txns[txn].Blocks {
				br := &observe.BlockRun{Block: b, Target: &history.Event{Txn: txn, Stmt: b.Stmt, Role: history.Target,
					Answer: history.Answer{Affected: 1}}}
				br.Target.Start = int64(len(run.Blocks))
				for _, probe := range b.VSR {
					br.VSR = append(br.VSR, contents(b, probe, false))
				}
				if b.BWR != nil {
					br.BWR = &history.Event{Txn: txn, Stmt: b.Stmt, Role: history.BWR,
						Answer: history.Answer{Rows: rows([]string{"pkey"}, 1)}}
				}
				if b.AWR != nil {
					br.AWR = contents(b, *b.AWR, true)
				}
				for _, probe := range b.After {
					br.After = append(br.After, contents(b, probe, true))
				}
				if b.Info.Target == "" {
					br.Target.Rows, br.Target.Affected = rows([]string{"pkey", "k"}, 1, 10, 1, 20), -1
				}
				run.Blocks, run.Trace.Events = append(run.Blocks, br), append(run.Trace.Events, br.Target)
			}
		}
		o, err := observe.New(plan, map[string]*history.Rows{"t0": rows(first, 1, 1), "t1": rows(second, 1, 7, 10)}, run)
		if err != nil {
			t.Fatal(err)
		}
		read := o.Stmts[len(o.Stmts)-1]
		if got := read.Bad; got != nil && string(got.What) != c.bad || got == nil && c.bad != "" {
			t.Errorf("%s, moved to %d: bad answer %v, want %q", c.dbms, c.k, got, c.bad)
		} else if got == nil && !read.Waited {
			t.Errorf("%s: which of both is its own is taken for known", c.dbms)
		}
	}
}

package postgresql

import (
	"fmt"
	"testing"

	"txweave/history"
	"txweave/internal/testkit/effort"
	"txweave/internal/testkit/servers"
	"txweave/testcase"
	"txweave/weave"
)

// circle is a deadlock of three whose victim is T0, which began to wait before T2 closed the circle: what it lets go
// on, T1, writes for a while longer, as T2 waits for that. T1's transaction is its one statement.
const circle = `txweave case 1
target: postgresql
isolation: repeatable-read

-- schema --
CREATE TABLE t0 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, c0 INT);

-- rows --
INSERT INTO t0 (pkey, vkey, pvkey, c0) VALUES (1, 1, 0, 1), (2, 2, 0, 2), (3, 3, 0, 3), (4, 4, 0, 4);

-- T0 --
BEGIN;
UPDATE t0 SET pvkey = vkey, vkey = 1001, c0 = 1 WHERE pkey = 2;
UPDATE t0 SET pvkey = vkey, vkey = 1002, c0 = 1 WHERE pkey = 4 AND pg_sleep(%v) IS NOT NULL;
COMMIT;

-- T1 --
UPDATE t0 SET pvkey = vkey, vkey = 1003, c0 = 2 WHERE pkey < 3 OR pkey = 3 AND pg_sleep(%v) IS NOT NULL;

-- T2 --
BEGIN;
UPDATE t0 SET pvkey = vkey, vkey = 1004, c0 = 3 WHERE pkey = 4;
UPDATE t0 SET pvkey = vkey, vkey = 1005, c0 = 3 WHERE pkey = 1 AND pg_sleep(%v) IS NOT NULL;
COMMIT;

-- T3 --
SELECT pkey, vkey, c0 FROM t0 ORDER BY pkey;

-- schedule --
T0 T2 T0 T2 T1 T0 T2 T3 T0 T2
`

// TestCircle: a deadlock whose victim is another one than who closed the circle lets somebody go on while that one
// waits: nothing else is sent until he has ended, which a read would see that was sent meanwhile. Whose turn it is to
// look for deadlocks is the server's matter: each looks once, when it has waited for deadlock_timeout, T1 first. It is
// T0's where T2 closes the circle between T1's look and T0's, so that T0 sleeps for longer than that before it waits,
// in half of the tries: then T2 has the whole of deadlock_timeout for it.
func TestCircle(t *testing.T) {
	p := profile(t, "repeatable-read")
	r := servers.Runner(t, server(t), p)
	const step, steps, looked = 150e-6, 60, 15e-3 // of a second
	seen, tries := 0, 20*steps
	for n := 0; n < effort.Cases(steps) || seen == 0 && n < tries; n++ {
		late, after := 0.0, float64(n%steps)*step
		if n%2 == 0 {
			late, after = looked, 0
		}
		c, err := testcase.Parse(t.Name(), fmt.Appendf(nil, circle, late, float64(n%13)*step, after))
		if err != nil {
			t.Fatal(err)
		}
		rep, err := weave.Check(r, c, p, weave.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range append(rep.Findings, rep.Unconfirmed...) {
			t.Fatalf("at try %d: %s: %v", n+1, e.Class, e.Differences)
		}
		if txns := rep.First.Txns; txns[0].Outcome == history.Aborted && txns[1].Outcome != history.Aborted {
			seen++
		}
	}
	if seen == 0 {
		t.Error("T0 is never the victim")
	}
	t.Logf("T0 was the victim %d times", seen)
}

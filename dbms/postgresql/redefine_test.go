package postgresql

import (
	"os"
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/exec"
	"txweave/history"
	"txweave/instrument"
	"txweave/internal/testkit/servers"
	"txweave/testcase"
)

// planned is the plan of a case.
func planned(t *testing.T, p *dbms.Profile, text string) *instrument.Plan {
	t.Helper()
	c, err := testcase.Parse(t.Name(), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := instrument.Instrument(c, p)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// TestRedefined: what PostgreSQL lets run beside others waits in the server, and what would have the table alone is not
// sent while a transaction is open that has used it, be it for a foreign key.
func TestRedefined(t *testing.T) {
	const path = "../../weave/testdata/redefined_postgresql.txw"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	db := server(t)
	for _, p := range Levels() {
		run := servers.Once(t, db, p, planned(t, p, string(text)))
		events := map[string]*history.Event{}
		for _, e := range run.Trace.Events {
			if e.Err != nil {
				t.Errorf("%s: %s: %v", p.Isolation, e.Text, e.Err)
			}
			if e.Text != "BEGIN" {
				events[history.SessionName(e.Txn)+" "+e.Text] = e // the last time that it was sent
			}
		}
		writer, reader := events["T0 COMMIT"], events["T5 COMMIT"]
		for text, waits := range map[string]bool{"T1 CREATE INDEX x ON t (v)": true,
			"T2 CREATE INDEX CONCURRENTLY y ON u (v)": true,
			"T3 VACUUM FULL u":                        false, "T4 DROP INDEX old": false,
			"T6 ALTER TABLE t ADD COLUMN w INT DEFAULT 7": false} {
			e, end := events[text], writer
			if strings.Contains(text, "DROP") || strings.Contains(text, "ALTER") {
				end = reader
			}
			switch {
			case e == nil:
				t.Fatalf("%s: %s was never sent", p.Isolation, text)
			case e.Blocked != waits:
				t.Errorf("%s: %s: waited %v", p.Isolation, text, e.Blocked)
			case waits && e.Start > writer.Start:
				t.Errorf("%s: %s was held back", p.Isolation, text)
			case !waits && e.Start < end.End:
				t.Errorf("%s: %s was sent while the table was used", p.Isolation, text)
			case e.End < writer.Start:
				t.Errorf("%s: %s did not wait for who had written", p.Isolation, text)
			}
		}
	}
}

// TestRedefinedInVain: a change of a table that somebody uses of whom the run knows nothing is left out after some
// tries, and nobody has to wait behind it.
func TestRedefinedInVain(t *testing.T) {
	db := server(t)
	p := profile(t, "read-committed")
	plan := planned(t, p, `txweave case 1
target: postgresql
isolation: read-committed

-- schema --
CREATE TABLE t (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, v INT);

-- rows --
INSERT INTO t (pkey, vkey, pvkey, v) VALUES (1, 1, 0, 10);

-- T0 session 1 --
VACUUM FULL t;

-- T1 session 1 --
BEGIN;
UPDATE t SET pvkey = vkey, vkey = 100, v = v + 1 WHERE pkey = 1;
COMMIT;

-- schedule --
T0 T1 T1 T1
`)
	r := servers.Runner(t, db, p)
	if _, err := r.Load(plan); err != nil {
		t.Fatal(err)
	}
	stranger := sessions(t, db, "read-committed", 1)[0]
	if err := stranger.Must(t.Context(), "BEGIN", "SELECT * FROM t"); err != nil {
		t.Fatal(err)
	}
	run, err := r.Run(plan, plan.Steps)
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, e := range run.Trace.Events {
		if strings.HasPrefix(e.Text, "VACUUM") {
			tried++
			if e.Err == nil || e.Err.State != "55P03" {
				t.Errorf("try %d was answered %v", tried, e.Err)
			}
		}
	}
	if lost := run.Blocks[0].Lost; !lost || tried < 2 || run.Txns[1] != history.Committed {
		t.Errorf("left out %v after %d tries; T1: %v", lost, tried, run.Txns[1])
	}
	for _, e := range run.Trace.Events {
		if e.Txn == 1 && e.Err != nil {
			t.Errorf("%s: %v", e.Text, e.Err)
		}
	}
	if err := stranger.Must(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
}

// TestRedefinedInTransaction: where an observer reads for a transaction, a change inside it that keeps everybody from
// the table would keep the observer from it, too, which looks like a hang. It is refused there, and no other change is.
func TestRedefinedInTransaction(t *testing.T) {
	const text = `txweave case 1
target: postgresql
isolation: serializable

-- schema --
CREATE TABLE t (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, v INT);

-- rows --
INSERT INTO t (pkey, vkey, pvkey, v) VALUES (1, 1, 0, 10);

-- T0 --
BEGIN;
CHANGE;
UPDATE t SET pvkey = vkey, vkey = 100, v = v + 1 WHERE pkey = 1;
COMMIT;

-- schedule --
T0 T0 T0 T0
`
	for _, c := range []struct {
		level, change string
		refused       bool
	}{
		{"serializable", "ALTER TABLE t ADD COLUMN w INT", true},
		{"serializable", "CREATE INDEX x ON t (v)", false},
		{"serializable", "CREATE TABLE n (a INT)", false},
		{"repeatable-read", "ALTER TABLE t ADD COLUMN w INT", false},
	} {
		parsed, err := testcase.Parse(t.Name(), []byte(strings.Replace(text, "CHANGE", c.change, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := instrument.Instrument(parsed, profile(t, c.level)); (err != nil) != c.refused {
			t.Errorf("%s: %s: %v", c.level, c.change, err)
		}
	}
}

// TestRedefinedWrongly: a change of a table that fails in a transaction is answered with its own error, whatever is set
// around it.
func TestRedefinedWrongly(t *testing.T) {
	p := profile(t, "repeatable-read")
	run := servers.Once(t, server(t), p, planned(t, p, `txweave case 1
target: postgresql
isolation: repeatable-read

-- schema --
CREATE TABLE t (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT, v INT);

-- rows --
INSERT INTO t (pkey, vkey, pvkey, v) VALUES (1, 1, 0, 10);

-- T0 --
BEGIN;
ALTER TABLE t DROP COLUMN nosuch;
COMMIT;

-- schedule --
T0 T0 T0
`))
	var answers []string
	for _, e := range run.Trace.Events {
		if e.Err != nil {
			answers = append(answers, e.Err.State+" "+e.Text)
		}
	}
	if want := "42703 ALTER TABLE t DROP COLUMN nosuch"; len(answers) != 1 || answers[0] != want {
		t.Errorf("%q, want %q alone", answers, want)
	}
}

// TestPreparedForgotten: what a case has left prepared, whose session is gone, keeps no table of it from the next one.
func TestPreparedForgotten(t *testing.T) {
	db := server(t)
	c := &testcase.Case{Target: "postgresql", Isolation: "read-committed",
		Schema: []testcase.Stmt{{SQL: "CREATE TABLE a (x INT PRIMARY KEY)"}}}
	if err := db.Load(t.Context(), c, []string{"a"}); err != nil {
		t.Fatal(err)
	}
	s, err := db.Open(t.Context(), exec.FirstNode, profile(t, "serializable"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Must(t.Context(), "BEGIN; INSERT INTO a VALUES (1); PREPARE TRANSACTION 'txweave''s'"); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if err := db.Load(t.Context(), c, []string{"a"}); err != nil {
		t.Fatal(err)
	}
	rows, err := db.Control().Read(t.Context(),
		"SELECT COUNT(*) FROM pg_prepared_xacts WHERE database = current_database()")
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := rows.Row(0)[0].Int64(); n != 0 {
		t.Errorf("%d are left", n)
	}
}

// TestPreparedInPlainCase: no snapshot of a transaction is asked for that is to be prepared, in a case with an order,
// too.
func TestPreparedInPlainCase(t *testing.T) {
	const text = `txweave case 1
target: postgresql
isolation: repeatable-read

-- schema --
CREATE TABLE t (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, pvkey BIGINT);

-- rows --
INSERT INTO t VALUES (1, 1, 0);

-- T0 --
BEGIN;
UPDATE t SET pvkey = vkey, vkey = 2;
PREPARE TRANSACTION 'txweave-plain';
COMMIT PREPARED 'txweave-plain';

-- schedule --
T0 T0 T0 T0
`
	c, err := testcase.Parse(t.Name(), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []func(*testcase.Case, *dbms.Profile) (*instrument.Plan, error){instrument.Instrument,
		instrument.Plain} {
		plan, err := of(c, profile(t, "repeatable-read"))
		if err != nil {
			t.Fatal(err)
		}
		run := servers.Once(t, server(t), profile(t, "repeatable-read"), plan)
		for _, e := range run.Trace.Events {
			if e.Err != nil {
				t.Errorf("%s: %v", e.Text, e.Err)
			}
		}
	}
}

package worker

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"txweave/campaign"
	"txweave/campaign/casesource"
	"txweave/dbms"
	"txweave/dbms/sqlite"
	"txweave/exec"
	"txweave/fault"
	"txweave/finding"
	"txweave/internal/version"
	"txweave/oracle/observe"
	"txweave/testcase"
	"txweave/weave"
)

// slowCase is a case of two sessions, one of which writes and then asks what takes years; its first row comes at once.
func slowCase() []byte {
	endless := "SELECT r0.pkey AS e0 FROM t0 AS r0 WHERE r0.pkey < 2 OR r0.vkey = (SELECT COUNT(*) FROM t0 AS r1"
	for i := range 40 {
		endless += fmt.Sprintf(" CROSS JOIN t0 AS x%d", i)
	}
	stmts := func(sqls ...string) (out []testcase.Stmt) {
		for _, sql := range sqls {
			out = append(out, testcase.Stmt{SQL: sql})
		}
		return out
	}
	begin, commit := testcase.Stmt{SQL: "BEGIN"}, testcase.Stmt{SQL: "COMMIT"}
	c := &testcase.Case{
		Tool: version.Tool, Target: "sqlite", Isolation: "serializable",
		Schema: stmts("CREATE TABLE t0 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL)"),
		Rows:   stmts("INSERT INTO t0 (pkey, vkey, pvkey) VALUES (1, 1, 0), (2, 2, 0), (3, 3, 0)"),
		Txns: []testcase.Txn{
			{Begin: begin, Stmts: stmts("UPDATE t0 SET pvkey = vkey, vkey = 1001 WHERE t0.pkey = 1", endless+")"), End: commit},
			{Begin: begin, Stmts: stmts("SELECT t0.pkey AS e0 FROM t0"), End: commit},
		},
		Schedule: []int{0, 1, 0, 1, 0, 1, 0},
	}
	return c.Print()
}

// onSQLite makes a worker on a new database of its own.
func onSQLite(t *testing.T) (*Worker, exec.Target, *dbms.Profile) {
	t.Helper()
	p, err := dbms.Lookup("sqlite", "serializable")
	if err != nil {
		t.Fatal(err)
	}
	src, err := casesource.NewCases(1, p)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w, err := New(t.Context(), db, p, src, weave.Options{Orders: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w, db, p
}

// TestWorkerTimeout has cases time out, on an engine inside the process: they are skipped, and the case after each of
// them is checked.
func TestWorkerTimeout(t *testing.T) {
	w, db, p := onSQLite(t)
	w.Release()
	var err error
	if w.runner, err = exec.NewRunner(t.Context(), db, p, exec.Options{StatementTimeout: 1500 * time.Millisecond}); err !=
		nil {
		t.Fatal(err)
	}
	for n := range 2 {
		res, err := w.Check(t.Context(), campaign.Job{Case: n, Text: slowCase()})
		if err != nil || res.Skipped != "time-out" || res.Refused != "" {
			t.Fatalf("a case that takes too long: %+v, %v", res, err)
		}
		if res, err := w.Check(t.Context(), campaign.Job{Case: n}); err != nil || !res.Checked {
			t.Fatalf("the case after it: %+v, %v", res, err)
		}
	}
}

// TestDamagedDatabase: a database that does not take the tables of a generated case, which a new one takes, is damaged.
// That is a finding, and the campaign goes on.
func TestDamagedDatabase(t *testing.T) {
	w, db, _ := onSQLite(t)
	if err := db.Control().Must(t.Context(), "CREATE VIEW t0 AS SELECT 1"); err != nil {
		t.Fatal(err)
	}
	res, err := w.Check(t.Context(), campaign.Job{Case: 0})
	if err != nil || !res.Checked || len(res.Findings) != 1 || res.Findings[0].Signature != "corruption/1" {
		t.Fatalf("on a damaged database: %+v, %v", res, err)
	}
	if res, err := w.Check(t.Context(), campaign.Job{Case: 1}); err != nil || !res.Checked || len(res.Findings) != 0 {
		t.Fatalf("the case after it: %+v, %v", res, err)
	}
}

// TestLockLeft: a database that keeps the tool's own statements out by a lock, when all transactions have ended, is
// damaged; after a case that did not come to its end that says nothing.
func TestLockLeft(t *testing.T) {
	for _, trouble := range []int{0, 1} {
		w, db, p := onSQLite(t)
		if res, err := w.Check(t.Context(), campaign.Job{Case: 0}); err != nil || len(res.Findings) != 0 {
			t.Fatalf("%+v, %v", res, err)
		}
		holder, err := db.Open(t.Context(), exec.FirstNode, p)
		if err != nil {
			t.Fatal(err)
		}
		if err := holder.Must(t.Context(), "BEGIN IMMEDIATE"); err != nil {
			t.Fatal(err)
		}
		w.trouble = trouble
		res, err := w.Check(t.Context(), campaign.Job{Case: 0})
		switch {
		case err != nil:
			t.Error(err)
		case trouble == 0 && (!res.Checked || len(res.Findings) != 1 || res.Findings[0].Signature != "corruption/5"):
			t.Errorf("after a case that ended: %+v", res)
		case trouble > 0 && (len(res.Findings) != 0 || res.Skipped != "environment"):
			t.Errorf("after one that did not: %+v", res)
		}
		_ = holder.Close()
	}
}

// TestRefusedCase: a generated case that a new database takes no better is noted and passed over; some in a row end the
// campaign.
func TestRefusedCase(t *testing.T) {
	w, db, _ := onSQLite(t)
	for n := range maxTrouble + 1 {
		if err := db.Control().Must(t.Context(), "CREATE VIEW t0 AS SELECT 1"); err != nil {
			t.Fatal(err)
		}
		w.anew = true // as if it had been made for this case
		res, err := w.Check(t.Context(), campaign.Job{Case: 0})
		switch {
		case n < maxTrouble && (err != nil || res.Skipped != skippedRefused || res.Detail == ""):
			t.Fatalf("case %d: %+v, %v", n, res, err)
		case n == maxTrouble && err == nil:
			t.Fatalf("after %d refused cases: %+v", n, res)
		}
		if err := db.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestContradictedRows: what is read of the tables once they are filled is held against a new database too.
func TestContradictedRows(t *testing.T) {
	w, _, _ := onSQLite(t)
	for _, bad := range []error{
		&observe.BadAnswer{What: fault.BadKey, Why: finding.Say("table t0: pkey is 'x'")},
		&weave.UnjudgeableError{Reason: errors.New("two rows have the pkey 1"), Loaded: true},
	} {
		d, why := w.damaged(campaign.Job{Case: 1}, fmt.Errorf("rows: %w", bad))
		if d == nil {
			t.Fatalf("%v is no damage", bad)
		}
		if d, _ := w.damaged(campaign.Job{Case: 1, Text: slowCase()}, bad); d != nil {
			t.Errorf("%v is held against the database, in a case that somebody wrote", bad)
		}
		c, _, _, err := w.load(campaign.Job{Case: 1})
		if err != nil {
			t.Fatal(err)
		}
		res, err := w.onNew(t.Context(), campaign.Job{Case: 1}, c, d, why)
		if err != nil || !res.Checked || len(res.Findings) != 1 || res.Findings[0].Class != finding.ClassCorruption {
			t.Errorf("%v: %+v, %v", bad, res, err)
		}
	}
	if d, _ := w.damaged(campaign.Job{Case: 1}, &weave.UnjudgeableError{Reason: errors.New("a function of time")}); d !=
		nil {
		t.Error("a case that the generator should not have made is held against the database")
	}
}

// TestStoresParked: a worker that comes back to a store has the runner there that it had.
func TestStoresParked(t *testing.T) {
	p, err := dbms.Lookup("sqlite", "serializable")
	if err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	src, err := casesource.NewCases(3, p)
	if err != nil {
		t.Fatal(err)
	}
	w, err := New(t.Context(), db, p, src, weave.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	runners := map[string]*exec.Runner{}
	for n, store := range []string{"", "small-cache", "", "empty-log", "small-cache", ""} {
		c, err := src.Make(n)
		if err != nil {
			t.Fatal(err)
		}
		c.SetOption(testcase.OptionStore, store)
		res, err := w.Check(t.Context(), campaign.Job{Case: n, Text: c.Print(), Mutant: true})
		if err != nil || !res.Checked || len(res.Findings) > 0 {
			t.Fatalf("case %d in %q: %v, %+v", n, store, err, res)
		}
		if before := runners[store]; before != nil && before != w.runner {
			t.Errorf("case %d in %q: another runner", n, store)
		}
		runners[store] = w.runner
	}
	if len(runners) != 3 || len(w.parked) != 2 {
		t.Errorf("%d runners, %d of them parked", len(runners), len(w.parked))
	}
}

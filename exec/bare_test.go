package exec

import (
	"context"
	"slices"
	"testing"
	"time"

	"txweave/testcase"
)

// TestRecordedSetting: a recording ends the setting of a case as the run did, so that the cases behind it are sent
// again without it. The bare loop over PostgreSQL's went on with parallel plans, five times as slow as the run that it
// was to be the limit of.
func TestRecordedSetting(t *testing.T) {
	p := lookup(t, "sqlite/serializable")
	own, err := TestOpen["sqlite"](t.Context()) // what is sent again makes tables that nobody else knows of
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = own.Close() })
	r := newRunner(t, own, p, Options{})
	var recorded []BareStmt
	r.Record(&recorded)
	c := parseCase(t, tables,
		"T0 BEGIN\nT0 SELECT pkey, vkey FROM t\nT0 COMMIT\nT1:1 BEGIN\nT1:1 SELECT pkey, vkey FROM s\nT1:1 COMMIT")
	c.Options = append(c.Options, testcase.Option{Key: testcase.OptionSetting, Value: "reverse-scans"})
	plan := load(t, r, c)
	if _, err := r.Run(plan, plan.Steps); err != nil {
		t.Fatal(err)
	}
	setting := p.PlanSetting("reverse-scans")
	for _, conn := range []string{"T0", "T1"} {
		var sent []string
		for _, rec := range recorded {
			if rec.Conn == conn {
				sent = append(sent, rec.SQL)
			}
		}
		set, unset := slices.Index(sent, setting.Set[0]), slices.Index(sent, setting.Unset[0])
		if set < 0 || unset < set || unset != len(sent)-1 {
			t.Errorf("%s: %q", conn, sent)
		}
	}
	rate, err := r.Bare(t.Context(), recorded)
	if err != nil || rate.Statements != len(recorded) || rate.Different != 0 {
		t.Errorf("of %d statements: %+v, %v", len(recorded), rate, err)
	}
}

// TestBareLeftOpen: a transaction of a recording that meets another error than it did then, and so does not come to its
// end, does not keep the tables from being made anew.
func TestBareLeftOpen(t *testing.T) {
	r := newRunner(t, target(t, "mariadb"), lookup(t, "mariadb/repeatable-read"), Options{})
	load(t, r, parseCase(t, tables, "T0 BEGIN\nT0 SELECT pkey FROM t\nT0 COMMIT"))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	rate, err := r.Bare(ctx, []BareStmt{
		{Conn: controlConn, SQL: "CREATE TABLE t (pkey INT PRIMARY KEY)"},
		{Conn: "T0", SQL: "BEGIN"},
		{Conn: "T0", SQL: "INSERT INTO t VALUES (1)"},
		{Conn: "T0", SQL: "INSERT INTO t VALUES (1)", Err: 1213}, // which ended it
		{Conn: controlConn, SQL: "DROP TABLE t"},
	})
	if err != nil || rate.Different != 1 || rate.Statements != 4 {
		t.Errorf("%+v, %v", rate, err)
	}
}

// TestBareImpatient: a case that was run with another lock wait timeout does not have the ones behind it wait in the
// bare loop, where each of them would for ten seconds.
func TestBareImpatient(t *testing.T) {
	p := lookup(t, "mariadb/repeatable-read")
	setting := p.PlanSetting("impatient")
	r := newRunner(t, target(t, "mariadb"), p, Options{})
	load(t, r, parseCase(t, tables, "T0 BEGIN\nT0 SELECT pkey FROM t\nT0 COMMIT"))
	rate, err := r.Bare(t.Context(), []BareStmt{{Conn: "T0", SQL: setting.Set[0]}, {Conn: "T0", SQL: "BEGIN"},
		{Conn: "T0", SQL: "COMMIT"}, {Conn: "T0", SQL: setting.Unset[0]}})
	if err != nil || rate.Different != 0 || rate.Statements != 2 {
		t.Errorf("%+v, %v", rate, err)
	}
	rows, err := r.lanes[0].session.Read(t.Context(), "SELECT @@innodb_lock_wait_timeout")
	if err != nil || rows.Row(0)[0].String() != "0" {
		t.Errorf("the next case waits %v seconds: %v", rows, err)
	}
}

package exec

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"txweave/dbms"
	"txweave/testcase"
)

// TestPurged: under the setting purged what a transaction has deleted is purged before the next statement; without it
// it lies there until the server comes round to it.
func TestPurged(t *testing.T) {
	r := newRunner(t, mariadb(t), lookup(t, "mariadb/repeatable-read"), Options{})
	const deletes = `T0 BEGIN
		T0 DELETE FROM t WHERE pkey = 1
		T0 COMMIT`
	history := func() string {
		rows, err := r.latest.Read(t.Context(),
			"SELECT COUNT FROM information_schema.innodb_metrics WHERE NAME = 'trx_rseg_history_len'")
		if err != nil {
			t.Fatal(err)
		}
		return rows.Cell(0, 0).String()
	}
	run := func(options ...testcase.Option) string {
		c := parseCase(t, tables, deletes)
		c.Options = options
		plan := load(t, r, c)
		if _, err := r.Run(plan, plan.Steps); err != nil {
			t.Fatal(err)
		}
		return history()
	}
	purged := testcase.Option{Key: testcase.OptionSetting, Value: "purged"}
	for n := 0; run(purged) != "0"; n++ { // a loaded machine may take longer for it
		if n == 20 {
			t.Fatalf("%s transactions are still to be purged", history())
		}
	}
	lay := false
	for n := 0; n < 20 && !lay; n++ { // once a second the server purges by itself
		lay = run() != "0"
	}
	if !lay {
		t.Error("without the setting nothing is to be purged either: what does it do?")
	}
	if r.without[purged.Value] {
		t.Error("the database has refused it")
	}
}

// using returns a session of nobody's that uses the table t in a transaction.
func using(t *testing.T, target Target, p *dbms.Profile) *Session {
	t.Helper()
	s, err := target.Open(t.Context(), FirstNode, p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	for _, sql := range []string{"BEGIN", "SELECT * FROM t"} {
		if _, err := s.Query(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// TestPurgedInVain: a change of a table that is left out, as something else uses the table for good, has ended all the
// same.
func TestPurgedInVain(t *testing.T) {
	target, p := mariadb(t), lookup(t, "mariadb/repeatable-read")
	r := newRunner(t, target, p, Options{})
	c := parseCase(t, tables, "T0 ALTER TABLE t FORCE")
	c.Options = []testcase.Option{{Key: testcase.OptionSetting, Value: "purged"}}
	plan := load(t, r, c)
	using(t, target, p)
	var recorded []BareStmt
	r.Record(&recorded)
	out, err := r.Run(plan, plan.Steps)
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Blocks) != 1 || !out.Blocks[0].Lost {
		t.Fatalf("the ALTER TABLE was not refused: %+v", out.Blocks)
	}
	if !slices.ContainsFunc(recorded, func(b BareStmt) bool { return strings.HasPrefix(b.SQL, "FLUSH TABLES") }) {
		t.Errorf("nothing is purged when it has ended: %v", recorded)
	}
}

// TestPassingUse: a change of a table that something outside the case keeps out for a moment is sent again at once. It
// has waited for no transaction of the case, and so is not written as one that did.
func TestPassingUse(t *testing.T) {
	target, p := mariadb(t), lookup(t, "mariadb/repeatable-read")
	r := newRunner(t, target, p, Options{})
	plan := load(t, r, parseCase(t, tables, "T0 BEGIN\nT0 SELECT pkey FROM s\nT1 TRUNCATE TABLE t\nT0 COMMIT"))
	other := using(t, target, p)
	released := make(chan error, 1)
	time.AfterFunc(60*time.Millisecond, func() {
		_, err := other.Exec(t.Context(), "COMMIT")
		released <- err
	})
	out, err := r.Run(plan, plan.Steps)
	if err := errors.Join(err, <-released); err != nil {
		t.Fatal(err)
	}
	refused := 0
	for _, e := range out.Trace.Events {
		if e.Blocked {
			t.Errorf("%s counts as one that waited", e.Text)
		}
		if e.Err != nil {
			refused++
		}
	}
	for _, b := range out.Blocks {
		if b.Lost || b.Target.Err != nil {
			t.Errorf("%s is lost: %v", b.Block.Name(), b.Target.Err)
		}
	}
	t.Logf("refused %d times", refused)
}

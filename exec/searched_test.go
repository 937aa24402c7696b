package exec

import "testing"

// TestSearched: a before-write read that waited, and keeps all that it scanned locked, is kept beside the one that is
// made after it. It finds the same. Where nothing is locked but rows there is none.
func TestSearched(t *testing.T) {
	for _, c := range []struct {
		level string
		kept  bool
	}{{"repeatable-read", true}, {"serializable", true}, {"read-committed", false}} {
		r := newRunner(t, mariadb(t), lookup(t, "mariadb/"+c.level), Options{})
		plan := load(t, r, parseCase(t, tables, `T0 BEGIN
	T1 BEGIN
	T0 UPDATE t SET pvkey = vkey, vkey = 100, w = 1 WHERE pkey = 1
	T1 DELETE FROM t WHERE pkey < 2
	T0 COMMIT
	T1 COMMIT`))
		run, err := r.Run(plan, plan.Steps)
		if err != nil {
			t.Fatal(err)
		}
		checkRun(t, run)
		for _, b := range run.Blocks {
			kept := b.Searched != nil
			if want := c.kept && b.Block.Txn == 1; kept != want {
				t.Errorf("%s, %s: a read that waited is kept: %v, want %v", c.level, b.Block.Name(), kept, want)
			}
			if kept && (!b.Searched.Blocked || b.BWR == nil || b.BWR.Blocked || b.Searched.Rows.Len() != 1 ||
				b.BWR.Rows.Len() != 1) {
				t.Errorf("%s, %s: %+v, and then %+v", c.level, b.Block.Name(), b.Searched, b.BWR)
			}
		}
	}
}

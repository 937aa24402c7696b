package storm

import (
	"testing"

	"txweave/dbms"
	_ "txweave/dbms/registry"
	"txweave/gen/workload"
	"txweave/history"
)

// TestRangeLock: where an index may hold all that a query of a range asks for, which locks as it reads, InnoDB may have
// locked its entries alone; a query for update locks rows, as does one by key.
func TestRangeLock(t *testing.T) {
	plain := &workload.Workload{Tables: []workload.TableSpec{{Name: "t0"}}}
	made := func(sql string) *workload.Workload {
		return &workload.Workload{
			Made: &workload.Made{Schema: []string{"CREATE TABLE t0 (pkey BIGINT PRIMARY KEY, vkey BIGINT, v BIGINT" + sql +
				")"}}, Tables: plain.Tables}
	}
	for _, c := range []struct {
		name, level string
		opt         Options
		update      bool
		want        history.LockIntent
	}{
		{"with an index for nemeses", "serializable", Options{Workload: plain, Nemeses: []Nemesis{DDL}}, false,
			history.LockEntries},
		{"without one", "serializable", Options{Workload: plain}, false, history.LockShared},
		{"for update", "serializable", Options{Workload: plain, Nemeses: []Nemesis{DDL}}, true, history.LockExclusive},
		{"where reads do not lock", "repeatable-read", Options{Workload: plain, Nemeses: []Nemesis{DDL}}, false,
			history.LockNone},
		{"by an index of the workload's", "serializable", Options{Workload: made(", KEY (v, vkey)")}, false,
			history.LockEntries},
		{"that does not hold versions", "serializable", Options{Workload: made(", KEY (v)")}, false, history.LockShared},
	} {
		p, err := dbms.Lookup("mariadb", c.level)
		if err != nil {
			t.Fatal(err)
		}
		x := &tx{session: &session{storm: &storm{opt: c.opt, profile: p, covered: covers(p.DBMS, &c.opt)}}}
		if got, _ := x.rangeLock(0, c.update); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

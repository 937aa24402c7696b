package storm

import (
	"testing"

	"txweave/dbms"
)

// How the storm's own reads lock rows follows the database, whatever its plain reads do at the level: only SQLite knows
// BEGIN IMMEDIATE, and a level that reads from snapshots still has rows to lock. PostgreSQL's REPEATABLE READ was asked
// for BEGIN IMMEDIATE, and its refusal taken for locks that a session which had ended kept. TiDB's FOR UPDATE was asked
// in autocommit, where it waits for nobody: a COMMIT that was still going on was said to have rolled back.
func TestOwnLocks(t *testing.T) {
	asked := 0
	for _, name := range []string{"sqlite", "mariadb", "mysql", "tidb", "postgresql"} {
		for _, p := range dbms.Levels(name) {
			asked++
			begin, clause := (&session{storm: &storm{profile: p}}).locks()
			want := map[string]string{"sqlite": "BEGIN IMMEDIATE", "tidb": "BEGIN PESSIMISTIC"}[name]
			if begin != want || clause == " FOR UPDATE" == (name == "sqlite") {
				t.Errorf("%s at %s: %q, %q", name, p.Isolation, begin, clause)
			}
		}
	}
	if asked < 14 {
		t.Errorf("%d levels", asked)
	}
}

package storm

import (
	"testing"

	"txweave/dbms"
)

// How the storm's own reads lock rows follows the database, whatever its plain reads do at the level: only SQLite knows BEGIN IMMEDIATE, and
// a level that reads from snapshots still has rows to lock. PostgreSQL's REPEATABLE READ was asked for BEGIN IMMEDIATE, and its refusal
// taken for locks that a session which had ended kept.
func TestOwnLocks(t *testing.T) {
	asked := 0
	for _, name := range []string{"sqlite", "mariadb", "mysql", "tidb", "postgresql"} {
		for _, p := range dbms.Levels(name) {
			asked++
			begin, clause := (&session{storm: &storm{profile: p}}).locks()
			if immediate := name == "sqlite"; begin == "BEGIN IMMEDIATE" != immediate || begin != "" && !immediate || clause == " FOR UPDATE" == immediate {
				t.Errorf("%s at %s: %q, %q", name, p.Isolation, begin, clause)
			}
		}
	}
	if asked < 14 {
		t.Errorf("%d levels", asked)
	}
}

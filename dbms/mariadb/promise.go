// Package mariadb is MariaDB.
package mariadb

import (
	"txweave/dbms"
	"txweave/dbms/innodb"
)

// Levels are MariaDB's levels. "snapshot" is REPEATABLE READ with innodb_snapshot_isolation, which
// 11.8 has ON by default and 10.11 OFF: a write conflict with a row changed after the snapshot is error 1020
// and rolls back the transaction; a row that such a change took out of the index range that a statement scans is not
// met, and is no error. The other levels switch it OFF, so that they mean the same on both.
func Levels() []*dbms.Profile {
	all := innodb.Levels("mariadb")
	for _, p := range all {
		p.Setup = append(p.Setup, "SET SESSION innodb_snapshot_isolation = OFF")
	}
	snapshot := innodb.Level("mariadb", "snapshot", "REPEATABLE READ")
	snapshot.Forbidden, snapshot.LooseSearch = dbms.ForbidSnapshot, true
	snapshot.Setup = append(snapshot.Setup, "SET SESSION innodb_snapshot_isolation = ON")
	return append(all, snapshot)
}

package planted

import "txweave/dbms"

// Without are the productions of package gen that cases leave out while bugs are planted: changes of tables that wait
// in the server for everybody who has an older snapshot, or a lock of the table, would wait for the sessions that the
// bugs keep open; and tables that inherit, whose rows the bugs would write into their parent, and transactions that
// wait until no other could spoil their snapshot. What a bug puts in place of a transaction's end begins no other.
func Without(p *dbms.Profile) []string {
	if !p.TableChanges.SharedChanges {
		return []string{"chain"}
	}
	return []string{"inherited", "read-deferrable", "ddl-index", "ddl-column", "ddl-rebuild", "ddl-rewrite",
		"ddl-truncate", "lock-alone", "prepared"}
}

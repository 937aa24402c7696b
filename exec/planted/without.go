package planted

import "txweave/dbms"

// Without are the productions of package gen that cases leave out while bugs are planted: changes of tables that wait in the server for
// everybody who has an older snapshot, or a lock of the table, would wait for the sessions that the bugs keep open.
func Without(p *dbms.Profile) []string {
	if !p.SharedChanges {
		return nil
	}
	return []string{"ddl-index", "ddl-column", "ddl-rebuild", "ddl-rewrite", "ddl-truncate"}
}

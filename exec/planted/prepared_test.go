package planted

import "database/sql/driver"

// Sessions prepare statements where a plan is asked for: a planted bug must not look like a lost connection there.
var (
	_ driver.ConnPrepareContext = (*faultConn)(nil)
	_ driver.StmtExecContext    = (*faultStmt)(nil)
	_ driver.StmtQueryContext   = (*faultStmt)(nil)
)

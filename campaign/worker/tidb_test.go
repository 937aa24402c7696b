//go:build tidb

package worker

import (
	"testing"

	"txweave/dbms/tidb"
	"txweave/internal/testkit/servers"
)

// TestWireStormTiDB is TestWireStorm on TiDB.
func TestWireStormTiDB(t *testing.T) {
	stormOver(t, "tidb", servers.Socket(t, servers.Start(t, tidb.Server, "")), unixDSN, tidb.Server)
}

//go:build tidb

package worker

import (
	"testing"

	"txweave/dbms/tidb"
	"txweave/internal/testkit/servers"
)

// TestWireStormTiDB is TestWireStorm on TiDB.
func TestWireStormTiDB(t *testing.T) {
	_, socket := servers.Start(t, tidb.Server, "")
	stormOver(t, "tidb", socket, unixDSN, tidb.Server)
}

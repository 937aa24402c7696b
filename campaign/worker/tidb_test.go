//go:build tidb

package worker

import (
	"testing"

	"txweave/dbms/tidb"
)

// TestWireStormTiDB is TestWireStorm on TiDB.
func TestWireStormTiDB(t *testing.T) {
	stormOver(t, "tidb", launched(t, tidb.Server, ""), unixDSN, tidb.Server)
}

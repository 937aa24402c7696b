//go:build tidb

package mysqlwire

import (
	"strings"
	"testing"

	"txweave/internal/testkit/servers"
)

// TestTiDBNeutral: what somebody has set of a TiDB of the user's, or has it send to each session, does not change what
// a case means there.
func TestTiDBNeutral(t *testing.T) {
	started, _ := servers.Start(t, TestTiDB, "")
	db := started.(*target)
	for name, value := range map[string]string{"tidb_low_resolution_tso": "ON", "tidb_enable_external_ts_read": "ON",
		"tidb_lock_unchanged_keys":    "OFF",
		"tidb_enable_noop_functions":  "ON",
		"tidb_enable_clustered_index": "OFF", "tidb_idle_transaction_timeout": "1", "sql_select_limit": "1",
		"autocommit": "0"} {
		if err := db.Connection.Must(t.Context(), "SET GLOBAL "+name+" = "+value); err != nil {
			t.Fatal(err)
		}
	}
	s, err := db.dial(t.Context(), "") // a private server's, which nobody sets
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, sql := range []string{"SET tx_read_only = ON",
		"SET tidb_read_staleness = -5", "SET tidb_dml_type = 'bulk'", "SET tidb_batch_insert = 1",
		"SET tidb_constraint_check_in_place_pessimistic = OFF",
		"SET tidb_isolation_read_engines = 'tikv'", "SET tidb_read_consistency = 'weak'",
		"SET tx_read_ts = '2020-01-01 00:00:00'"} {
		if err := s.Must(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	if err := neutralize(t.Context(), s, db.kind.Neutral); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"tidb_low_resolution_tso": "0", "tidb_enable_external_ts_read": "0",
		"tidb_lock_unchanged_keys":    "1",
		"tidb_enable_clustered_index": "ON", "tidb_idle_transaction_timeout": "0", "tidb_enable_noop_functions": "OFF",
		"tx_read_only":     "0",
		"sql_select_limit": "18446744073709551615", "autocommit": "1", "tidb_read_staleness": "0",
		"tidb_dml_type": "STANDARD", "tidb_batch_insert": "0",
		"tidb_constraint_check_in_place_pessimistic": "1", "tidb_isolation_read_engines": "tikv,tiflash,tidb",
		"tidb_read_consistency": "strict", "tx_read_ts": ""} {
		r, err := s.Read(t.Context(), "SELECT @@"+name)
		if err != nil || strings.Trim(r.Cell(0, 0).String(), "'") != want {
			t.Errorf("%s is %s, want %s: %v", name, r.Cell(0, 0), want, err)
		}
	}
}

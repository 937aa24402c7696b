package export

import (
	"slices"
	"testing"

	"txweave/testcase"
)

// TestDropsHeirs: tables that inherit go before the one from which they do.
func TestDropsHeirs(t *testing.T) {
	c := &testcase.Case{Target: "postgresql"}
	for _, sql := range []string{"CREATE TABLE t0 (pkey BIGINT)", "CREATE TABLE t0_h1 () INHERITS (t0)",
		"CREATE TABLE t1 (pkey BIGINT)", "CREATE VIEW v0 AS SELECT pkey FROM t0"} {
		c.Schema = append(c.Schema, testcase.Stmt{SQL: sql})
	}
	s := &script{of: c, tables: tableNames(c)}
	if got, want := s.drops(), []string{"DROP VIEW IF EXISTS v0", "DROP TABLE IF EXISTS t0_h1", "DROP TABLE IF EXISTS t1",
		"DROP TABLE IF EXISTS t0"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

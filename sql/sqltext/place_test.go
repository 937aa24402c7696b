package sqltext

import (
	"testing"

	postgresql "txweave/dbms/postgresql/dialect"
)

// TestNamesUnlisted: SQLite's number of a row is none of its contents, unless a column bears that name.
func TestNamesUnlisted(t *testing.T) {
	s := ReadSchema(postgresql.New(postgresql.Server{Version: 18}), []string{"CREATE TABLE t (pkey INT, a INT)",
		"CREATE TABLE u (pkey INT, oid INT)"})
	for _, c := range []struct {
		table, where string
		want         bool
	}{
		{"t", "rowid = 3", true}, {"t", "a > 2 AND (t._ROWID_ < 5)", true}, {"t", "_tidb_rowid = 1", true},
		{"t", "OID = 3", true}, {"t", "a = 'rowid'", false}, {"t", "pkey = 3", false},
		{"t", "", false}, {"u", "oid = 3", false}, {"u", "rowid = 3", true},
	} {
		if got := s.Table(c.table).NamesUnlisted(c.where, []string{"rowid", "_rowid_", "oid", "_tidb_rowid"}); got != c.want {
			t.Errorf("%s of %s: %v", c.where, c.table, got)
		}
	}
}

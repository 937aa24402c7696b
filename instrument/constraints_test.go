package instrument

import (
	"testing"

	tree "txweave/sql"
	"txweave/sql/sqltext"
)

// TestConstraints: of EXCLUDE what = says is read, and not what follows the definition of its table.
func TestConstraints(t *testing.T) {
	for sql, refused := range map[string]bool{
		"CREATE TABLE t0 (c0 INT, EXCLUDE USING btree (c0 WITH =))":                                  false,
		"CREATE TABLE t0 (c0 INT, CONSTRAINT x EXCLUDE USING hash (c0 WITH =)) WITH (fillfactor=10)": false,
		"CREATE TABLE t0 (c0 INT, c1 INT4RANGE, EXCLUDE USING gist (c0 WITH =, c1 WITH &&))":         true,
		"CREATE TABLE t0 (c0 INT, EXCLUDE USING btree (c0 WITH =) WHERE (c0 > 0))":                   true,
		"CREATE TABLE t0 (c0 INT UNIQUE DEFERRABLE INITIALLY DEFERRED)":                              true,
		"CREATE TABLE t0 (c0 INT UNIQUE DEFERRABLE) WITH (fillfactor=10)":                            false,
	} {
		stmt, err := sqltext.SyntaxOf("postgresql").Tree.Parse(sql)
		if err != nil {
			t.Fatal(err)
		}
		if err := checkConstraints(stmt.(*tree.CreateTable)); (err != nil) != refused {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

package edits_test

import (
	"slices"
	"testing"

	_ "txweave/dbms/registry"
	"txweave/sql/edits"
	"txweave/sql/sqltext"
)

// TestDefinitions: what can go from a definition by itself: a value of DEFAULT whole, UNIQUE, a column of a key, the
// length of a prefix, how a table is kept; not what its texts compare by, nor the primary key.
func TestDefinitions(t *testing.T) {
	for _, c := range []struct {
		dbms, text string
		want, not  []string
	}{
		{"mariadb", "CREATE TABLE t (c BIGINT DEFAULT -1)", []string{"CREATE TABLE t (c BIGINT)"}, nil},
		{"mariadb", "CREATE TABLE t (c DATE DEFAULT DATE '2018-01-01' NOT NULL)",
			[]string{"CREATE TABLE t (c DATE NOT NULL)"}, nil},
		{"mariadb", "CREATE TABLE t (c DATETIME DEFAULT TIMESTAMP '2018-01-01 00:00:00')",
			[]string{"CREATE TABLE t (c DATETIME)"}, nil},
		{"mariadb", "CREATE TABLE t (c DOUBLE DEFAULT -8.50e0)", []string{"CREATE TABLE t (c DOUBLE)"}, nil},
		{"sqlite", "CREATE TABLE t (c BLOB DEFAULT x'00')", []string{"CREATE TABLE t (c BLOB)"}, nil},
		{"mariadb", "CREATE TABLE t (c TEXT COLLATE utf8mb4_bin) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4",
			[]string{"CREATE TABLE t (c TEXT COLLATE utf8mb4_bin) DEFAULT CHARSET=utf8mb4"},
			[]string{"CREATE TABLE t (c TEXT) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4",
				"CREATE TABLE t (c TEXT COLLATE utf8mb4_bin) ENGINE=InnoDB"}},
		{"mariadb", "CREATE TABLE t (c INT) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 PARTITION BY HASH (c) PARTITIONS 2",
			[]string{"CREATE TABLE t (c INT)", "CREATE TABLE t (c INT) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4"}, nil},
		{"mariadb", "CREATE TABLE t (c TEXT, d INT, UNIQUE KEY k (c(3), d DESC))",
			[]string{"CREATE TABLE t (c TEXT, d INT, INDEX k (c(3), d DESC))",
				"CREATE TABLE t (c TEXT, d INT, UNIQUE k (d DESC))",
				"CREATE TABLE t (c TEXT, d INT, UNIQUE KEY k (c, d DESC))",
				"CREATE TABLE t (c TEXT, d INT, UNIQUE KEY k (c(3), d))"}, nil},
		{"postgresql", "CREATE UNIQUE INDEX i ON t (a, b DESC)", []string{"CREATE INDEX i ON t (a, b DESC)",
			"CREATE UNIQUE INDEX i ON t (a)", "CREATE UNIQUE INDEX i ON t (a, b)"}, nil},
		{"sqlite", "CREATE TABLE t (pkey INTEGER PRIMARY KEY, vkey BIGINT NOT NULL)", nil,
			[]string{"CREATE TABLE t (pkey INTEGER, vkey BIGINT NOT NULL)",
				"CREATE TABLE t (pkey INTEGER PRIMARY KEY, vkey BIGINT)"}},
	} {
		tree := sqltext.SyntaxOf(c.dbms).Tree
		stmt, err := tree.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range edits.OfDefinition(stmt) {
			text, err := tree.Print(e.Apply())
			if err != nil {
				t.Errorf("%s: %v", c.text, err)
			}
			got = append(got, text)
		}
		for _, want := range c.want {
			if !slices.Contains(got, want) {
				t.Errorf("%s: %q, want %q among them", c.text, got, want)
			}
		}
		for _, not := range c.not {
			if slices.Contains(got, not) {
				t.Errorf("%s: %q is among them", c.text, not)
			}
		}
	}
}

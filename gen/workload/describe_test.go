package workload

import (
	"testing"

	"txweave/sql/sqltext"
)

// TestDescribe: what a storm asks of a generated statement's tree.
func TestDescribe(t *testing.T) {
	for text, want := range map[string]*Generated{
		"SELECT a FROM t":                                            {References: 1},
		"SELECT 'from' FROM t":                                       {References: 1},
		"SELECT 1":                                                   {},
		"SELECT a FROM t GROUP BY a WITH ROLLUP":                     {References: 1, Rollup: true},
		"SELECT MIN(a) OVER () AS e0 FROM t AS r0":                   {References: 1, Windows: true},
		"SELECT COUNT(*) FROM t WHERE overt = 'rollup'":              {References: 1},
		"SELECT a FROM t JOIN s ON 1 WHERE EXISTS (SELECT 1 FROM u)": {References: 3},
		"SELECT a FROM t JOIN (SELECT a FROM s) AS d ON 1":           {References: 3},
		"SELECT a FROM t AS x, t AS y":                               {References: 2},
	} {
		stmt, err := sqltext.SyntaxOf("mariadb").Tree.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		var s Generated
		s.describe(stmt)
		if s.References != want.References || s.Rollup != want.Rollup || s.Windows != want.Windows {
			t.Errorf("%s: %d, %v, %v", text, s.References, s.Rollup, s.Windows)
		}
	}
	for text, want := range map[string]bool{
		"INSERT INTO t VALUES (1)": false, "INSERT IGNORE INTO t VALUES (1)": true, "REPLACE INTO t VALUES (1)": true,
		"INSERT INTO t VALUES ('conflict') ON DUPLICATE KEY UPDATE a = 1": false,
	} {
		stmt, err := sqltext.SyntaxOf("mariadb").Tree.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if passesOver(stmt) != want {
			t.Errorf("%s: want %v", text, want)
		}
	}
}

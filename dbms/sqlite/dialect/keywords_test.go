package dialect_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// elsewhere are texts that the reader and SQLite differ in: it waits for more behind the keyword, or for a constraint
// to be put off.
var elsewhere = []string{"CREATE TABLE IF (a)", "DROP TABLE IF", "CREATE INDEX IF ON t (a)",
	"CREATE TABLE n (a DEFERRABLE)", "SELECT sum(1) OVER (PARTITION) FROM t",
	"SELECT sum(1) OVER FILTER FROM t", "SELECT sum(1) OVER INDEXED FROM t", "SELECT 1 FROM t WINDOW FILTER AS ()",
	"SELECT 1 FROM t WINDOW INDEXED AS ()"}

// TestKeywordsAreNamesWhereSQLiteTakesThemForNames: in each place of a name, each word of the grammar is read if SQLite
// reads it.
func TestKeywordsAreNamesWhereSQLiteTakesThemForNames(t *testing.T) {
	db := memory(t)
	if _, err := db.ExecContext(t.Context(), schema); err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{"SELECT 1 AS %", "SELECT 1 %", "SELECT % FROM t", "SELECT t.% FROM t",
		"SELECT %.a FROM t", "SELECT %(1)", "SELECT % + 1", "SELECT 1 FROM %",
		"SELECT 1 FROM t AS %", "SELECT 1 FROM t %", "SELECT 1 FROM t % WHERE 1", "CREATE TABLE n (%)",
		"CREATE TABLE n (a %)", "CREATE TABLE % (a)", "SAVEPOINT %",
		"INSERT INTO t (%) VALUES (1)", "UPDATE t SET % = 1", "WITH % AS (SELECT 1) SELECT 1", "SELECT a COLLATE % FROM t",
		"SELECT CAST(1 AS %)", "PRAGMA %", "PRAGMA n = %", "PRAGMA n(%)",
		"SELECT sum(1) OVER % FROM t", "SELECT sum(1) OVER (%) FROM t", "SELECT 1 FROM t WINDOW % AS ()", "SELECT 1 IN %",
		"DROP TABLE %", "CREATE INDEX % ON t (a)",
		"SELECT 1 FROM t JOIN u USING (%)", "CREATE TABLE n (a CONSTRAINT % UNIQUE)", "ALTER TABLE t RENAME % TO n",
		"ALTER TABLE t RENAME TO %", "ANALYZE %", "VACUUM %"} {
		for _, word := range append(slices.Sorted(maps.Keys(dialect.Keywords)), "PLAIN", "STRICT", "STORED",
			"TRUE", "ROWID") {
			text := strings.Replace(place, "%", word, 1)
			_, err := dialect.Parse(text)
			if takes := sqliteTakes(db, text); takes != (err == nil) && !slices.Contains(elsewhere, text) {
				t.Errorf("%s: SQLite reads it: %v; %v", text, takes, err)
			}
		}
	}
}

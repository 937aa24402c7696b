package dialect_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// takes says whether the server's grammar takes a text for a statement.
func (s *server) takes(t *testing.T, text string) bool {
	t.Helper()
	err := s.Control().Must(t.Context(), "PREPARE p FROM '"+strings.ReplaceAll(text, "'", "''")+"'")
	return err == nil || !malformed.MatchString(err.Error())
}

// elsewhere are texts that the readers and the servers differ in: these wait for more behind a word, or have a meaning
// of an option's that the readers do not know.
var elsewhere = []string{"SELECT 1 SOUNDS", "SELECT UNIQUE + 1", "SELECT 1 FROM t AS WINDOW", "SELECT 1 FROM t WINDOW",
	"SELECT 1 FROM t WINDOW WHERE 1", "WITH SYSTEM AS (SELECT 1) SELECT 1",
	"WITH ROLLUP AS (SELECT 1) SELECT 1", "ALTER TABLE t ADD SYSTEM INT", "SELECT 1 MEMBER"}

// TestKeywordsAreNamesWhereTheServerTakesThemForNames: in each place of a name, each word of the grammar is read if the
// server reads it.
func TestKeywordsAreNamesWhereTheServerTakesThemForNames(t *testing.T) {
	s := asked(t)
	words := append(slices.Sorted(maps.Keys(s.dialect.Keywords)), "PLAIN", "STRICT", "VALUE", "OFFSET", "WINDOW", "ROW",
		"RANK", "SYSTEM", "OF", "MEMBER", "ESCAPE", "NOWAIT", "FULL", "UNKNOWN",
		"LATERAL", "RETURNING", "ROLLUP", "QUICK", "FIRST", "AFTER", "BTREE", "DUPLICATE", "SKIP", "LOCKED", "ANY", "SOME",
		"SHARE", "VIEW", "TEMPORARY", "SQL_CACHE", "JSON_VALUE", "NAMES")
	for _, place := range []string{"SELECT 1 AS %", "SELECT 1 %", "SELECT % FROM t", "SELECT t.% FROM t",
		"SELECT %.a FROM t", "SELECT % + 1", "SELECT 1 FROM %", "SELECT 1 FROM t AS %",
		"SELECT 1 FROM t %", "SELECT 1 FROM t % WHERE 1", "CREATE TABLE n (% INT)", "CREATE TABLE % (a INT)",
		"INSERT INTO t (%) VALUES (1)", "UPDATE t SET % = 1", "WITH % AS (SELECT 1) SELECT 1",
		"DROP TABLE %", "CREATE INDEX % ON t (a)", "SELECT 1 FROM t JOIN t AS u USING (%)", "ALTER TABLE t ADD % INT"} {
		for _, word := range words {
			text := strings.Replace(place, "%", word, 1)
			_, err := s.dialect.Parse(text)
			if takes := s.takes(t, text); takes != (err == nil) && !slices.Contains(elsewhere, text) {
				t.Errorf("%s: the server reads it: %v; %v", text, takes, err)
			}
		}
	}
}

package dialect_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// elsewhere are places, and words that the reader and the server differ in there: what is not read at all, or what
// begins something else and is waited for.
var elsewhere = map[string]string{
	"SELECT 1 %": "AND BETWEEN COLLATE ILIKE IN IS LIKE OR",
	"SELECT %(1, 2)": "CURRENT_TIME CURRENT_TIMESTAMP EXTRACT LOCALTIME LOCALTIMESTAMP NORMALIZE " +
		"OPERATOR POSITION TREAT XMLFOREST",
	"SELECT 1 FROM %": "CURRENT_CATALOG CURRENT_DATE CURRENT_ROLE CURRENT_SCHEMA CURRENT_TIME " +
		"CURRENT_TIMESTAMP CURRENT_USER LOCALTIME LOCALTIMESTAMP SESSION_USER USER",
	"SELECT 1 FROM %(1)":               "EXTRACT GROUPING POSITION TREAT NULLIF XMLFOREST",
	"INSERT INTO t (%) VALUES (1)":     "VALUES",
	"WITH % AS (SELECT 1) SELECT 1":    "RECURSIVE",
	"SET % = 1":                        "CONSTRAINTS LOCAL SESSION TRANSACTION",
	"CREATE TABLE n (a int DEFAULT %)": "DEFAULT",
	"VACUUM %":                         "ANALYSE",
	"CREATE FUNCTION n(% int) RETURNS int LANGUAGE sql AS ''": "SETOF",
	"SET x = %": "INTERVAL",
	"RELEASE %": "SAVEPOINT",
}

// TestKeywordsAreNamesWhereTheServerTakesThemForNames: in each place of a name, each of the server's keywords is read
// if the server reads it.
func TestKeywordsAreNamesWhereTheServerTakesThemForNames(t *testing.T) {
	o := ask(t, schema)
	all, err := o.run("SELECT upper(word) FROM pg_get_keywords()")
	if err != nil {
		t.Fatal(err)
	}
	keywords := append(strings.Fields(all), "PLAIN", "ROLLUP_")
	if len(keywords) < 400 {
		t.Fatal(len(keywords), "keywords")
	}
	for _, place := range []string{
		"SELECT 1 AS %", "SELECT 1 %", "SELECT % FROM t", "SELECT t.% FROM t", "SELECT %.a FROM t", "SELECT %(1, 2)",
		"SELECT s.%(1)", "SELECT % + 1", "SELECT % 'x'", "SELECT 1 FROM %", "SELECT 1 FROM s.%",
		"SELECT 1 FROM t AS %", "SELECT 1 FROM t %", "SELECT 1 FROM t % WHERE true", "SELECT 1 FROM t AS x (%)",
		"SELECT 1 FROM %(1)", "CREATE TABLE n (% int)", "CREATE TABLE n (a %)", "CREATE TABLE n (a %[])",
		"CREATE TABLE % (a int)", "SAVEPOINT %", "INSERT INTO t (%) VALUES (1)", "INSERT INTO % VALUES (1)",
		"UPDATE t SET % = 1", "UPDATE t % SET a = 1", "UPDATE % SET a = 1", "DELETE FROM t %", "DELETE FROM %",
		"MERGE INTO t % USING u ON true WHEN MATCHED THEN DELETE", "WITH % AS (SELECT 1) SELECT 1",
		"SELECT a COLLATE % FROM t", "SELECT CAST(1 AS %)", "SELECT 1::%", "SET % = 1", "SET x = %",
		"SELECT sum(1) OVER % FROM t", "SELECT sum(1) OVER (%) FROM t", "SELECT 1 FROM t WINDOW % AS ()",
		"DROP TABLE %", "CREATE INDEX % ON t (a)", "CREATE INDEX n ON t (%)", "CREATE INDEX n ON t (a %)",
		"SELECT 1 FROM t JOIN u USING (%)", "CREATE TABLE n (a int CONSTRAINT % UNIQUE)",
		"CREATE TABLE n (a int DEFAULT %)", "ALTER TABLE t RENAME % TO n", "ALTER TABLE t RENAME TO %", "ANALYZE %",
		"VACUUM %", "LOCK TABLE %", "RELEASE %", "SHOW %", "SELECT (a).% FROM t", "SELECT 1 FROM t ORDER BY % DESC",
		"CREATE FUNCTION n(%) RETURNS int LANGUAGE sql AS ''",
		"CREATE FUNCTION n(% int) RETURNS int LANGUAGE sql AS ''",
		"CREATE FUNCTION n() RETURNS % LANGUAGE sql AS ''", "SELECT a IS DISTINCT FROM % FROM t",
		"SELECT 1 FROM t FOR UPDATE OF %", "TRUNCATE %",
	} {
		wrong := ""
		for _, word := range keywords {
			text := strings.Replace(place, "%", word, 1)
			_, err := dialect.Parse(text)
			if takes := o.takes(text); takes != (err == nil) && !slices.Contains(strings.Fields(elsewhere[place]), word) {
				wrong += fmt.Sprintf(" %s:%v", word, takes)
			}
		}
		if wrong != "" {
			t.Errorf("%s: the server reads with%s", place, wrong)
		}
	}
}

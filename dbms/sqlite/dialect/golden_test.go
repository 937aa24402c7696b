package dialect_test

import (
	dbsql "database/sql"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"txweave/sql"
)

// schema is what goldens' statements name.
const schema = `CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT, c REAL, d BLOB);
CREATE TABLE u (a INT, b TEXT COLLATE NOCASE, e INT UNIQUE, f INT);
CREATE TABLE w (k TEXT PRIMARY KEY, v INT) WITHOUT ROWID;
CREATE INDEX i ON t (b, c DESC);
CREATE UNIQUE INDEX j ON u (a) WHERE f > 0;
CREATE VIEW v AS SELECT a, b FROM t`

// malformed is what SQLite says of a text that is no statement.
var malformed = regexp.MustCompile(`syntax error|unrecognized token|incomplete input|unknown join type|no join`)

// TestGolden runs the commands of testdata, on each line a statement, or with "whole" on one of several lines:
//
//	tree     the tree that is read, and the statement printed anew; SQLite must take both for the same
//	refuse   why it is not read; SQLite must refuse it too, but with "narrow", which says that the reader knows less
func TestGolden(t *testing.T) {
	db := memory(t)
	if _, err := db.ExecContext(t.Context(), schema); err != nil {
		t.Fatal(err)
	}
	datadriven.Walk(t, "testdata/golden", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			statements := strings.Split(d.Input, "\n")
			if d.HasArg("whole") {
				statements = []string{d.Input}
			}
			var b strings.Builder
			for _, text := range statements {
				switch d.Cmd {
				case "tree":
					b.WriteString(golden(t, db, text))
				case "refuse":
					b.WriteString(refusal(t, db, text, d.HasArg("narrow")))
				default:
					d.Fatalf(t, "no command is called %s", d.Cmd)
				}
			}
			return b.String()
		})
	})
}

// golden reads a statement, and says what it is.
func golden(t *testing.T, db *dbsql.DB, text string) string {
	t.Helper()
	stmt, err := dialect.Parse(text)
	if err != nil {
		t.Errorf("%s is not read: %v", text, err)
		return ""
	}
	check(t, db, text)
	if !sqliteTakes(db, text) {
		t.Errorf("%s is read, but not by SQLite", text)
	}
	anew, err := dialect.Reprint(stmt)
	if err != nil {
		t.Error(err)
	}
	return sql.Tell(stmt) + "\n  " + anew + "\n"
}

// refusal says why a statement is not read.
func refusal(t *testing.T, db *dbsql.DB, text string, narrow bool) string {
	t.Helper()
	_, err := dialect.Parse(text)
	if err == nil {
		t.Errorf("%s is read", text)
	}
	if takes := sqliteTakes(db, text); takes != narrow {
		t.Errorf("%s: SQLite reads it: %v", text, takes)
	}
	return fmt.Sprintln(err)
}

// sqliteTakes says whether SQLite's grammar takes a text for a statement.
func sqliteTakes(db *dbsql.DB, text string) bool {
	if strings.HasPrefix(strings.ToUpper(text), "EXPLAIN") {
		text = text[len("EXPLAIN"):]
		text = strings.TrimPrefix(text, " QUERY PLAN")
	}
	_, err := program(db, text)
	return err == nil || !malformed.MatchString(err.Error())
}

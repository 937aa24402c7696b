package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"txweave/sql"
)

// schema is what goldens' statements name.
const schema = `CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE TYPE pair AS (x int, y int);
CREATE SCHEMA s;
CREATE TABLE t (a int PRIMARY KEY, b text, c int, d int, e int[], f timestamp, g jsonb, h boolean, p pair, UNIQUE (c, d));
CREATE TABLE u (a int, b text, e int UNIQUE, f int);
CREATE TABLE s.t (a int CONSTRAINT k CHECK (a > 0), b text, c int); CREATE TABLE w (a int, b int); CREATE TABLE parted (a int, b text, c int) PARTITION BY RANGE (a);
CREATE TABLE listed (a int, b text, c int) PARTITION BY LIST (b); CREATE TABLE hashed (a int, b text, c int) PARTITION BY HASH (a);
CREATE TABLE s.p (a int, b text, c int); CREATE INDEX i ON t (b); CREATE UNIQUE INDEX j ON u (f);
CREATE VIEW v AS SELECT a, b FROM t; CREATE MATERIALIZED VIEW m AS SELECT a FROM t; CREATE SEQUENCE q;
CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'; CREATE FUNCTION s.f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE FUNCTION named(days int, hours int DEFAULT 0) RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN days; END'; CREATE FUNCTION g() RETURNS pair LANGUAGE plpgsql AS 'BEGIN END';
CREATE TRIGGER g AFTER INSERT ON t EXECUTE FUNCTION f()`

// TestGolden runs the commands of testdata, on each line a statement, or with "whole" on one of several lines:
//
//	tree     the tree that is read, and the statement printed anew; the server must take both for the same, each for a
//	         statement; "= " before what is printed says that it made the same of both, not only read them
//	refuse   why it is not read; the server must refuse it too, but with "narrow", which says that the reader knows less
func TestGolden(t *testing.T) {
	o := ask(t, schema)
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
					b.WriteString(golden(t, &o, text))
				case "refuse":
					b.WriteString(refusal(t, o, text, d.HasArg("narrow")))
				default:
					d.Fatalf(t, "no command is called %s", d.Cmd)
				}
			}
			return b.String()
		})
	})
}

// golden reads a statement, and says what it is.
func golden(t *testing.T, o *opinion, text string) string {
	t.Helper()
	stmt, err := dialect.Parse(text)
	if err != nil {
		t.Errorf("%s is not read: %v", text, err)
		return ""
	}
	mark := "  "
	if check(t, o, text) {
		mark = "= "
	}
	if !o.takes(text) {
		t.Errorf("%s is read, but not by the server", text)
	}
	anew, err := dialect.Reprint(stmt)
	if err != nil {
		t.Error(err)
	}
	return sql.Tell(stmt) + "\n" + mark + anew + "\n"
}

// refusal says why a statement is not read.
func refusal(t *testing.T, o opinion, text string, narrow bool) string {
	t.Helper()
	_, err := dialect.Parse(text)
	if err == nil {
		t.Errorf("%s is read", text)
	}
	if takes := o.takes(text); takes != narrow {
		t.Errorf("%s: the server reads it: %v", text, takes)
	}
	return fmt.Sprintln(err)
}

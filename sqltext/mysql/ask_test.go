package mysql_test

import (
	"strings"
	"testing"

	"txweave/sqltext"
	"txweave/sqltext/mysql"
	"txweave/sqltext/postgresql"
	"txweave/sqltext/sqlite"
)

// parsers are those of every dialect.
func parsers() map[string]sqltext.Parser {
	return map[string]sqltext.Parser{"mysql": mysql.New(sqltext.MySQL), "sqlite": sqlite.New(), "postgresql": postgresql.New()}
}

var one = []string{"CREATE TABLE t0 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, c0 INT)"}

// At some literals the parser panics.
func TestPanicsAreErrors(t *testing.T) {
	digits := strings.Repeat("9", 82)
	for name, p := range parsers() {
		s := sqltext.ReadSchema(one)
		if _, err := p.Analyze(s, "SELECT pkey, vkey FROM t0 WHERE c0 = "+digits); err == nil {
			t.Errorf("%s reads an integer of 82 digits", name)
		}
		if p.IsCondition("c0 = "+digits) == nil {
			t.Errorf("%s reads a condition with an integer of 82 digits", name)
		}
		if _, err := p.Analyze(s, "SELECT pkey, vkey FROM t0 WHERE c0 = 9"); err != nil {
			t.Errorf("%s, behind it: %v", name, err)
		}
	}
}

// What nests deeper than any statement does would take time, memory and stack without end.
func TestBoundedEverywhere(t *testing.T) {
	deep := strings.Repeat("- ", sqltext.MaxDepth+1) + "1"
	for name, p := range parsers() {
		if _, err := p.Analyze(sqltext.ReadSchema(one), "SELECT "+deep); err == nil {
			t.Errorf("%s reads %d signs", name, sqltext.MaxDepth+1)
		}
		if p.IsCondition("c0 = "+deep) == nil {
			t.Errorf("%s reads a condition of %d signs", name, sqltext.MaxDepth+1)
		}
	}
}

// Each operator of a chain is asked about by itself: what it is may not be found anew from all that it encloses.
func BenchmarkChain(b *testing.B) {
	s := sqltext.ReadSchema(one)
	sql := "SELECT 1" + strings.Repeat("+1", 4_000)
	for b.Loop() {
		if _, err := mysql.New(sqltext.MySQL).Analyze(s, sql); err != nil {
			b.Fatal(err)
		}
	}
}

// Where two sources that are compared by GREATEST are of the same kind, what they are is looked at all the same.
func TestAllOfOneKind(t *testing.T) {
	schema := sqltext.ReadSchema([]string{one[0], "CREATE TABLE t1 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT, c0 TEXT)"})
	for sql, decides := range map[string]bool{
		"SELECT GREATEST('a', 'b', 'c') FROM t0": false,
		"SELECT GREATEST(1, 2, 3, 'x') FROM t0":  true,
		"SELECT GREATEST(c0, c0, c0) FROM (SELECT c0 FROM t0 UNION SELECT c0 FROM t1) AS a JOIN (SELECT c0 FROM t1) AS b": true,
	} {
		a, err := mysql.New(sqltext.MySQL).Analyze(schema, sql)
		if err != nil {
			t.Fatal(err)
		}
		if a.PlanDecides != decides {
			t.Errorf("%s: the plan decides: %v", sql, a.PlanDecides)
		}
	}
}

// TestSourcesThatDisagree: two derived tables of one name, one within the other's statement, whose columns are of two classes, come to an end.
func TestSourcesThatDisagree(t *testing.T) {
	two := []string{"CREATE TABLE t0 (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, c0 INT, c1 DATE)"}
	for name, p := range parsers() {
		if _, err := p.Analyze(sqltext.ReadSchema(two), "SELECT d.x AS e0 FROM (SELECT c0 AS x FROM t0) AS d WHERE EXISTS (SELECT 1 FROM (SELECT c1 AS x FROM t0) AS d)"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

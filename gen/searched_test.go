package gen

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"txweave/internal/testkit/effort"
	"txweave/testcase"
)

// searches are conditions that engines search an index for in ways of their own, and what else is drawn so that such a
// search, or what it must not be used for, comes up.
var searches = map[string]*regexp.Regexp{
	"list":      regexp.MustCompile(`\((?:t\d|r\d+)\.\w+ = [^()]+ AND (?:t\d|r\d+)\.\w+ IN \([^()]+, [^()]+\)\)`),
	"beginning": regexp.MustCompile(` LIKE '[^%_']+%'`),
	"glob":      regexp.MustCompile(`\w+\.\w+ GLOB '\S+\*'`),
	"limited": regexp.MustCompile(
		`FROM \(SELECT .* ORDER BY (?:\d|r\d)[^()]* LIMIT \d(?: OFFSET \d)?\) AS r\d+ WHERE r\d+\.e\d+ [<=>]`),
	"row": regexp.MustCompile(`\((?:t\d|r\d+)\.\w+, (?:t\d|r\d+)\.\w+\) [<>]=? \([^()]+, [^()]+\)`),
	"expression": regexp.MustCompile(
		`SELECT .*\(COALESCE\(r1\.\w+, \d\)\) AS e\d+.* LEFT JOIN t\d AS r1 ON \(COALESCE\(r1.* = r0\.`),
	"when": regexp.MustCompile(
		`^CREATE TRIGGER .* FOR EACH ROW WHEN (?:NEW|OLD)\.\w+ (?:[<>=]+) (?:'|-?\d|OLD).* BEGIN `),
}

// TestSearches: cases of each DBMS have those that it can have.
func TestSearches(t *testing.T) {
	effort.Full(t)
	least := map[string]map[string]int{
		"sqlite":     {"list": 40, "beginning": 50, "glob": 20, "limited": 20, "row": 30, "expression": 4, "when": 6},
		"mysql":      {"list": 40, "beginning": 50, "limited": 20, "row": 30, "expression": 1},
		"mariadb":    {"list": 40, "beginning": 50, "limited": 20, "row": 30},
		"postgresql": {"list": 40, "beginning": 50, "limited": 20, "row": 30, "expression": 1},
	}
	for name, want := range least {
		seen := map[string]int{}
		for i := range 500 {
			c := must(t, testDialect(t, name), CaseSeed(11, i), Options{Isolation: "serializable"})
			texts := testcase.Texts(c.Schema)
			for k := range c.Txns {
				texts = append(texts, testcase.Texts(c.Txns[k].Stmts)...)
			}
			for what, re := range searches {
				for _, text := range texts {
					if re.MatchString(text) {
						seen[what]++
					}
				}
			}
		}
		t.Log(name, seen)
		for what, re := range searches {
			if n, can := want[what]; seen[what] < n || !can && name != "mysql" && what != "expression" && seen[what] > 0 {
				t.Errorf("%s: %d statements with %s: %s", name, seen[what], what, re)
			}
		}
	}
}

// TestSearchesRun: SQLite takes them, and what the statements answer depends on no index.
func TestSearchesRun(t *testing.T) {
	db := openSQLite(t)
	d := testDialect(t, "sqlite")
	weights := map[string]int{"like": 40, "in-list": 60, "derived": 40, "functional-index": 60, "update-index": 60,
		"left-join": 60, "trigger": 60, "case-insensitive": 60, "special-type": 40}
	same := func(s string) string { return s }
	for i := range 60 {
		c := must(t, d, CaseSeed(12, i), Options{Isolation: "serializable", Weights: weights})
		log, _, _ := serial(t, db, c, same)
		drop(t, db, c)
		bare := *c
		bare.Schema = slices.DeleteFunc(slices.Clone(c.Schema), func(s testcase.Stmt) bool {
			return strings.HasPrefix(s.SQL, "CREATE INDEX")
		})
		other, _, _ := serial(t, db, &bare, unhinted)
		drop(t, db, c)
		for j := range log {
			if log[j] != other[j] && log[j] != noSolution && !sameRows(log[j], other[j]) {
				t.Fatalf("seed %d, without indexes: answer %d differs:\n%s\n%s\n%s", c.Seed, j, log[j], other[j], render(c))
			}
		}
	}
}

package analysis_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"txweave/sql/analysis"
	"txweave/sql/sqltext"
)

// TestReturned: the names by which an oracle knows what a write returns.
func TestReturned(t *testing.T) {
	for _, c := range []struct {
		dbms, text string
		want       []string
	}{
		{"mariadb", "UPDATE t SET a = 1", nil},
		{"mariadb", "SELECT a FROM `returning`", nil},
		{"mariadb", "DELETE FROM t WHERE a IN (1, 2) RETURNING pkey, A", []string{"pkey", "a"}},
		{"mariadb", "INSERT INTO t VALUES (1) RETURNING `pkey`, a + 1, t.b, 1 + 1", []string{"pkey", "", "", ""}},
		{"postgresql", "UPDATE t SET a = 1 RETURNING *", []string{""}},
		{"postgresql", "UPDATE t SET a = 1 RETURNING pkey, f(a, b), c AS d, e;", []string{"pkey", "", "", "e"}},
		{"sqlite", "UPDATE t SET a = 1 RETURNING /* x */ pkey -- y", []string{"pkey"}},
	} {
		stmt, err := sqltext.SyntaxOf(c.dbms).Tree.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := analysis.Returned(stmt); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.text, got, c.want)
		}
	}
}

// TestOffered: of which INSERTs it is known what one row they offer to a table that may have it.
func TestOffered(t *testing.T) {
	for text, want := range map[string]string{
		"INSERT INTO t (pkey, c) VALUES (7, 'x') ON CONFLICT DO NOTHING":                  "7",
		"INSERT INTO t (pkey, c) VALUES (7, 'x') ON CONFLICT (c) DO NOTHING":              "7",
		"INSERT INTO t (pkey, c) VALUES (7, 'x') ON CONFLICT (c) DO UPDATE SET c = 'y'":   "",
		"INSERT INTO t (pkey, c) VALUES (7, 'x'), (8, 'y') ON CONFLICT DO NOTHING":        "",
		"INSERT INTO t VALUES (7, 'x') ON CONFLICT DO NOTHING":                            "",
		"INSERT INTO t (pkey, c) SELECT pkey, c FROM s WHERE TRUE ON CONFLICT DO NOTHING": "",
		"INSERT INTO t (pkey, c) VALUES (7, 'x')":                                         "",
	} {
		stmt, err := sqltext.SyntaxOf("postgresql").Tree.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		values, ok := analysis.Offered(stmt)
		if got := analysis.Spelling(values["pkey"]); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", text, got, ok)
		}
	}
}

// TestWrittenBy: the tables whose columns a statement gives values, and which of them.
func TestWrittenBy(t *testing.T) {
	for _, c := range []struct{ dbms, text, want string }{
		{"mariadb", "UPDATE t SET a = 1, b = 2", "t changes [a b]"},
		{"mariadb", "UPDATE t JOIN u ON t.a = u.a SET t.a = 1", "t changes [a]"},
		{"mariadb", "UPDATE t AS x, u SET x.a = 1, u.b = 2", "t changes [a]; u changes [b]"},
		{"mariadb", "UPDATE t, u SET a = 1", "t changes [a]; u changes [a]"}, // whose it is is not said
		{"mariadb", "INSERT INTO t (a) VALUES (1) ON DUPLICATE KEY UPDATE b = 2", "t inserts [a] changes [b]"},
		{"mariadb", "INSERT INTO t SET a = 1", "t inserts [a]"},
		{"postgresql", "INSERT INTO t DEFAULT VALUES", "t inserts []"},
		{"postgresql",
			"MERGE INTO t USING u ON t.a = u.a WHEN MATCHED THEN UPDATE SET b = 1 WHEN NOT MATCHED THEN INSERT (a) VALUES (1)",
			"t inserts [a] changes [b]"},
		{"sqlite", "DELETE FROM t", ""},
	} {
		stmt, err := sqltext.SyntaxOf(c.dbms).Tree.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, w := range analysis.WrittenBy(stmt) {
			s := w.Table
			if w.Inserts {
				s += fmt.Sprint(" inserts ", w.Names)
			}
			if w.Changes {
				s += fmt.Sprint(" changes ", w.Sets)
			}
			got = append(got, s)
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s: %q, want %q", c.text, got, c.want)
		}
	}
}

package dialect_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	postgresql "txweave/dbms/postgresql/dialect"
	"txweave/internal/testkit/trees"
)

// TestHostileTextsAreReadOrRefused: what nests or goes on without end is read as far as the bounds let it.
func TestHostileTextsAreReadOrRefused(t *testing.T) {
	d := postgresql.New(postgresql.Server{Version: 18})
	trees.Hostile(t, d)
	around := func(n int, left, x, right string) string {
		return strings.Repeat(left, n) + x + strings.Repeat(right, n)
	}
	for _, c := range []struct{ name, text, refused string }{
		{"casts", "SELECT a" + strings.Repeat("::int", 4900), ""},
		{"subscripts", "SELECT a" + strings.Repeat("[1]", 3300), ""},
		{"subscripts of subscripts", "SELECT " + around(3300, "a[", "1", "]"), ""},
		{"fields", "SELECT (a)" + strings.Repeat(".b", 4900), ""},
		{"arrays", "SELECT ARRAY" + around(9000, "[", "1", "]"), ""},
		{"more arrays", "SELECT ARRAY" + around(20_000, "[", "1", "]"), "nests too deeply"},
		{"arrays with commas", "SELECT ARRAY" + around(9900, "[[1], ", "[1]", "]"), ""},
		{"brackets that stay open", "SELECT a" + strings.Repeat("[b", 4900), "] is expected"},
		{"brackets that parentheses close", "SELECT " + strings.Repeat("(a[", 2000) + strings.Repeat(")", 2000),
			"an expression is expected"},
		{"signs in a row", "SELECT 1 " + strings.Repeat("+-", 4900) + "1", ""},
		{"more signs in a row", "SELECT 1 " + strings.Repeat("+-", 500_000) + "1", "without a comma"},
		{"one long operator", "SELECT 1 " + strings.Repeat("@", 100_000) + " 1", "an operator is too long"},
		{"operators before an operand", "SELECT " + strings.Repeat("@ ", 9900) + "1", ""},
		{"texts on lines", "SELECT 'a'" + strings.Repeat("\n'b'", 200_000), ""},
		{"texts that may go on", "SELECT 'a'" + strings.Repeat(", 'a' -- b", 4000), ""},
		{"dollars", "SELECT $" + strings.Repeat("a", 1000) + "$ " + strings.Repeat("$b$ ", 100_000), "a text is not closed"},
		{"quotes of all kinds", strings.Repeat("$a$ $a$ ", 9000), "a statement is expected"},
		{"comments in a comment", "SELECT 1 " + around(200_000, "/*", "", "*/"), ""},
		{"quantifiers", "SELECT " + around(1900, "a = ANY (", "b", ")"), ""},
		{"CTEs", "WITH a AS (" + around(1400, "WITH a AS (", "SELECT 1", ") SELECT 1") + ") SELECT 1", ""},
		{"grouping sets", "SELECT 1 GROUP BY " + around(2400, "GROUPING SETS (", "a", ")"), ""},
		{"joins on the right", "SELECT 1 FROM a" + strings.Repeat(" JOIN a", 1900) + strings.Repeat(" ON TRUE", 1900), ""},
		{"BETWEEN in BETWEEN", "SELECT " + strings.Repeat("a BETWEEN ", 2000) + "1" + strings.Repeat(" AND 1", 2000),
			"AND is expected"},
	} {
		stmt, err := d.Parse(c.text)
		switch {
		case c.refused != "" && (err == nil || !strings.Contains(err.Error(), c.refused) || len(err.Error()) > 200):
			t.Errorf("%s: %.300v; want %s", c.name, err, c.refused)
		case c.refused == "" && err != nil:
			t.Errorf("%s: %.300v", c.name, err)
		case err == nil:
			trees.Read(t, d, stmt, c.text)
		}
	}
}

// FuzzParse: whatever the text, it is read or refused; what is read prints its bytes, and printed anew reads as the
// same tree.
func FuzzParse(f *testing.F) {
	paths, err := filepath.Glob(filepath.Join("testdata", "golden", "*"))
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSuffix(line, "\n"); !strings.HasPrefix(line, "(") && line != "" {
				f.Add(strings.TrimPrefix(strings.TrimPrefix(line, "  "), "= "))
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		if stmt, err := dialect.Parse(text); err == nil {
			trees.Read(t, dialect, stmt, text)
		}
	})
}

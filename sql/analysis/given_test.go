package analysis_test

import (
	"fmt"
	"strings"
	"testing"

	"txweave/sql"
	"txweave/sql/analysis"
	"txweave/sql/sqltext"
)

// TestGivens: what a write says of the rows that it leaves, and that it says nothing where something else may decide.
func TestGivens(t *testing.T) {
	dialects := []*sql.Dialect{sqltext.SyntaxOf("mysql").Tree, sqltext.SyntaxOf("postgresql").Tree,
		sqltext.SyntaxOf("sqlite").Tree, sqltext.SyntaxOf("mariadb").Tree}
	schema := sqltext.ReadSchema(dialects[1], []string{
		"CREATE TABLE t (id INTEGER PRIMARY KEY, pkey BIGINT, vkey BIGINT, pvkey BIGINT, a INT, b INT, c VARCHAR(20), d " +
			"TEXT NOT NULL, " +
			"e DOUBLE, s REAL, m DOUBLE(5, 1), x TEXT[], f DECIMAL(5, 2), g INT GENERATED ALWAYS AS (a + 1), y YEAR)",
		"CREATE TABLE u (pkey BIGINT, a INT)"})
	schema.Triggers = sqltext.ReadSchema(dialects[0], []string{"CREATE TABLE u (pkey BIGINT, a INT)",
		"CREATE TRIGGER tr BEFORE UPDATE ON u FOR EACH ROW SET NEW.a = 5"}).Triggers
	for _, c := range [][2]string{
		{"UPDATE t SET pvkey = vkey, vkey = 7, a = 5, c = 'it''s' WHERE a = 6", "a 5; c 'it's'"},
		{"UPDATE t AS r0 SET r0.a = -5, r0.c = NULL, r0.e = 3 ORDER BY a LIMIT 2", "a -5; c NULL; e 3"},
		{"UPDATE t SET a = b, c = 'x' RETURNING a, c", "a from b; c 'x'"},
		{"UPDATE t SET a = b, b = 5", "b 5"},
		{"UPDATE t SET a = b + 1, b = SUBSTR(c FROM 2), c = 'x' || d", ""},
		{"UPDATE t SET a = 5, a = 6", ""},
		{"UPDATE t SET a = '5', c = 5, f = 3, y = 5, id = 0, a = (SELECT 1)", ""},
		{"UPDATE t SET a = '5', c = 5, f = 3, y = 5, id = 0, d = NULL, a = c", ""},
		{"UPDATE t SET a = g, b = 9007199254740993, c = X'41', d = 'a\\'", ""},
		{"UPDATE t SET a = g, b = 9007199254740993, c = X'41', d = 'a'", "d 'a'"},
		{"UPDATE t SET d = REPEAT('ab', 3), c = REPLACE(HEX(ZEROBLOB(2)), '00', 'xy');", "d 'ababab'; c 'xyxy'"},
		{"UPDATE t SET c = REPLACE(HEX(ZEROBLOB(2)), '0', 'xy')", ""},
		{"UPDATE t SET e = -2.25, a = 2.5", "e -2.25"},
		{"UPDATE t SET e = 12.00e0", "e 12.00"},
		{"UPDATE t SET e = 12.5e3", ""},
		{"UPDATE t SET s = 2.1, m = 2.25, x = '{a, b}', e = 2.25", "e 2.25"},
		{"UPDATE t, u SET t.a = 5", ""},
		{"UPDATE t JOIN u ON t.a = u.a SET t.a = 5", ""},
		{"UPDATE IGNORE t SET a = 5", ""},
		{"UPDATE u SET a = 6", ""},
		{"INSERT INTO u (pkey, a) VALUES (1, 6)", ""},
		{"INSERT INTO t (pkey, vkey, a, c) VALUES (1, 7, 5, 'x'), (2, 7, b, UPPER('x'))", "a 5 of 1; c 'x' of 1"},
		{"INSERT INTO t (pkey, a) VALUES (1, 5), (-2, NULL) RETURNING pkey", "a 5 of 1; a NULL of -2"},
		{"REPLACE INTO t (pkey, a) VALUES (1, 5), (1, 6)", ""},
		{"INSERT INTO t (pkey, a) VALUES (1 + 1, 5)", ""},
		{"INSERT INTO t (a) VALUES (5)", ""},
		{"INSERT INTO t (pkey, a) VALUES (1, 5) LIMIT 0", ""}, // PostgreSQL inserts those that are left
		{"INSERT INTO t (pkey, a) OVERRIDING USER VALUE VALUES (1, 5)", ""},
		{"INSERT INTO t SET pkey = 1, a = 5", "a 5 of 1"},
		{"INSERT IGNORE INTO t (pkey, a) VALUES (1, 5)", ""},
		{"INSERT INTO t (pkey, a) VALUES (1, 5) ON DUPLICATE KEY UPDATE a = 6", ""},
		{"INSERT INTO t (pkey, a, b, c, d) VALUES (1, 5, 6, 'x', 'y'), (2, 5, 7, 'x', 'y') ON CONFLICT (pkey) DO UPDATE " +
			"SET vkey = 8, a = EXCLUDED.a, b = EXCLUDED.b, c = EXCLUDED.d, d = EXCLUDED.d || 'z'",
			"a 5"},
		{"INSERT INTO t (pkey, a, b, c) VALUES (1, 5, 6, NULL) ON DUPLICATE KEY UPDATE vkey = 8, a = VALUES(a), b = 7, c = " +
			"VALUES(c)", "a 5; c NULL"},
		{"INSERT INTO t (pkey, a) VALUES (1, 5) ON DUPLICATE KEY UPDATE b = a, a = VALUES(a) + 1", ""},
		{"INSERT INTO t (pkey, a) VALUES (1, 5) ON CONFLICT (pkey) DO UPDATE SET a = EXCLUDED.a WHERE t.a > 3", ""},
		{"INSERT INTO t (pkey, a) VALUES (1, 5) ON CONFLICT (pkey) DO NOTHING", ""},
		{"INSERT INTO u (pkey, a) VALUES (1, 5) ON CONFLICT (pkey) DO UPDATE SET a = EXCLUDED.a", ""},
		{"DELETE FROM t", ""},
		{"SELECT 1", ""},
	} {
		text, want := c[0], c[1]
		var out []string
		var stmt sql.Stmt
		for _, d := range dialects {
			if read, err := d.Parse(text); err == nil {
				stmt = read
			}
		}
		if stmt == nil {
			t.Errorf("nobody reads %s", text)
			continue
		}
		for _, g := range analysis.Givens(schema, stmt) {
			s := g.Column + " "
			switch {
			case g.Null:
				s += "NULL"
			case g.From != "":
				s += "from " + g.From
			case g.Number:
				s += g.Value
			default:
				s += fmt.Sprintf("'%s'", g.Value)
			}
			if g.PKey != "" {
				s += " of " + g.PKey
			}
			out = append(out, s)
		}
		if got := strings.Join(out, "; "); got != want {
			t.Errorf("%s\nsays %s\nnot  %s", text, got, want)
		}
	}
}

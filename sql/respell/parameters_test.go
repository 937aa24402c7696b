package respell

import (
	"fmt"
	"testing"

	"txweave/sql"
	"txweave/sql/sqltext"
)

// TestParameters: which values stand beside a statement, in the order of its text, and which stay in it.
func TestParameters(t *testing.T) {
	number := func(n int) string { return fmt.Sprint("$", n) }
	for _, c := range []struct{ text, want, values string }{
		{"SELECT a + 1 FROM t WHERE a = 5 AND (7 < b OR c IN (1, b, 'x''y'))",
			"SELECT a + 1 FROM t WHERE a = $1 AND ($2 < b OR c IN ($3, b, $4))", "5 7 1 x'y"},
		{"SELECT 1 FROM t JOIN u ON t.a = u.a AND u.b > 3 WHERE t.c BETWEEN 1 AND 2 LIMIT 4",
			"SELECT 1 FROM t JOIN u ON t.a = u.a AND u.b > $1 WHERE t.c BETWEEN $2 AND $3 LIMIT $4", "3 1 2 4"},
		{"SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = 2 GROUP BY u.b HAVING COUNT(*) > 1) AND a = 3",
			"SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = $1 GROUP BY u.b HAVING COUNT(*) > 1) AND a = $2", "2 3"},
		{"UPDATE t SET a = 5, b = b + 1, c = 'x' WHERE d = 1.5", "UPDATE t SET a = $1, b = b + 1, c = $2 WHERE d = 1.5",
			"5 x"},
		{"INSERT INTO t (a, b) VALUES (1, 'x')", "INSERT INTO t (a, b) VALUES ($1, $2)", "1 x"},
		// What a comparison of two literals says, NULL, what stands below an operator, several rows, order and groups stay.
		{"SELECT a FROM t WHERE 1 = 1 AND a IS NULL AND a = NULL AND a = -1 AND a + 1 = b", "", ""},
		{"INSERT INTO t (a) VALUES (1), (2)", "", ""},
		{"SELECT a = 5 FROM t GROUP BY a = 5 ORDER BY 1", "", ""},
		{"SELECT a FROM t WHERE a = 99999999999999999999", "", ""},
		{"CREATE TABLE t (a INT DEFAULT 5)", "", ""},
	} {
		stmt, err := sqlite.Parse(c.text)
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		if c.want == "" {
			c.want = c.text
		}
		got, literals := Parameters(stmt, nil, number)
		text, err := sqlite.Print(got)
		if err != nil {
			t.Fatal(err)
		}
		values := ""
		for i, l := range literals {
			if i > 0 {
				values += " "
			}
			values += l.Characters()
		}
		if text != c.want || values != c.values {
			t.Errorf("%s\nis %s with %s\nwant %s with %s", c.text, text, values, c.want, c.values)
		}
	}
	stmt, err := mariadb.Parse(`UPDATE t SET a = _latin1'x', b = 'a\'b', c = 'p' 'q', d = DATE '2020-01-01', e = x'61' WHERE f = TRUE`)
	if err != nil {
		t.Fatal(err)
	}
	if kept, values := Parameters(stmt, nil, number); len(values) != 0 || kept != sql.Stmt(stmt) {
		t.Errorf("%d values are taken of texts that are more than their characters", len(values))
	}
}

// TestParametersOfTheirType: where a parameter has the type of what it stands beside, only values are taken that have
// it as literals, too.
func TestParametersOfTheirType(t *testing.T) {
	schema := sqltext.ReadSchema(mariadb,
		[]string{"CREATE TABLE t (i BIGINT, v VARCHAR(9), d DATE, b BIT(8), y YEAR, n DECIMAL(9, 2), f DOUBLE, e ENUM('a'))",
			"CREATE TABLE u (j INT, v TEXT)",
			"CREATE TABLE w (x INT)", "CREATE TABLE z (x DATE)"})
	for text, want := range map[string]string{
		"SELECT 1 FROM t WHERE i = 5 AND v = 'a' AND 7 < i": "SELECT 1 FROM t " +
			"WHERE i = ? AND v = ? AND ? < i",
		"SELECT 1 FROM t WHERE i = '5' OR v = 5 OR d > 255 OR d = '2020-01-01' OR b = '1' OR b = 1": "",
		"SELECT 1 FROM t WHERE y = 99 OR n = 5 OR f = 5 OR e = 'a' OR i + 1 = 5 OR v IS NULL":       "",
		"SELECT 1 FROM t WHERE CASE WHEN i = 1 THEN d ELSE d END = '5'": "SELECT 1 FROM t " +
			"WHERE CASE WHEN i = ? THEN d ELSE d END = '5'",
		"SELECT 1 FROM t WHERE i IN (1, 2) OR i IN (1, '2') OR v BETWEEN 'a' AND 1": "SELECT 1 FROM t " +
			"WHERE i IN (?, ?) OR i IN (1, '2') OR v BETWEEN 'a' AND 1",
		"SELECT 1 FROM w WHERE x = 5": "", // of z it is a date
		"UPDATE t SET i = 5, v = 'a', d = '2020-01-01', v = 7 WHERE i > 3 LIMIT 2": "UPDATE t SET i = ?, " +
			"v = ?, d = '2020-01-01', v = 7 WHERE i > ? LIMIT ?",
		"INSERT INTO t (v, d, i) VALUES ('a', '2020-01-01', 5)": "INSERT INTO t (v, d, " +
			"i) VALUES (?, '2020-01-01', ?)",
		"INSERT INTO t VALUES (5)": "",
	} {
		stmt, err := mariadb.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := Parameters(stmt, schema, func(int) string { return "?" })
		told, err := mariadb.Print(got)
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = text
		}
		if told != want {
			t.Errorf("%s\nis %s\nwant %s", text, told, want)
		}
	}
}

package sqlite

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"txweave/dbms"
	"txweave/sqltext"
)

// TestRespelledMeansTheSame: SQLite answers a list behind IN as it does the comparisons that stand in its place, whatever the affinities and
// collations of what is compared are.
func TestRespelledMeansTheSame(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	columns := []string{"i INTEGER", "t TEXT", "r REAL", "n NUMERIC", "b BLOB", "x", "c TEXT COLLATE NOCASE", "s VARCHAR(9) COLLATE RTRIM", "g INT AS (n) STORED"}
	if _, err := db.Exec("CREATE TABLE t0 (pkey INTEGER PRIMARY KEY, " + strings.Join(columns, ", ") + ")"); err != nil {
		t.Fatal(err)
	}
	literals := []string{"0", "1", "-1", "1.0", "'1'", "'1.0'", "'a'", "'A'", "'a '", "''", "NULL", "9007199254740993", "9007199254740992.0", "'9007199254740993'",
		"1e3", "'1e3'", "' 1'", "- 2.5", "x'31'", "9223372036854775807", "9223372036854775808"}
	for i := range 60 {
		var row []string
		for j := range columns[:8] {
			row = append(row, literals[(i*(2*j+1)+j)%len(literals)])
		}
		if _, err := db.Exec("INSERT INTO t0 (i, t, r, n, b, x, c, s) VALUES (" + strings.Join(row, ", ") + ")"); err != nil {
			t.Fatal(err)
		}
	}
	for _, index := range []string{"i", "t", "n", "c", "x"} {
		if _, err := db.Exec("CREATE INDEX t0_" + index + " ON t0 (" + index + ")"); err != nil {
			t.Fatal(err)
		}
	}
	setting := &dbms.PlanSetting{Copies: "none AS (SELECT %[1]q)", Respelled: true}
	answer := func(rt *rapid.T, query string) string {
		rows, err := db.Query(query)
		if err != nil {
			rt.Fatalf("%s: %v", query, err)
		}
		defer rows.Close()
		var out strings.Builder
		for rows.Next() {
			var pkey int64
			var is any
			if err := rows.Scan(&pkey, &is); err != nil {
				rt.Fatal(err)
			}
			fmt.Fprintln(&out, pkey, is)
		}
		return out.String()
	}
	rapid.Check(t, func(rt *rapid.T) {
		column := rapid.SampledFrom([]string{"i", "t", "r", "n", "b", "x", "c", "s", "g", "t0.t"}).Draw(rt, "column")
		operand := fmt.Sprintf(rapid.SampledFrom([]string{"%s", "(%s)", "(%s + 0)", "(%s || '')", "upper(%s)", "CAST(%s AS TEXT)", "CAST(%s AS INT)", "(+%s)",
			"coalesce(%s, 'a')", "(%s COLLATE NOCASE)", "(%s IS NULL)"}).Draw(rt, "operand"), column)
		list := rapid.SliceOfN(rapid.SampledFrom(literals), 1, 6).Draw(rt, "list")
		condition := operand + rapid.SampledFrom([]string{" IN (", " NOT IN ("}).Draw(rt, "in") + strings.Join(list, ", ") + ")"
		query := fmt.Sprintf(rapid.SampledFrom([]string{"SELECT pkey, %s FROM t0 ORDER BY pkey", "SELECT pkey, 1 FROM t0 WHERE %s ORDER BY pkey",
			"SELECT pkey, 1 FROM t0 WHERE NOT %s AND i IS NOT NULL ORDER BY pkey"}).Draw(rt, "query"), condition)
		respelled := setting.Query(query, sqltext.ANSI)
		if respelled == query {
			return
		}
		if was, is := answer(rt, query), answer(rt, respelled); was != is {
			rt.Fatalf("%s\nanswers\n%s\n%s\nanswers\n%s", query, was, respelled, is)
		}
	})
}

// TestLeftJoinMeansTheSame: SQLite answers a RIGHT JOIN as it does the LEFT JOIN the other way round.
func TestLeftJoinMeansTheSame(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("CREATE TABLE t0 (x INT, y TEXT); CREATE TABLE t1 (x INT PRIMARY KEY, y TEXT) WITHOUT ROWID; CREATE INDEX i ON t0 (x);" +
		"INSERT INTO t0 VALUES (1, 'a'), (2, NULL), (NULL, 'c'), (4, 'd'), (4, 'e'); INSERT INTO t1 VALUES (1, 'b'), (2, 'a'), (3, NULL), (4, 'd'), (5, 'x')"); err != nil {
		t.Fatal(err)
	}
	setting := &dbms.PlanSetting{Copies: "none_%[1]s AS (SELECT 1)", Respelled: true}
	rapid.Check(t, func(rt *rapid.T) {
		draw := func(what ...string) string { return rapid.SampledFrom(what).Draw(rt, "part") }
		query := "SELECT a.x, a.y, b.x, b.y FROM " + draw("t0 AS a", "t1 AS a", "(SELECT x, y FROM t1 WHERE x > 1) AS a") + " RIGHT JOIN " + draw("t0 AS b", "t1 AS b") + " ON " +
			draw("a.x = b.x", "a.x < b.x AND b.y <> 'a'", "a.y = b.y", "b.x IS NULL", "1 = 0") + draw("", " INNER JOIN t0 AS c ON c.x = b.x", " LEFT JOIN t1 AS c ON c.x = a.x AND c.y = a.y") +
			draw("", " WHERE a.x IS NULL", " WHERE b.x > 1", " WHERE COALESCE(a.y, 'z') >= 'b'") + " ORDER BY 1, 2, 3, 4"
		answer := func(sql string) string {
			rows, err := db.Query(sql)
			if err != nil {
				rt.Fatalf("%s: %v", sql, err)
			}
			defer rows.Close()
			var out strings.Builder
			for rows.Next() {
				var v [4]any
				if err := rows.Scan(&v[0], &v[1], &v[2], &v[3]); err != nil {
					rt.Fatal(err)
				}
				fmt.Fprintln(&out, v)
			}
			return out.String()
		}
		respelled := setting.Query(query, sqltext.ANSI)
		if strings.Contains(respelled, "RIGHT") || !strings.Contains(respelled, "LEFT") {
			rt.Fatalf("%s is sent as %s", query, respelled)
		}
		if was, is := answer(query), answer(respelled); was != is {
			rt.Fatalf("%s\nanswers\n%s\n%s\nanswers\n%s", query, was, respelled, is)
		}
	})
}

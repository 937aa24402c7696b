package sqlite

import (
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"txweave/dbms"
)

// TestRespelledMeansTheSame: SQLite answers a list behind IN as it does the comparisons that stand in its place,
// whatever the affinities and collations of what is compared are.
func TestRespelledMeansTheSame(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	columns := []string{"i INTEGER", "t TEXT", "r REAL", "n NUMERIC", "b BLOB", "x", "c TEXT COLLATE NOCASE",
		"s VARCHAR(9) COLLATE RTRIM", "g INT AS (n) STORED"}
	if _, err := db.Exec("CREATE TABLE t0 (pkey INTEGER PRIMARY KEY, " + strings.Join(columns, ", ") + ")"); err != nil {
		t.Fatal(err)
	}
	literals := []string{"0", "1", "-1", "1.0", "'1'", "'1.0'", "'a'", "'A'", "'a '", "''", "NULL", "9007199254740993",
		"9007199254740992.0", "'9007199254740993'",
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
	setting := &dbms.PlanSetting{Respelled: true, Dialect: tree}
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
		operand := fmt.Sprintf(rapid.SampledFrom([]string{"%s", "(%s)", "(%s + 0)", "(%s || '')", "upper(%s)",
			"CAST(%s AS TEXT)", "CAST(%s AS INT)", "(+%s)",
			"coalesce(%s, 'a')", "(%s COLLATE NOCASE)", "(%s IS NULL)"}).Draw(rt, "operand"), column)
		list := rapid.SliceOfN(rapid.SampledFrom(literals), 1, 6).Draw(rt, "list")
		condition := operand + rapid.SampledFrom([]string{" IN (", " NOT IN ("}).Draw(rt, "in") +
			strings.Join(list, ", ") + ")"
		query := fmt.Sprintf(rapid.SampledFrom([]string{"SELECT pkey, %s FROM t0 ORDER BY pkey",
			"SELECT pkey, 1 FROM t0 WHERE %s ORDER BY pkey",
			"SELECT pkey, 1 FROM t0 WHERE NOT %s AND i IS NOT NULL ORDER BY pkey"}).Draw(rt, "query"), condition)
		respelled := setting.Query(query)
		if respelled == query {
			return
		}
		if was, is := answer(rt, query), answer(rt, respelled); was != is {
			rt.Fatalf("%s\nanswers\n%s\n%s\nanswers\n%s", query, was, respelled, is)
		}
	})
}

// TestTurnedJoinMeansTheSame: SQLite answers a RIGHT JOIN as it does the LEFT JOIN the other way round, and a LEFT JOIN
// as the RIGHT JOIN.
func TestTurnedJoinMeansTheSame(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("CREATE TABLE t0 (x INT, y TEXT); CREATE TABLE t1 (x INT PRIMARY KEY, y TEXT) WITHOUT ROWID; " +
		"CREATE INDEX i ON t0 (x);" +
		"INSERT INTO t0 VALUES (1, 'a'), (2, NULL), (NULL, 'c'), (4, 'd'), (4, 'e'); INSERT INTO t1 VALUES (1, 'b'), (2, " +
		"'a'), (3, NULL), (4, 'd'), (5, 'x')"); err != nil {
		t.Fatal(err)
	}
	setting := &dbms.PlanSetting{Respelled: true, Dialect: tree}
	rapid.Check(t, func(rt *rapid.T) {
		draw := func(what ...string) string { return rapid.SampledFrom(what).Draw(rt, "part") }
		query := "SELECT a.x, a.y, b.x, b.y FROM " + draw("t0 AS a", "t1 AS a", "(SELECT x, y FROM t1 WHERE x > 1) AS a") +
			draw(" RIGHT", " LEFT") + " JOIN " + draw("t0 AS b", "t1 AS b") + " ON " +
			draw("a.x = b.x", "a.x < b.x AND b.y <> 'a'", "a.y = b.y", "b.x IS NULL", "1 = 0") +
			draw("", " INNER JOIN t0 AS c ON c.x = b.x", " LEFT JOIN t1 AS c ON c.x = a.x AND c.y = a.y",
				" CROSS JOIN t1 AS c") +
			draw("", " WHERE a.x IS NULL", " WHERE b.x > 1", " WHERE b.x IS NULL", " WHERE b.x IS NOT NULL OR a.x = 4",
				" WHERE COALESCE(a.y, 'z') >= 'b'") + " ORDER BY 1, 2, 3, 4"
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
		respelled := setting.Query(query)
		if at := strings.Index(respelled, " JOIN "); strings.Contains(query, "RIGHT") ==
			strings.HasSuffix(respelled[:at], "RIGHT") {
			rt.Fatalf("%s is sent as %s", query, respelled)
		}
		if was, is := answer(query), answer(respelled); was != is {
			rt.Fatalf("%s\nanswers\n%s\n%s\nanswers\n%s", query, was, respelled, is)
		}
	})
}

// TestQueriesRespelledMeanTheSame: SQLite answers IN (SELECT …) as it does the EXISTS in its place, and a scalar
// subquery with a LIMIT as it does the query of its rows, whatever the affinities and collations of what is compared
// are, with NULLs and without rows.
func TestQueriesRespelledMeanTheSame(t *testing.T) {
	db := mixed(t)
	setting := &dbms.PlanSetting{Respelled: true, Dialect: tree}
	rapid.Check(t, func(rt *rapid.T) {
		draw := func(what ...string) string { return rapid.SampledFrom(what).Draw(rt, "part") }
		column := func(table string) string { return table + "." + draw(mixedColumns...) }
		set := "SELECT " + draw("", "DISTINCT ") + column("s") + " FROM t1 AS s WHERE " +
			draw("1", "0", "s.pkey < 4", column("s")+" IS NOT NULL", "s.i = t0.i", "s.pkey > t0.pkey",
				column("s")+" < "+column("t0")) + draw("", " ORDER BY 1 LIMIT 2")
		condition := column("t0") + draw(" IN (", " NOT IN (") + set + ")"
		one := "(SELECT " + column("s") + " FROM t1 AS s WHERE " + draw("1", "s.pkey > t0.pkey", "s.i = t0.i") +
			" ORDER BY s.pkey LIMIT 1" + draw("", " OFFSET 1", " OFFSET 3") + ")"
		value := draw(one, "("+one+" = "+column("t0")+")", "COALESCE("+one+", "+column("t0")+")")
		query := fmt.Sprintf(draw("SELECT pkey, %[1]s FROM t0 ORDER BY pkey",
			"SELECT pkey, 1 FROM t0 WHERE %[1]s ORDER BY pkey",
			"SELECT pkey, 1 FROM t0 WHERE NOT %[1]s AND i IS NOT NULL ORDER BY pkey",
			"SELECT pkey, %[2]s FROM t0 ORDER BY pkey", "SELECT pkey, typeof(%[2]s) FROM t0 ORDER BY pkey",
			"SELECT pkey, %[2]s FROM t0 WHERE %[2]s = %[3]s AND %[1]s ORDER BY pkey"), condition, value, column("t0"))
		respelled := setting.Query(query)
		if !strings.Contains(respelled, "EXISTS (") && !strings.Contains(respelled, "(SELECT * FROM (SELECT") {
			rt.Fatalf("%s is sent as %s", query, respelled)
		}
		if was, is := answers(rt, db, query), answers(rt, db, respelled); was != is {
			rt.Fatalf("%s\nanswers\n%s\n%s\nanswers\n%s", query, was, respelled, is)
		}
	})
}

// TestSetsRespelledMeanTheSame: SQLite answers a set operation as it does the query of its operands in its place.
func TestSetsRespelledMeanTheSame(t *testing.T) {
	db := mixed(t)
	setting := &dbms.PlanSetting{Respelled: true, Dialect: tree}
	rapid.Check(t, func(rt *rapid.T) {
		draw := func(what ...string) string { return rapid.SampledFrom(what).Draw(rt, "part") }
		a, b, c := draw(mixedColumns...), draw(mixedColumns...), draw(mixedColumns...)
		query := fmt.Sprintf("SELECT r.%s AS e0, r.%s AS e1 FROM t0 AS r%s %s SELECT s.%s AS e0, s.%s AS e1 FROM t1 AS s%s",
			a, b, draw("", " WHERE r.pkey < 9"),
			draw("UNION", "EXCEPT", "INTERSECT"), draw(a, a, c), draw(b, c, "pkey"), draw("", " WHERE s.i = 1"))
		order := draw("", " ORDER BY 1, 2", " ORDER BY e1 DESC, e0 LIMIT 5")
		respelled := setting.Query(query + order)
		if !strings.Contains(respelled, "SELECT DISTINCT * FROM (") {
			rt.Fatalf("%s is sent as %s", query, respelled)
		}
		if was, is := answers(rt, db, query+order), answers(rt, db, respelled); was != is {
			rt.Fatalf("%s\nanswers\n%s\n%s\nanswers\n%s", query+order, was, respelled, is)
		}
	})
}

// TestWindowsRespelledMeanTheSame: SQLite answers a window function as it does the scalar subquery in its place.
func TestWindowsRespelledMeanTheSame(t *testing.T) {
	db := mixed(t)
	setting := &dbms.PlanSetting{Respelled: true, Dialect: tree}
	known := 0
	rapid.Check(t, func(rt *rapid.T) {
		draw := func(what ...string) string { return rapid.SampledFrom(what).Draw(rt, "part") }
		from, key := "t0 AS r", "r.pkey"
		if draw("one", "two") == "two" {
			from, key = "t0 AS r"+draw(" INNER", " LEFT", " RIGHT")+" JOIN t1 AS s ON "+draw("r.i = s.i", "r.pkey = s.pkey",
				"r.pkey < s.i AND r.pkey < 4"), "r.pkey, s.pkey"
		}
		column := func() string { return draw("r.") + draw(mixedColumns...) }
		direction := func() string { return draw("", "", " DESC", " ASC") }
		call := draw("COUNT(%s)", "COUNT(*)", "MIN(%s)", "MAX(%s)", "SUM(%s)", "FIRST_VALUE(%s)", "LAST_VALUE(%s)",
			"NTH_VALUE(%s, 2)", "LAG(%s)", "LEAD(%s)",
			"ROW_NUMBER()", "RANK()", "DENSE_RANK()", "CUME_DIST()", "PERCENT_RANK()")
		if strings.Contains(call, "%s") {
			call = fmt.Sprintf(call, column())
		}
		over := draw("", "PARTITION BY "+column()+" ", "PARTITION BY "+column()+", "+column()+" ")
		ordered := regexp.MustCompile(`VALUE|LAG|LEAD|ROW_N`).MatchString(call) // hangs on the order of peers
		switch how := draw("total", "total", "peers", "whole"); {
		case ordered || how == "total":
			over += "ORDER BY " + strings.ReplaceAll(key, ",", direction()+",") + direction() +
				draw("", "", " ROWS "+draw("UNBOUNDED PRECEDING", "CURRENT ROW", "3 PRECEDING",
					"BETWEEN "+draw("UNBOUNDED PRECEDING", "2 PRECEDING", "1 PRECEDING", "CURRENT ROW", "1 FOLLOWING", "2 FOLLOWING")+
						" AND "+draw("2 PRECEDING", "1 PRECEDING", "CURRENT ROW", "1 FOLLOWING", "3 FOLLOWING", "UNBOUNDED FOLLOWING")),
					" RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING")
		case how == "peers":
			over += "ORDER BY " + column() + direction() + draw("", ", "+column())
		}
		query := fmt.Sprintf(draw("SELECT %[3]s, %[1]s OVER (%[2]s) FROM %[4]s",
			"SELECT %[3]s, COALESCE(%[1]s OVER (%[2]s), 'none') AS e FROM %[4]s WHERE r.pkey > 3 ORDER BY 2 LIMIT 99",
			"SELECT pkey, i IN (SELECT %[1]s OVER (%[2]s) FROM %[4]s WHERE r.pkey < 9) FROM t1",
			"SELECT d.e, typeof(d.v) FROM (SELECT %[3]s, %[1]s OVER (%[2]s) AS v FROM %[4]s) AS d"),
			call, over, "r.pkey AS e", from)
		if strings.Contains(query, "i IN (SELECT") && strings.Contains(key, ",") {
			query = strings.ReplaceAll(query, "SELECT pkey, i IN", "SELECT pkey, i + 0 IN")
		}
		respelled := setting.Query(query)
		if strings.Contains(respelled, "respelled_value") {
			known++
		}
		was, err := tried(db, query)
		if err != nil { // such a frame is refused
			return
		}
		if is := answers(rt, db, respelled); was != is {
			rt.Fatalf("%s\nanswers\n%s\n%s\nanswers\n%s", query, was, respelled, is)
		}
	})
	if known == 0 {
		t.Error("no window was respelled")
	}
}

// TestAggregatesRespelledMeanTheSame: SQLite answers an aggregate of a column as it does that of the rows with a value,
// or as a query says it in which values are counted one by one.
func TestAggregatesRespelledMeanTheSame(t *testing.T) {
	db := mixed(t)
	setting := &dbms.PlanSetting{Respelled: true, Dialect: tree}
	rapid.Check(t, func(rt *rapid.T) {
		draw := func(what ...string) string { return rapid.SampledFrom(what).Draw(rt, "part") }
		from := draw("t0 AS r", "t1 AS r", "t1 AS s INNER JOIN t0 AS r ON s.pkey = r.pkey",
			"t1 AS s LEFT JOIN t0 AS r ON s.i = r.pkey")
		one := "SELECT " + draw("MIN", "MAX", "COUNT", "SUM") + "(r." + draw(mixedColumns...) + ")" + draw("", " AS e") +
			" FROM " + from +
			draw("", " WHERE r.pkey > 4", " WHERE r.i IS NULL", " WHERE 1 = 0", " WHERE r.t > 'a'",
				" GROUP BY r.i ORDER BY 1 LIMIT 1")
		query := fmt.Sprintf(draw("SELECT 1, (%s)", "SELECT pkey, i > (%s) FROM t1", "SELECT pkey, 1 FROM t0 WHERE i IN (%s)",
			"SELECT 1, d.e FROM (%s) AS d"), one)
		if strings.Contains(query, "d.e") {
			query = strings.Replace(strings.Replace(query, ") FROM", ") AS e FROM", 1), "e AS e", "e", 1)
		}
		respelled := setting.Query(query)
		if !strings.Contains(respelled, "FILTER (WHERE r.") {
			rt.Fatalf("%s is sent as %s", query, respelled)
		}
		if was, is := answers(rt, db, query), answers(rt, db, respelled); was != is {
			rt.Fatalf("%s\nanswers\n%s\n%s\nanswers\n%s", query, was, respelled, is)
		}
	})
}

// TestDerivedTablesRespelledMeanTheSame: SQLite answers a query of derived tables as it does that of materialized ones.
func TestDerivedTablesRespelledMeanTheSame(t *testing.T) {
	db := mixed(t)
	setting := &dbms.PlanSetting{Respelled: true, Dialect: tree}
	rapid.Check(t, func(rt *rapid.T) {
		draw := func(what ...string) string { return rapid.SampledFrom(what).Draw(rt, "part") }
		a, b := draw(mixedColumns...), draw(mixedColumns...)
		derived := fmt.Sprintf(draw("(SELECT s.pkey AS k, s.%[1]s AS v FROM t1 AS s) AS d",
			"(SELECT s.pkey AS k, s.%[1]s AS v FROM t1 AS s ORDER BY s.pkey DESC LIMIT 4) AS d",
			"(SELECT s.pkey AS k, COALESCE(s.%[1]s, 'a') AS v FROM t1 AS s WHERE s.pkey > 2) AS d",
			"(SELECT MIN(s.pkey) AS k, s.%[1]s AS v FROM t1 AS s GROUP BY s.%[1]s) AS d",
			"(SELECT e.k, e.v FROM (SELECT s.pkey AS k, s.%[1]s AS v FROM t1 AS s) AS e WHERE e.k < 8) AS d",
			"(SELECT DISTINCT s.i AS k, s.%[1]s AS v FROM t1 AS s) AS d"), a)
		query := "SELECT d.k, d.v FROM " + draw(derived, derived+" INNER JOIN t0 AS r ON r.pkey = d.k",
			"t0 AS r LEFT JOIN "+derived+" ON r."+b+" = d.v", derived+" LEFT JOIN t0 AS r ON r."+b+" = d.v")
		query += draw("", " WHERE d.k > 3", " WHERE d.v = '1'", " WHERE d.v IS NULL", " WHERE d.v = 1",
			" WHERE d.k IN (1, 2, 9)", " WHERE d.v > 'A' AND d.k < 9",
			" WHERE EXISTS (SELECT 1 FROM t1 AS x WHERE x."+b+" = d.v)")
		respelled := setting.Query(query)
		if !strings.Contains(respelled, "MATERIALIZED") {
			rt.Fatalf("%s is sent as %s", query, respelled)
		}
		if was, is := answers(rt, db, query), answers(rt, db, respelled); was != is {
			rt.Fatalf("%s\nanswers\n%s\n%s\nanswers\n%s", query, was, respelled, is)
		}
	})
}

// mixedColumns are those of the tables of mixed.
var mixedColumns = []string{"i", "t", "r", "n", "b", "x", "c"}

// mixed has two tables whose columns hold values of all classes, with indexes.
func mixed(t *testing.T) *sql.DB {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	values := []string{"0", "1", "-1", "1.0", "'1'", "'1.0'", "'a'", "'A'", "'a '", "''", "NULL", "9007199254740993",
		"1e3", "x'31'", "2", "2.5"}
	for table, rows := range map[string]int{"t0": 24, "t1": 9} {
		if _, err := db.Exec("CREATE TABLE " + table + " (pkey INTEGER PRIMARY KEY, i INTEGER, t TEXT, r REAL, n NUMERIC, " +
			"b BLOB, x, c TEXT COLLATE NOCASE)"); err != nil {
			t.Fatal(err)
		}
		for i := range rows {
			row := make([]string, len(mixedColumns))
			for j := range row {
				row[j] = values[(i*(2*j+1)+j)%len(values)]
			}
			if _, err := db.Exec("INSERT INTO " + table + " (" + strings.Join(mixedColumns, ", ") + ") VALUES (" + strings.Join(
				row, ", ") + ")"); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := db.Exec("CREATE INDEX t0_i ON t0 (i); CREATE INDEX t1_t ON t1 (t); CREATE INDEX t1_x ON t1 (x DESC); " +
		"CREATE UNIQUE INDEX t1_p ON t1 (n, pkey)"); err != nil {
		t.Fatal(err)
	}
	return db
}

// answers are the rows of a query of two columns, those that are equal spelled alike, in an order of their own.
func answers(rt *rapid.T, db *sql.DB, query string) string {
	out, err := tried(db, query)
	if err != nil {
		rt.Fatalf("%s: %v", query, err)
	}
	return out
}

// tried is answers, or the error.
func tried(db *sql.DB, query string) (string, error) {
	rows, err := db.Query(query)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var a, b any
		if err := rows.Scan(&a, &b); err != nil {
			return "", err
		}
		for _, v := range []*any{&a, &b} {
			switch is := (*v).(type) {
			case int64:
				*v = float64(is) // 1, 1.0
			case string:
				*v = "'" + strings.ToLower(is) + "'" // 'a', 'A'
			}
		}
		out = append(out, fmt.Sprint(a, " ", b))
	}
	slices.Sort(out)
	return strings.Join(out, "\n"), rows.Err()
}

package sqlite

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"txweave/dbms"
)

// TestWordsRespelledMeanTheSame: SQLite answers FILTER, NULLS FIRST and LAST, comparisons of rows, IS and IS NOT, and
// MATERIALIZED as it does what stands in their place.
func TestWordsRespelledMeanTheSame(t *testing.T) {
	db := mixed(t)
	setting := &dbms.PlanSetting{Respelled: true, Dialect: tree}
	rapid.Check(t, func(rt *rapid.T) {
		draw := func(what ...string) string { return rapid.SampledFrom(what).Draw(rt, "part") }
		a, b := "r."+draw(mixedColumns...), "r."+draw(mixedColumns...)
		literal := draw("1", "'1'", "'a'", "- 2.5", "0", "'A'")
		query, less := "", ""
		switch rapid.IntRange(0, 5).Draw(rt, "form") {
		case 0:
			query = fmt.Sprintf(draw("SELECT 1, %s FROM t0 AS r", "SELECT r.i, %s FROM t0 AS r GROUP BY r.i",
				"SELECT r.pkey, %s OVER (PARTITION BY r.i) FROM t0 AS r"),
				draw("COUNT("+a+")", "COUNT(*)", "SUM(r.i)", "TOTAL(r.pkey)")+" FILTER (WHERE "+draw(b+" > "+literal,
					b+" IS NOT NULL", "r.pkey IN (1, 2, 5)", "0")+")")
			less = " FILTER (WHERE r.pkey "
			if !strings.Contains(query, "FILTER (WHERE r.pkey") {
				less = " FILTER (WHERE " + b
			}
		case 1:
			query = "SELECT * FROM (SELECT " + a + " AS e0, r.pkey AS e1 FROM t0 AS r ORDER BY " + a +
				draw("", " ASC", " DESC") + draw(" NULLS LAST", " NULLS FIRST") + ", r.pkey LIMIT 5 OFFSET 2) AS d"
			less = "NULLS"
		case 2:
			query = fmt.Sprintf("SELECT r.pkey, 1 FROM t0 AS r WHERE %s(%s, %s, r.pkey) %s (%s, %s, 7)",
				draw("", "NOT ", "r.pkey > 2 AND "), a, b,
				draw("<", "<=", ">", ">=", "=", "<>", "!="), literal, draw("1", "'a'", "NULL"))
			less = ", r.pkey)"
		case 3:
			less = a + draw(" IS ", " IS NOT ") + draw(b, literal)
			query = fmt.Sprintf("SELECT r.pkey, %[1]s FROM t0 AS r WHERE %[1]s OR r.pkey = 3", less)
		case 4:
			query = fmt.Sprintf("SELECT r.pkey, %[1]s FROM t0 AS r WHERE r.pkey = 3 OR %[1]s",
				fmt.Sprintf("(%s, %s)%s IN (SELECT %ss.%s, s.%s FROM t1 AS s%s)", a, b, draw("", " NOT"), draw("", "DISTINCT "),
					draw(mixedColumns...), draw(mixedColumns...), draw("", " WHERE s.pkey > 4", " WHERE 1 = 0",
						" WHERE s.pkey = r.pkey", " ORDER BY s.pkey LIMIT 3")))
			less = ") IN (SELECT"
			if strings.Contains(query, " NOT IN") {
				less = " NOT IN (SELECT"
			}
		default:
			query = "WITH q AS " + draw("", "NOT ") + "MATERIALIZED (SELECT r.pkey AS k, " + a +
				" AS v FROM t0 AS r) SELECT q.k, q.v FROM q WHERE q.v > " + literal
			less = strings.SplitN(query, "(", 2)[0]
		}
		respelled := setting.Query(query)
		if strings.Contains(respelled, less) {
			rt.Fatalf("%s is sent as %s", query, respelled)
		}
		if was, is := answers(rt, db, query), answers(rt, db, respelled); was != is {
			rt.Fatalf("%s\nanswers\n%s\n%s\nanswers\n%s", query, was, respelled, is)
		}
	})
}

// TestUpdatesRespelledMeanTheSame: an UPDATE … FROM that gives values of its own table does what the one with EXISTS in
// its place does.
func TestUpdatesRespelledMeanTheSame(t *testing.T) {
	db := mixed(t)
	setting := &dbms.PlanSetting{Respelled: true, Dialect: tree}
	rapid.Check(t, func(rt *rapid.T) {
		draw := func(what ...string) string { return rapid.SampledFrom(what).Draw(rt, "part") }
		column := draw(mixedColumns...)
		query := "UPDATE t0 SET b = " + draw("7", "t0.pkey + 1", "t0.i || 'x'") + ", x = " + draw("NULL", "t0.x") + " FROM " +
			draw("t1 AS r", "t1 AS r LEFT JOIN t1 AS s ON s.i = r.pkey",
				"(SELECT i, pkey, t, r, n, b, x, c FROM t1 WHERE pkey > 2) AS r", "t1 AS s, t1 AS r") +
			" WHERE " + draw("t0.pkey = r.pkey", "t0."+column+" = r."+column, "t0.i > r.i AND (r.t = 'a' OR t0.pkey IN (3, 4))",
			"1 = 0")
		respelled := setting.Query(query)
		if !strings.Contains(respelled, "EXISTS") {
			rt.Fatalf("%s is sent as %s", query, respelled)
		}
		after := func(update string) string {
			if _, err := db.Exec("SAVEPOINT one; " + update); err != nil {
				rt.Fatalf("%s: %v", update, err)
			}
			was := answers(rt, db, "SELECT pkey, b FROM t0") + answers(rt, db, "SELECT pkey, x FROM t0")
			if _, err := db.Exec("ROLLBACK TO one; RELEASE one"); err != nil {
				rt.Fatal(err)
			}
			return was
		}
		if was, is := after(query), after(respelled); was != is {
			rt.Fatalf("%s\nleaves\n%s\n%s\nleaves\n%s", query, was, respelled, is)
		}
	})
	for _, other := range []string{"UPDATE t0 SET b = r.i FROM t1 AS r WHERE r.pkey = t0.pkey",
		"UPDATE t0 SET b = (SELECT 1 FROM t1) FROM t1 AS r WHERE r.pkey = 1",
		"UPDATE t0 SET b = i IS DISTINCT FROM 3 WHERE i = 1"} {
		if got := setting.Query(other); strings.Contains(got, "EXISTS") {
			t.Errorf("%s is sent as %s", other, got)
		}
	}
}

// TestOddTextsRespelled: whatever words follow each other, a text is respelled or left as it is.
func TestOddTextsRespelled(t *testing.T) {
	setting := &dbms.PlanSetting{Respelled: true, Dialect: tree}
	words := strings.Fields(
		"SELECT UPDATE WITH t a 1 'x' ( ) , . = < > - IS NOT NULL DISTINCT FROM SET WHERE FILTER OVER ORDER BY NULLS FIRST " +
			"LAST DESC ROWS IN EXISTS UNION LIMIT AS MATERIALIZED " +
			"COUNT SUM MIN INDEXED FORCE INDEX JOIN LEFT ON AND OR CASE WHEN END RETURNING")
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 14).Draw(rt, "words"), " ")
		head := rapid.SampledFrom([]string{"", "SELECT a FROM t WHERE (a, a) ", "UPDATE t SET a = ",
			"SELECT SUM(a) FILTER (WHERE a) ", "SELECT a FROM t WHERE a "}).Draw(rt, "head")
		_ = setting.Query(head + text)
	})
}

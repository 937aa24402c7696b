package sqlite

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"txweave/dbms"
	"txweave/gen"
	"txweave/internal/testkit/effort"
	sqltree "txweave/sql"
	"txweave/testcase"
)

// Longer: go test ./dbms/sqlite -run GeneratedConditions -hidden 2000.
var hiddenCases = effort.Flag("hidden", 300, "cases whose conditions are hidden")

func hiding(t *testing.T) *dbms.PlanSetting {
	t.Helper()
	for _, p := range Levels() {
		if s := p.PlanSetting(dbms.OpaqueName); s != nil {
			return s
		}
	}
	t.Fatal("SQLite has no such setting")
	return nil
}

// TestConditionsAreHidden: each condition of a query or a write is the value of a CASE, whatever stands behind it, and
// no index is named; what is no condition stays, and so does all around.
func TestConditionsAreHidden(t *testing.T) {
	setting := hiding(t)
	said := strings.NewReplacer("[", "CASE WHEN (", "]", ") THEN TRUE ELSE FALSE END")
	for text, want := range map[string]string{
		"SELECT a FROM t WHERE a = 1":   "SELECT a FROM t WHERE [a = 1]",
		"select a from t where(a)and b": "select a from t where [(a)and b]",
		"SELECT a FROM t JOIN s ON t.a = s.a, u WHERE a OR b GROUP BY a": "SELECT a FROM t JOIN s ON [t.a = s.a], " +
			"u WHERE [a OR b] GROUP BY a",
		"SELECT a FROM t LEFT JOIN s ON left(t.a, 1) RIGHT JOIN u ON 1": "SELECT a FROM t LEFT JOIN s ON " +
			"[left(t.a, 1)] RIGHT JOIN u ON [1]",
		"SELECT a FROM t WHERE a IN (1, (SELECT b FROM s WHERE b)) ORDER BY a": "SELECT a FROM t WHERE [a IN (1, " +
			"(SELECT b FROM s WHERE [b]))] ORDER BY a",
		"SELECT COUNT(*) FILTER (WHERE a) FROM t GROUP BY b HAVING MAX(a) > 1": "SELECT COUNT(*) FILTER (WHERE [a]) " +
			"FROM t GROUP BY b HAVING [MAX(a) > 1]",
		"SELECT a FROM t WHERE CASE WHEN a THEN b END": "SELECT a FROM t WHERE [CASE WHEN a " +
			"THEN b END]",
		"SELECT a FROM t WHERE(a) UNION SELECT b FROM s WHERE b": "SELECT a FROM t WHERE [(a)] UNION " +
			"SELECT b FROM s WHERE [b]",
		"SELECT a FROM t WHERE a IS NOT DISTINCT FROM b": "SELECT a FROM t WHERE [a IS NOT " +
			"DISTINCT FROM b]",
		"SELECT a FROM t FULL JOIN s ON a LEFT JOIN u ON b WHERE c": "SELECT a FROM t FULL JOIN s ON a LEFT " +
			"JOIN u ON [b] WHERE [c]",
		"WITH c AS (SELECT a FROM t WHERE a) SELECT a FROM (t JOIN c ON b)": "WITH c AS (SELECT a FROM t WHERE [a]) " +
			"SELECT a FROM (t JOIN c ON [b])",
		"UPDATE t SET b = (SELECT c FROM s WHERE c) FROM s JOIN u ON a WHERE s.b": "UPDATE t SET b = (SELECT c FROM s " +
			"WHERE [c]) FROM s JOIN u ON [a] WHERE [s.b]",
		"DELETE FROM t WHERE a = 'x WHERE y' RETURNING a": "DELETE FROM t WHERE [a = 'x WHERE y'] " +
			"RETURNING a",
		"SELECT a /* WHERE a */ FROM t WHERE b -- all\n": "SELECT a /* WHERE a */ FROM t WHERE " +
			"[b] -- all\n",
		"INSERT INTO t SELECT a FROM s WHERE b ON CONFLICT DO NOTHING": "INSERT INTO t SELECT a FROM s WHERE " +
			"[b] ON CONFLICT DO NOTHING",
		"INSERT INTO t VALUES (1) ON CONFLICT (a) WHERE b DO UPDATE SET c = (SELECT 1 FROM s WHERE d) WHERE e": "INSERT INTO t VALUES (1) " +
			"ON CONFLICT (a) WHERE b DO UPDATE SET c = (SELECT 1 FROM s WHERE [d]) WHERE e",
		"CREATE TEMP TABLE s AS SELECT a FROM t NOT INDEXED WHERE b": "CREATE TEMP TABLE s AS SELECT a " +
			"FROM t WHERE [b]",
		"SELECT r.a FROM t AS r INDEXED BY i JOIN t AS q NOT INDEXED ON r.a = q.a": "SELECT r.a FROM t AS r JOIN t AS q " +
			"ON [r.a = q.a]",
		"UPDATE t INDEXED BY i SET a = 'NOT INDEXED'":                                "UPDATE t SET a = 'NOT INDEXED'",
		"SELECT a AS \"where\", t.[on] FROM t":                                       "",
		"SELECT a FROM t JOIN s USING (a)":                                           "",
		"CREATE TABLE s (a INT CHECK (a > 0))":                                       "",
		"CREATE TRIGGER r AFTER INSERT ON t WHEN a BEGIN DELETE FROM t WHERE b; END": "",
		"CREATE INDEX i ON t (a) WHERE b":                                            "",
		"SELECT a FROM t WHERE a AND":                                                "",
		"PRAGMA wal_checkpoint":                                                      "",
	} {
		if want = said.Replace(want); want == "" {
			want = text
		}
		if got := setting.Query(text); got != want {
			t.Errorf("%s\nis sent as %s\nwant       %s", text, got, want)
		}
	}
}

// uncovered takes the CASE around a condition away again.
func uncovered(n sqltree.Node) sqltree.Node {
	c, ok := n.(*sqltree.Case)
	if !ok || c.Operand != nil || c.Else == nil || len(c.Whens) != 1 || sqltree.Tell(c.Else) !=
		"(Literal Kind:bool Text:FALSE)" {
		return n
	}
	if p, ok := c.Whens[0].Cond.(*sqltree.Paren); ok && sqltree.Tell(c.Whens[0].Result) ==
		"(Literal Kind:bool Text:TRUE)" {
		return p.X
	}
	return n
}

// bareConditions counts the conditions of a tree that are no CASE, but those of FULL JOIN.
func bareConditions(stmt sqltree.Stmt) (bare int) {
	count := func(conditions ...sqltree.Expr) {
		for _, x := range conditions {
			if x != nil && uncovered(x) == sqltree.Node(x) {
				bare++
			}
		}
	}
	sqltree.Walk(stmt, func(n sqltree.Node) bool {
		switch n := n.(type) {
		case *sqltree.Select:
			count(n.Where, n.Having)
		case *sqltree.Join:
			if n.Kind != sqltree.FullJoin {
				count(n.On)
			}
		case *sqltree.Call:
			count(n.Filter)
		case *sqltree.Update:
			count(n.Where)
		case *sqltree.Delete:
			count(n.Where)
		}
		return true
	})
	return bare
}

// filled is a generated case, and a database with its tables and rows.
func filled(t *testing.T, n int) (*testcase.Case, *sql.DB) {
	t.Helper()
	c, err := gen.Generate(gen.CaseSeed(51, n), Dialect, gen.Options{Isolation: "serializable"})
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	for _, s := range slices.Concat(c.Schema, c.Rows) {
		if _, err := db.ExecContext(t.Context(), s.SQL); err != nil {
			t.Fatal(s.SQL, err)
		}
	}
	return c, db
}

// holdHidden holds a statement against what is sent in its place, and says whether that is another one, and whether it
// was answered.
func holdHidden(t *testing.T, db *sql.DB, text, is string) (changed, answered bool) {
	t.Helper()
	stmt, err := tree.Parse(is)
	if err != nil {
		t.Fatal(is, err)
	}
	if bareConditions(stmt) > 0 {
		t.Errorf("%s\nis sent as\n%s", text, is)
	}
	if is == text {
		return false, false
	}
	was, err := tree.Print(sqltree.Rewrite(stmt, uncovered))
	if err != nil || was != text && !strings.Contains(text, "INDEXED") {
		t.Errorf("%s\nis sent as\n%s\nof which is left\n%s, %v", text, is, was, err)
	}
	if !strings.HasPrefix(text, "SELECT") && !strings.HasPrefix(text, "WITH") {
		return true, false
	}
	before := sortedAnswer(t, db, text)
	if strings.Contains(before, "no query solution") { // an index that the query has no use for
		return true, false
	}
	if now := sortedAnswer(t, db, is); before != now {
		t.Errorf("%s\nis sent as\n%s\nand answered\n%s\n%s", text, is, before, now)
	}
	return true, true
}

// TestGeneratedConditionsAreHidden: in no statement of the generator's a condition stays as it is; with the CASEs taken
// away it is the statement that it was, but for hints; and SQLite answers it alike.
func TestGeneratedConditionsAreHidden(t *testing.T) {
	setting := hiding(t)
	changed, answered := 0, 0
	for i := range hiddenCases() {
		c, db := filled(t, i)
		for _, txn := range c.Txns {
			for _, s := range txn.Stmts {
				another, alike := holdHidden(t, db, s.SQL, setting.Query(s.SQL))
				if another {
					changed++
				}
				if alike {
					answered++
				}
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if changed == 0 || answered == 0 {
		t.Errorf("%d statements were changed, %d of them answered", changed, answered)
	}
	t.Logf("%d statements, %d of them answered", changed, answered)
}

// sortedAnswer is what a query answers, in an order of its own, or the error.
func sortedAnswer(t *testing.T, db *sql.DB, query string) string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		return err.Error()
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for rows.Next() {
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(any)
		}
		if err := rows.Scan(values...); err != nil {
			t.Fatal(err)
		}
		var line strings.Builder
		for _, v := range values {
			fmt.Fprintf(&line, "%v|", *v.(*any))
		}
		out = append(out, line.String())
	}
	if err := rows.Err(); err != nil {
		return err.Error()
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

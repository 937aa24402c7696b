package signature

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"txweave/fault"
	"txweave/finding"
	"txweave/internal/testkit/said"
	"txweave/testcase"
)

// parse makes a case of target's statements, one transaction a list.
func parse(t *testing.T, target, schema string, txns ...string) *testcase.Case {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "txweave case 1\ntarget: %s\nisolation: serializable\n\n-- schema --\n%s\n", target, schema)
	for i, txn := range txns {
		fmt.Fprintf(&b, "\n-- T%d --\n%s\n", i, txn)
	}
	c, err := testcase.Parse("case", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func difference(stmt string) *finding.Finding {
	f := &finding.Finding{Class: finding.ClassReplay, Differences: []finding.Difference{{Stmt: stmt, Kind: "SELECT",
		What: fault.Rows}}}
	f.Sign()
	return f
}

// TestOf checks what counts and what does not. Statements stand in T0.S0 unless the situation says otherwise.
func TestOf(t *testing.T) {
	const plain = "CREATE TABLE t0 (pkey INT PRIMARY KEY, c0 INT);"
	final := &finding.Finding{Class: finding.ClassReplay, Signature: "f", Differences: []finding.Difference{
		{What: fault.Final}}}
	planned := &finding.Finding{Class: finding.ClassPlan, Signature: "p", Differences: []finding.Difference{
		{What: fault.Final}}}
	cycle := &finding.Finding{Class: finding.ClassIsolation, Signature: "i", Differences: []finding.Difference{
		{What: "G2-item"}}}
	for _, tc := range []struct {
		name, target, schema string
		txns                 []string
		f                    *finding.Finding
		want                 string
	}{
		{"nothing special", "mariadb", plain, []string{"BEGIN;\nSELECT pkey FROM t0;\nCOMMIT;"},
			difference("T0.S0"), "SELECT"},
		{"names and literals", "mariadb", "CREATE TABLE x (k INT PRIMARY KEY);",
			[]string{"BEGIN;\nSELECT k + 7 FROM x WHERE k <> 'b';\nCOMMIT;"},
			difference("T0.S0"), "SELECT arithmetic compare where"},
		{"other names and literals", "mariadb", plain,
			[]string{"BEGIN;\nSELECT 2 * pkey FROM t0 AS r WHERE r.c0 >= 1;\nCOMMIT;"},
			difference("T0.S0"), "SELECT arithmetic compare where"},
		{"clauses", "mariadb", plain,
			[]string{"BEGIN;\nSELECT DISTINCT c0, COUNT(*) FROM t0 GROUP BY c0 HAVING COUNT(*) > 1 ORDER BY c0 LIMIT " +
				"3;\nCOMMIT;"},
			difference("T0.S0"), "COUNT SELECT compare distinct group having limit order"},
		{"joins and subqueries", "mariadb", plain,
			[]string{"BEGIN;\nWITH q AS (SELECT 1) SELECT 1 FROM t0 LEFT JOIN (SELECT 1 AS x) d ON d.x IN (SELECT c0 FROM t0) " +
				"WHERE EXISTS (SELECT 1 UNION SELECT 2);\nCOMMIT;"},
			difference("T0.S0"), "SELECT compare cte derived exists join:left set-operation subquery where"},
		{"functions", "mariadb", plain,
			[]string{"BEGIN;\nSELECT substr(MAX(c0), 1), CASE WHEN c0 IS NULL THEN 1 END FROM t0 FOR UPDATE;\nCOMMIT;"},
			difference("T0.S0"), "MAX SELECT SUBSTR case is locking"},
		{"literals of time", "mariadb", plain, []string{"BEGIN;\nSELECT 1 FROM t0 WHERE c0 < DATE '2020-01-01';\nCOMMIT;"},
			difference("T0.S0"), "DATELITERAL SELECT compare where"},
		{"others read or write", "mariadb", plain, []string{"BEGIN;\nSELECT 1;\nCOMMIT;",
			"BEGIN;\nDELETE FROM t0 WHERE c0 IN (SELECT MAX(c0) FROM t0);\nINSERT INTO t0 VALUES (1, 1);\nROLLBACK;"},
			difference("T0.S0"), "ROLLBACK SELECT transactions write"},
		{"savepoints", "mariadb", plain, []string{"BEGIN;\nSAVEPOINT a;\nSELECT 1;\nROLLBACK TO a;\nCOMMIT;"},
			difference("T0.S1"), "SELECT early-savepoint savepoint"},
		{"a later savepoint", "mariadb", plain, []string{"BEGIN;\nSELECT 1;\nSAVEPOINT a;\nRELEASE SAVEPOINT a;\nCOMMIT;"},
			difference("T0.S0"), "SELECT savepoint"},
		{"the second statement", "mariadb", plain, []string{"BEGIN;\nSELECT COUNT(*) FROM t0;\nSELECT 1;\nCOMMIT;"},
			difference("T0.S1"), "SELECT read"},
		{"final contents: every statement", "mariadb", plain,
			[]string{"BEGIN;\nINSERT INTO t0 SELECT MIN(pkey), 1 FROM t0;\nUPDATE t0 SET c0 = c0 + 1;\nCOMMIT;"},
			final, "INSERT MIN UPDATE insert-select"},
		{"final contents under another plan: the same", "mariadb", plain,
			[]string{"BEGIN;\nUPDATE t0 SET c0 = c0 + 1 WHERE (SELECT 1 FROM t0);\nCOMMIT;"}, planned, "UPDATE subquery"},
		{"transactions as a whole", "mariadb", plain, []string{"BEGIN;\nSELECT MAX(c0) FROM t0;\nCOMMIT;",
			"BEGIN;\nDELETE FROM t0;\nCOMMIT;"},
			cycle, "read transactions write"},
		{"how transactions begin", "mariadb", plain,
			[]string{"START TRANSACTION WITH CONSISTENT SNAPSHOT;\nSELECT 1;\nCOMMIT;"},
			difference("T0.S0"), "SELECT begin:WITH-CONSISTENT-SNAPSHOT"},
		{"when it locks is no matter", "sqlite", plain, []string{"BEGIN IMMEDIATE;\nSELECT 1;\nCOMMIT;"},
			difference("T0.S0"), "SELECT"},
		{"indexes", "mariadb", "CREATE TABLE t0 (pkey INT PRIMARY KEY, c0 INT, UNIQUE KEY i (c0));",
			[]string{"BEGIN;\nSELECT 1;\nCOMMIT;"},
			difference("T0.S0"), "SELECT index unique"},
		{"an index of its own", "sqlite", "CREATE TABLE t0 (pkey INT PRIMARY KEY, c0 INT);\nCREATE INDEX i ON t0 (c0);",
			[]string{"BEGIN;\nSELECT 1;\nCOMMIT;"},
			difference("T0.S0"), "SELECT index"},
		{"|| concatenates", "sqlite", plain, []string{"BEGIN;\nSELECT 'a' || 'b';\nCOMMIT;"}, difference("T0.S0"),
			"CONCAT SELECT"},
		{"|| is OR", "mariadb", plain, []string{"BEGIN;\nSELECT 1 || 0;\nCOMMIT;"}, difference("T0.S0"), "SELECT logic"},
		{"joined tables that are written", "mariadb", plain,
			[]string{"BEGIN;\nUPDATE t0 LEFT JOIN t0 AS r ON 0 SET t0.c0 = 1;\nCOMMIT;"}, difference("T0.S0"),
			"UPDATE join:left joined-write"},
		{"joined tables that a write reads", "mariadb", plain,
			[]string{"BEGIN;\nUPDATE t0 SET c0 = 1 WHERE 1 IN (SELECT 1 FROM t0 AS q LEFT JOIN t0 AS r ON 0);\nCOMMIT;"},
			difference("T0.S0"),
			"UPDATE compare join:left subquery"},
		{"a table that the grammar does not read", "mariadb",
			"CREATE TABLE t0 (pkey INT PRIMARY KEY, c0 INET6 UNIQUE, c1 INT AS (pkey) VIRTUAL, INDEX (c1)) WITH SYSTEM " +
				"VERSIONING;",
			[]string{"BEGIN;\nSELECT 1;\nCOMMIT;"}, difference("T0.S0"), "SELECT index unique versioned virtual-column"},
		{"what the parser does not read", "mariadb", plain,
			[]string{"BEGIN;\nDELETE FROM t0 FOR PORTION OF p FROM 1 TO 2;\nCOMMIT;"}, difference("T0.S0"), "DELETE unparsed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := Of(tc.f, parse(t, tc.target, tc.schema, tc.txns...))
			if s := strings.Join(got.Features, " "); s != tc.want || got.Coarse != tc.f.Signature || got.Minimal {
				t.Errorf("%+v, want {%s}", got, tc.want)
			}
		})
	}
}

// TestOrder: of a case with a stale read it counts whether two are of one session, and whether one has
// two statements of one table, or of two; not where another cause is known.
func TestOrder(t *testing.T) {
	const text = "txweave case 1\ntarget: sqlite\nisolation: serializable\n\n-- schema --\nCREATE TABLE t (pkey INT);\n" +
		"CREATE TABLE u (pkey INT);\n\n"
	for _, tc := range []struct{ txns, want string }{
		{"-- T0 session 1 --\nBEGIN;\nDELETE FROM t;\nCOMMIT;\n\n-- T1 session 1 --\nBEGIN;\nDELETE FROM t;\nCOMMIT;\n",
			"session transactions write"},
		{"-- T0 session 1 --\nBEGIN;\nDELETE FROM t;\nCOMMIT;\n\n-- T1 session 2 --\nBEGIN;\nDELETE FROM t;\nCOMMIT;\n",
			"transactions write"},
		{"-- T0 --\nBEGIN;\nSELECT 1 FROM t;\nSELECT 2 FROM t;\nCOMMIT;\n", "read reads-again"},
		{"-- T0 --\nBEGIN;\nSELECT 1 FROM t, t AS r;\nCOMMIT;\n", "read"},
		{"-- T0 --\nBEGIN;\nSELECT 1 FROM t;\nSELECT 2 FROM u;\nCOMMIT;\n", "read reads-on"},
	} {
		c, err := testcase.Parse("test", []byte(text+tc.txns))
		if err != nil {
			t.Fatal(err)
		}
		f := &finding.Finding{Class: finding.ClassSnapshot, Cause: finding.CauseStale}
		if got := strings.Join(Of(f, c).Features, " "); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.txns, got, tc.want)
		}
		f.Cause = finding.CauseLost
		if got := strings.Join(Of(f, c).Features, " "); strings.Contains(got, "session") || strings.Contains(got, "reads") {
			t.Errorf("%s: %s, though a lost write is the cause", tc.txns, got)
		}
	}
}

// TestBlamed: only a transaction that the finding names, and that undid something by going back to a savepoint set
// before all else, is told of.
func TestBlamed(t *testing.T) {
	const text = "txweave case 1\ntarget: mariadb\nisolation: repeatable-read\n\n-- schema --\nCREATE TABLE t (pkey INT);\n\n" +
		"-- T0 --\nBEGIN;\n%s;\nCOMMIT;\n\n-- T1 --\nBEGIN;\nSAVEPOINT a;\nSELECT 1 FROM t;\nROLLBACK TO a;\nCOMMIT;\n"
	for stmts, want := range map[string]bool{
		"SAVEPOINT a;\nSELECT 1 FROM t;\nROLLBACK TO a":                             true,
		"SAVEPOINT a;\nSAVEPOINT b;\nSELECT 1 FROM t;\nSAVEPOINT c;\nROLLBACK TO a": true,
		"SAVEPOINT a;\nSELECT 1 FROM t;\nSAVEPOINT b;\nROLLBACK TO b":               false,
		"SAVEPOINT a;\nROLLBACK TO a;\nSELECT 1 FROM t":                             false,
		"SELECT 1 FROM t;\nSAVEPOINT a;\nSELECT 1 FROM t;\nROLLBACK TO a":           false,
		// the later one took its place
		"SAVEPOINT a;\nSELECT 1 FROM t;\nSAVEPOINT a;\nSELECT 1 FROM t;\nROLLBACK TO a":                   false,
		"SAVEPOINT a;\nSELECT 1 FROM t;\nRELEASE SAVEPOINT a;\nROLLBACK TO a":                             false,
		"SAVEPOINT a;\nSELECT 1 FROM t;\nROLLBACK TO a;\nSELECT 1 FROM t;\nSAVEPOINT b;\nSELECT 1 FROM t": true,
	} {
		c, err := testcase.Parse("case", fmt.Appendf(nil, text, stmts))
		if err != nil {
			t.Fatal(err)
		}
		f := &finding.Finding{Class: finding.ClassMechanism, Differences: []finding.Difference{
			{What: "x", Steps: said.Steps("T0 released its lock")}}}
		if got := Of(f, c).Blamed; slices.Equal(got, []string{WentBackEarly}) != want {
			t.Errorf("%s: %v, want %v", stmts, got, want)
		}
	}
}

// TestNamed: of each statement that the first difference names it is told what it has, where it locks, and whether the
// row is of partitions.
func TestNamed(t *testing.T) {
	const whole, parts = "CREATE TABLE t0 (pkey INT PRIMARY KEY, c0 INT);",
		"CREATE TABLE t0 (pkey INT PRIMARY KEY, c0 INT) PARTITION BY HASH (pkey) PARTITIONS 2;"
	const update = "BEGIN;\nUPDATE t0 SET c0 = 1;\nCOMMIT;"
	for _, c := range []struct{ schema, query, want string }{
		{parts, "SELECT pkey FROM t0 WHERE c0 IN (SELECT 1) FOR UPDATE",
			"[[UPDATE partitioned] [SELECT compare locking locks-outside-subqueries partitioned subquery where]]"},
		{whole, "SELECT pkey FROM t0 WHERE c0 IN (SELECT 1) FOR UPDATE",
			"[[UPDATE] [SELECT compare locking locks-outside-subqueries subquery where]]"},
		{parts, "SELECT pkey FROM t0 WHERE c0 IN (SELECT 1 FOR UPDATE) FOR UPDATE",
			"[[UPDATE partitioned] [SELECT compare locking partitioned subquery where]]"},
		{parts, "SELECT pkey FROM t0 WHERE c0 IN (SELECT 1 FOR UPDATE)",
			"[[UPDATE partitioned] [SELECT compare locking partitioned subquery where]]"},
		{parts, "SELECT pkey FROM t0 LOCK IN SHARE MODE",
			"[[UPDATE partitioned] [SELECT locking locks-outside-subqueries partitioned]]"},
	} {
		f := &finding.Finding{Class: finding.ClassMechanism, Signature: "a", Differences: []finding.Difference{
			{Stmt: "T1.S0", What: "x",
				Steps: said.Steps("T0.S0 locked (t0, 1) and T1.S0 did, before T0 had ended")}, {Stmt: "T2.S0"}}}
		got := Of(f, parse(t, "tidb", c.schema, "BEGIN;\n"+c.query+";\nCOMMIT;", update, update)).Named
		if s := fmt.Sprint(got); s != c.want {
			t.Errorf("%s, %s: %s, want %s", c.schema, c.query, s, c.want)
		}
	}
}

// TestReadsOwn: a statement that names what its transaction has written before tells so; one that another transaction's
// writes concern, or that stands before the write, does not.
func TestReadsOwn(t *testing.T) {
	const schema, query, write = "CREATE TABLE t0 (pkey INT PRIMARY KEY);\nCREATE TABLE t1 (pkey INT PRIMARY KEY);",
		"SELECT pkey FROM t0 WHERE pkey IN (SELECT pkey FROM t1)", "DELETE FROM t1"
	for stmts, want := range map[string]bool{
		write + ";\n" + query: true, query + ";\n" + write: false, "DELETE FROM t0;\n" + query: true,
		"SELECT pkey FROM t1;\n" + query: false,
	} {
		at := "T0.S1"
		if strings.HasPrefix(stmts, query) {
			at = "T0.S0"
		}
		f := &finding.Finding{Class: finding.ClassReplay, Signature: "a", Differences: []finding.Difference{
			{Stmt: at, What: fault.Rows}}}
		got := Of(f, parse(t, "tidb", schema, "BEGIN;\n"+stmts+";\nCOMMIT;", "BEGIN;\n"+write+";\nCOMMIT;")).Named
		if len(got) != 1 || slices.Contains(got[0], ReadsOwn) != want {
			t.Errorf("%s: %v, want %v", stmts, got, want)
		}
	}
}

// TestBlamedStatement: what the statement that differs first has is told of a large case, too; what others have is not.
func TestBlamedStatement(t *testing.T) {
	c := parse(t, "tidb", "CREATE TABLE t0 (pkey INT PRIMARY KEY);",
		"BEGIN;\nSELECT pkey FROM t0 ORDER BY pkey DESC;\nSELECT 1 UNION SELECT pkey FROM t0;\nCOMMIT;")
	for stmt, want := range map[string]string{"T0.S0": "[in:desc in:order]", "T0.S1": "[in:set-operation]", "": "[]",
		"T1.S0": "[]"} {
		if got := fmt.Sprint(Of(difference(stmt), c).Blamed); got != want {
			t.Errorf("%q: %s, want %s", stmt, got, want)
		}
	}
	const schema = "CREATE TABLE t0 (pkey INT PRIMARY KEY, a INT, g INT GENERATED ALWAYS AS (a + 1) VIRTUAL);\n" +
		"CREATE TABLE t1 (pkey INT PRIMARY KEY, h INT GENERATED ALWAYS AS (pkey) STORED) PARTITION BY HASH (pkey) " +
		"PARTITIONS 2;\n" +
		"CREATE TABLE t2 (pkey INT PRIMARY KEY, a INT, g INT GENERATED ALWAYS AS (a) STORED, h INT AS (a + 1));\n" +
		"CREATE TABLE t3 (pkey INT PRIMARY KEY, g INT);"
	for sql, want := range map[string]string{
		"SELECT MIN(r0.g) FROM t0 AS r0": "[in:MIN in:MIN-of-virtual]", "SELECT MIN(g) FROM t0": "[in:MIN in:MIN-of-virtual]",
		"SELECT MIN(a) FROM t0 GROUP BY g": "[in:MIN in:group]",
		"SELECT MIN(h) FROM t1":            "[in:MIN in:partitioned]", "DELETE FROM t1": "[in:partitioned]",
		"SELECT MIN(t0.G) FROM t0, t3": "[in:MIN in:MIN-of-virtual in:join:inner]",
		"SELECT MIN(`h`) FROM t2 AS r": "[in:MIN in:MIN-of-virtual]",
		// columns of one name
		"SELECT MIN(g) FROM t2": "[in:MIN]", "SELECT MIN(g) FROM t3": "[in:MIN]",
		"SELECT MIN(r.g) FROM t0 JOIN t3 AS r": "[in:MIN in:join:inner]",
		// whose it is, is not told: as good as none
		"SELECT MIN(g) FROM t3 WHERE pkey IN (SELECT g FROM t0)": "[in:MIN in:compare in:subquery in:where]",
	} {
		if got := fmt.Sprint(Of(difference("T0.S0"), parse(t, "tidb", schema, "BEGIN;\n"+sql+";\nCOMMIT;")).Blamed); got !=
			want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
}

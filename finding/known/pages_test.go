package known

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"txweave/fault"
	"txweave/finding"
	"txweave/finding/signature"
	"txweave/internal/testkit/said"
)

// Why no entry is there for a page.
const (
	anyPlan    = "a wrong plan of a query, of which neither the signature nor the statement tells that it is this bug: an entry would take others along"
	inCampaign = "no campaign shows it: it was looked into by hand, or comes without a signature of its own"
)

// untold are the pages that no entry is about, with the reason.
var untold = map[string]string{
	"mariadb-create-select-rollback": "its signatures, lost-savepoint and dirty-read, are those of any lost " +
		"transaction; 11.8.6 alone has it",
	"mariadb-index-lookup-rounds":         anyPlan,
	"mariadb-join-buffers-outer-join":     anyPlan,
	"mariadb-long-fork":                   "a violation of the level as any other: only its interleaving tells it",
	"mariadb-materialized-condition-lost": anyPlan,
	"mariadb-min-constant-outer-join":     anyPlan,
	"mariadb-not-in-lateral-derived":      anyPlan,
	"mariadb-not-in-materialized-null":    anyPlan,
	"mariadb-partition-crash": "it takes a server that is killed: the damage, error 1696, is that of any " +
		"change of partitions that was cut off",
	"mariadb-row-in-partition-join":    anyPlan,
	"mariadb-subquery-cache-collation": anyPlan,
	"mariadb-text-from-changed-column": "what went before decides, and other contents at the end tell nothing of the " +
		"statement",
	"mariadb-update-derived-half-changed": anyPlan,
	"mariadb-update-joined-new-values":    anyPlan,
	"mariadb-virtual-index-trigger": "corruption/1034 is what any damaged index is answered with, and a trigger " +
		"is no feature of a case",
	"mariadb-weedout-lost-rows":     anyPlan,
	"mariadb-window-constant-order": anyPlan,
	"mariadb-xa-commit-lost": "a lock that is kept is what any lost COMMIT leaves: storms alone meet it, " +
		"in a race",
	"mysql-constant-outer-join": anyPlan,
	"mysql-cte-twice-limit":     anyPlan,
	"mysql-partition-update-order": "what went before decides, and the statement that changes another row is any " +
		"UPDATE … ORDER BY … LIMIT of a partitioned table",
	"mysql-rollup-impossible-where":   anyPlan,
	"postgresql-on-conflict-nothing":  inCampaign,
	"postgresql-safe-snapshot-pids":   inCampaign,
	"sqlite-right-join-row-in":        anyPlan,
	"sqlite-trigger-row-affinity":     inCampaign,
	"sqlite-using-stale-schema":       inCampaign,
	"tidb-aggregate-pushed-collation": anyPlan,
	"tidb-batch-get-stale-absence":    anyPlan,
	"tidb-delete-affected-own-rows":   anyPlan,
	"tidb-killed-session-panic":       inCampaign,
	"tidb-null-aware-semi-join-twice": anyPlan,
	"tidb-outer-join-reorder":         anyPlan,
	"tidb-partition-update-warning":   anyPlan,
	"tidb-savepoint-waits":            inCampaign,
	"tidb-unique-key-old-entry":       anyPlan,
	"tidb-unistore-lock-conflict":     inCampaign,
	"tidb-update-derived-window":      anyPlan,
	"tidb-update-subquery-is-null":    anyPlan,
}

// TestPages: each page of a finding is one that an entry links to, or has the link of an entry, or it is listed with
// the reason why there is no entry; and what an entry links to is there.
func TestPages(t *testing.T) {
	bugs, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join("..", "..", Pages, "*.md"))
	if err != nil || len(paths) < 50 {
		t.Fatal(len(paths), err)
	}
	left := maps.Clone(untold)
	pages := map[string]bool{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		page := Pages + filepath.Base(path)
		pages[page] = true
		named := slices.ContainsFunc(bugs, func(b *Entry) bool {
			return b.Link == page || strings.Contains(string(text), b.Link)
		})
		name := strings.TrimSuffix(filepath.Base(path), ".md")
		if _, listed := untold[name]; named == listed {
			t.Errorf("%s: an entry is about it: %v; listed as one that none can match: %v", page, named, listed)
		}
		delete(left, name)
	}
	for name := range left {
		t.Errorf("there is no page %s", name)
	}
	for _, b := range bugs {
		if strings.HasPrefix(b.Link, Pages) && !pages[b.Link] {
			t.Errorf("%s: there is no %s", b.Name, b.Link)
		}
	}
}

// TestOwnPages holds the entries about pages of this project to the statements that these tell, and to twins that are
// other bugs.
func TestOwnPages(t *testing.T) {
	bugs, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	const plan = "plan-difference/SELECT:rows"
	for _, c := range []struct{ name, signature, sql, detail string }{
		{"mariadb-rebuild-snapshot", "mechanism-violation/missing-row-after-rebuild", "", ""},
		{"", "mechanism-violation/missing-row", "", ""},
		{"mariadb-online-index-snapshot", "mechanism-violation/missing-row-after-index-build", "", ""},
		{"", "mechanism-violation/aborted-read-after-repartitioning", "", ""}, // 11.8's
		{"", "mechanism-violation/stale-read-after-rebuild", "", ""},          // 11.8's, too
		{"mariadb-killed-delete", "mechanism-violation/missing-row-after-kill", "", ""},
		{"mariadb-skip-locked-timeout", "unexpected-error/1180", "",
			`SELECT 1 FROM t0 FOR UPDATE SKIP LOCKED: error 1180: Got error 1 "Operation not permitted" during COMMIT`},
		{"", "unexpected-error/1180", "",
			`SELECT 1 FROM t0 FOR UPDATE: error 1180: Got error 1 "Operation not permitted" during COMMIT`},
		{"mariadb-nested-with", "unexpected-error/1146", "",
			"WITH q0 AS (SELECT 1 AS a) SELECT (WITH q1 AS (SELECT a FROM q0) SELECT 1): error 1146: Table 'x.q0' doesn't exist"},
		{"", "unexpected-error/1146", "", "SELECT 1 FROM t0: error 1146: Table 'x.t0' doesn't exist"},
		{"mariadb-rollup-distinct-unique", plan,
			"SELECT r0.pkey AS e0, COUNT(DISTINCT r0.c0) AS e1 FROM t0 AS r0 GROUP BY r0.pkey WITH ROLLUP", ""},
		{"", plan, "SELECT r0.pkey AS e0, COUNT(r0.c0) AS e1 FROM t0 AS r0 GROUP BY r0.pkey WITH ROLLUP", ""},
		{"", plan, "SELECT r0.pkey AS e0, COUNT(DISTINCT r0.c0) AS e1 FROM t0 AS r0 GROUP BY r0.pkey", ""},
		{"mariadb-rollup-merged", plan,
			"SELECT r1.e0 + 0, COUNT(*) FROM (SELECT r0.c0 AS e0 FROM t0 AS r0) AS r1 GROUP BY r1.e0 + 0 WITH ROLLUP", ""},
		{"", plan, "SELECT r1.e0 + 0, COUNT(*) FROM (SELECT r0.c0 AS e0 FROM t0 AS r0) AS r1 GROUP BY r1.e0 + 0", ""},
		{"mariadb-window-merged-column", plan,
			"SELECT q.pkey, MIN(q.c0) OVER () FROM (SELECT * FROM t0) AS q WHERE q.c0 NOT IN (SELECT r.c0 FROM t0 AS r WHERE " +
				"r.c0 = q.c0)", ""},
		{"", plan, "SELECT q.pkey, MIN(q.c0) OVER () FROM t0 AS q WHERE q.c0 NOT IN (SELECT r.c0 FROM t0 AS r WHERE r.c0 = " +
			"q.c0)", ""},
		{"mariadb-window-in-subquery", "inconsistent-read-write/UPDATE:matched-versus-written",
			"UPDATE t0 SET c0 = 2 WHERE 1 IN (SELECT COUNT(1) OVER (ORDER BY r.c0) FROM t1 AS r)", ""},
		{"", "inconsistent-read-write/UPDATE:matched-versus-written",
			"UPDATE t0 SET c0 = 2 WHERE 1 IN (SELECT r.c0 FROM t1 AS r)", ""},
		{"mariadb-update-ignore-counts", "inconsistent-read-write/UPDATE:affected-versus-written",
			"UPDATE IGNORE t0 AS r0, t1 AS r1 SET r0.c0 = 3", ""},
		{"", "inconsistent-read-write/UPDATE:affected-versus-written", "UPDATE IGNORE t0 SET c0 = 3", ""},
		{"mariadb-delete-ignore-returning", "inconsistent-read-write/DELETE:affected-versus-written",
			"DELETE IGNORE FROM t0 RETURNING pkey", ""},
		{"", "inconsistent-read-write/DELETE:affected-versus-written", "DELETE FROM t0 RETURNING pkey", ""},
		{"mariadb-prepared-merged-derived-crash", "crash/mark_select_range_as_dependent<Item_field::fix_outer_field", "", ""},
		{"mariadb-window-view-alias-crash", "crash/setup_group<setup_windows", "", ""},
		{"", "crash/setup_group<JOIN::prepare", "", ""},
	} {
		text := "txweave case 1\ntarget: mariadb\nisolation: repeatable-read\n\n-- schema --\nCREATE TABLE t0 (pkey BIGINT " +
			"NOT NULL PRIMARY KEY, c0 INT);\n\n-- T0 --\nBEGIN;\n" +
			c.sql + ";\nCOMMIT;\n\n-- schedule --\nT0 T0 T0\n"
		f := &finding.Finding{Signature: c.signature, Differences: []finding.Difference{
			{Stmt: "T0.S0", Steps: said.Steps(c.detail)}}}
		of := bugs.In(&finding.Environment{DBMS: "mariadb", Version: "10.11.19-MariaDB", Isolation: "repeatable-read"})
		got := ""
		if b := of.Match(f, signature.OfText(f, []byte(text))); b != nil {
			got = b.Name
		}
		if got != c.name {
			t.Errorf("%s %s%s: %q, want %q", c.signature, c.sql, c.detail, got, c.name)
		}
	}
}

// told is a finding of a reduced case, and the entry that it is to match.
type told struct {
	name, target, plan, signature string
	schema, sql                   string
}

const (
	rowNumber = "pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL"
	dangling  = "corruption/integrity (a foreign key of c names a row that p does not have)"
	planRows  = "plan-difference/SELECT:rows"
	found     = "plan-difference/UPDATE:matched-versus-affected"
)

// toldOf are the statements of pages about other servers, as a reduction leaves them, each before twins that are other
// bugs.
var toldOf = []told{
	{"mysql-cascade-errors-unsaid", "mysql", "", "inconsistent-read-write/DELETE:transaction-gone",
		"CREATE TABLE t (" + rowNumber + ", c0 BIGINT, FOREIGN KEY (c0) REFERENCES t (pkey) ON DELETE SET NULL)",
		"DELETE FROM t WHERE pkey = 1"},
	{"", "mysql", "", "inconsistent-read-write/DELETE:transaction-gone",
		"CREATE TABLE t (" + rowNumber + ", c0 BIGINT, FOREIGN KEY (c0) REFERENCES t (pkey))",
		"DELETE FROM t WHERE pkey = 1"},
	{"mysql-cascade-errors-unsaid-savepoint", "mysql", "", "inconsistent-read-write/ROLLBACK TO:lost-savepoint",
		"CREATE TABLE t (" + rowNumber + ", c0 BIGINT, FOREIGN KEY (c0) REFERENCES t (pkey) ON DELETE SET NULL)",
		"DELETE FROM t WHERE pkey = 1"},
	{"", "mysql", "", "inconsistent-read-write/ROLLBACK TO:lost-savepoint",
		"CREATE TABLE t (" + rowNumber + ", c0 BIGINT)", "DELETE FROM t WHERE pkey = 1"},
	{"mysql-foreign-key-null-beside", "mysql", "", dangling,
		"CREATE TABLE c (" + rowNumber + ", c0 BIGINT, c1 INT, FOREIGN KEY (c0) REFERENCES p (pkey), INDEX i0 (c0, c1))",
		"INSERT INTO c VALUES (5, 101, 0, 7, NULL)"},
	{"", "mysql", "", dangling,
		"CREATE TABLE c (" + rowNumber + ", c0 BIGINT, c1 INT, FOREIGN KEY (c0) REFERENCES p (pkey), INDEX i0 (c0, c1))",
		"INSERT INTO c VALUES (5, 101, 0, 7, 1)"},
	{"", "mysql", "", dangling,
		"CREATE TABLE c (" + rowNumber + ", c0 BIGINT, c1 INT, FOREIGN KEY (c0) REFERENCES p (pkey))",
		"INSERT INTO c VALUES (5, 101, 0, 7, NULL)"},
	{"mysql-ignore-cascade-kept", "mysql", "", dangling,
		"CREATE TABLE c (" + rowNumber + ", c0 INT, FOREIGN KEY (c0) REFERENCES t (c0) ON UPDATE CASCADE); CREATE TABLE t (" +
			rowNumber + ", c0 INT UNIQUE)", "UPDATE IGNORE t SET c0 = 1"},
	{"", "mysql", "", dangling,
		"CREATE TABLE c (" + rowNumber + ", c0 INT, FOREIGN KEY (c0) REFERENCES t (c0)); CREATE TABLE t (" + rowNumber +
			", c0 INT UNIQUE)", "UPDATE IGNORE t SET c0 = 1"},
	{"mysql-functional-index-outer-join", "mysql", "no-indexes", planRows,
		"CREATE TABLE t (" + rowNumber + ", c0 INT); CREATE INDEX i0 ON t ((COALESCE(c0, 4)))",
		"SELECT 1 FROM t LEFT JOIN t AS r0 ON 0 WHERE COALESCE(r0.c0, 4) <= 1"},
	{"", "mysql", "no-indexes", planRows, "CREATE TABLE t (" + rowNumber + ", c0 INT); CREATE INDEX i0 ON t (c0)",
		"SELECT 1 FROM t LEFT JOIN t AS r0 ON 0 WHERE COALESCE(r0.c0, 4) <= 1"},
	{"mysql-partition-pruned-outer-join", "mysql", "opaque-conditions/conditions", planRows,
		"CREATE TABLE t (" + rowNumber + ", c0 INT) PARTITION BY HASH (pkey) PARTITIONS 2",
		"SELECT 1 FROM t LEFT JOIN (SELECT c0 FROM t) AS r0 ON 1 WHERE r0.c0 IS NULL"},
	{"", "mysql", "opaque-conditions/conditions", planRows, "CREATE TABLE t (" + rowNumber + ", c0 INT)",
		"SELECT 1 FROM t LEFT JOIN (SELECT c0 FROM t) AS r0 ON 1 WHERE r0.c0 IS NULL"},
	{"mysql-repeat-of-subquery", "mysql", "no-indexes", planRows,
		"CREATE TABLE t (" + rowNumber + ", c0 INT, INDEX i0 (c0))", "SELECT c0, REPEAT((SELECT 'a' FROM t), 2) FROM t"},
	{"", "mysql", "no-indexes", planRows, "CREATE TABLE t (" + rowNumber + ", c0 INT, INDEX i0 (c0))",
		"SELECT c0, REPEAT('a', (SELECT 1 FROM t)) FROM t"},
	{"mysql-row-comparison-outer-join", "mysql", "opaque-conditions/conditions", planRows,
		"CREATE TABLE t (" + rowNumber + ", c0 INT)",
		"SELECT 1 FROM t LEFT JOIN t AS r0 ON 0 WHERE ROW(1, r0.c0) < ROW(14, 1)"},
	{"mysql-row-comparison-outer-join-mariadb", "mariadb", "opaque-conditions/conditions", planRows,
		"CREATE TABLE t (" + rowNumber + ", c0 INT)",
		"SELECT 1 FROM t LEFT JOIN t AS r0 ON 0 WHERE ROW(1, r0.c0) < ROW(14, 1)"},
	{"mysql-row-comparison-outer-join-mariadb", "mariadb", "opaque-conditions/conditions",
		"plan-difference/DELETE:affected", "CREATE TABLE t (" + rowNumber + ", c0 INT)",
		"DELETE FROM t WHERE (SELECT 1 FROM (SELECT 1 FROM t LEFT JOIN t AS r0 ON NULL WHERE NOT ROW(0, r0.c0) IN (ROW(1, " +
			"1))) AS r2)"},
	{"", "mysql", "opaque-conditions/conditions", planRows, "CREATE TABLE t (" + rowNumber + ", c0 INT)",
		"SELECT 1 FROM t LEFT JOIN t AS r0 ON 0 WHERE r0.c0 < 14"},
	{"", "mysql", "no-indexes", planRows, "CREATE TABLE t (" + rowNumber + ", c0 INT)",
		"SELECT 1 FROM t LEFT JOIN t AS r0 ON 0 WHERE ROW(1, r0.c0) < ROW(14, 1)"},
	{"mysql-year-range", "mysql", "", "inconsistent-read-write/SELECT:search-versus-rows",
		"CREATE TABLE t (" + rowNumber + ", c0 YEAR, INDEX i0 (c0))", "SELECT 1 FROM t WHERE c0 BETWEEN 1 AND 2158"},
	{"mysql-year-range-mariadb", "mariadb", "", "inconsistent-read-write/SELECT:search-versus-rows",
		"CREATE TABLE t (" + rowNumber + ", c0 YEAR, INDEX i0 (c0))", "SELECT 1 FROM t WHERE c0 <= 2158"},
	{"", "mysql", "", "inconsistent-read-write/SELECT:search-versus-rows",
		"CREATE TABLE t (" + rowNumber + ", c0 YEAR, INDEX i0 (c0))", "SELECT 1 FROM t WHERE c0 BETWEEN 1 AND 2155"},
	{"", "mariadb", "", "inconsistent-read-write/SELECT:search-versus-rows",
		"CREATE TABLE t (" + rowNumber + ", c0 YEAR, INDEX i0 (c0))", "SELECT 1 FROM t WHERE pkey <= 2147483647"},
	{"", "mysql", "", "inconsistent-read-write/SELECT:search-versus-rows",
		"CREATE TABLE t (" + rowNumber + ", c0 YEAR, INDEX i0 (c0))", "SELECT 1 FROM t WHERE pkey BETWEEN 1 AND 100000"},
	{"", "mysql", "", "inconsistent-read-write/SELECT:search-versus-rows",
		"CREATE TABLE t (" + rowNumber + ", c0 INT, INDEX i0 (c0))", "SELECT 1 FROM t WHERE c0 BETWEEN 1 AND 2158"},
	{"sqlite-not-in-descending-index", "sqlite", "copies", planRows,
		"CREATE TABLE t (" + rowNumber + ", c0 INT); CREATE INDEX i0 ON t (c0 DESC)",
		"SELECT 1 FROM t WHERE 1 NOT IN (SELECT c0 FROM t)"},
	{"", "sqlite", "copies", planRows, "CREATE TABLE t (" + rowNumber + ", c0 INT); CREATE INDEX i0 ON t (c0)",
		"SELECT 1 FROM t WHERE 1 NOT IN (SELECT c0 FROM t)"},
	{"sqlite-replace-self-reference", "sqlite", "", dangling,
		"CREATE TABLE t (" + rowNumber + ", c0 BIGINT REFERENCES t (pkey) ON DELETE SET NULL)",
		"REPLACE INTO t VALUES (5, 101, 0, 7)"},
	{"", "sqlite", "", dangling, "CREATE TABLE t (" + rowNumber + ", c0 BIGINT REFERENCES t (pkey) ON DELETE SET NULL)",
		"INSERT INTO t VALUES (5, 101, 0, 7)"},
	{"", "sqlite", "", dangling, "CREATE TABLE t (" + rowNumber + ", c0 BIGINT REFERENCES p (pkey) ON DELETE SET NULL)",
		"REPLACE INTO t VALUES (5, 101, 0, 7)"},
	{"tidb-rollup-using-panic", "tidb", "",
		"crash/github.com/pingcap/tidb/pkg/planner/core.(*PlanBuilder).buildExpand<github.com/pingcap/tidb/pkg/planner/core.(*PlanBuilder).buildSelect", "", ""},
	{"tidb-unistore-virtual-column-crash", "tidb", "",
		"crash/github.com/pingcap/tidb/pkg/kv.IntHandle.EncodedCol<github.com/pingcap/tidb/pkg/util/rowcodec.(*ChunkDecoder).tryAppendHandleColumn<x", "", ""},
	{"", "tidb", "", "crash/github.com/pingcap/tidb/pkg/planner/core.(*PlanBuilder).buildSelect", "", ""},
	{"tidb-row-in-names-a-column-twice", "tidb", "no-indexes", planRows,
		"CREATE TABLE t (" + rowNumber + ", c0 INT, UNIQUE i0 (c0, vkey))",
		"SELECT pkey FROM t WHERE ROW(c0, c0) IN (ROW(2, 2))"},
	{"tidb-row-in-names-a-column-twice", "tidb", "", found,
		"CREATE TABLE t (" + rowNumber + ", c0 INT, UNIQUE i0 (c0, vkey))",
		"UPDATE t SET c0 = 1 WHERE (pkey, pkey) IN ((2, 2))"},
	{"", "tidb", "no-indexes", planRows, "CREATE TABLE t (" + rowNumber + ", c0 INT, UNIQUE i0 (c0, vkey))",
		"SELECT pkey FROM t WHERE ROW(c0, vkey) IN (ROW(2, 2))"},
	{"mariadb-virtual-index-purge", "mariadb", "",
		"corruption/integrity (txweave.c: Corrupt: InnoDB: Index g is marked as corrupted)",
		"CREATE TABLE c (" + rowNumber +
			", c0 BIGINT, g BIGINT AS (c0) VIRTUAL, INDEX (g), FOREIGN KEY (c0) REFERENCES p (pkey) ON DELETE SET NULL)",
		"DELETE FROM p"},
	{"mariadb-versioned-outer-join", "mariadb", "", "inconsistent-read-write/DELETE:matched-versus-written",
		"CREATE TABLE t (" + rowNumber + ") WITH SYSTEM VERSIONING",
		"DELETE FROM t WHERE 1 IN (SELECT 1 FROM t AS r0 LEFT JOIN t AS r1 ON FALSE)"},
	{"", "mariadb", "", "inconsistent-read-write/DELETE:matched-versus-written",
		"CREATE TABLE t (" + rowNumber + ") WITH SYSTEM VERSIONING",
		"DELETE FROM t WHERE 1 IN (SELECT 1 FROM t AS r0 JOIN t AS r1 ON FALSE)"},
	{"", "mariadb", "", "inconsistent-read-write/DELETE:matched-versus-written", "CREATE TABLE t (" + rowNumber + ")",
		"DELETE FROM t WHERE 1 IN (SELECT 1 FROM t AS r0 LEFT JOIN t AS r1 ON FALSE)"},
	{"mysql-row-comparison-outer-join-mariadb", "mariadb", "opaque-conditions/conditions", planRows,
		"CREATE TABLE t (" + rowNumber + ", c1 INT)",
		"SELECT 1 FROM t AS r0 LEFT JOIN t AS r1 ON 0 WHERE (r0.pkey, r1.c1) > (1, 1)"},
	{"", "mariadb", "opaque-conditions/conditions", planRows, "CREATE TABLE t (" + rowNumber + ", c1 INT)",
		"SELECT 1 FROM t AS r0 LEFT JOIN t AS r1 ON 0 WHERE GREATEST(r0.pkey, r1.c1) > 1"},
	{"mariadb-undetected-deadlock", "mariadb", "", "hang/undetected-deadlock",
		"CREATE TABLE t (" + rowNumber + ", c0 INT, INDEX i0 (c0))", "UPDATE t SET c0 = 1"},
	{"", "mariadb", "", "hang/undetected-deadlock", "CREATE TABLE t (" + rowNumber + ", c0 INT)", "UPDATE t SET c0 = 1"},
	{"", "mariadb", "", "hang/lock-kept", "CREATE TABLE t (" + rowNumber + ", c0 INT, INDEX i0 (c0))",
		"UPDATE t SET c0 = 1"},
	{"", "mariadb", "", dangling,
		"CREATE TABLE c (" + rowNumber +
			", c0 BIGINT, g BIGINT AS (c0) VIRTUAL, INDEX (g), FOREIGN KEY (c0) REFERENCES p (pkey) ON DELETE SET NULL)",
		"DELETE FROM p"},
}

// TestOtherPages: so it is with those of other servers.
func TestOtherPages(t *testing.T) {
	bugs, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{"mysql": "9.7.4-2", "mariadb": "11.8.9-MariaDB", "sqlite": "3.53.4",
		"tidb": "8.0.11-TiDB-v8.5.4"}
	for _, c := range toldOf {
		plan := ""
		if c.plan != "" {
			plan = "plan: " + c.plan + "\n"
		}
		text := "txweave case 1\ntarget: " + c.target + "\nisolation: serializable\n" + plan +
			"\n-- schema --\nCREATE TABLE p (" + rowNumber + ");\n" + c.schema + ";\n\n-- T0 --\nBEGIN;\n" +
			cmp.Or(c.sql, "SELECT 1") + ";\nCOMMIT;\n\n-- schedule --\nT0 T0 T0\n"
		f := &finding.Finding{Class: strings.Split(c.signature, "/")[0], Signature: c.signature,
			Differences: []finding.Difference{{}}}
		if f.Class != finding.ClassCorruption {
			f.Differences[0].Stmt = "T0.S0"
		}
		of := bugs.In(&finding.Environment{DBMS: c.target, Version: versions[c.target], Isolation: "serializable"})
		sig := signature.OfText(f, []byte(text))
		sig.Minimal = true
		got := ""
		if b := of.Match(f, sig); b != nil {
			got = b.Name
		}
		if got != c.name {
			t.Errorf("%s, %s, %s: %q, want %q", c.signature, c.schema, c.sql, got, c.name)
		}
	}
}

// TestVirtualIndex: the bugs of indexes of virtual columns are told from others by what a reduced case has, and by the
// plan under which it shows.
func TestVirtualIndex(t *testing.T) {
	bugs, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	const sorted, ranges = "mariadb-virtual-index-sorted", "mariadb-virtual-index-ranges"
	for _, c := range []struct{ page, class, signature, kind, what, from, to, want string }{
		{sorted, finding.ClassReplay, "replay-difference/SELECT:rows", "SELECT", "rows", "", "", sorted},
		{sorted, finding.ClassReplay, "replay-difference/SELECT:rows", "SELECT", "rows", "VIRTUAL", "STORED", ""},
		{ranges, finding.ClassPlan, "plan-difference/DELETE:matched-versus-affected", "DELETE", "matched-versus-affected", "",
			"", ranges + "-search"},
		{ranges, finding.ClassPlan, "plan-difference/SELECT:rows", "SELECT", "rows", "plan: sorted-ranges",
			"plan: sorted-ranges/mrr", ranges},
		{ranges, finding.ClassPlan, "plan-difference/SELECT:rows", "SELECT", "rows", "", "", ""},
		{ranges, finding.ClassPlan, "plan-difference/DELETE:matched-versus-affected", "DELETE", "matched-versus-affected",
			"VIRTUAL", "STORED", ""},
		{ranges, finding.ClassPlan, "plan-difference/DELETE:matched-versus-affected", "DELETE", "matched-versus-affected",
			"plan: sorted-ranges", "plan: no-indexes", ""},
	} {
		text, err := os.ReadFile(filepath.Join("..", "..", Pages, c.page+".txw"))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), c.from) {
			t.Fatalf("%s has no %s", c.page, c.from)
		}
		text = []byte(strings.ReplaceAll(string(text), cmp.Or(c.from, "\x00"), c.to))
		found := ""
		for _, stmt := range []string{"T0.S0", "T0.S1", "T1.S0", "T1.S1"} {
			f := &finding.Finding{Class: c.class, Signature: c.signature, Differences: []finding.Difference{
				{Stmt: stmt, Kind: c.kind, What: fault.Kind(c.what)}}}
			sig := signature.OfText(f, text)
			sig.Minimal = true
			if b := bugs.Match(f, sig); b != nil {
				found = b.Name
			}
		}
		if found != c.want {
			t.Errorf("%s, %s, %s: matched %q, want %q", c.page, c.signature, c.to, found, c.want)
		}
	}
}

// TestMariaDBWrites: bugs of MariaDB that a statement before the one that differs decides, or what an UPDATE assigns.
func TestMariaDBWrites(t *testing.T) {
	bugs, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	const affected, final = "replay-difference/UPDATE:affected", "plan-difference/final"
	none := finding.Cause{}
	const parts = " PARTITION BY HASH (pkey) PARTITIONS 3"
	const nowhere = "UPDATE t SET vkey = 2 WHERE pkey BETWEEN 2 AND 1"
	const all = "UPDATE t SET c0 = 1"
	for _, c := range []struct {
		name, signature, parts string
		stmts                  []string
		at                     string // the statement that differs; "": the contents at the end
		cause                  finding.Cause
	}{
		{"mariadb-partition-update-nothing", affected, parts, []string{nowhere, all}, "T0.S1", finding.CauseRead},
		{"mariadb-partition-update-nothing", "replay-difference/UPDATE:error(1062,none)", parts, []string{nowhere, all},
			"T0.S1", finding.CauseRead},
		{"", affected, "", []string{nowhere, all}, "T0.S1", finding.CauseRead},
		{"", affected, parts, []string{nowhere, all}, "T0.S1", finding.CauseMiscount},
		{"", "plan-difference/UPDATE:affected", parts, []string{nowhere, all}, "T0.S1", finding.CauseRead},
		{"mariadb-update-assignment-order", final, "",
			[]string{"UPDATE t SET c1 = c0, c0 = c1 WHERE NULL NOT IN (SELECT 1 FROM t)"}, "", none},
		{"", final, "", []string{"UPDATE t SET c1 = 1, c0 = 2 WHERE NULL NOT IN (SELECT 1 FROM t)"}, "", none},
		{"", final, "", []string{"UPDATE t SET c1 = c0, c0 = c1"}, "", none},
		{"mariadb-window-in-subquery", "plan-difference/DELETE:affected", "",
			[]string{"DELETE FROM t WHERE 1 IN (SELECT ROW_NUMBER() OVER () FROM t)"}, "T0.S0", none},
		{"mariadb-window-in-subquery", final, "",
			[]string{"INSERT INTO t (pkey, c0) SELECT 5, 1 FROM t WHERE 1 IN (SELECT COUNT(*) OVER () FROM t)"}, "", none},
		{"", final, "",
			[]string{"INSERT INTO t (pkey, c0) SELECT 5, COUNT(*) OVER () FROM t WHERE 1 IN (SELECT 1 FROM t)"}, "", none},
	} {
		text := "txweave case 1\ntarget: mariadb\nisolation: serializable\n\n-- schema --\nCREATE TABLE t (" + rowNumber +
			", c0 INT, c1 INT)" + c.parts + ";\n\n-- T0 --\nBEGIN;\n" + strings.Join(c.stmts, ";\n") + ";\nCOMMIT;\n"
		f := &finding.Finding{Class: strings.Split(c.signature, "/")[0], Signature: c.signature, Cause: c.cause,
			Differences: []finding.Difference{{Stmt: c.at}}}
		sig := signature.OfText(f, []byte(text))
		sig.Minimal = true
		got := ""
		if b := bugs.On("mariadb").Match(f, sig); b != nil {
			got = b.Name
		}
		if got != c.name {
			t.Errorf("%s, %s %v: %q, want %q", c.signature, c.parts, c.stmts, got, c.name)
		}
	}
}

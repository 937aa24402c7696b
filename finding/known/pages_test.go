package known

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"txweave/finding"
	"txweave/finding/signature"
)

// Why no entry is there for a page.
const (
	untried    = "no entry has been tried on the server that it was found on, and one that nobody has tried may take other bugs along"
	anyPlan    = "a wrong plan of a query, of which neither the signature nor the statement tells that it is this bug: an entry would take others along"
	inCampaign = "no campaign shows it: it was looked into by hand, or comes without a signature of its own"
)

// untold are the pages that no entry is about, with the reason.
var untold = map[string]string{
	"mariadb-create-select-rollback":      "its signatures, lost-savepoint and dirty-read, are those of any lost transaction; 11.8.6 alone has it",
	"mariadb-index-lookup-rounds":         anyPlan,
	"mariadb-join-buffers-outer-join":     anyPlan,
	"mariadb-long-fork":                   "a violation of the level as any other: only its interleaving tells it",
	"mariadb-materialized-condition-lost": anyPlan,
	"mariadb-min-constant-outer-join":     anyPlan,
	"mariadb-not-in-lateral-derived":      anyPlan,
	"mariadb-not-in-materialized-null":    anyPlan,
	"mariadb-partition-crash":             "it takes a server that is killed: the damage, error 1696, is that of any change of partitions that was cut off",
	"mariadb-partition-update-nothing":    "what went before decides, and the statement that affects no rows is any UPDATE of a partitioned table",
	"mariadb-subquery-cache-collation":    anyPlan,
	"mariadb-update-assignment-order":     anyPlan,
	"mariadb-update-derived-half-changed": anyPlan,
	"mariadb-update-joined-new-values":    anyPlan,
	"mariadb-versioned-outer-join":        anyPlan,
	"mariadb-virtual-index-trigger":       "corruption/1034 is what any damaged index is answered with, and a trigger is no feature of a case",
	"mariadb-weedout-lost-rows":           anyPlan,
	"mariadb-window-constant-order":       anyPlan,
	"mariadb-xa-commit-lost":              "a lock that is kept is what any lost COMMIT leaves: storms alone meet it, in a race",
	"mysql-cascade-errors-unsaid":         untried,
	"mysql-constant-outer-join":           untried,
	"mysql-cte-twice-limit":               untried,
	"mysql-foreign-key-null-beside":       untried,
	"mysql-functional-index-outer-join":   untried,
	"mysql-ignore-cascade-kept":           untried,
	"mysql-partition-pruned-outer-join":   untried,
	"mysql-partition-update-order":        untried,
	"mysql-repeat-of-subquery":            untried,
	"mysql-rollup-impossible-where":       untried,
	"mysql-row-comparison-outer-join":     untried,
	"mysql-year-range":                    untried,
	"postgresql-on-conflict-nothing":      inCampaign,
	"postgresql-safe-snapshot-pids":       inCampaign,
	"sqlite-not-in-descending-index":      untried,
	"sqlite-right-join-row-in":            anyPlan,
	"sqlite-replace-self-reference":       untried,
	"sqlite-trigger-row-affinity":         untried,
	"sqlite-using-stale-schema":           untried,
	"tidb-aggregate-pushed-collation":     anyPlan,
	"tidb-batch-get-stale-absence":        anyPlan,
	"tidb-delete-affected-own-rows":       anyPlan,
	"tidb-killed-session-panic":           inCampaign,
	"tidb-null-aware-semi-join-twice":     anyPlan,
	"tidb-outer-join-reorder":             anyPlan,
	"tidb-partition-update-warning":       anyPlan,
	"tidb-rollup-using-panic":             untried,
	"tidb-row-in-names-a-column-twice":    untried,
	"tidb-savepoint-waits":                inCampaign,
	"tidb-unique-key-old-entry":           anyPlan,
	"tidb-unistore-lock-conflict":         inCampaign,
	"tidb-unistore-virtual-column-crash":  untried,
	"tidb-update-derived-window":          anyPlan,
	"tidb-update-subquery-is-null":        anyPlan,
}

// TestPages: each page of a finding is one that an entry links to, or has the link of an entry, or it is listed with the reason why there is no entry; and what an
// entry links to is there.
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
		named := slices.ContainsFunc(bugs, func(b *Entry) bool { return b.Link == page || strings.Contains(string(text), b.Link) })
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

// TestOwnPages holds the entries about pages of this project to the statements that these tell, and to twins that are other bugs.
func TestOwnPages(t *testing.T) {
	bugs, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	const plan = "plan-difference/SELECT:rows"
	for _, c := range []struct{ name, signature, sql, detail string }{
		{"mariadb-rebuild-snapshot", "mechanism-violation/consistent-read:missing-row-after-rebuild", "", ""},
		{"", "mechanism-violation/consistent-read:missing-row", "", ""},
		{"mariadb-online-index-snapshot", "mechanism-violation/consistent-read:missing-row-after-index-build", "", ""},
		{"", "mechanism-violation/consistent-read:aborted-read-after-repartitioning", "", ""}, // 11.8's
		{"", "mechanism-violation/consistent-read:stale-read-after-rebuild", "", ""},          // 11.8's, too
		{"mariadb-killed-delete", "mechanism-violation/consistent-read:missing-row-after-kill", "", ""},
		{"mariadb-skip-locked-timeout", "unexpected-error/1180", "", `SELECT 1 FROM t0 FOR UPDATE SKIP LOCKED: error 1180: Got error 1 "Operation not permitted" during COMMIT`},
		{"", "unexpected-error/1180", "", `SELECT 1 FROM t0 FOR UPDATE: error 1180: Got error 1 "Operation not permitted" during COMMIT`},
		{"mariadb-nested-with", "unexpected-error/1146", "", "WITH q0 AS (SELECT 1 AS a) SELECT (WITH q1 AS (SELECT a FROM q0) SELECT 1): error 1146: Table 'x.q0' doesn't exist"},
		{"", "unexpected-error/1146", "", "SELECT 1 FROM t0: error 1146: Table 'x.t0' doesn't exist"},
		{"mariadb-rollup-distinct-unique", plan, "SELECT r0.pkey AS e0, COUNT(DISTINCT r0.c0) AS e1 FROM t0 AS r0 GROUP BY r0.pkey WITH ROLLUP", ""},
		{"", plan, "SELECT r0.pkey AS e0, COUNT(r0.c0) AS e1 FROM t0 AS r0 GROUP BY r0.pkey WITH ROLLUP", ""},
		{"", plan, "SELECT r0.pkey AS e0, COUNT(DISTINCT r0.c0) AS e1 FROM t0 AS r0 GROUP BY r0.pkey", ""},
		{"mariadb-rollup-merged", plan, "SELECT r1.e0 + 0, COUNT(*) FROM (SELECT r0.c0 AS e0 FROM t0 AS r0) AS r1 GROUP BY r1.e0 + 0 WITH ROLLUP", ""},
		{"", plan, "SELECT r1.e0 + 0, COUNT(*) FROM (SELECT r0.c0 AS e0 FROM t0 AS r0) AS r1 GROUP BY r1.e0 + 0", ""},
		{"mariadb-window-merged-column", plan,
			"SELECT q.pkey, MIN(q.c0) OVER () FROM (SELECT * FROM t0) AS q WHERE q.c0 NOT IN (SELECT r.c0 FROM t0 AS r WHERE r.c0 = q.c0)", ""},
		{"", plan, "SELECT q.pkey, MIN(q.c0) OVER () FROM t0 AS q WHERE q.c0 NOT IN (SELECT r.c0 FROM t0 AS r WHERE r.c0 = q.c0)", ""},
		{"mariadb-window-in-subquery", "inconsistent-read-write/UPDATE:matched-versus-written", "UPDATE t0 SET c0 = 2 WHERE 1 IN (SELECT COUNT(1) OVER (ORDER BY r.c0) FROM t1 AS r)", ""},
		{"", "inconsistent-read-write/UPDATE:matched-versus-written", "UPDATE t0 SET c0 = 2 WHERE 1 IN (SELECT r.c0 FROM t1 AS r)", ""},
		{"mariadb-update-ignore-counts", "inconsistent-read-write/UPDATE:affected-versus-written", "UPDATE IGNORE t0 AS r0, t1 AS r1 SET r0.c0 = 3", ""},
		{"", "inconsistent-read-write/UPDATE:affected-versus-written", "UPDATE IGNORE t0 SET c0 = 3", ""},
		{"mariadb-delete-ignore-returning", "inconsistent-read-write/DELETE:affected-versus-written", "DELETE IGNORE FROM t0 RETURNING pkey", ""},
		{"", "inconsistent-read-write/DELETE:affected-versus-written", "DELETE FROM t0 RETURNING pkey", ""},
		{"mariadb-prepared-merged-derived-crash", "crash/mark_select_range_as_dependent<Item_field::fix_outer_field", "", ""},
		{"mariadb-window-view-alias-crash", "crash/setup_group<setup_windows", "", ""},
		{"", "crash/setup_group<JOIN::prepare", "", ""},
	} {
		text := "txweave case 1\ntarget: mariadb\nisolation: repeatable-read\n\n-- schema --\nCREATE TABLE t0 (pkey BIGINT NOT NULL PRIMARY KEY, c0 INT);\n\n-- T0 --\nBEGIN;\n" +
			c.sql + ";\nCOMMIT;\n\n-- schedule --\nT0 T0 T0\n"
		f := &finding.Finding{Signature: c.signature, Differences: []finding.Difference{{Stmt: "T0.S0", Detail: c.detail}}}
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

// TestVirtualIndex: the bugs of indexes of virtual columns are told from others by what a reduced case has, and by the plan under which it shows.
func TestVirtualIndex(t *testing.T) {
	bugs, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	const sorted, ranges = "mariadb-virtual-index-sorted", "mariadb-virtual-index-ranges"
	for _, c := range []struct{ page, class, signature, kind, what, from, to, want string }{
		{sorted, finding.ClassReplay, "replay-difference/SELECT:rows", "SELECT", "rows", "", "", sorted},
		{sorted, finding.ClassReplay, "replay-difference/SELECT:rows", "SELECT", "rows", "VIRTUAL", "STORED", ""},
		{ranges, finding.ClassPlan, "plan-difference/DELETE:matched-versus-affected", "DELETE", "matched-versus-affected", "", "", ranges + "-search"},
		{ranges, finding.ClassPlan, "plan-difference/SELECT:rows", "SELECT", "rows", "plan: sorted-ranges", "plan: sorted-ranges/mrr", ranges},
		{ranges, finding.ClassPlan, "plan-difference/SELECT:rows", "SELECT", "rows", "", "", ""},
		{ranges, finding.ClassPlan, "plan-difference/DELETE:matched-versus-affected", "DELETE", "matched-versus-affected", "VIRTUAL", "STORED", ""},
		{ranges, finding.ClassPlan, "plan-difference/DELETE:matched-versus-affected", "DELETE", "matched-versus-affected", "plan: sorted-ranges", "plan: no-indexes", ""},
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
		for _, stmt := range finding.Named("T0.S0 T0.S1 T1.S0 T1.S1") {
			f := &finding.Finding{Class: c.class, Signature: c.signature, Differences: []finding.Difference{{Stmt: stmt, Kind: c.kind, What: c.what}}}
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

package gen

import (
	"database/sql"
	"flag"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"txweave/internal/testkit/effort"
	tree "txweave/sql"
	"txweave/sql/edits"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// Sizes of the usual run, small because the engine and the parser are slow under the race detector. A longer run:
// go test ./gen -run SQLiteRuns -cases 5000 -campaign 7, or go test ./gen -run Parses -parsed 20000.
var (
	caseCount = effort.Flag("cases", 100, "cases that TestSQLiteRuns executes")
	parsed    = effort.Flag("parsed", 2000, "statements of each dialect that TestParses parses")
	campaign  = flag.Uint64("campaign", 3, "campaign that its seeds come from")
)

// openSQLite opens an empty database of its own, on one connection.
func openSQLite(t testing.TB) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(),
		"db")+"?_pragma=journal_mode(memory)&_pragma=synchronous(0)")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return db
}

// answer runs one statement and returns what it answered: the rows or the number of affected rows, how many
// that are, and the error.
func answer(db *sql.DB, stmt string) (string, int, error) {
	if !strings.HasPrefix(stmt, "SELECT") && !strings.HasPrefix(stmt, "WITH") {
		res, err := db.Exec(stmt)
		if err != nil {
			return err.Error(), 0, err
		}
		n, err := res.RowsAffected()
		return fmt.Sprint(n), int(n), err
	}
	rows, err := db.Query(stmt)
	if err != nil {
		return err.Error(), 0, err
	}
	defer rows.Close()
	cols, err := rows.Columns()
	if err != nil {
		return err.Error(), 0, err
	}
	var b strings.Builder
	n := 0
	for ; rows.Next(); n++ {
		vals, ptrs := make([]any, len(cols)), make([]any, len(cols))
		for i := range vals {
			ptrs[i] = &vals[i]
		}
		if err := rows.Scan(ptrs...); err != nil {
			return err.Error(), 0, err
		}
		fmt.Fprintln(&b, vals...)
	}
	return b.String(), n, rows.Err()
}

// noSolution is what SQLite says where an index that it is told to use is of no use (sqlite.org/lang_indexedby.html).
const noSolution = "no query solution"

var indexHints = regexp.MustCompile(` (?:INDEXED BY \w+|NOT INDEXED)`)

// unhinted is a statement that names no index.
func unhinted(sql string) string { return indexHints.ReplaceAllString(sql, "") }

// serial runs a case without transactions and returns every answer. text may rewrite a statement first.
func serial(t testing.TB, db *sql.DB, c *testcase.Case, text func(string) string) (log []string, effective,
	failed int) {
	t.Helper()
	mustExec(t, db, "BEGIN")
	for _, s := range append(append([]testcase.Stmt{}, c.Schema...), c.Rows...) {
		if _, err := db.Exec(s.SQL); err != nil {
			t.Fatalf("seed %d: %v\n%s", c.Seed, err, s.SQL)
		}
	}
	mustExec(t, db, "COMMIT")
	next := make([]int, len(c.Txns))
	for _, i := range c.Schedule {
		at := next[i] - 1
		next[i]++
		if at < 0 || at >= len(c.Txns[i].Stmts) || !sqltext.KindOf(c.Txns[i].Stmts[at].SQL).IsTarget() {
			continue
		}
		stmt := c.Txns[i].Stmts[at].SQL
		got, n, err := answer(db, text(stmt))
		switch {
		case err != nil && strings.Contains(err.Error(), "constraint failed"):
			failed++
		case err != nil && strings.Contains(err.Error(), noSolution):
			got = noSolution
		case err != nil:
			t.Fatalf("seed %d: %v\n%s", c.Seed, err, stmt)
		case n > 0:
			effective++
		}
		log = append(log, got)
	}
	return log, effective, failed
}

// mustExec runs a statement that cannot fail.
func mustExec(t testing.TB, db *sql.DB, stmt string) {
	t.Helper()
	if _, err := db.Exec(stmt); err != nil {
		t.Fatalf("%v\n%s", err, stmt)
	}
}

// drop removes the tables and views of a case.
func drop(t testing.TB, db *sql.DB, c *testcase.Case) {
	t.Helper()
	for _, s := range c.Schema {
		stmt, _ := sqltext.SyntaxOf("sqlite").Tree.Parse(s.SQL)
		if v, ok := stmt.(*tree.CreateView); ok {
			mustExec(t, db, "DROP VIEW "+v.Name.Name.Value)
		}
	}
	for _, s := range c.Schema {
		if name, ok := strings.CutPrefix(s.SQL, "CREATE TABLE "); ok {
			name, _, _ = strings.Cut(name, " ")
			mustExec(t, db, "DROP TABLE "+name)
		}
	}
}

// TestSQLiteRuns runs cases serially: what they answer must not depend on the run, on secondary indexes, on the order
// of scans, or on whether the parser has rewritten the text.
func TestSQLiteRuns(t *testing.T) {
	db, grammar := openSQLite(t), &edits.Rewriter{Dialect: sqltext.SyntaxOf("sqlite").Tree}
	spelled, asIs := 0, 0
	total, effective, failed := 0, 0, 0
	same := func(s string) string { return s }
	restored := func(s string) string {
		text, ok := grammar.Spell(s)
		if !ok {
			asIs++
			return s
		}
		spelled++
		return text
	}
	for i := range caseCount() {
		c := must(t, testDialect(t, "sqlite"), CaseSeed(*campaign, i), Options{Isolation: "serializable"})
		log, e, f := serial(t, db, c, same)
		drop(t, db, c)
		total, effective, failed = total+len(log), effective+e, failed+f

		bare := *c
		bare.Schema = nil
		for _, s := range c.Schema {
			if strings.HasPrefix(s.SQL, "CREATE TABLE") || strings.HasPrefix(s.SQL, "CREATE VIEW") || strings.HasPrefix(s.SQL,
				"CREATE TRIGGER") {
				bare.Schema = append(bare.Schema, s)
			}
		}
		pragma := func(on, off string) func() []string {
			return func() []string {
				mustExec(t, db, on)
				defer mustExec(t, db, off)
				l, _, _ := serial(t, db, c, same)
				return l
			}
		}
		for name, again := range map[string]func() []string{
			"reversed":           pragma("PRAGMA reverse_unordered_selects = 1", "PRAGMA reverse_unordered_selects = 0"),
			"no automatic index": pragma("PRAGMA automatic_index = 0", "PRAGMA automatic_index = 1"),
			"again":              func() []string { l, _, _ := serial(t, db, c, same); return l },
			"without indexes":    func() []string { l, _, _ := serial(t, db, &bare, unhinted); return l },
			"restored":           func() []string { l, _, _ := serial(t, db, c, restored); return l },
		} {
			other := again()
			drop(t, db, c)
			for j := range log {
				if a, b := log[j], other[j]; a != b && a != noSolution && !sameRows(a, b) {
					t.Fatalf("seed %d, %s: answer %d differs:\n%s\n%s\n%s", c.Seed, name, j, a, b, render(c))
				}
			}
		}
	}
	if asIs > spelled/20 {
		t.Errorf("%d statements were spelled, and %d not", spelled, asIs)
	}
	t.Logf("%d statements: %.1f %% failed, %.1f %% effective", total, pc(failed, total), pc(effective, total))
	if pc(failed, total) > 10 || pc(effective, total) < 60 {
		t.Errorf("want at most 10 %% failed and at least 60 %% effective")
	}
}

// pc is a share in percent.
func pc(n, of int) float64 { return 100 * float64(n) / float64(max(1, of)) }

// sameRows compares two answers as multisets of lines.
func sameRows(a, b string) bool {
	lines := map[string]int{}
	for _, l := range strings.Split(a, "\n") {
		lines[l]++
	}
	for _, l := range strings.Split(b, "\n") {
		lines[l]--
	}
	for _, n := range lines {
		if n != 0 {
			return false
		}
	}
	return true
}

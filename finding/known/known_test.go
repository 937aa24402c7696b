package known

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"txweave/fault"
	"txweave/finding"
	"txweave/finding/signature"
	"txweave/history"
	"txweave/internal/testkit/said"
)

// TestDefault holds the entries that txweave comes with to the findings that they are for, and to their twins.
func TestDefault(t *testing.T) {
	bugs, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	f := &finding.Finding{Class: finding.ClassIsolation,
		Differences: []finding.Difference{
			{Steps: finding.Sentences{finding.Say("%v: %v", finding.Query("DELETE r0, r1 FROM …"),
				&history.DBError{Code: 1105, Message: "runtime error: slice bounds out of range [:9] with capacity 7"}),
				finding.Say("%v", &history.DBError{Code: 9007, Message: "x"})}}},
		Log: "tikv aborts txn: pessimistic lock not found"}
	descending := finding.Signature{Coarse: "isolation-violation/G-SIa-read", Features: []string{"desc", "order", "read",
		"transactions"}, Minimal: true}
	ascending := descending
	ascending.Features = []string{"order", "read", "transactions"}
	conflict := finding.Signature{Coarse: "inconsistent-read-write/SELECT:conflict-before-commit",
		Blamed: []string{"in:locking", "in:subquery"}}
	plain := conflict
	plain.Blamed = []string{"in:locking"}
	commit := finding.Signature{Coarse: "inconsistent-read-write/COMMIT:failed-commit", Minimal: true}
	partitioned := finding.Signature{Coarse: "unexpected-error/1105", Features: []string{"DELETE", "partition"},
		Minimal: true}
	whole := partitioned
	whole.Features = []string{"DELETE"}
	least := finding.Signature{Coarse: "replay-difference/SELECT:rows", Features: []string{"MIN", "SELECT", "index",
		"transactions", "virtual-column", "write"}, Minimal: true}
	kept := least
	kept.Features = []string{"MIN", "SELECT", "index", "transactions", "write"}
	unlocked := finding.Signature{Coarse: "mechanism-violation/row-lock", Features: []string{"partition"},
		Named: [][]string{{"UPDATE", "partitioned"}, {"SELECT", "locking", "locks-outside-subqueries", "partitioned",
			"subquery"}}}
	both, bare, locked, whole2 := unlocked, unlocked, unlocked, unlocked
	both.Named = [][]string{{"UPDATE", "partitioned"}, {"UPDATE", "partitioned", "subquery"}}
	bare.Named = [][]string{{"UPDATE", "partitioned", "subquery"}, {"SELECT", "locking", "locks-outside-subqueries",
		"partitioned"}}
	locked.Named = [][]string{{"UPDATE", "partitioned"}, {"SELECT", "locking", "partitioned", "subquery"}}
	whole2.Named = [][]string{{"UPDATE"}, {"SELECT", "locking", "locks-outside-subqueries", "subquery"}}
	ranked := finding.Signature{Coarse: "replay-difference/SELECT:rows", Features: []string{"SELECT", "subquery",
		"transactions", "window", "write"}, Minimal: true,
		Said: []string{"SELECT 1 FROM t0 AS r0 WHERE r0.pkey IN (SELECT RANK() OVER (ORDER BY r1.pkey) FROM t0 AS r1) OR 0"}}
	large, unranked := ranked, ranked
	large.Minimal = false
	unranked.Said = []string{"SELECT RANK() OVER (ORDER BY r1.pkey) FROM t0 AS r1 WHERE r1.pkey IN (SELECT pkey FROM t0)"}
	other := descending
	other.Coarse = "isolation-violation/G1a"
	for _, tc := range []struct {
		name, dbms string
		sig        finding.Signature
		want       string
	}{
		{"the bug", "tidb", descending, "tidb-30361"},
		{"another server", "mariadb", descending, ""},
		{"an ascending scan", "tidb", ascending, ""},
		{"another phenomenon", "tidb", other, ""},
		{"a locking subquery", "tidb", conflict, "tidb-22345"},
		{"a locking read without one", "tidb", plain, ""},
		{"a lock that is not found", "tidb", commit, "tidb-67213"},
		{"a DELETE that panics at a partitioned table", "tidb", partitioned, "tidb-64697"},
		{"one that panics without", "tidb", whole, ""},
		{"the least value of a virtual column", "tidb", least, "tidb-68003"},
		{"of a column that is kept", "tidb", kept, ""},
		{"the least value in a case that is not reduced", "tidb", finding.Signature{Coarse: least.Coarse,
			Blamed: []string{"in:MIN", "in:MIN-of-virtual"}}, "tidb-68003"},
		{"that of another column there", "tidb", finding.Signature{Coarse: least.Coarse, Features: least.Features,
			Blamed: []string{"in:MIN"}}, ""},
		{"a lock around a subquery of a partitioned table", "tidb", unlocked, "tidb-21618"},
		{"an UPDATE that does not wait for another one there", "tidb", both, ""},
		{"a lock without a subquery there", "tidb", bare, ""},
		{"one with a lock in its subquery", "tidb", locked, ""},
		{"one of a table in one piece", "tidb", whole2, ""},
		{"IN over a window function", "mariadb", ranked, "mariadb-window-in-subquery-of-snapshot"},
		{"the same in a case that is not reduced, and may show anything", "mariadb", large, ""},
		{"a window function beside IN", "mariadb", unranked, ""},
		{"a key that is there twice", "tidb", finding.Signature{Coarse: "inconsistent-read-write/SELECT:key-twice",
			Minimal: true}, ""},
		{"a key of the transaction's own at a level that is told at once", "tidb",
			finding.Signature{Coarse: "inconsistent-read-write/SELECT:late-key-twice", Minimal: true}, ""},
	} {
		got := ""
		if b := bugs.In(&finding.Environment{DBMS: tc.dbms, Version: "8.5.4", Isolation: "repeatable-read"}).Match(f,
			tc.sig); b != nil {
			got = b.Name
		}
		if got != tc.want {
			t.Errorf("%s: matched %q, want %q", tc.name, got, tc.want)
		}
	}
	late := finding.Signature{Coarse: "inconsistent-read-write/SELECT:late-key-twice"}
	if b := bugs.In(&finding.Environment{DBMS: "tidb", Version: "8.5.4", Isolation: "optimistic"}).Match(f, late); b ==
		nil || b.Name != "tidb-24195" {
		t.Errorf("a key of an optimistic transaction's own: matched %v", b)
	}
}

// TestUnlockedPartition: the report's case is the bug as it was found and reduced, whichever of its statements is told
// of first; without partitions it is not.
func TestUnlockedPartition(t *testing.T) {
	bugs, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "findings", "tidb-partition-subquery-lock.txw"))
	if err != nil {
		t.Fatal(err)
	}
	whole := []byte(strings.Replace(string(text), " PARTITION BY HASH (pkey) PARTITIONS 2", "", 1))
	for _, stmts := range [][2]string{{"T0.S0", "T1.S0"}, {"T1.S0", "T0.S0"}} {
		f := &finding.Finding{Class: finding.ClassMechanism, Signature: "mechanism-violation/row-lock",
			Differences: []finding.Difference{{Stmt: stmts[1],
				Steps: said.Steps(stmts[0] + " locked row 1 of t0 and " + stmts[1] + " did, before " + stmts[0][:2] +
					" had ended")}}}
		if b := bugs.Match(f, signature.OfText(f, text)); b == nil || b.Name != "tidb-21618" {
			t.Errorf("%v: matched %v", stmts, b)
		}
		if b := bugs.Match(f, signature.OfText(f, whole)); b != nil {
			t.Errorf("%v without partitions: matched %s", stmts, b.Name)
		}
	}
}

// TestPartitionedDelete: a DELETE of joined tables that panics is the bug in a case that is not reduced, too, where one
// of its tables is in partitions: not where another table of the case is, and no DELETE of one table.
func TestPartitionedDelete(t *testing.T) {
	bugs, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	for sql, want := range map[string]bool{
		"DELETE r0, r1 FROM t0 AS r0 INNER JOIN t1 AS r1 ON r0.pkey = r1.pkey":       true,
		"DELETE FROM r0, r1 USING t0 AS r0 INNER JOIN t1 AS r1 ON r0.pkey = r1.pkey": true,
		"DELETE r0 FROM t0 AS r0 INNER JOIN t1 AS r1 ON r0.pkey = r1.pkey":           true,
		"DELETE r0, r1 FROM t0 AS r0 INNER JOIN t2 AS r1 ON r0.pkey = r1.pkey":       false, "DELETE FROM t1": false,
	} {
		text := "txweave case 1\ntarget: tidb\nisolation: optimistic\n\n-- schema --\nCREATE TABLE t0 (pkey BIGINT PRIMARY " +
			"KEY);\n" +
			"CREATE TABLE t1 (pkey BIGINT PRIMARY KEY) PARTITION BY HASH (pkey) PARTITIONS 2;\nCREATE TABLE t2 (pkey BIGINT " +
			"PRIMARY KEY);\n\n-- T0 --\n" +
			"BEGIN;\n" + sql + ";\nSELECT pkey FROM t1;\nCOMMIT;\n\n-- schedule --\nT0 T0 T0 T0\n"
		f := &finding.Finding{Class: finding.ClassUnexpected, Signature: "unexpected-error/1105",
			Differences: []finding.Difference{{Stmt: "T0.S0", What: fault.UnexpectedError, Code: 1105,
				Steps: finding.Sentences{finding.Say("%v: %v", finding.Query(sql), &history.DBError{Code: 1105,
					Message: "runtime error: index out of range [11] with length 9"})}}}}
		if b := bugs.Match(f, signature.OfText(f, []byte(text))); (b != nil) != want || want && b.Name != "tidb-64697" {
			t.Errorf("%s: matched %v", sql, b)
		}
	}
}

// TestIgnoredReference: rows that refer to none are the bug where an UPDATE IGNORE is what the reduced case writes, and
// not where another write left them.
func TestIgnoredReference(t *testing.T) {
	bugs, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	for sql, want := range map[string]bool{
		"UPDATE IGNORE t0 SET pkey = 2": true, "UPDATE t0 SET pkey = 2": false, "INSERT IGNORE INTO t1 VALUES (2, 7)": false,
		"DELETE IGNORE FROM t0": false,
	} {
		text := "txweave case 1\ntarget: tidb\nisolation: repeatable-read\n\n-- schema --\nCREATE TABLE t0 (pkey BIGINT " +
			"PRIMARY KEY);\n" +
			"CREATE TABLE t1 (pkey BIGINT PRIMARY KEY, f BIGINT, FOREIGN KEY (f) REFERENCES t0 (pkey));\n\n-- T0 --\nBEGIN;\n" +
			sql + ";\nCOMMIT;\n\n-- schedule --\nT0 T0 T0\n"
		what := "a foreign key of t1 names a row that t0 does not have"
		f := &finding.Finding{Class: finding.ClassCorruption, Signature: "corruption/integrity",
			Differences: []finding.Difference{{What: fault.Integrity, Transaction: finding.Side{Said: what}}}}
		sig := signature.OfText(f, []byte(text))
		sig.Minimal = true
		if b := bugs.Match(f, sig); (b != nil) != want || want && b.Name != "tidb-66860" {
			t.Errorf("%s: matched %v, by %v", sql, b, sig)
		}
	}
}

// TestUnsigned: TiDB's UPDATE of a BIGINT UNSIGNED column to a negative number is known; any other value that is not
// what was given is not.
func TestUnsigned(t *testing.T) {
	bugs, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		given, left string
		want        bool
	}{
		{"-1", "'18446744073709551615'", true}, {"-32768", "'18446744073709518848'", true},
		{"-1", "'9223372036854775807'", false}, {"1", "'18446744073709551615'", false},
	} {
		f := &finding.Finding{Signature: "inconsistent-read-write/UPDATE:assigned-versus-stored",
			Differences: []finding.Difference{{Stmt: "T0.S0", What: fault.Assigned,
				Transaction: finding.Side{Text: c.left}, Replay: finding.Side{Text: c.given}}}}
		if b := bugs.Match(f, finding.Signature{Coarse: f.Signature}); (b != nil) != c.want || c.want &&
			b.Name != "tidb-63455" {
			t.Errorf("%+v: %v", c, b)
		}
	}
}

// TestPushedDown: TiDB's error for what it cannot push down is known, with a transaction alone or without; another
// internal error is not.
func TestPushedDown(t *testing.T) {
	bugs, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"expression eq(txweave.t0.c2, cast(json_extract(txweave.t0.c0, $.a), bigint(22) BINARY)) cannot be pushed down": true,
		"Internal : can not find the column": false,
	} {
		f := &finding.Finding{Signature: "replay-difference/SELECT:error(none,1815)",
			Differences: []finding.Difference{{Stmt: "T0.S4", Kind: "SELECT", What: fault.Error,
				Transaction: finding.Answered(nil), Replay: finding.Answered(&history.DBError{Code: 1815, Message: text})}}}
		if b := bugs.Match(f, finding.Signature{Coarse: f.Signature}); (b != nil) != want || want && b.Name != "tidb-63753" {
			t.Errorf("%s: %v", text, b)
		}
	}
}

// TestUnsortedWindows: an ORDER BY that is not kept is TiDB's known bug where a window function is in that query, and
// only there.
func TestUnsortedWindows(t *testing.T) {
	bugs, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	const text = "txweave case 1\ntarget: tidb\nisolation: repeatable-read\n\n-- schema --\n" +
		"CREATE TABLE t (pkey BIGINT NOT NULL, vkey BIGINT NOT NULL, pvkey BIGINT NOT NULL, c INT, PRIMARY KEY (pkey));\n\n" +
		"-- rows --\nINSERT INTO t (pkey, vkey, pvkey, c) VALUES (1, 1, 0, 1);\n\n-- T0 --\nBEGIN;\n" +
		"SELECT r0.pkey AS e0, %s FROM t AS r0 ORDER BY r0.pkey;\nSELECT COUNT(*) OVER (ORDER BY r0.pkey) AS e0 FROM t AS " +
		"r0;\nCOMMIT;\n\n" +
		"-- schedule --\nT0 T0 T0 T0\n"
	for output, want := range map[string]bool{"LAG(r0.c) OVER (PARTITION BY r0.pkey ORDER BY r0.pkey) AS e1": true,
		"r0.c AS e1": false} {
		f := &finding.Finding{Class: finding.ClassInconsistent, Signature: "inconsistent-read-write/SELECT:order-versus-rows",
			Differences: []finding.Difference{{Stmt: "T0.S0", Kind: "SELECT", What: "order-versus-rows"}}}
		if b := bugs.Match(f, signature.OfText(f, []byte(strings.Replace(text, "%s", output, 1)))); (b != nil) != want ||
			want && b.Name != "tidb-70812" {
			t.Errorf("%s: %v", output, b)
		}
	}
}

// TestMovedRow: a row that is passed over at READ COMMITTED is the bug in a transaction that alone is at that level,
// too, and not where another transaction of the case is.
func TestMovedRow(t *testing.T) {
	bugs, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "findings", "innodb-read-committed-moved-row.txw"))
	if err != nil {
		t.Fatal(err)
	}
	f := &finding.Finding{Class: finding.ClassInconsistent,
		Signature: "inconsistent-read-write/UPDATE:passed-over-moved-row", Differences: []finding.Difference{{Stmt: "T1.S0",
			Steps: said.Steps(
				"row 1 of t: a SELECT with the same WHERE found version 1 before it waited and finds version 101 after it; it " +
					"has not written the row")}}}
	for _, dbms := range []string{"mariadb", "mysql"} {
		for own, want := range map[string]bool{"T1": true, "T0": false, "": false} {
			s := strings.Replace(string(text), "read-committed", "repeatable-read", 1)
			s = strings.Replace(strings.Replace(s, "target: mariadb", "target: "+dbms, 1), "-- "+own+" --",
				"-- "+own+" isolation read-committed --", 1)
			in := bugs.In(&finding.Environment{DBMS: dbms, Version: "9.7.4", Isolation: "repeatable-read"})
			if b := in.Match(f, signature.OfText(f, []byte(s))); (b != nil) != want {
				t.Errorf("%s, %q at READ COMMITTED: matched %v", dbms, own, b)
			}
		}
	}
}

// one reads a file with one entry.
func one(t *testing.T, entry string) List {
	t.Helper()
	b, err := parse("file", []byte("[[bug]]\nname = \"x\"\nlink = \"https://example.org\"\n"+entry))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestMatch(t *testing.T) {
	f := &finding.Finding{Class: "crash", Summary: "the server is gone", Log: "Assertion `x' failed",
		Differences: []finding.Difference{{What: "error", Transaction: finding.Answered(nil),
			Replay: finding.Answered(&history.DBError{Code: 1030, Message: "Wrong index given to function"})}}}
	minimal := finding.Signature{Coarse: "replay-difference/SELECT:rows", Features: []string{"SELECT", "cte",
		"set-operation"}, Minimal: true}
	large := minimal
	large.Minimal = false
	blamed := large
	blamed.Blamed = []string{"went-back-early"}
	for _, tc := range []struct {
		entry string
		sig   finding.Signature
		want  bool
	}{
		{`signature = '^replay-difference/SELECT:'`, large, true},
		{`signature = 'cte'`, minimal, false}, // features are no part of it
		{`signature = '^crash'`, minimal, false},
		{`error = 'error 1030: Wrong index'`, large, true},
		{`error = 'Assertion .x. failed'`, large, true},
		{`error = 'error 1031'`, large, false},
		{`error = '^no error\nerror 1030'`, large, true}, // of both answers together
		{`error = '^error 1030'`, large, true},
		{`features = ["cte", "set-operation"]`, minimal, true},
		{`features = ["cte", "join:left"]`, minimal, false},
		{`features = ["cte"]`, large, false}, // a large case has nearly every feature
		{"features = [\"savepoint\"]\nguilty = [\"went-back-early\"]", large, false},
		{"features = [\"savepoint\"]\nblamed = [\"went-back-early\"]", blamed, true},
		{"features = [\"savepoint\"]\nblamed = [\"went-back-early\"]\nsignature = '^crash'", blamed, false},
		{"features = [\"join:left\"]\nblamed = [\"went-back-early\"]", minimal, false}, // of a minimal case its features tell
		{"signature = 'rows$'\nerror = '1030'\nfeatures = [\"cte\"]", minimal, true},
		{"signature = 'rows$'\nerror = '1031'\nfeatures = [\"cte\"]", minimal, false},
	} {
		if got := one(t, tc.entry).Match(f, tc.sig); (got != nil) != tc.want {
			t.Errorf("%s: %v, want %v", tc.entry, got, tc.want)
		}
	}
}

// TestMayBe: a large case that has what a reduced one would need may be the bug, and is not yet.
func TestMayBe(t *testing.T) {
	f := &finding.Finding{Class: "crash", Differences: []finding.Difference{
		{Replay: finding.Answered(&history.DBError{Code: 1030, Message: "Wrong index given to function"})}}}
	large := finding.Signature{Coarse: "replay-difference/SELECT:rows", Features: []string{"SELECT", "cte",
		"set-operation"}}
	for entry, want := range map[string]bool{
		`features = ["cte"]`: true, `features = ["join:left"]`: false, "features = [\"cte\"]\nsignature = '^crash'": false,
		"features = [\"cte\"]\nerror = '1030'": true, "features = [\"cte\"]\nerror = '1031'": false,
	} {
		bugs := one(t, entry)
		if got := bugs.MayBe(f, large); (len(got) == 1) != want || len(bugs) != 1 || bugs.Match(f, large) != nil {
			t.Errorf("%s: %v, want %v", entry, got, want)
		}
	}
}

func TestIn(t *testing.T) {
	env := &finding.Environment{DBMS: "mysql", Version: "9.7.4", Isolation: "repeatable-read"}
	for entry, want := range map[string]int{
		"": 1, `dbms = "mysql"`: 1, `dbms = "mariadb"`: 0, `versions = '^9\.7\.'`: 1, `versions = '^8\.'`: 0,
		`isolation = "repeatable-read"`: 1, `isolation = "serializable"`: 0,
	} {
		b := one(t, "signature = 'a'\nwithout = [\"set\", \"cte\"]\n"+entry)
		if got := b.In(env); len(got) != want || len(got.Without()) != 2*want {
			t.Errorf("%q: %d entries, without %v", entry, len(got), got.Without())
		}
	}
	if b := one(t, "signature = 'a'\ndbms = \"mariadb\""); len(b.On("mysql")) != 0 || len(b.On("mariadb")) != 1 ||
		len(b) != 1 {
		t.Error("On")
	}
}

func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"[[bug]]\nname = x": "file:2: ",
		"[[bug]]\nname = \"a b\"\nlink = \"https://x\"\nsignature = 'a'": "a name without spaces",
		"[[bug]]\nname = \"a\"\nsignature = 'a'":                         "a link to the report",
		"[[bug]]\nname = \"a\"\nlink = \"ftp://x\"\nsignature = 'a'":     "a link to the report",
		"[[bug]]\nname = \"a\"\nlink = \"https://x\"":                    "it would match everything",
		"[[bug]]\nname = \"a\"\nlink = \"https://x\"\nerror = '('":       "error: ",
		"[[bug]]\nname = \"a\"\nlink = \"https://x\"\nsignature = 'a'\n[[bug]]\nname = \"a\"\nlink = " +
			"\"https://x\"\nsignature = 'a'": "two bugs are called",
		"[[bug]]\nname = \"a\"\nlnk = \"https://x\"": "bug.lnk is not a key",
		"[bug]\nname = 1": "file",
	} {
		if _, err := parse("file", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := Read(t.Context(), filepath.Join(t.TempDir(), "none")); !os.IsNotExist(err) {
		t.Error(err)
	}
}

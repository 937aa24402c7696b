package gen

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"txweave/sql"
	"txweave/sql/control"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// TestForms: productions that few cases have write, where they are asked for, what a case may hold.
func TestForms(t *testing.T) {
	texts := map[string]map[string]string{
		"mariadb": {"scratch-table": `^CREATE (TEMPORARY )?TABLE s\d+ AS `, "returning": ` RETURNING pkey`,
			"insert-set":     ` INTO t\d SET pkey = `,
			"auto-increment": ` AUTO_INCREMENT`, "ddl-rename": `^RENAME TABLE `, "lock-tables": `^LOCK TABLES t\d `,
			"ddl-table": `^CREATE TABLE n\d`},
		"sqlite": {"scratch-table": `^CREATE TEMPORARY TABLE s\d+ AS `, "returning": ` RETURNING pkey`,
			"or-ignore": ` ON CONFLICT DO UPDATE SET | OR IGNORE `, "ddl-table": `^DROP TABLE n\d`},
	}
	for name, forms := range texts {
		d := testDialect(t, name)
		weights := map[string]int{}
		for form := range forms {
			weights[form] = 100
		}
		seen := map[string]bool{}
		for seed := range uint64(40) {
			c, err := Generate(seed, d, Options{Isolation: "serializable", Weights: weights})
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Admit(sqltext.SyntaxOf(name)); err != nil {
				t.Fatalf("%s, seed %d: %v", name, seed, err)
			}
			texts := testcase.Texts(c.Schema)
			for i := range c.Txns {
				texts = append(texts, testcase.Texts(c.Txns[i].Stmts)...)
			}
			for form, pattern := range forms {
				re := regexp.MustCompile(pattern)
				for _, text := range texts {
					seen[form] = seen[form] || re.MatchString(text)
				}
			}
		}
		for form := range forms {
			if !seen[form] {
				t.Errorf("%s: no case has %s", name, form)
			}
		}
	}
}

// TestLockedForShare: a table that a statement locks rows of, in whatever words, is locked for writing.
func TestLockedForShare(t *testing.T) {
	for _, name := range []string{"mariadb", "mysql"} {
		locking := 0
		for seed := range uint64(600) {
			c, err := Generate(seed, testDialect(t, name), Options{Isolation: "read-committed",
				Weights: map[string]int{"lock-tables": 100, "locking": 100}})
			if err != nil {
				t.Fatal(err)
			}
			for i := range c.Txns {
				texts := testcase.Texts(c.Txns[i].Stmts)
				if !strings.HasPrefix(texts[0], "LOCK TABLES ") {
					continue
				}
				for _, text := range texts[1:] {
					if !strings.Contains(text, " FOR SHARE") && !strings.Contains(text, " IN SHARE MODE") {
						continue
					}
					locking++
					if strings.Contains(texts[0], " READ") && !strings.Contains(texts[0], " WRITE") {
						t.Errorf("%s, seed %d: %s; %s", name, seed, texts[0], text)
					}
				}
			}
		}
		if locking == 0 {
			t.Errorf("%s: no case locks a table and rows of it", name)
		}
	}
}

// TestTruncate: MariaDB empties no table beside a transaction whose snapshot should keep others from writing what has
// changed since.
func TestTruncate(t *testing.T) {
	d := testDialect(t, "mariadb")
	seen := 0
	for _, level := range []string{"repeatable-read", "snapshot"} {
		for seed := range uint64(100) {
			c, err := Generate(seed, d, Options{Isolation: level, Weights: map[string]int{"mixed-levels": 60,
				"ddl-truncate": 95}})
			if err != nil {
				t.Fatal(err)
			}
			old, gone := level == "snapshot", false
			for i := range c.Txns {
				old = old || c.Txns[i].Isolation == "snapshot"
				gone = gone || strings.HasPrefix(c.Txns[i].Stmts[0].SQL, "TRUNCATE ")
			}
			if old && gone {
				t.Errorf("%s, seed %d: a table loses its rows beside a snapshot from before", level, seed)
			} else if gone {
				seen++
			}
		}
	}
	if seen == 0 {
		t.Error("no case empties a table")
	}
}

// TestDeferrable: at SERIALIZABLE transactions that only read wait for their snapshot, those that write or lock rows do
// not, and at no other level does any.
func TestDeferrable(t *testing.T) {
	d := testDialect(t, "postgresql")
	for level, want := range map[string]bool{"serializable": true, "repeatable-read": false} {
		seen := false
		for seed := range uint64(40) {
			c, err := Generate(seed, d, Options{Isolation: level, Weights: map[string]int{"read-deferrable": 95}})
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Admit(sqltext.SyntaxOf("postgresql")); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			for i := range c.Txns {
				if c.Txns[i].Begin.SQL != "START TRANSACTION READ ONLY DEFERRABLE" {
					continue
				}
				seen = true
				for _, s := range c.Txns[i].Stmts {
					if sqltext.KindOf(s.SQL).Writes() || strings.Contains(s.SQL, " FOR UPDATE") {
						t.Errorf("seed %d: T%d only reads: %s", seed, i, s.SQL)
					}
				}
			}
		}
		if seen != want {
			t.Errorf("%s: %t", level, seen)
		}
	}
}

// TestPostgreSQL: what older snapshots see nothing of stands beside none, also not beside that of a transaction with a
// level of its own; a table with partitions has no exclusion constraint; and each production of PostgreSQL's own is
// written by some case.
func TestPostgreSQL(t *testing.T) {
	d := testDialect(t, "postgresql")
	weights := map[string]int{"mixed-levels": 95, "ddl-truncate": 95, "ddl-rewrite": 95, "partition-of": 60,
		"inherited": 60, "unique-exclude": 60, "unique-deferrable": 60,
		"foreign-key": 60, "deferred-key": 60, "merge": 60, "disconnect": 95, "lock-mode": 95, "lock-alone": 60,
		"advisory-lock": 60, "read-only-write": 80, "prepared": 60, "wide-rows": 60}
	texts := map[string]string{"merge": `^MERGE INTO .* WHEN NOT MATCHED .*INSERT `,
		"delete": `^MERGE INTO .* THEN DELETE`, "partition": `^CREATE TABLE t0_p1 PARTITION OF t0 `,
		"inherited": `^CREATE TABLE t0_h1 \(CHECK \(pkey % \d = 1\).* INHERITS \(t0\)$`, "heir": `^INSERT INTO t0_h1 `,
		"only": ` FROM ONLY t`, "update-only": `^UPDATE ONLY t`,
		"deferrable": ` DEFERRABLE[,)]`, "deferred": `REFERENCES t0 \(\w+\) DEFERRABLE INITIALLY DEFERRED`,
		"exclude": ` EXCLUDE USING hash `, "disconnect": `^SELECT pg_terminate_backend`, "truncate": `^TRUNCATE `,
		"rewrite":    ` BIGSERIAL`,
		"lock-mode":  `^LOCK TABLE t\d(, t\d)? IN SHARE ROW EXCLUSIVE MODE$`,
		"lock-alone": `^LOCK TABLE .* IN ACCESS EXCLUSIVE MODE NOWAIT$`,
		"advisory":   `^SELECT pg_try_advisory_xact_lock_shared\(\d\)$`, "unlock": `^SELECT pg_advisory_unlock\(`,
		"prepare": `^PREPARE TRANSACTION 'txweave-`, "prepared": `^COMMIT PREPARED '`,
		"undone": `^ROLLBACK PREPARED '`, "wide": ` WITH \(fillfactor = 10\)$`}
	both := regexp.MustCompile(`(?s)EXCLUDE USING.*PARTITION BY|PARTITION BY.*fillfactor`) // what the server refuses
	seen := map[string]bool{}
	for seed := range uint64(120) {
		c, err := Generate(seed, d, Options{Isolation: "read-committed", Weights: weights})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Admit(sqltext.SyntaxOf("postgresql")); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		all := testcase.Texts(c.Schema)
		for _, text := range all {
			if both.MatchString(text) {
				t.Errorf("seed %d: %s", seed, text)
			}
		}
		old, gone := false, false
		for i := range c.Txns {
			old = old || c.Txns[i].Isolation == "repeatable-read"
			if strings.HasSuffix(c.Txns[i].Begin.SQL, "READ ONLY") && slices.ContainsFunc(c.Txns[i].Stmts, locksOut) {
				t.Errorf("seed %d: a transaction that only reads locks a table against others", seed)
			}
			for n := range c.Txns[i].Steps() {
				sql := c.Txns[i].Step(n).SQL
				all = append(all, sql)
				gone = gone || strings.HasPrefix(sql, "TRUNCATE ") || strings.Contains(sql, " BIGSERIAL")
			}
		}
		if old && gone {
			t.Errorf("seed %d: a table loses its rows beside a snapshot from before", seed)
		}
		for name, pattern := range texts {
			re := regexp.MustCompile(pattern)
			seen[name] = seen[name] || slices.ContainsFunc(all, re.MatchString)
		}
	}
	for name := range texts {
		if !seen[name] {
			t.Errorf("no case has %s", name)
		}
	}
}

// TestChain: AND CHAIN stands where the next transaction of the session goes on at the same level and in the same
// access mode, and behind one that is READ ONLY goes one that does not write.
func TestChain(t *testing.T) {
	for _, name := range []string{"mariadb", "mysql"} {
		seen := map[string]int{}
		for seed := range uint64(150) {
			c, err := Generate(seed, testDialect(t, name), Options{Isolation: "read-committed",
				Weights: map[string]int{"chain": 95, "access-mode": 60, "mixed-levels": 40}})
			if err != nil {
				t.Fatal(err)
			}
			for i := range c.Txns {
				if !c.Read(c.Txns[i].End.SQL).Chains() {
					continue
				}
				n := follower(c.Txns, i)
				if n < 0 || c.Txns[n].Isolation != c.Txns[i].Isolation || !control.Continues(c.Read(c.Txns[i].Begin.SQL),
					c.Read(c.Txns[n].Begin.SQL)) {
					t.Fatalf("%s, seed %d: nothing goes on behind T%d", name, seed, i)
				}
				seen[c.Txns[n].Begin.SQL+"; "+c.Txns[i].End.SQL]++
			}
		}
		for _, what := range []string{"BEGIN; COMMIT AND CHAIN", "BEGIN; ROLLBACK AND CHAIN",
			"START TRANSACTION READ ONLY; COMMIT AND CHAIN"} {
			if seen[what] == 0 {
				t.Errorf("%s: no case has %s", name, what)
			}
		}
	}
}

// TestWideRows: rows of MariaDB's and MySQL's tables are made long by columns that no statement of the generator's
// names.
func TestWideRows(t *testing.T) {
	for _, name := range []string{"mariadb", "mysql", "tidb", "sqlite"} {
		d := testDialect(t, name)
		wide := 0
		for seed := range uint64(20) {
			c, err := Generate(seed, d, Options{Isolation: "serializable", Weights: map[string]int{"wide-rows": 95}})
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range testcase.Texts(c.Schema) {
				wide += strings.Count(text, " CHAR(255) CHARACTER SET latin1 NOT NULL DEFAULT ''")
			}
			for i := range c.Txns {
				for n := range c.Txns[i].Steps() {
					if sql := c.Txns[i].Step(n).SQL; strings.Contains(sql, "w0_") {
						t.Errorf("%s: seed %d: %s", name, seed, sql)
					}
				}
			}
		}
		if got, want := wide > 0, d.TableForms.Filler != "" && name != "tidb"; got != want || wide%fillers != 0 {
			t.Errorf("%s: %d columns", name, wide)
		}
	}
}

// TestHashIndexes: an index that holds one part holds the whole of it, also where that is an expression with a comma.
func TestHashIndexes(t *testing.T) {
	expressions := 0
	for i := range 1500 {
		c := must(t, testDialect(t, "postgresql"), CaseSeed(9, i), Options{Isolation: "read-committed",
			Weights: map[string]int{"index-hash": 60, "functional-index": 60}})
		for _, s := range c.Schema {
			stmt, err := sqltext.SyntaxOf("postgresql").Tree.Parse(s.SQL)
			if err != nil {
				t.Fatal(err)
			}
			n, ok := stmt.(*sql.CreateIndex)
			if !ok || n.Using != "hash" {
				continue
			}
			if len(n.Columns) != 1 {
				t.Fatalf("seed %d: %s", c.Seed, s.SQL)
			}
			if _, call := sql.Bare(n.Columns[0].X).(*sql.Call); call {
				expressions++
			}
		}
	}
	if expressions < 20 {
		t.Errorf("%d of an expression with a comma", expressions)
	}
}

// locksOut says whether a statement is LOCK TABLE in a mode that a transaction which is READ ONLY may not ask for.
func locksOut(s testcase.Stmt) bool {
	_, mode, lock := strings.Cut(s.SQL, " IN ")
	mode, _, inMode := strings.Cut(mode, " MODE")
	return strings.HasPrefix(s.SQL, "LOCK TABLE ") && lock && inMode &&
		!slices.Contains([]string{"ACCESS SHARE", "ROW SHARE", "ROW EXCLUSIVE"}, mode)
}

package gen

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"txweave/sqltext"
	"txweave/testcase"
)

// TestForms: productions that few cases have write, where they are asked for, what a case may hold.
func TestForms(t *testing.T) {
	texts := map[string]map[string]string{
		"mariadb": {"scratch-table": `^CREATE (TEMPORARY )?TABLE s\d+ AS `, "returning": ` RETURNING pkey`, "insert-set": ` INTO t\d SET pkey = `,
			"auto-increment": ` AUTO_INCREMENT`, "ddl-rename": `^RENAME TABLE `, "lock-tables": `^LOCK TABLES t\d `, "ddl-table": `^CREATE TABLE n\d`},
		"sqlite": {"scratch-table": `^CREATE TEMP TABLE s\d+ AS `, "returning": ` RETURNING pkey`, "or-ignore": ` ON CONFLICT DO UPDATE SET | OR IGNORE `, "ddl-table": `^DROP TABLE n\d`},
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
			quoting := sqltext.MySQL
			if name == "sqlite" {
				quoting = sqltext.ANSI
			}
			if err := c.Admit(quoting); err != nil {
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
			c, err := Generate(seed, testDialect(t, name), Options{Isolation: "read-committed", Weights: map[string]int{"lock-tables": 100, "locking": 100}})
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

// TestPostgreSQL: what older snapshots see nothing of stands beside none, also not beside that of a transaction with a level of its own; a
// table with partitions has no exclusion constraint; and each production of PostgreSQL's own is written by some case.
func TestPostgreSQL(t *testing.T) {
	d := testDialect(t, "postgresql")
	weights := map[string]int{"mixed-levels": 95, "ddl-truncate": 95, "ddl-rewrite": 95, "partition-of": 60, "unique-exclude": 60, "unique-deferrable": 60, "merge": 60, "disconnect": 95}
	texts := map[string]string{"merge": `^MERGE INTO .* WHEN NOT MATCHED .*INSERT `, "delete": `^MERGE INTO .* THEN DELETE`, "partition": `^CREATE TABLE t0_p1 PARTITION OF t0 `,
		"deferrable": ` DEFERRABLE`, "exclude": ` EXCLUDE USING hash `, "disconnect": `^SELECT pg_terminate_backend`, "truncate": `^TRUNCATE `, "rewrite": ` BIGSERIAL`}
	both := regexp.MustCompile(`(?s)EXCLUDE USING.*PARTITION BY`)
	seen := map[string]bool{}
	for seed := range uint64(120) {
		c, err := Generate(seed, d, Options{Isolation: "read-committed", Weights: weights})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Admit(sqltext.PostgreSQL); err != nil {
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

package gen

import (
	"regexp"
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

package gen

import (
	"regexp"
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

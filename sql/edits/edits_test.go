package edits_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	mysql "txweave/dbms/mysql/dialect"
	postgresql "txweave/dbms/postgresql/dialect"
	sqlite "txweave/dbms/sqlite/dialect"
	"txweave/internal/testkit/trees"
	"txweave/sql"
	"txweave/sql/edits"
	"txweave/sql/sqltext"
)

// dialects are those of the databases by their names.
var dialects = map[string]*sql.Dialect{
	"sqlite": sqlite.New(3_053_004), "mysql": mysql.New(mysql.Server{Product: "MySQL", Version: 80400}),
	"mariadb":    mysql.New(mysql.Server{Product: "MariaDB", Version: 110809}),
	"tidb":       mysql.New(mysql.Server{Product: "TiDB", Version: 80500}),
	"postgresql": postgresql.New(postgresql.Server{Version: 18}),
}

// ddl is what the statements of testdata are of.
var ddl = []string{
	"CREATE TABLE t (pkey INT NOT NULL PRIMARY KEY, vkey INT, pvkey INT, a INT, b VARCHAR(9), f DOUBLE, u INT, UNIQUE " +
		"(u))",
	"CREATE TABLE s (pkey INT NOT NULL PRIMARY KEY, vkey INT, pvkey INT, a INT, c INT)",
	"CREATE TABLE bare (a INT)",
}

// risks are the names of risks.
var risks = []string{"ties", "bare", "rows", "floats", "unique", "dangles"}

func named(r sqltext.Risk) string {
	var out []string
	for i, name := range risks {
		if r&(1<<i) != 0 {
			out = append(out, name)
		}
	}
	return strings.Join(out, " ")
}

// TestGolden runs the commands of testdata on each line, a statement of the database that the command names:
//
//	spell      how it is printed anew
//	edits      what becomes of it with each edit, and which clause that drops or which risk it adds
//	risks      its risks
//	features   its features, those that next to every statement has last
//	schema     the features of what it defines
//	aliases    the names that it gives
//	printing   the queries that tell what it reads
//	keys       the statement with other keys
//	without    the statement without column a of t
func TestGolden(t *testing.T) {
	schema := sqltext.ReadSchema(dialects["mysql"], ddl)
	datadriven.Walk(t, "testdata/golden", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			r := &edits.Rewriter{Dialect: dialects[d.CmdArgs[0].Key]}
			var b strings.Builder
			for text := range strings.SplitSeq(d.Input, "\n") {
				if _, err := r.Dialect.Parse(text); err != nil {
					t.Fatalf("%s: %v", d.Pos, err)
				}
				fmt.Fprintln(&b, strings.TrimRight(golden(t, d.Cmd, r, text, schema), " \n"))
			}
			return b.String()
		})
	})
}

func golden(t *testing.T, cmd string, r *edits.Rewriter, text string, schema *sqltext.Schema) string {
	switch cmd {
	case "spell":
		spelled, _ := r.Spell(text)
		return spelled
	case "edits":
		return edited(r, text, schema)
	case "risks":
		got, _ := r.Risks(text, schema)
		return text + "\n  " + named(got)
	case "features":
		all, _ := r.Features(text, true)
		few, _ := r.Features(text, false)
		ordinary := slices.DeleteFunc(all, func(name string) bool { return slices.Contains(few, name) })
		return fmt.Sprintf("%s; %s", strings.Join(few, " "), strings.Join(ordinary, " "))
	case "schema":
		return strings.Join(r.SchemaFeatures(text), " ")
	case "aliases":
		tables, ctes, results := r.Aliases(text)
		return fmt.Sprint(tables, ctes, results)
	case "printing":
		return strings.Join(append(r.Printing(text, schema), "."), "\n")
	case "keys":
		changed, ok := r.ChangeKeys(text, func(table, column string, n int64) int64 {
			if column == sqltext.PKey && table != "t" {
				return n
			}
			return n + 100
		})
		return fmt.Sprint(changed, " ", ok)
	case "without":
		changed, ok := r.WithoutColumns(text, map[string]map[string]bool{"t": {"a": true}})
		return fmt.Sprint(changed, " ", ok)
	}
	t.Fatalf("%s is no command", cmd)
	return ""
}

// edited are a statement's edits, one a line.
func edited(r *edits.Rewriter, text string, schema *sqltext.Schema) string {
	stmt, _ := r.Dialect.Parse(text)
	var b strings.Builder
	for _, e := range edits.Of(stmt, schema) {
		to := e.Apply()
		changed, err := r.Dialect.Print(to)
		note := e.Clause
		if added := edits.Risks(to, schema) &^ edits.Risks(stmt, schema); added != 0 {
			note += " risk of " + named(added)
		}
		switch {
		case err != nil:
			changed = "not said"
		case changed == text:
			continue
		}
		if note != "" {
			changed += " -- " + strings.TrimSpace(note)
		}
		fmt.Fprintln(&b, changed)
	}
	return b.String()
}

// TestEditsEnd: whatever a statement is, and whichever edits are taken, what is printed of it is read again as what it
// is, another text than before, and there is an end of edits.
func TestEditsEnd(t *testing.T) {
	languages := map[string]trees.Language{
		"sqlite": trees.SQLite, "mysql": trees.MySQL, "postgresql": trees.PostgreSQL,
	}
	schema := sqltext.ReadSchema(dialects["mysql"], ddl)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"sqlite", "mysql", "postgresql"}).Draw(t, "dialect")
		d := dialects[name]
		text, err := d.Print(trees.Statement(languages[name]).Draw(t, "tree"))
		if err != nil {
			t.Skip(err)
		}
		r := &edits.Rewriter{Dialect: d}
		for step := 0; ; step++ {
			if step > 200 {
				t.Fatalf("there is no end of edits: %s", text)
			}
			var candidates []string
			for i := 0; ; i++ {
				changed, more := r.Edit(text, schema, i)
				if !more {
					break
				}
				if changed == text {
					t.Fatalf("edit %d leaves %s as it is", i, text)
				}
				if changed != "" {
					candidates = append(candidates, changed)
				}
			}
			if len(candidates) == 0 {
				return
			}
			text = rapid.SampledFrom(candidates).Draw(t, "edit")
			before, _ := d.Parse(text)
			if !edits.SameShape(before, before) {
				t.Fatalf("%s has not its own shape", text)
			}
		}
	})
}

// TestSameShape: names may be others, all else may not.
func TestSameShape(t *testing.T) {
	for _, c := range []struct {
		of            string
		before, after string
		same          bool
	}{
		{"mysql", "SELECT a, `b` FROM t AS x WHERE x.a = 1", "SELECT c0, c1 FROM t0 r0 WHERE (r0.c0 = 1)", true},
		{"mysql", "SELECT a FROM t", "SELECT a AS b FROM t", false},
		{"mysql", "SELECT a FROM t WHERE a = 'x'", "SELECT a FROM t WHERE a = 'y'", false},
		{"mysql", "SELECT LEFT(a, 1) FROM t", "SELECT RIGHT(a, 1) FROM t", false},
		{"mysql", "SELECT a FROM t", "SELECT FROM", false},
		{"mysql", "no statement", "SELECT a FROM t", true}, // nothing is known of its shape
		{"sqlite", "CREATE TABLE a (b INT, UNIQUE (b))", "CREATE TABLE t0 (c0 INT, UNIQUE (c0))", true},
		{"postgresql", `SELECT "A" FROM t`, "SELECT c0 FROM t", true},
	} {
		r := &edits.Rewriter{Dialect: dialects[c.of]}
		if got := r.SameShape(c.before, c.after); got != c.same {
			t.Errorf("%s\n%s: the same shape: %v", c.before, c.after, got)
		}
	}
}

// TestNoRows: what reads and writes no rows has neither edits nor risks, but can be renamed.
func TestNoRows(t *testing.T) {
	r, schema := &edits.Rewriter{Dialect: dialects["mysql"]}, sqltext.ReadSchema(dialects["mysql"], ddl)
	for _, text := range []string{"BEGIN", "SAVEPOINT a", "CREATE TABLE q (a INT)", "no statement",
		"CREATE TABLE q (a INT) AS SELECT 1 AS b"} {
		if _, ok := r.Spell(text); ok {
			t.Errorf("%s is spelled", text)
		}
		if _, more := r.Edit(text, schema, 0); more {
			t.Errorf("%s is edited", text)
		}
		if _, ok := r.Risks(text, schema); ok {
			t.Errorf("%s has risks", text)
		}
		if changed, ok := r.ChangeKeys(text, func(string, string, int64) int64 { return 0 }); changed != text || !ok {
			t.Errorf("%s has keys: %s", text, changed)
		}
	}
}

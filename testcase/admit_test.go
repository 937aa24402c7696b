package testcase

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"txweave/sql/sqltext"
)

// admitText is the text of a case whose section holds one statement of an attack.
func admitText(target, section, sql string) string {
	sections := map[string]string{"schema": "CREATE TABLE t (a INT PRIMARY KEY, b TEXT);\nCREATE TABLE u (a INT);",
		"rows":  "INSERT INTO t VALUES (1, 'x');",
		"begin": "BEGIN", "statement": "SELECT a FROM t", "end": "COMMIT"}
	switch section {
	case "schema", "rows":
		sections[section] += "\n" + sql + ";"
	default:
		sections[section] = sql
	}
	version, session := 1, ""
	if section == "session" {
		version, session = 2, "\n-- session --\n"+sql+";\n"
	}
	return fmt.Sprintf(
		"txweave case %d\ntarget: %s\nisolation: x\n\n-- schema --\n%s\n\n-- rows --\n%s\n%s\n-- T0 --\n%s;\n%s;\n%s;\n",
		version, target, sections["schema"], sections["rows"], session, sections["begin"], sections["statement"],
		sections["end"])
}

// TestAdmit reads, as the statements of one section of an otherwise harmless case, what testdata/admit holds a line:
//
//	schema | rows | session | begin | statement | end   target=mariadb
//
// and prints whether the case is admitted, or the reason for which it is not; with script, as a step of a script on a
// private server.
func TestAdmit(t *testing.T) {
	datadriven.RunTest(t, "testdata/admit", func(t *testing.T, d *datadriven.TestData) string {
		var target string
		d.ScanArgs(t, "target", &target)
		var b strings.Builder
		for _, sql := range strings.Split(d.Input, "\n") {
			if d.Cmd == "script" {
				s := &Script{Target: target, Steps: []ScriptStmt{{SQL: sql}}}
				if refused := s.Admit(sqltext.SyntaxOf(target), true); len(refused) > 0 {
					fmt.Fprintln(&b, refused[0].Reason)
				} else {
					fmt.Fprintln(&b, "admitted")
				}
				continue
			}
			c, err := Read("c", []byte(admitText(target, d.Cmd, sql)))
			if err != nil {
				fmt.Fprintln(&b, err)
				continue
			}
			fmt.Fprintln(&b, "admitted")
			if again, err := Read("c", c.Print()); err != nil || string(again.Print()) != string(c.Print()) {
				t.Errorf("%s: does not read back: %v", sql, err)
			}
		}
		return b.String()
	})
}

// TestAdmitByTheReader: a statement is judged as the database reads it that runs the case, not as the case's target
// does.
func TestAdmitByTheReader(t *testing.T) {
	c, err := Read("c", []byte(admitText("mariadb", "statement", `SELECT 'a\'; ATTACH ''f'' AS g; --' FROM t`)))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Admit(sqltext.SyntaxOf("mariadb")); err != nil {
		t.Error(err)
	}
	if err := c.Admit(sqltext.SyntaxOf("sqlite")); err == nil {
		t.Error("two statements of SQLite are admitted")
	}
}

// TestOneStatementForAll: what the database takes for more than is judged is refused: a text that is another one behind
// a backslash, and what stands behind a carriage return, which ends a comment of PostgreSQL's.
func TestOneStatementForAll(t *testing.T) {
	for _, c := range []struct{ target, step, order, want string }{
		{"postgresql", `UPDATE t SET a = 2 WHERE $$ 1$$LIKE'x\'; COPY (SELECT 1) TO PROGRAM $a$id$a$; --'`, "T0.S0",
			"between statements"},
		{"postgresql", "DROP TABLE n0 --\r, t", "", "alone, in autocommit"},
		{"postgresql", "TRUNCATE TABLE t --\r, u CASCADE", "", "alone, in autocommit"},
		{"postgresql", "ALTER TABLE t ADD COLUMN z INT --\r, OWNER TO postgres", "", "alone, in autocommit"},
		{"postgresql", "VACUUM (ANALYZE) t --\r, u", "", "alone, in autocommit"},
		{"postgresql", "SELECT a FROM t WHERE a > 0 --\r AND foo(1)", "", "none of that name is known"},
		{"sqlite", "SELECT $a(') + 1 -- '", "T0.S0", "a parameter has no value here"},
		{"sqlite", "SELECT :a(') + 1 -- '", "T0.S0", "a parameter has no value here"},
		{"postgresql", "TRUNCATE TABLE t -- a", "", ""},
		{"postgresql", `SELECT a FROM t WHERE b LIKE E'x\'' -- ;`, "", ""},
	} {
		text := fmt.Sprintf(
			"txweave case 2\ntarget: %s\nisolation: x\n\n-- schema --\nCREATE TABLE t (a INT PRIMARY KEY, b TEXT);\nCREATE "+
				"TABLE u (a INT);\n\n-- T0 --\n%s\n;\n", c.target, c.step)
		if c.order != "" {
			text += "\n-- order --\n" + c.order + "\n"
		}
		_, err := Read("c", []byte(text))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q: %v, want %q", c.target, c.step, err, c.want)
		}
	}
}

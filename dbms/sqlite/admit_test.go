package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"txweave/testcase"
)

// victim is a database with a second one attached, as a server has others beside the case's.
type victim struct {
	dir string
	db  *sql.DB
}

func newVictim(t testing.TB) *victim {
	v := &victim{dir: t.TempDir()}
	var err error
	if v.db, err = sql.Open("sqlite", filepath.Join(v.dir, "case.db")); err != nil {
		t.Fatal(err)
	}
	v.db.SetMaxOpenConns(1)
	t.Cleanup(func() { v.db.Close() })
	v.must(t, fmt.Sprintf("ATTACH '%s' AS userdb; CREATE TABLE userdb.secret (a); INSERT INTO userdb.secret VALUES (1); "+
		"CREATE TABLE t (a, b)",
		filepath.Join(v.dir, "user.db")))
	return v
}

func (v *victim) must(t testing.TB, sql string) {
	if _, err := v.db.ExecContext(context.Background(), sql); err != nil {
		t.Fatal(err)
	}
}

// state is all that a case must leave as it is: what is attached, the other database's tables and rows, the files.
func (v *victim) state(t interface{ Fatal(...any) }) string {
	var b strings.Builder
	for _, query := range []string{"SELECT name FROM pragma_database_list WHERE name <> 'temp' ORDER BY 1",
		"SELECT sql FROM userdb.sqlite_master ORDER BY 1",
		"SELECT a FROM userdb.secret ORDER BY 1", "SELECT name FROM temp.sqlite_master ORDER BY 1"} {
		rows, err := v.db.QueryContext(context.Background(), query)
		if err != nil {
			return err.Error() // the table is gone
		}
		for rows.Next() {
			var s any
			if err := rows.Scan(&s); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(&b, s)
		}
		rows.Close()
	}
	files, err := os.ReadDir(v.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), "-journal") {
			fmt.Fprintln(&b, f.Name())
		}
	}
	return b.String()
}

// run sends a text as the target would, whatever comes of it.
func (v *victim) run(sql string) {
	_, _ = v.db.ExecContext(context.Background(), sql)
	_, _ = v.db.ExecContext(context.Background(), "ROLLBACK")
}

// harmful are statements that change what a case must leave as it is; %s is the directory.
var harmful = []string{"ATTACH '%s/new.db' AS stolen", "DELETE FROM userdb.secret",
	"INSERT INTO userdb.secret VALUES (9)", "UPDATE userdb.secret SET a = 9",
	"CREATE TABLE userdb.n (a)", "DROP TABLE userdb.secret", "CREATE TEMP TABLE x (a)",
	"ALTER TABLE userdb.secret ADD COLUMN z", "DETACH userdb",
	"REPLACE INTO \"userdb\".[secret] VALUES (7)", "DELETE FROM 'userdb'.secret",
	"WITH q AS (SELECT 1) DELETE FROM userdb . secret",
	"CREATE TRIGGER userdb.x AFTER INSERT ON secret BEGIN DELETE FROM secret; END",
	"CREATE TRIGGER x AFTER INSERT ON t FOR EACH ROW BEGIN DELETE FROM t; END; DELETE FROM userdb.secret",
	"VACUUM INTO '%s/copy.db'"}

// noise is what may stand around them, so that MySQL's rules and SQLite's read the text differently.
var noise = []string{"SELECT 'a\\'", "SELECT 1", "SELECT [a']", "SELECT \"a\\\"", "SELECT `a`", ";", ";", "; ", "--",
	"-- ", "--x", "#", "\n", " ", "/*", "*/", "/* ' */",
	"/*! ", "'", "''", "\"", "`", "[", "]", "\\", "BEGIN;", "COMMIT;", "COMMIT", "END", "; END",
	"CREATE TRIGGER y AFTER INSERT ON t FOR EACH ROW BEGIN DELETE FROM t; ", " AS x", ", t", "(", ")"}

// TestAdmittedIsHarmless: whatever is put around a harmful statement, what a case is admitted with changes nothing
// beyond its own tables. Some of what is refused does.
func TestAdmittedIsHarmless(t *testing.T) {
	v := newVictim(t)
	before := v.state(t)
	for _, attack := range harmful {
		loss := newVictim(t)
		was := loss.state(t)
		if strings.Contains(attack, "%s") {
			attack = fmt.Sprintf(attack, loss.dir)
		}
		if loss.run("SELECT 'a\\'; " + attack); loss.state(t) == was {
			t.Errorf("%s does no harm, and so tests nothing", attack)
		}
	}
	admitted := 0
	try := func(t *rapid.T) {
		attack := rapid.SampledFrom(harmful).Draw(t, "attack")
		if strings.Contains(attack, "%s") {
			attack = fmt.Sprintf(attack, v.dir)
		}
		around := rapid.SliceOfN(rapid.SampledFrom(noise), 0, 5)
		text := strings.Join(around.Draw(t, "before"), "") + attack + strings.Join(around.Draw(t, "after"), "")
		c := &testcase.Case{Target: "sqlite", Isolation: "serializable",
			Schema: []testcase.Stmt{{SQL: "CREATE TABLE t (a, b)"}},
			Txns:   []testcase.Txn{{Begin: testcase.Stmt{SQL: "BEGIN"}, End: testcase.Stmt{SQL: "COMMIT"}}}}
		stmt := testcase.Stmt{SQL: text}
		switch rapid.IntRange(0, 4).Draw(t, "where") {
		case 0:
			c.Schema = append(c.Schema, stmt)
		case 1:
			c.Rows = append(c.Rows, stmt)
		case 2:
			c.Txns[0].Stmts = append(c.Txns[0].Stmts, stmt)
		case 3:
			c.Txns[0].Begin = stmt
		case 4:
			c.Txns[0].End = stmt
		}
		if c.Admit(Syntax) != nil {
			return
		}
		admitted++
		v.run(text)
		if after := v.state(t); after != before {
			t.Fatalf("%q is admitted and changed\n%sto\n%s", text, before, after)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		for range 40 { // one in a hundred is admitted
			try(t)
		}
	})
	t.Logf("%d admitted", admitted)
	if admitted == 0 {
		t.Error("nothing was admitted: nothing was tested")
	}
}

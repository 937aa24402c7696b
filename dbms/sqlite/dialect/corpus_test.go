package dialect_test

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	_ "txweave/dbms/registry"
	generator "txweave/dbms/sqlite"
	sqlite "txweave/dbms/sqlite/dialect"
	"txweave/gen"
	"txweave/internal/testkit/effort"
	"txweave/internal/testkit/trees"
)

// Longer: go test ./dbms/sqlite/dialect -run Generated -generated 10000.
var generated = effort.Flag("generated", 400, "cases whose statements are read and printed")

var dialect = sqlite.New(3_053_004)

// memory is an empty database on one connection.
func memory(t testing.TB) *dbsql.DB {
	t.Helper()
	db, err := dbsql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// program is SQLite's bytecode of a statement. What it writes into the schema is the statement's own text: left out.
func program(db *dbsql.DB, stmt string) (string, error) {
	rows, err := db.QueryContext(context.Background(), "EXPLAIN "+stmt)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var b strings.Builder
	for rows.Next() {
		var v [8]any
		if err := rows.Scan(&v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]); err != nil {
			return "", err
		}
		if text := fmt.Sprint(v[5]); v[1] == "String8" && strings.HasPrefix(text, "CREATE") {
			v[5] = "CREATE"
		}
		fmt.Fprintln(&b, v[0], v[1], v[2], v[3], v[4], v[5], v[6])
	}
	return b.String(), rows.Err()
}

// explained are statements that SQLite can be asked about twice without being changed.
var explained = regexp.MustCompile(`^(?is)\s*(SELECT|VALUES|WITH|INSERT|REPLACE|UPDATE|DELETE|CREATE|DROP)\b`)

// check holds what is read of a statement against its text, and what is printed anew against SQLite. In a database that
// has not what the statement names, that is left out.
func check(t *testing.T, db *dbsql.DB, text string) (compared bool) {
	t.Helper()
	stmt, err := dialect.Parse(text)
	if err != nil {
		t.Errorf("%s\nis not read: %v", text, err)
		return false
	}
	if got, err := dialect.Print(stmt); err != nil || got != text {
		t.Errorf("%s\nis printed %s, %v", text, got, err)
	}
	trees.Placed(t, stmt, text)
	anew, err := dialect.Reprint(stmt)
	if err != nil {
		t.Errorf("%s\n%v", text, err)
		return false
	}
	if db == nil || !explained.MatchString(text) {
		return false
	}
	was, err := program(db, text)
	if err != nil {
		return false
	}
	is, err := program(db, anew)
	if err != nil || was != is {
		t.Errorf("%s\nis printed anew as\n%s\nwhich SQLite takes for something else: %v\n%s\n%s", text, anew, err, was, is)
	}
	return true
}

// TestGeneratedStatementsAreRead: of each statement that the generator writes for SQLite, the tree prints the same
// bytes, and printed anew SQLite makes the same program of it.
func TestGeneratedStatementsAreRead(t *testing.T) {
	statements, compared := 0, 0
	for i := range generated() {
		c, err := gen.Generate(gen.CaseSeed(50, i), generator.Dialect, gen.Options{Isolation: "serializable"})
		if err != nil {
			t.Fatal(err)
		}
		db := memory(t)
		for j, text := range trees.StatementsOf(c) {
			statements++
			if check(t, db, text) {
				compared++
			}
			if j < len(c.Schema) {
				if _, err := db.ExecContext(t.Context(), text); err != nil {
					t.Fatal(text, err)
				}
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if t.Failed() {
			t.Fatalf("case %d", i)
		}
	}
	if compared < statements/2 {
		t.Errorf("of %d statements %d were compared", statements, compared)
	}
	t.Logf("%d statements, %d of them compared by their programs", statements, compared)
}

// TestCasesOfTheTreeAreRead: so are the statements of all cases of SQLite's in the tree.
func TestCasesOfTheTreeAreRead(t *testing.T) {
	trees.Cases(t, 30, func(_, stmt string) { check(t, nil, stmt) }, "sqlite")
}

// TestFindingsAreRead: so are the statements of the reports on SQLite.
func TestFindingsAreRead(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "..", "..", "docs", "findings", "sqlite-*.md"))
	if err != nil || len(paths) < 5 {
		t.Fatal(paths, err)
	}
	end := regexp.MustCompile(`;[ \t]*(--.*)?\n`)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, block := range strings.Split(string(text), "```") {
			if i%2 == 0 {
				continue
			}
			db := memory(t)
			for from := 0; from < len(block); {
				at := end.FindStringIndex(block[from:])
				if at == nil {
					break
				}
				stmt := block[from : from+at[1]]
				from += at[1]
				check(t, db, stmt)
				_, _ = db.ExecContext(t.Context(), stmt) // some fail, which is what they are there for
			}
		}
	}
}

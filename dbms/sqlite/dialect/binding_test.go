package dialect_test

import (
	"testing"

	"pgregory.net/rapid"

	"txweave/internal/testkit/trees"
	"txweave/sql"
)

// TestOperatorsBindAsInSQLite: what is printed of a tree with as few parentheses as may be, SQLite takes for what is
// printed with parentheses around each operator, and so does what is read of the former and printed with them.
func TestOperatorsBindAsInSQLite(t *testing.T) {
	db := memory(t)
	if _, err := db.ExecContext(t.Context(), schema); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		var stmt sql.Stmt = &sql.Query{Body: &sql.Select{Items: []*sql.Item{{X: trees.Operators(rt, trees.SQLite)}},
			From: &sql.Table{Name: &sql.Name{Value: "t"}}}}
		text, err := dialect.Print(stmt)
		if err != nil {
			rt.Fatal(err)
		}
		full, err := dialect.Print(trees.Enclosed(stmt))
		if err != nil {
			rt.Fatal(err)
		}
		few, err := program(db, text)
		if err != nil {
			rt.Fatalf("%s: %v", text, err)
		}
		if all, err := program(db, full); err != nil || few != all {
			rt.Fatalf("%s\nis something else than\n%s\n%v\n%s\n%s", text, full, err, few, all)
		}
	})
}

// words are what most of which SQLite reads in a row.
var words = trees.Neighbours{
	Before: []string{"NOT", "-", "+", "~"},
	Behind: []string{"ISNULL", "NOTNULL", "NOT NULL", "IS NULL", "COLLATE NOCASE", "IN (1, a)", "NOT IN (b)",
		"IS NOT TRUE"},
	Between: []string{"AND", "AND", "OR", "=", "==", "<>", "IS", "IS NOT", "IS NOT DISTINCT FROM", "IS DISTINCT FROM", "<",
		">=", "+", "-", "*", "/", "%", "||", "->", "&", "|", "<<",
		"LIKE", "NOT LIKE", "GLOB", "BETWEEN", "NOT BETWEEN", "ESCAPE"},
}

// TestWordsInARowAreReadAsBySQLite: whatever stands behind each other outside parentheses, SQLite reads it if the
// reader does, and as the tree says.
func TestWordsInARowAreReadAsBySQLite(t *testing.T) {
	db := memory(t)
	if _, err := db.ExecContext(t.Context(), schema); err != nil {
		t.Fatal(err)
	}
	readable := 0
	rapid.Check(t, func(rt *rapid.T) {
		text := "SELECT " + words.InARow(rt) + " FROM t"
		was, refused := program(db, text)
		stmt, err := dialect.Parse(text)
		switch {
		case err != nil && refused == nil:
			rt.Fatalf("%s: SQLite reads it: %v", text, err)
		case err != nil, refused != nil && !malformed.MatchString(refused.Error()): // GLOB with ESCAPE
			return
		}
		readable++
		full, err := dialect.Print(trees.Enclosed(stmt))
		if err != nil {
			rt.Fatal(err)
		}
		if is, err := program(db, full); refused != nil || err != nil || was != is {
			rt.Fatalf("%s\nis something else than\n%s\n%v, %v\n%s\n%s", text, full, refused, err, was, is)
		}
	})
	if readable == 0 && !testing.Short() { // a quick run draws two
		t.Error("nothing was read")
	}
}

package sqlite_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"txweave/sql"
)

// operators draws expressions of columns of goldens' table t, and of operators.
func (b *builder) operators() sql.Expr {
	if b.budget--; b.budget < 0 || b.n(6) == 0 {
		return &sql.Column{Name: &sql.Name{Value: pick(b, "a", "b", "c", "d")}}
	}
	x := b.operators
	switch b.n(10) {
	case 0:
		return &sql.Unary{Op: pick(b, sql.OpNot, sql.OpSub, sql.OpAdd, sql.OpBitNot), X: x()}
	case 1:
		return &sql.Is{X: x(), Not: b.maybe(), What: pick(b, "NULL", "TRUE", "FALSE")}
	case 2:
		return &sql.In{X: x(), Not: b.maybe(), List: []sql.Expr{x(), x()}}
	case 3:
		return &sql.Between{X: x(), Not: b.maybe(), Low: x(), High: x()}
	case 4:
		return &sql.Like{X: x(), Not: b.maybe(), Op: pick(b, sql.OpLike, sql.OpGlob), Pattern: x()}
	case 5:
		return &sql.Like{X: x(), Not: b.maybe(), Op: sql.OpLike, Pattern: x(), Escape: x()}
	case 6:
		return &sql.Collate{X: x(), Collation: &sql.Name{Value: pick(b, "NOCASE", "RTRIM")}}
	default:
		return &sql.Binary{Op: pick(b, binaries...), Left: x(), Right: x()}
	}
}

// enclosed is a tree with parentheses around each expression that has operators.
func enclosed(n sql.Node) sql.Node {
	switch x := n.(type) {
	case *sql.Column, *sql.Paren:
		return n
	case sql.Expr:
		return &sql.Paren{X: x}
	}
	return n
}

// TestOperatorsBindAsInSQLite: what is printed of a tree with as few parentheses as may be, SQLite takes for what is printed
// with parentheses around each operator, and so does what is read of the former and printed with them.
func TestOperatorsBindAsInSQLite(t *testing.T) {
	db := memory(t)
	if _, err := db.ExecContext(t.Context(), schema); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		b := &builder{T: rt, budget: 7}
		var stmt sql.Stmt = &sql.Query{Body: &sql.Select{Items: []*sql.Item{{X: b.operators()}}, From: &sql.Table{Name: &sql.Name{Value: "t"}}}}
		text, err := dialect.Print(stmt)
		if err != nil {
			rt.Fatal(err)
		}
		full, err := dialect.Print(sql.Rewrite(stmt, enclosed))
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

// inARow draws an expression as words that stand behind each other, most of which SQLite reads.
func (b *builder) inARow() string {
	before := []string{"NOT", "-", "+", "~"}
	behind := []string{"ISNULL", "NOTNULL", "NOT NULL", "IS NULL", "COLLATE NOCASE", "IN (1, a)", "NOT IN (b)", "IS NOT TRUE"}
	between := []string{"AND", "AND", "OR", "=", "==", "<>", "IS", "IS NOT", "IS NOT DISTINCT FROM", "IS DISTINCT FROM", "<", ">=", "+", "-", "*", "/", "%", "||", "->", "&", "|", "<<",
		"LIKE", "NOT LIKE", "GLOB", "BETWEEN", "NOT BETWEEN", "ESCAPE"}
	var words []string
	for i := range 1 + b.n(6) {
		if i > 0 {
			words = append(words, pick(b, between...))
		}
		for b.maybe() {
			words = append(words, pick(b, before...))
		}
		words = append(words, pick(b, "a", "b", "c", "d"))
		for b.maybe() {
			words = append(words, pick(b, behind...))
		}
	}
	return strings.Join(words, " ")
}

// TestWordsInARowAreReadAsBySQLite: whatever stands behind each other outside parentheses, SQLite reads it if the reader does, and
// as the tree says.
func TestWordsInARowAreReadAsBySQLite(t *testing.T) {
	db := memory(t)
	if _, err := db.ExecContext(t.Context(), schema); err != nil {
		t.Fatal(err)
	}
	readable := 0
	rapid.Check(t, func(rt *rapid.T) {
		text := "SELECT " + (&builder{T: rt}).inARow() + " FROM t"
		was, refused := program(db, text)
		stmt, err := dialect.Parse(text)
		switch {
		case err != nil && refused == nil:
			rt.Fatalf("%s: SQLite reads it: %v", text, err)
		case err != nil, refused != nil && !malformed.MatchString(refused.Error()): // GLOB with ESCAPE
			return
		}
		readable++
		full, err := dialect.Print(sql.Rewrite(stmt, enclosed))
		if err != nil {
			rt.Fatal(err)
		}
		if is, err := program(db, full); refused != nil || err != nil || was != is {
			rt.Fatalf("%s\nis something else than\n%s\n%v, %v\n%s\n%s", text, full, refused, err, was, is)
		}
	})
	if readable == 0 {
		t.Error("nothing was read")
	}
}

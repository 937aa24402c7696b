package gen

import (
	"fmt"
	"strings"

	"txweave/sql"
	"txweave/sql/build"
	"txweave/testcase"
)

// What the generator writes are trees; literals are known by their texts, as are the values of rows.

// lit is a literal, or what else a dialect's tables spell as a value, as an expression.
func (g *generator) lit(text string) sql.Expr {
	switch {
	case text == "NULL":
		return build.Null()
	case text == "DEFAULT":
		return &sql.DefaultValue{}
	case strings.Trim(text, "0123456789.") == "", text[0] == '-' && strings.Trim(text[1:], "0123456789.") == "":
		return build.Number(text)
	case text[0] == '\'' && strings.Count(text, "'") == 2 && strings.HasSuffix(text, "'"):
		return &sql.Literal{Kind: sql.Text, Text: text}
	}
	if word, quoted, ok := strings.Cut(text, " "); ok && (word == "DATE" || word == "TIMESTAMP") &&
		strings.Count(text, "'") == 2 && quoted[0] == '\'' && strings.HasSuffix(quoted, "'") {
		return &sql.TypedLiteral{Type: word, Text: quoted}
	}
	return g.d.Tree.Template(strings.ReplaceAll(text, "%", "%%")).Fill()
}

// lits are several of them.
func (g *generator) lits(texts []string) []sql.Expr {
	out := make([]sql.Expr, len(texts))
	for i, text := range texts {
		out[i] = g.lit(text)
	}
	return out
}

// fill is a form of the dialect's with expressions in its holes.
func (g *generator) fill(form string, holes ...sql.Expr) sql.Expr {
	return g.d.Tree.Template(form).Fill(holes...)
}

// pkey is the row key of a reference.
func (r *ref) pkey() *sql.Column { return build.Column(r.alias, "pkey") }

// col is a column of a reference.
func (r *ref) col(c *column) *sql.Column { return build.Column(r.alias, c.name) }

// isPkey says whether an expression is the row key of a reference.
func isPkey(x sql.Expr) bool {
	c, ok := x.(*sql.Column)
	return ok && c.Name.Value == "pkey"
}

// same says whether two expressions are the same column, or say the same.
func same(a, b sql.Expr) bool { return sql.Equal(a, b) }

// block is a query of one block over a FROM clause and a condition, which may be nil.
func block(from sql.TableRef, where sql.Expr, items ...*sql.Item) *sql.Select {
	return &sql.Select{Items: items, From: from, Where: where}
}

// row is a query of the values of one row, in an order of its table's key.
func row(s *sql.Select, r *ref, desc bool, offset int) *sql.Query {
	q := build.Query(s)
	q.Order = []*sql.Order{build.Order(r.pkey(), desc)}
	q.Limit = limitOf(1, offset)
	return q
}

// limitOf is LIMIT, with an OFFSET that is not 0.
func limitOf(count, offset int) *sql.Limit {
	l := &sql.Limit{Count: build.Int(count)}
	if offset != 0 {
		l.Offset = build.Int(offset)
	}
	return l
}

// object is the name of a table, a view or a trigger.
func object(name string) *sql.Object { return &sql.Object{Name: build.Name(name)} }

// finished is a statement as the case has it.
func (g *generator) finished(n sql.Stmt) testcase.Stmt {
	_, text, err := g.d.Tree.Finish(n)
	if err != nil { // a fault of the generator's
		panic(fmt.Sprintf("gen: %s: %v: %s", g.d.Name, err, sql.Tell(n)))
	}
	return testcase.Stmt{SQL: text}
}

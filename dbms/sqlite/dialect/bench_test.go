package dialect_test

import (
	"testing"

	generator "txweave/dbms/sqlite"
	"txweave/gen"
	"txweave/internal/testkit/cputime"
	"txweave/sql"
)

// benchmarked are generated statements.
func benchmarked(b *testing.B) (out []string) {
	for i := range 20 {
		c, err := gen.Generate(gen.CaseSeed(52, i), generator.Dialect, gen.Options{Isolation: "serializable"})
		if err != nil {
			b.Fatal(err)
		}
		for _, t := range c.Txns {
			for _, s := range t.Stmts {
				out = append(out, s.SQL)
			}
		}
	}
	return out
}

func BenchmarkParse(b *testing.B) {
	statements := benchmarked(b)
	cputime.Loop(b, len(statements), func() {
		for _, text := range statements {
			if _, err := dialect.Parse(text); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkRewrite prints statements of which each literal is another node, and reads what is printed.
func BenchmarkRewrite(b *testing.B) {
	var trees []sql.Stmt
	for _, text := range benchmarked(b) {
		stmt, err := dialect.Parse(text)
		if err != nil {
			b.Fatal(err)
		}
		trees = append(trees, stmt)
	}
	cputime.Loop(b, len(trees), func() {
		for _, stmt := range trees {
			rewritten := sql.Rewrite(stmt, func(n sql.Node) sql.Node {
				if l, ok := n.(*sql.Literal); ok {
					return &sql.Literal{Kind: l.Kind, Text: l.Text}
				}
				return n
			})
			if _, err := dialect.Print(rewritten); err != nil {
				b.Fatal(err)
			}
		}
	})
}

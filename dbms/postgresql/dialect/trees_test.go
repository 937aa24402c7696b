package dialect_test

import (
	"testing"

	postgresql "txweave/dbms/postgresql/dialect"
	"txweave/internal/testkit/trees"
	"txweave/sql"
)

// TestTreesPrintAndReadBackEqual: whatever tree is built, what is printed of it is read as that tree.
func TestTreesPrintAndReadBackEqual(t *testing.T) {
	trees.PrintAndRead(t, postgresql.New(postgresql.Server{Version: 18}), trees.PostgreSQL)
}

// TestReplacedOperandsGetTheParenthesesThatTheyNeed, where the bytes around them are kept.
func TestReplacedOperandsGetTheParenthesesThatTheyNeed(t *testing.T) {
	for text, want := range map[string]string{
		"select x::int,-x,  x[1], (x).y, x at time zone 'a'": "select (p OR q)::int,-(p OR q),  (p OR q)[1], (p OR " +
			"q).y, (p OR q) at time zone 'a'",
		"select 1 between x and 2, a[x], array[x], f(a => x)": "select 1 between (p OR q) and 2, a[p OR q], array[p " +
			"OR q], f(a => p OR q)",
		"select a = any(x), x = any(b), x||x, a ~x, @ x": "select a = any(p OR q), (p OR q) = any(b), (p OR " +
			"q)||(p OR q), a ~(p OR q), @ (p OR q)",
		"insert into t values (x, default) on conflict do nothing": "insert into t values (p OR q, default) on conflict do " +
			"nothing",
		"select 1 fetch first 3 rows only -- y\n;": "select 1 fetch first 3 rows only -- y\n;",
	} {
		stmt, err := dialect.Parse(text)
		if err != nil {
			t.Fatal(text, err)
		}
		or := &sql.Binary{Op: sql.OpOr, Left: &sql.Column{Name: &sql.Name{Value: "p"}},
			Right: &sql.Column{Name: &sql.Name{Value: "q"}}}
		got, err := dialect.Print(sql.Rewrite(stmt, func(n sql.Node) sql.Node {
			if c, ok := n.(*sql.Column); ok && c.Name.Value == "x" {
				return or
			}
			return n
		}))
		if err != nil || got != want {
			t.Errorf("%s\n%s, %v; want\n%s", text, got, err, want)
		}
	}
}

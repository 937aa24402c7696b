package sql_test

import (
	"strings"
	"testing"

	sqlite "txweave/dbms/sqlite/dialect"
	"txweave/sql"
)

var dialect = sqlite.New(3_053_004)

func parsed(t *testing.T, text string) sql.Stmt {
	t.Helper()
	stmt, err := dialect.Parse(text)
	if err != nil {
		t.Fatal(text, err)
	}
	return stmt
}

// renamed gives columns and tables that are called x another name.
func renamed(to sql.Name) func(sql.Node) sql.Node {
	return func(n sql.Node) sql.Node {
		if name, ok := n.(*sql.Name); ok && name.Value == "x" {
			return &to
		}
		return n
	}
}

// TestWhatIsNotChangedKeepsItsBytes: what stands around a changed node is printed as it was written, comments and all.
func TestWhatIsNotChangedKeepsItsBytes(t *testing.T) {
	or := &sql.Binary{Op: sql.OpOr, Left: &sql.Column{Name: &sql.Name{Value: "p"}},
		Right: &sql.Column{Name: &sql.Name{Value: "q"}}}
	negative := &sql.Unary{Op: sql.OpSub, X: &sql.Column{Name: &sql.Name{Value: "p"}}}
	call := &sql.Case{Whens: []*sql.When{{Cond: or, Result: negative}}}
	said := strings.NewReplacer("$", "CASE WHEN p OR q THEN -p END")
	for _, c := range []struct {
		text string
		put  sql.Expr // in the place of each column x; nil: each parenthesis is a CASE
		want string
	}{
		{"SELECT x FROM t", or, "SELECT p OR q FROM t"},
		{"/* 0 */select x", or, "/* 0 */select p OR q"},
		{"select /* 1 */ x -- 2\n , y from t;\n-- 3", or, "select /* 1 */ p OR q -- 2\n , y from t;\n-- 3"},
		{"SELECT x+1, 1-x, -x, NOT x, ~x, x, (x), f(x) FROM t", or,
			"SELECT (p OR q)+1, 1-(p OR q), -(p OR q), NOT (p OR q), ~(p OR q), p OR q, (p OR q), f(p OR q) FROM t"},
		{"SELECT x+1, 1-x, -x, x*2, x COLLATE NOCASE FROM t", negative,
			"SELECT -p+1, 1- -p, - -p, -p*2, -p COLLATE NOCASE FROM t"},
		{"SELECT x IS NULL, x IN (x), x LIKE x ESCAPE x, x BETWEEN x AND x, CASE x WHEN x THEN x END", or,
			"SELECT (p OR q) IS NULL, (p OR q) IN (p OR q), (p OR q) LIKE (p OR q) ESCAPE (p OR q), (p OR q) BETWEEN (p OR q) " +
				"AND (p OR q), CASE p OR q WHEN p OR q THEN p OR q END"},
		{"SELECT a=x, a=NOT b, a=NOT x, NOT x=a", or, "SELECT a=(p OR q), a=NOT b, a=(NOT (p OR q)), NOT (p OR q)=a"},
		{"SELECT a FROM t WHERE(x)AND(x)", call, "SELECT a FROM t WHERE($)AND($)"},
		{"SELECT a FROM t WHERE(x)AND(x)", nil,
			"SELECT a FROM t WHERE CASE WHEN x THEN TRUE END AND CASE WHEN x THEN TRUE END"},
		{"SELECT x,x FROM t", call, "SELECT $,$ FROM t"},
		{"UPDATE t SET a=x,b=(x) WHERE x==1", or, "UPDATE t SET a=p OR q,b=(p OR q) WHERE (p OR q)==1"},
	} {
		rewritten := sql.Rewrite(parsed(t, c.text), func(n sql.Node) sql.Node {
			if p, ok := n.(*sql.Paren); ok && c.put == nil {
				return &sql.Case{Whens: []*sql.When{{Cond: p.X, Result: &sql.Literal{Kind: sql.Bool, Text: "TRUE"}}}}
			}
			if col, ok := n.(*sql.Column); ok && col.Name.Value == "x" && c.put != nil {
				return c.put
			}
			return n
		})
		if got, err := dialect.Print(rewritten); err != nil || got != said.Replace(c.want) {
			t.Errorf("%s\nis printed %s, %v\nwant       %s", c.text, got, err, said.Replace(c.want))
		}
	}
}

// TestNamesAreReplacedWithinWhatTheyQualify: a dot stays where it is.
func TestNamesAreReplacedWithinWhatTheyQualify(t *testing.T) {
	const text = "SELECT x.a, x . b, main.x.c, x.* FROM x AS x ORDER BY x.a"
	got, err := dialect.Print(sql.Rewrite(parsed(t, text), renamed(sql.Name{Value: "order", Quote: '"'})))
	if want := strings.ReplaceAll(text, "x", `"order"`); err != nil || got != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}

// TestAStatementThatWasReadIsAPartOfAnother: without what stood around it.
func TestAStatementThatWasReadIsAPartOfAnother(t *testing.T) {
	inner := parsed(t, "-- before\nselect  x from t; -- behind").(*sql.Query)
	edited := sql.Rewrite(inner, renamed(sql.Name{Value: "y"}))
	outer := &sql.Query{Body: &sql.Select{Items: []*sql.Item{{X: &sql.Subquery{Query: inner}},
		{X: &sql.Subquery{Query: edited}}}}}
	if got, err := dialect.Print(outer); err != nil || got != "SELECT (select  x from t), (select  y from t)" {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := dialect.Print(edited); err != nil || got != "-- before\nselect  y from t; -- behind" {
		t.Errorf("%s, %v", got, err)
	}
	explained := parsed(t, "EXPLAIN select  x; --").(*sql.Explain)
	if got, err := dialect.Print(explained.Stmt); err != nil || got != "select  x" {
		t.Errorf("%s, %v", got, err)
	}
}

// TestRewriteCopiesThePathAlone: what is beside the path from the root to a changed node is the same nodes, and the
// tree that was rewritten is as it was.
func TestRewriteCopiesThePathAlone(t *testing.T) {
	const text = "SELECT a, (SELECT x FROM u), b FROM t WHERE c /* c */ = 1 ORDER BY d"
	was := parsed(t, text).(*sql.Query)
	told := sql.Tell(was)
	is := sql.Rewrite(was, renamed(sql.Name{Value: "y"}))
	before, after := was.Body.(*sql.Select), is.Body.(*sql.Select)
	if was == is || before == after || before.Items[1] == after.Items[1] {
		t.Error("the path was not copied")
	}
	if before.Items[0] != after.Items[0] || before.Items[2] != after.Items[2] || before.From != after.From ||
		before.Where != after.Where || was.Order[0] != is.Order[0] {
		t.Error("what is not changed was copied")
	}
	if again, err := dialect.Print(was); err != nil || again != text || sql.Tell(was) != told {
		t.Errorf("the tree has become %s, %v", again, err)
	}
	if got, err := dialect.Print(is); err != nil || got != strings.Replace(text, "x", "y", 1) {
		t.Errorf("%s, %v", got, err)
	}
	if sql.Rewrite(was, func(n sql.Node) sql.Node { return n }) != was {
		t.Error("where nothing changes the tree is another one")
	}
}

// TestNilTakesOut: from a list, and from where nothing need be.
func TestNilTakesOut(t *testing.T) {
	stmt := sql.Rewrite(parsed(t, "select a /* a */, x, b from t where c  >  x order by d, x"), func(n sql.Node) sql.Node {
		switch n := n.(type) {
		case *sql.Item:
			if c, ok := n.X.(*sql.Column); ok && c.Name.Value == "x" {
				return nil
			}
		case *sql.Order:
			return nil
		case *sql.Binary:
			return nil
		}
		return n
	})
	if got, err := dialect.Print(stmt); err != nil || got != "SELECT a, b FROM t" {
		t.Errorf("%s, %v", got, err)
	}
}

// TestACopyOfACopyIsOneOfTheNodeThatWasRead, however it is made.
func TestACopyOfACopyIsOneOfTheNodeThatWasRead(t *testing.T) {
	q := parsed(t, "select  a  from  t  where  x  limit  3").(*sql.Query)
	one := *q
	one.Limit = nil
	two := one
	two.Limit = &sql.Limit{Count: &sql.Literal{Kind: sql.Number, Text: "4"}}
	if got, err := dialect.Print(&one); err != nil || got != "select  a  from  t  where  x" {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := dialect.Print(&two); err != nil || got != "select  a  from  t  where  x  LIMIT 4" {
		t.Errorf("%s, %v", got, err)
	}
}

// TestWhatCannotBeSaidIsAnError: the dialect has no words for it, or would read them as something else.
func TestWhatCannotBeSaidIsAnError(t *testing.T) {
	a := &sql.Column{Name: &sql.Name{Value: "a"}}
	one := &sql.Select{Items: []*sql.Item{{X: a}}}
	for name, x := range map[string]sql.Stmt{
		"SQLite has no words for the operator ^": &sql.Query{
			Body: &sql.Select{Items: []*sql.Item{{X: &sql.Binary{Op: "^", Left: a, Right: a}}}}},
		"SQLite has no words for ! before": &sql.Query{
			Body: &sql.Select{Items: []*sql.Item{{X: &sql.Unary{Op: "!", X: a}}}}},
		"SQLite has no words for the operator SIM": &sql.Query{
			Body: &sql.Select{Items: []*sql.Item{{X: &sql.Like{Op: "SIMILAR TO", X: a, Pattern: a}}}}},
		"SQLite reads otherwise what is printed": &sql.Query{Body: &sql.Compound{Op: "UNION", Left: one,
			Right: &sql.Compound{Op: "EXCEPT", Left: one, Right: one}}},
		"SQLite reads what is printed no more": &sql.Savepoint{Name: &sql.Name{Value: "select"}},
		"reads otherwise what is printed: SELECT ": &sql.Query{
			Body: &sql.Select{Items: []*sql.Item{{X: &sql.Column{Name: &sql.Name{Value: "a b"}}}}}},
	} {
		if text, err := dialect.Print(x); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s, %v; want %s", text, err, name)
		}
	}
	if text, err := dialect.Print(&sql.Opaque{Text: "LOCK ALL"}); err != nil || text != "LOCK ALL" {
		t.Errorf("what is opaque is printed %s, %v", text, err)
	}
}

// TestBuiltExpressionsGetTheParenthesesThatTheyNeed, and no others.
func TestBuiltExpressionsGetTheParenthesesThatTheyNeed(t *testing.T) {
	a, b, c := column("a"), column("b"), column("c")
	two := func(op sql.Op, left, right sql.Expr) sql.Expr { return &sql.Binary{Op: op, Left: left, Right: right} }
	one := func(op sql.Op, x sql.Expr) sql.Expr { return &sql.Unary{Op: op, X: x} }
	null := &sql.Literal{Kind: sql.Null, Text: "NULL"}
	for want, x := range map[string]sql.Expr{
		"a - b - c":               two(sql.OpSub, two(sql.OpSub, a, b), c),
		"a - (b - c)":             two(sql.OpSub, a, two(sql.OpSub, b, c)),
		"a + b * c":               two(sql.OpAdd, a, two(sql.OpMul, b, c)),
		"(a + b) * c":             two(sql.OpMul, two(sql.OpAdd, a, b), c),
		"a = b < c":               two(sql.OpEq, a, two(sql.OpLt, b, c)),
		"a = (b = c)":             two(sql.OpEq, a, two(sql.OpEq, b, c)),
		"NOT a = b":               one(sql.OpNot, two(sql.OpEq, a, b)),
		"(NOT a) = b":             two(sql.OpEq, one(sql.OpNot, a), b),
		"a = (NOT b)":             two(sql.OpEq, a, one(sql.OpNot, b)),
		"NOT (a AND b)":           one(sql.OpNot, two(sql.OpAnd, a, b)),
		"NOT NOT a":               one(sql.OpNot, one(sql.OpNot, a)),
		"- -a":                    one(sql.OpSub, one(sql.OpSub, a)),
		"-(a || b)":               one(sql.OpSub, two(sql.OpConcat, a, b)),
		"-a COLLATE NOCASE":       &sql.Collate{X: one(sql.OpSub, a), Collation: &sql.Name{Value: "NOCASE"}},
		"(a || b) COLLATE NOCASE": &sql.Collate{X: two(sql.OpConcat, a, b), Collation: &sql.Name{Value: "NOCASE"}},
		"a LIKE (b LIKE c) ESCAPE (a = b)": &sql.Like{Op: sql.OpLike, X: a, Pattern: &sql.Like{Op: sql.OpLike, X: b,
			Pattern: c}, Escape: two(sql.OpEq, a, b)},
		"a BETWEEN (b AND c) AND b + c": &sql.Between{X: a, Low: two(sql.OpAnd, b, c), High: two(sql.OpAdd, b, c)},
		"a BETWEEN b AND (b = c)":       &sql.Between{X: a, Low: b, High: two(sql.OpEq, b, c)},
		"a IS (NULL)":                   two(sql.OpSame, a, null),
		"(a OR b) IS NOT NULL":          &sql.Is{X: two(sql.OpOr, a, b), Not: true, What: "NULL"},
		"a = b IN (a AND b)":            &sql.In{X: two(sql.OpEq, a, b), List: []sql.Expr{two(sql.OpAnd, a, b)}},
	} {
		got, err := dialect.Print(&sql.Query{Body: &sql.Select{Items: []*sql.Item{{X: x}}}})
		if err != nil || got != "SELECT "+want {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
}

func column(name string) sql.Expr { return &sql.Column{Name: &sql.Name{Value: name}} }

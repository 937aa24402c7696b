package mysql

import (
	"testing"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"

	"txweave/sqltext"
)

// TestPrint: what print lets pass reads back as the same tree; what the parser's printer would change it refuses.
func TestPrint(t *testing.T) {
	tests := []struct {
		ansi      bool
		sql, want string // want is "" where print must refuse
	}{
		{false, "SELECT a - -4 FROM t", "SELECT a - -4 FROM t"},
		{true, "SELECT a - -4, - -a FROM t", "SELECT a - -4, - -a FROM t"},
		{false, "SELECT a, b FROM t FOR SHARE", "SELECT a, b FROM t LOCK IN SHARE MODE"},
		{false, "SELECT 'FOR SHARE', 'a,b' FROM t", "SELECT 'FOR SHARE', 'a,b' FROM t"},
		{false, "SELECT _latin1'a' FROM t", ""},
		{false, "SELECT 'a\\\\' FROM t", "SELECT 'a\\\\' FROM t"},
		{true, "SELECT 'a\\' FROM t", "SELECT 'a\\' FROM t"},
		{false, "SELECT DATE '2024-01-01', 1.50, 5.75e0, NOT a, TRUE FROM t", "SELECT DATE '2024-01-01', 1.50, 5.75e+00, NOT a, TRUE FROM t"},
		{false, "SELECT `from` FROM t", ""},
		{false, "CREATE TEMPORARY TABLE s0 AS SELECT  a FROM t", "CREATE TEMPORARY TABLE s0 AS SELECT a FROM t"},
		{false, "DELETE FROM t WHERE a=1 RETURNING a, b+1", "DELETE FROM t WHERE a = 1 RETURNING a, b+1"},
		{false, "SELECT r0.a FROM t r0 LEFT JOIN t r1 ON r0.a = r1.a CROSS JOIN t r2", "SELECT r0.a FROM (t AS r0 LEFT JOIN t AS r1 ON r0.a = r1.a) JOIN t AS r2"},
	}
	for _, test := range tests {
		g := New(quoting(test.ansi))
		root, ok := g.read(test.sql)
		if !ok {
			t.Fatalf("cannot read %s", test.sql)
		}
		got, ok := g.print(root)
		if !ok {
			got = ""
		}
		if got != test.want {
			t.Errorf("%s:\ngot  %q\nwant %q", test.sql, got, test.want)
		}
	}
}

// TestPrintPrecedence: an operand that would need parentheses and has none is refused.
func TestPrintPrecedence(t *testing.T) {
	g := New(sqltext.MySQL)
	root, _ := g.read("SELECT (1 + 2) * 3")
	field := root.(*ast.SelectStmt).Fields.Fields[0]
	times := field.Expr.(*ast.BinaryOperationExpr)
	if sql, ok := g.print(root); !ok || sql != "SELECT (1 + 2) * 3" {
		t.Fatalf("%q, %v", sql, ok)
	}
	times.L = &ast.BinaryOperationExpr{Op: opcode.Plus, L: literal(int64(1)), R: literal(int64(2))}
	if sql, ok := g.print(root); ok {
		t.Errorf("printed %q", sql)
	}
}

func quoting(ansi bool) sqltext.Quoting {
	if ansi {
		return sqltext.ANSI
	}
	return sqltext.MySQL
}

package certificate

import (
	"encoding/hex"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"
	_ "github.com/pingcap/tidb/pkg/parser/test_driver" // literals

	"txweave/history"
)

// kind is the type of an expression.
type kind uint8

const (
	null kind = iota
	integer
	boolean // an integer, 0 or 1
	binary
)

// typed is an expression in SQLite's SQL. max bounds the absolute value of an integer.
type typed struct {
	sql  string
	kind kind
	max  float64
}

// maxInteger bounds what arithmetic may give: within it nothing overflows, whatever the order of evaluation.
const maxInteger = 1 << 62

// translator puts predicates into the SQL of the interpreter, and refuses what may mean something else there.
type translator struct {
	columns map[string]typed
}

var (
	integerType = regexp.MustCompile(`(?i)^(tiny|small|medium|big)?int(eger)?\s*(\(\d+\))?( signed)?( not null)?$`)
	binaryType  = regexp.MustCompile(`(?i)^((tiny|medium|long)?blob|varbinary\s*\(\d+\))( not null)?$`)
)

// newTranslator finds the types of the columns. The rows' integers bound each column.
func newTranslator(t *Table, rows [][]history.Value) (*translator, error) {
	tr := &translator{columns: map[string]typed{}}
	for i, c := range t.columns() {
		x := typed{sql: column(i)}
		switch {
		case integerType.MatchString(c.Type):
			x.kind = integer
		case binaryType.MatchString(c.Type):
			x.kind = binary
		}
		for _, row := range rows {
			if len(row) != len(t.columns()) {
				return nil, fmt.Errorf("a row of %s has %d columns, not %d", t.Name, len(row), len(t.columns()))
			}
			switch v := row[i]; {
			case v.Kind == history.Null:
			case v.Kind == history.Int && x.kind == integer:
				x.max = max(x.max, math.Abs(float64(v.N)))
			case v.Kind == history.Text && x.kind == binary:
			default:
				x.kind = null // of another type than it says: not used
			}
		}
		tr.columns[strings.ToLower(c.Name)] = x
	}
	return tr, nil
}

// condition parses a predicate: a condition and nothing more, not the end of one statement and another one.
func condition(where string) (ast.ExprNode, error) {
	stmts, _, err := parser.New().Parse("SELECT 1 FROM t WHERE "+where, "", "")
	if err != nil {
		return nil, unknownf("the parser does not read it: %v", err)
	}
	sel, ok := stmts[0].(*ast.SelectStmt)
	if len(stmts) != 1 || !ok || sel.GroupBy != nil || sel.OrderBy != nil || sel.Limit != nil || sel.Having != nil || sel.LockInfo != nil || sel.WindowSpecs != nil || sel.SelectIntoOpt != nil {
		return nil, unknownf("it is more than a condition")
	}
	return sel.Where, nil
}

// translate returns the predicate in SQLite's SQL.
func (tr *translator) translate(where string) (string, error) {
	n, err := condition(where)
	if err != nil {
		return "", err
	}
	x, err := tr.expr(n)
	if err != nil {
		return "", err
	}
	if x.kind == binary {
		return "", unknownf("a string stands for a condition")
	}
	return x.sql, nil
}

func (tr *translator) expr(n ast.ExprNode) (typed, error) {
	switch x := n.(type) {
	case *ast.ParenthesesExpr:
		return tr.expr(x.Expr)
	case *ast.ColumnNameExpr:
		c, ok := tr.columns[x.Name.Name.L]
		if !ok {
			return c, unknownf("there is no column %s", x.Name.Name.O)
		}
		if c.kind == null {
			return c, unknownf("column %s is neither an integer nor a binary string", x.Name.Name.O)
		}
		return c, nil
	case ast.ValueExpr:
		return literal(x)
	case *ast.IsNullExpr:
		a, err := tr.expr(x.Expr)
		return typed{fmt.Sprintf("((%s) IS %sNULL)", a.sql, not(x.Not)), boolean, 1}, err
	case *ast.IsTruthExpr:
		a, err := tr.number(x.Expr)
		return typed{fmt.Sprintf("((%s) IS %s%s)", a.sql, not(x.Not), map[bool]string{true: "TRUE", false: "FALSE"}[x.True == 1]), boolean, 1}, err
	case *ast.UnaryOperationExpr:
		a, err := tr.number(x.V)
		switch {
		case err != nil:
			return a, err
		case x.Op == opcode.Not || x.Op == opcode.Not2:
			return typed{"(NOT (" + a.sql + "))", boolean, 1}, nil
		case x.Op == opcode.Minus:
			return bounded(typed{"(- (" + a.sql + "))", integer, a.max})
		}
		return a, unknownf("operator %s", x.Op)
	case *ast.BinaryOperationExpr:
		return tr.operation(x)
	case *ast.BetweenExpr:
		list, err := tr.alike(x.Expr, x.Left, x.Right)
		if err != nil {
			return typed{}, err
		}
		return typed{fmt.Sprintf("(%s %sBETWEEN %s AND %s)", list[0], not(x.Not), list[1], list[2]), boolean, 1}, nil
	case *ast.PatternInExpr:
		if x.Sel != nil {
			return typed{}, unknownf("it has a subquery")
		}
		list, err := tr.alike(append([]ast.ExprNode{x.Expr}, x.List...)...)
		if err != nil {
			return typed{}, err
		}
		return typed{fmt.Sprintf("(%s %sIN (%s))", list[0], not(x.Not), strings.Join(list[1:], ", ")), boolean, 1}, nil
	}
	return typed{}, unknownf("%T may mean something else there", n)
}

func not(b bool) string {
	if b {
		return "NOT "
	}
	return ""
}

// number translates an operand that must be an integer or NULL.
func (tr *translator) number(n ast.ExprNode) (typed, error) {
	x, err := tr.expr(n)
	if err == nil && x.kind == binary {
		err = unknownf("a string stands for a number")
	}
	return x, err
}

// alike translates operands that are compared: all integers, or all binary strings.
func (tr *translator) alike(nodes ...ast.ExprNode) ([]string, error) {
	out, seen := make([]string, len(nodes)), null
	for i, n := range nodes {
		x, err := tr.expr(n)
		if err != nil {
			return nil, err
		}
		if x.kind == boolean {
			x.kind = integer
		}
		if x.kind != null && seen != null && x.kind != seen {
			return nil, unknownf("a number is compared with a string")
		}
		if x.kind != null {
			seen = x.kind
		}
		out[i] = "(" + x.sql + ")"
	}
	return out, nil
}

var comparisons = map[opcode.Op]string{opcode.EQ: "=", opcode.NE: "<>", opcode.LT: "<", opcode.LE: "<=", opcode.GT: ">", opcode.GE: ">=", opcode.NullEQ: "IS"}

func (tr *translator) operation(x *ast.BinaryOperationExpr) (typed, error) {
	if op, ok := comparisons[x.Op]; ok {
		list, err := tr.alike(x.L, x.R)
		if err != nil {
			return typed{}, err
		}
		return typed{fmt.Sprintf("(%s %s %s)", list[0], op, list[1]), boolean, 1}, nil
	}
	a, err := tr.number(x.L)
	if err != nil {
		return a, err
	}
	b, err := tr.number(x.R)
	if err != nil {
		return b, err
	}
	if n, ok := x.R.(ast.ValueExpr); ok && x.Op == opcode.Mod && n.GetValue() != nil && n.GetValue() != int64(0) {
		// By a number that is not 0: its sign is that of the dividend everywhere.
		return typed{fmt.Sprintf("((%s) %% (%s))", a.sql, b.sql), integer, a.max}, nil
	}
	infix := func(op string) string { return fmt.Sprintf("((%s) %s (%s))", a.sql, op, b.sql) }
	switch x.Op {
	case opcode.LogicAnd:
		return typed{infix("AND"), boolean, 1}, nil
	case opcode.LogicOr:
		return typed{infix("OR"), boolean, 1}, nil
	case opcode.Plus:
		return bounded(typed{infix("+"), integer, a.max + b.max})
	case opcode.Minus:
		return bounded(typed{infix("-"), integer, a.max + b.max})
	case opcode.Mul:
		return bounded(typed{infix("*"), integer, a.max * b.max})
	}
	return typed{}, unknownf("operator %s may mean something else there", x.Op)
}

// bounded refuses arithmetic that may overflow.
func bounded(x typed) (typed, error) {
	if x.max >= maxInteger {
		return x, unknownf("an integer may overflow")
	}
	return x, nil
}

// literal translates an integer, NULL, or a binary string written in hexadecimal.
func literal(v ast.ValueExpr) (typed, error) {
	switch x := v.GetValue().(type) {
	case nil:
		return typed{"NULL", null, 0}, nil
	case int64:
		return typed{strconv.FormatInt(x, 10), integer, math.Abs(float64(x))}, nil
	case interface{ ToString() string }: // x'6162'
		return typed{"x'" + hex.EncodeToString([]byte(x.ToString())) + "'", binary, 0}, nil
	}
	return typed{}, unknownf("a literal is neither an integer nor x'…'")
}

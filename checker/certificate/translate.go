package certificate

import (
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"txweave/history"
	"txweave/sql"
	"txweave/sql/sqltext"
)

// kind is the type of an expression.
type kind uint8

const (
	null kind = iota
	integer
	boolean // an integer, 0 or 1
	binary
)

// typed is an expression in the engine's SQL. max bounds the absolute value of an integer.
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

// integerType says whether a column is an integer with a sign: [TINY|SMALL|MEDIUM|BIG]INT[EGER] [(n)] [SIGNED]
// [NOT NULL].
func integerType(t string) bool {
	t = strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(t), " not null"), " signed")
	t, _ = withoutWidth(t)
	for _, size := range []string{"tiny", "small", "medium", "big"} {
		if plain, ok := strings.CutPrefix(t, size); ok {
			t = plain
			break
		}
	}
	return t == "int" || t == "integer"
}

// binaryType says whether a column is one of binary strings: [TINY|MEDIUM|LONG]BLOB or VARBINARY(n), [NOT NULL].
func binaryType(t string) bool {
	t, width := withoutWidth(strings.TrimSuffix(strings.ToLower(t), " not null"))
	if width {
		return t == "varbinary"
	}
	return slices.Contains([]string{"blob", "tinyblob", "mediumblob", "longblob"}, t)
}

// withoutWidth takes the width in parentheses from a type, if it has one.
func withoutWidth(t string) (name string, width bool) {
	name, digits, _ := strings.Cut(t, "(")
	digits, closed := strings.CutSuffix(digits, ")")
	if !closed || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return strings.TrimSpace(t), false
	}
	return strings.TrimSpace(name), true
}

// newTranslator finds the types of the columns. The rows' integers bound each column.
func newTranslator(t *Relation, rows [][]history.Value) (*translator, error) {
	tr := &translator{columns: map[string]typed{}}
	for i, c := range t.columns() {
		x := typed{sql: column(i)}
		switch {
		case integerType(c.Type):
			x.kind = integer
		case binaryType(c.Type):
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

// dialect reads predicates: as statements of a database that is not named.
func dialect() *sql.Dialect { return sqltext.SyntaxOf("").Tree }

// translate returns the predicate in the engine's SQL.
func (tr *translator) translate(where string) (string, error) {
	n, err := dialect().ParseExpr(where)
	if err != nil {
		return "", unknownf("%s", err)
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

func (tr *translator) expr(x sql.Expr) (typed, error) {
	switch x := sql.Bare(x).(type) {
	case *sql.Literal:
		return literal(x)
	case *sql.Column:
		name := x.Name.Value
		c, ok := tr.columns[strings.ToLower(name)]
		if !ok {
			return c, unknownf("there is no column %s", name)
		}
		if c.kind == null {
			return c, unknownf("column %s is neither an integer nor a binary string", name)
		}
		return c, nil
	case *sql.Is:
		return tr.is(x)
	case *sql.Unary:
		return tr.unary(x)
	case *sql.Between:
		list, err := tr.alike(x.X, x.Low, x.High)
		if err != nil {
			return typed{}, err
		}
		return typed{fmt.Sprintf("(%s %sBETWEEN %s AND %s)", list[0], not(x.Not), list[1], list[2]), boolean, 1}, nil
	case *sql.In:
		if x.Query != nil {
			return typed{}, unknownf("it has a subquery")
		}
		list, err := tr.alike(append([]sql.Expr{x.X}, x.List...)...)
		if err != nil {
			return typed{}, err
		}
		return typed{fmt.Sprintf("(%s %sIN (%s))", list[0], not(x.Not), strings.Join(list[1:], ", ")), boolean, 1}, nil
	case *sql.Binary:
		return tr.binary(x)
	default:
		return typed{}, unknownf("%s may mean something else there", strings.TrimPrefix(fmt.Sprintf("%T", x), "*sql."))
	}
}

// literal translates an integer, NULL, or a binary string written in hexadecimal.
func literal(x *sql.Literal) (typed, error) {
	switch x.Kind {
	case sql.Null:
		return typed{"NULL", null, 0}, nil
	case sql.Bool:
		return typed{strings.ToUpper(x.Text), integer, 1}, nil
	case sql.Number:
		if n, err := strconv.ParseInt(x.Text, 10, 64); err == nil {
			return typed{strconv.FormatInt(n, 10), integer, math.Abs(float64(n))}, nil
		}
	case sql.Blob:
		if digits, ok := strings.CutSuffix(x.Text[1:], "'"); ok && strings.EqualFold(x.Text[:1], "x") {
			if b, err := hex.DecodeString(digits[1:]); err == nil {
				return typed{"x'" + hex.EncodeToString(b) + "'", binary, 0}, nil
			}
		}
	}
	return typed{}, unknownf("a literal is neither an integer nor x'…'")
}

func (tr *translator) is(x *sql.Is) (typed, error) {
	operand := tr.number
	switch x.What {
	case "NULL":
		operand = tr.expr
	case "UNKNOWN":
		return typed{}, unknownf("IS UNKNOWN may mean something else there")
	}
	a, err := operand(x.X)
	return typed{fmt.Sprintf("((%s) IS %s%s)", a.sql, not(x.Not), x.What), boolean, 1}, err
}

func (tr *translator) unary(x *sql.Unary) (typed, error) {
	a, err := tr.number(x.X)
	switch {
	case err != nil:
		return a, err
	case x.Op == sql.OpNot:
		return typed{"(NOT (" + a.sql + "))", boolean, 1}, nil
	case x.Op == sql.OpSub:
		return bounded(typed{"(- (" + a.sql + "))", integer, a.max})
	}
	return typed{}, unknownf("operator %s may mean something else there", x.Op)
}

// binary translates an operator of two operands: a comparison, or what takes two numbers.
func (tr *translator) binary(x *sql.Binary) (typed, error) {
	switch x.Op {
	case sql.OpEq, sql.OpNe, sql.OpLt, sql.OpLe, sql.OpGt, sql.OpGe, sql.OpSame:
		list, err := tr.alike(x.Left, x.Right)
		if err != nil {
			return typed{}, err
		}
		return typed{fmt.Sprintf("(%s %s %s)", list[0], x.Op, list[1]), boolean, 1}, nil
	case sql.OpAnd, sql.OpOr, sql.OpAdd, sql.OpSub, sql.OpMul, sql.OpMod:
		return tr.arithmetic(x)
	}
	return typed{}, unknownf("operator %s may mean something else there", x.Op)
}

func not(b bool) string {
	if b {
		return "NOT "
	}
	return ""
}

// number translates an operand that must be an integer or NULL.
func (tr *translator) number(n sql.Expr) (typed, error) {
	x, err := tr.expr(n)
	if err == nil && x.kind == binary {
		err = unknownf("a string stands for a number")
	}
	return x, err
}

// alike translates operands that are compared: all integers, or all binary strings.
func (tr *translator) alike(nodes ...sql.Expr) ([]string, error) {
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

// arithmetic translates what takes two numbers.
func (tr *translator) arithmetic(x *sql.Binary) (typed, error) {
	a, err := tr.number(x.Left)
	if err != nil {
		return a, err
	}
	b, err := tr.number(x.Right)
	if err != nil {
		return b, err
	}
	text := fmt.Sprintf("((%s) %s (%s))", a.sql, x.Op, b.sql)
	switch x.Op {
	case sql.OpAnd, sql.OpOr:
		return typed{text, boolean, 1}, nil
	case sql.OpAdd, sql.OpSub:
		return bounded(typed{text, integer, a.max + b.max})
	case sql.OpMul:
		return bounded(typed{text, integer, a.max * b.max})
	case sql.OpMod:
		if by, ok := sql.Bare(x.Right).(*sql.Literal); ok && by.Kind == sql.Number && strings.Trim(by.Text, "0") != "" {
			// By a number that is not 0: its sign is that of the dividend everywhere.
			return typed{text, integer, a.max}, nil
		}
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

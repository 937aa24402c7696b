package certificate

import (
	"encoding/hex"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"txweave/history"
	"txweave/sqltext"
	"txweave/sqltext/mysql"
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
func newTranslator(t *Relation, rows [][]history.Value) (*translator, error) {
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

// parserOf returns what reads predicates, which are MySQL's and TiDB's: those are the databases whose logs tell versions.
func parserOf() sqltext.Parser { return mysql.New(sqltext.MySQL) }

// translate returns the predicate in SQLite's SQL.
func (tr *translator) translate(where string) (string, error) {
	n, err := parserOf().Condition(where)
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

var infix = map[sqltext.Operator]string{sqltext.OpEqual: "=", sqltext.OpNotEqual: "<>", sqltext.OpLess: "<", sqltext.OpLessEqual: "<=",
	sqltext.OpGreater: ">", sqltext.OpGreaterEqual: ">=", sqltext.OpSame: "IS",
	sqltext.OpAnd: "AND", sqltext.OpOr: "OR", sqltext.OpPlus: "+", sqltext.OpMinus: "-", sqltext.OpTimes: "*", sqltext.OpModulo: "%"}

func (tr *translator) expr(x *sqltext.Expr) (typed, error) {
	switch x.Op {
	case sqltext.OpNull:
		return typed{"NULL", null, 0}, nil
	case sqltext.OpInteger:
		return typed{strconv.FormatInt(x.Integer, 10), integer, math.Abs(float64(x.Integer))}, nil
	case sqltext.OpBytes:
		return typed{"x'" + hex.EncodeToString([]byte(x.Text)) + "'", binary, 0}, nil
	case sqltext.OpColumn:
		c, ok := tr.columns[strings.ToLower(x.Text)]
		if !ok {
			return c, unknownf("there is no column %s", x.Text)
		}
		if c.kind == null {
			return c, unknownf("column %s is neither an integer nor a binary string", x.Text)
		}
		return c, nil
	case sqltext.OpIsNull:
		a, err := tr.expr(x.Args[0])
		return typed{fmt.Sprintf("((%s) IS %sNULL)", a.sql, not(x.Negated)), boolean, 1}, err
	case sqltext.OpIsTrue, sqltext.OpIsFalse:
		a, err := tr.number(x.Args[0])
		return typed{fmt.Sprintf("((%s) IS %s%s)", a.sql, not(x.Negated), map[bool]string{true: "TRUE", false: "FALSE"}[x.Op == sqltext.OpIsTrue]), boolean, 1}, err
	case sqltext.OpNot:
		a, err := tr.number(x.Args[0])
		return typed{"(NOT (" + a.sql + "))", boolean, 1}, err
	case sqltext.OpNegate:
		a, err := tr.number(x.Args[0])
		if err != nil {
			return a, err
		}
		return bounded(typed{"(- (" + a.sql + "))", integer, a.max})
	case sqltext.OpBetween:
		list, err := tr.alike(x.Args...)
		if err != nil {
			return typed{}, err
		}
		return typed{fmt.Sprintf("(%s %sBETWEEN %s AND %s)", list[0], not(x.Negated), list[1], list[2]), boolean, 1}, nil
	case sqltext.OpIn:
		list, err := tr.alike(x.Args...)
		if err != nil {
			return typed{}, err
		}
		return typed{fmt.Sprintf("(%s %sIN (%s))", list[0], not(x.Negated), strings.Join(list[1:], ", ")), boolean, 1}, nil
	case sqltext.OpEqual, sqltext.OpNotEqual, sqltext.OpLess, sqltext.OpLessEqual, sqltext.OpGreater, sqltext.OpGreaterEqual, sqltext.OpSame:
		list, err := tr.alike(x.Args...)
		if err != nil {
			return typed{}, err
		}
		return typed{fmt.Sprintf("(%s %s %s)", list[0], infix[x.Op], list[1]), boolean, 1}, nil
	case sqltext.OpUnknown:
		return typed{}, unknownf("%s", x.Text)
	}
	return tr.arithmetic(x)
}

func not(b bool) string {
	if b {
		return "NOT "
	}
	return ""
}

// number translates an operand that must be an integer or NULL.
func (tr *translator) number(n *sqltext.Expr) (typed, error) {
	x, err := tr.expr(n)
	if err == nil && x.kind == binary {
		err = unknownf("a string stands for a number")
	}
	return x, err
}

// alike translates operands that are compared: all integers, or all binary strings.
func (tr *translator) alike(nodes ...*sqltext.Expr) ([]string, error) {
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
func (tr *translator) arithmetic(x *sqltext.Expr) (typed, error) {
	a, err := tr.number(x.Args[0])
	if err != nil {
		return a, err
	}
	b, err := tr.number(x.Args[1])
	if err != nil {
		return b, err
	}
	sql := fmt.Sprintf("((%s) %s (%s))", a.sql, infix[x.Op], b.sql)
	switch x.Op {
	case sqltext.OpAnd, sqltext.OpOr:
		return typed{sql, boolean, 1}, nil
	case sqltext.OpPlus, sqltext.OpMinus:
		return bounded(typed{sql, integer, a.max + b.max})
	case sqltext.OpTimes:
		return bounded(typed{sql, integer, a.max * b.max})
	case sqltext.OpModulo:
		if x.Args[1].Op == sqltext.OpInteger && x.Args[1].Integer != 0 {
			// By a number that is not 0: its sign is that of the dividend everywhere.
			return typed{sql, integer, a.max}, nil
		}
	}
	return typed{}, unknownf("operator %s may mean something else there", infix[x.Op])
}

// bounded refuses arithmetic that may overflow.
func bounded(x typed) (typed, error) {
	if x.max >= maxInteger {
		return x, unknownf("an integer may overflow")
	}
	return x, nil
}

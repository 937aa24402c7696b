package mysql

import (
	"maps"
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"
	"github.com/pingcap/tidb/pkg/parser/test_driver"
	"github.com/pingcap/tidb/pkg/parser/types"

	"txweave/sqltext"
)

type class = sqltext.Class

const (
	unknown  = sqltext.UnknownClass
	exact    = sqltext.Exact
	floating = sqltext.Floating
	text     = sqltext.Text
	temporal = sqltext.Temporal
)

// fits says whether a value of class d may take the place of one of class c.
func fits(c, d class) bool {
	return c == unknown || d == unknown || c == d || c == floating && d == exact
}

// constants are the literals that may take the place of an expression of a class, best first.
func constants(c class) []any {
	switch c {
	case exact, floating:
		return []any{int64(1), int64(0)}
	case text:
		return []any{"a"}
	case temporal:
		return []any{nil}
	}
	return []any{int64(1), nil}
}

// columnClasses resolves the columns of one statement: alias or table name, then column.
type columnClasses struct {
	of    map[string]map[string]class
	clash class // of a column of which two sources do not agree whether it is a text: unknown or either
}

// classesOf returns the classes of a table's columns by name; nil for a table that is not known.
func classesOf(s *sqltext.Schema, table string) map[string]class {
	t := s.Table(table)
	if t == nil {
		return nil
	}
	out := map[string]class{}
	for _, c := range t.Columns {
		out[c.Name] = c.Class
	}
	return out
}

// isUnique says whether a column is part of a unique key besides the primary one.
func isUnique(s *sqltext.Schema, table, column string) bool {
	t := s.Table(table)
	return t != nil && slices.Contains(t.Unique, column)
}

// either is the class of a column that is a text where one source of its name has it, and something else where another one has: a view's query, a
// subquery, may call a table by the name that the statement around it has for another one.
const either class = 1 << 7

// sources gathers the sources of a statement by the names under which it knows them.
type sources struct {
	schema  *sqltext.Schema
	out     columnClasses
	derived []derivedTable // outer ones first
	ctes    map[string]ast.ResultSetNode
}

// derivedTable is a source that is a query.
type derivedTable struct {
	name  string
	query ast.ResultSetNode
}

func (s *sources) Enter(n ast.Node) (ast.Node, bool) {
	switch x := n.(type) {
	case *ast.CommonTableExpression:
		s.ctes[x.Name.L] = x.Query.Query
	case *ast.TableSource:
		name := x.AsName.L
		t, base := x.Source.(*ast.TableName)
		if !base {
			s.derived = append(s.derived, derivedTable{name, x.Source})
			return n, false
		}
		if name == "" {
			name = t.Name.L
		}
		if q, ok := s.ctes[t.Name.L]; ok {
			s.derived = append(s.derived, derivedTable{name, q})
			return n, false
		}
		s.out.of[name] = s.out.merge(s.out.of[name], classesOf(s.schema, t.Name.L))
	}
	return n, false
}

// merge is what is known of the columns of two sources that go by one name, whichever of them is meant.
func (c columnClasses) merge(a, b map[string]class) map[string]class {
	if a == nil {
		return b
	}
	out := maps.Clone(a)
	for name, x := range b {
		out[name] = c.both(out[name], x)
	}
	return out
}

func (c columnClasses) both(a, b class) class {
	switch {
	case a == b || b == unknown:
		return a
	case a == unknown:
		return b
	case a == text || b == text || a == either || b == either:
		return c.clash
	}
	return unknown
}

func (s *sources) Leave(n ast.Node) (ast.Node, bool) { return n, true }

// columnsOf resolves the columns of a statement's sources, those of queries by the expressions that they select.
func columnsOf(root ast.StmtNode, schema *sqltext.Schema) columnClasses {
	return classesIn(root, schema, unknown)
}

// classesIn is columnsOf with a class for what two sources of one name do not agree in.
func classesIn(root ast.StmtNode, schema *sqltext.Schema, clash class) columnClasses {
	v := &sources{schema: schema, out: columnClasses{map[string]map[string]class{}, clash}, ctes: map[string]ast.ResultSetNode{}}
	root.Accept(v)
	for range v.derived { // inner ones must be known first: as often as they can be nested
		for _, d := range slices.Backward(v.derived) {
			v.out.of[d.name] = v.out.merge(v.out.of[d.name], v.out.results(d.query))
		}
		if len(v.derived) == 1 {
			break
		}
	}
	return v.out
}

// results returns the classes of a query's columns by name.
func (c columnClasses) results(q ast.ResultSetNode) map[string]class {
	out := map[string]class{}
	if union, ok := q.(*ast.SetOprStmt); ok {
		first, ok := union.SelectList.Selects[0].(*ast.SelectStmt)
		if !ok {
			return out
		}
		q = first
	}
	sel, ok := q.(*ast.SelectStmt)
	if !ok || sel.Fields == nil {
		return out
	}
	for _, f := range sel.Fields.Fields {
		if f.WildCard != nil {
			return nil
		}
		name := f.AsName.L
		if col, ok := f.Expr.(*ast.ColumnNameExpr); ok && name == "" {
			name = col.Name.Name.L
		}
		if f.Expr != nil && name != "" {
			out[name] = c.classOf(f.Expr)
		}
	}
	return out
}

// column returns the class of a column; without a qualifier it must be the same wherever the name occurs.
func (c columnClasses) column(n *ast.ColumnName) class {
	if n.Table.L != "" {
		return c.of[n.Table.L][n.Name.L]
	}
	var found []class
	for _, columns := range c.of {
		if x, ok := columns[n.Name.L]; ok {
			found = append(found, x)
		}
	}
	slices.Sort(found) // the sources come in no order
	switch found = slices.Compact(found); {
	case len(found) == 1:
		return found[0]
	case slices.Contains(found, text) || slices.Contains(found, either):
		return c.clash
	}
	return unknown
}

// functionClasses gives the class of functions by name.
var functionClasses = func() map[string]class {
	out := map[string]class{}
	for c, names := range map[class]string{
		exact: `char_length length instr time_to_sec sign month dayofmonth hour datediff dayofweek floor strcmp field locate mod
			interval isnull`,
		text:     "hex lpad rpad repeat trim concat_ws left right substr substring reverse replace concat lower upper",
		temporal: "last_day date dateliteral timeliteral timestampliteral",
	} {
		for _, n := range strings.Fields(names) {
			out[n] = c
		}
	}
	return out
}()

// isTemporalLiteral says whether a call is DATE '…', TIME '…' or TIMESTAMP '…', as the parser represents them.
func isTemporalLiteral(n *ast.FuncCallExpr) bool {
	return n.FnName.L == ast.DateLiteral || n.FnName.L == ast.TimeLiteral || n.FnName.L == ast.TimestampLiteral
}

// classOf tells the class of an expression.
func (c columnClasses) classOf(x ast.ExprNode) class {
	switch n := x.(type) {
	case *ast.ParenthesesExpr:
		return c.classOf(n.Expr)
	case *test_driver.ValueExpr:
		return literalClass(n)
	case *ast.ColumnNameExpr:
		return c.column(n.Name)
	case *ast.UnaryOperationExpr:
		if n.Op == opcode.Minus || n.Op == opcode.Plus {
			return c.classOf(n.V)
		}
		return exact
	case *ast.BinaryOperationExpr:
		return c.binary(n)
	case *ast.BetweenExpr, *ast.PatternInExpr, *ast.PatternLikeOrIlikeExpr, *ast.PatternRegexpExpr, *ast.IsNullExpr,
		*ast.IsTruthExpr, *ast.ExistsSubqueryExpr, *ast.CompareSubqueryExpr:
		return exact
	case *ast.CaseExpr:
		return c.classOf(n.WhenClauses[0].Result)
	case *ast.FuncCallExpr:
		return c.function(n)
	case *ast.AggregateFuncExpr:
		if strings.EqualFold(n.F, ast.AggFuncCount) || len(n.Args) == 0 {
			return exact
		}
		return c.classOf(n.Args[0])
	case *ast.WindowFuncExpr:
		switch strings.ToLower(n.Name) {
		case "count", "row_number", "rank", "dense_rank", "ntile":
			return exact
		}
		if len(n.Args) > 0 {
			return c.classOf(n.Args[0])
		}
	case *ast.FuncCastExpr:
		if t := n.Tp.EvalType(); t == types.ETInt || t == types.ETDecimal {
			return exact
		}
	case *ast.SubqueryExpr:
		if sel, ok := n.Query.(*ast.SelectStmt); ok && len(sel.Fields.Fields) == 1 && sel.Fields.Fields[0].Expr != nil {
			return c.classOf(sel.Fields.Fields[0].Expr)
		}
	}
	return unknown
}

func literalClass(v *test_driver.ValueExpr) class {
	switch v.Kind() {
	case test_driver.KindInt64, test_driver.KindUint64, test_driver.KindMysqlDecimal:
		return exact
	case test_driver.KindFloat32, test_driver.KindFloat64:
		return floating
	case test_driver.KindString:
		return text
	}
	return unknown
}

func (c columnClasses) binary(n *ast.BinaryOperationExpr) class {
	switch n.Op {
	case opcode.Plus, opcode.Minus, opcode.Mul, opcode.Mod:
		if c.classOf(n.L) == exact && c.classOf(n.R) == exact {
			return exact
		}
		return floating
	case opcode.Div:
		return floating
	}
	return exact
}

func (c columnClasses) function(n *ast.FuncCallExpr) class {
	if isTemporalLiteral(n) {
		return temporal
	}
	switch n.FnName.L {
	case "if", "iif":
		if len(n.Args) > 1 {
			return c.classOf(n.Args[1])
		}
	case "ifnull", "coalesce", "nullif", "least", "greatest", "abs":
		if len(n.Args) > 0 {
			return c.classOf(n.Args[0])
		}
	}
	return functionClasses[n.FnName.L]
}

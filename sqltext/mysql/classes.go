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

// columnClasses resolves the columns of one statement: alias or table name, then column; under "" what the statement names itself, as
// HAVING and ORDER BY may call it.
type columnClasses struct {
	schema *sqltext.Schema
	of     map[string]map[string]class
	ctes   map[string]*ast.CommonTableExpression
	clash  class // of a column of which two sources do not agree whether it is a text: unknown or either
	// known are the expressions that were asked about, of a tree that stays as it is: those that enclose one another are asked about one by
	// one. nil: they are not kept.
	known map[ast.ExprNode]class
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
	out     columnClasses
	derived []*ast.TableSource // those that are queries, outer ones first
	fields  []*ast.SelectField // with names of their own
}

func (s *sources) Enter(n ast.Node) (ast.Node, bool) {
	switch x := n.(type) {
	case *ast.CommonTableExpression:
		s.out.ctes[x.Name.L] = x
	case *ast.TableSource:
		if t, base := x.Source.(*ast.TableName); !base || s.out.ctes[t.Name.L] != nil {
			s.derived = append(s.derived, x)
		} else {
			s.out.add(x)
		}
	case *ast.SelectField:
		if x.AsName.L != "" {
			s.fields = append(s.fields, x)
		}
	}
	return n, false
}

// add takes a source's columns in, beside those of others that go by its name, and says whether they were not known so.
func (c columnClasses) add(x *ast.TableSource) bool {
	columns := map[string]class{}
	for _, o := range c.columnsFrom(x) {
		columns[o.name] = o.class
	}
	before := c.of[sourceName(x)]
	c.of[sourceName(x)] = c.merge(before, columns)
	return before == nil || !maps.Equal(before, c.of[sourceName(x)])
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
	v := &sources{out: columnClasses{schema: schema, of: map[string]map[string]class{}, ctes: map[string]*ast.CommonTableExpression{}, clash: clash}}
	root.Accept(v)
	// Inner ones must be known first: as often as they can be nested. Where two of one name do not agree, each takes back what the
	// other one has said, without end.
	for range v.derived {
		changed := false
		for _, d := range slices.Backward(v.derived) {
			changed = v.out.add(d) || changed
		}
		if !changed || len(v.derived) == 1 {
			break
		}
	}
	named := map[string]class{}
	for _, f := range v.fields {
		if x := v.out.classOf(f.Expr); x != unknown {
			named[f.AsName.L] = v.out.both(named[f.AsName.L], x)
		}
	}
	v.out.of[""] = named
	return v.out
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
			interval isnull year quarter minute second microsecond week weekday weekofyear yearweek dayofyear to_days to_seconds ascii ord
			bit_count bit_length crc32 find_in_set ceil ceiling position timestampdiff extract unix_timestamp period_add period_diff`,
		floating: "sqrt pow power exp ln log log2 log10 sin cos tan cot asin acos atan atan2 radians degrees",
		text: `hex lpad rpad repeat trim concat_ws left right substr substring reverse replace concat lower upper lcase ucase ltrim rtrim mid
			insert_func space char_func elt format substring_index quote date_format monthname dayname bin oct conv export_set make_set`,
		temporal: `last_day date dateliteral timeliteral timestampliteral timestamp time makedate maketime from_days sec_to_time timediff`,
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
	switch x.(type) {
	case *test_driver.ValueExpr, *ast.ColumnNameExpr:
		return c.resolve(x)
	}
	if is, known := c.known[x]; known {
		return is
	}
	is := c.resolve(x)
	if c.known != nil {
		c.known[x] = is
	}
	return is
}

func (c columnClasses) resolve(x ast.ExprNode) class {
	switch n := x.(type) {
	case *ast.ParenthesesExpr:
		return c.classOf(n.Expr)
	case *test_driver.ValueExpr:
		return literalClass(n)
	case *ast.ColumnNameExpr:
		return c.column(n.Name)
	case *ast.UnaryOperationExpr:
		switch n.Op {
		case opcode.Plus:
			return c.classOf(n.V)
		case opcode.Minus:
			return number(c.classOf(n.V))
		}
		return exact
	case *ast.BinaryOperationExpr:
		return c.binary(n)
	case *ast.BetweenExpr, *ast.PatternInExpr, *ast.PatternLikeOrIlikeExpr, *ast.PatternRegexpExpr, *ast.IsNullExpr,
		*ast.IsTruthExpr, *ast.ExistsSubqueryExpr, *ast.CompareSubqueryExpr:
		return exact
	case *ast.CaseExpr:
		results := []ast.ExprNode{}
		for _, w := range n.WhenClauses {
			results = append(results, w.Result)
		}
		return c.oneOf(append(results, n.ElseClause)...)
	case *ast.FuncCallExpr:
		return c.function(n)
	case *ast.AggregateFuncExpr:
		return c.aggregate(n.F, n.Args)
	case *ast.WindowFuncExpr:
		return c.aggregate(n.Name, n.Args)
	case *ast.SetCollationExpr:
		return text
	case *ast.FuncCastExpr:
		return castClass(n.Tp.EvalType())
	case *ast.SubqueryExpr:
		if out := c.outputs(n.Query); len(out) == 1 {
			return out[0].class
		}
	}
	return unknown
}

// castClass is the class of what is cast to a type.
func castClass(t types.EvalType) class {
	switch t {
	case types.ETInt, types.ETDecimal:
		return exact
	case types.ETReal:
		return floating
	case types.ETString:
		return text
	case types.ETDatetime, types.ETTimestamp, types.ETDuration:
		return temporal
	}
	return unknown
}

// number is the class of a number that a value of a class is taken as.
func number(c class) class {
	if c == text || c == temporal || c == either {
		return floating
	}
	return c
}

// oneOf is the class of a value that is any of some expressions' values: a text, where one of them is.
func (c columnClasses) oneOf(list ...ast.ExprNode) (out class) {
	for _, x := range list {
		if x != nil {
			out = blend(out, c.classOf(x))
		}
	}
	return out
}

// blend is the class of what may be of either of two.
func blend(a, b class) class {
	switch {
	case a == b || b == unknown:
		return a
	case a == unknown:
		return b
	case a == either || b == either:
		return either
	case (a == exact || a == floating) && (b == exact || b == floating):
		return floating
	}
	return text
}

// aggregate is the class of an aggregate or a window function.
func (c columnClasses) aggregate(name string, args []ast.ExprNode) class {
	name = strings.ToLower(name)
	switch {
	case len(args) == 0 || slices.Contains(countingFunctions, name):
		return exact
	case name == ast.AggFuncGroupConcat:
		return text
	case name == ast.AggFuncSum || name == ast.AggFuncAvg:
		return number(c.classOf(args[0]))
	case slices.Contains(calculatingFunctions, name):
		return floating
	case strings.HasPrefix(name, "json_"):
		return unknown
	}
	return c.classOf(args[0])
}

// countingFunctions are aggregates and window functions whose value is an integer, calculatingFunctions those that calculate with what
// they are given.
var (
	countingFunctions    = strings.Fields("count approx_count_distinct row_number rank dense_rank ntile bit_and bit_or bit_xor")
	calculatingFunctions = strings.Fields("sum avg std stddev stddev_pop stddev_samp variance var_pop var_samp bit_and bit_or bit_xor")
)

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
	case opcode.Xor: // texts are put together by it, where a DBMS has Words
		if c.classOf(n.L) == text || c.classOf(n.R) == text {
			return text
		}
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
			return c.oneOf(n.Args[1:]...)
		}
	case "ifnull", "coalesce", "least", "greatest":
		return c.oneOf(n.Args...)
	case "filter": // what an aggregate takes of some rows, where a DBMS has Words
		if len(n.Args) > 1 {
			return c.classOf(n.Args[1])
		}
	case "nullif":
		if len(n.Args) > 0 {
			return c.classOf(n.Args[0])
		}
	case "abs", "round", "truncate":
		if len(n.Args) > 0 {
			return number(c.classOf(n.Args[0]))
		}
	}
	return functionClasses[n.FnName.L]
}

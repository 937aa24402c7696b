// Package trees draws statements at random, for properties of their readers and printers.
package trees

import (
	"pgregory.net/rapid"

	"txweave/sql"
)

// Language is whose statements are drawn.
type Language uint8

// The languages.
const (
	SQLite Language = iota
	MySQL           // and MariaDB
	PostgreSQL
)

// builder draws trees. budget is how many expressions and queries may still be nested.
type builder struct {
	*rapid.T
	language Language
	budget   int
}

// my says whether trees are MySQL's.
func (b *builder) my() bool { return b.language == MySQL }

// pg says whether trees are PostgreSQL's.
func (b *builder) pg() bool { return b.language == PostgreSQL }

func (b *builder) n(below int) int { return rapid.IntRange(0, below-1).Draw(b.T, "n") }

func (b *builder) maybe() bool { return b.n(3) == 0 }

func pick[V any](b *builder, of ...V) V { return of[b.n(len(of))] }

// some draws a list of at least a number of members.
func some[V any](b *builder, least int, one func() V) (out []V) {
	for range least + b.n(2) + b.n(2) {
		out = append(out, one())
	}
	return out
}

func optional[V any](b *builder, one func() V) (out V) {
	if b.maybe() {
		return one()
	}
	return out
}

// name draws a name that may stand everywhere.
func (b *builder) name() *sql.Name {
	if b.my() {
		n := pick(b, sql.Name{Value: "a"}, sql.Name{Value: "Bc"}, sql.Name{Value: "_x1"}, sql.Name{Value: "ä"},
			sql.Name{Value: "value"},
			sql.Name{Value: `x "y"`, Quote: '`'}, sql.Name{Value: "or`der", Quote: '`'}, sql.Name{Value: "select", Quote: '`'})
		return &n
	}
	if b.pg() {
		n := pick(b, sql.Name{Value: "a"}, sql.Name{Value: "Bc"}, sql.Name{Value: "_x1"}, sql.Name{Value: "ä$"},
			sql.Name{Value: "value"},
			sql.Name{Value: `x "y"`, Quote: '"'}, sql.Name{Value: "or`der", Quote: '"'}, sql.Name{Value: "select", Quote: '"'})
		return &n
	}
	n := pick(b, sql.Name{Value: "a"}, sql.Name{Value: "Bc"}, sql.Name{Value: "_x1"}, sql.Name{Value: "ä"},
		sql.Name{Value: "key"},
		sql.Name{Value: `x "y"`, Quote: '"'}, sql.Name{Value: "or`der", Quote: '`'}, sql.Name{Value: "a b", Quote: '['},
		sql.Name{Value: "select", Quote: '"'})
	return &n
}

// label draws a name where a text may be one too.
func (b *builder) label() *sql.Name {
	if b.language == SQLite && b.maybe() {
		return &sql.Name{Value: "it's", Quote: '\''}
	}
	return b.name()
}

// item draws what a query calls a column.
func (b *builder) item() *sql.Name {
	if b.pg() && b.maybe() {
		return &sql.Name{Value: "from"}
	}
	if !b.pg() && b.maybe() {
		return &sql.Name{Value: "it's", Quote: '\''}
	}
	return b.name()
}

func (b *builder) literal() sql.Expr {
	if b.my() && b.maybe() {
		return pick[sql.Expr](b, &sql.Literal{Kind: sql.Text, Text: `'a\'b\\'`}, &sql.Literal{Kind: sql.Text,
			Text: `"x'y" 'z'`},
			&sql.Literal{Kind: sql.Text, Charset: "_latin1", Text: "'x'"}, &sql.Literal{Kind: sql.Number, Charset: "_binary",
				Text: "0x00"},
			&sql.Literal{Kind: sql.Blob, Text: "b'01'"}, &sql.Literal{Kind: sql.Number, Text: "0b1"},
			&sql.TypedLiteral{Type: "DATE", Text: "'2020-02-02'"},
			&sql.Variable{Text: "@a"}, &sql.Variable{Text: "@@session.sql_mode"}, &sql.Literal{Kind: sql.Text, Text: "N'x'"})
	}
	if b.pg() && b.maybe() {
		return b.pgLiteral()
	}
	l := pick(b, sql.Literal{Kind: sql.Number, Text: "1"}, sql.Literal{Kind: sql.Number, Text: "0.5e-3"},
		sql.Literal{Kind: sql.Number, Text: ".5"},
		sql.Literal{Kind: sql.Text, Text: "'it''s -- /* \"'"}, sql.Literal{Kind: sql.Blob, Text: "x'00ff'"},
		sql.Literal{Kind: sql.Null, Text: "NULL"},
		sql.Literal{Kind: sql.Bool, Text: "TRUE"})
	return &l
}

func (b *builder) column() sql.Expr {
	c := &sql.Column{Name: b.name()}
	if c.Table = optional(b, b.label); c.Table != nil {
		c.Schema = optional(b, b.label)
	}
	return c
}

func (b *builder) exprs(least int) []sql.Expr { return some(b, least, b.expr) }

var binaries = []sql.Op{sql.OpOr, sql.OpAnd, sql.OpEq, sql.OpNe, sql.OpLt, sql.OpLe, sql.OpGt, sql.OpGe, sql.OpSame,
	sql.OpDistinct, sql.OpBitAnd,
	sql.OpBitOr, sql.OpShiftLeft, sql.OpShiftRight, sql.OpAdd, sql.OpSub, sql.OpMul, sql.OpDiv, sql.OpMod, sql.OpConcat,
	sql.OpJSON, sql.OpJSONText}

func (b *builder) expr() sql.Expr {
	if b.budget--; b.budget < 0 {
		return pick(b, b.literal, b.column)()
	}
	switch b.language {
	case MySQL:
		return b.mine()
	case PostgreSQL:
		return b.pgExpr()
	}
	switch b.n(20) {
	case 0, 1, 2, 3:
		return &sql.Binary{Op: pick(b, binaries...), Left: b.expr(), Right: b.expr()}
	case 4, 5:
		return &sql.Unary{Op: pick(b, sql.OpNot, sql.OpSub, sql.OpAdd, sql.OpBitNot), X: b.expr()}
	case 6:
		return &sql.Is{X: b.expr(), Not: b.maybe(), What: pick(b, "NULL", "TRUE", "FALSE")}
	case 7:
		return b.in()
	case 8:
		return &sql.Between{X: b.expr(), Not: b.maybe(), Low: b.expr(), High: b.expr()}
	case 9:
		return &sql.Like{X: b.expr(), Not: b.maybe(), Op: pick(b, sql.OpLike, sql.OpGlob, sql.OpRegexp, sql.OpMatch),
			Pattern: b.expr(), Escape: optional(b, b.expr)}
	case 10:
		when := func() *sql.When { return &sql.When{Cond: b.expr(), Result: b.expr()} }
		return &sql.Case{Operand: optional(b, b.expr), Whens: some(b, 1, when), Else: optional(b, b.expr)}
	case 11:
		t := &sql.Type{Words: pick(b, "INT", "UNSIGNED BIG INT"),
			Args: pick(b, nil, []sql.Expr{&sql.Literal{Kind: sql.Number, Text: "7"}})}
		return &sql.Cast{X: b.expr(), Type: t}
	case 12:
		return &sql.Collate{X: b.expr(), Collation: b.label()}
	case 13:
		return pick[sql.Expr](b, &sql.Exists{Query: b.query()}, &sql.Subquery{Query: b.query()})
	case 14:
		return &sql.Row{Items: b.exprs(2)}
	case 15, 16:
		return b.call()
	case 17:
		return &sql.Paren{X: b.expr()}
	case 18:
		return pick[sql.Expr](b, &sql.Niladic{Word: "CURRENT_DATE"}, &sql.Param{Text: "?1"}, &sql.Param{Text: ":x"},
			&sql.Raise{Action: "IGNORE"}, &sql.Raise{Action: "ABORT", Message: b.expr()})
	default:
		return pick(b, b.literal, b.column)()
	}
}

func (b *builder) in() sql.Expr {
	n := &sql.In{X: b.expr(), Not: b.maybe()}
	switch b.n(3) {
	case 0:
		n.List = b.exprs(0)
	case 1:
		n.Query = b.query()
	default:
		n.Table = pick[sql.TableRef](b, &sql.Table{Schema: optional(b, b.label), Name: b.label()},
			&sql.TableCall{Name: b.label(), Args: b.exprs(0)})
	}
	return n
}

func (b *builder) call() sql.Expr {
	c := &sql.Call{Name: b.name(), Args: b.exprs(0)}
	switch {
	case len(c.Args) > 0:
		c.Distinct, c.Order = b.maybe(), optional(b, b.orders)
	case b.maybe():
		c.Args = []sql.Expr{&sql.Star{}}
	}
	c.Filter, c.Over = optional(b, b.expr), optional(b, b.over)
	return c
}

func (b *builder) over() *sql.Window {
	if b.maybe() {
		return &sql.Window{Ref: b.label()}
	}
	return b.window()
}

func (b *builder) window() *sql.Window {
	return &sql.Window{Base: optional(b, b.label), Partition: optional(b, func() []sql.Expr {
		return b.exprs(1)
	}), Order: optional(b, b.orders), Frame: optional(b, b.frame)}
}

func (b *builder) frame() *sql.Frame {
	if b.my() {
		return &sql.Frame{Unit: pick(b, "ROWS", "RANGE"), Start: b.bound(), End: optional(b, b.bound)}
	}
	return &sql.Frame{Unit: pick(b, "ROWS", "RANGE", "GROUPS"), Start: b.bound(), End: optional(b, b.bound),
		Exclude: pick(b, "", "TIES", "CURRENT ROW", "GROUP", "NO OTHERS")}
}

func (b *builder) bound() *sql.Bound {
	return pick(b, &sql.Bound{Side: "CURRENT ROW"}, &sql.Bound{Side: "UNBOUNDED FOLLOWING"}, &sql.Bound{X: b.expr(),
		Side: "PRECEDING"})
}

func (b *builder) order() *sql.Order {
	if b.my() {
		return &sql.Order{X: b.expr(), Desc: b.maybe()}
	}
	return &sql.Order{X: b.expr(), Desc: b.maybe(), Nulls: pick(b, "", "FIRST", "LAST")}
}

func (b *builder) orders() []*sql.Order { return some(b, 1, b.order) }

func (b *builder) limit() *sql.Limit {
	if b.pg() && b.maybe() {
		return pick(b, &sql.Limit{Offset: b.expr()}, &sql.Limit{Fetch: "ONLY"}, &sql.Limit{Count: b.expr(),
			Offset: optional(b, b.expr), Fetch: "WITH TIES"},
			&sql.Limit{Count: word("ALL")})
	}
	return &sql.Limit{Count: b.expr(), Offset: optional(b, b.expr)}
}

func (b *builder) with() *sql.With {
	return &sql.With{Recursive: b.maybe(), CTEs: some(b, 1, func() *sql.CTE {
		how := []string{"", "MATERIALIZED", "NOT MATERIALIZED"}
		if b.my() {
			how = how[:1]
		}
		var body sql.Stmt = b.query()
		if b.pg() && b.budget > 0 && b.maybe() {
			body = b.write()
		}
		return &sql.CTE{Name: b.label(), Columns: b.labels(0), Materialized: pick(b, how...), Body: body}
	})}
}

func (b *builder) labels(least int) []*sql.Name { return some(b, least, b.label) }

func (b *builder) query() *sql.Query {
	if b.budget -= 3; b.budget < 0 {
		return &sql.Query{Body: b.values()}
	}
	q := &sql.Query{With: optional(b, b.with), Body: b.body(), Order: optional(b, b.orders), Limit: optional(b, b.limit)}
	if b.my() && b.maybe() {
		q.Locks = some(b, 1, func() *sql.Lock {
			return pick(b, &sql.Lock{Strength: "UPDATE", Wait: pick(b, "", "NOWAIT", "SKIP LOCKED")},
				&sql.Lock{Strength: "SHARE MODE"}, &sql.Lock{Strength: "SHARE", Of: b.labels(1)},
				&sql.Lock{Strength: "UPDATE", Wait: "WAIT", Seconds: &sql.Literal{Kind: sql.Number, Text: "3"}})
		})
	}
	if b.pg() && b.maybe() {
		q.Locks = some(b, 1, func() *sql.Lock {
			return &sql.Lock{Strength: pick(b, "UPDATE", "NO KEY UPDATE", "SHARE", "KEY SHARE"), Of: b.labels(0),
				Wait: pick(b, "", "NOWAIT", "SKIP LOCKED")}
		})
	}
	return q
}

func (b *builder) body() sql.Body {
	if b.my() || b.pg() {
		return b.myBody()
	}
	if b.n(4) == 0 {
		return &sql.Compound{Op: pick(b, "UNION", "UNION ALL", "INTERSECT", "EXCEPT"), Left: b.body(),
			Right: pick(b, b.values, b.selected)()}
	}
	return pick(b, b.values, b.selected, b.selected)()
}

func (b *builder) simpleBody() sql.Body {
	if b.n(4) == 0 {
		return pick[sql.Body](b, &sql.Nested{Query: b.query()}, &sql.Whole{Table: &sql.Table{Schema: optional(b, b.label),
			Name: b.label()}})
	}
	return pick(b, b.values, b.selected, b.selected)()
}

func (b *builder) values() sql.Body {
	return &sql.Values{Rows: some(b, 1, func() *sql.Row { return &sql.Row{Items: b.exprs(1), Word: b.my()} })}
}

func (b *builder) selected() sql.Body {
	named := func() *sql.NamedWindow { return &sql.NamedWindow{Name: b.name(), Window: b.window()} }
	how := b.n(4)
	n := &sql.Select{Distinct: how == 0, All: how == 1, Items: b.items(), From: optional(b, b.from),
		Where: optional(b, b.expr), Group: optional(b, func() []sql.Expr { return b.exprs(1) }),
		Having: optional(b, b.expr), Windows: optional(b, func() []*sql.NamedWindow { return some(b, 1, named) })}
	if b.my() {
		n.Hints = optional(b, b.hints)
		n.Rollup = len(n.Group) > 0 && b.maybe()
		if b.maybe() {
			n.Options = []*sql.Option{{Words: "STRAIGHT_JOIN"}, {Words: "SQL_BIG_RESULT"}}
		}
	}
	if b.pg() {
		b.grouped(n)
	}
	return n
}

func (b *builder) items() []*sql.Item {
	return some(b, 1, func() *sql.Item {
		if b.maybe() {
			n := &sql.Star{Table: optional(b, b.label)}
			if b.language != SQLite && n.Table != nil {
				n.Schema = optional(b, b.label)
			}
			return &sql.Item{X: n}
		}
		return &sql.Item{X: b.expr(), Alias: optional(b, b.item)}
	})
}

func (b *builder) from() sql.TableRef {
	switch b.language {
	case MySQL:
		return b.myFrom()
	case PostgreSQL:
		return b.pgFrom()
	}
	if b.maybe() {
		j := &sql.Join{Left: b.from(), Kind: pick(b, sql.CommaJoin, sql.InnerJoin, sql.CrossJoin, sql.LeftJoin, sql.RightJoin,
			sql.FullJoin), Right: b.tableRef()}
		switch b.n(3) {
		case 0:
			j.On = b.expr()
		case 1:
			j.Using = b.labels(1)
		default:
			j.Natural = j.Kind != sql.CommaJoin
		}
		return j
	}
	return b.tableRef()
}

func (b *builder) tableRef() sql.TableRef {
	b.budget--
	if b.pg() {
		return b.pgTableRef()
	}
	if b.my() {
		switch b.n(6) {
		case 0:
			return &sql.Derived{Query: b.query(), Alias: b.label(), Lateral: b.maybe(), Columns: b.labels(0)}
		case 1:
			if b.budget > 0 {
				return &sql.ParenTable{X: b.from()}
			}
		}
		return b.table(true)
	}
	switch b.n(6) {
	case 0:
		return &sql.Derived{Query: b.query(), Alias: optional(b, b.label)}
	case 1:
		return &sql.TableCall{Schema: optional(b, b.label), Name: b.label(), Args: b.exprs(0), Alias: optional(b, b.label)}
	case 2:
		if b.budget > 0 {
			return &sql.ParenTable{X: b.from(), Alias: optional(b, b.label)}
		}
	}
	return b.table(true)
}

func (b *builder) table(hinted bool) *sql.Table {
	t := &sql.Table{Schema: optional(b, b.label), Name: b.label(), Alias: optional(b, b.label)}
	if b.pg() {
		t.Only = hinted && b.maybe()
		return t
	}
	if b.my() {
		t.Partitions = optional(b, func() []*sql.Name { return b.labels(1) })
	}
	if b.my() && hinted {
		t.At = optional(b, b.period)
		t.Hints = some(b, 0, func() *sql.IndexHint {
			return &sql.IndexHint{How: pick(b, "USE INDEX", "FORCE INDEX", "IGNORE INDEX"), For: pick(b, "", "JOIN", "ORDER BY",
				"GROUP BY"), Indexes: b.labels(1)}
		})
		return t
	}
	if hinted {
		t.Hints = optional(b, func() []*sql.IndexHint {
			return pick(b, []*sql.IndexHint{{How: "NOT INDEXED"}},
				[]*sql.IndexHint{{How: "INDEXED BY", Indexes: []*sql.Name{b.label()}}})
		})
	}
	return t
}

func (b *builder) set() *sql.Column {
	c := &sql.Column{Name: b.label()}
	if b.my() {
		c.Table = optional(b, b.label)
	}
	return c
}

func (b *builder) assign() *sql.Assign {
	switch {
	case b.language != SQLite && b.maybe():
		return &sql.Assign{Columns: []*sql.Column{b.set()}, Value: &sql.DefaultValue{}}
	case !b.my() && b.maybe():
		return &sql.Assign{Columns: some(b, 1, b.set), Row: true, Value: b.expr()}
	}
	return &sql.Assign{Columns: []*sql.Column{b.set()}, Value: b.expr()}
}

func (b *builder) assigns() []*sql.Assign { return some(b, 1, b.assign) }

func (b *builder) statement() sql.Stmt {
	b.budget = 12
	switch b.n(4) {
	case 0:
		return b.write()
	case 1:
		return b.create()
	case 2:
		return b.other()
	default:
		return b.query()
	}
}

// Statement draws a statement of a language's.
func Statement(language Language) *rapid.Generator[sql.Stmt] {
	return rapid.Custom(func(t *rapid.T) sql.Stmt { return (&builder{T: t, language: language}).statement() })
}

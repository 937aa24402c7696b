package trees

import "txweave/sql"

// myBody draws set operations with parentheses around what would bind otherwise.
func (b *builder) myBody() sql.Body {
	switch b.n(5) {
	case 0:
		op := pick(b, "UNION", "UNION ALL", "UNION DISTINCT", "EXCEPT", "INTERSECT", "INTERSECT ALL")
		return &sql.Compound{Op: op, Left: b.simpleBody(), Right: b.simpleBody()}
	case 1:
		return &sql.Compound{Op: "UNION", Left: b.simpleBody(), Right: &sql.Compound{Op: "INTERSECT", Left: b.simpleBody(),
			Right: b.simpleBody()}}
	}
	return b.simpleBody()
}

func (b *builder) hints() *sql.Hints {
	return &sql.Hints{List: some(b, 1, func() *sql.Hint {
		return pick(b, &sql.Hint{Name: "NO_MERGE", Called: true}, &sql.Hint{Name: "BKA", Called: true, Args: "a, `b c`"},
			&sql.Hint{Name: "SET_VAR", Called: true, Args: "x = (1)"})
	})}
}

// myFrom draws tables that commas join, and joins that nest on the right where they have a condition.
func (b *builder) myFrom() sql.TableRef {
	if b.n(5) == 0 {
		return &sql.Join{Left: b.myJoin(), Kind: sql.CommaJoin, Right: b.myJoin()}
	}
	return b.myJoin()
}

func (b *builder) myJoin() sql.TableRef {
	if b.budget--; b.budget < 0 || !b.maybe() {
		return b.tableRef()
	}
	j := &sql.Join{Left: b.myJoin(), Kind: pick(b, sql.InnerJoin, sql.CrossJoin, sql.LeftJoin, sql.RightJoin,
		sql.Straight), Right: b.tableRef()}
	switch {
	case b.maybe():
		j.On = b.expr()
		if b.maybe() {
			j.Right = &sql.Join{Left: b.tableRef(), Kind: sql.LeftJoin, Right: b.tableRef(), On: b.expr()}
		}
	case j.Kind == sql.LeftJoin || j.Kind == sql.RightJoin || b.maybe():
		j.Using = b.labels(1)
	default:
		j.Natural = j.Kind == sql.InnerJoin
	}
	return j
}

// mine draws an expression of MySQL's.
func (b *builder) mine() sql.Expr {
	switch b.n(26) {
	case 0, 1, 2, 3:
		return &sql.Binary{Op: pick(b, myBinaries...), Left: b.expr(), Right: b.expr()}
	case 4, 5:
		return &sql.Unary{Op: pick(b, sql.OpNot, sql.OpSub, sql.OpAdd, sql.OpBitNot, sql.OpBinary), X: b.expr()}
	case 6:
		return &sql.Is{X: b.expr(), Not: b.maybe(), What: pick(b, "NULL", "TRUE", "FALSE", "UNKNOWN")}
	case 7:
		if b.maybe() {
			return &sql.In{X: b.expr(), Not: b.maybe(), Query: b.query()}
		}
		return &sql.In{X: b.expr(), Not: b.maybe(), List: b.exprs(2)} // one query alone would be Query
	case 8:
		return &sql.Between{X: b.expr(), Not: b.maybe(), Low: b.expr(), High: b.expr()}
	case 9:
		n := &sql.Like{X: b.expr(), Not: b.maybe(), Op: pick(b, sql.OpLike, sql.OpRegexp), Pattern: b.expr()}
		if n.Op == sql.OpLike {
			n.Escape = optional(b, b.expr)
		}
		return n
	case 10:
		when := func() *sql.When { return &sql.When{Cond: b.expr(), Result: b.expr()} }
		return &sql.Case{Operand: optional(b, b.expr), Whens: some(b, 1, when), Else: optional(b, b.expr)}
	case 11:
		return &sql.Cast{X: b.expr(), Type: b.myType(), Convert: b.maybe()}
	case 12:
		return pick[sql.Expr](b, &sql.Collate{X: b.expr(), Collation: &sql.Name{Value: "utf8mb4_bin"}},
			&sql.Recode{X: b.expr(), Charset: &sql.Column{Name: &sql.Name{Value: "latin1"}}})
	case 13:
		return pick[sql.Expr](b, &sql.Exists{Query: b.query()}, &sql.Subquery{Query: b.query()})
	case 14:
		return &sql.Row{Items: b.exprs(2), Word: b.maybe()}
	case 15, 16:
		return b.myCall()
	case 17:
		return &sql.Paren{X: b.expr()}
	case 18:
		return pick[sql.Expr](b, &sql.Niladic{Word: "CURRENT_DATE"}, &sql.Param{Text: "?"})
	case 19:
		return &sql.Quantified{Op: pick(b, sql.OpEq, sql.OpLt, sql.OpSame), X: b.expr(), How: pick(b, "ANY", "SOME", "ALL"),
			Query: b.query()}
	case 20:
		return &sql.Binary{Op: sql.OpAdd, Left: b.column(), Right: &sql.Interval{X: b.column(),
			Unit: pick(b, "DAY", "DAY_HOUR")}}
	case 21:
		return &sql.Matching{Columns: []sql.Expr{b.column()}, X: &sql.Literal{Kind: sql.Text, Text: "'x'"},
			Mode: pick(b, "", "IN BOOLEAN MODE")}
	case 22:
		return pick[sql.Expr](b, &sql.Binary{Op: sql.OpSounds, Left: b.expr(), Right: b.expr()}, &sql.Binary{Op: sql.OpMember,
			Left: b.expr(), Right: b.expr()},
			&sql.Binary{Op: pick(b, sql.OpJSON, sql.OpJSONText), Left: b.column(), Right: &sql.Literal{Kind: sql.Text,
				Text: "'$.a'"}})
	case 23:
		return &sql.Paren{X: &sql.Binary{Op: sql.OpAssign, Left: &sql.Variable{Text: "@a"}, Right: b.expr()}}
	default:
		return pick(b, b.literal, b.column)()
	}
}

var myBinaries = []sql.Op{sql.OpOr, sql.OpXor, sql.OpAnd, sql.OpEq, sql.OpNe, sql.OpLt, sql.OpLe, sql.OpGt, sql.OpGe,
	sql.OpSame, sql.OpBitAnd, sql.OpBitOr, sql.OpBitXor,
	sql.OpShiftLeft, sql.OpShiftRight, sql.OpAdd, sql.OpSub, sql.OpMul, sql.OpDiv, sql.OpMod, sql.OpIntDiv}

func (b *builder) myType() *sql.Type {
	number := &sql.Literal{Kind: sql.Number, Text: "7"}
	return pick(b, &sql.Type{Words: "SIGNED"}, &sql.Type{Words: "UNSIGNED INTEGER"}, &sql.Type{Words: "DECIMAL",
		Args: []sql.Expr{number, number}},
		&sql.Type{Words: "CHAR", Args: []sql.Expr{number}, Charset: &sql.Name{Value: "latin1"}}, &sql.Type{Words: "INT",
			After: "UNSIGNED ZEROFILL"}, &sql.Type{Words: "DOUBLE PRECISION"})
}

func (b *builder) myCall() sql.Expr {
	if b.maybe() {
		return pick[sql.Expr](b,
			&sql.Call{Name: &sql.Name{Value: "TRIM"}, Args: []sql.Expr{&sql.Worded{Word: "LEADING", X: b.expr()},
				&sql.Worded{Word: "FROM", X: b.expr()}}},
			&sql.Call{Name: &sql.Name{Value: "TRIM"}, Args: []sql.Expr{&sql.Worded{Word: "BOTH"}, &sql.Worded{Word: "FROM",
				X: b.expr()}}},
			&sql.Call{Name: &sql.Name{Value: "SUBSTRING"}, Args: []sql.Expr{b.expr(), &sql.Worded{Word: "FROM", X: b.expr()},
				&sql.Worded{Word: "FOR", X: b.expr()}}},
			&sql.Call{Name: &sql.Name{Value: "LEFT"}, Args: b.exprs(2)}, &sql.Call{Name: &sql.Name{Value: "IF"},
				Args: b.exprs(3)},
			&sql.Call{Name: &sql.Name{Value: "GROUP_CONCAT"}, Distinct: b.maybe(), Args: b.exprs(1),
				Order:     optional(b, b.orders),
				Separator: &sql.Literal{Kind: sql.Text, Text: "','"}, Limit: optional(b, b.limit)})
	}
	c := &sql.Call{Name: b.name(), Args: b.exprs(0)}
	if len(c.Args) > 0 {
		c.Distinct = b.maybe()
	} else if b.maybe() {
		c.Args = []sql.Expr{&sql.Star{}}
	}
	c.Over = optional(b, b.over)
	return c
}

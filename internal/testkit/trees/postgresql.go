package trees

import "txweave/sql"

func (b *builder) pgLiteral() sql.Expr {
	return pick[sql.Expr](b, &sql.Literal{Kind: sql.Text, Text: `E'a\'b\\'`}, &sql.Literal{Kind: sql.Text,
		Text: "$x$a'$$b$x$"}, &sql.Literal{Kind: sql.Text, Text: "'a' \n 'b'"},
		&sql.Literal{Kind: sql.Text, Text: "U&'d!0061' UESCAPE '!'"}, &sql.Literal{Kind: sql.Blob, Text: "X'1FF'"},
		&sql.Literal{Kind: sql.Blob, Text: "b'01'"},
		&sql.Literal{Kind: sql.Number, Text: "0x1_F"}, &sql.TypedLiteral{Type: "DATE", Text: "'2020-02-02'"},
		&sql.TypedLiteral{Type: "jsonb", Text: "'{}'"},
		&sql.TypedLiteral{Type: "TIMESTAMP WITH TIME ZONE", Text: "'2020-02-02'"}, &sql.Interval{X: text("1 day")},
		&sql.Interval{X: text("1"), Unit: "DAY TO SECOND"})
}

var pgBinaries = []sql.Op{sql.OpOr, sql.OpAnd, sql.OpEq, sql.OpNe, sql.OpLt, sql.OpLe, sql.OpGt, sql.OpGe, sql.OpSame,
	sql.OpDistinct, sql.OpBitAnd, sql.OpBitOr, sql.OpBitXor,
	sql.OpShiftLeft, sql.OpShiftRight, sql.OpAdd, sql.OpSub, sql.OpMul, sql.OpDiv, sql.OpMod, sql.OpConcat, sql.OpJSON,
	sql.OpJSONText, sql.OpPower, sql.OpAtZone, "@>", "~*", "!~", "?|"}

// pgPatterns are the operators that match a pattern.
var pgPatterns = []sql.Op{sql.OpLike, sql.OpILike, sql.OpSimilar}

func (b *builder) pgExpr() sql.Expr {
	switch b.n(24) {
	case 0, 1, 2, 3:
		return &sql.Binary{Op: pick(b, pgBinaries...), Left: b.expr(), Right: b.expr()}
	case 4, 5:
		return &sql.Unary{Op: pick(b, sql.OpNot, sql.OpSub, sql.OpAdd, sql.OpBitNot, "@", "|/"), X: b.expr()}
	case 6:
		return &sql.Is{X: b.expr(), Not: b.maybe(), What: pick(b, "NULL", "TRUE", "FALSE", "UNKNOWN")}
	case 7:
		if b.maybe() {
			return &sql.In{X: b.expr(), Not: b.maybe(), Query: b.query()}
		}
		return &sql.In{X: b.expr(), Not: b.maybe(), List: b.exprs(2)} // one query alone would be Query
	case 8:
		return &sql.Between{X: b.expr(), Not: b.maybe(), Symmetric: b.maybe(), Low: b.expr(), High: b.expr()}
	case 9:
		return &sql.Like{X: b.expr(), Not: b.maybe(), Op: pick(b, pgPatterns...), Pattern: b.expr(),
			Escape: optional(b, b.expr)}
	case 10:
		when := func() *sql.When { return &sql.When{Cond: b.expr(), Result: b.expr()} }
		return &sql.Case{Operand: optional(b, b.expr), Whens: some(b, 1, when), Else: optional(b, b.expr)}
	case 11, 12:
		return &sql.Cast{X: b.expr(), Type: b.pgType(), Colons: b.maybe()}
	case 13:
		return &sql.Collate{X: b.expr(), Collation: &sql.Name{Value: "C", Quote: '"'}}
	case 14:
		return pick[sql.Expr](b, &sql.Exists{Query: b.query()}, &sql.Subquery{Query: b.query()}, &sql.Array{Query: b.query()})
	case 15:
		return pick[sql.Expr](b, &sql.Row{Items: b.exprs(2), Word: b.maybe()}, &sql.Row{Word: true},
			&sql.Array{Items: b.exprs(0)},
			&sql.Array{Items: []sql.Expr{&sql.Array{Inner: true, Items: b.exprs(1)}, &sql.Array{Inner: true}}})
	case 16, 17:
		return b.pgCall()
	case 18:
		return pick[sql.Expr](b, &sql.Paren{X: b.expr()}, &sql.Niladic{Word: "CURRENT_DATE"}, &sql.Param{Text: "$1"},
			&sql.Star{Table: b.label()})
	case 19:
		n := &sql.Quantified{Op: pick(b, sql.OpEq, sql.OpLt, "~", sql.OpLike), X: b.expr(),
			How: pick(b, "ANY", "SOME", "ALL")}
		if n.Not = n.Op == sql.OpLike && b.maybe(); b.maybe() {
			n.Query = b.query()
		} else {
			n.Array = b.column()
		}
		return n
	case 20:
		n := &sql.Subscript{X: b.expr(), Low: optional(b, b.expr)}
		if n.Slice = n.Low == nil || b.maybe(); n.Slice {
			n.High = optional(b, b.expr)
		}
		return n
	case 21:
		return &sql.Field{X: b.expr(), Name: optional(b, b.label)}
	default:
		return pick(b, b.literal, b.column)()
	}
}

func (b *builder) pgType() *sql.Type {
	seven := number("7")
	return pick(b, &sql.Type{Words: "int"}, &sql.Type{Words: "s.mood"}, &sql.Type{Words: "DOUBLE PRECISION"},
		&sql.Type{Words: "numeric", Args: []sql.Expr{seven, seven}, After: "[]"},
		&sql.Type{Words: "timestamp", Args: []sql.Expr{seven}, After: "WITH TIME ZONE"}, &sql.Type{Words: "int",
			After: "[3][]"}, &sql.Type{Words: "CHARACTER VARYING", Args: []sql.Expr{seven}})
}

func (b *builder) pgCall() sql.Expr {
	if b.maybe() {
		return pick[sql.Expr](b,
			&sql.Call{Name: &sql.Name{Value: "TRIM"}, Args: []sql.Expr{&sql.Worded{Word: "LEADING", X: b.expr()},
				&sql.Worded{Word: "FROM", X: b.expr()}}},
			&sql.Call{Name: &sql.Name{Value: "SUBSTRING"}, Args: []sql.Expr{b.expr(), &sql.Worded{Word: "FROM", X: b.expr()},
				&sql.Worded{Word: "FOR", X: b.expr()}}},
			&sql.Call{Name: &sql.Name{Value: "LEFT"}, Args: b.exprs(2)}, &sql.Call{Name: &sql.Name{Value: "COALESCE"},
				Args: b.exprs(3)},
			&sql.Call{Schema: b.label(), Name: b.label(), Args: []sql.Expr{&sql.Binary{Op: sql.OpNamed, Left: word("a"),
				Right: b.expr()}}},
			&sql.Call{Name: &sql.Name{Value: "mode"}, Within: b.orders(), Filter: optional(b, b.expr)})
	}
	return b.call()
}

// grouped draws what PostgreSQL's queries have besides.
func (b *builder) grouped(n *sql.Select) {
	if n.Distinct && b.maybe() {
		n.On = b.exprs(1)
	}
	if !n.Distinct && b.maybe() {
		n.Items = nil
	}
	if n.Group != nil && b.maybe() {
		n.Group = append(n.Group, &sql.Row{}, &sql.Grouping{Sets: []sql.Expr{&sql.Row{Items: b.exprs(2)}, &sql.Row{},
			b.column()}})
	}
}

func (b *builder) pgFrom() sql.TableRef {
	if b.n(5) == 0 {
		return &sql.Join{Left: b.pgJoin(), Kind: sql.CommaJoin, Right: b.pgJoin()}
	}
	return b.pgJoin()
}

// pgJoin draws joins, that nest on the right where they have a condition.
func (b *builder) pgJoin() sql.TableRef {
	if b.budget--; b.budget < 0 || !b.maybe() {
		return b.tableRef()
	}
	j := &sql.Join{Left: b.pgJoin(), Kind: pick(b, sql.InnerJoin, sql.CrossJoin, sql.LeftJoin, sql.RightJoin,
		sql.FullJoin), Right: b.tableRef()}
	switch {
	case j.Kind == sql.CrossJoin:
	case b.maybe():
		j.Natural = true
	case b.maybe():
		j.Using = b.labels(1)
	default:
		if j.On = b.expr(); b.maybe() {
			j.Right = &sql.Join{Left: b.tableRef(), Kind: sql.LeftJoin, Right: b.tableRef(), On: b.expr()}
		}
	}
	return j
}

func (b *builder) pgTableRef() sql.TableRef {
	alias := optional(b, b.label)
	var columns []*sql.Name
	if alias != nil {
		columns = b.labels(0)
	}
	switch b.n(6) {
	case 0:
		return &sql.Derived{Query: b.query(), Alias: alias, Lateral: b.maybe(), Columns: columns}
	case 1:
		return &sql.TableCall{Lateral: b.maybe(), Schema: optional(b, b.label), Name: b.label(), Args: b.exprs(0),
			Ordinality: b.maybe(),
			Alias:      alias, Columns: columns}
	case 2:
		if b.budget > 0 {
			n := &sql.ParenTable{X: b.from(), Alias: optional(b, b.label)}
			if d, ok := n.X.(*sql.Derived); ok { // a query in two parentheses is one
				d.Alias = b.label()
			}
			return n
		}
	}
	t := &sql.Table{Only: b.maybe(), Schema: optional(b, b.label), Name: b.label(), Alias: alias, Columns: columns}
	t.Sample = optional(b, func() *sql.Sample {
		return &sql.Sample{Method: &sql.Name{Value: "system"}, Args: b.exprs(1), Seed: optional(b, b.expr)}
	})
	return t
}

func (b *builder) pgWrite() sql.Stmt {
	switch b.n(5) {
	case 0, 1:
		n := &sql.Insert{With: optional(b, b.with), Table: b.table(false), Columns: b.labels(0), Overriding: pick(b, "",
			"SYSTEM", "USER"), Returning: optional(b, b.items)}
		if !b.maybe() {
			n.Source = &sql.Query{Body: &sql.Values{Rows: []*sql.Row{{Items: []sql.Expr{&sql.DefaultValue{}, b.expr()}}}}}
		}
		n.Conflicts = optional(b, func() []*sql.OnConflict { return []*sql.OnConflict{b.conflict()} })
		return n
	case 2:
		return &sql.Update{With: optional(b, b.with), Table: b.table(true), Set: b.pgAssigns(), From: optional(b, b.from),
			Where: optional(b, b.expr), Returning: optional(b, b.items)}
	case 3:
		return &sql.Delete{With: optional(b, b.with), Table: b.table(true), Using: optional(b, b.from),
			Where: optional(b, b.expr), Returning: optional(b, b.items)}
	}
	return &sql.Merge{With: optional(b, b.with), Table: b.table(true), Source: b.pgJoin(), On: b.expr(),
		Whens: some(b, 1, b.mergeWhen), Returning: optional(b, b.items)}
}

func (b *builder) pgAssigns() []*sql.Assign {
	return some(b, 1, func() *sql.Assign {
		if b.maybe() {
			return &sql.Assign{Columns: some(b, 1, b.set), Row: true, Value: b.expr()}
		}
		return b.assign()
	})
}

func (b *builder) mergeWhen() *sql.MergeWhen {
	n := &sql.MergeWhen{Match: pick(b, "MATCHED", "NOT MATCHED BY SOURCE"), Cond: optional(b, b.expr),
		Do: pick(b, "UPDATE", "DELETE", "DO NOTHING")}
	if b.maybe() {
		n.Match, n.Do = "NOT MATCHED", "INSERT"
	}
	switch n.Do {
	case "UPDATE":
		n.Set = b.assigns()
	case "INSERT":
		n.Columns, n.Overriding = b.labels(0), pick(b, "", "SYSTEM")
		n.Row = optional(b, func() *sql.Row { return &sql.Row{Items: b.exprs(1)} })
	}
	return n
}

// pgKey draws a column of an index.
func (b *builder) pgKey() *sql.Order {
	x := pick[sql.Expr](b, &sql.Column{Name: b.label()}, &sql.Paren{X: b.expr()}, &sql.Call{Name: b.label(),
		Args: b.exprs(1)},
		&sql.Collate{X: &sql.Column{Name: b.label()}, Collation: &sql.Name{Value: "C", Quote: '"'}})
	return &sql.Order{X: x, Class: optional(b, b.object), Desc: b.maybe(), Nulls: pick(b, "", "FIRST", "LAST")}
}

func (b *builder) plainKeys() []*sql.Order {
	return some(b, 1, func() *sql.Order { return &sql.Order{X: &sql.Column{Name: b.label()}} })
}

// parameters are what is set in parentheses.
func parameters() *sql.Row {
	return &sql.Row{Items: []sql.Expr{&sql.Binary{Op: sql.OpEq, Left: word("fillfactor"), Right: number("10")},
		word("autovacuum_enabled")}}
}

func (b *builder) pgKeyOptions() []*sql.Option {
	return pick(b, nil, []*sql.Option{{Words: "INCLUDE", Value: &sql.Row{Items: []sql.Expr{word("c"), word("d")}}},
		{Words: "WITH", Value: parameters()}},
		[]*sql.Option{{Words: "USING INDEX TABLESPACE", Value: word("x")}})
}

func (b *builder) pgConstraint() sql.Constraint {
	name := optional(b, b.label)
	late := pick(b, "", "DEFERRABLE", "NOT DEFERRABLE INITIALLY IMMEDIATE", "INITIALLY DEFERRED")
	switch b.n(6) {
	case 0:
		return &sql.PrimaryKey{Name: name, Columns: b.plainKeys(), Options: b.pgKeyOptions(), Deferrable: late}
	case 1:
		return &sql.Unique{Name: name, Nulls: pick(b, "", "DISTINCT", "NOT DISTINCT"), Columns: b.plainKeys(),
			Options: b.pgKeyOptions(), Deferrable: late}
	case 2:
		return &sql.Check{Name: name, X: b.expr(), Enforced: pick(b, "", "NO INHERIT")}
	case 3:
		return &sql.Exclude{Name: name, Using: pick(b, "", "gist"), Elements: some(b, 1, func() *sql.Exclusion {
			return &sql.Exclusion{Key: b.pgKey(), Op: pick(b, sql.OpEq, "&&")}
		}),
			Options: b.pgKeyOptions(), Where: optional(b, b.expr), Deferrable: late}
	case 4:
		return &sql.TableLike{Table: b.object(), Options: pick(b, nil, []*sql.Option{{Words: "INCLUDING ALL"},
			{Words: "EXCLUDING INDEXES"}})}
	}
	return b.foreignKey(name, b.labels(1))
}

func (b *builder) pgColumn() *sql.ColumnDef {
	return &sql.ColumnDef{Name: b.label(), Type: b.pgType(), Constraints: some(b, 0, func() sql.Constraint {
		name := optional(b, b.label)
		return pick[sql.Constraint](b, &sql.PrimaryKey{Name: name}, &sql.Unique{Name: name,
			Nulls: pick(b, "", "NOT DISTINCT"), Deferrable: pick(b, "", "DEFERRABLE")},
			&sql.Nullable{Name: name, Not: b.maybe()}, &sql.Check{Name: name, X: b.expr()}, &sql.Default{Name: name,
				X: pick[sql.Expr](b, b.literal(), &sql.Paren{X: b.expr()})},
			&sql.Collation{Collation: b.label()}, &sql.Generated{Name: name, X: b.expr(), Kept: pick(b, "STORED", "VIRTUAL")},
			b.foreignKey(name, nil),
			&sql.Identity{Name: name, Always: b.maybe(), Options: b.counting()}, &sql.Attribute{Words: "STORAGE",
				Value: word("PLAIN")})
	})}
}

// counting draws how a sequence counts.
func (b *builder) counting() []*sql.Option {
	return pick(b, nil, []*sql.Option{{Words: "INCREMENT BY", Value: number("2")}, {Words: "NO CYCLE"}},
		[]*sql.Option{{Words: "START WITH", Value: number("1")}})
}

func (b *builder) bounds() *sql.PartitionBound {
	part := func(how string) sql.Expr { return &sql.Worded{Word: how, X: number("3")} }
	return pick(b, &sql.PartitionBound{How: "DEFAULT"}, &sql.PartitionBound{How: "IN", From: b.exprs(1)},
		&sql.PartitionBound{How: "FROM", From: b.exprs(1), To: b.exprs(1)},
		&sql.PartitionBound{How: "WITH", From: []sql.Expr{part("MODULUS"), part("REMAINDER")}})
}

func (b *builder) pgTable() sql.Stmt {
	n := &sql.CreateTable{Temp: b.maybe(), IfNotExists: b.maybe(), Name: b.object(), Columns: some(b, 0, b.pgColumn),
		Constraints: some(b, 0, b.pgConstraint)}
	n.Unlogged = !n.Temp && b.maybe()
	n.Options = pick(b, nil, []*sql.Option{{Words: "USING", Value: word("heap")}, {Words: "WITH", Value: parameters()}},
		[]*sql.Option{{Words: "ON COMMIT DROP"}})
	switch b.n(4) {
	case 0:
		n.Of, n.Bound = b.object(), b.bounds()
		n.Columns = nil
	case 1:
		n.Inherits = some(b, 0, b.object)
	case 2:
		n.Columns, n.Constraints = some(b, 0, func() *sql.ColumnDef { return &sql.ColumnDef{Name: b.label()} }), nil
		n.As, n.Rows = b.query(), pick(b, "", "WITH DATA", "WITH NO DATA")
		return n
	}
	n.Partitions = optional(b, func() *sql.Partitioning {
		return &sql.Partitioning{How: pick(b, "RANGE", "HASH"), X: []sql.Expr{&sql.Column{Name: b.label()},
			&sql.Paren{X: b.expr()}}}
	})
	return n
}

func (b *builder) pgCreate() sql.Stmt {
	replace, not := b.maybe(), b.maybe()
	switch b.n(8) {
	case 0, 1:
		return b.pgTable()
	case 2:
		n := &sql.CreateIndex{Unique: b.maybe(), Kind: pick(b, "", "CONCURRENTLY"), IfNotExists: not,
			Name: &sql.Object{Name: b.label()}, Only: b.maybe(), Table: b.object(),
			Using: pick(b, "", "btree"), Columns: some(b, 1, b.pgKey), Options: b.pgKeyOptions(), Where: optional(b, b.expr)}
		if !not && b.maybe() {
			n.Name = nil
		}
		return n
	case 3:
		n := &sql.CreateView{Name: b.object(), Columns: b.labels(0),
			Options: pick(b, nil, []*sql.Option{{Words: "WITH", Value: parameters()}}), Query: b.query()}
		if n.Materialized = b.maybe(); n.Materialized {
			n.IfNotExists, n.Check = not, pick(b, "", "WITH NO DATA")
		} else {
			n.OrReplace, n.Temp, n.Check = replace, b.maybe(), pick(b, "", "WITH LOCAL CHECK OPTION")
		}
		return n
	case 4, 5:
		return b.pgTrigger(replace)
	case 6:
		return pick[sql.Stmt](b, &sql.Sequence{Temp: b.maybe(), Exists: not, Name: b.object(), Options: b.counting()},
			&sql.CreateDatabase{Schema: true, IfNotExists: not, Name: b.label()},
			&sql.CreateDatabase{Name: b.label()})
	}
	parameter := func() *sql.Parameter {
		return &sql.Parameter{Mode: pick(b, "", "IN", "OUT", "INOUT"), Name: optional(b, b.label), Type: b.pgType(),
			Default: optional(b, b.expr)}
	}
	n := &sql.CreateFunction{OrReplace: replace, Procedure: b.maybe(), Name: b.object(), Args: some(b, 0, parameter)}
	n.Options = []*sql.Option{{Words: "LANGUAGE", Value: word("sql")}, {Words: "IMMUTABLE"},
		{Words: "AS", Value: &sql.Literal{Kind: sql.Text, Text: "$$SELECT 'x';$$"}}}
	if !n.Procedure {
		if n.Returns = optional(b, b.pgType); n.Returns == nil && b.maybe() {
			n.Table = some(b, 1, func() *sql.Parameter { return &sql.Parameter{Name: b.label(), Type: b.pgType()} })
		}
	}
	return n
}

func (b *builder) pgTrigger(replace bool) sql.Stmt {
	n := &sql.CreateTrigger{OrReplace: replace, Constraint: b.maybe(), Name: b.object(), Time: pick(b, "BEFORE", "AFTER",
		"INSTEAD OF"),
		Event: pick(b, "INSERT", "DELETE OR TRUNCATE", "INSERT OR UPDATE"),
		Table: b.object(), ForEachRow: b.maybe(), When: optional(b, b.expr)}
	if n.Event == "INSERT OR UPDATE" {
		n.Columns = b.labels(0)
	}
	if n.Constraint {
		n.Deferrable = pick(b, "", "DEFERRABLE INITIALLY DEFERRED")
	}
	n.Referencing = pick(b, nil, []*sql.Option{{Words: "OLD TABLE AS", Value: word("o")}, {Words: "NEW TABLE AS",
		Value: word("n")}})
	n.Function = &sql.Call{Schema: optional(b, b.label), Name: b.label(),
		Args: pick(b, nil, []sql.Expr{number("1"), text("x")})}
	return n
}

func (b *builder) pgAlteration() sql.Alteration {
	option := func(words string, value sql.Expr) *sql.SetOptions {
		return &sql.SetOptions{Options: []*sql.Option{{Words: words, Value: value}}}
	}
	return pick[sql.Alteration](b, &sql.AddColumn{IfNotExists: b.maybe(), Column: b.pgColumn()},
		&sql.AddConstraint{Constraint: b.pgConstraint(), NotValid: b.maybe()},
		&sql.DropColumn{IfExists: b.maybe(), Column: b.label(), Cascade: b.maybe()}, &sql.DropConstraint{What: "CONSTRAINT",
			IfExists: b.maybe(), Name: b.label(), Cascade: b.maybe()},
		&sql.RenameTable{To: &sql.Object{Name: b.label()}}, &sql.RenameColumn{From: b.label(), To: b.label()},
		&sql.RenameIndex{Constraint: true, From: b.label(), To: b.label()},
		&sql.AlterColumn{Column: b.label(), Type: b.pgType(), X: optional(b, b.expr)}, &sql.AlterColumn{Column: b.label(),
			What: "SET STATISTICS", X: number("3")},
		&sql.AlterColumn{Column: b.label(), What: "DROP NOT NULL"}, &sql.AlterColumn{Column: b.label(),
			X: optional(b, b.expr)}, &sql.AttachPartition{Table: b.object(), Bound: b.bounds()},
		option("SET", parameters()), option("SET LOGGED", nil), option("OWNER TO", word("x")))
}

func (b *builder) pgOther() sql.Stmt {
	traits := some(b, 0, func() *sql.Option {
		return pick(b, &sql.Option{Words: "READ ONLY"}, &sql.Option{Words: "NOT DEFERRABLE"},
			&sql.Option{Words: "ISOLATION LEVEL REPEATABLE READ"})
	})
	chain := pick(b, "", "AND CHAIN", "AND NO CHAIN")
	switch b.n(16) {
	case 0, 1, 2:
		return &sql.AlterTable{IfExists: b.maybe(), Only: b.maybe(), Table: b.object(), Actions: some(b, 1, b.pgAlteration)}
	case 3:
		return pick[sql.Stmt](b, &sql.AlterTable{What: "INDEX", IfExists: b.maybe(), Table: b.object(),
			Actions: []sql.Alteration{&sql.RenameTable{To: &sql.Object{Name: b.label()}}}},
			&sql.Sequence{Alter: true, Exists: b.maybe(), Name: b.object(), Options: []*sql.Option{{Words: "RESTART"}}})
	case 4:
		n := &sql.Drop{What: pick(b, "TABLE", "INDEX CONCURRENTLY", "MATERIALIZED VIEW", "SCHEMA"), IfExists: b.maybe(),
			Names:   some(b, 1, b.object),
			Options: pick(b, nil, []*sql.Option{{Words: "CASCADE"}})}
		if b.maybe() {
			n.What, n.Names, n.On = "TRIGGER", n.Names[:1], b.object()
		}
		return n
	case 5:
		return &sql.Begin{Start: b.maybe(), Traits: traits}
	case 6:
		return pick[sql.Stmt](b, &sql.Commit{Chain: chain}, &sql.Rollback{Chain: chain}, &sql.Rollback{To: b.label()})
	case 7:
		return pick[sql.Stmt](b, &sql.Savepoint{Name: b.label()}, &sql.Release{Name: b.label()},
			&sql.TwoPhase{Step: pick(b, "PREPARE TRANSACTION", "COMMIT PREPARED", "ROLLBACK PREPARED"), ID: text("x")})
	case 8:
		return pick[sql.Stmt](b, &sql.SetTransaction{Scope: pick(b, "", "LOCAL", "SESSION CHARACTERISTICS AS"),
			Traits: append(traits, &sql.Option{Words: "READ WRITE"})},
			&sql.SetTransaction{Traits: []*sql.Option{{Words: "SNAPSHOT", Value: text("1")}}},
			&sql.SetConstraints{Names: some(b, 0, b.object), When: pick(b, "DEFERRED", "IMMEDIATE")})
	case 9:
		return &sql.Set{Settings: []*sql.Setting{pick(b, &sql.Setting{Scope: pick(b, "", "LOCAL", "SESSION"),
			Target: word("search_path"), Value: word("a"), More: []sql.Expr{text("b"), word("c")}},
			&sql.Setting{Scope: "LOCAL TIME ZONE", Value: word("DEFAULT")},
			&sql.Setting{Target: &sql.Column{Table: &sql.Name{Value: "x"}, Name: b.label()}, Value: number("1")})}}
	case 10:
		target := pick[sql.Expr](b, nil, word("work_mem"), &sql.Niladic{Word: "TRANSACTION ISOLATION LEVEL"})
		return pick[sql.Stmt](b, &sql.Reset{Target: target}, &sql.Show{Target: target})
	case 11:
		return &sql.LockTables{Tables: some(b, 1, func() *sql.TableLock {
			return &sql.TableLock{Table: &sql.Table{Only: b.maybe(), Schema: optional(b, b.label), Name: b.label()}}
		}), Mode: pick(b, "", "ACCESS SHARE", "EXCLUSIVE"), NoWait: b.maybe()}
	case 12:
		return pick(b, &sql.Maintain{What: "VACUUM", How: pick(b, "", "FULL ANALYZE", "(FREEZE, PARALLEL 2)"),
			Tables: some(b, 0, b.object)},
			&sql.Maintain{What: "REINDEX", How: "TABLE CONCURRENTLY", Tables: []*sql.Object{b.object()}},
			&sql.Maintain{What: "REFRESH MATERIALIZED VIEW", How: pick(b, "", "CONCURRENTLY"), Tables: []*sql.Object{b.object()},
				More: pick(b, "", "WITH NO DATA")})
	case 13:
		return &sql.Truncate{Tables: some(b, 1, func() *sql.Table { return &sql.Table{Only: b.maybe(), Name: b.label()} }),
			Options: pick(b, nil, []*sql.Option{{Words: "RESTART IDENTITY"}, {Words: "CASCADE"}})}
	}
	return &sql.Explain{How: pick(b, "", "ANALYZE VERBOSE", "(ANALYZE, FORMAT JSON)"), Stmt: b.write()}
}

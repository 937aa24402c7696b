package trees

import "txweave/sql"

func (b *builder) period() *sql.Period {
	at := &sql.Literal{Kind: sql.Text, Text: "'2020-02-02'"}
	return pick(b, &sql.Period{How: "FOR SYSTEM_TIME ALL"}, &sql.Period{How: "FOR SYSTEM_TIME AS OF", From: at},
		&sql.Period{How: "FOR SYSTEM_TIME BETWEEN", From: at, To: at},
		&sql.Period{How: "FOR SYSTEM_TIME FROM", From: at, To: at}, &sql.Period{How: "AS OF TIMESTAMP", From: at})
}

// target draws the name of a table that is written.
func (b *builder) target() *sql.Table {
	return &sql.Table{Schema: optional(b, b.label), Name: b.label(), Partitions: optional(b, func() []*sql.Name {
		return b.labels(1)
	})}
}

func (b *builder) myWrite() sql.Stmt {
	priority, ignore, hints := pick(b, "", "LOW_PRIORITY"), b.maybe(), optional(b, b.hints)
	switch b.n(5) {
	case 0, 1:
		return b.myInsert(priority, ignore, hints)
	case 2:
		return &sql.Update{With: optional(b, b.with), Hints: hints, Priority: priority, Ignore: ignore, Table: b.from(),
			Set: b.assigns(), Where: optional(b, b.expr),
			Order: optional(b, b.orders), Limit: optional(b, b.limit)}
	case 3:
		n := &sql.DeleteJoined{With: optional(b, b.with), Hints: hints, Priority: priority, Quick: b.maybe(), Ignore: ignore,
			Using: b.maybe(), From: b.from(), Where: optional(b, b.expr)}
		n.Targets = some(b, 1, func() *sql.Table {
			return &sql.Table{Schema: optional(b, b.label), Name: b.label(), All: b.maybe()}
		})
		return n
	}
	n := &sql.Delete{With: optional(b, b.with), Hints: hints, Priority: priority, Quick: b.maybe(), Ignore: ignore,
		Table: b.target(), Where: optional(b, b.expr),
		Order: optional(b, b.orders), Limit: optional(b, b.limit), Returning: optional(b, b.items)}
	n.Table.Alias = optional(b, b.label)
	return n
}

func (b *builder) myInsert(priority string, ignore bool, hints *sql.Hints) sql.Stmt {
	n := &sql.Insert{Replace: b.maybe(), Hints: hints, Priority: priority, Ignore: ignore, Table: b.target(),
		Columns: b.labels(0), Duplicate: optional(b, b.assigns), Returning: optional(b, b.items)}
	value := func() sql.Expr {
		if b.maybe() {
			return &sql.DefaultValue{}
		}
		return b.expr()
	}
	switch b.n(3) {
	case 0:
		n.Set = b.assigns()
		n.Row = optional(b, b.label)
	case 1:
		n.Source = &sql.Query{With: optional(b, b.with), Body: b.selected()}
		n.Duplicate = nil // ON would belong to a join of the query's
	default:
		n.Source = &sql.Query{Body: &sql.Values{Rows: some(b, 1, func() *sql.Row {
			return &sql.Row{Items: some(b, 0, value)}
		})}}
		if n.Row = optional(b, b.label); n.Row != nil {
			n.RowNames = b.labels(0)
		}
	}
	return n
}

// keyParts draws the columns of an index.
func (b *builder) keyParts() []*sql.Order {
	return some(b, 1, func() *sql.Order {
		c := &sql.Column{Name: b.label()}
		return &sql.Order{X: pick[sql.Expr](b, c, &sql.Prefix{X: c, Length: &sql.Literal{Kind: sql.Number, Text: "8"}},
			&sql.Paren{X: b.expr()}), Desc: b.maybe()}
	})
}

func text(s string) *sql.Literal { return &sql.Literal{Kind: sql.Text, Text: "'" + s + "'"} }

func number(s string) *sql.Literal { return &sql.Literal{Kind: sql.Number, Text: s} }

func word(s string) *sql.Column { return &sql.Column{Name: &sql.Name{Value: s}} }

func (b *builder) keyOptions() []*sql.Option {
	return pick(b, nil, []*sql.Option{{Words: "COMMENT", Value: text("c")}}, []*sql.Option{{Words: "INVISIBLE"},
		{Words: "KEY_BLOCK_SIZE", Value: number("8")}},
		[]*sql.Option{{Words: "WITH PARSER", Value: word("ngram")}})
}

func (b *builder) myCreate() sql.Stmt {
	replace, not, temp := b.maybe(), b.maybe(), b.maybe()
	switch b.n(6) {
	case 0:
		return &sql.CreateTable{OrReplace: replace, Temp: temp, IfNotExists: not, Name: b.object(), Like: b.object()}
	case 1, 2:
		n := &sql.CreateTable{OrReplace: replace, Temp: temp, IfNotExists: not, Name: b.object(),
			Columns: some(b, 0, b.myColumn), Constraints: some(b, 0, b.myConstraint),
			Partitions: optional(b, b.partitioning), As: optional(b, b.query)}
		n.Options = pick(b, nil, []*sql.Option{{Words: "ENGINE", Value: word("InnoDB")}, {Words: "DEFAULT CHARSET",
			Value: word("utf8mb4")}, {Words: "COMMENT", Value: text("x")}},
			[]*sql.Option{{Words: "AUTO_INCREMENT", Value: number("5")}, {Words: "WITH SYSTEM VERSIONING"}})
		if n.As != nil {
			n.Rows = pick(b, "", "IGNORE", "REPLACE")
		}
		return n
	case 3:
		n := &sql.CreateIndex{OrReplace: replace, Unique: temp, IfNotExists: not, Name: &sql.Object{Name: b.label()},
			Using: pick(b, "", "BTREE"), Table: b.object(), Columns: b.keyParts(),
			Options: pick(b, nil, []*sql.Option{{Words: "ALGORITHM", Value: word("INPLACE")},
				{Words: "LOCK", Value: word("NONE")}})}
		if !n.Unique {
			n.Kind = pick(b, "", "FULLTEXT", "SPATIAL")
		}
		return n
	case 4:
		return &sql.CreateView{OrReplace: replace, Algorithm: pick(b, "", "MERGE"), Definer: optional(b, b.definer),
			Security: pick(b, "", "INVOKER"), IfNotExists: not, Name: b.object(),
			Columns: b.labels(0), Query: b.query(), Check: pick(b, "", "WITH CHECK OPTION", "WITH LOCAL CHECK OPTION")}
	}
	if b.maybe() {
		return &sql.CreateDatabase{OrReplace: replace, IfNotExists: not, Name: b.label(),
			Options: pick(b, nil, []*sql.Option{{Words: "CHARACTER SET", Value: word("latin1")}})}
	}
	n := &sql.CreateTrigger{OrReplace: replace, Definer: optional(b, b.definer), IfNotExists: not, Name: b.object(),
		Time: pick(b, "BEFORE", "AFTER"), Event: pick(b, "INSERT", "UPDATE", "DELETE"),
		Table: b.object(), ForEachRow: true}
	if n.Other = optional(b, b.label); n.Other != nil {
		n.Follows = pick(b, "FOLLOWS", "PRECEDES")
	}
	step := func() sql.Stmt {
		if b.maybe() {
			return &sql.Set{Settings: []*sql.Setting{{Target: &sql.Column{Table: &sql.Name{Value: "NEW"}, Name: b.label()},
				Value: b.expr()}}}
		}
		return b.write()
	}
	if n.Body = step(); b.maybe() {
		n.Body = &sql.Block{Stmts: some(b, 0, step)}
	}
	return n
}

func (b *builder) definer() *sql.Definer {
	return &sql.Definer{User: pick(b, "CURRENT_USER", "`a b`@`%`", "'x'@'localhost'", "root@localhost")}
}

func (b *builder) myColumn() *sql.ColumnDef {
	return &sql.ColumnDef{Name: b.label(), Type: b.myType(), Constraints: some(b, 0, func() sql.Constraint {
		return pick[sql.Constraint](b, &sql.PrimaryKey{}, &sql.Unique{}, &sql.Nullable{}, &sql.Nullable{Not: true},
			&sql.Check{X: b.expr(), Enforced: pick(b, "", "NOT ENFORCED")},
			&sql.Default{X: b.literal()}, &sql.Default{X: &sql.Paren{X: b.expr()}},
			&sql.Collation{Collation: &sql.Name{Value: "utf8mb4_bin"}},
			&sql.Generated{X: b.expr(), Kept: pick(b, "", "STORED", "VIRTUAL", "PERSISTENT")},
			&sql.Attribute{Words: "AUTO_INCREMENT"}, &sql.Attribute{Words: "COMMENT", Value: text("c")},
			&sql.Attribute{Words: "ON UPDATE", Value: &sql.Niladic{Word: "CURRENT_TIMESTAMP"}},
			&sql.Attribute{Words: "AUTO_RANDOM", Value: &sql.Row{Items: []sql.Expr{number("5")}}})
	})}
}

func (b *builder) myConstraint() sql.Constraint {
	name, using := optional(b, b.label), pick(b, "", "HASH")
	switch b.n(5) {
	case 0:
		return &sql.PrimaryKey{Name: name, Using: using, Columns: b.keyParts(), Options: b.keyOptions()}
	case 1:
		return &sql.Unique{Name: name, Index: optional(b, b.label), Using: using, Columns: b.keyParts(),
			Options: b.keyOptions()}
	case 2:
		return &sql.Check{Name: name, X: b.expr(), Enforced: pick(b, "", "ENFORCED")}
	case 3:
		return &sql.Index{Kind: pick(b, "", "FULLTEXT", "SPATIAL"), IfNotExists: b.maybe(), Name: optional(b, b.label),
			Using: using, Columns: b.keyParts(), Options: b.keyOptions()}
	}
	n := b.foreignKey(name, b.labels(1))
	n.Deferrable, n.Index = "", optional(b, b.label)
	return n
}

func (b *builder) partitioning() *sql.Partitioning {
	n := &sql.Partitioning{How: pick(b, "HASH", "LINEAR KEY", "KEY")}
	if n.How == "HASH" {
		n.X = []sql.Expr{b.expr()}
	} else {
		n.X = []sql.Expr{b.column(), b.column()}
	}
	if n.Count = number("4"); b.maybe() {
		return n
	}
	n = &sql.Partitioning{How: pick(b, "RANGE", "LIST COLUMNS"), X: []sql.Expr{b.expr()}}
	n.Sub = optional(b, func() *sql.Partitioning {
		return &sql.Partitioning{Below: true, How: "HASH", X: []sql.Expr{b.expr()}, Count: number("2")}
	})
	n.Parts = b.partitions()
	return n
}

func (b *builder) partitions() []*sql.Partition {
	return some(b, 1, func() *sql.Partition {
		p := pick(b, &sql.Partition{How: "LESS THAN", Values: []sql.Expr{b.expr()}}, &sql.Partition{How: "LESS THAN",
			Values: []sql.Expr{&sql.Niladic{Word: "MAXVALUE"}}},
			&sql.Partition{How: "IN", Values: b.exprs(1)}, &sql.Partition{How: "HISTORY"}, &sql.Partition{})
		p.Name = b.label()
		p.Options = pick(b, nil, []*sql.Option{{Words: "ENGINE", Value: word("InnoDB")}})
		p.Subs = some(b, 0, func() *sql.Partition { return &sql.Partition{Below: true, Name: b.label()} })
		return p
	})
}

func (b *builder) alteration() sql.Alteration {
	switch b.n(3) {
	case 0:
		n := &sql.AddColumn{Modify: b.maybe(), Column: b.myColumn(), First: b.maybe()}
		if !n.Modify {
			if n.From = optional(b, b.label); n.From == nil {
				n.IfNotExists = b.maybe()
			}
		}
		if !n.First {
			n.After = optional(b, b.label)
		}
		return n
	case 1:
		return &sql.AddConstraint{Constraint: b.myConstraint()}
	}
	return pick[sql.Alteration](b, &sql.RenameTable{To: b.object()}, &sql.RenameColumn{From: b.label(), To: b.label()},
		&sql.RenameIndex{From: b.label(), To: b.label()},
		&sql.DropColumn{IfExists: b.maybe(), Column: b.label()}, &sql.DropConstraint{What: "INDEX", IfExists: b.maybe(),
			Name: b.label()}, &sql.DropConstraint{What: "PRIMARY KEY"},
		&sql.AlterColumn{Column: b.label(), X: optional(b, b.literal)},
		&sql.SetOptions{Options: []*sql.Option{{Words: "ENGINE", Value: word("InnoDB")},
			{Words: "ALGORITHM", Value: word("COPY")}}})
}

// partitionStep draws what is done with partitions, and nothing else with it.
func (b *builder) partitionStep() sql.Alteration {
	return pick[sql.Alteration](b, &sql.AlterPartitions{What: "ADD PARTITION PARTITIONS", Count: number("2")},
		&sql.AlterPartitions{What: "ADD PARTITION", Parts: b.partitions()},
		&sql.AlterPartitions{What: "REORGANIZE PARTITION", Names: b.labels(1), Parts: b.partitions()},
		&sql.AlterPartitions{What: "OPTIMIZE PARTITION", All: true},
		&sql.AlterPartitions{What: "TRUNCATE PARTITION", Names: b.labels(1)}, &sql.AlterPartitions{By: b.partitioning()},
		&sql.AlterPartitions{What: "REMOVE PARTITIONING"})
}

func (b *builder) myOther() sql.Stmt {
	traits := func() []*sql.Option {
		return some(b, 1, func() *sql.Option {
			return pick(b, &sql.Option{Words: "READ ONLY"}, &sql.Option{Words: "WITH CONSISTENT SNAPSHOT"},
				&sql.Option{Words: "ISOLATION LEVEL SERIALIZABLE"})
		})
	}
	chain, release := pick(b, "", "AND CHAIN", "AND NO CHAIN"), pick(b, "", "RELEASE", "NO RELEASE")
	switch b.n(20) {
	case 0, 1, 2:
		if b.maybe() {
			return &sql.AlterTable{Table: b.object(), Actions: []sql.Alteration{b.partitionStep()}}
		}
		return &sql.AlterTable{Table: b.object(), Actions: some(b, 1, b.alteration), Partitions: optional(b,
			func() sql.Alteration { return &sql.AlterPartitions{What: "REMOVE PARTITIONING"} })}
	case 3:
		n := &sql.Drop{Temp: b.maybe(), What: pick(b, "TABLE", "VIEW", "TRIGGER", "DATABASE"), IfExists: b.maybe(),
			Names: some(b, 1, b.object)}
		if b.maybe() {
			n.What, n.On, n.Options = "INDEX", b.object(), []*sql.Option{{Words: "LOCK", Value: word("NONE")}}
		}
		return n
	case 4:
		return pick(b, &sql.Begin{Mode: pick(b, "", "PESSIMISTIC")}, &sql.Begin{Start: true, Traits: traits()})
	case 5:
		return &sql.Commit{Chain: chain, Release: release}
	case 6:
		return pick(b, &sql.Rollback{Chain: chain, Release: release}, &sql.Rollback{To: b.label()})
	case 7:
		return pick[sql.Stmt](b, &sql.Savepoint{Name: b.label()}, &sql.Release{Name: b.label()})
	case 8:
		return &sql.SetTransaction{Scope: pick(b, "", "SESSION", "GLOBAL"), Traits: traits()}
	case 9:
		return &sql.Set{Settings: some(b, 1, func() *sql.Setting {
			return pick(b, &sql.Setting{Scope: pick(b, "", "GLOBAL", "LOCAL"), Target: word("sql_mode"), Value: b.expr()},
				&sql.Setting{Target: &sql.Variable{Text: "@a"}, Value: b.expr()},
				&sql.Setting{Target: word("autocommit"), Value: word("ON")}, &sql.Setting{Scope: "NAMES",
					Value: &sql.Collate{X: word("latin1"), Collation: &sql.Name{Value: "latin1_bin"}}})
		})}
	case 10:
		return &sql.LockTables{Tables: some(b, 0, func() *sql.TableLock {
			return &sql.TableLock{Table: &sql.Table{Schema: optional(b, b.label), Name: b.label(), Alias: optional(b, b.label)},
				How: pick(b, "READ", "READ LOCAL", "WRITE")}
		})}
	case 11:
		return &sql.XA{Step: pick(b, "START", "END", "PREPARE", "COMMIT"), ID: some(b, 1, func() *sql.Literal {
			return text("x")
		}), More: pick(b, "", "ONE PHASE")}
	case 12:
		return &sql.Maintain{What: pick(b, "ANALYZE", "OPTIMIZE", "CHECK", "REPAIR"), Local: b.maybe(), How: "TABLE",
			Tables: some(b, 1, b.object), More: pick(b, "", "EXTENDED")}
	case 13:
		return &sql.Maintain{What: "FLUSH", Local: b.maybe(), How: "TABLES", Tables: some(b, 0, b.object),
			More: pick(b, "", "WITH READ LOCK")}
	case 14:
		return &sql.Kill{What: pick(b, "", "QUERY", "CONNECTION"), X: b.expr()}
	case 15:
		return &sql.UseDatabase{Name: b.label()}
	case 16:
		return &sql.Do{Exprs: b.exprs(1)}
	case 17:
		return &sql.Rename{Pairs: some(b, 1, func() *sql.RenamePair {
			return &sql.RenamePair{From: b.object(), To: b.object()}
		})}
	case 18:
		return &sql.Truncate{Tables: []*sql.Table{{Schema: optional(b, b.label), Name: b.label()}}}
	}
	return &sql.Explain{How: pick(b, "", "ANALYZE", "EXTENDED", "FORMAT=json"), Stmt: b.write()}
}

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

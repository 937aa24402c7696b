package trees

import "txweave/sql"

var ways = []string{"", "ROLLBACK", "ABORT", "FAIL", "IGNORE", "REPLACE"}

func (b *builder) write() sql.Stmt {
	switch b.language {
	case MySQL:
		return b.myWrite()
	case PostgreSQL:
		return b.pgWrite()
	}
	switch b.n(3) {
	case 0:
		n := &sql.Insert{With: optional(b, b.with), Replace: b.maybe(), Table: b.table(false), Columns: b.labels(0)}
		if !n.Replace {
			n.Or = pick(b, ways...)
		}
		if !b.maybe() {
			n.Source = b.query()
			if b.maybe() {
				n.Source = &sql.Query{Body: b.values()} // behind a FROM clause ON would belong to that
				n.Conflicts = some(b, 1, b.conflict)
			}
		}
		n.Returning = optional(b, b.items)
		return n
	case 1:
		return &sql.Update{With: optional(b, b.with), Or: pick(b, ways...), Table: b.table(true), Set: b.assigns(),
			From: optional(b, b.from), Where: optional(b, b.expr),
			Returning: optional(b, b.items), Order: optional(b, b.orders), Limit: optional(b, b.limit)}
	default:
		return &sql.Delete{With: optional(b, b.with), Table: b.table(true), Where: optional(b, b.expr),
			Returning: optional(b, b.items),
			Order:     optional(b, b.orders), Limit: optional(b, b.limit)}
	}
}

func (b *builder) conflict() *sql.OnConflict {
	c := &sql.OnConflict{}
	if b.pg() {
		if c.Target = some(b, 0, b.pgKey); len(c.Target) == 0 {
			c.Constraint = optional(b, b.label)
		}
	} else {
		c.Target = some(b, 0, b.order)
	}
	if len(c.Target) > 0 {
		c.TargetWhere = optional(b, b.expr)
	}
	if b.maybe() {
		c.Set, c.Where = b.assigns(), optional(b, b.expr)
	}
	return c
}

func (b *builder) object() *sql.Object {
	return &sql.Object{Schema: optional(b, b.label), Name: b.label()}
}

func (b *builder) create() sql.Stmt {
	switch b.language {
	case MySQL:
		return b.myCreate()
	case PostgreSQL:
		return b.pgCreate()
	}
	temp, not := b.maybe(), b.maybe()
	switch b.n(5) {
	case 0:
		return &sql.CreateTable{Temp: temp, IfNotExists: not, Name: b.object(), As: b.query()}
	case 1:
		return &sql.CreateTable{Temp: temp, IfNotExists: not, Name: b.object(), Columns: some(b, 1, b.columnDef),
			Constraints: some(b, 0, b.tableConstraint),
			Options:     pick(b, nil, []*sql.Option{{Words: "STRICT"}, {Words: "WITHOUT ROWID"}})}
	case 2:
		return &sql.CreateIndex{Unique: temp, IfNotExists: not, Name: b.object(), Table: &sql.Object{Name: b.label()},
			Columns: b.orders(), Where: optional(b, b.expr)}
	case 3:
		return &sql.CreateView{Temp: temp, IfNotExists: not, Name: b.object(), Columns: b.labels(0), Query: b.query()}
	default:
		n := &sql.CreateTrigger{Temp: temp, IfNotExists: not, Name: b.object(), Time: pick(b, "", "BEFORE", "AFTER",
			"INSTEAD OF"), Event: pick(b, "INSERT", "UPDATE", "DELETE"),
			Table: b.object(), ForEachRow: b.maybe(), When: optional(b, b.expr)}
		if n.Event == "UPDATE" {
			n.Columns = b.labels(0)
		}
		n.Body = &sql.Block{Stmts: some(b, 1, func() sql.Stmt {
			if b.maybe() {
				return b.query()
			}
			return b.write()
		})}
		return n
	}
}

func (b *builder) columnDef() *sql.ColumnDef {
	t := optional(b, func() *sql.Type { return &sql.Type{Words: "DOUBLE PRECISION"} })
	return &sql.ColumnDef{Name: b.label(), Type: t, Constraints: some(b, 0, b.columnConstraint)}
}

func (b *builder) columnConstraint() sql.Constraint {
	name, how := optional(b, b.label), pick(b, ways...)
	switch b.n(8) {
	case 0:
		return &sql.PrimaryKey{Name: name, Desc: b.maybe(), Conflict: how, Autoincrement: b.maybe()}
	case 1:
		return &sql.Unique{Name: name, Conflict: how}
	case 2:
		return &sql.Nullable{Name: name, Not: b.maybe(), Conflict: how}
	case 3:
		return &sql.Check{Name: name, X: b.expr()}
	case 4:
		return &sql.Default{Name: name, X: pick[sql.Expr](b, b.literal(), &sql.Unary{Op: sql.OpSub,
			X: &sql.Literal{Kind: sql.Number, Text: "1"}}, &sql.Paren{X: b.expr()})}
	case 5:
		return &sql.Collation{Name: name, Collation: b.label()}
	case 6:
		return &sql.Generated{Name: name, X: b.expr(), Kept: pick(b, "", "STORED", "VIRTUAL")}
	default:
		return b.foreignKey(name, nil)
	}
}

func (b *builder) foreignKey(name *sql.Name, columns []*sql.Name) *sql.ForeignKey {
	actions := []string{"", "CASCADE", "SET NULL", "SET DEFAULT", "RESTRICT", "NO ACTION"}
	return &sql.ForeignKey{Name: name, Columns: columns, Table: &sql.Object{Name: b.label()}, Keys: b.labels(0),
		OnDelete: pick(b, actions...), OnUpdate: pick(b, actions...),
		Match: optional(b, b.name), Deferrable: pick(b, "", "NOT DEFERRABLE", "DEFERRABLE INITIALLY DEFERRED",
			"DEFERRABLE INITIALLY IMMEDIATE")}
}

func (b *builder) tableConstraint() sql.Constraint {
	name, how := optional(b, b.label), pick(b, ways...)
	switch b.n(4) {
	case 0:
		return &sql.PrimaryKey{Name: name, Columns: b.orders(), Conflict: how, Autoincrement: b.maybe()}
	case 1:
		return &sql.Unique{Name: name, Columns: b.orders(), Conflict: how}
	case 2:
		return &sql.Check{Name: name, X: b.expr(), Conflict: how}
	default:
		return b.foreignKey(name, b.labels(1))
	}
}

func (b *builder) other() sql.Stmt {
	switch b.language {
	case MySQL:
		return b.myOther()
	case PostgreSQL:
		return b.pgOther()
	}
	switch b.n(12) {
	case 0:
		return &sql.AlterTable{Table: b.object(), Actions: []sql.Alteration{pick[sql.Alteration](b,
			&sql.RenameTable{To: &sql.Object{Name: b.label()}},
			&sql.RenameColumn{From: b.label(), To: b.label()}, &sql.AddColumn{Column: b.columnDef()},
			&sql.DropColumn{Column: b.label()})}}
	case 1:
		return &sql.Drop{What: pick(b, "TABLE", "INDEX", "VIEW", "TRIGGER"), IfExists: b.maybe(),
			Names: []*sql.Object{b.object()}}
	case 2:
		return &sql.Begin{Mode: pick(b, "", "DEFERRED", "IMMEDIATE", "EXCLUSIVE")}
	case 3:
		return &sql.Commit{}
	case 4:
		return &sql.Rollback{To: optional(b, b.label)}
	case 5:
		return &sql.Savepoint{Name: b.label()}
	case 6:
		return &sql.Release{Name: b.label()}
	case 7:
		value := pick[sql.Expr](b, nil, &sql.Column{Name: &sql.Name{Value: "FULL"}},
			&sql.Literal{Kind: sql.Number, Text: "3"})
		return &sql.Pragma{Name: b.object(), Value: value, Call: value != nil && b.maybe()}
	case 8:
		return &sql.Analyze{Target: optional(b, b.object)}
	case 9:
		return &sql.Reindex{Target: optional(b, b.object)}
	case 10:
		return &sql.Vacuum{Schema: optional(b, b.label), Into: optional(b, b.expr)}
	default:
		return &sql.Explain{Plan: b.maybe(), Stmt: b.write()}
	}
}

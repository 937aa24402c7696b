package trees

import "txweave/sql"

func (b *builder) object() *sql.Object {
	return &sql.Object{Schema: optional(b, b.label), Name: b.label()}
}

func (b *builder) create() sql.Stmt {
	if b.my() {
		return b.myCreate()
	}
	temp, not := b.maybe(), b.maybe()
	switch b.n(5) {
	case 0:
		return &sql.CreateTable{Temp: temp, IfNotExists: not, Name: b.object(), As: b.query()}
	case 1:
		return &sql.CreateTable{Temp: temp, IfNotExists: not, Name: b.object(), Columns: some(b, 1, b.columnDef), Constraints: some(b, 0, b.tableConstraint),
			Options: pick(b, nil, []*sql.Option{{Words: "STRICT"}, {Words: "WITHOUT ROWID"}})}
	case 2:
		return &sql.CreateIndex{Unique: temp, IfNotExists: not, Name: b.object(), Table: &sql.Object{Name: b.label()}, Columns: b.orders(), Where: optional(b, b.expr)}
	case 3:
		return &sql.CreateView{Temp: temp, IfNotExists: not, Name: b.object(), Columns: b.labels(0), Query: b.query()}
	default:
		n := &sql.CreateTrigger{Temp: temp, IfNotExists: not, Name: b.object(), Time: pick(b, "", "BEFORE", "AFTER", "INSTEAD OF"), Event: pick(b, "INSERT", "UPDATE", "DELETE"),
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
		return &sql.Default{Name: name, X: pick[sql.Expr](b, b.literal(), &sql.Unary{Op: sql.OpSub, X: &sql.Literal{Kind: sql.Number, Text: "1"}}, &sql.Paren{X: b.expr()})}
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
	return &sql.ForeignKey{Name: name, Columns: columns, Table: &sql.Object{Name: b.label()}, Keys: b.labels(0), OnDelete: pick(b, actions...), OnUpdate: pick(b, actions...),
		Match: optional(b, b.name), Deferrable: pick(b, "", "NOT DEFERRABLE", "DEFERRABLE INITIALLY DEFERRED", "DEFERRABLE INITIALLY IMMEDIATE")}
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

package dialect

import "txweave/sql"

// create reads CREATE and what it creates.
func create(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("CREATE")
	temp := r.OneOf("TEMP", "TEMPORARY") != ""
	switch {
	case r.Accept("TABLE"):
		return createTable(r, temp)
	case r.Accept("VIEW"):
		return createView(r, temp)
	case r.Accept("TRIGGER"):
		return createTrigger(r, temp)
	case temp:
		r.Fail("TABLE, VIEW or TRIGGER is expected")
	case r.Accept("INDEX"):
		return createIndex(r, false)
	case r.Accept("UNIQUE", "INDEX"):
		return createIndex(r, true)
	default:
		r.Fail("of CREATE, a table, an index, a view and a trigger are read")
	}
	return nil
}

func createTable(r *sql.Reader, temp bool) sql.Stmt {
	n := &sql.CreateTable{Temp: temp, IfNotExists: r.IfNotExists(), Name: r.Object()}
	if r.Accept("AS") {
		n.As = r.Query()
		return n
	}
	r.Expect("(")
	n.Columns = append(n.Columns, column(r))
	for r.Accept(",") && !tableConstraintNext(r) {
		n.Columns = append(n.Columns, column(r))
	}
	for tableConstraintNext(r) {
		n.Constraints = append(n.Constraints, tableConstraint(r))
		if r.Accept(",") && !tableConstraintNext(r) {
			r.Fail("behind a table's constraint stands no column")
		}
	}
	r.Expect(")")
	if !r.AtEnd() {
		n.Options = sql.List(r, func() *sql.Option { return tableOption(r) })
	}
	return n
}

func tableOption(r *sql.Reader) *sql.Option {
	from := r.Here()
	switch {
	case r.Accept("STRICT"):
		return sql.Read(r, from, &sql.Option{Words: "STRICT"})
	case r.Accept("WITHOUT", "ROWID"):
		return sql.Read(r, from, &sql.Option{Words: "WITHOUT ROWID"})
	}
	r.Fail("STRICT or WITHOUT ROWID is expected")
	return nil
}

// column reads a column of a table, with its constraints.
func column(r *sql.Reader) *sql.ColumnDef {
	from := r.Here()
	n := &sql.ColumnDef{Name: r.Name(), Type: r.Type()}
	n.Constraints = r.Constraints(unnamed)
	return sql.Read(r, from, n)
}

// unnamed reads a constraint of a column behind its name; nil where none is next.
func unnamed(r *sql.Reader, name *sql.Name) sql.Constraint {
	switch {
	case r.Accept("PRIMARY", "KEY"):
		n := &sql.PrimaryKey{Name: name, Desc: r.OneOf("ASC", "DESC") == "DESC", Conflict: otherwise(r, "ON", "CONFLICT")}
		n.Autoincrement = r.Accept("AUTOINCREMENT")
		return n
	case r.Accept("NOT", "NULL"):
		return &sql.Nullable{Name: name, Not: true, Conflict: otherwise(r, "ON", "CONFLICT")}
	case r.Accept("NULL"):
		return &sql.Nullable{Name: name, Conflict: otherwise(r, "ON", "CONFLICT")}
	case r.Accept("UNIQUE"):
		return &sql.Unique{Name: name, Conflict: otherwise(r, "ON", "CONFLICT")}
	case r.Accept("CHECK"):
		return &sql.Check{Name: name, X: r.InParentheses(), Conflict: otherwise(r, "ON", "CONFLICT")}
	case r.Accept("DEFAULT"):
		return &sql.Default{Name: name, X: value(r)}
	case r.Accept("COLLATE"):
		return &sql.Collation{Name: name, Collation: r.Label()}
	case r.Is("REFERENCES"):
		return r.References(&sql.ForeignKey{Name: name})
	case r.Accept("GENERATED", "ALWAYS", "AS"), r.Accept("AS"):
		return &sql.Generated{Name: name, X: r.InParentheses(), Kept: r.OneOf("STORED", "VIRTUAL")}
	}
	return nil
}

// value reads what stands behind DEFAULT: an expression in parentheses, or a value with its sign.
func value(r *sql.Reader) sql.Expr {
	from := r.Here()
	if r.Is("(") {
		return sql.Read(r, from, &sql.Paren{X: r.InParentheses()})
	}
	return r.Value()
}

func tableConstraintNext(r *sql.Reader) bool {
	return r.Any("CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN")
}

func tableConstraint(r *sql.Reader) sql.Constraint {
	from := r.Here()
	name := r.ConstraintName()
	var c sql.Constraint
	switch {
	case r.Accept("PRIMARY", "KEY"):
		r.Expect("(")
		n := &sql.PrimaryKey{Name: name, Columns: sql.List(r, r.Order), Autoincrement: r.Accept("AUTOINCREMENT")}
		r.Expect(")")
		n.Conflict = otherwise(r, "ON", "CONFLICT")
		c = n
	case r.Accept("UNIQUE"):
		c = &sql.Unique{Name: name, Columns: sql.ParenList(r, r.Order), Conflict: otherwise(r, "ON", "CONFLICT")}
	case r.Accept("CHECK"):
		c = &sql.Check{Name: name, X: r.InParentheses(), Conflict: otherwise(r, "ON", "CONFLICT")}
	case r.Accept("FOREIGN", "KEY"):
		c = r.References(&sql.ForeignKey{Name: name, Columns: r.Names()})
	default:
		r.Fail("a table's constraint is expected")
		return nil
	}
	return sql.Read(r, from, c)
}

func createIndex(r *sql.Reader, unique bool) sql.Stmt {
	n := &sql.CreateIndex{Unique: unique, IfNotExists: r.IfNotExists(), Name: r.Object()}
	r.Expect("ON")
	at := r.Here()
	n.Table = sql.Read(r, at, &sql.Object{Name: r.Name()})
	n.Columns = sql.ParenList(r, r.Order)
	n.Where = r.Where()
	return n
}

func createView(r *sql.Reader, temp bool) sql.Stmt {
	n := &sql.CreateView{Temp: temp, IfNotExists: r.IfNotExists(), Name: r.Object(), Columns: r.OptionalNames()}
	r.Expect("AS")
	n.Query = r.Query()
	return n
}

func createTrigger(r *sql.Reader, temp bool) sql.Stmt {
	n := &sql.CreateTrigger{Temp: temp, IfNotExists: r.IfNotExists(), Name: r.Object()}
	if r.Accept("INSTEAD", "OF") {
		n.Time = "INSTEAD OF"
	} else {
		n.Time = r.OneOf("BEFORE", "AFTER")
	}
	if n.Event = r.OneOf("DELETE", "INSERT", "UPDATE"); n.Event == "" {
		r.Fail("DELETE, INSERT or UPDATE is expected")
	}
	if n.Event == "UPDATE" && r.Accept("OF") {
		n.Columns = sql.List(r, r.Name)
	}
	r.Expect("ON")
	n.Table = r.Object()
	n.ForEachRow = r.Accept("FOR", "EACH", "ROW")
	if r.Accept("WHEN") {
		n.When = r.Expr()
	}
	n.Body = block(r)
	return n
}

// block reads what a trigger does.
func block(r *sql.Reader) *sql.Block {
	from := r.Here()
	n := &sql.Block{}
	r.Expect("BEGIN")
	for len(n.Stmts) == 0 || !r.Accept("END") {
		if !r.Any("WITH", "SELECT", "VALUES", "INSERT", "REPLACE", "UPDATE", "DELETE") {
			r.Fail("of what a trigger does, queries and writes are read, up to END")
			return n
		}
		n.Stmts = append(n.Stmts, r.Statement())
		r.Expect(";")
	}
	return sql.Read(r, from, n)
}

func alter(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("ALTER", "TABLE")
	n := &sql.AlterTable{Table: r.Object()}
	from := r.Here()
	var action sql.Alteration
	switch {
	case r.Accept("RENAME", "TO"):
		at := r.Here()
		action = &sql.RenameTable{To: sql.Read(r, at, &sql.Object{Name: r.Name()})}
	case r.Accept("RENAME"):
		r.Accept("COLUMN")
		c := &sql.RenameColumn{From: r.Name()}
		r.Expect("TO")
		c.To = r.Name()
		action = c
	case r.Accept("ADD"):
		r.Accept("COLUMN")
		action = &sql.AddColumn{Column: column(r)}
	case r.Accept("DROP"):
		r.Accept("COLUMN")
		action = &sql.DropColumn{Column: r.Name()}
	default:
		r.Fail("of ALTER TABLE, RENAME, ADD and DROP are read")
		return nil
	}
	n.Actions = []sql.Alteration{sql.Read(r, from, action)}
	return n
}

func drop(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("DROP")
	n := &sql.Drop{What: r.OneOf("TABLE", "INDEX", "VIEW", "TRIGGER")}
	if n.What == "" {
		r.Fail("TABLE, INDEX, VIEW or TRIGGER is expected")
	}
	n.IfExists = r.Accept("IF", "EXISTS")
	n.Names = []*sql.Object{r.Object()}
	return n
}

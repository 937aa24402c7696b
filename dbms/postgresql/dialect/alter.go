package dialect

import "txweave/sql"

// alter reads ALTER of a table, or of what is one in some ways, with all that it changes.
func alter(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("ALTER")
	what := r.ExpectPhrase("TABLE, INDEX, VIEW, MATERIALIZED VIEW or SEQUENCE", "TABLE", "INDEX", "VIEW",
		"MATERIALIZED VIEW", "SEQUENCE")
	exists := r.IfExists()
	only := what == "TABLE" && r.Accept("ONLY")
	name := r.Object()
	if what == "SEQUENCE" && !r.Any("RENAME", "SET", "OWNER") {
		n := &sql.Sequence{Alter: true, Exists: exists, Name: name, Options: sequenceOptions(r)}
		if n.Options == nil {
			r.Fail("what becomes of the sequence is expected")
		}
		return n
	}
	n := &sql.AlterTable{What: what, IfExists: exists, Only: only, Table: name}
	if what == "TABLE" {
		n.What = ""
	}
	n.Actions = sql.List(r, func() sql.Alteration {
		from := r.Here()
		a := alteration(r)
		if a == nil {
			r.Fail("of ALTER TABLE, columns, constraints, partitions, names and storage are read")
			return nil
		}
		return sql.Read(r, from, a)
	})
	return n
}

func alteration(r *sql.Reader) sql.Alteration {
	switch {
	case r.Accept("ADD"):
		if constraintNext(r) {
			n := &sql.AddConstraint{Constraint: tableConstraint(r)}
			n.NotValid = r.Accept("NOT", "VALID")
			return n
		}
		r.Accept("COLUMN")
		n := &sql.AddColumn{IfNotExists: r.IfNotExists(), Column: column(r)}
		if n.Column.Type == nil {
			r.Fail("a column has a type")
		}
		return n
	case r.Accept("DROP", "CONSTRAINT"):
		return &sql.DropConstraint{What: "CONSTRAINT", IfExists: r.IfExists(), Name: r.Name(), Cascade: cascade(r)}
	case r.Accept("DROP"):
		r.Accept("COLUMN")
		return &sql.DropColumn{IfExists: r.IfExists(), Column: r.Name(), Cascade: cascade(r)}
	case r.Accept("ALTER"):
		r.Accept("COLUMN")
		return alterColumn(r)
	case r.Accept("RENAME"):
		return renamed(r)
	case r.Accept("ATTACH", "PARTITION"):
		return &sql.AttachPartition{Table: r.Object(), Bound: bound(r)}
	}
	return otherwise(r)
}

// cascade reads whether what hangs on something goes with it.
func cascade(r *sql.Reader) bool { return r.OneOf("CASCADE", "RESTRICT") == "CASCADE" }

func alterColumn(r *sql.Reader) sql.Alteration {
	n := &sql.AlterColumn{Column: r.Name()}
	switch {
	case r.Accept("SET", "DATA", "TYPE"), r.Accept("TYPE"):
		if n.Type = r.Type(); r.Accept("USING") {
			n.X = r.Expr()
		}
	case r.Accept("SET", "DEFAULT"):
		n.X = r.Expr()
	case r.Accept("SET", "STATISTICS"):
		n.What, n.X = "SET STATISTICS", r.Number()
	case r.Accept("SET", "STORAGE"):
		n.What, n.X = "SET STORAGE", r.Word()
	case r.Accept("DROP", "DEFAULT"):
	default:
		n.What = r.ExpectPhrase("what becomes of the column", "SET NOT NULL", "DROP NOT NULL", "DROP IDENTITY IF EXISTS",
			"DROP IDENTITY",
			"DROP EXPRESSION IF EXISTS", "DROP EXPRESSION")
	}
	return n
}

// renamed reads what stands behind RENAME.
func renamed(r *sql.Reader) sql.Alteration {
	if r.Accept("TO") {
		from := r.Here()
		return &sql.RenameTable{To: sql.Read(r, from, &sql.Object{Name: r.Name()})}
	}
	if r.Accept("CONSTRAINT") {
		n := &sql.RenameIndex{Constraint: true, From: r.Name()}
		r.Expect("TO")
		n.To = r.Name()
		return n
	}
	r.Accept("COLUMN")
	n := &sql.RenameColumn{From: r.Name()}
	r.Expect("TO")
	n.To = r.Name()
	return n
}

// otherwise reads a change that is told by its words; nil where none is next.
func otherwise(r *sql.Reader) sql.Alteration {
	o := r.Option("SET LOGGED", "SET UNLOGGED", "SET WITHOUT CLUSTER", "ENABLE TRIGGER ALL", "DISABLE TRIGGER ALL",
		"ENABLE TRIGGER USER",
		"DISABLE TRIGGER USER", "ENABLE ROW LEVEL SECURITY", "DISABLE ROW LEVEL SECURITY", "REPLICA IDENTITY FULL",
		"REPLICA IDENTITY NOTHING",
		"REPLICA IDENTITY DEFAULT")
	if o == nil {
		o = valued(r, func() sql.Expr { return object(r) }, "VALIDATE CONSTRAINT", "SET SCHEMA", "SET TABLESPACE",
			"SET ACCESS METHOD", "OWNER TO",
			"INHERIT", "NO INHERIT", "DETACH PARTITION", "ENABLE TRIGGER", "DISABLE TRIGGER", "CLUSTER ON",
			"REPLICA IDENTITY USING INDEX")
	}
	if o == nil && (r.Is("SET", "(") || r.Is("RESET", "(")) {
		o = valued(r, func() sql.Expr { return settings(r) }, "SET", "RESET")
	}
	if o == nil {
		return nil
	}
	n := &sql.SetOptions{Options: []*sql.Option{o}}
	if o.Words == "DETACH PARTITION" {
		if more := r.Option("CONCURRENTLY", "FINALIZE"); more != nil {
			n.Options = append(n.Options, more)
		}
	}
	return n
}

func drop(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("DROP")
	n := &sql.Drop{What: r.ExpectPhrase("TABLE, INDEX, VIEW, SEQUENCE, TRIGGER, FUNCTION, SCHEMA or DATABASE", "TABLE",
		"INDEX CONCURRENTLY", "INDEX",
		"VIEW", "MATERIALIZED VIEW", "SEQUENCE", "TRIGGER", "FUNCTION", "PROCEDURE", "SCHEMA", "DATABASE")}
	n.IfExists = r.IfExists()
	n.Names = sql.List(r, r.Object)
	if n.What == "TRIGGER" {
		r.Expect("ON")
		n.On = r.Object()
	}
	return withCascade(r, n)
}

// withCascade reads whether what hangs on what is dropped goes with it.
func withCascade(r *sql.Reader, n *sql.Drop) sql.Stmt {
	if o := r.Option("CASCADE"); o != nil {
		n.Options = []*sql.Option{o}
	}
	r.Accept("RESTRICT")
	return n
}

func truncate(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("TRUNCATE")
	r.Accept("TABLE")
	n := &sql.Truncate{Tables: sql.List(r, func() *sql.Table {
		from := r.Here()
		return sql.Read(r, from, r.TableName())
	})}
	if o := r.Option("RESTART IDENTITY", "CONTINUE IDENTITY"); o != nil {
		n.Options = append(n.Options, o)
	}
	if o := r.Option("CASCADE"); o != nil {
		n.Options = append(n.Options, o)
	}
	r.Accept("RESTRICT")
	return n
}

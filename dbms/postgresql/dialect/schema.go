package dialect

import (
	"strings"

	"txweave/sql"
)

// create reads CREATE and what it creates.
func create(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("CREATE")
	replace := r.Accept("OR", "REPLACE")
	switch {
	case r.Accept("FUNCTION"):
		return function(r, replace, false)
	case r.Accept("PROCEDURE"):
		return function(r, replace, true)
	case r.Any("TRIGGER", "CONSTRAINT"):
		return trigger(r, replace)
	}
	temp := temporary(r)
	if r.Accept("VIEW") {
		n := view(r)
		n.OrReplace, n.Temp = replace, temp
		return n
	}
	unlogged := !temp && r.Accept("UNLOGGED")
	switch {
	case replace:
		r.Fail("of CREATE OR REPLACE, a function, a trigger and a view are read")
	case r.Accept("TABLE"):
		n := table(r)
		n.Temp, n.Unlogged = temp, unlogged
		return n
	case unlogged:
		r.Fail("TABLE is expected")
	case r.Accept("SEQUENCE"):
		return &sql.Sequence{Temp: temp, Exists: r.IfNotExists(), Name: r.Object(), Options: sequenceOptions(r)}
	case temp:
		r.Fail("TABLE, VIEW or SEQUENCE is expected")
	case r.Accept("MATERIALIZED", "VIEW"):
		exists := r.IfNotExists()
		n := view(r)
		n.Materialized, n.IfNotExists = true, exists
		return n
	case r.Any("INDEX", "UNIQUE"):
		return index(r)
	case r.Accept("SCHEMA"):
		return &sql.CreateDatabase{Schema: true, IfNotExists: r.IfNotExists(), Name: r.Name()}
	case r.Accept("DATABASE"):
		return &sql.CreateDatabase{Name: r.Name()}
	default:
		r.Fail("of CREATE, a table, an index, a view, a sequence, a trigger, a function, a schema and a database are read")
	}
	return nil
}

func temporary(r *sql.Reader) bool {
	if r.Any("GLOBAL", "LOCAL") {
		r.OneOf("GLOBAL", "LOCAL")
	}
	return r.OneOf("TEMPORARY", "TEMP") != ""
}

func table(r *sql.Reader) *sql.CreateTable {
	n := &sql.CreateTable{IfNotExists: r.IfNotExists(), Name: r.Object()}
	if r.Accept("PARTITION", "OF") {
		n.Of = r.Object()
	}
	listed := r.Accept("(")
	if listed {
		if !r.Is(")") {
			elements(r, n)
		}
		r.Expect(")")
	}
	if n.Of != nil {
		n.Bound = bound(r)
	}
	if r.Accept("INHERITS") {
		n.Inherits = sql.ParenList(r, r.Object)
	}
	if r.Is("PARTITION", "BY") {
		n.Partitions = partitioning(r)
	}
	n.Options = stored(r)
	if r.Accept("AS") {
		n.As = r.Query()
		n.Rows = r.Phrase(withData...)
	} else if !listed && n.Of == nil {
		r.Expect("(")
	}
	for _, c := range n.Columns {
		if (c.Type == nil) != (n.As != nil || n.Of != nil) {
			r.Fail("a column has a type unless a query or another table says it")
		}
	}
	return n
}

// elements reads the columns of a table and its constraints. What LIKE names stands behind the columns, as it is
// printed there.
func elements(r *sql.Reader, n *sql.CreateTable) {
	like := false
	sql.List(r, func() bool {
		if constraintNext(r) {
			c := tableConstraint(r)
			if _, ok := c.(*sql.TableLike); ok {
				like = true
			}
			n.Constraints = append(n.Constraints, c)
			return true
		}
		if like {
			r.Fail("a column behind LIKE is not read")
		}
		n.Columns = append(n.Columns, column(r))
		return true
	})
}

// name reads a name, as a value.
func name(r *sql.Reader) sql.Expr {
	from := r.Here()
	return sql.Read[sql.Expr](r, from, &sql.Column{Name: r.Name()})
}

// settings reads parameters in parentheses: each a name, and what it is set to.
func settings(r *sql.Reader) sql.Expr {
	from := r.Here()
	return sql.Read[sql.Expr](r, from, &sql.Row{Items: sql.ParenList(r, func() sql.Expr {
		from := r.Here()
		x := r.Settable()
		if !r.Accept("=") {
			return x
		}
		return sql.Read[sql.Expr](r, from, &sql.Binary{Op: sql.OpEq, Left: x, Right: value(r)})
	})})
}

// valued reads one of the phrases with what one reads behind it; nil where none is next.
func valued(r *sql.Reader, one func() sql.Expr, phrases ...string) *sql.Option {
	from := r.Here()
	o := r.Option(phrases...)
	if o == nil {
		return nil
	}
	return sql.Read(r, from, &sql.Option{Words: o.Words, Value: one()})
}

// object reads the name of something in the schema, as a value.
func object(r *sql.Reader) sql.Expr { return r.Settable() }

// stored reads how a table, or what a query makes, is kept.
func stored(r *sql.Reader) (out []*sql.Option) {
	for {
		o := valued(r, func() sql.Expr { return name(r) }, "USING", "TABLESPACE")
		if o == nil && r.Is("WITH", "(") {
			o = valued(r, func() sql.Expr { return settings(r) }, "WITH")
		}
		if o == nil {
			o = r.Option("ON COMMIT DROP", "ON COMMIT DELETE ROWS", "ON COMMIT PRESERVE ROWS", "WITHOUT OIDS")
		}
		if o == nil {
			return out
		}
		out = append(out, o)
	}
}

// bound reads which rows a partition has.
func bound(r *sql.Reader) *sql.PartitionBound {
	from := r.Here()
	if r.Accept("DEFAULT") {
		return sql.Read(r, from, &sql.PartitionBound{How: "DEFAULT"})
	}
	r.Expect("FOR", "VALUES")
	n := &sql.PartitionBound{How: r.ExpectPhrase("IN, FROM or WITH", "IN", "FROM", "WITH")}
	if n.How == "WITH" {
		n.From = sql.ParenList(r, func() sql.Expr {
			from := r.Here()
			return sql.Read[sql.Expr](r, from, &sql.Worded{Word: r.ExpectPhrase("MODULUS or REMAINDER", "MODULUS", "REMAINDER"),
				X: r.Number()})
		})
		return sql.Read(r, from, n)
	}
	n.From = sql.ParenList(r, r.Expr)
	if n.How == "FROM" {
		r.Expect("TO")
		n.To = sql.ParenList(r, r.Expr)
	}
	return sql.Read(r, from, n)
}

func partitioning(r *sql.Reader) *sql.Partitioning {
	from := r.Here()
	r.Expect("PARTITION", "BY")
	n := &sql.Partitioning{How: r.ExpectPhrase("RANGE, LIST or HASH", "RANGE", "LIST", "HASH")}
	n.X = sql.ParenList(r, func() sql.Expr { return indexed(r) })
	return sql.Read(r, from, n)
}

func index(r *sql.Reader) sql.Stmt {
	n := &sql.CreateIndex{Unique: r.Accept("UNIQUE")}
	r.Expect("INDEX")
	n.Kind = r.OneOf("CONCURRENTLY")
	if n.IfNotExists = r.IfNotExists(); n.IfNotExists || !r.Is("ON") {
		from := r.Here()
		n.Name = sql.Read(r, from, &sql.Object{Name: r.Name()})
	}
	r.Expect("ON")
	n.Only = r.Accept("ONLY")
	n.Table, n.Using = r.Object(), using(r)
	n.Columns = sql.ParenList(r, func() *sql.Order { return keyPart(r) })
	n.Options, n.Where = keyOptions(r), r.Where()
	return n
}

func view(r *sql.Reader) *sql.CreateView {
	n := &sql.CreateView{Name: r.Object(), Columns: r.OptionalNames(), Options: stored(r)}
	r.Expect("AS")
	n.Query = r.Query()
	n.Check = r.Phrase(append([]string{"WITH CHECK OPTION", "WITH CASCADED CHECK OPTION", "WITH LOCAL CHECK OPTION"},
		withData...)...)
	return n
}

func trigger(r *sql.Reader, replace bool) sql.Stmt {
	n := &sql.CreateTrigger{OrReplace: replace, Constraint: r.Accept("CONSTRAINT")}
	r.Expect("TRIGGER")
	n.Name = r.Object()
	n.Time = r.ExpectPhrase("BEFORE, AFTER or INSTEAD OF", "BEFORE", "AFTER", "INSTEAD OF")
	n.Event, n.Columns = events(r)
	r.Expect("ON")
	n.Table = r.Object()
	n.Deferrable = r.Deferrable()
	for r.Accept("REFERENCING") || len(n.Referencing) > 0 && r.Any("OLD", "NEW") {
		from := r.Here()
		words := r.ExpectPhrase("OLD TABLE or NEW TABLE", "OLD TABLE", "NEW TABLE")
		r.Accept("AS")
		n.Referencing = append(n.Referencing, sql.Read(r, from, &sql.Option{Words: words + " AS", Value: name(r)}))
	}
	if r.Accept("FOR") {
		r.Accept("EACH")
		n.ForEachRow = r.ExpectPhrase("ROW or STATEMENT", "ROW", "STATEMENT") == "ROW"
	}
	if r.Accept("WHEN") {
		n.When = r.InParentheses()
	}
	r.Expect("EXECUTE")
	r.ExpectPhrase("FUNCTION or PROCEDURE", "FUNCTION", "PROCEDURE")
	n.Function = r.Called()
	return n
}

// events reads what fires a trigger, an UPDATE of columns as the last.
func events(r *sql.Reader) (string, []*sql.Name) {
	var words, last []string
	var columns []*sql.Name
	for first := true; first || r.Accept("OR"); first = false {
		word := r.ExpectPhrase("INSERT, UPDATE, DELETE or TRUNCATE", "INSERT", "UPDATE", "DELETE", "TRUNCATE")
		if word == "UPDATE" && r.Accept("OF") {
			columns, last = sql.List(r, r.Name), []string{word}
		} else {
			words = append(words, word)
		}
	}
	return strings.Join(append(words, last...), " OR "), columns
}

func function(r *sql.Reader, replace, procedure bool) sql.Stmt {
	n := &sql.CreateFunction{OrReplace: replace, Procedure: procedure, Name: r.Object(), Args: parameters(r)}
	if !procedure && r.Accept("RETURNS") {
		if r.Accept("TABLE") {
			n.Table = parameters(r)
			for _, p := range n.Table {
				if p.Name == nil {
					r.Fail("a column of the table has no name")
				}
			}
		} else {
			n.Returns = returned(r)
		}
	}
	for o := functionOption(r); o != nil; o = functionOption(r) {
		n.Options = append(n.Options, o)
	}
	return n
}

// functionOption reads an option of a function; nil for what is none.
func functionOption(r *sql.Reader) *sql.Option {
	if o := valued(r, func() sql.Expr { return text(r) }, "AS"); o != nil {
		return o
	}
	if o := valued(r, r.Number, "COST", "ROWS"); o != nil {
		return o
	}
	if o := valued(r, func() sql.Expr { return plain(r) }, "LANGUAGE", "PARALLEL"); o != nil {
		return o
	}
	if r.Accept("SET") {
		r.Fail("of a function, no settings are read")
	}
	return r.Option("IMMUTABLE", "STABLE", "VOLATILE", "STRICT", "CALLED ON NULL INPUT", "RETURNS NULL ON NULL INPUT",
		"SECURITY DEFINER", "SECURITY INVOKER", "LEAKPROOF", "NOT LEAKPROOF")
}

// returned reads the type that a function returns.
func returned(r *sql.Reader) *sql.Type {
	from := r.Here()
	if !r.Accept("SETOF") {
		return r.Type()
	}
	n := *r.Type()
	n.Words = "SETOF " + n.Words
	return sql.Read(r, from, &n)
}

func parameters(r *sql.Reader) (out []*sql.Parameter) {
	if r.Expect("("); !r.Is(")") {
		out = sql.List(r, func() *sql.Parameter { return parameter(r) })
	}
	r.Expect(")")
	return out
}

func parameter(r *sql.Reader) *sql.Parameter {
	from := r.Here()
	n := &sql.Parameter{Mode: r.OneOf("IN", "OUT", "INOUT", "VARIADIC")}
	n.Name = r.ParameterName()
	n.Type = r.Type()
	if r.OneOf("DEFAULT", "=") != "" {
		n.Default = r.Expr()
	}
	return sql.Read(r, from, n)
}

// sequenceOptions reads how a sequence counts.
func sequenceOptions(r *sql.Reader) (out []*sql.Option) {
	for {
		o := valued(r, r.Number, "INCREMENT BY", "INCREMENT", "MINVALUE", "MAXVALUE", "START WITH", "START", "CACHE",
			"RESTART WITH")
		switch {
		case o != nil:
		case r.Is("AS"):
			o = valued(r, func() sql.Expr { return r.Word() }, "AS")
		case r.Is("OWNED"):
			o = valued(r, func() sql.Expr { return object(r) }, "OWNED BY")
		case r.Is("RESTART"):
			o = r.Option("RESTART")
		default:
			o = r.Option("NO MINVALUE", "NO MAXVALUE", "NO CYCLE", "CYCLE")
		}
		if o == nil {
			return out
		}
		out = append(out, o)
	}
}

package dialect

import "txweave/sql"

// statements are the readers of statements by the word that these begin with.
func statements() map[string]func(*sql.Reader, *sql.With) sql.Stmt {
	return map[string]func(*sql.Reader, *sql.With) sql.Stmt{
		"SELECT": query, "VALUES": query,
		"INSERT": insert, "REPLACE": insert, "UPDATE": update, "DELETE": del,
		"CREATE": create, "ALTER": alter, "DROP": drop,
		"BEGIN": begin, "COMMIT": commit, "END": commit, "ROLLBACK": rollback, "SAVEPOINT": savepoint, "RELEASE": release,
		"PRAGMA": pragma, "ANALYZE": analyze, "REINDEX": reindex, "VACUUM": vacuum, "EXPLAIN": explain,
	}
}

func query(r *sql.Reader, with *sql.With) sql.Stmt { return r.QueryWith(with) }

// otherwise reads what is done with a row that a constraint refuses; "" where nothing is said.
func otherwise(r *sql.Reader, words ...string) string {
	if !r.Accept(words...) {
		return ""
	}
	how := r.OneOf("ROLLBACK", "ABORT", "FAIL", "IGNORE", "REPLACE")
	if how == "" {
		r.Fail("ROLLBACK, ABORT, FAIL, IGNORE or REPLACE is expected")
	}
	return how
}

func insert(r *sql.Reader, with *sql.With) sql.Stmt {
	n := &sql.Insert{With: with}
	if n.Replace = r.Accept("REPLACE"); !n.Replace {
		r.Expect("INSERT")
		n.Or = otherwise(r, "OR")
	}
	r.Expect("INTO")
	n.Table = r.Target(false)
	n.Columns = r.OptionalNames()
	if r.Accept("DEFAULT", "VALUES") {
		n.Returning = r.Returning()
		return n
	}
	n.Source = r.Query()
	for r.Is("ON") {
		n.Conflicts = append(n.Conflicts, onConflict(r))
	}
	n.Returning = r.Returning()
	return n
}

func onConflict(r *sql.Reader) *sql.OnConflict {
	from := r.Here()
	n := &sql.OnConflict{}
	r.Expect("ON", "CONFLICT")
	if r.Is("(") {
		n.Target = sql.ParenList(r, r.Order)
		n.TargetWhere = r.Where()
	}
	r.Expect("DO")
	if !r.Accept("NOTHING") {
		r.Expect("UPDATE", "SET")
		n.Set = r.Assigns()
		n.Where = r.Where()
	}
	return sql.Read(r, from, n)
}

func update(r *sql.Reader, with *sql.With) sql.Stmt {
	r.Expect("UPDATE")
	n := &sql.Update{With: with, Or: otherwise(r, "OR"), Table: r.Target(true)}
	r.Expect("SET")
	n.Set = r.Assigns()
	if r.Accept("FROM") {
		n.From = r.From()
	}
	n.Where, n.Returning, n.Order, n.Limit = r.Where(), r.Returning(), r.OrderBy(), r.Limit()
	return n
}

func del(r *sql.Reader, with *sql.With) sql.Stmt {
	r.Expect("DELETE", "FROM")
	n := &sql.Delete{With: with, Table: r.Target(true)}
	n.Where, n.Returning, n.Order, n.Limit = r.Where(), r.Returning(), r.OrderBy(), r.Limit()
	return n
}

func begin(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("BEGIN")
	n := &sql.Begin{Mode: r.OneOf("DEFERRED", "IMMEDIATE", "EXCLUSIVE")}
	r.Accept("TRANSACTION")
	return n
}

func commit(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.OneOf("COMMIT", "END")
	r.Accept("TRANSACTION")
	return &sql.Commit{}
}

func rollback(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("ROLLBACK")
	r.Accept("TRANSACTION")
	n := &sql.Rollback{}
	if r.Accept("TO") {
		n.To = afterSavepoint(r)
	}
	return n
}

// afterSavepoint reads the name of a savepoint behind a word that need not be there.
func afterSavepoint(r *sql.Reader) *sql.Name {
	r.Accept("SAVEPOINT")
	return r.Name()
}

func savepoint(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("SAVEPOINT")
	return &sql.Savepoint{Name: r.Name()}
}

func release(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("RELEASE")
	return &sql.Release{Name: afterSavepoint(r)}
}

func pragma(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("PRAGMA")
	n := &sql.Pragma{Name: r.Object()}
	switch {
	case r.Accept("="):
		n.Value = setting(r)
	case r.Accept("("):
		n.Call, n.Value = true, setting(r)
		r.Expect(")")
	}
	return n
}

// setting reads the value of a PRAGMA: a name or a number. ON, DELETE and DEFAULT are names there.
func setting(r *sql.Reader) sql.Expr {
	from := r.Here()
	name := r.OptionalName()
	if word := r.OneOf("ON", "DELETE", "DEFAULT"); word != "" {
		name = sql.Read(r, from, &sql.Name{Value: word})
	}
	if name == nil {
		return r.Number()
	}
	return sql.Read(r, from, &sql.Column{Name: name})
}

// target reads what a statement is about, where it says so.
func target(r *sql.Reader) *sql.Object {
	if r.AtEnd() {
		return nil
	}
	return r.Object()
}

func analyze(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("ANALYZE")
	return &sql.Analyze{Target: target(r)}
}

func reindex(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("REINDEX")
	return &sql.Reindex{Target: target(r)}
}

func vacuum(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("VACUUM")
	n := &sql.Vacuum{}
	if !r.AtEnd() && !r.Is("INTO") {
		n.Schema = r.Name()
	}
	if r.Accept("INTO") {
		n.Into = r.Expr()
	}
	return n
}

func explain(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("EXPLAIN")
	n := &sql.Explain{Plan: r.Accept("QUERY", "PLAN")}
	if r.Is("EXPLAIN") {
		r.Fail("what EXPLAIN would do is not explained")
	}
	n.Stmt = r.Statement()
	return n
}

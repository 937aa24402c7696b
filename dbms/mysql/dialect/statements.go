package dialect

import (
	"txweave/sql"
)

// statements are the readers of statements by the word that these begin with.
func statements() map[string]func(*sql.Reader, *sql.With) sql.Stmt {
	return map[string]func(*sql.Reader, *sql.With) sql.Stmt{
		"SELECT": query, "VALUES": query, "TABLE": query, "(": query,
		"INSERT": insert, "REPLACE": insert, "UPDATE": update, "DELETE": del, "DO": do,
		"CREATE": create, "ALTER": alter, "DROP": drop, "RENAME": rename, "TRUNCATE": truncate,
		"BEGIN": begin, "START": start, "COMMIT": commit, "ROLLBACK": rollback, "SAVEPOINT": savepoint, "RELEASE": release,
		"SET": set, "LOCK": lock, "UNLOCK": unlock, "XA": xa,
		"ANALYZE": maintain, "OPTIMIZE": maintain, "CHECK": maintain, "REPAIR": maintain, "FLUSH": flush,
		"KILL": kill, "USE": use,
		"EXPLAIN": explain, "DESC": explain, "DESCRIBE": explain,
	}
}

func query(r *sql.Reader, with *sql.With) sql.Stmt { return r.QueryWith(with) }

func insert(r *sql.Reader, _ *sql.With) sql.Stmt {
	n := &sql.Insert{Replace: r.OneOf("INSERT", "REPLACE") == "REPLACE", Hints: r.Hints()}
	n.Priority = r.OneOf("LOW_PRIORITY", "DELAYED", "HIGH_PRIORITY")
	n.Ignore = r.Accept("IGNORE")
	r.Accept("INTO")
	n.Table = r.Target(false)
	if r.Is("(") && !r.QueryNext() {
		r.Expect("(")
		if !r.Is(")") {
			n.Columns = sql.List(r, r.Name)
		}
		r.Expect(")")
	}
	switch {
	case r.Any("VALUES", "VALUE"):
		n.Source = values(r)
	case r.Accept("SET"):
		n.Set = r.Assigns()
	default:
		n.Source = r.Query()
	}
	if n.Source == nil || isValues(n.Source) {
		if r.Accept("AS") {
			n.Row = r.Name()
			n.RowNames = r.OptionalNames()
		}
	}
	if r.Accept("ON", "DUPLICATE", "KEY", "UPDATE") {
		n.Duplicate = r.Assigns()
	}
	n.Returning = r.Returning()
	return n
}

// isValues says whether a query is VALUES alone.
func isValues(q *sql.Query) bool {
	_, ok := q.Body.(*sql.Values)
	return ok
}

// values reads the rows of an INSERT, of which each value may be DEFAULT.
func values(r *sql.Reader) *sql.Query {
	from := r.Here()
	r.OneOf("VALUES", "VALUE")
	v := &sql.Values{Rows: sql.List(r, func() *sql.Row { return insertedRow(r) })}
	return sql.Read(r, from, &sql.Query{Body: sql.Read(r, from, v)})
}

func insertedRow(r *sql.Reader) *sql.Row {
	from := r.Here()
	n := &sql.Row{Word: r.Accept("ROW")}
	r.Expect("(")
	if !r.Is(")") {
		n.Items = sql.List(r, r.ValueOrDefault)
	}
	r.Expect(")")
	return sql.Read(r, from, n)
}

func update(r *sql.Reader, with *sql.With) sql.Stmt {
	r.Expect("UPDATE")
	n := &sql.Update{With: with, Hints: r.Hints(), Priority: r.OneOf("LOW_PRIORITY"), Ignore: r.Accept("IGNORE"),
		Table: r.From()}
	r.Expect("SET")
	n.Set = r.Assigns()
	n.Where, n.Order, n.Limit, n.Returning = r.Where(), r.OrderBy(), r.Limit(), r.Returning()
	return n
}

// del reads DELETE from one table, or from some of those that are joined.
func del(r *sql.Reader, with *sql.With) sql.Stmt {
	r.Expect("DELETE")
	hints, priority, quick, ignore := r.Hints(), r.OneOf("LOW_PRIORITY"), r.Accept("QUICK"), r.Accept("IGNORE")
	joined := &sql.DeleteJoined{With: with, Hints: hints, Priority: priority, Quick: quick, Ignore: ignore}
	if !r.Accept("FROM") {
		joined.Targets = sql.List(r, func() *sql.Table { return target(r) })
		r.Expect("FROM")
		joined.From, joined.Where = r.From(), r.Where()
		return joined
	}
	first := target(r)
	if first == nil || r.Any(",", "USING") || first.All {
		joined.Targets, joined.Using = []*sql.Table{first}, true
		for r.Accept(",") {
			joined.Targets = append(joined.Targets, target(r))
		}
		r.Expect("USING")
		joined.From, joined.Where = r.From(), r.Where()
		return joined
	}
	n := &sql.Delete{With: with, Hints: hints, Priority: priority, Quick: quick, Ignore: ignore, Table: r.Behind(first)}
	n.Where, n.Order, n.Limit, n.Returning = r.Where(), r.OrderBy(), r.Limit(), r.Returning()
	return n
}

// target reads the name of a table from which rows are deleted.
func target(r *sql.Reader) *sql.Table {
	from := r.Here()
	t := &sql.Table{Name: r.Name()}
	if t.All = r.Accept(".", "*"); !t.All && r.Accept(".") {
		t.Schema, t.Name = t.Name, r.WordName()
		t.All = r.Accept(".", "*")
	}
	return sql.Read(r, from, t)
}

func do(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("DO")
	return &sql.Do{Exprs: sql.List(r, r.Expr)}
}

// modes are those of TiDB's transactions.
var modes = []string{"PESSIMISTIC", "OPTIMISTIC"}

func begin(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("BEGIN")
	n := &sql.Begin{Mode: r.OneOf(modes...)}
	r.Accept("WORK")
	return n
}

func start(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("START", "TRANSACTION")
	n := &sql.Begin{Start: true}
	if !r.AtEnd() {
		n.Traits = traits(r)
	}
	return n
}

// traits reads what a transaction is to have.
func traits(r *sql.Reader) []*sql.Option {
	return sql.List(r, func() *sql.Option {
		from := r.Here()
		if r.Accept("READ", "ONLY", "AS", "OF", "TIMESTAMP") {
			return sql.Read(r, from, &sql.Option{Words: "READ ONLY AS OF TIMESTAMP", Value: r.Expr()})
		}
		o := r.Option("WITH CONSISTENT SNAPSHOT", "WITH CAUSAL CONSISTENCY ONLY", "READ ONLY", "READ WRITE",
			"ISOLATION LEVEL READ UNCOMMITTED",
			"ISOLATION LEVEL READ COMMITTED", "ISOLATION LEVEL REPEATABLE READ", "ISOLATION LEVEL SERIALIZABLE")
		if o == nil {
			r.Fail("what a transaction is to have is expected")
		}
		return o
	})
}

// ending reads whether another transaction follows, and whether the session ends.
func ending(r *sql.Reader) (chain, release string) {
	r.Accept("WORK")
	return r.Phrase("AND CHAIN", "AND NO CHAIN"), r.Phrase("RELEASE", "NO RELEASE")
}

func commit(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("COMMIT")
	n := &sql.Commit{}
	n.Chain, n.Release = ending(r)
	return n
}

func rollback(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("ROLLBACK")
	n := &sql.Rollback{}
	n.Chain, n.Release = ending(r)
	if n.Chain+n.Release == "" && r.Accept("TO") {
		r.Accept("SAVEPOINT")
		n.To = r.Name()
	}
	return n
}

func savepoint(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("SAVEPOINT")
	return &sql.Savepoint{Name: r.Name()}
}

func release(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("RELEASE", "SAVEPOINT")
	return &sql.Release{Name: r.Name()}
}

// scopes are whose settings SET changes.
var scopes = []string{"GLOBAL", "SESSION", "LOCAL", "PERSIST_ONLY", "PERSIST"}

// set reads SET: a transaction's traits, or settings.
func set(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("SET")
	for _, scope := range append([]string{""}, scopes[:3]...) {
		if scope == "" && r.Accept("TRANSACTION") || scope != "" && r.Accept(scope, "TRANSACTION") {
			return &sql.SetTransaction{Scope: scope, Traits: traits(r)}
		}
	}
	return &sql.Set{Settings: sql.List(r, func() *sql.Setting { return setting(r) })}
}

func setting(r *sql.Reader) *sql.Setting {
	from := r.Here()
	if words := r.Phrase("CHARACTER SET", "CHAR SET"); words != "" || r.NameBefore("NAMES", "CHARSET") {
		return sql.Read(r, from, characterSet(r, words))
	}
	n := &sql.Setting{Scope: r.OneOf(scopes...), Target: r.Settable()}
	if r.OneOf("=", ":=") == "" {
		r.Expect("=")
	}
	if r.Any("ON", "ALL", "BINARY", "DEFAULT") && r.Alone() {
		n.Value = r.Word()
	} else {
		n.Value = r.Expr()
	}
	return sql.Read(r, from, n)
}

// characterSet reads which one texts have from now on.
func characterSet(r *sql.Reader, words string) *sql.Setting {
	n := &sql.Setting{Scope: "CHARACTER SET"}
	if words == "" && r.OneOf("NAMES", "CHARSET") == "NAMES" {
		n.Scope = "NAMES"
	}
	from := r.Here()
	n.Value = r.Word()
	if r.Accept("COLLATE") {
		n.Value = sql.Read(r, from, sql.Expr(&sql.Collate{X: n.Value, Collation: r.WordName()}))
	}
	return n
}

func lock(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("LOCK")
	r.ExpectPhrase("TABLES", "TABLES", "TABLE")
	return &sql.LockTables{Tables: sql.List(r, func() *sql.TableLock {
		from := r.Here()
		t := r.TableName()
		if r.Accept("AS") || !r.Any("READ", "WRITE", "LOW_PRIORITY") {
			t.Alias = r.Name()
		}
		n := &sql.TableLock{Table: sql.Read(r, from, t)}
		n.How = r.ExpectPhrase("READ or WRITE", "READ LOCAL", "READ", "WRITE CONCURRENT", "WRITE", "LOW_PRIORITY WRITE")
		return sql.Read(r, from, n)
	})}
}

func unlock(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("UNLOCK")
	r.ExpectPhrase("TABLES", "TABLES", "TABLE")
	return &sql.LockTables{}
}

func xa(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("XA")
	n := &sql.XA{Step: r.ExpectPhrase("START, END, PREPARE, COMMIT, ROLLBACK or RECOVER",
		"START", "BEGIN", "END", "PREPARE",
		"COMMIT", "ROLLBACK", "RECOVER")}
	if n.Step != "RECOVER" {
		n.ID = sql.List(r, func() *sql.Literal {
			x, ok := r.Value().(*sql.Literal)
			if !ok {
				r.Fail("the identifier of a transaction is expected")
			}
			return x
		})
	}
	n.More = r.Phrase("ONE PHASE", "JOIN", "RESUME", "SUSPEND FOR MIGRATE", "SUSPEND", "CONVERT XID")
	return n
}

// maintain reads ANALYZE TABLE and the like.
func maintain(r *sql.Reader, _ *sql.With) sql.Stmt {
	n := &sql.Maintain{What: r.OneOf("ANALYZE", "OPTIMIZE", "CHECK", "REPAIR"), Local: r.OneOf("NO_WRITE_TO_BINLOG",
		"LOCAL") != "", How: "TABLE"}
	r.ExpectPhrase("TABLE", "TABLES", "TABLE")
	n.Tables = sql.List(r, r.Object)
	n.More = r.Phrase("FOR UPGRADE", "QUICK", "FAST", "MEDIUM", "EXTENDED", "CHANGED", "PERSISTENT FOR ALL")
	return n
}

func flush(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("FLUSH")
	n := &sql.Maintain{What: "FLUSH", Local: r.OneOf("NO_WRITE_TO_BINLOG", "LOCAL") != "", How: "TABLES"}
	r.ExpectPhrase("TABLES", "TABLES", "TABLE")
	if !r.AtEnd() && !r.Is("WITH") {
		n.Tables = sql.List(r, r.Object)
	}
	n.More = r.Phrase("WITH READ LOCK", "FOR EXPORT")
	return n
}

func kill(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("KILL")
	return &sql.Kill{What: r.Phrase("CONNECTION", "QUERY", "TIDB CONNECTION", "TIDB QUERY", "TIDB"), X: r.Expr()}
}

func use(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("USE")
	return &sql.UseDatabase{Name: r.Name()}
}

// explain reads EXPLAIN of a statement.
func explain(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.ExpectPhrase("EXPLAIN", "EXPLAIN", "DESCRIBE", "DESC")
	n := &sql.Explain{How: r.Phrase("ANALYZE", "EXTENDED", "PARTITIONS")}
	if r.Accept("FORMAT", "=") {
		if n.How != "" {
			n.How += " "
		}
		at := r.Here()
		r.WordName()
		n.How += "FORMAT=" + r.TextFrom(at)
	}
	if r.Any("EXPLAIN", "DESC", "DESCRIBE") {
		r.Fail("what EXPLAIN would do is not explained")
	}
	n.Stmt = r.Statement()
	return n
}

// fetch reads LIMIT, or [OFFSET n ROWS] FETCH FIRST (mariadb.com/kb/en/select-offset-fetch); nil where neither is
// there.
func fetch(r *sql.Reader) *sql.Limit {
	from := r.Here()
	n := &sql.Limit{}
	if r.Accept("OFFSET") {
		n.Offset = r.Value()
		if r.OneOf("ROW", "ROWS") == "" {
			r.Fail("ROW or ROWS is expected")
		}
	}
	if !r.Accept("FETCH") {
		if n.Offset != nil {
			r.Fail("FETCH is expected")
		}
		return r.Limit()
	}
	r.Fetch(n)
	return sql.Read(r, from, n)
}

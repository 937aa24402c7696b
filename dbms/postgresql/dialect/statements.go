package dialect

import (
	"strings"

	"txweave/sql"
)

// statements are the readers of statements by the word that these begin with.
func statements() map[string]func(*sql.Reader, *sql.With) sql.Stmt {
	return map[string]func(*sql.Reader, *sql.With) sql.Stmt{
		"SELECT": query, "VALUES": query, "TABLE": query, "(": query,
		"INSERT": insert, "UPDATE": update, "DELETE": del, "MERGE": merge,
		"CREATE": create, "ALTER": alter, "DROP": drop, "TRUNCATE": truncate,
		"BEGIN": begin, "START": start, "COMMIT": commit, "END": commit, "ROLLBACK": rollback, "ABORT": rollback,
		"PREPARE":   prepare,
		"SAVEPOINT": savepoint, "RELEASE": release, "SET": set, "RESET": reset, "SHOW": show, "LOCK": lock,
		"ANALYZE": analyze, "VACUUM": vacuum, "REINDEX": reindex, "REFRESH": refresh, "EXPLAIN": explain,
	}
}

func query(r *sql.Reader, with *sql.With) sql.Stmt { return r.QueryWith(with) }

func insert(r *sql.Reader, with *sql.With) sql.Stmt {
	r.Expect("INSERT", "INTO")
	n := &sql.Insert{With: with, Table: r.Target(false)}
	if r.Is("(") && !r.QueryNext() {
		n.Columns = r.Names()
	}
	n.Overriding = overriding(r)
	if !r.Accept("DEFAULT", "VALUES") {
		n.Source = r.Query()
	}
	if r.Is("ON") {
		n.Conflicts = []*sql.OnConflict{onConflict(r)}
	}
	n.Returning = r.Returning()
	return n
}

// overriding reads whose values go into an identity column; "" where that is not said.
func overriding(r *sql.Reader) string {
	if !r.Accept("OVERRIDING") {
		return ""
	}
	whose := r.ExpectPhrase("SYSTEM or USER", "SYSTEM", "USER")
	r.Expect("VALUE")
	return whose
}

func onConflict(r *sql.Reader) *sql.OnConflict {
	from := r.Here()
	n := &sql.OnConflict{}
	r.Expect("ON", "CONFLICT")
	switch {
	case r.Is("("):
		n.Target = sql.ParenList(r, func() *sql.Order { return keyPart(r) })
		n.TargetWhere = r.Where()
	case r.Accept("ON", "CONSTRAINT"):
		n.Constraint = r.Name()
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
	n := &sql.Update{With: with, Table: r.Target(true)}
	r.Expect("SET")
	n.Set = r.Assigns()
	if r.Accept("FROM") {
		n.From = r.From()
	}
	n.Where, n.Returning = r.Where(), r.Returning()
	return n
}

func del(r *sql.Reader, with *sql.With) sql.Stmt {
	r.Expect("DELETE", "FROM")
	n := &sql.Delete{With: with, Table: r.Target(true)}
	if r.Accept("USING") {
		n.Using = r.From()
	}
	n.Where, n.Returning = r.Where(), r.Returning()
	return n
}

func merge(r *sql.Reader, with *sql.With) sql.Stmt {
	r.Expect("MERGE", "INTO")
	n := &sql.Merge{With: with, Table: r.Target(true)}
	r.Expect("USING")
	n.Source = r.From()
	if j, ok := n.Source.(*sql.Join); ok && j.Kind == sql.CommaJoin {
		r.Fail("MERGE has one source, or a join")
	}
	r.Expect("ON")
	n.On = r.Expr()
	for len(n.Whens) == 0 || r.Is("WHEN") {
		n.Whens = append(n.Whens, mergeWhen(r))
	}
	n.Returning = r.Returning()
	return n
}

func mergeWhen(r *sql.Reader) *sql.MergeWhen {
	from := r.Here()
	r.Expect("WHEN")
	n := &sql.MergeWhen{Match: r.ExpectPhrase("MATCHED or NOT MATCHED", "MATCHED", "NOT MATCHED BY SOURCE", "NOT MATCHED")}
	if n.Match == "NOT MATCHED" && r.Accept("BY") {
		r.Expect("TARGET")
	}
	if r.Accept("AND") {
		n.Cond = r.Expr()
	}
	r.Expect("THEN")
	if n.Match == "NOT MATCHED" {
		n.Do = r.ExpectPhrase("INSERT or DO NOTHING", "INSERT", "DO NOTHING")
	} else {
		n.Do = r.ExpectPhrase("UPDATE, DELETE or DO NOTHING", "UPDATE", "DELETE", "DO NOTHING")
	}
	switch n.Do {
	case "UPDATE":
		r.Expect("SET")
		n.Set = r.Assigns()
	case "INSERT":
		n.Columns = r.OptionalNames()
		n.Overriding = overriding(r)
		if !r.Accept("DEFAULT", "VALUES") {
			r.Expect("VALUES")
			n.Row = r.Row()
		}
	}
	return sql.Read(r, from, n)
}

func begin(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("BEGIN")
	r.OneOf("WORK", "TRANSACTION")
	return &sql.Begin{Traits: traits(r)}
}

func start(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("START", "TRANSACTION")
	return &sql.Begin{Start: true, Traits: traits(r)}
}

// traits reads what a transaction is to have, with or without commas.
func traits(r *sql.Reader) (out []*sql.Option) {
	for {
		o := r.Option("READ ONLY", "READ WRITE", "NOT DEFERRABLE", "DEFERRABLE", "ISOLATION LEVEL READ UNCOMMITTED",
			"ISOLATION LEVEL READ COMMITTED",
			"ISOLATION LEVEL REPEATABLE READ", "ISOLATION LEVEL SERIALIZABLE")
		if o == nil {
			return out
		}
		if out = append(out, o); r.Accept(",") && !r.Any("READ", "NOT", "DEFERRABLE", "ISOLATION") {
			r.Fail("what a transaction is to have is expected")
		}
	}
}

// ending passes WORK or TRANSACTION, and says whether another transaction follows.
func ending(r *sql.Reader) string {
	r.OneOf("WORK", "TRANSACTION")
	return r.Phrase("AND CHAIN", "AND NO CHAIN")
}

// text reads a text.
func text(r *sql.Reader) *sql.Literal {
	l, ok := r.Value().(*sql.Literal)
	if !ok || l.Kind != sql.Text {
		r.Fail("a text is expected")
	}
	return l
}

func commit(r *sql.Reader, _ *sql.With) sql.Stmt {
	if r.Accept("COMMIT", "PREPARED") {
		return &sql.TwoPhase{Step: "COMMIT PREPARED", ID: text(r)}
	}
	r.OneOf("COMMIT", "END")
	return &sql.Commit{Chain: ending(r)}
}

func rollback(r *sql.Reader, _ *sql.With) sql.Stmt {
	if r.Accept("ROLLBACK", "PREPARED") {
		return &sql.TwoPhase{Step: "ROLLBACK PREPARED", ID: text(r)}
	}
	to := r.OneOf("ROLLBACK", "ABORT") == "ROLLBACK"
	n := &sql.Rollback{Chain: ending(r)}
	if to && n.Chain == "" && r.Accept("TO") {
		r.Accept("SAVEPOINT")
		n.To = r.Name()
	}
	return n
}

func prepare(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("PREPARE", "TRANSACTION")
	return &sql.TwoPhase{Step: "PREPARE TRANSACTION", ID: text(r)}
}

func savepoint(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("SAVEPOINT")
	return &sql.Savepoint{Name: r.Name()}
}

func release(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("RELEASE")
	r.Accept("SAVEPOINT")
	return &sql.Release{Name: r.Name()}
}

// set reads SET: a transaction's traits, when constraints are checked, or a setting.
func set(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("SET")
	switch {
	case r.Accept("CONSTRAINTS"):
		n := &sql.SetConstraints{}
		if !r.Accept("ALL") {
			n.Names = sql.List(r, r.Object)
		}
		n.When = r.ExpectPhrase("DEFERRED or IMMEDIATE", "DEFERRED", "IMMEDIATE")
		return n
	case r.Accept("SESSION", "CHARACTERISTICS", "AS", "TRANSACTION"):
		return &sql.SetTransaction{Scope: "SESSION CHARACTERISTICS AS", Traits: someTraits(r)}
	}
	from := r.Here()
	scope := ""
	if !r.Is("SESSION", "AUTHORIZATION") {
		scope = r.OneOf("LOCAL", "SESSION")
	}
	if r.Accept("TRANSACTION") {
		return &sql.SetTransaction{Scope: scope, Traits: someTraits(r)}
	}
	return &sql.Set{Settings: []*sql.Setting{sql.Read(r, from, setting(r, scope))}}
}

func someTraits(r *sql.Reader) []*sql.Option {
	from := r.Here()
	if r.Accept("SNAPSHOT") {
		return []*sql.Option{sql.Read(r, from, &sql.Option{Words: "SNAPSHOT", Value: text(r)})}
	}
	out := traits(r)
	if out == nil {
		r.Fail("what a transaction is to have is expected")
	}
	return out
}

func setting(r *sql.Reader, scope string) *sql.Setting {
	n := &sql.Setting{Scope: scope}
	words := ""
	if r.NameBefore("TIME", "ROLE", "NAMES", "SCHEMA", "SESSION") && !r.Is("ROLE", "TO") {
		words = r.Phrase("TIME ZONE", "ROLE", "NAMES", "SCHEMA", "SESSION AUTHORIZATION")
	}
	if words != "" {
		n.Scope = strings.TrimSpace(scope + " " + words)
		switch {
		case words == "TIME ZONE":
			n.Value = value(r)
		case r.Is("DEFAULT"):
			n.Value = r.Word()
		default:
			n.Value = plain(r)
		}
		return n
	}
	n.Target = r.Settable()
	r.ExpectPhrase("TO or =", "TO", "=")
	n.Value = value(r)
	for r.Accept(",") {
		n.More = append(n.More, value(r))
	}
	return n
}

// value reads what a setting or an option is set to: a word, a text or a number with its sign.
func value(r *sql.Reader) sql.Expr {
	if r.PlainNext() && !r.Is("INTERVAL") || r.Any("TRUE", "FALSE", "ON", "DEFAULT") {
		return r.Word()
	}
	switch x := r.Value().(type) {
	case *sql.Literal:
		if x.Kind != sql.Null {
			return x
		}
	case *sql.Unary:
		if l, ok := x.X.(*sql.Literal); ok && l.Kind == sql.Number {
			return x
		}
	case *sql.Interval:
		return x
	}
	r.Fail("a word, a text or a number is expected")
	return nil
}

// plain reads a word that is not reserved, or a text.
func plain(r *sql.Reader) sql.Expr {
	if r.PlainNext() {
		return r.Word()
	}
	return text(r)
}

// target reads the name of a setting; nil for all of them.
func target(r *sql.Reader) sql.Expr {
	from := r.Here()
	if r.Accept("ALL") {
		return nil
	}
	if words := r.Phrase("TIME ZONE", "SESSION AUTHORIZATION", "TRANSACTION ISOLATION LEVEL"); words != "" {
		return sql.Read[sql.Expr](r, from, &sql.Niladic{Word: words})
	}
	return r.Settable()
}

func reset(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("RESET")
	return &sql.Reset{Target: target(r)}
}

func show(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("SHOW")
	return &sql.Show{Target: target(r)}
}

func lock(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("LOCK")
	r.Accept("TABLE")
	n := &sql.LockTables{Tables: sql.List(r, func() *sql.TableLock {
		from := r.Here()
		return sql.Read(r, from, &sql.TableLock{Table: sql.Read(r, from, r.TableName())})
	})}
	if r.Accept("IN") {
		n.Mode = r.ExpectPhrase("the mode of a lock", "ACCESS SHARE", "ROW SHARE", "ROW EXCLUSIVE", "SHARE UPDATE EXCLUSIVE",
			"SHARE ROW EXCLUSIVE", "SHARE",
			"EXCLUSIVE", "ACCESS EXCLUSIVE")
		r.Expect("MODE")
	}
	n.NoWait = r.Accept("NOWAIT")
	return n
}

// options reads options in parentheses, in upper case but for texts; "" where none are there.
func options(r *sql.Reader) string {
	if !r.Is("(") || r.QueryNext() {
		return ""
	}
	list := sql.ParenList(r, func() string {
		at := r.Here()
		if !r.PlainNext() && !r.Is("ANALYZE") {
			r.Fail("an option is expected")
		}
		r.WordName()
		out := strings.ToUpper(r.TextFrom(at))
		if r.Any(",", ")") {
			return out
		}
		at = r.Here()
		v := value(r)
		said := r.TextFrom(at)
		if _, word := v.(*sql.Column); word {
			said = strings.ToUpper(said)
		}
		return out + " " + said
	})
	return "(" + strings.Join(list, ", ") + ")"
}

// several passes each of the words that is next, once and in this order.
func several(r *sql.Reader, words ...string) string {
	var out []string
	for _, w := range words {
		if r.Accept(w) {
			out = append(out, w)
		}
	}
	return strings.Join(out, " ")
}

// maintained reads which tables a statement is about; nil for all.
func maintained(r *sql.Reader) []*sql.Object {
	if r.AtEnd() {
		return nil
	}
	return sql.List(r, r.Object)
}

func analyze(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("ANALYZE")
	n := &sql.Maintain{What: "ANALYZE", How: options(r)}
	if n.How == "" {
		n.How = r.OneOf("VERBOSE")
	}
	n.Tables = maintained(r)
	return n
}

func vacuum(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("VACUUM")
	n := &sql.Maintain{What: "VACUUM", How: options(r)}
	if n.How == "" {
		n.How = several(r, "FULL", "FREEZE", "VERBOSE", "ANALYZE")
	}
	n.Tables = maintained(r)
	return n
}

func reindex(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("REINDEX")
	n := &sql.Maintain{What: "REINDEX", How: options(r)}
	n.How = strings.TrimSpace(n.How + " " + r.ExpectPhrase("INDEX, TABLE, SCHEMA, DATABASE or SYSTEM", "INDEX", "TABLE",
		"SCHEMA", "DATABASE", "SYSTEM"))
	if r.Accept("CONCURRENTLY") {
		n.How += " CONCURRENTLY"
	}
	n.Tables = []*sql.Object{r.Object()}
	return n
}

func refresh(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("REFRESH", "MATERIALIZED", "VIEW")
	return &sql.Maintain{What: "REFRESH MATERIALIZED VIEW", How: r.OneOf("CONCURRENTLY"),
		Tables: []*sql.Object{r.Object()}, More: r.Phrase(withData...)}
}

var withData = []string{"WITH DATA", "WITH NO DATA"}

// explain reads EXPLAIN of a statement.
func explain(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("EXPLAIN")
	n := &sql.Explain{How: options(r)}
	if n.How == "" {
		n.How = several(r, "ANALYZE", "VERBOSE")
	}
	if !r.Any("SELECT", "VALUES", "TABLE", "WITH", "(", "INSERT", "UPDATE", "DELETE", "MERGE", "CREATE", "REFRESH") {
		r.Fail("a query or a write is expected")
	}
	n.Stmt = r.Statement()
	return n
}

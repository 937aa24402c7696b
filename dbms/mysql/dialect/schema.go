package dialect

import (
	"slices"

	"txweave/sql"
)

// create reads CREATE and what it creates.
func create(r *sql.Reader, _ *sql.With) sql.Stmt {
	r.Expect("CREATE")
	replace := r.Accept("OR", "REPLACE")
	temp := r.Accept("TEMPORARY")
	switch {
	case r.Accept("TABLE"):
		return createTable(r, replace, temp)
	case temp:
		r.Fail("TABLE is expected")
		return nil
	case r.Any("DATABASE", "SCHEMA"):
		r.OneOf("DATABASE", "SCHEMA")
		n := &sql.CreateDatabase{OrReplace: replace, IfNotExists: r.IfNotExists(), Name: r.Name()}
		n.Options = options(r, databaseOptions)
		return n
	case r.Any("UNIQUE", "FULLTEXT", "SPATIAL", "INDEX"):
		return createIndex(r, replace)
	}
	algorithm := ""
	if r.Accept("ALGORITHM", "=") {
		algorithm = r.ExpectPhrase("UNDEFINED, MERGE or TEMPTABLE", "UNDEFINED", "MERGE", "TEMPTABLE")
	}
	by := definer(r)
	security := ""
	if r.Accept("SQL", "SECURITY") {
		security = r.ExpectPhrase("DEFINER or INVOKER", "DEFINER", "INVOKER")
	}
	switch {
	case r.Accept("VIEW"):
		n := createView(r)
		n.OrReplace, n.Algorithm, n.Definer, n.Security = replace, algorithm, by, security
		return n
	case algorithm+security == "" && r.Accept("TRIGGER"):
		n := createTrigger(r)
		n.OrReplace, n.Definer = replace, by
		return n
	}
	r.Fail("of CREATE, a table, an index, a view, a trigger and a database are read")
	return nil
}

// definer reads whose rights a view or a trigger has; nil where it is not said.
func definer(r *sql.Reader) *sql.Definer {
	from := r.Here()
	if !r.Accept("DEFINER", "=") {
		return nil
	}
	at := r.Here()
	r.WordName()
	if !r.Accept("(", ")") {
		r.AcceptVariable()
	}
	return sql.Read(r, from, &sql.Definer{User: r.TextFrom(at)})
}

func createTable(r *sql.Reader, replace, temp bool) sql.Stmt {
	n := &sql.CreateTable{OrReplace: replace, Temp: temp, IfNotExists: r.IfNotExists(), Name: r.Object()}
	switch {
	case r.Accept("LIKE"):
		n.Like = r.Object()
		return n
	case r.Accept("(", "LIKE"):
		n.Like = r.Object()
		r.Expect(")")
		return n
	case r.Is("(") && !r.QueryNext():
		r.Expect("(")
		sql.List(r, func() bool {
			if constraintNext(r) {
				n.Constraints = append(n.Constraints, tableConstraint(r))
			} else {
				n.Columns = append(n.Columns, column(r))
			}
			return true
		})
		r.Expect(")")
	}
	n.Options = options(r, tableOptions)
	if r.Is("PARTITION", "BY") {
		n.Partitions = partitioning(r, false)
	}
	n.Rows = r.OneOf("IGNORE", "REPLACE")
	as := r.Accept("AS")
	if as || !r.AtEnd() {
		n.As = r.Query()
	}
	return n
}

// Options of tables, databases, keys and partitions, those with a value before those without.
var (
	databaseOptions = []string{"DEFAULT CHARACTER SET", "CHARACTER SET", "DEFAULT CHARSET", "CHARSET", "DEFAULT COLLATE",
		"COLLATE", "ENCRYPTION"}
	tableOptions = append(slices.Clone(databaseOptions), "ENGINE", "AUTO_INCREMENT", "ROW_FORMAT", "KEY_BLOCK_SIZE",
		"COMMENT", "AVG_ROW_LENGTH",
		"CHECKSUM", "MAX_ROWS", "MIN_ROWS", "PACK_KEYS", "STATS_PERSISTENT", "STATS_AUTO_RECALC", "STATS_SAMPLE_PAGES",
		"DELAY_KEY_WRITE",
		"COMPRESSION", "INSERT_METHOD", "TABLESPACE", "PAGE_COMPRESSED", "PAGE_COMPRESSION_LEVEL", "PAGE_CHECKSUM",
		"TRANSACTIONAL", "ENCRYPTED",
		"ENCRYPTION_KEY_ID", "AUTO_ID_CACHE", "AUTO_RANDOM_BASE", "SHARD_ROW_ID_BITS", "PRE_SPLIT_REGIONS", "SEQUENCE",
		"DATA DIRECTORY",
		"INDEX DIRECTORY", "AUTOEXTEND_SIZE", "SECONDARY_ENGINE")
	keyOptions       = []string{"KEY_BLOCK_SIZE", "COMMENT", "WITH PARSER"}
	partitionOptions = []string{"STORAGE ENGINE", "ENGINE", "COMMENT", "DATA DIRECTORY", "INDEX DIRECTORY", "MAX_ROWS",
		"MIN_ROWS", "TABLESPACE"}
	changeOptions = []string{"ALGORITHM", "LOCK"}

	tableWords = []string{"WITH SYSTEM VERSIONING"}
	keyWords   = []string{"USING BTREE", "USING HASH", "USING RTREE", "INVISIBLE", "VISIBLE", "IGNORED", "NOT IGNORED",
		"CLUSTERED", "NONCLUSTERED", "GLOBAL", "LOCAL"}

	// MariaDB may say how long CREATE INDEX waits for the table (mariadb.com/kb/en/wait-and-nowait).
	indexOptions = append(slices.Clone(keyOptions), "WAIT")
	indexWords   = append(slices.Clone(keyWords), "NOWAIT")
)

// option reads an option with a value, or one of the words without; nil where none is next.
func option(r *sql.Reader, valued, words []string) *sql.Option {
	from := r.Here()
	if o := r.Option(words...); o != nil {
		return o
	}
	o := r.Option(valued...)
	if o == nil {
		return nil
	}
	c := &sql.Option{Words: o.Words}
	r.Accept("=")
	c.Value = optionValue(r)
	return sql.Read(r, from, c)
}

// optionValue reads what an option is set to: a number, a text or a word.
func optionValue(r *sql.Reader) sql.Expr {
	if r.WordNext() {
		return r.Word()
	}
	return r.Value()
}

// options reads options of a table or a database, which commas may divide.
func options(r *sql.Reader, valued []string) (out []*sql.Option) {
	for {
		comma := len(out) > 0 && r.Accept(",")
		o := option(r, valued, tableWords)
		if o == nil {
			if comma {
				r.Fail("an option is expected")
			}
			return out
		}
		out = append(out, o)
	}
}

// column reads a column of a table, with all that is said of it.
func column(r *sql.Reader) *sql.ColumnDef {
	from := r.Here()
	n := &sql.ColumnDef{Name: r.Name(), Type: r.Type()}
	for {
		c := columnConstraint(r)
		if c == nil {
			return sql.Read(r, from, n)
		}
		n.Constraints = append(n.Constraints, c)
	}
}

// columnConstraint reads a constraint or another attribute of a column; nil where none is next.
func columnConstraint(r *sql.Reader) sql.Constraint {
	from := r.Here()
	if r.Is("CONSTRAINT") {
		name := (*sql.Name)(nil)
		if r.Expect("CONSTRAINT"); !r.Is("CHECK") {
			name = r.Name()
		}
		r.Expect("CHECK")
		return sql.Read[sql.Constraint](r, from, check(r, name))
	}
	c := unnamed(r)
	if c == nil {
		return nil
	}
	return sql.Read(r, from, c)
}

// attributes are what a column has by these words alone, and settings what has a value behind its word.
var (
	attributes = []string{
		"AUTO_INCREMENT", "INVISIBLE", "VISIBLE", "WITHOUT SYSTEM VERSIONING", "WITH SYSTEM VERSIONING",
		"SERIAL DEFAULT VALUE", "NOT SECONDARY",
		"AUTO_RANDOM", "REF_SYSTEM_ID",
	}
	settings = []string{"COMMENT", "COLUMN_FORMAT", "STORAGE", "SRID", "ENGINE_ATTRIBUTE"}
)

func unnamed(r *sql.Reader) sql.Constraint {
	switch {
	case r.Accept("NOT", "NULL"):
		return &sql.Nullable{Not: true}
	case r.Accept("NULL"):
		return &sql.Nullable{}
	case r.Accept("DEFAULT"):
		return &sql.Default{X: defaultValue(r)}
	case r.Accept("ON", "UPDATE"):
		return &sql.Attribute{Words: "ON UPDATE", Value: r.Value()}
	case r.Accept("PRIMARY", "KEY"), r.Accept("KEY"):
		n := &sql.PrimaryKey{}
		if o := r.Option("CLUSTERED", "NONCLUSTERED"); o != nil {
			n.Options = []*sql.Option{o}
		}
		return n
	case r.Accept("UNIQUE"):
		r.Accept("KEY")
		return &sql.Unique{}
	case r.Accept("COLLATE"):
		return &sql.Collation{Collation: r.WordName()}
	case r.Is("REFERENCES"):
		return r.References(&sql.ForeignKey{})
	case r.Is("CHECK"):
		r.Expect("CHECK")
		return check(r, nil)
	case r.Accept("GENERATED", "ALWAYS", "AS"), r.Accept("AS"):
		return &sql.Generated{X: r.InParentheses(), Kept: r.OneOf("STORED", "VIRTUAL", "PERSISTENT")}
	}
	if o := r.Option(settings...); o != nil {
		return &sql.Attribute{Words: o.Words, Value: optionValue(r)}
	}
	if o := r.Option(attributes...); o != nil {
		n := &sql.Attribute{Words: o.Words}
		if r.Is("(") {
			from := r.Here()
			n.Value = sql.Read(r, from, sql.Expr(&sql.Row{Items: sql.ParenList(r, r.Number)}))
		}
		return n
	}
	return nil
}

// check reads what stands behind CHECK.
func check(r *sql.Reader, name *sql.Name) sql.Constraint {
	return &sql.Check{Name: name, X: r.InParentheses(), Enforced: r.Phrase("ENFORCED", "NOT ENFORCED")}
}

// defaultValue reads what stands behind DEFAULT: an expression in parentheses, or a value with its sign.
func defaultValue(r *sql.Reader) sql.Expr {
	from := r.Here()
	if r.Is("(") {
		return sql.Read[sql.Expr](r, from, &sql.Paren{X: r.InParentheses()})
	}
	return r.Value()
}

// constraintNext says whether a constraint or an index of a table is next, and no column. MySQL's words for them are
// reserved.
func constraintNext(r *sql.Reader) bool {
	return r.Any("CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN", "INDEX", "KEY", "FULLTEXT", "SPATIAL")
}

// tableConstraint reads a constraint or an index of a table.
func tableConstraint(r *sql.Reader) sql.Constraint {
	from := r.Here()
	var name *sql.Name
	if r.Accept("CONSTRAINT") && !r.Any("PRIMARY", "UNIQUE", "FOREIGN", "CHECK") {
		name = r.Name()
	}
	var c sql.Constraint
	switch {
	case r.Accept("PRIMARY", "KEY"):
		n := &sql.PrimaryKey{Name: name}
		_, n.Using, n.Columns, n.Options = keyed(r, false)
		c = n
	case r.Accept("UNIQUE"):
		r.OneOf("INDEX", "KEY")
		n := &sql.Unique{Name: name}
		n.Index, n.Using, n.Columns, n.Options = keyed(r, true)
		c = n
	case r.Accept("FOREIGN", "KEY"):
		n := &sql.ForeignKey{Name: name}
		if !r.Is("(") {
			n.Index = r.Name()
		}
		n.Columns = r.Names()
		c = r.References(n)
	case r.Accept("CHECK"):
		c = check(r, name)
	case name != nil:
		r.Fail("a constraint is expected behind its name")
		return nil
	default:
		n := &sql.Index{Kind: r.OneOf("FULLTEXT", "SPATIAL")}
		if r.OneOf("INDEX", "KEY") == "" && n.Kind == "" {
			r.Fail("a constraint or an index is expected")
			return nil
		}
		n.IfNotExists = r.IfNotExists()
		n.Name, n.Using, n.Columns, n.Options = keyed(r, true)
		c = n
	}
	return sql.Read(r, from, c)
}

// keyed reads the name of an index where it may have one, its columns, and what stands around them.
func keyed(r *sql.Reader, named bool) (name *sql.Name, using string, columns []*sql.Order, options []*sql.Option) {
	if named && !r.Any("(", "USING") {
		name = r.Name()
	}
	if r.Accept("USING") {
		using = r.ExpectPhrase("BTREE or HASH", "BTREE", "HASH", "RTREE")
	}
	columns = sql.ParenList(r, func() *sql.Order { return keyPart(r) })
	for o := option(r, keyOptions, keyWords); o != nil; o = option(r, keyOptions, keyWords) {
		options = append(options, o)
	}
	return name, using, columns, options
}

// keyPart reads a column of an index, the beginning of one, or in parentheses an expression.
func keyPart(r *sql.Reader) *sql.Order {
	from := r.Here()
	n := &sql.Order{}
	if r.Is("(") {
		n.X = sql.Read[sql.Expr](r, from, &sql.Paren{X: r.InParentheses()})
	} else {
		c := sql.Read(r, from, &sql.Column{Name: r.Name()})
		n.X = c
		if r.Accept("(") {
			p := &sql.Prefix{X: c, Length: r.Number()}
			r.Expect(")")
			n.X = sql.Read(r, from, p)
		}
	}
	n.Desc = r.OneOf("ASC", "DESC") == "DESC"
	return sql.Read(r, from, n)
}

func createIndex(r *sql.Reader, replace bool) sql.Stmt {
	n := &sql.CreateIndex{OrReplace: replace, Unique: r.Accept("UNIQUE")}
	if !n.Unique {
		n.Kind = r.OneOf("FULLTEXT", "SPATIAL")
	}
	r.Expect("INDEX")
	n.IfNotExists = r.IfNotExists()
	from := r.Here()
	n.Name = sql.Read(r, from, &sql.Object{Name: r.Name()})
	if r.Accept("USING") {
		n.Using = r.ExpectPhrase("BTREE or HASH", "BTREE", "HASH", "RTREE")
	}
	r.Expect("ON")
	n.Table = r.Object()
	n.Columns = sql.ParenList(r, func() *sql.Order { return keyPart(r) })
	valued := append(slices.Clone(indexOptions), changeOptions...)
	for o := option(r, valued, indexWords); o != nil; o = option(r, valued, indexWords) {
		n.Options = append(n.Options, o)
	}
	return n
}

func createView(r *sql.Reader) *sql.CreateView {
	n := &sql.CreateView{IfNotExists: r.IfNotExists(), Name: r.Object(), Columns: r.OptionalNames()}
	r.Expect("AS")
	n.Query = r.Query()
	n.Check = r.Phrase("WITH CHECK OPTION", "WITH CASCADED CHECK OPTION", "WITH LOCAL CHECK OPTION")
	return n
}

func createTrigger(r *sql.Reader) *sql.CreateTrigger {
	n := &sql.CreateTrigger{IfNotExists: r.IfNotExists(), Name: r.Object()}
	n.Time = r.ExpectPhrase("BEFORE or AFTER", "BEFORE", "AFTER")
	n.Event = r.ExpectPhrase("INSERT, UPDATE or DELETE", "INSERT", "UPDATE", "DELETE")
	r.Expect("ON")
	n.Table = r.Object()
	r.Expect("FOR", "EACH", "ROW")
	n.ForEachRow = true
	if n.Follows = r.OneOf("FOLLOWS", "PRECEDES"); n.Follows != "" {
		n.Other = r.Name()
	}
	if r.Is("BEGIN") {
		n.Body = block(r)
	} else {
		n.Body = step(r)
	}
	return n
}

// block reads what a trigger does.
func block(r *sql.Reader) *sql.Block {
	from := r.Here()
	n := &sql.Block{}
	r.Expect("BEGIN")
	for !r.Accept("END") {
		stmt := step(r)
		if stmt == nil {
			return n
		}
		n.Stmts = append(n.Stmts, stmt)
		r.Expect(";")
	}
	return sql.Read(r, from, n)
}

// step reads one statement of a trigger's.
func step(r *sql.Reader) sql.Stmt {
	if !r.Any("WITH", "SELECT", "(", "INSERT", "REPLACE", "UPDATE", "DELETE", "SET", "DO") {
		r.Fail("of what a trigger does, queries, writes and SET are read, up to END")
		return nil
	}
	return r.Statement()
}

// partitioning reads by what a table is divided, and into what.
func partitioning(r *sql.Reader, below bool) *sql.Partitioning {
	from := r.Here()
	n := &sql.Partitioning{Below: below}
	r.OneOf("PARTITION", "SUBPARTITION")
	r.Expect("BY")
	linear := r.Accept("LINEAR")
	n.How = r.ExpectPhrase("HASH, KEY, RANGE or LIST", "HASH", "KEY", "RANGE COLUMNS", "RANGE", "LIST COLUMNS", "LIST",
		"SYSTEM_TIME")
	if linear {
		n.How = "LINEAR " + n.How
	}
	if r.Is("(") && n.How != "SYSTEM_TIME" {
		r.Expect("(")
		if !r.Is(")") {
			n.X = sql.List(r, r.Expr)
		}
		r.Expect(")")
	}
	if below {
		if r.Accept("SUBPARTITIONS") {
			n.Count = r.Number()
		}
		return sql.Read(r, from, n)
	}
	if r.Accept("PARTITIONS") {
		n.Count = r.Number()
	}
	if r.Is("SUBPARTITION", "BY") {
		n.Sub = partitioning(r, true)
	}
	if r.Is("(", "PARTITION") {
		n.Parts = partitions(r, false)
	}
	return sql.Read(r, from, n)
}

// partitions reads a list of partitions.
func partitions(r *sql.Reader, below bool) []*sql.Partition {
	return sql.ParenList(r, func() *sql.Partition { return partition(r, below) })
}

// limit reads a value that those of a partition are less than.
func limit(r *sql.Reader) sql.Expr {
	from := r.Here()
	if r.Accept("MAXVALUE") {
		return sql.Read(r, from, sql.Expr(&sql.Niladic{Word: "MAXVALUE"}))
	}
	return r.Expr()
}

func partition(r *sql.Reader, below bool) *sql.Partition {
	from := r.Here()
	n := &sql.Partition{Below: below}
	if below {
		r.Expect("SUBPARTITION")
	} else {
		r.Expect("PARTITION")
	}
	n.Name = r.Name()
	switch {
	case r.Accept("VALUES", "LESS", "THAN"):
		n.How = "LESS THAN"
		if r.Is("MAXVALUE") {
			n.Values = []sql.Expr{limit(r)}
		} else {
			n.Values = sql.ParenList(r, func() sql.Expr { return limit(r) })
		}
	case r.Accept("VALUES", "IN"):
		n.How, n.Values = "IN", sql.ParenList(r, r.Expr)
	default:
		n.How = r.OneOf("HISTORY", "CURRENT")
	}
	for o := option(r, partitionOptions, nil); o != nil; o = option(r, partitionOptions, nil) {
		n.Options = append(n.Options, o)
	}
	if r.Is("(", "SUBPARTITION") {
		n.Subs = partitions(r, true)
	}
	return sql.Read(r, from, n)
}

package dialect

import (
	"strings"

	"txweave/sql"
)

// convert reads what stands behind CONVERT.
func convert(r *sql.Reader) sql.Expr {
	r.Expect("(")
	x := r.Expr()
	if r.Accept("USING") {
		n := &sql.Recode{X: x, Charset: r.Word()}
		r.Expect(")")
		return n
	}
	r.Expect(",")
	n := &sql.Cast{X: x, Type: r.Type(), Convert: true}
	if n.Type == nil {
		r.Fail("a type is expected")
	}
	r.Expect(")")
	return n
}

// interval reads what stands behind INTERVAL, which is a function, too.
func interval(r *sql.Reader) sql.Expr {
	if r.Is("(") && r.RowNext() && !r.QueryNext() {
		return r.Named()
	}
	n := &sql.Interval{X: r.Expr(), Unit: r.OneOf(intervals...)}
	if n.Unit == "" {
		r.Fail("the unit of an interval is expected")
	}
	return n
}

// intervals are the units that times are counted in.
var intervals = append(strings.Fields(units), "MICROSECOND", "SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH",
	"QUARTER", "YEAR",
	"SQL_TSI_SECOND", "SQL_TSI_MINUTE", "SQL_TSI_HOUR", "SQL_TSI_DAY", "SQL_TSI_WEEK", "SQL_TSI_MONTH", "SQL_TSI_QUARTER",
	"SQL_TSI_YEAR")

// matching reads what stands behind MATCH.
func matching(r *sql.Reader) sql.Expr {
	n := &sql.Matching{}
	if r.Is("(") {
		n.Columns = sql.ParenList(r, r.Expr)
	} else {
		n.Columns = sql.List(r, r.Expr)
	}
	r.Expect("AGAINST", "(")
	n.X = r.Operand(bitOr)
	if o := r.Option("IN NATURAL LANGUAGE MODE WITH QUERY EXPANSION", "IN NATURAL LANGUAGE MODE", "IN BOOLEAN MODE",
		"WITH QUERY EXPANSION"); o != nil {
		n.Mode = o.Words
	}
	r.Expect(")")
	return n
}

// row reads what stands behind ROW.
func row(r *sql.Reader) sql.Expr {
	return &sql.Row{Word: true, Items: sql.ParenList(r, r.Expr)}
}

// types are the names of types, each with the words that may be behind it.
var types = map[string][]string{
	"DOUBLE": {"PRECISION"}, "CHAR": {"VARYING"}, "CHARACTER": {"VARYING"}, "NCHAR": {"VARYING", "VARCHAR"},
	"LONG":     {"VARCHAR", "VARBINARY"},
	"NATIONAL": {"CHAR VARYING", "CHARACTER VARYING", "CHAR", "CHARACTER", "VARCHAR"}, "SIGNED": {"INTEGER", "INT"},
	"UNSIGNED": {"INTEGER", "INT"},
}

// plainTypes are those of one word.
var plainTypes = strings.Fields(
	`BIT BOOL BOOLEAN TINYINT SMALLINT MEDIUMINT INT INTEGER BIGINT INT1 INT2 INT3 INT4 INT8 MIDDLEINT DECIMAL DEC FIXED NUMERIC
	NUMBER FLOAT FLOAT4 FLOAT8 REAL DATE TIME DATETIME TIMESTAMP YEAR VARCHAR VARCHARACTER NVARCHAR BINARY VARBINARY TINYBLOB BLOB
	MEDIUMBLOB LONGBLOB TINYTEXT TEXT MEDIUMTEXT LONGTEXT ENUM SET JSON SERIAL GEOMETRY POINT LINESTRING POLYGON MULTIPOINT
	MULTILINESTRING MULTIPOLYGON GEOMETRYCOLLECTION GEOMCOLLECTION UUID INET4 INET6 VECTOR XMLTYPE VARCHAR2 CLOB RAW`)

// typeOf reads a type.
func typeOf(r *sql.Reader) *sql.Type {
	from := r.Here()
	n := &sql.Type{Words: r.OneOf(plainTypes...)}
	if n.Words == "" {
		for first, more := range types {
			if !r.Accept(first) {
				continue
			}
			n.Words = first
			if o := r.Option(more...); o != nil {
				n.Words += " " + o.Words
			}
			break
		}
	}
	if n.Words == "" {
		r.Fail("a type is expected")
		return nil
	}
	if r.Is("(") {
		n.Args = sql.ParenList(r, r.Value)
	}
	for {
		word := r.OneOf("UNSIGNED", "SIGNED", "ZEROFILL", "BINARY", "ASCII", "UNICODE", "BYTE", "ARRAY", "COMPRESSED")
		switch {
		case word != "":
			n.After = strings.TrimSpace(n.After + " " + word)
		case n.Charset == nil && (r.Accept("CHARACTER", "SET") || r.Accept("CHARSET")):
			n.Charset = r.WordName()
		default:
			return sql.Read(r, from, n)
		}
	}
}

// tablePlace reads of which partitions and of which time a table is read.
func tablePlace(r *sql.Reader, t *sql.Table) {
	if r.Accept("PARTITION") {
		t.Partitions = r.Names()
	}
	from := r.Here()
	switch {
	case r.Accept("AS", "OF", "TIMESTAMP"):
		t.At = sql.Read(r, from, &sql.Period{How: "AS OF TIMESTAMP", From: r.Expr()})
	case r.Accept("FOR", "SYSTEM_TIME"):
		t.At = sql.Read(r, from, period(r))
	}
}

// period reads what stands behind FOR SYSTEM_TIME.
func period(r *sql.Reader) *sql.Period {
	const of = "FOR SYSTEM_TIME "
	switch {
	case r.Accept("ALL"):
		return &sql.Period{How: of + "ALL"}
	case r.Accept("AS", "OF"):
		return &sql.Period{How: of + "AS OF", From: r.Operand(bitOr)}
	case r.Accept("BETWEEN"):
		n := &sql.Period{How: of + "BETWEEN", From: r.Operand(bitOr)}
		r.Expect("AND")
		n.To = r.Operand(bitOr)
		return n
	}
	r.Expect("FROM")
	n := &sql.Period{How: of + "FROM", From: r.Operand(bitOr)}
	r.Expect("TO")
	n.To = r.Operand(bitOr)
	return n
}

// indexHints reads by which indexes a table is read.
func indexHints(r *sql.Reader) (out []*sql.IndexHint) {
	for r.Any("USE", "FORCE", "IGNORE") {
		from := r.Here()
		n := &sql.IndexHint{How: r.OneOf("USE", "FORCE", "IGNORE") + " INDEX"}
		if r.OneOf("INDEX", "KEY") == "" {
			r.Fail("INDEX is expected")
		}
		if r.Accept("FOR") {
			o := r.Option("JOIN", "ORDER BY", "GROUP BY")
			if o == nil {
				r.Fail("JOIN, ORDER BY or GROUP BY is expected")
				return nil
			}
			n.For = o.Words
		}
		r.Expect("(")
		if !r.Is(")") {
			n.Indexes = sql.List(r, r.WordName)
		}
		r.Expect(")")
		out = append(out, sql.Read(r, from, n))
	}
	return out
}

// tail reads which locks a query takes.
func tail(r *sql.Reader, q *sql.Query) {
	for {
		from := r.Here()
		n := &sql.Lock{}
		switch {
		case r.Accept("FOR", "UPDATE"):
			n.Strength = "UPDATE"
		case r.Accept("FOR", "SHARE"):
			n.Strength = "SHARE"
		case r.Accept("LOCK", "IN", "SHARE", "MODE"):
			n.Strength = "SHARE MODE"
		default:
			return
		}
		if r.Accept("OF") {
			n.Of = sql.List(r, r.Name)
		}
		if o := r.Option("NOWAIT", "SKIP LOCKED", "WAIT"); o != nil {
			n.Wait = o.Words
		}
		if n.Wait == "WAIT" {
			n.Seconds = r.Number()
		}
		q.Locks = append(q.Locks, sql.Read(r, from, n))
	}
}

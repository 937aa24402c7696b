// Package pairs holds the reads of one state against each other, by what they print alone: no row has to be numbered
// for it. Its claim: of two SELECTs that see the same state of a table, a row that one of them returns and whose
// condition of the other is true is among the other's rows, as it is; no two rows have one primary key; and no row is
// returned of which the statement's own condition is not true.
//
// The reads of a transaction see one state where its level promises a snapshot, or keeps what it has read locked, as
// long as the transaction writes nothing in between; elsewhere those of one statement do.
package pairs

import (
	"maps"
	"slices"
	"strings"

	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/oracle"
	"txweave/sql"
	"txweave/sql/sqltext"
)

// Read is a SELECT and what it returned.
type Read struct {
	Name string
	Tree sql.Stmt
	Rows *history.Rows
}

// Find lists what no state of the tables can have answered to reads that see the same one. Of reads that it cannot
// judge it says nothing.
func Find(schema *sqltext.Schema, reads []Read) (out []finding.Difference) {
	var known []*listing
	for i := range reads {
		l := listed(schema, &reads[i])
		if l == nil {
			continue
		}
		if d, wrong := l.itself(); wrong {
			out = append(out, d)
			continue
		}
		for _, other := range known {
			d, wrong := l.against(other)
			if !wrong {
				d, wrong = other.against(l)
			}
			if wrong {
				out = append(out, d)
				break
			}
		}
		known = append(known, l)
	}
	return out
}

// row is what is known of a row, by column in lower case.
type row map[string]history.Value

// listing is a SELECT that lists rows of one table, each by itself.
type listing struct {
	read  *Read
	table *sqltext.Table
	where sql.Expr
	name  string // by which it knows the table, in lower case
	rows  []row
	count int64 // how many rows it says there are, where it lists none; -1
}

// listed is what a read says of its table; nil where it says nothing that is understood.
func listed(schema *sqltext.Schema, r *Read) *listing {
	b, from := ofOneTable(r.Tree)
	if from == nil || r.Rows == nil {
		return nil
	}
	l := &listing{read: r, table: schema.Table(from.Name.Folded()), where: b.Where, name: from.Name.Folded(), count: -1}
	if from.Alias != nil {
		l.name = from.Alias.Folded()
	}
	if l.table == nil || len(l.table.Columns) == 0 {
		return nil
	}
	if isCount(b.Items) {
		if r.Rows.Len() != 1 {
			return nil
		}
		n, ok := r.Rows.Row(0)[0].Int64()
		l.count = n
		return keepIf(l, ok)
	}
	columns, ok := l.columns(b.Items)
	if !ok || r.Rows.Len() > 0 && len(columns) != len(r.Rows.Columns) {
		return nil
	}
	given := l.given(b.Where)
	for i := range r.Rows.Len() {
		one := row{}
		maps.Copy(one, given)
		for at, column := range columns {
			if column != "" {
				one[column] = r.Rows.Row(i)[at]
			}
		}
		l.rows = append(l.rows, one)
	}
	return l
}

// ofOneTable is the body of a query that lists rows of one table, all that meet its WHERE clause, and that table; nil
// for all else.
func ofOneTable(stmt sql.Stmt) (*sql.Select, *sql.Table) {
	q, ok := stmt.(*sql.Query)
	if !ok || q.With != nil || q.Limit != nil || len(q.Locks) > 0 {
		return nil, nil
	}
	b, ok := q.Body.(*sql.Select)
	if !ok || b.Distinct || len(b.On) > 0 || len(b.Group) > 0 || b.Having != nil {
		return nil, nil
	}
	from, ok := b.From.(*sql.Table)
	if !ok || from.Schema != nil || from.At != nil || from.Sample != nil || from.Only || len(from.Partitions) > 0 ||
		len(from.Columns) > 0 {
		return nil, nil
	}
	return b, from
}

func keepIf(l *listing, ok bool) *listing {
	if !ok {
		return nil
	}
	return l
}

// isCount says whether a query prints nothing but how many rows there are.
func isCount(items []*sql.Item) bool {
	if len(items) != 1 {
		return false
	}
	call, ok := items[0].X.(*sql.Call)
	if !ok || call.Over != nil || call.Filter != nil || call.Distinct || call.Name.Folded() != "count" ||
		len(call.Args) != 1 {
		return false
	}
	_, star := call.Args[0].(*sql.Star)
	return star
}

// columns are the columns of the table that a list prints, in their order; "" for another value. ok is false where a
// value is one of several rows, or of no table.
func (l *listing) columns(items []*sql.Item) (out []string, ok bool) {
	for _, i := range items {
		switch x := i.X.(type) {
		case *sql.Star:
			for _, c := range l.table.Columns {
				out = append(out, c.Name)
			}
		case *sql.Column:
			name, own := l.column(x)
			if !own {
				return nil, false
			}
			out = append(out, name)
		case *sql.Literal:
			out = append(out, "")
		default:
			return nil, false
		}
	}
	return out, true
}

// column is the table's column that an expression is.
func (l *listing) column(x *sql.Column) (name string, ok bool) {
	name = x.Name.Folded()
	return name, l.table.Column(name) != nil && x.Schema == nil && (x.Table == nil || x.Table.Folded() == l.name)
}

// given is what a condition says itself of the rows that it is true of: columns of whole numbers that it gives one.
func (l *listing) given(x sql.Expr) row {
	out := row{}
	n, ok := sql.Bare(x).(*sql.Binary)
	switch {
	case x == nil || !ok:
	case n.Op == sql.OpAnd:
		for column, v := range l.given(n.Left) {
			out[column] = v
		}
		for column, v := range l.given(n.Right) {
			out[column] = v
		}
	case n.Op == sql.OpEq:
		c, is := sql.Bare(n.Left).(*sql.Column)
		v, number := integer(n.Right)
		if !is {
			c, is = sql.Bare(n.Right).(*sql.Column)
			v, number = integer(n.Left)
		}
		if !is || !number {
			break
		}
		if name, own := l.column(c); own && whole(l.table.Column(name)) {
			out[name] = v
		}
	}
	return out
}

// key is what is known of a row's primary key; ok is false where not all of it is, or there is none.
func (l *listing) key(r row) (key []history.Value, ok bool) {
	for _, name := range l.table.Key {
		v, known := r[name]
		if !known || v.Kind == history.Null {
			return nil, false
		}
		key = append(key, v)
	}
	return key, len(key) > 0
}

// itself finds what one read says that is not so in any state.
func (l *listing) itself() (d finding.Difference, wrong bool) {
	for i, r := range l.rows {
		if l.truth(l.where, r) == no || l.truth(l.where, r) == neither {
			return l.odd("it returns the row %v, of which its condition is not true", l.show(r)), true
		}
		key, ok := l.key(r)
		if !ok {
			continue
		}
		for _, other := range l.rows[:i] {
			if same, known := l.key(other); known && slices.Equal(key, same) {
				return l.odd("it returns two rows of one primary key, %v and %v", l.show(other), l.show(r)), true
			}
		}
	}
	return d, false
}

func (l *listing) odd(sentence string, args ...any) finding.Difference {
	return finding.Difference{Stmt: l.read.Name, Kind: oracle.Verb(sqltext.Select), What: fault.ReadsDisagree,
		Steps: finding.Sentences{finding.Say(sentence, args...)}}
}

// against finds a row of another read that this one should have, or has otherwise.
func (l *listing) against(other *listing) (d finding.Difference, wrong bool) {
	if l.table != other.table {
		return d, false
	}
	if l.count >= 0 || other.count >= 0 {
		return l.counts(other)
	}
	for _, r := range other.rows {
		key, keyed := other.key(r)
		found := false
		for _, own := range l.rows {
			alike := compatible(own, r)
			found = found || alike
			if mine, known := l.key(own); keyed && known && slices.Equal(key, mine) && !alike {
				return l.odd("it returns the row %v, which %v returned as %v, and the transaction changed nothing in between",
					l.show(own), finding.StmtName(other.read.Name), l.show(r)), true
			}
		}
		if !found && l.truth(l.where, r) == yes {
			return l.odd(
				"it does not return the row %v, which %v returned, though its condition is true of it, and the transaction "+
					"changed nothing in between",
				l.show(r), finding.StmtName(other.read.Name)), true
		}
	}
	return d, false
}

// counts compares how many rows two reads with one condition find.
func (l *listing) counts(other *listing) (d finding.Difference, wrong bool) {
	if l.name != other.name || !sameCondition(l.where, other.where) {
		return d, false
	}
	a, b := l.size(), other.size()
	if a == b {
		return d, false
	}
	d = l.odd("it finds %v rows, and %v found %v with the same condition; the transaction changed nothing in between", a,
		finding.StmtName(other.read.Name), b)
	d.Transaction, d.Replay = finding.Affected(a), finding.Affected(b)
	return d, true
}

// sameCondition says whether two conditions are one of what rows hold and of nothing else.
func sameCondition(a, b sql.Expr) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return sql.Equal(a, b) && !sql.Has(a, func(n sql.Node) bool {
		switch n.(type) {
		case *sql.Call, *sql.Niladic, *sql.Variable, *sql.Query:
			return true
		}
		return false
	})
}

func (l *listing) size() int64 {
	if l.count >= 0 {
		return l.count
	}
	return int64(len(l.rows))
}

// compatible says whether what is known of two rows may be of one. Values that are printed in two ways are not told
// apart.
func compatible(a, b row) bool {
	for column, v := range a {
		w, both := b[column]
		alike := v.Kind == w.Kind || v.Kind == history.Null || w.Kind == history.Null
		if both && alike && v != w {
			return false
		}
	}
	return true
}

// wholeTypes are the types of columns that hold whole numbers and nothing else, and compare as these. YEAR takes 24 for
// 2024.
var wholeTypes = strings.Fields(
	"int integer bigint smallint tinyint mediumint int2 int4 int8 int3 int1 serial bigserial smallserial")

// whole says whether a column holds whole numbers.
func whole(c *sqltext.Column) bool { return slices.Contains(wholeTypes, c.Type) }

// show prints what is known of a row.
func (l *listing) show(r row) string {
	var values []history.Value
	for _, c := range l.table.Columns {
		if v, known := r[c.Name]; known {
			values = append(values, v)
		}
	}
	return history.RowString(values)
}

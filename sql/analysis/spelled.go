package analysis

import (
	"slices"

	"txweave/sql"
)

// Spelled are the rows that an INSERT spells.
type Spelled struct {
	Table   string     // in lower case
	Columns []string   // those that it names, in lower case; nil: none
	Rows    []*sql.Row // of as many values as there are columns, where it names any
}

// SpelledBy returns the rows that INSERT … VALUES, or INSERT … SET, spells; ok is false for all else.
func SpelledBy(stmt sql.Stmt) (s Spelled, ok bool) {
	n, ok := stmt.(*sql.Insert)
	if !ok {
		return s, false
	}
	s.Table = n.Table.Name.Folded()
	if len(n.Table.Partitions) > 0 { // rows of others are refused
		return s, false
	}
	if len(n.Set) > 0 {
		row := &sql.Row{}
		for _, as := range assigned(n.Set) {
			s.Columns = append(s.Columns, as.column.Name.Folded())
			row.Items = append(row.Items, as.value)
		}
		s.Rows = []*sql.Row{row}
		return s, true
	}
	if n.Source == nil {
		return s, false
	}
	values := valuesIn(n.Source)
	if values == nil || n.Overriding != "" {
		return s, false
	}
	for _, name := range n.Columns {
		s.Columns = append(s.Columns, name.Folded())
	}
	s.Rows = values.Rows
	return s, !slices.ContainsFunc(s.Rows, func(r *sql.Row) bool {
		return s.Columns != nil && len(r.Items) != len(s.Columns)
	})
}

// valuesIn are the rows that a query spells, each of which it gives; nil where it is another query.
func valuesIn(q *sql.Query) *sql.Values {
	q = unnested(q)
	values, ok := q.Body.(*sql.Values)
	if !ok || q.With != nil || q.Limit != nil || len(q.Order) > 0 {
		return nil
	}
	return values
}

// Value is what a row has in a column that the INSERT names; nil: nothing is said of it.
func (s *Spelled) Value(row *sql.Row, column string) sql.Expr {
	if i := slices.Index(s.Columns, column); i >= 0 {
		return row.Items[i]
	}
	return nil
}

// Spelling is how a value is spelled that is a literal, or a number behind a minus; "" of all else.
func Spelling(x sql.Expr) string {
	sign := ""
	if u, ok := x.(*sql.Unary); ok && u.Op == sql.OpSub {
		if l, ok := u.X.(*sql.Literal); ok && l.Kind == sql.Number {
			sign, x = "-", l
		}
	}
	if l, ok := x.(*sql.Literal); ok && l.Charset == "" {
		return sign + l.Text
	}
	return ""
}

// Source returns the query whose rows an INSERT … SELECT inserts, each of them; nil where it may leave rows out, or
// does something to those in their way, and where it spells them.
func Source(n *sql.Insert) *sql.Query {
	if n.Source == nil || n.With != nil || n.Ignore || n.Or != "" || n.Replace || len(n.Conflicts)+len(n.Duplicate)+
		len(n.Table.Partitions) > 0 {
		return nil
	}
	if valuesIn(n.Source) != nil {
		return nil
	}
	return n.Source
}

// Opens are the names, in lower case, under which a statement opens tables, each as often as it does so; ctes says that
// it has common table expressions.
func Opens(stmt sql.Stmt) (names []string, ctes bool) {
	var written []*sql.Table // of a DELETE of joined tables, which it names once more
	if n, ok := stmt.(*sql.DeleteJoined); ok {
		written = n.Targets
	}
	sql.Walk(stmt, func(n sql.Node) bool {
		switch n := n.(type) {
		case *sql.Table:
			if slices.Contains(written, n) {
				return false
			}
			if n.Alias != nil {
				names = append(names, n.Alias.Folded())
			} else {
				names = append(names, n.Name.Folded())
			}
		case *sql.With:
			ctes = true
		}
		return true
	})
	return names, ctes
}

// Returned are the names, in lower case, of what a write returns: "" for what is not a column's bare name. It is nil
// for a write that returns nothing.
func Returned(stmt sql.Stmt) (names []string) {
	for _, i := range sql.Returned(stmt) {
		name := ""
		if c, ok := i.X.(*sql.Column); ok && c.Table == nil && i.Alias == nil {
			name = c.Name.Folded()
		}
		names = append(names, name)
	}
	return names
}

// Offered are the values, by column, of the one row that an INSERT … ON CONFLICT DO NOTHING offers; ok is false for any
// other statement.
func Offered(stmt sql.Stmt) (values map[string]sql.Expr, ok bool) {
	s, ok := SpelledBy(stmt)
	if !ok || s.Columns == nil || len(s.Rows) != 1 {
		return nil, false
	}
	n := stmt.(*sql.Insert)
	if len(n.Conflicts) != 1 || n.Conflicts[0].Set != nil || len(n.Returning) > 0 {
		return nil, false
	}
	values = map[string]sql.Expr{}
	for i, c := range s.Columns {
		values[c] = s.Rows[0].Items[i]
	}
	return values, true
}

package analysis

import (
	"slices"
	"strings"

	"txweave/sql"
	"txweave/sql/sqltext"
)

// keys notes which rows the keys of what a statement writes meet: the condition of a row of the target that makes a
// difference to what the statement does, where keys do. Such a row has a value that the statement writes into a unique
// key, or an UPDATE matches it; others neither let it fail nor keep it from writing. That cannot be told where it
// writes values that are no plain literals of the column's kind, or where a key is of expressions.
func (a *analysis) keys(v *collector) (err error) {
	a.KeyAlias = a.Target
	t := a.schema.Table(a.Target)
	if !a.reader.KeysCompare || !a.ChecksUnique || t == nil || v.blocks > 0 || a.SetOrCTE || len(a.Tables) != 1 ||
		slices.Contains(t.Parents, t.Name) || !t.KeysAreColumns() {
		return nil
	}
	switch n := a.stmt.(type) {
	case *sql.Insert:
		return a.insertedKeys(t, n)
	case *sql.Update:
		return a.updatedKeys(t, n)
	}
	return nil
}

// insertedKeys is the condition of rows that have a key of one that an INSERT spells.
func (a *analysis) insertedKeys(t *sqltext.Table, n *sql.Insert) error {
	in, err := a.insertionOf(n)
	decides := func(as assignment) bool {
		name := as.column.Name.Folded()
		return name == sqltext.PKey || slices.Contains(t.Unique, name)
	}
	if err != nil || in.replaces || in.source != nil || len(in.rows) == 0 || len(n.Columns) == 0 ||
		slices.ContainsFunc(in.upsert, decides) {
		return err
	}
	var any []string
	for _, row := range in.rows {
		for _, key := range t.Keys() {
			all, err := a.hold(t, a.Target, key, func(column string) sql.Expr {
				if i := slices.Index(in.columns, column); i >= 0 && i < len(row.Items) {
					return row.Items[i]
				}
				return nil
			})
			if err != nil || slices.Contains(all, "") {
				return err
			}
			any = append(any, strings.Join(all, " AND "))
		}
	}
	a.KeyWhere = strings.Join(any, " OR ")
	return nil
}

// updatedKeys is the condition of rows that an UPDATE matches, or that have a value which it writes into a key.
func (a *analysis) updatedKeys(t *sqltext.Table, n *sql.Update) error {
	from := sourcesOf(n.Table)
	if n.Limit != nil || n.From != nil || len(from) != 1 || n.Where == nil {
		return nil
	}
	where, err := a.reader.Dialect.PrintExpr(n.Where)
	if err != nil {
		return err
	}
	values := map[string]sql.Expr{}
	for _, as := range assigned(n.Set) {
		values[as.column.Name.Folded()] = as.value
	}
	any := []string{"(" + where + ")"}
	for _, key := range t.Deciding() {
		written := slices.DeleteFunc(slices.Clone(key), func(p sqltext.KeyPart) bool { return values[p.Column] == nil })
		all, err := a.hold(t, from[0].alias, written, func(column string) sql.Expr { return values[column] })
		if err != nil || slices.Contains(all, "") {
			return err
		}
		if len(all) > 0 {
			any = append(any, strings.Join(all, " AND "))
		}
	}
	a.KeyWhere, a.KeyAlias = strings.Join(any, " OR "), from[0].alias
	return nil
}

// hold are the conditions that the columns of a key hold what a statement writes into them; "" where the two may
// differ.
func (a *analysis) hold(t *sqltext.Table, alias string, key []sqltext.KeyPart, value func(column string) sql.Expr) (
	all []string, err error) {
	for _, part := range key {
		condition := ""
		switch x := value(part.Column); {
		case IsNull(x):
			condition = alias + "." + part.Column + " IS NULL" // which is taken for a value like others: more than it is
		case storedAlike(t.Column(part.Column), x):
			text, err := a.reader.Dialect.PrintExpr(x)
			if err != nil {
				return nil, err
			}
			condition = alias + "." + part.Column + " = " + text
		}
		all = append(all, condition)
	}
	return all, nil
}

// IsNull says whether a value is the literal NULL.
func IsNull(x sql.Expr) bool {
	l, ok := x.(*sql.Literal)
	return ok && l.Kind == sql.Null
}

// storedAlike says whether a column holds a value as it is spelled.
func storedAlike(c *sqltext.Column, x sql.Expr) bool {
	if c == nil || c.Generated || c.Collation != "" || x == nil {
		return false
	}
	switch c.Class {
	case sqltext.Exact:
		if u, ok := x.(*sql.Unary); ok && u.Op == sql.OpSub {
			x = u.X
		}
		_, ok := integerOf(x)
		return ok
	case sqltext.Text:
		l, ok := x.(*sql.Literal)
		return ok && l.Kind == sql.Text && strings.HasPrefix(l.Text, "'") && !strings.HasSuffix(l.Text, " '")
	}
	return false
}

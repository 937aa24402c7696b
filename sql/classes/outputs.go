package classes

import (
	"slices"

	"txweave/sql"
	"txweave/sql/sqltext"
)

// Output is a column that a query returns, or that a source has.
type Output struct {
	Name  string // in lower case; "" where it has none that a statement could call it by
	Class sqltext.Class
}

// Outputs are the columns of a query in their order; of a set operation each is what it may be in any of its queries.
func (c *Columns) Outputs(q *sql.Query) []Output { return c.body(q.Body) }

func (c *Columns) body(b sql.Body) []Output {
	switch b := b.(type) {
	case *sql.Nested:
		return c.Outputs(b.Query)
	case *sql.Select:
		return c.items(b.Items, b.From)
	case *sql.Whole:
		return c.columnsFrom(b.Table)
	case *sql.Compound:
		return blendAll(c.body(b.Left), c.body(b.Right))
	case *sql.Values:
		var out []Output
		for i, row := range b.Rows {
			var values []Output
			for _, x := range row.Items {
				values = append(values, Output{Class: c.ClassOf(x)})
			}
			if i == 0 {
				out = values
			}
			out = blendAll(out, values)
		}
		return out
	}
	return nil
}

// blendAll are columns with what they may be in another query too.
func blendAll(out, more []Output) []Output {
	for i := range min(len(out), len(more)) {
		out[i].Class = blend(out[i].Class, more[i].Class)
	}
	return out
}

// items are the columns of one query block.
func (c *Columns) items(items []*sql.Item, from sql.TableRef) (out []Output) {
	for _, i := range items {
		if star, ok := i.X.(*sql.Star); ok {
			out = append(out, c.wildcard(from, star.Table.Folded())...)
			continue
		}
		name := i.Alias.Folded()
		if col, ok := i.X.(*sql.Column); ok && name == "" {
			name = col.Name.Folded()
		}
		out = append(out, Output{name, c.ClassOf(i.X)})
	}
	return out
}

// wildcard are the columns that * stands for, or table.*.
func (c *Columns) wildcard(from sql.TableRef, table string) (out []Output) {
	if table == "" {
		return c.columnsFrom(from)
	}
	for _, x := range Leaves(from) {
		if SourceName(x) == table {
			out = append(out, c.columnsFrom(x)...)
		}
	}
	return out
}

// columnsFrom are the columns of a table reference, in the order in which * gives them. Of a query's the classes are
// those that are known of its sources so far.
func (c *Columns) columnsFrom(from sql.TableRef) []Output {
	switch x := from.(type) {
	case *sql.Join:
		return c.joined(x)
	case *sql.ParenTable:
		return c.columnsFrom(x.X)
	case *sql.Derived:
		return renamed(c.Outputs(x.Query), x.Columns)
	case *sql.Table:
		return renamed(c.columnsOf(x.Name.Folded()), x.Columns)
	}
	return nil
}

// columnsOf are those of a table or a common table expression.
func (c *Columns) columnsOf(table string) (out []Output) {
	if cte, ok := c.ctes[table]; ok {
		delete(c.ctes, table) // in its own query the name is that of a table, or of what is not known yet
		defer func() { c.ctes[table] = cte }()
		return c.ofExpression(cte)
	}
	if def := c.schema.Table(table); def != nil {
		for _, col := range def.Columns {
			out = append(out, Output{col.Name, col.Class})
		}
	}
	return out
}

// joined are the columns of a join: those by which NATURAL or USING joins it come once, and first.
func (c *Columns) joined(x *sql.Join) (out []Output) {
	left, right := c.columnsFrom(x.Left), c.columnsFrom(x.Right)
	if x.Kind == sql.RightJoin && (x.Natural || x.Using != nil) {
		left, right = right, left
	}
	for _, name := range sharedColumns(x, left, right) {
		i, j := indexOf(left, name), indexOf(right, name)
		out = append(out, Output{name, blend(left[i].Class, right[j].Class)})
		left, right = slices.Delete(left, i, i+1), slices.Delete(right, j, j+1)
	}
	return slices.Concat(out, left, right)
}

// ofExpression are the columns of a common table expression. Of a recursive one the first query tells, as in SQL: what
// is added to it is made what that one is. Of one that writes those are known that it returns.
func (c *Columns) ofExpression(cte expression) (out []Output) {
	switch x := cte.Body.(type) {
	case *sql.Query:
		body := x.Body
		for {
			union, ok := body.(*sql.Compound)
			if !ok || !cte.recursive {
				break
			}
			body = union.Left
		}
		out = c.body(body)
	case *sql.Insert:
		out = c.items(x.Returning, x.Table)
	case *sql.Update:
		out = c.items(x.Returning, x.Table)
	case *sql.Delete:
		out = c.items(x.Returning, x.Table)
	}
	return renamed(out, cte.Columns)
}

// renamed are columns with the names that a list gives the first of them.
func renamed(out []Output, names []*sql.Name) []Output {
	for i := range min(len(out), len(names)) {
		out[i].Name = names[i].Folded()
	}
	return out
}

// sharedColumns are the columns by which NATURAL or USING joins two sources, which both have them.
func sharedColumns(x *sql.Join, left, right []Output) (names []string) {
	for _, o := range left {
		named := slices.ContainsFunc(x.Using, func(n *sql.Name) bool { return n.Folded() == o.Name })
		if (named || x.Natural) && o.Name != "" && indexOf(right, o.Name) >= 0 && !slices.Contains(names, o.Name) {
			names = append(names, o.Name)
		}
	}
	return names
}

func indexOf(list []Output, name string) int {
	return slices.IndexFunc(list, func(o Output) bool { return o.Name == name })
}

package edits

import (
	"slices"

	"txweave/sql"
	"txweave/sql/classes"
	"txweave/sql/sqltext"
)

// references are the sources, the columns and the names of results of a statement.
type references struct {
	sources []sql.TableRef
	columns []*sql.Column
	items   []*sql.Item
	inserts []*sql.Insert
}

func referencesIn(root sql.Node) *references {
	r := &references{}
	classes.Visit(root, func(n sql.Node) bool {
		switch x := n.(type) {
		case *sql.Table, *sql.Derived, *sql.TableCall:
			r.sources = append(r.sources, x.(sql.TableRef))
		case *sql.ParenTable:
			if x.Alias != nil {
				r.sources = append(r.sources, x)
			}
		case *sql.Column:
			r.columns = append(r.columns, x)
		case *sql.Item:
			r.items = append(r.items, x)
		case *sql.Insert:
			r.inserts = append(r.inserts, x)
		}
		return true
	})
	return r
}

// Aliases returns the names that a statement gives to tables, common table expressions and results, in lower case.
func Aliases(stmt sql.Stmt) (tables, ctes, results []string) {
	add := func(list *[]string, n *sql.Name) {
		if n != nil {
			*list = append(*list, n.Folded())
		}
	}
	classes.Visit(stmt, func(n sql.Node) bool {
		switch x := n.(type) {
		case *sql.Table:
			add(&tables, x.Alias)
		case *sql.Derived:
			add(&tables, x.Alias)
		case *sql.TableCall:
			add(&tables, x.Alias)
		case *sql.ParenTable:
			add(&tables, x.Alias)
		case *sql.CTE:
			add(&ctes, x.Name)
		case *sql.Item:
			add(&results, x.Alias)
		}
		return true
	})
	return tables, ctes, results
}

// qualifiers adds the edits that take the qualifier off a statement's columns, and the alias off a base table: its
// columns then bear its own name, or none. None is tried only where no other source has such a column.
func (e *editor) qualifiers() {
	r := referencesIn(e.root)
	for _, s := range r.sources {
		t, base := s.(*sql.Table)
		if !base {
			continue
		}
		name := classes.SourceName(t)
		refs := r.of(name)
		if (len(refs) > 0 || t.Alias != nil) && e.unambiguous(name, refs, r.sources) {
			e.renamed(t, refs, nil)
		}
		table := classes.TableOf(t)
		sole := !slices.ContainsFunc(r.sources, func(o sql.TableRef) bool { return o != s && classes.TableOf(o) == table })
		if t.Alias != nil && name != table && sole {
			e.renamed(t, refs, t.Name)
		}
	}
}

// of are the columns that have a qualifier.
func (r *references) of(name string) []*sql.Column {
	return slices.DeleteFunc(slices.Clone(r.columns), func(c *sql.Column) bool { return c.Table.Folded() != name })
}

// renamed adds the edit that takes the alias off a table and gives its columns another qualifier, or none. What else
// says the alias, such as a lock clause, is called by the table's name.
func (e *editor) renamed(t *sql.Table, columns []*sql.Column, qualifier *sql.Name) {
	alias := classes.SourceName(t)
	e.edits = append(e.edits, Edit{apply: func() sql.Stmt {
		to := map[sql.Node]sql.Node{t: sql.Edit(t, func(t *sql.Table) { t.Alias = nil })}
		for _, c := range columns {
			to[c] = sql.Edit(c, func(c *sql.Column) { c.Table = qualifier })
		}
		sql.Walk(e.root, func(n sql.Node) bool {
			switch x := n.(type) {
			case *sql.Star:
				if x.Table.Folded() == alias {
					to[x] = sql.Edit(x, func(s *sql.Star) { s.Table = t.Name })
				}
			case *sql.Lock:
				to[x] = sql.Edit(x, func(l *sql.Lock) { l.Of = named(l.Of, alias, t.Name) })
			}
			return true
		})
		return e.swapped(to)
	}})
}

// named is a list of names with another one in the place of one.
func named(list []*sql.Name, name string, by *sql.Name) (out []*sql.Name) {
	for _, n := range list {
		if n.Folded() == name {
			n = by
		}
		out = append(out, n)
	}
	return out
}

// unambiguous says whether no other source of the statement has one of the columns.
func (e *editor) unambiguous(name string, refs []*sql.Column, sources []sql.TableRef) bool {
	bear := 0
	for _, s := range sources {
		other := classes.SourceName(s)
		if other == name {
			bear++
			continue
		}
		columns, known := e.columns.Has(other)
		if !known || len(columns) == 0 {
			return false // a derived table, or one that is not known
		}
		for _, c := range refs {
			if _, has := columns[c.Name.Folded()]; has {
				return false
			}
		}
	}
	return bear == 1
}

// implied are the sources that a statement has without naming them: the row that an INSERT could not insert, and the
// rows that a trigger is about.
var implied = []string{"excluded", "new", "old"}

// dangles says whether a column's qualifier names no source of the statement, or the column is none of its base
// table's; of an unqualified one whether it is none of the base tables', where these are all its sources.
func dangles(root sql.Node, schema *sqltext.Schema) bool {
	r := referencesIn(root)
	known, all, onlyBase := r.columnsOf(schema)
	for _, i := range r.items { // ORDER BY and HAVING know the names of the result
		all[i.Alias.Folded()] = true
	}
	for _, n := range r.inserts {
		if n.Row != nil {
			known[n.Row.Folded()] = nil
		}
		for _, c := range n.RowNames {
			all[c.Folded()] = true
		}
		if onlyBase && slices.ContainsFunc(n.Columns, func(c *sql.Name) bool { return !all[c.Folded()] }) {
			return true
		}
	}
	return slices.ContainsFunc(r.columns, func(c *sql.Column) bool {
		name := c.Name.Folded()
		if c.Table == nil {
			return onlyBase && !all[name]
		}
		columns, source := known[c.Table.Folded()]
		return !source || columns != nil && !columns[name]
	})
}

// columnsOf are the columns of the base tables, by the names of sources, nil for one of several sources or what is not
// known; and all together. onlyBase says that there are no other sources.
func (r *references) columnsOf(schema *sqltext.Schema) (known map[string]map[string]bool, all map[string]bool,
	onlyBase bool) {
	known, all, onlyBase = map[string]map[string]bool{}, map[string]bool{}, true
	for _, name := range implied {
		known[name] = nil
	}
	for _, s := range r.sources {
		var columns map[string]bool
		if t := schema.Table(classes.TableOf(s)); t != nil {
			columns = map[string]bool{}
			for _, c := range t.Columns {
				columns[c.Name], all[c.Name] = true, true
			}
		}
		onlyBase = onlyBase && columns != nil
		name := classes.SourceName(s)
		if _, twice := known[name]; twice {
			columns = nil
		}
		known[name] = columns
	}
	return known, all, onlyBase
}

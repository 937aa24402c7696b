// Package analysis tells what a statement reads, writes and locks, of the tables of a case. It goes by the statement's
// tree alone, whatever database it is written for; where databases do otherwise with the same words, Traits say so.
//
// What it is not certain of it refuses: a table that is not the case's own, a value that does not come from the
// database's contents, a node that nothing is known of.
package analysis

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"txweave/sql"
	"txweave/sql/classes"
	"txweave/sql/sqltext"
)

// Reader understands the statements of one database.
type Reader struct {
	Dialect *sql.Dialect
	sqltext.Traits
}

// analysis is an Analysis in the making.
type analysis struct {
	*sqltext.Analysis
	reader *Reader
	schema *sqltext.Schema
	stmt   sql.Stmt
	as     map[string]string // by table that it writes, the first name under which it does
}

// Of tells what a statement does that reads or writes rows, in a case with a schema. A statement whose tables or
// versions are not known for certain is an error.
func (r *Reader) Of(s *sqltext.Schema, stmt sql.Stmt) (*sqltext.Analysis, error) {
	target, scratch := targetOf(stmt)
	_, truncates := stmt.(*sql.Truncate)
	target, err := r.own(s, target)
	if err != nil {
		return nil, err
	}
	a := &analysis{Analysis: &sqltext.Analysis{Truncates: truncates}, reader: r, schema: s, stmt: target}
	v := newCollector(r, s)
	v.collect(target)
	if v.err != nil {
		return nil, v.err
	}
	a.SetOrCTE = v.setOrCTE
	outer, err := a.does(v)
	if err != nil {
		return nil, err
	}
	a.Subquery, a.Blocks, a.LockedBlocks = v.blocks > outer, v.selects, v.locked
	if q, ok := target.(*sql.Query); ok {
		a.locks(v, q, scratch)
	}
	a.Tables = slices.Sorted(maps.Keys(v.refs))
	a.Inner = slices.Sorted(maps.Keys(v.inner))
	a.Used = v.used(a.Tables)
	if a.ChecksUnique = a.checksUnique(); a.ChecksUnique {
		a.Used[a.Target] = append(a.Used[a.Target], s.Table(a.Target).Unique...)
	}
	return a.Analysis, errors.Join(a.keys(v), a.match())
}

// targetOf returns what a statement does with rows: the query whose rows go into a table of their own (scratch), the
// DELETE that takes what TRUNCATE takes; else the statement itself.
func targetOf(stmt sql.Stmt) (target sql.Stmt, scratch bool) {
	switch x := stmt.(type) {
	case *sql.CreateTable:
		plain := sql.Edit(x, func(n *sql.CreateTable) { n.Temp, n.As = false, nil })
		if x.As != nil && sql.Equal(plain, &sql.CreateTable{Name: x.Name}) {
			return x.As, true
		}
	case *sql.Truncate:
		if len(x.Tables) == 1 && len(x.Options) == 0 {
			return &sql.Delete{Table: x.Tables[0]}, false
		}
	}
	return stmt, false
}

// does reads what the statement does. outer is how many of its query blocks are no subquery.
func (a *analysis) does(v *collector) (outer int, err error) {
	switch n := a.stmt.(type) {
	case *sql.Query:
		a.Kind = sqltext.Select
		sel := selectOf(n)
		if sel == nil { // the operands are more than one block: never judged row by row
			return 0, nil
		}
		a.selectItems(v, n, sel)
		return 1, nil
	case *sql.Update:
		err = errors.Join(a.update(v, n), a.returns(n.Returning))
	case *sql.Delete:
		err = errors.Join(a.delete(n), a.returns(n.Returning))
	case *sql.DeleteJoined:
		err = a.deleteJoined(n)
	case *sql.Insert:
		if n.Source != nil && selectOf(n.Source) != nil {
			outer = 1
		}
		err = errors.Join(a.insert(v, n), a.returns(n.Returning))
	case *sql.Merge:
		err = errors.Join(a.merge(v, n), a.returns(n.Returning))
	default:
		err = errors.New("not a SELECT, INSERT, UPDATE or DELETE")
	}
	return outer, err
}

// locks notes what a query locks.
func (a *analysis) locks(v *collector, q *sql.Query, scratch bool) {
	a.Locking = selectOf(q) != nil && len(unnested(q).Locks) > 0 || v.locked > 0 && v.locked == v.selects
	if scratch {
		a.TotalOrder = false
		a.Locking = a.Locking || a.reader.CopyLocks
	}
	a.PlanDecides = v.decides || classes.PlanDecides(q, a.schema)
	a.SkipsLocked, a.LocksSome = v.skips, v.some
	if !a.SetOrCTE && !a.LocksSome {
		a.RowLock = rowLock(q)
	}
}

// checksUnique says whether rows of the target that the statement does not write can make it fail.
func (a *analysis) checksUnique() bool {
	if !slices.Contains(a.Tables, a.Target) || a.Used[a.Target] == nil {
		return false
	}
	unique := a.schema.Table(a.Target).Unique
	if up, ok := a.stmt.(*sql.Update); ok {
		return slices.ContainsFunc(assigned(up.Set), func(as assignment) bool {
			return slices.Contains(unique, as.column.Name.Folded())
		})
	}
	return a.Kind == sqltext.Insert
}

// selectItems finds the item outputs of a query of one block and whether its order is total.
func (a *analysis) selectItems(v *collector, q *sql.Query, n *sql.Select) {
	if v.wildcard {
		a.wholeRows(v, n)
		return
	}
	if n.From == nil || len(n.Group) > 0 || n.Having != nil || slices.ContainsFunc(n.Items, func(i *sql.Item) bool {
		return aggregates(i.X, true)
	}) {
		return
	}
	from := sourcesOf(n.From)
	for i := range from {
		if v.ctes[from[i].table] { // its rows are no table's, whatever its columns are called
			from[i].table = ""
		}
	}
	limited := unnested(q).Limit != nil
	pcol := map[string]int{}
	for i, item := range n.Items {
		col, ok := item.X.(*sql.Column)
		if !ok {
			continue
		}
		name := col.Table.Folded()
		if name == "" && len(from) == 1 {
			name = from[0].alias
		}
		switch table := tableBy(from, name); {
		case table == "":
		case col.Name.Folded() == sqltext.PKey:
			pcol[name] = i + 1
		case col.Name.Folded() == sqltext.VKey && pcol[name] > 0:
			a.Items = append(a.Items, sqltext.ItemOutput{Table: table, PCol: pcol[name] - 1, VCol: i})
			if !limited {
				v.ignore(col)
			}
		}
	}
	a.TotalOrder = totalOrder(unnested(q), n, from)
}

// wholeRows finds the item output of a query that prints the rows of one table as they are.
func (a *analysis) wholeRows(v *collector, n *sql.Select) {
	if len(n.Items) != 1 || len(n.Group) > 0 || n.Having != nil {
		return
	}
	from, table := n.From.(*sql.Table)
	if _, star := n.Items[0].X.(*sql.Star); !star || !table || from.At != nil || from.Schema != nil ||
		v.ctes[from.Name.Folded()] {
		return
	}
	t := a.schema.Table(from.Name.Folded())
	if t == nil {
		return
	}
	names := t.Names()
	if pkey, vkey := slices.Index(names, sqltext.PKey), slices.Index(names, sqltext.VKey); pkey >= 0 && vkey >= 0 {
		a.Items = append(a.Items, sqltext.ItemOutput{Table: t.Name, PCol: pkey, VCol: vkey, Whole: true})
	}
}

// totalOrder says whether ORDER BY holds the pkey of every table in FROM, so that no two rows can tie.
func totalOrder(q *sql.Query, n *sql.Select, from []source) bool {
	if len(q.Order) == 0 {
		return false
	}
	output := slices.ContainsFunc(n.Items, func(i *sql.Item) bool { return i.Alias.Folded() == sqltext.PKey })
	orders := func(t source) bool {
		return slices.ContainsFunc(q.Order, func(o *sql.Order) bool {
			col, ok := o.X.(*sql.Column)
			if !ok || col.Name.Folded() != sqltext.PKey || col.Table == nil && output { // the name of an output comes first
				return false
			}
			return col.Table.Folded() == t.alias || col.Table == nil && len(from) == 1
		})
	}
	return !slices.ContainsFunc(from, func(t source) bool { return t.table == "" || !orders(t) })
}

// returns notes what a write returns: values of the rows that it writes.
func (a *analysis) returns(items []*sql.Item) error {
	if len(items) == 0 {
		return nil
	}
	if len(a.Also) > 0 {
		return errors.New("RETURNING from several tables is not supported")
	}
	isQuery := func(n sql.Node) bool {
		_, is := n.(*sql.Query)
		return is
	}
	if slices.ContainsFunc(items, func(i *sql.Item) bool { return sql.Has(i, isQuery) }) {
		return errors.New("it returns more than values of the rows that it writes")
	}
	a.Returns = true
	return nil
}

// unnested is a query without the parentheses around all of it.
func unnested(q *sql.Query) *sql.Query {
	for {
		inner, ok := q.Body.(*sql.Nested)
		if !ok || q.With != nil || len(q.Order) > 0 || q.Limit != nil || len(q.Locks) > 0 {
			return q
		}
		q = inner.Query
	}
}

// selectOf is the only block of a query; nil where there are several.
func selectOf(q *sql.Query) *sql.Select {
	sel, _ := unnested(q).Body.(*sql.Select)
	return sel
}

// source is a table of a FROM clause by its alias; table is "" where it is a derived one.
type source struct {
	alias, table string
	name         *sql.Name // what columns are qualified with
}

// sourcesOf lists the tables in a FROM clause.
func sourcesOf(from sql.TableRef) []source {
	switch x := from.(type) {
	case *sql.Join:
		return append(sourcesOf(x.Left), sourcesOf(x.Right)...)
	case *sql.ParenTable:
		if x.Alias == nil {
			return sourcesOf(x.X)
		}
		return []source{{alias: x.Alias.Folded(), name: x.Alias}}
	case *sql.Table:
		name := x.Alias
		if name == nil {
			name = x.Name
		}
		return []source{{alias: name.Folded(), table: x.Name.Folded(), name: name}}
	case *sql.Derived:
		return []source{{alias: x.Alias.Folded(), name: x.Alias}}
	case nil:
		return nil
	}
	return []source{{}}
}

// tableBy returns the table that an alias stands for; "" for none.
func tableBy(from []source, alias string) string {
	for _, s := range from {
		if s.alias == alias {
			return s.table
		}
	}
	return ""
}

// columnAt qualifies a column.
func columnAt(table *sql.Name, column string) *sql.Column {
	return &sql.Column{Table: table, Name: &sql.Name{Value: column}}
}

// clipped is the beginning of a text: as much of a statement as an error shows.
func clipped(s string) string {
	const limit = 300
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}

// named says of which statement an error is.
func named(text string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%q: %w", clipped(text), err)
}

package importer

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"txweave/sql"
	"txweave/sql/classes"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// Where the numbers of bookkeeping begin: those of rows, and of the versions that statements write.
const (
	firstRow     = 1
	firstVersion = 1000001
)

// Keep adds the bookkeeping columns to the tables of a case and their values to its statements, where that can be done
// without changing what the case does: its own keys stay what they are. The error says which statement does not allow
// it.
func Keep(c *testcase.Case) (*testcase.Case, error) {
	k := &keeper{c: c.Clone().PlacedAs(c), tree: sqltext.SyntaxOf(c.Target).Tree, row: firstRow, version: firstVersion,
		named: map[string]bool{}, kept: map[string]bool{}, columns: map[string][]*sql.Name{}}
	if err := k.lower(); err != nil {
		return nil, err
	}
	k.schema = k.c.ReadSchema()
	for i := range k.c.Schema {
		if err := k.table(&k.c.Schema[i]); err != nil {
			return nil, err
		}
	}
	for i := range k.c.Rows {
		if err := k.rows(&k.c.Rows[i]); err != nil {
			return nil, fmt.Errorf("rows, statement %d: %w", i, err)
		}
	}
	for n := range k.c.Txns {
		for i := range k.c.Txns[n].Stmts {
			if err := k.statement(&k.c.Txns[n].Stmts[i]); err != nil {
				return nil, fmt.Errorf("%s: %w", k.c.At(testcase.Ref{Txn: n, Stmt: i}), err)
			}
		}
	}
	return k.c, nil
}

type keeper struct {
	c            *testcase.Case
	tree         *sql.Dialect
	schema       *sqltext.Schema // before
	row, version int64
	copies       int                    // INSERT … SELECT so far
	named        map[string]bool        // tables that name their rows by pkey themselves
	kept         map[string]bool        // tables that have all three columns already
	columns      map[string][]*sql.Name // of the tables, as their definitions write them
}

// write puts a tree in the place of a statement's text.
func (k *keeper) write(s *testcase.Stmt, stmt sql.Stmt) (err error) {
	s.SQL, err = k.tree.Print(stmt)
	return err
}

// lower writes the names of tables in small letters, in which all that watches them has them: a database may
// tell Tab from tab.
func (k *keeper) lower() error {
	written := map[string]string{} // as the text makes them
	for _, s := range k.c.Schema {
		stmt, _ := k.tree.Parse(s.SQL)
		var name *sql.Name
		switch n := stmt.(type) {
		case *sql.CreateTable:
			name = n.Name.Name
		case *sql.CreateView:
			name = n.Name.Name
		default:
			continue
		}
		if other := written[name.Folded()]; other != "" && other != name.Value {
			return fmt.Errorf("tables %s and %s differ by capitals alone", other, name.Value)
		}
		written[name.Folded()] = name.Value
	}
	lists := [][]testcase.Stmt{k.c.Schema, k.c.Rows}
	for n := range k.c.Txns {
		lists = append(lists, k.c.Txns[n].Stmts)
	}
	for _, list := range lists {
		for i := range list {
			stmt, err := k.tree.Parse(list[i].SQL)
			if err != nil {
				continue // whoever judges it says that
			}
			if err := k.write(&list[i], sql.Rewrite(stmt, func(n sql.Node) sql.Node {
				return k.renamed(n, written)
			})); err != nil {
				return err
			}
		}
	}
	return nil
}

// renamed is a name in small letters where it is one of those that are not, and one that needs no quotes where it is
// one of those that do.
func (k *keeper) renamed(n sql.Node, names map[string]string) sql.Node {
	name, ok := n.(*sql.Name)
	own := name.Folded()
	if !ok || names[own] == "" {
		return n
	}
	if !k.bare(own) && k.bare(own+"_") { // a word of the dialect's
		own += "_"
	}
	if own == name.Value || names[own] != "" && own != name.Folded() {
		return n
	}
	return sql.Edit(name, func(n *sql.Name) { n.Value = own })
}

// bare says whether a name needs no quotes.
func (k *keeper) bare(name string) bool {
	_, err := k.tree.Parse("SELECT * FROM " + name)
	return err == nil
}

// table adds the columns to a CREATE TABLE.
func (k *keeper) table(s *testcase.Stmt) error {
	stmt, err := k.tree.Parse(s.SQL)
	if read := sqltext.Read(s.SQL); err != nil && read.Creates() == "table" {
		return fmt.Errorf("table %s cannot be read: %w", read.Target, err)
	}
	n, ok := stmt.(*sql.CreateTable)
	if !ok {
		return nil
	}
	if n.Of != nil || len(n.Inherits) > 0 { // its columns are those of another table
		return nil
	}
	name := n.Name.Name.Folded()
	t := k.schema.Table(name)
	if t == nil || len(n.Columns) == 0 {
		return fmt.Errorf("the columns of %s are not written out", name)
	}
	pkey, vkey := t.Column(sqltext.PKey), t.Column(sqltext.VKey)
	if vkey != nil && pkey != nil && t.Column(sqltext.PVKey) != nil {
		k.kept[name] = true
		return nil
	}
	if vkey != nil || t.Column(sqltext.PVKey) != nil {
		return fmt.Errorf("table %s has some of the columns pkey, vkey and pvkey, and not all", name)
	}
	added := []string{sqltext.VKey, sqltext.PVKey}
	if pkey == nil {
		added = append([]string{sqltext.PKey}, added...)
	} else if k.named[name] = pkey.NotNull; !pkey.NotNull {
		return fmt.Errorf("table %s has a column %s that may be NULL", name, sqltext.PKey)
	}
	for _, c := range n.Columns {
		k.columns[name] = append(k.columns[name], c.Name)
	}
	number := "BIGINT"
	if slices.ContainsFunc(n.Options, func(o *sql.Option) bool { return o.Words == "STRICT" }) {
		number = "INTEGER" // the one type of whole numbers there (sqlite.org/stricttables.html)
	}
	return k.write(s, sql.Edit(n, func(n *sql.CreateTable) {
		n.Columns = slices.Clone(n.Columns)
		for _, c := range added {
			n.Columns = append(n.Columns, &sql.ColumnDef{Name: &sql.Name{Value: c}, Type: &sql.Type{Words: number},
				Constraints: []sql.Constraint{&sql.Nullable{Not: true}}})
		}
	}))
}

// rows adds the values to a statement of the initial rows.
func (k *keeper) rows(s *testcase.Stmt) error {
	stmt, err := k.tree.Parse(s.SQL)
	if err != nil {
		return err
	}
	n, ok := stmt.(*sql.Insert)
	if !ok {
		return errors.New("rows are INSERTs")
	}
	return k.insert(s, n, 0)
}

// statement adds the values to a statement of a transaction. One that reads, or writes what is kept already, stays as
// it is: the oracles say what they think of it.
func (k *keeper) statement(s *testcase.Stmt) error {
	stmt, err := k.tree.Parse(s.SQL)
	read := sqltext.SyntaxOf(k.c.Target).Quoting.Read(s.SQL)
	switch _, merges := stmt.(*sql.Merge); {
	case k.schema.Table(read.Target) == nil || k.kept[read.Target] || read.Kind == sqltext.Delete:
	case err != nil && read.Kind.Writes():
		return fmt.Errorf("what it writes is not known: %w", err)
	case merges:
		return errors.New("the rows that MERGE inserts cannot be numbered")
	}
	switch n := stmt.(type) {
	case *sql.Insert:
		if t := n.Table.Name.Folded(); k.schema.Table(t) == nil || k.kept[t] {
			return nil
		}
		k.version++
		return k.insert(s, n, k.version)
	case *sql.Update:
		t, one := n.Table.(*sql.Table)
		if !one { // the versions of its tables are their contents
			return nil
		}
		if name := t.Name.Folded(); k.schema.Table(name) == nil || k.kept[name] {
			return nil
		}
		k.version++
		var own *sql.Name // another table may have such a column, too
		if n.From != nil {
			own = called(t)
		}
		return k.write(s, sql.Edit(n, func(n *sql.Update) { n.Set = append(k.versions(own), n.Set...) }))
	}
	return nil
}

// called is the name by which a statement knows a table.
func called(t *sql.Table) *sql.Name {
	if t.Alias != nil {
		return t.Alias
	}
	return t.Name
}

// versions are the assignments by which a statement keeps the version that it overwrites, of a table by its name where
// that has to be said, and writes its own.
func (k *keeper) versions(table *sql.Name) []*sql.Assign {
	assign := func(column string, value sql.Expr) *sql.Assign {
		return &sql.Assign{Columns: []*sql.Column{{Name: &sql.Name{Value: column}}}, Value: value}
	}
	return []*sql.Assign{assign(sqltext.PVKey, &sql.Column{Table: table, Name: &sql.Name{Value: sqltext.VKey}}),
		assign(sqltext.VKey, integer(k.version))}
}

func integer(n int64) sql.Expr { return &sql.Literal{Kind: sql.Number, Text: fmt.Sprint(n)} }

// insert gives every row a number of its own, and all of them the version; 0: each row one of its own.
func (k *keeper) insert(s *testcase.Stmt, n *sql.Insert, version int64) error {
	t := k.schema.Table(n.Table.Name.Folded())
	if t == nil {
		return fmt.Errorf("table %s is not of the schema", n.Table.Name.Folded())
	}
	if k.kept[t.Name] {
		return nil
	}
	columns := n.Columns
	if len(columns) == 0 && !isEmpty(n) {
		columns = k.columns[t.Name]
		if given := width(n); given > 0 && given < len(columns) && sqltext.SyntaxOf(k.c.Target).Traits.FirstColumns {
			columns = columns[:given]
		}
	}
	rows, err := k.spelled(n, columns, version)
	if err != nil {
		return err
	}
	return k.write(s, sql.Edit(n, func(n *sql.Insert) {
		switch {
		case len(n.Set) > 0:
			n.Set = slices.Clone(n.Set)
			for i, c := range k.names(t) {
				n.Set = append(n.Set, &sql.Assign{Columns: []*sql.Column{{Name: c}}, Value: rows[0][i]})
			}
		case n.Source == nil: // DEFAULT VALUES
			n.Columns, n.Source = k.names(t), &sql.Query{Body: &sql.Values{Rows: []*sql.Row{{Items: rows[0]}}}}
		default:
			n.Columns = slices.Concat(columns, k.names(t))
			n.Source = sql.Edit(n.Source, func(q *sql.Query) { q.Body = k.wider(q.Body, rows) })
		}
		if len(n.RowNames) > 0 {
			n.RowNames = slices.Concat(n.RowNames, k.names(t))
		}
		own := called(n.Table)
		if len(n.Duplicate) > 0 {
			n.Duplicate = append(k.versions(own), n.Duplicate...)
		}
		n.Conflicts = slices.Clone(n.Conflicts)
		for i, c := range n.Conflicts {
			if len(c.Set) > 0 {
				n.Conflicts[i] = sql.Edit(c, func(c *sql.OnConflict) { c.Set = append(k.versions(own), c.Set...) })
			}
		}
	}))
}

// width is how many values the rows have that an INSERT spells; 0 where it spells none.
func width(n *sql.Insert) int {
	if n.Source != nil {
		if values, ok := n.Source.Body.(*sql.Values); ok && len(values.Rows) > 0 {
			return len(values.Rows[0].Items)
		}
	}
	return 0
}

// isEmpty says whether an INSERT spells rows without values, all of which have what they have by default: INSERT INTO t
// () VALUES ().
func isEmpty(n *sql.Insert) bool {
	if n.Source == nil || len(n.Columns) > 0 {
		return false
	}
	values, ok := n.Source.Body.(*sql.Values)
	return ok && !slices.ContainsFunc(values.Rows, func(r *sql.Row) bool { return len(r.Items) > 0 })
}

// names are the columns of the bookkeeping that an INSERT writes.
func (k *keeper) names(t *sqltext.Table) []*sql.Name {
	list := []*sql.Name{{Value: sqltext.VKey}, {Value: sqltext.PVKey}}
	if !k.named[t.Name] {
		list = append(list, &sql.Name{Value: sqltext.PKey})
	}
	return list
}

// spelled are the values of the bookkeeping for each row that an INSERT spells, or for those of its query together.
func (k *keeper) spelled(n *sql.Insert, columns []*sql.Name, version int64) (out [][]sql.Expr, err error) {
	count := 1
	if n.Source != nil {
		values, ok := n.Source.Body.(*sql.Values)
		if !ok {
			if version == 0 {
				return nil, errors.New("the rows that it inserts are not written out: they cannot be numbered")
			}
			return k.copied(n, columns)
		}
		for _, row := range values.Rows {
			if len(row.Items) != len(columns) && !isEmpty(n) {
				return nil, fmt.Errorf("a row has %d values for %d columns", len(row.Items), len(columns))
			}
		}
		count = len(values.Rows)
	}
	for range count {
		k.row++
		own := version
		if own == 0 {
			own = k.row
		}
		out = append(out, k.values(n, own, integer(k.row)))
	}
	return out, nil
}

func (k *keeper) values(n *sql.Insert, version int64, key sql.Expr) []sql.Expr {
	out := []sql.Expr{integer(version), integer(0)}
	if !k.named[n.Table.Name.Folded()] {
		out = append(out, key)
	}
	return out
}

// wider is what an INSERT's rows come from with the values of the bookkeeping.
func (k *keeper) wider(b sql.Body, values [][]sql.Expr) sql.Body {
	switch b := b.(type) {
	case *sql.Values:
		return sql.Edit(b, func(v *sql.Values) {
			v.Rows = slices.Clone(v.Rows)
			for i, row := range v.Rows {
				v.Rows[i] = sql.Edit(row, func(r *sql.Row) { r.Items = slices.Concat(r.Items, values[i]) })
			}
		})
	case *sql.Select:
		return sql.Edit(b, func(s *sql.Select) {
			s.Items = k.written(s)
			for _, x := range values[0] {
				s.Items = append(s.Items, &sql.Item{X: x})
			}
		})
	}
	return b
}

// Each INSERT … SELECT numbers its rows by those that it reads: it adds a number to theirs that is twice that of the
// one before, so that no sum comes again.
const (
	firstCopy = 1 << 20
	mostCopy  = 40
)

// copied are the values for the rows of an INSERT … SELECT from one table, which are numbered by theirs, or of one row
// from no table.
func (k *keeper) copied(n *sql.Insert, columns []*sql.Name) ([][]sql.Expr, error) {
	s, ok := n.Source.Body.(*sql.Select)
	if !ok || k.copies >= mostCopy || n.With != nil || n.Source.With != nil || !k.givesEach(s) || len(k.written(s)) !=
		len(columns) {
		return nil,
			errors.New("the rows that it inserts are not written out, and no row of one table each: they cannot be numbered")
	}
	key := integer(int64(firstCopy) << k.copies)
	if t, ok := s.From.(*sql.Table); ok {
		key = &sql.Binary{Op: sql.OpAdd, Left: key, Right: &sql.Column{Table: called(t),
			Name: &sql.Name{Value: sqltext.PKey}}}
	}
	k.copies++
	return [][]sql.Expr{k.values(n, k.version, key)}, nil
}

// givesEach says whether a query gives a row for each of a table's that it finds, or one row of no table.
func (k *keeper) givesEach(s *sql.Select) bool {
	if s.Distinct || len(s.Group) > 0 || s.Having != nil || len(s.Windows) > 0 {
		return false
	}
	if s.From != nil {
		t, ok := s.From.(*sql.Table)
		if !ok || k.columns[t.Name.Folded()] == nil || k.kept[t.Name.Folded()] {
			return false
		}
	}
	return !slices.ContainsFunc(s.Items, func(i *sql.Item) bool {
		return sql.Has(i, func(n sql.Node) bool {
			call, ok := n.(*sql.Call)
			return ok && (call.Over != nil || classes.IsAggregate(call) || slices.Contains(ofSeveral, call.Name.Folded()))
		})
	})
}

// ofSeveral are functions that give several rows.
var ofSeveral = strings.Fields(
	`generate_series generate_subscripts unnest regexp_matches regexp_split_to_table string_to_table json_each json_each_text jsonb_each
	jsonb_each_text json_array_elements json_array_elements_text jsonb_array_elements jsonb_array_elements_text json_object_keys jsonb_object_keys
	jsonb_path_query json_populate_recordset jsonb_populate_recordset json_to_recordset jsonb_to_recordset`)

// written is what a query prints, with the columns of its table in the place of a star.
func (k *keeper) written(s *sql.Select) (out []*sql.Item) {
	for _, i := range s.Items {
		star, ok := i.X.(*sql.Star)
		if !ok {
			out = append(out, i)
			continue
		}
		t, ok := s.From.(*sql.Table)
		if !ok || star.Table != nil && !strings.EqualFold(star.Table.Value, called(t).Value) {
			return nil
		}
		for _, name := range k.columns[t.Name.Folded()] {
			out = append(out, &sql.Item{X: &sql.Column{Table: star.Table, Name: name}})
		}
	}
	return out
}

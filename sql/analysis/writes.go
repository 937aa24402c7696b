package analysis

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"txweave/sql"
	"txweave/sql/sqltext"
)

// assignment is what one column is given; value is nil where that is one of several columns of a query.
type assignment struct {
	column *sql.Column
	value  sql.Expr
}

// assigned are assignments of one column each.
func assigned(set []*sql.Assign) (out []assignment) {
	for _, as := range set {
		row, _ := as.Value.(*sql.Row)
		for i, col := range as.Columns {
			one := assignment{column: col}
			switch {
			case !as.Row:
				one.value = as.Value
			case row != nil && len(row.Items) == len(as.Columns):
				one.value = row.Items[i]
			}
			out = append(out, one)
		}
	}
	return out
}

// update reads what an UPDATE sets.
func (a *analysis) update(v *collector, n *sql.Update) error {
	if n.Or != "" && n.Or != "IGNORE" && n.Or != "ABORT" {
		return fmt.Errorf("UPDATE OR %s is not read", n.Or)
	}
	tables := sourcesOf(n.Table)
	joined := append(slices.Clone(tables), sourcesOf(n.From)...)
	a.Kind = sqltext.Update
	if err := a.sets(v, n.Set, tables, joined); err != nil {
		return err
	}
	a.Diff = a.Unkeyed || len(a.Also) > 0 || a.Spreads
	a.ValueDepends = v.blocks > 0 || len(joined) > 1
	return nil
}

// sets reads the assignments to rows of some tables, which are joined with others. Where they give every row a version
// key of its own, and keep the one before it, what they wrote is known from the rows alone; else the tables have to be
// compared.
func (a *analysis) sets(v *collector, set []*sql.Assign, tables, joined []source) error {
	kept, keyed := map[string]bool{}, map[string]bool{}
	list := assigned(set)
	for _, as := range list {
		table := a.owner(tables, as.column)
		if table == "" {
			return fmt.Errorf("UPDATE sets %s, which is no column of a table that it names", as.column.Name.Value)
		}
		a.writes(table, cmp.Or(as.column.Table.Folded(), aliasOf(tables, table)))
		switch as.column.Name.Folded() {
		case sqltext.VKey:
			key, ok := integerOf(as.value)
			if keyed[table] = ok && kept[table] && (a.VKey == 0 || a.VKey == key); keyed[table] {
				a.VKey = key
			}
		case sqltext.PVKey:
			if col, ok := as.value.(*sql.Column); ok && col.Name.Folded() == sqltext.VKey && a.owner(joined, col) == table {
				kept[table] = true
				v.ignore(col)
			}
		case sqltext.PKey:
			return fmt.Errorf("%s must never be updated", sqltext.PKey)
		}
	}
	for _, table := range append([]string{a.Target}, a.Also...) {
		a.Unkeyed = a.Unkeyed || !keyed[table]
	}
	if a.Unkeyed { // a row that already is as it would be stays as it is
		a.VKey = 0
		v.reads(list, tables)
	}
	return nil
}

// reads adds the columns that are assigned to as such that are read.
func (v *collector) reads(list []assignment, tables []source) {
	for _, as := range list {
		col := as.column
		if col.Table == nil && len(tables) == 1 {
			col = &sql.Column{Table: tables[0].name, Name: col.Name}
		}
		v.columns = append(v.columns, col)
	}
}

// owner returns the table that a column belongs to; "" if that cannot be told.
func (a *analysis) owner(tables []source, col *sql.Column) string {
	if col.Table != nil {
		return tableBy(tables, col.Table.Folded())
	}
	if len(tables) == 1 { // the database says whether it has such a column
		return tables[0].table
	}
	found := ""
	for _, t := range tables {
		if known := a.schema.Table(t.table); known != nil && known.Column(col.Name.Folded()) != nil {
			if found != "" && found != t.table {
				return ""
			}
			found = t.table
		}
	}
	return found
}

// aliasOf returns the first name that a table has.
func aliasOf(from []source, table string) string {
	for _, s := range from {
		if s.table == table {
			return s.alias
		}
	}
	return ""
}

// writes notes a table that the statement writes, and the name under which it does. Under two names it may write a row
// twice, and count it twice.
func (a *analysis) writes(table, name string) {
	if a.as == nil {
		a.as = map[string]string{}
	}
	if a.as[table] == "" {
		a.as[table] = name
	}
	a.Spreads = a.Spreads || a.as[table] != name
	switch {
	case a.Target == "":
		a.Target = table
	case a.Target != table && !slices.Contains(a.Also, table):
		a.Also = append(a.Also, table)
	}
}

func (a *analysis) delete(n *sql.Delete) error {
	a.Kind, a.Diff = sqltext.Delete, true
	a.Target = n.Table.Name.Folded()
	return nil
}

func (a *analysis) deleteJoined(n *sql.DeleteJoined) error {
	a.Kind, a.Diff = sqltext.Delete, true
	from := sourcesOf(n.From)
	for _, t := range n.Targets {
		table := tableBy(from, t.Name.Folded())
		if table == "" {
			return fmt.Errorf("DELETE from %s, which is no table that it names", t.Name.Value)
		}
		a.writes(table, t.Name.Folded())
	}
	return nil
}

// insertion is an INSERT by its parts.
type insertion struct {
	*sql.Insert
	columns  []string
	rows     []*sql.Row   // that it spells
	source   *sql.Query   // the query whose rows it inserts
	upsert   []assignment // of the rows that are in the way
	replaces bool
	ignores  bool
}

func (a *analysis) insertionOf(n *sql.Insert) (in insertion, err error) {
	in = insertion{Insert: n, replaces: n.Replace || n.Or == "REPLACE", ignores: n.Ignore || n.Or == "IGNORE",
		upsert: assigned(n.Duplicate)}
	if n.Or != "" && !in.replaces && !in.ignores && n.Or != "ABORT" {
		return in, fmt.Errorf("INSERT OR %s is not read", n.Or)
	}
	if len(n.Conflicts) > 0 && n.Or != "" && n.Or != "ABORT" {
		return in, errors.New("what an INSERT does to rows in its way is read where it says that in one place")
	}
	for _, name := range n.Columns {
		in.columns = append(in.columns, name.Folded())
	}
	switch {
	case len(n.Set) > 0:
		row := &sql.Row{}
		for _, as := range assigned(n.Set) {
			in.columns = append(in.columns, as.column.Name.Folded())
			row.Items = append(row.Items, as.value)
		}
		in.rows = []*sql.Row{row}
	case n.Source == nil:
		in.rows = []*sql.Row{{}}
	default:
		if values := valuesIn(n.Source); values != nil {
			in.rows = values.Rows
		} else {
			in.source = n.Source
		}
	}
	if in.columns == nil {
		in.columns = a.schema.Table(a.Target).Names()
	}
	for _, clause := range n.Conflicts {
		in.upsert = append(in.upsert, assigned(clause.Set)...)
		in.ignores = in.ignores || clause.Set == nil
	}
	return in, nil
}

func (a *analysis) insert(v *collector, n *sql.Insert) error {
	a.Kind = sqltext.Insert
	a.Target = n.Table.Name.Folded()
	t := a.schema.Table(a.Target)
	if t == nil {
		return errors.New("it inserts into what is no table of the case")
	}
	in, err := a.insertionOf(n)
	if err != nil {
		return err
	}
	if in.source != nil {
		a.insertsQuery(in.columns, in.source)
	} else {
		a.insertsRows(in.columns, in.rows)
	}
	sets := [][]*sql.Assign{n.Duplicate}
	for _, clause := range n.Conflicts {
		sets = append(sets, clause.Set)
	}
	for _, set := range sets {
		if err := a.keepsVersions(assigned(set)); err != nil {
			return err
		}
	}
	a.ValueDepends = v.blocks > 0
	a.Plain = !in.replaces && len(in.upsert) == 0
	a.Diff = !a.Plain || a.Unkeyed
	if !in.ignores {
		a.Spells = len(in.rows)
		if len(in.upsert) > 0 && !in.replaces {
			a.Upserts = len(in.rows)
		}
	}
	if a.Unkeyed {
		for _, as := range in.upsert {
			v.columns = append(v.columns, &sql.Column{Name: as.column.Name})
		}
	}
	a.met(n.Conflicts)
	if len(t.Unique) == 0 && !in.ignores && a.Plain && !a.readsOwn(n) {
		delete(v.refs, a.Target) // what is in the table makes no difference to a plain INSERT
	}
	return nil
}

// met notes that an upsert has a condition: of the rows in its way it changes those of which that is true, so that not
// each row which it spells is written. Where there are several clauses, the condition holds for rows of one key alone.
func (a *analysis) met(clauses []*sql.OnConflict) {
	if !slices.ContainsFunc(clauses, func(c *sql.OnConflict) bool { return c.Where != nil }) {
		return
	}
	if len(clauses) == 1 {
		a.Passes = a.Upserts
	}
	a.Upserts, a.Spells = 0, 0
}

// readsOwn says whether an INSERT reads its target.
func (a *analysis) readsOwn(n *sql.Insert) bool {
	return sql.Has(n, func(x sql.Node) bool {
		t, ok := x.(*sql.Table)
		return ok && t != n.Table && t.Name.Folded() == a.Target
	})
}

// insertsQuery finds the version key that every row which an INSERT … SELECT writes is given, where there is one.
func (a *analysis) insertsQuery(columns []string, q *sql.Query) {
	vkey, sel := slices.Index(columns, sqltext.VKey), selectOf(q)
	if sel == nil || vkey < 0 || vkey >= len(sel.Items) || slices.ContainsFunc(sel.Items[:vkey], isWildcard) {
		a.Unkeyed = true
		return
	}
	key, ok := integerOf(sel.Items[vkey].X)
	a.VKey, a.Unkeyed = key, !ok
}

func isWildcard(i *sql.Item) bool {
	_, star := i.X.(*sql.Star)
	return star
}

// insertsRows finds the version key that the rows have which an INSERT spells, where it is one, and the literals that
// it gives as pkey.
func (a *analysis) insertsRows(columns []string, rows []*sql.Row) {
	vkey, pkey := slices.Index(columns, sqltext.VKey), slices.Index(columns, sqltext.PKey)
	for _, row := range rows {
		if vkey < 0 || vkey >= len(row.Items) {
			a.Unkeyed = true
		} else if key, ok := integerOf(row.Items[vkey]); !ok || a.VKey != 0 && key != a.VKey {
			a.Unkeyed = true
		} else {
			a.VKey = key
		}
		if pkey >= 0 && pkey < len(row.Items) {
			if key, ok := integerOf(row.Items[pkey]); ok {
				a.PKeys = append(a.PKeys, key)
			}
		}
	}
	if a.Unkeyed {
		a.VKey = 0
	}
}

// keepsVersions says whether an upsert gives the row that it finds the version key of the INSERT.
func (a *analysis) keepsVersions(upsert []assignment) error {
	named := len(upsert) == 0
	for _, as := range upsert {
		switch as.column.Name.Folded() {
		case sqltext.PKey:
			return fmt.Errorf("%s must never be updated", sqltext.PKey)
		case sqltext.VKey:
			key, ok := integerOf(as.value)
			named = ok && key == a.VKey
		}
	}
	a.Unkeyed = a.Unkeyed || !named
	return nil
}

// integerOf returns the integer that an expression spells.
func integerOf(x sql.Expr) (int64, bool) {
	if x == nil {
		return 0, false
	}
	l, ok := sql.Bare(x).(*sql.Literal)
	if !ok || l.Kind != sql.Number {
		return 0, false
	}
	n, err := strconv.ParseInt(l.Text, 10, 64)
	return n, err == nil
}

package planted

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	sqltree "txweave/sql"
	"txweave/sql/classes"
	"txweave/sql/sqltext"
)

// has says whether a statement has a node of a kind that fits.
func has[N sqltree.Node](stmt sqltree.Stmt, fits func(N) bool) bool {
	found := false
	if stmt != nil {
		sqltree.Walk(stmt, func(n sqltree.Node) bool {
			x, is := n.(N)
			found = found || is && fits(x)
			return !found
		})
	}
	return found
}

// hasAny says whether it has a node of a kind.
func hasAny[N sqltree.Node](stmt sqltree.Stmt) bool { return has(stmt, func(N) bool { return true }) }

// joins says whether it has a join that is said, and is no comma.
func joins(stmt sqltree.Stmt) bool {
	return has(stmt, func(j *sqltree.Join) bool { return j.Kind != sqltree.CommaJoin })
}

// joinsOuter says whether it has a LEFT JOIN.
func joinsOuter(stmt sqltree.Stmt) bool {
	return has(stmt, func(j *sqltree.Join) bool { return j.Kind == sqltree.LeftJoin })
}

// sortsDown says whether it sorts in descending order.
func sortsDown(stmt sqltree.Stmt) bool {
	return has(stmt, func(o *sqltree.Order) bool { return o.Desc })
}

// inQuery says whether it has an IN of a query's rows.
func inQuery(stmt sqltree.Stmt) bool {
	return has(stmt, func(x *sqltree.In) bool { return x.Query != nil })
}

// unites says whether it has a UNION that takes duplicates out.
func unites(stmt sqltree.Stmt) bool {
	return has(stmt, func(x *sqltree.Compound) bool { return x.Op == "UNION" || x.Op == "UNION DISTINCT" })
}

// groups says whether it has a GROUP BY.
func groups(stmt sqltree.Stmt) bool {
	return has(stmt, func(x *sqltree.Select) bool { return len(x.Group) > 0 })
}

// filters says whether it has a WHERE of a SELECT's.
func filters(stmt sqltree.Stmt) bool {
	return has(stmt, func(x *sqltree.Select) bool { return x.Where != nil })
}

// ofRows says whether it spells out several rows.
func ofRows(stmt sqltree.Stmt) bool {
	return has(stmt, func(x *sqltree.Values) bool { return len(x.Rows) > 1 })
}

// ofKind is a condition on statements of a kind.
func ofKind[S sqltree.Stmt](holds func(sqltree.Stmt) bool) func(sqltree.Stmt) bool {
	return func(stmt sqltree.Stmt) bool {
		_, is := stmt.(S)
		return is && holds(stmt)
	}
}

// distinct says whether a statement is SELECT DISTINCT.
func distinct(stmt sqltree.Stmt) bool {
	q, _ := stmt.(*sqltree.Query)
	if q == nil {
		return false
	}
	s, _ := q.Body.(*sqltree.Select)
	return s != nil && s.Distinct
}

// tree is a statement as a tree; nil where its DBMS's dialect does not read it.
func (c *faultConn) tree(sql string) sqltree.Stmt { return c.target.tree(sql) }

func (t *faultyTarget) tree(sql string) sqltree.Stmt {
	stmt, err := t.profile.Tree.Parse(sql)
	if err != nil {
		return nil
	}
	return stmt
}

// print is the text of a tree; "" where the dialect has none for it.
func (t *faultyTarget) print(stmt sqltree.Stmt) string {
	text, err := t.profile.Tree.Print(stmt)
	if err != nil {
		return ""
	}
	return text
}

// plainRead says whether a query takes no lock by its text.
func plainRead(stmt sqltree.Stmt) bool { return stmt != nil && !hasAny[*sqltree.Lock](stmt) }

// unlocked takes the locking clauses off a query.
func (t *faultyTarget) unlocked(sql string) string {
	stmt := t.tree(sql)
	if stmt == nil {
		return sql
	}
	return cmp.Or(t.print(sqltree.Rewrite(stmt, func(n sqltree.Node) sqltree.Node {
		if q, ok := n.(*sqltree.Query); ok {
			return sqltree.Edit(q, func(q *sqltree.Query) { q.Locks = nil })
		}
		return n
	})), sql)
}

// mentioned returns the tables of the case that a statement mentions, sorted.
func (t *faultyTarget) mentioned(sql string) []string {
	var out []string
	has(t.tree(sql), func(n *sqltree.Table) bool {
		for _, table := range t.tables {
			if strings.EqualFold(table, n.Name.Value) && !slices.Contains(out, table) {
				out = append(out, table)
			}
		}
		return false
	})
	slices.Sort(out)
	return out
}

// source is the table that a statement writes or reads first, or whose definition it makes or changes; nil where there
// is none.
func source(stmt sqltree.Stmt) *sqltree.Table {
	first := func(from sqltree.TableRef) (table *sqltree.Table) {
		if leaves := classes.Leaves(from); len(leaves) > 0 {
			table, _ = leaves[0].(*sqltree.Table)
		}
		return table
	}
	switch n := stmt.(type) {
	case *sqltree.Insert, *sqltree.Delete:
		return sqltree.Written(n)
	case *sqltree.Merge:
		return n.Table
	case *sqltree.Update:
		return first(n.Table)
	case *sqltree.DeleteJoined:
		return n.Targets[0]
	case *sqltree.Truncate:
		return n.Tables[0]
	case *sqltree.CreateTable:
		return &sqltree.Table{Name: n.Name.Name}
	case *sqltree.CreateIndex:
		return &sqltree.Table{Name: n.Table.Name}
	case *sqltree.AlterTable:
		return &sqltree.Table{Name: n.Table.Name}
	case *sqltree.Query:
		if s, ok := n.Body.(*sqltree.Select); ok {
			return first(s.From)
		}
	}
	return nil
}

// written is the table that a statement writes, or whose definition it makes or changes, in lower case; "" where there
// is none.
func (t *faultyTarget) written(sql string) string {
	stmt := t.tree(sql)
	if _, reads := stmt.(*sqltree.Query); reads {
		return ""
	}
	return nameOf(source(stmt))
}

func nameOf(table *sqltree.Table) string {
	if table == nil {
		return ""
	}
	return table.Name.Folded()
}

// search is how an UPDATE or DELETE finds its rows, or a query of one block its; nil of all else.
func search(stmt sqltree.Stmt) (*sqltree.Query, *sqltree.Select) {
	q, s := &sqltree.Query{}, &sqltree.Select{}
	join := func(table, more sqltree.TableRef) sqltree.TableRef {
		if more == nil {
			return table
		}
		return &sqltree.Join{Left: table, Kind: sqltree.CommaJoin, Right: more}
	}
	switch n := stmt.(type) {
	case *sqltree.Update:
		q.With, s.From, s.Where, q.Order, q.Limit = n.With, join(n.Table, n.From), n.Where, n.Order, n.Limit
	case *sqltree.Delete:
		q.With, s.From, s.Where, q.Order, q.Limit = n.With, join(n.Table, n.Using), n.Where, n.Order, n.Limit
	case *sqltree.DeleteJoined:
		q.With, s.From, s.Where = n.With, n.From, n.Where
	case *sqltree.Query:
		s, _ = n.Body.(*sqltree.Select)
		if s == nil {
			return nil, nil
		}
		return n, s
	default:
		return nil, nil
	}
	return q, s
}

// wheres are the conditions of the rows that a statement writes, or its query gives, in each of its blocks.
func wheres(stmt sqltree.Stmt) (out []sqltree.Expr) {
	if n, ok := stmt.(*sqltree.Insert); ok {
		for _, c := range n.Conflicts {
			if c.Where != nil {
				out = append(out, c.Where)
			}
		}
		if n.Source != nil {
			out = append(out, wheres(n.Source)...)
		}
		return out
	}
	if q, ok := stmt.(*sqltree.Query); ok {
		switch b := q.Body.(type) {
		case *sqltree.Compound:
			return append(wheres(&sqltree.Query{Body: b.Left}), wheres(&sqltree.Query{Body: b.Right})...)
		case *sqltree.Nested:
			return wheres(b.Query)
		}
	}
	if _, s := search(stmt); s != nil && s.Where != nil {
		out = append(out, s.Where)
	}
	return out
}

// column is a column of the table that a statement writes or reads first: with its name before it where there are
// others.
func column(stmt sqltree.Stmt, name string) *sqltree.Column {
	c := &sqltree.Column{Name: &sqltree.Name{Value: name}}
	_, s := search(stmt)
	if table := source(stmt); table != nil && s != nil && len(classes.Leaves(s.From)) > 1 {
		if c.Table = table.Name; table.Alias != nil {
			c.Table = table.Alias
		}
	}
	return c
}

// matching is the query for columns, all without any, of the rows that an UPDATE or DELETE would write; "" for others.
func (t *faultyTarget) matching(sql string, lock bool, columns ...string) string {
	stmt := t.tree(sql)
	q, s := search(stmt)
	if _, reads := stmt.(*sqltree.Query); s == nil || reads {
		return ""
	}
	for _, name := range columns {
		s.Items = append(s.Items, &sqltree.Item{X: column(stmt, name)})
	}
	if len(columns) == 0 {
		s.Items = []*sqltree.Item{{X: &sqltree.Star{}}}
	}
	if lock {
		q.Locks = []*sqltree.Lock{{Strength: "UPDATE"}}
	}
	q.Body = s
	return t.print(q)
}

// but leaves rows with some keys out of those that an UPDATE writes or a query of one block gives.
func (t *faultyTarget) but(sql string, keys ...int64) string {
	return t.restrict(sql, func(key sqltree.Expr) sqltree.Expr {
		x := &sqltree.In{X: key, Not: true}
		for _, k := range keys {
			x.List = append(x.List, number(k))
		}
		return x
	})
}

// restrict adds to an UPDATE, or a query of one block, a condition of the key of its table; it leaves another statement
// as it is.
func (t *faultyTarget) restrict(sql string, condition func(key sqltree.Expr) sqltree.Expr) string {
	stmt := t.tree(sql)
	and := func(where *sqltree.Expr) {
		x := condition(column(stmt, sqltext.PKey))
		if *where != nil {
			x = &sqltree.Binary{Op: sqltree.OpAnd, Left: *where, Right: x}
		}
		*where = x
	}
	switch n := stmt.(type) {
	case *sqltree.Update:
		stmt = sqltree.Edit(n, func(n *sqltree.Update) { and(&n.Where) })
	case *sqltree.Query:
		s, ok := n.Body.(*sqltree.Select)
		if !ok {
			return sql
		}
		stmt = sqltree.Edit(n, func(n *sqltree.Query) { n.Body = sqltree.Edit(s, func(s *sqltree.Select) { and(&s.Where) }) })
	default:
		return sql
	}
	return cmp.Or(t.print(stmt), sql)
}

func number(n int64) sqltree.Expr {
	return &sqltree.Literal{Kind: sqltree.Number, Text: strconv.FormatInt(n, 10)}
}

// sets says whether an UPDATE gives a column a value, and which one where that is spelled.
func sets(stmt sqltree.Stmt, column string) (value int64, spelled, does bool) {
	n, ok := stmt.(*sqltree.Update)
	if !ok {
		return 0, false, false
	}
	for _, a := range n.Set {
		if i := slices.IndexFunc(a.Columns, func(c *sqltree.Column) bool { return c.Name.Folded() == column }); i >= 0 {
			value, spelled = classes.Integer(a.Value)
			return value, spelled, true
		}
	}
	return 0, false, false
}

// version is the version key that an UPDATE gives its rows.
func (t *faultyTarget) version(sql string) (vkey int64, ok bool) {
	vkey, ok, _ = sets(t.tree(sql), sqltext.VKey)
	return vkey, ok
}

// key is the first that a statement compares the key of a row with.
func (t *faultyTarget) key(sql string) (pkey int64, ok bool) {
	has(t.tree(sql), func(x *sqltree.Binary) bool {
		if x.Op == sqltree.OpEq && classes.IsColumn(x.Left, sqltext.PKey) {
			pkey, ok = classes.Integer(x.Right)
		}
		return ok
	})
	return pkey, ok
}

// names says whether a part of a statement has a column of a name.
func names(part sqltree.Node, column string) bool {
	return part != nil && sqltree.Has(part, func(n sqltree.Node) bool {
		c, ok := n.(*sqltree.Column)
		return ok && c.Name.Folded() == column
	})
}

// overwrites says of an INSERT that it may overwrite rows.
func overwrites(stmt sqltree.Stmt) bool {
	n, ok := stmt.(*sqltree.Insert)
	return ok && (n.Or == "REPLACE" || len(n.Conflicts) > 0)
}

// counts says whether a statement counts rows.
func counts(stmt sqltree.Stmt) bool {
	return has(stmt, func(x *sqltree.Call) bool { return x.Name.Folded() == "count" })
}

// indexes are the columns of the keys and indexes that a statement makes, and their table, in lower case; a key that is
// said with its column is none of them.
func indexes(stmt sqltree.Stmt) (table string, columns []string) {
	of := func(keys []*sqltree.Order) {
		for _, key := range keys {
			sqltree.Walk(key.X, func(n sqltree.Node) bool {
				if c, ok := n.(*sqltree.Column); ok {
					columns = append(columns, c.Name.Folded())
				}
				return true
			})
		}
	}
	constraint := func(c sqltree.Constraint) {
		switch c := c.(type) {
		case *sqltree.PrimaryKey:
			of(c.Columns)
		case *sqltree.Index:
			of(c.Columns)
		case *sqltree.Unique:
			of(c.Columns)
		case *sqltree.ForeignKey: // some databases make one
			for _, name := range c.Columns {
				columns = append(columns, name.Folded())
			}
		}
	}
	switch n := stmt.(type) {
	case *sqltree.CreateIndex:
		of(n.Columns)
	case *sqltree.CreateTable:
		for _, c := range n.Constraints {
			constraint(c)
		}
	case *sqltree.AlterTable:
		for _, a := range n.Actions {
			if add, ok := a.(*sqltree.AddConstraint); ok {
				constraint(add.Constraint)
			}
		}
	}
	return nameOf(source(stmt)), columns
}

// skipping is a query that locks its rows for update, and passes over those that are locked; "" for all others.
func (t *faultyTarget) skipping(sql string) string {
	q, ok := t.tree(sql).(*sqltree.Query)
	if !ok || len(q.Locks) != 1 || q.Locks[0].Strength != "UPDATE" || q.Locks[0].Wait != "" || len(q.Locks[0].Of) > 0 ||
		len(t.mentioned(sql)) == 0 {
		return ""
	}
	lock := sqltree.Edit(q.Locks[0], func(l *sqltree.Lock) { l.Wait = "SKIP LOCKED" })
	return t.print(sqltree.Edit(q, func(q *sqltree.Query) { q.Locks = []*sqltree.Lock{lock} }))
}

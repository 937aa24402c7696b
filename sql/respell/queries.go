package respell

import (
	"slices"
	"strings"

	"txweave/sql"
	"txweave/sql/build"
)

// fenced is a statement in which a derived table is one of a common table expression that is materialized: FROM (WITH d
// AS MATERIALIZED (SELECT …) SELECT * FROM d). Its rows are worked out as they stand then: no condition of the outer
// query is pushed into it, and it is not made part of that query (sqlite.org/lang_with.html#mathint). A set operation
// stays, as nobody says what affinity its columns have.
func fenced(stmt sql.Stmt) sql.Stmt {
	return sql.Rewrite(stmt, func(n sql.Node) sql.Node {
		d, ok := n.(*sql.Derived)
		if !ok || d.Alias == nil || selected(d.Query) == nil {
			return n
		}
		rows := &sql.CTE{Name: build.Name(derivedName), Materialized: "MATERIALIZED", Body: d.Query}
		return sql.Edit(d, func(d *sql.Derived) { d.Query = with(rows, whole(build.Table(derivedName, ""))) })
	})
}

// filtered is a statement in which a query that prints nothing but one aggregate of a column asks for the rows in which
// there is a value: MIN(c) FILTER (WHERE c IS NOT NULL). That they ignore NULLs is what sqlite.org/lang_aggfunc.html
// says of them; with a FILTER the engine does not look for the least by an index, or for the first of the sorted
// values.
func filtered(stmt sql.Stmt) sql.Stmt {
	return sql.Rewrite(stmt, func(n sql.Node) sql.Node {
		s, ok := n.(*sql.Select)
		if !ok || s.Distinct || s.All || s.Having != nil || len(s.Items) != 1 {
			return n
		}
		c, ok := s.Items[0].X.(*sql.Call)
		if !ok || c.Filter != nil || c.Over != nil || c.Distinct || len(c.Order) > 0 || len(c.Args) != 1 ||
			!plainColumn(c.Args[0]) || !named(c, "min", "max", "count", "sum") {
			return n
		}
		item := sql.Edit(s.Items[0], func(i *sql.Item) {
			i.X = sql.Edit(c, func(d *sql.Call) { d.Filter = build.IsNull(c.Args[0], true) })
		})
		return sql.Edit(s, func(s *sql.Select) { s.Items = []*sql.Item{item} })
	})
}

// turned is a statement in which FROM a RIGHT JOIN b is FROM b LEFT JOIN a, and the other way round, which is the same
// by its definition, and something else to do: a LEFT JOIN writes the row without a partner where it comes to it, a
// RIGHT JOIN has to find those rows once more in the end. One that is not the first join of its FROM clause stays, as
// does one whose query prints * and would print its columns in another order, and all where columns are told by the
// order of the tables.
func turned(stmt sql.Stmt) sql.Stmt {
	told := false
	sql.Walk(stmt, func(n sql.Node) bool {
		j, ok := n.(*sql.Join)
		told = told || ok && (j.Natural || len(j.Using) > 0)
		return !told
	})
	if told {
		return stmt
	}
	return sql.Rewrite(stmt, func(n sql.Node) sql.Node {
		s, ok := n.(*sql.Select)
		if !ok || s.From == nil || slices.ContainsFunc(s.Items, func(i *sql.Item) bool { return isStar(i.X) }) {
			return n
		}
		return sql.Edit(s, func(s *sql.Select) { s.From = firstTurned(s.From) })
	})
}

func isStar(x sql.Expr) bool {
	_, ok := x.(*sql.Star)
	return ok
}

// firstTurned is what FROM says with its first join the other way round.
func firstTurned(from sql.TableRef) sql.TableRef {
	j, ok := from.(*sql.Join)
	if !ok {
		return from
	}
	if _, more := j.Left.(*sql.Join); more {
		return sql.Edit(j, func(j *sql.Join) { j.Left = firstTurned(j.Left) })
	}
	kind := sql.JoinKind("")
	switch j.Kind {
	case sql.LeftJoin:
		kind = sql.RightJoin
	case sql.RightJoin:
		kind = sql.LeftJoin
	}
	if kind == "" || j.On == nil || has[*sql.TableCall](j) { // its arguments may be columns of what stands before it
		return from
	}
	return &sql.Join{Left: j.Right, Kind: kind, Right: j.Left, On: j.On}
}

// within is a statement in which a scalar subquery with a LIMIT is a query of all rows of that: (SELECT * FROM (SELECT
// … LIMIT 1 OFFSET 2)). Which row a subquery gives, and how many rows a query gives, is not worked out by the same
// code. A set operation stays: its columns have an affinity where it is read from.
func within(stmt sql.Stmt) sql.Stmt {
	return sql.Rewrite(stmt, func(n sql.Node) sql.Node {
		s, ok := n.(*sql.Subquery)
		if !ok || selected(s.Query) == nil || s.Query.Limit == nil {
			return n
		}
		return sql.Edit(s, func(s *sql.Subquery) { s.Query = whole(build.Derived(s.Query, "")) })
	})
}

// apart is a statement in which the set operation of two queries of plain columns that it consists of is put together
// otherwise: a UNION b are the distinct rows of a UNION ALL b, a EXCEPT b and a INTERSECT b those of a of which there
// is none, or one, in b. Rows are told apart by what the columns of a hold to, as by the operation itself; as that
// converts no value, columns are compared behind a +, which takes their affinity from them. One within another query
// stays: nobody says what affinity its columns have there.
func apart(stmt sql.Stmt) sql.Stmt {
	switch s := stmt.(type) {
	case *sql.Query:
		return setApart(s)
	case *sql.Insert:
		if s.Source != nil && len(s.Conflicts)+len(s.Returning) == 0 {
			return sql.Edit(s, func(s *sql.Insert) { s.Source = setApart(s.Source) })
		}
	case *sql.CreateTable:
		if s.As != nil {
			return sql.Edit(s, func(s *sql.CreateTable) { s.As = setApart(s.As) })
		}
	}
	return stmt
}

// setApart is a query whose set operation is put together otherwise.
func setApart(q *sql.Query) *sql.Query {
	c, ok := q.Body.(*sql.Compound)
	if !ok {
		return q
	}
	a, ok := c.Left.(*sql.Select)
	b, ok2 := c.Right.(*sql.Select)
	if !ok || !ok2 {
		return q
	}
	left, right := outputs(a), outputs(b)
	if left == nil || len(left) != len(right) || !byOutputs(q.Order, left) {
		return q
	}
	s := &sql.Select{Distinct: true, Items: build.Items(&sql.Star{})}
	switch c.Op {
	case "UNION": // else what is no REAL becomes one where the column of a is
		s.From = build.Derived(&sql.Query{Body: &sql.Compound{Op: "UNION ALL", Left: unaffected(a), Right: unaffected(b)}},
			"")
	case "EXCEPT", "INTERSECT":
		var alike []sql.Expr
		for i := range left {
			alike = append(alike, build.Binary(plain(of(rowsName, left[i])), sql.OpSame, plain(of(othersName, right[i]))))
		}
		others := build.Query(&sql.Select{Items: build.Items(build.Int(1)), From: build.Derived(build.Query(b), othersName),
			Where: build.All(alike...)})
		s.From, s.Where = build.Derived(build.Query(a), rowsName), build.Not(c.Op == "EXCEPT", build.Exists(others))
	default:
		return q
	}
	return sql.Edit(q, func(q *sql.Query) { q.Body = s })
}

// byOutputs says whether an order is one by the numbers or the names of outputs alone: that of a set operation may also
// say what its operands print.
func byOutputs(order []*sql.Order, names []*sql.Name) bool {
	return !slices.ContainsFunc(order, func(o *sql.Order) bool {
		x := o.X
		if c, ok := x.(*sql.Collate); ok {
			x = c.X
		}
		c, ok := x.(*sql.Column)
		if !ok {
			return !literal(x)
		}
		return c.Table != nil || !slices.ContainsFunc(names, func(n *sql.Name) bool {
			return strings.EqualFold(n.Value, c.Name.Value)
		})
	})
}

// outputs are the names of the columns that a query prints, each of which is a plain column with a name of its own; nil
// where that is not so.
func outputs(s *sql.Select) (names []*sql.Name) {
	for _, i := range s.Items {
		c, ok := i.X.(*sql.Column)
		if !ok {
			return nil
		}
		own := i.Alias
		if own == nil {
			own = c.Name
		}
		if slices.ContainsFunc(names, func(n *sql.Name) bool { return strings.EqualFold(n.Value, own.Value) }) {
			return nil
		}
		names = append(names, own)
	}
	return names
}

// unaffected is a query of plain columns whose columns have no affinity.
func unaffected(s *sql.Select) *sql.Select {
	names := outputs(s)
	var list []*sql.Item
	for i, item := range s.Items {
		list = append(list, &sql.Item{X: plain(item.X), Alias: names[i]})
	}
	return sql.Edit(s, func(s *sql.Select) { s.Items = list })
}

// Copies says how queries read copies of tables in their place.
type Copies struct {
	Schema       string // where the tables are; "" where a copy's own query means the table by its name
	Materialized string // as CTE has it
	// Unlisted are the columns, in lower case, that tables have of themselves, which * does not print.
	Unlisted []string
}

// Query is a query that reads such a copy of each table, so that what the database answers from an index, a count or a
// statistic of its own is worked out from the rows. One that reads a part of a table, or a table as it was, stays: of a
// copy all rows are read. So does one that names the schema of a column's table, where no copy is, or a column that no
// copy has, and one that writes.
func (c *Copies) Query(stmt sql.Stmt) sql.Stmt {
	q, ok := stmt.(*sql.Query)
	if !ok {
		return stmt
	}
	tables, ok := c.tablesOf(q)
	if !ok || len(tables) == 0 || c.Schema == "" && q.With != nil && q.With.Recursive { // each would be made of itself
		return stmt
	}
	w := &sql.With{}
	for _, t := range tables {
		own := &sql.Table{Name: t}
		if c.Schema != "" {
			own.Schema = build.Name(c.Schema)
		}
		w.CTEs = append(w.CTEs, &sql.CTE{Name: t, Materialized: c.Materialized, Body: whole(own)})
	}
	if q.With != nil {
		w.Recursive, w.CTEs = q.With.Recursive, append(w.CTEs, q.With.CTEs...)
	}
	q = sql.Rewrite(q, func(n sql.Node) sql.Node {
		if l, ok := n.(*sql.Lock); ok { // there is nothing to lock of a copy that it names
			return sql.Edit(l, func(l *sql.Lock) { l.Of = nil })
		}
		return n
	})
	return sql.Edit(q, func(q *sql.Query) { q.With = w })
}

// tablesOf are the names of the tables that a query reads, each once; ok is false where it reads a part of one.
func (c *Copies) tablesOf(q *sql.Query) (names []*sql.Name, ok bool) {
	var own []string // common table expressions
	elsewhere := false
	sql.Walk(q, func(n sql.Node) bool {
		switch n := n.(type) {
		case *sql.CTE:
			own = append(own, n.Name.Value)
		case *sql.Column:
			elsewhere = elsewhere || n.Schema != nil || slices.Contains(c.Unlisted, strings.ToLower(n.Name.Value))
		case *sql.Star:
			elsewhere = elsewhere || n.Schema != nil
		case *sql.Insert, *sql.Update, *sql.Delete, *sql.Merge:
			elsewhere = true
		}
		return true
	})
	ok = !elsewhere
	sql.Walk(q, func(n sql.Node) bool {
		t, table := n.(*sql.Table)
		if !table {
			return true
		}
		ok = ok && len(t.Partitions) == 0 && t.At == nil && !t.Only && t.Sample == nil
		same := func(name string) bool { return strings.EqualFold(name, t.Name.Value) }
		known := slices.ContainsFunc(own, same) || slices.ContainsFunc(names, func(n *sql.Name) bool { return same(n.Value) })
		if !known && t.Schema == nil {
			names = append(names, t.Name)
		}
		return true
	})
	return names, ok
}

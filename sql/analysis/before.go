package analysis

import (
	"slices"

	"txweave/sql"
	"txweave/sql/sqltext"
)

// Locks are those that a read of what a write is going to overwrite takes.
type Locks struct {
	Target bool // exclusive ones on the rows of the target
	// Inner are shared ones in the inner query blocks: a locking outer block alone may leave its subqueries on the
	// snapshot. A view, which has no place for a lock clause, stands there as its query.
	Inner bool
}

// BeforeRead returns the query for pkey and vkey of the rows that an UPDATE or DELETE writes, under the same WHERE,
// ORDER BY and LIMIT (TxCheck, section 3.2); nil where there is none.
func (r *Reader) BeforeRead(s *sqltext.Schema, stmt sql.Stmt, locks Locks) (*sql.Query, error) {
	x, err := r.searchOf(s, stmt, locks)
	if err != nil || x == nil || len(x.from) > 1 { // of several tables a row may be found several times
		return nil, err
	}
	return x.keys(locks), nil
}

// JoinedRead returns the query for pkey and vkey of the rows that an UPDATE or DELETE of joined tables writes, two
// columns for each of the tables, which it names in that order; nil for every other statement, and where it writes not
// each of the tables that it joins, or joins one with itself.
func (r *Reader) JoinedRead(s *sqltext.Schema, stmt sql.Stmt, locks Locks) (q *sql.Query, names []string, err error) {
	x, err := r.searchOf(s, stmt, locks)
	if err != nil || x == nil || len(x.from) < 2 || len(x.query.Order) > 0 || x.query.Limit != nil {
		return nil, nil, err
	}
	for _, t := range x.from {
		known := s.Table(t.table)
		if known == nil || slices.Contains(names, known.Name) || !slices.Contains(x.written, t.alias) {
			return nil, nil, nil
		}
		names = append(names, known.Name)
	}
	return x.keys(locks), names, nil
}

// search is how an UPDATE or DELETE finds its rows.
type search struct {
	query   sql.Query
	block   sql.Select
	from    []source
	written []string // the aliases of the tables that it writes
}

// searchOf returns the search of an UPDATE or DELETE; nil where it passes over rows that match, or is another
// statement.
func (r *Reader) searchOf(s *sqltext.Schema, stmt sql.Stmt, locks Locks) (x *search, err error) {
	stmt, _ = targetOf(stmt)
	if stmt, err = r.family(s, stmt); err == nil && locks.Inner {
		stmt, err = r.withoutViews(s, stmt)
	}
	if err != nil {
		return nil, err
	}
	x = &search{}
	ignores := false
	switch n := stmt.(type) {
	case *sql.Update:
		ignores = n.Ignore || n.Or == "IGNORE" || n.From != nil
		x.query.With, x.block.From, x.block.Where, x.query.Order, x.query.Limit = n.With, n.Table, n.Where, n.Order, n.Limit
		for _, as := range assigned(n.Set) {
			x.written = append(x.written, as.column.Table.Folded())
		}
	case *sql.Delete:
		ignores = n.Ignore || n.Using != nil
		x.query.With, x.block.From, x.block.Where, x.query.Order, x.query.Limit = n.With, n.Table, n.Where, n.Order, n.Limit
	case *sql.DeleteJoined:
		ignores = n.Ignore
		x.query.With, x.block.From, x.block.Where = n.With, n.From, n.Where
		for _, t := range n.Targets {
			x.written = append(x.written, t.Name.Folded())
		}
	default:
		return nil, nil
	}
	if ignores {
		return nil, nil
	}
	x.from = sourcesOf(x.block.From)
	return x, nil
}

// keys makes of a search the query for pkey and vkey of its tables.
func (x *search) keys(locks Locks) *sql.Query {
	q, sel := x.query, x.block
	for _, t := range x.from {
		for _, column := range []string{sqltext.PKey, sqltext.VKey} {
			sel.Items = append(sel.Items, &sql.Item{X: columnAt(t.name, column)})
		}
	}
	if locks.Inner {
		sel.From = sql.Rewrite(sel.From, shared)
		if sel.Where != nil {
			sel.Where = sql.Rewrite(sel.Where, shared)
		}
		for i, o := range q.Order {
			if i == 0 {
				q.Order = slices.Clone(q.Order)
			}
			q.Order[i] = sql.Rewrite(o, shared)
		}
	}
	if locks.Target {
		q.Locks = []*sql.Lock{{Strength: "UPDATE"}}
	}
	q.Body = &sel
	return &q
}

// shared puts shared locks on a query.
func shared(n sql.Node) sql.Node {
	switch x := n.(type) {
	case *sql.Query:
		if _, one := x.Body.(*sql.Select); one {
			return sql.Edit(x, func(q *sql.Query) { q.Locks = []*sql.Lock{{Strength: "SHARE MODE"}} })
		}
	case *sql.Compound:
		return sql.Edit(x, func(c *sql.Compound) { c.Left, c.Right = sharedOperand(c.Left), sharedOperand(c.Right) })
	}
	return n
}

// sharedOperand is an operand of a set operation as a query with a place for a lock.
func sharedOperand(b sql.Body) sql.Body {
	if sel, ok := b.(*sql.Select); ok {
		return &sql.Nested{Query: &sql.Query{Body: sel, Locks: []*sql.Lock{{Strength: "SHARE MODE"}}}}
	}
	return b
}

package signature

import (
	"math"
	"slices"
	"strconv"

	"txweave/sql"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// afterNoPartition says whether a statement before s in its transaction t, or one of another transaction, searches a
// table in partitions that s names for rows that cannot be: no partition is read for it.
func afterNoPartition(c *testcase.Case, s *testcase.Stmt, t *testcase.Txn) bool {
	schema := c.ReadSchema()
	tables := slices.DeleteFunc(slices.Clone(c.Read(s.SQL).Tables()), func(name string) bool {
		table := schema.Table(name)
		return table == nil || !table.Partitioned
	})
	for n := range c.Txns {
		other := &c.Txns[n]
		for i := range other.Stmts {
			if other == t && &other.Stmts[i] == s {
				break
			}
			stmt, err := sqltext.SyntaxOf(c.Target).Tree.Parse(other.Stmts[i].SQL)
			if err != nil || !never(whereOf(stmt)) {
				continue
			}
			if slices.ContainsFunc(c.Read(other.Stmts[i].SQL).Tables(), func(name string) bool {
				return slices.Contains(tables, name)
			}) {
				return true
			}
		}
	}
	return false
}

// whereOf is the condition of a write, or of a query that is one SELECT; nil where there is none.
func whereOf(stmt sql.Stmt) sql.Expr {
	switch n := stmt.(type) {
	case *sql.Update:
		return n.Where
	case *sql.Delete:
		return n.Where
	case *sql.Query:
		if s, ok := n.Body.(*sql.Select); ok {
			return s.Where
		}
	}
	return nil
}

// bounds are those of a column's values for which a condition can be true.
type bounds struct {
	low, high         float64
	lowOpen, highOpen bool // the bound is not among them
	notZero           bool
}

func (b *bounds) empty() bool {
	return b.low > b.high || b.low == b.high && (b.lowOpen || b.highOpen || b.notZero && b.low == 0)
}

// atLeast and atMost narrow the bounds; open: k itself is not among the values.
func (b *bounds) atLeast(k float64, open bool) {
	if k > b.low || k == b.low && open {
		b.low, b.lowOpen = k, open
	}
}

func (b *bounds) atMost(k float64, open bool) {
	if k < b.high || k == b.high && open {
		b.high, b.highOpen = k, open
	}
}

// never says whether a condition is true for no row, as its numbers alone show: what it asks of a column by AND leaves
// no value.
func never(where sql.Expr) bool {
	of := map[string]*bounds{}
	at := func(x sql.Expr) *bounds {
		c, ok := sql.Bare(x).(*sql.Column)
		if !ok {
			return &bounds{low: math.Inf(-1), high: math.Inf(1)} // nobody asks for these
		}
		name := c.Name.Folded()
		if of[name] == nil {
			of[name] = &bounds{low: math.Inf(-1), high: math.Inf(1)}
		}
		return of[name]
	}
	var ask func(sql.Expr)
	ask = func(x sql.Expr) {
		switch n := sql.Bare(x).(type) {
		case *sql.Column:
			at(n).notZero = true
		case *sql.Between:
			low, isLow := number(n.Low)
			high, isHigh := number(n.High)
			if b := at(n.X); isLow && isHigh && !n.Not && !n.Symmetric {
				b.atLeast(low, false)
				b.atMost(high, false)
			}
		case *sql.Binary:
			if n.Op == sql.OpAnd {
				ask(n.Left)
				ask(n.Right)
				return
			}
			if k, ok := number(n.Right); ok {
				at(n.Left).compare(n.Op, k)
			} else if k, ok := number(n.Left); ok {
				at(n.Right).compare(mirrored(n.Op), k)
			}
		}
	}
	ask(where)
	for _, b := range of {
		if b.empty() {
			return true
		}
	}
	return false
}

// compare narrows the bounds to values for which a comparison with k is true.
func (b *bounds) compare(op sql.Op, k float64) {
	switch op {
	case sql.OpEq:
		b.atLeast(k, false)
		b.atMost(k, false)
	case sql.OpLt, sql.OpLe:
		b.atMost(k, op == sql.OpLt)
	case sql.OpGt, sql.OpGe:
		b.atLeast(k, op == sql.OpGt)
	}
}

// mirrored is a comparison whose sides change places.
func mirrored(op sql.Op) sql.Op {
	switch op {
	case sql.OpLt:
		return sql.OpGt
	case sql.OpLe:
		return sql.OpGe
	case sql.OpGt:
		return sql.OpLt
	case sql.OpGe:
		return sql.OpLe
	}
	return op
}

// number is the number that an expression is the spelling of.
func number(x sql.Expr) (float64, bool) {
	x, sign := sql.Bare(x), 1.0
	if n, ok := x.(*sql.Unary); ok && n.Op == sql.OpSub {
		x, sign = sql.Bare(n.X), -1
	}
	l, ok := x.(*sql.Literal)
	if !ok || l.Kind != sql.Number {
		return 0, false
	}
	v, err := strconv.ParseFloat(l.Text, 64)
	return sign * v, err == nil
}

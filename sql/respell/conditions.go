package respell

import (
	"slices"
	"strings"

	"txweave/sql"
	"txweave/sql/build"
)

// Opaque is a query or a write in which each condition of WHERE, ON, HAVING and FILTER is said by a CASE; another
// statement stays. A row is taken where a condition is true, and left where it is false or unknown; so it is with CASE
// WHEN (condition) THEN TRUE ELSE FALSE END. Nothing of it can be asked of an index, pushed below a join, made a join
// of a subquery, put in the place of an equal value, or tell that an outer join is an inner one: the condition is
// worked out row by row (Rigger and Su, Detecting Optimization Bugs in Database Engines via Non-optimizing Reference
// Engine Construction, ESEC/FSE 2020; Jiang and Su, Detecting Logic Bugs in Database Engines via Equivalent Expression
// Transformation, OSDI 2024, section 3).
//
// The condition of a FULL JOIN stays, which may have to be one by which to merge or hash, and so do those of ON
// CONFLICT, which name an index and are asked of one row.
func Opaque(stmt sql.Stmt) sql.Stmt {
	if !reads(stmt) || namedByText(stmt) {
		return stmt
	}
	return sql.Rewrite(Unhinted(stmt), func(n sql.Node) sql.Node {
		switch n := n.(type) {
		case *sql.Select:
			return sql.Edit(n, func(s *sql.Select) { s.Where, s.Having = opaque(s.Where), opaque(s.Having) })
		case *sql.Join:
			if n.Kind != sql.FullJoin {
				return sql.Edit(n, func(j *sql.Join) { j.On = opaque(j.On) })
			}
		case *sql.Call:
			return sql.Edit(n, func(c *sql.Call) { c.Filter = opaque(c.Filter) })
		case *sql.Update:
			return sql.Edit(n, func(u *sql.Update) { u.Where = opaque(u.Where) })
		case *sql.Delete:
			return sql.Edit(n, func(d *sql.Delete) { d.Where = opaque(d.Where) })
		case *sql.DeleteJoined:
			return sql.Edit(n, func(d *sql.DeleteJoined) { d.Where = opaque(d.Where) })
		}
		return n
	})
}

// reads says whether a statement is a query or a write.
func reads(stmt sql.Stmt) bool {
	switch s := stmt.(type) {
	case *sql.Query, *sql.Insert, *sql.Update, *sql.Delete, *sql.DeleteJoined:
		return true
	case *sql.CreateTable:
		return s.As != nil
	}
	return false
}

// opaque is a condition as the value of a CASE; nil for none.
func opaque(condition sql.Expr) sql.Expr {
	if condition == nil {
		return nil
	}
	return build.Case(build.Truth(false), build.When(build.Paren(condition), build.Truth(true)))
}

// largest is how many nodes a statement may get: a subquery stands there twice, and those within it four times.
const largest = 4000

// Unquantified is a statement in which comparisons with the rows of a subquery are said by EXISTS: a IN (SELECT b FROM
// t WHERE c), which is a = ANY of them, is true where there is a row for which c and a = b are, unknown where there is
// none and one for which a = b is unknown, else false; and a op ALL is false where a op b is false of a row, unknown
// where it is of none and unknown of one, else true (ISO/IEC 9075-2, quantified comparison predicate). Databases answer
// them by semi-joins, by tables that hold the subquery's rows, by indexes, or by the smallest and the largest of them.
// Columns are compared so: what type a literal is taken for depends on what it stands beside. What is no condition of
// its own stays, as does a subquery that prints anything but a column, or has more than FROM and WHERE.
func Unquantified(stmt sql.Stmt) sql.Stmt {
	if !reads(stmt) || namedByText(stmt) {
		return stmt
	}
	size := nodes(stmt)
	conditions := map[sql.Node]bool{} // those that stand alone
	var walk func(n sql.Node, above []sql.Node)
	walk = func(n sql.Node, above []sql.Node) {
		conditions[n] = alone(n, above)
		above = append(above, n)
		sql.Walk(n, func(child sql.Node) bool {
			if child != n {
				walk(child, above)
			}
			return child == n
		})
	}
	walk(stmt, nil)
	return sql.Rewrite(stmt, func(n sql.Node) sql.Node {
		c, ok := quantifiedOf(n)
		if !ok || !conditions[sql.Original(n)] {
			return n
		}
		if size += nodes(n); size > largest {
			return n
		}
		return c.exists()
	})
}

// nodes counts those of a tree.
func nodes(n sql.Node) (count int) {
	sql.Walk(n, func(sql.Node) bool {
		count++
		return true
	})
	return count
}

// quantified is a comparison with the rows of a subquery.
type quantified struct {
	negated, all bool
	left, item   *sql.Column
	op           sql.Op
	rows         *sql.Select
}

// quantifiers are the operators of such a comparison.
var quantifiers = []sql.Op{sql.OpEq, sql.OpNe, sql.OpLt, sql.OpLe, sql.OpGt, sql.OpGe}

// quantifiedOf reads one; ok is false where it is none, or stays.
func quantifiedOf(n sql.Node) (c quantified, ok bool) {
	var x sql.Expr
	var q *sql.Query
	switch n := n.(type) {
	case *sql.In:
		x, q, c.op, c.negated = n.X, n.Query, sql.OpEq, n.Not
	case *sql.Quantified:
		x, q, c.op, c.all = n.X, n.Query, n.Op, n.How == "ALL"
	}
	c.left, ok = x.(*sql.Column)
	if !ok || c.left.Table == nil || !slices.Contains(quantifiers, c.op) {
		return c, false
	}
	c.rows = selected(q)
	if c.rows == nil || len(q.Order) > 0 || q.Limit != nil || len(q.Locks) > 0 {
		return c, false
	}
	s := c.rows
	if s.From == nil || len(s.On)+len(s.Options)+len(s.Group)+len(s.Windows) > 0 || s.Having != nil || len(s.Items) != 1 {
		return c, false
	}
	c.item, ok = s.Items[0].X.(*sql.Column)
	return c, ok && c.item.Table != nil && !gives(s.From, c.left.Table) && !volatile(s)
}

// gives says whether a FROM clause has a table by the name by which something else is known outside.
func gives(from sql.TableRef, outer *sql.Name) (found bool) {
	sql.Walk(from, func(n sql.Node) bool {
		var own *sql.Name
		switch n := n.(type) {
		case *sql.Table:
			if own = n.Alias; own == nil {
				own = n.Name
			}
		case *sql.Derived:
			own = n.Alias
		case *sql.TableCall:
			own = n.Alias
		case *sql.CTE:
			own = n.Name
		}
		found = found || own != nil && strings.EqualFold(own.Value, outer.Value)
		return !found
	})
	return found
}

// exists is the comparison by EXISTS.
func (c *quantified) exists() sql.Expr {
	compared := build.Paren(build.Binary(c.left, c.op, c.item))
	where := func(condition sql.Expr) sql.Expr {
		if c.rows.Where != nil {
			condition = build.All(build.Paren(c.rows.Where), condition)
		}
		return build.Exists(build.Query(&sql.Select{Items: build.Items(build.Int(1)), From: c.rows.From, Where: condition}))
	}
	one := build.Not(c.all, compared)
	decided := build.Case(build.Truth(c.all), build.When(where(one), build.Truth(!c.all)),
		build.When(where(build.IsNull(compared, false)), build.Null()))
	return build.Paren(build.Not(c.negated, decided))
}

package respell

import (
	"cmp"
	"slices"
	"strings"

	"txweave/sql"
)

// Parameters is a statement in which parameters stand for values that are spelled in it, each as mark spells the one of its number, from 1;
// and these values, in the order of the text. A planner that does not know them finds its way without them, and may keep it.
//
// Integers and texts are taken where they are compared with something else in WHERE and ON, given to a column by an INSERT of one row or by
// SET, or are a LIMIT: no type of what a query prints, and no expression that a query says twice, hangs on them there.
func Parameters(stmt sql.Stmt, mark func(n int) string) (sql.Stmt, []*sql.Literal) {
	if _, makes := stmt.(*sql.CreateTable); makes || !reads(stmt) {
		return stmt, nil
	}
	var values []*sql.Literal
	take := func(list ...sql.Expr) {
		for _, x := range list {
			if l, ok := x.(*sql.Literal); ok && parametric(l) && !slices.Contains(values, l) {
				values = append(values, l)
			}
		}
	}
	sql.Walk(stmt, func(n sql.Node) bool {
		switch n := n.(type) {
		case *sql.Select:
			operands(n.Where, take)
		case *sql.Join:
			operands(n.On, take)
		case *sql.Update:
			operands(n.Where, take)
		case *sql.Delete:
			operands(n.Where, take)
		case *sql.DeleteJoined:
			operands(n.Where, take)
		case *sql.Insert:
			if n.Source != nil {
				if v, ok := n.Source.Body.(*sql.Values); ok && len(v.Rows) == 1 {
					take(v.Rows[0].Items...)
				}
			}
		case *sql.Assign:
			take(n.Value)
		case *sql.Limit:
			take(n.Count, n.Offset)
		}
		return true
	})
	slices.SortFunc(values, func(a, b *sql.Literal) int {
		at, _, _ := sql.Span(a)
		other, _, _ := sql.Span(b)
		return cmp.Compare(at, other)
	})
	if len(values) == 0 {
		return stmt, nil
	}
	return sql.Rewrite(stmt, func(n sql.Node) sql.Node {
		if l, ok := n.(*sql.Literal); ok {
			if at := slices.Index(values, l); at >= 0 {
				return &sql.Param{Text: mark(at + 1)}
			}
		}
		return n
	}), values
}

// operands takes what a condition compares with something else; a subquery in it has conditions of its own.
func operands(condition sql.Expr, take func(...sql.Expr)) {
	if condition == nil {
		return
	}
	beside := func(x sql.Expr, with ...sql.Expr) {
		if !literal(x) {
			take(with...)
		}
	}
	sql.Walk(condition, func(n sql.Node) bool {
		switch n := n.(type) {
		case *sql.Query:
			return false
		case *sql.Binary:
			if comparison(n.Op) {
				beside(n.Left, n.Right)
				beside(n.Right, n.Left)
			}
		case *sql.Between:
			beside(n.X, n.Low, n.High)
		case *sql.In:
			beside(n.X, n.List...)
		}
		return true
	})
}

func comparison(op sql.Op) bool {
	switch op {
	case sql.OpEq, sql.OpNe, sql.OpLt, sql.OpLe, sql.OpGt, sql.OpGe, sql.OpSame:
		return true
	}
	return false
}

// parametric says whether a literal is an integer of 64 bits or a text whose characters are those between its quotes.
func parametric(l *sql.Literal) bool {
	switch l.Kind {
	case sql.Number:
		return len(l.Text) <= 18 && strings.Trim(l.Text, "0123456789") == ""
	case sql.Text:
		return l.Charset == "" && l.Text[0] == '\'' && strings.HasSuffix(l.Text, "'") && !strings.ContainsAny(l.Text, `\`) &&
			strings.Count(l.Text, "'")%2 == 0 && !strings.Contains(strings.ReplaceAll(l.Text[1:len(l.Text)-1], "''", ""), "'")
	}
	return false
}

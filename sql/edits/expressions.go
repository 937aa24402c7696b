package edits

import (
	"slices"
	"strconv"
	"strings"

	"txweave/sql"
	"txweave/sql/classes"
	"txweave/sql/sqltext"
)

// fits says whether a value of class d may take the place of one of class c.
func fits(c, d sqltext.Class) bool {
	return c == sqltext.UnknownClass || d == sqltext.UnknownClass || c == d || c == sqltext.Floating && d == sqltext.Exact
}

func number(n int) sql.Expr { return &sql.Literal{Kind: sql.Number, Text: strconv.Itoa(n)} }

func null() sql.Expr { return &sql.Literal{Kind: sql.Null, Text: "NULL"} }

// simplest is the text that may take the place of another one.
const simplest = "'a'"

// constants are the literals that may take the place of an expression of a class, best first; that of a truth value is
// one everywhere.
func constants(x sql.Expr, c sqltext.Class) []sql.Expr {
	switch {
	case isTruth(x):
		return []sql.Expr{&sql.Literal{Kind: sql.Bool, Text: "TRUE"}, &sql.Literal{Kind: sql.Bool, Text: "FALSE"}}
	case c == sqltext.Exact || c == sqltext.Floating:
		return []sql.Expr{number(1), number(0)}
	case c == sqltext.Text:
		return []sql.Expr{&sql.Literal{Kind: sql.Text, Text: simplest}}
	case c == sqltext.Temporal:
		return []sql.Expr{null()}
	}
	return []sql.Expr{number(1), null()}
}

// isTruth says whether an expression is a truth value, whatever its operands are.
func isTruth(x sql.Expr) bool {
	switch n := x.(type) {
	case *sql.Between, *sql.In, *sql.Like, *sql.Is, *sql.Exists, *sql.Quantified:
		return true
	case *sql.Unary:
		return n.Op == sql.OpNot
	case *sql.Binary:
		return slices.Contains(comparisons, n.Op) || n.Op == sql.OpAnd || n.Op == sql.OpOr || n.Op == sql.OpXor
	}
	return false
}

// values adds the edits of expressions that keep their class: a comparison of other classes than the case's would give
// warnings whose number depends on the plan.
func (e *editor) values(list ...sql.Expr) {
	for _, x := range list {
		if x != nil {
			e.expr(x, e.columns.ClassOf(x))
		}
	}
}

// expr adds the edits of an expression: one of its operands in its place, a constant in its place, a plainer
// comparison, less in its lists, then the edits of its operands. What takes its place must fit the class.
func (e *editor) expr(at sql.Expr, class sqltext.Class) {
	x := at
	for p, ok := x.(*sql.Paren); ok; p, ok = x.(*sql.Paren) {
		e.late = append(e.late, e.replacing(p, p.X))
		x = p.X
	}
	if isTerminal(x) {
		return
	}
	below, query := operandsOf(x), queryOf(x)
	if !isList(x) {
		for _, o := range below {
			e.take(at, sql.Bare(o), class)
		}
		if _, scalar := x.(*sql.Subquery); query != nil && !scalar {
			e.take(at, &sql.Subquery{Query: query}, class)
		}
		own := class
		if own == sqltext.UnknownClass {
			own = e.columns.ClassOf(x)
		}
		for _, c := range constants(x, own) {
			e.replace(at, c)
		}
	}
	if plain := plainly(x); plain != nil {
		e.replace(at, plain)
	}
	e.lists(x)
	e.narrower(x)
	e.values(below...)
	if query != nil {
		out := outputFixed
		if _, exists := x.(*sql.Exists); exists {
			out = outputFree
		}
		e.query(query, out)
	}
}

// take puts an operand in the place of an expression, where it fits.
func (e *editor) take(at, operand sql.Expr, class sqltext.Class) {
	if fits(class, e.columns.ClassOf(operand)) && !isList(operand) {
		e.replace(at, operand)
	}
}

// isList says whether an expression stands for several values, or is no value by itself: it cannot take the place of
// one, nor can one take its place.
func isList(x sql.Expr) bool {
	switch x.(type) {
	case *sql.Row, *sql.Interval, *sql.Worded, *sql.Star:
		return true
	}
	return false
}

// isTerminal says whether an expression is as small as it gets: 0, 1, 'a', NULL, or a truth value.
func isTerminal(x sql.Expr) bool {
	l, ok := x.(*sql.Literal)
	if !ok {
		return false
	}
	switch l.Kind {
	case sql.Null, sql.Bool:
		return true
	case sql.Number:
		return l.Text == "0" || l.Text == "1"
	case sql.Text:
		return l.Text == simplest && l.Charset == ""
	}
	return false
}

// queryOf is the query of an expression that has one.
func queryOf(x sql.Expr) *sql.Query {
	switch n := x.(type) {
	case *sql.In:
		return n.Query
	case *sql.Quantified:
		return n.Query
	case *sql.Exists:
		return n.Query
	case *sql.Subquery:
		return n.Query
	}
	return nil
}

// operandsOf returns the expressions directly below an expression, those of queries left out.
func operandsOf(x sql.Expr) (out []sql.Expr) {
	switch n := x.(type) {
	case *sql.Binary:
		if n.Op != sql.OpNamed && n.Op != sql.OpAssign {
			out = append(out, n.Left)
		}
		out = append(out, n.Right)
	case *sql.Unary:
		out = append(out, n.X)
	case *sql.Between:
		out = append(out, n.X, n.Low, n.High)
	case *sql.In:
		out = append(append(out, n.X), n.List...)
	case *sql.Like:
		out = append(out, n.X, n.Pattern)
	case *sql.Is:
		out = append(out, n.X)
	case *sql.Case:
		out = append(out, n.Else)
		for _, w := range n.Whens {
			out = append(out, w.Result, w.Cond)
		}
		out = append(out, n.Operand)
	case *sql.Call:
		out = arguments(n)
	case *sql.Cast:
		out = append(out, n.X)
	case *sql.Recode:
		out = append(out, n.X)
	case *sql.Collate:
		out = append(out, n.X)
	case *sql.Quantified:
		out = append(out, n.X)
	case *sql.Interval:
		out = append(out, n.X)
	case *sql.Row:
		out = append(out, n.Items...)
	}
	return present(out)
}

// present are the expressions that are there.
func present(list []sql.Expr) (out []sql.Expr) {
	for _, x := range list {
		if x != nil {
			out = append(out, x)
		}
	}
	return out
}

// arguments are what a function is called with, and of an aggregate the condition for the rows that it takes. Those of
// a window function stay as they are.
func arguments(n *sql.Call) (out []sql.Expr) {
	switch n.Name.Folded() {
	case "values", "default", "grouping": // of a column
		return nil
	}
	if n.Over != nil {
		return nil
	}
	for i, x := range n.Args {
		x = classes.Argument(x)
		if _, star := x.(*sql.Star); !star && !classes.IsWord(n, i) {
			out = append(out, x)
		}
	}
	return append(out, n.Filter)
}

// variadic are the functions that take one argument less.
var variadic = strings.Fields("coalesce concat concat_ws field greatest least")

// lists drops elements of the lists in an expression, and words that can go.
func (e *editor) lists(x sql.Expr) {
	switch n := x.(type) {
	case *sql.In:
		dropEach(e, n.List)
		plainer(e, n, func(n *sql.In) { n.Not = false })
	case *sql.Case:
		dropEach(e, n.Whens)
		if n.Else != nil {
			e.drop("", n.Else)
		}
	case *sql.Call:
		e.call(n)
	case *sql.Between:
		plainer(e, n, func(n *sql.Between) { n.Not = false })
	case *sql.Like:
		plainer(e, n, func(n *sql.Like) { n.Not = false })
	case *sql.Is:
		plainer(e, n, func(n *sql.Is) { n.Not = false })
	case *sql.Quantified:
		plainer(e, n, func(n *sql.Quantified) { n.Not = false })
	}
}

// plainly is a comparison by = or >= that is true where one by BETWEEN, IN or LIKE is, or may be: a case in which that
// one stays needs it. nil for others.
func plainly(x sql.Expr) sql.Expr {
	switch n := x.(type) {
	case *sql.Between:
		if !n.Not {
			return &sql.Binary{Op: sql.OpGe, Left: n.X, Right: n.Low}
		}
	case *sql.In:
		if !n.Not && len(n.List) > 0 {
			return &sql.Binary{Op: sql.OpEq, Left: n.X, Right: n.List[0]}
		}
	case *sql.Like:
		if !n.Not {
			return &sql.Binary{Op: sql.OpEq, Left: n.X, Right: n.Pattern}
		}
	}
	return nil
}

// comparedRows are the rows, of the same number of values, that an expression compares; nil where these are not all.
func comparedRows(x sql.Expr) (rows []*sql.Row) {
	var list []sql.Expr
	switch n := x.(type) {
	case *sql.Binary:
		list = []sql.Expr{n.Left, n.Right}
	case *sql.In:
		list = append([]sql.Expr{n.X}, n.List...)
	}
	for _, x := range list {
		row, ok := x.(*sql.Row)
		if !ok || len(list) < 2 || len(rows) > 0 && len(row.Items) != len(rows[0].Items) {
			return nil
		}
		rows = append(rows, row)
	}
	return rows
}

// narrower drops a value from all rows that an expression compares.
func (e *editor) narrower(x sql.Expr) {
	rows := comparedRows(x)
	if len(rows) == 0 || len(rows[0].Items) < 2 {
		return
	}
	for i := range rows[0].Items {
		to := map[sql.Node]sql.Node{}
		for _, r := range rows {
			if rest := without(r.Items, i, i+1); len(rest) > 1 {
				to[r] = sql.Edit(r, func(r *sql.Row) { r.Items = rest })
			} else {
				to[r] = rest[0]
			}
		}
		e.edits = append(e.edits, Edit{apply: func() sql.Stmt { return e.swapped(to) }})
	}
}

// call drops what a call can do without.
func (e *editor) call(n *sql.Call) {
	if slices.Contains(variadic, n.Name.Folded()) {
		dropEach(e, n.Args)
	}
	plainer(e, n, func(n *sql.Call) { n.Distinct = false })
	dropAll(e, "", n.Order)
	if n.Filter != nil {
		e.drop("", n.Filter)
	}
	e.window(n.Over)
}

// window drops what makes a window.
func (e *editor) window(w *sql.Window) {
	if w == nil {
		return
	}
	dropAll(e, "", w.Partition)
	dropEach(e, w.Partition)
	dropAll(e, "", w.Order)
	dropEach(e, w.Order)
	if w.Frame != nil {
		e.drop("", w.Frame)
	}
}

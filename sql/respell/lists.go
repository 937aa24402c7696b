package respell

import (
	"strconv"

	"txweave/sql"
	"txweave/sql/build"
)

// listed is a statement in which lists of literals behind IN are comparisons: a IN (1, 2) is ((a >= 1 AND a <= 1) OR (a
// >= 2 AND a <= 2)), which is the same by sqlite.org/lang_expr.html, "The IN and NOT IN operators", and no list to the
// planner, as a = 1 OR a = 2 is; and a column IN (SELECT a column …) is said by EXISTS.
func listed(stmt sql.Stmt) sql.Stmt {
	return sql.Replace(stmt, func(n sql.Node, above []sql.Node) sql.Node {
		in, ok := n.(*sql.In)
		switch {
		case !ok || !alone(n, above):
		case len(in.List) > 0 && operand(in.X):
			return ranges(in)
		case in.Query != nil && plainColumn(in.X) && !volatile(in.Query):
			return chosen(in)
		}
		return n
	})
}

// operand says whether what is on the left of IN may be said several times.
func operand(x sql.Expr) bool {
	switch x := x.(type) {
	case *sql.Column, *sql.Literal, *sql.Call, *sql.Paren:
		return !volatile(x) && !has[*sql.Query](x)
	}
	return false
}

// ranges is a list by comparisons; the list as it is where not all are literals.
func ranges(in *sql.In) sql.Expr {
	var parts []sql.Expr
	for _, member := range in.List {
		if !literal(member) {
			return in
		}
		parts = append(parts, build.Paren(build.All(build.Binary(in.X, sql.OpGe, member),
			build.Binary(in.X, sql.OpLe, member))))
	}
	if in.Not {
		return build.Paren(build.Not(true, build.Paren(build.Any(parts...))))
	}
	return build.Paren(build.Any(parts...))
}

// chosen is what a column IN (SELECT a column …) says by EXISTS: true where a row is like the operand, unknown where
// there are rows, and one of them, or the operand, is NULL. Rows are compared by =, by sqlite.org/datatype3.html ("x IN
// (SELECT y ...)" is handled as "x=y"), which holds to the last digit where both have an affinity of their own; a set
// operation, of which nobody says what its affinity is, and expressions, which have none, stay as they are.
func chosen(in *sql.In) sql.Expr {
	s := selected(in.Query)
	if s == nil || len(s.Items) != 1 || s.Items[0].Alias != nil || !plainColumn(s.Items[0].X) {
		return in
	}
	rows := &sql.CTE{Name: build.Name(rowsName), Columns: []*sql.Name{build.Name(valueName)}, Body: in.Query}
	where := func(condition sql.Expr) sql.Expr {
		return build.Exists(with(rows, build.Query(&sql.Select{Items: build.Items(build.Int(1)), From: build.Table(rowsName,
			""), Where: condition})))
	}
	return build.Paren(build.Not(in.Not, build.Case(build.Int(0),
		build.When(where(build.Binary(in.X, sql.OpEq, build.Column("", valueName))), build.Int(1)),
		build.When(build.Not(true, build.Exists(in.Query)), build.Int(0)),
		build.When(build.Any(build.IsNull(in.X, false), where(build.IsNull(build.Column("", valueName), false))),
			build.Null()))))
}

// compared is a statement in which row values are compared column by column, and IS is =, or whether both are NULL.
func compared(stmt sql.Stmt) sql.Stmt {
	return sql.Replace(stmt, func(n sql.Node, above []sql.Node) sql.Node {
		if !alone(n, above) {
			return n
		}
		switch n := n.(type) {
		case *sql.Binary:
			if n.Op == sql.OpSame || n.Op == sql.OpDistinct {
				return same(n)
			}
			return byColumn(n)
		case *sql.In:
			return rowsIn(n)
		}
		return n
	})
}

// byColumn is a comparison of two row values; what it is where it is none (sqlite.org/rowvalue.html, section 2.1: the
// first columns that differ decide).
func byColumn(n *sql.Binary) sql.Expr {
	left, ok := n.Left.(*sql.Row)
	right, ok2 := n.Right.(*sql.Row)
	if !ok || !ok2 || len(left.Items) != len(right.Items) || !each(left.Items, columnOrLiteral) ||
		!each(right.Items, columnOrLiteral) {
		return n
	}
	strict := n.Op
	switch n.Op {
	case sql.OpLe:
		strict = sql.OpLt
	case sql.OpGe:
		strict = sql.OpGt
	case sql.OpEq, sql.OpNe, sql.OpLt, sql.OpGt:
	default:
		return n
	}
	var x sql.Expr
	for k := len(left.Items) - 1; k >= 0; k-- {
		a, b := left.Items[k], right.Items[k]
		one := build.Binary(a, n.Op, b)
		switch {
		case x == nil:
			x = one
		case n.Op == sql.OpEq:
			x = build.Paren(build.All(one, x))
		case n.Op == sql.OpNe:
			x = build.Paren(build.Any(one, x))
		default:
			x = build.Paren(build.Any(build.Binary(a, strict, b), build.Paren(build.All(build.Binary(a, sql.OpEq, b), x))))
		}
	}
	return build.Paren(x)
}

// same is what IS or IS NOT says of two columns, or of a column and a literal.
func same(n *sql.Binary) sql.Expr {
	if !plainColumn(n.Left) || !columnOrLiteral(n.Right) {
		return n
	}
	both := build.All(build.IsNull(n.Left, false), build.IsNull(n.Right, false))
	return build.Paren(build.Not(n.Op == sql.OpDistinct, build.Call("COALESCE", build.Binary(n.Left, sql.OpEq,
		n.Right), both)))
}

// rowsIn is what (column, …) IN (SELECT column, … …) says by EXISTS: true where a row is like the operand in all
// columns, unknown where one may be.
func rowsIn(in *sql.In) sql.Expr {
	row, ok := in.X.(*sql.Row)
	s := selected(in.Query)
	if !ok || s == nil || volatile(in.Query) || len(row.Items) != len(s.Items) || !each(row.Items, plainColumn) ||
		!each(printed(s), plainColumn) {
		return in
	}
	rows := &sql.CTE{Name: build.Name(rowsName), Body: in.Query}
	var alike []sql.Expr
	for k, x := range row.Items {
		part := partName + strconv.Itoa(k)
		rows.Columns = append(rows.Columns, build.Name(part))
		alike = append(alike, build.Binary(x, sql.OpEq, build.Column("", part)))
	}
	where := func(condition sql.Expr) sql.Expr {
		return build.Exists(with(rows, build.Query(&sql.Select{Items: build.Items(build.Int(1)), From: build.Table(rowsName,
			""), Where: condition})))
	}
	found, unknown := where(build.All(alike...)), where(build.IsNull(build.Paren(build.All(alike...)), false))
	return build.Paren(build.Not(in.Not, build.Case(build.Int(0), build.When(found, build.Int(1)),
		build.When(unknown, build.Null()))))
}

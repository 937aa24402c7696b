package dbms

import "txweave/sql"

// hidden is opaque for a database whose statements are read as trees. One that is not read stays as it is.
func hidden(text string, d *sql.Dialect) string {
	stmt, err := d.Parse(text)
	if err != nil {
		return text
	}
	switch stmt := stmt.(type) {
	case *sql.Query, *sql.Insert, *sql.Update, *sql.Delete:
	case *sql.CreateTable:
		if stmt.As == nil {
			return text
		}
	default:
		return text
	}
	if told, err := d.Print(sql.Rewrite(stmt, hideConditions)); err == nil {
		return told
	}
	return text
}

// hideConditions says the conditions of a node by a CASE, and leaves out which index a table is read by, of which
// that may have no more use. The condition of a FULL JOIN stays, and so do those of ON CONFLICT, which name an index
// and are asked of one row.
func hideConditions(n sql.Node) sql.Node {
	switch n := n.(type) {
	case *sql.Select:
		return sql.Edit(n, func(s *sql.Select) { s.Where, s.Having = inCase(s.Where), inCase(s.Having) })
	case *sql.Join:
		if n.Kind != sql.FullJoin {
			return sql.Edit(n, func(j *sql.Join) { j.On = inCase(j.On) })
		}
	case *sql.Call:
		return sql.Edit(n, func(c *sql.Call) { c.Filter = inCase(c.Filter) })
	case *sql.Update:
		return sql.Edit(n, func(u *sql.Update) { u.Where = inCase(u.Where) })
	case *sql.Delete:
		return sql.Edit(n, func(d *sql.Delete) { d.Where = inCase(d.Where) })
	case *sql.Table:
		return sql.Edit(n, func(t *sql.Table) { t.Hints = nil })
	}
	return n
}

// inCase is a condition as the value of a CASE; nil for none.
func inCase(condition sql.Expr) sql.Expr {
	if condition == nil {
		return nil
	}
	word := func(text string) sql.Expr { return &sql.Literal{Kind: sql.Bool, Text: text} }
	return &sql.Case{Whens: []*sql.When{{Cond: &sql.Paren{X: condition}, Result: word("TRUE")}}, Else: word("FALSE")}
}

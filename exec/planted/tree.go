package planted

import sqltree "txweave/sql"

// tree is a statement as a tree; nil where its DBMS's dialect does not read it.
func (c *faultConn) tree(sql string) sqltree.Stmt {
	stmt, err := c.profile.Tree.Parse(sql)
	if err != nil {
		return nil
	}
	return stmt
}

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

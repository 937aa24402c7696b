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

package reduce

import (
	"txweave/sql"
	"txweave/sql/analysis"
	"txweave/sql/control"
	"txweave/sqltext"
	"txweave/testcase"
)

// rewriteStmts makes the target statements smaller, one edit at a time, through the parser's tree; those that
// cannot be read, or whose printed form the database does not take, by their tokens.
func rewriteStmts(s *Search) error {
	for n := range s.Case().Txns {
		for i := range s.Case().Txns[n].Stmts {
			if err := s.rewrite(func(c *testcase.Case) *string { return &c.Txns[n].Stmts[i].SQL }); err != nil {
				return err
			}
		}
	}
	return nil
}

// rewrite makes one statement smaller until no edit keeps the predicate.
func (s *Search) rewrite(at func(*testcase.Case) *string) error {
	spelled, err := s.respell(at)
	if err != nil {
		return err
	}
	for again := true; again; {
		again = false
		for i := 0; ; {
			candidate, more := s.edited(at, i)
			if !more {
				break
			}
			kept, err := s.Try(candidate)
			if err != nil {
				return err
			}
			if kept { // the edits of what is left have new numbers; those before get another chance in the next sweep
				again, spelled = true, true
			} else {
				i++
			}
		}
	}
	if spelled {
		return nil
	}
	return s.dropTokens(at)
}

// respell tries the statement as the parser prints it, on which edits are built. It reports whether it is spelled
// so now.
func (s *Search) respell(at func(*testcase.Case) *string) (bool, error) {
	sql := *at(s.Case())
	text, ok := s.rewriter.Spell(sql)
	if !ok || text == sql {
		return ok, nil
	}
	d := s.Case().Clone()
	*at(d) = text
	return s.Try(d)
}

// edited returns the case with the i-th edit of a statement; nil where that gives no statement, or one that has
// more than one right result where the statement has not. more is false where there are fewer edits.
func (s *Search) edited(at func(*testcase.Case) *string, i int) (d *testcase.Case, more bool) {
	c := s.Case()
	sql, more := s.rewriter.Edit(*at(c), s.schema(), i)
	if sql == "" {
		return nil, more
	}
	d = c.Clone()
	*at(d) = sql
	return d, true
}

// simplifyValues makes the values of initial rows and of INSERTs into 0, 1, 'a' or NULL: all together where that
// can be, else as many as can be.
func simplifyValues(s *Search) error {
	for choice := range 2 {
		c := s.Case()
		inserts := make([]inserted, len(c.Rows))
		for i := range c.Rows {
			inserts[i], _ = s.insertOf(c, c.Rows[i].SQL)
		}
		cells := cellsOf(inserts)
		err := s.Minimize(len(cells), func(keep []int) *testcase.Case {
			in := set(keep)
			to := map[int]map[sql.Node]sql.Node{} // by statement
			for i, cell := range cells {
				if simple := simpleValue(cell.value, choice); !in[i] && !sql.Equal(simple, cell.value) {
					if to[cell.stmt] == nil {
						to[cell.stmt] = map[sql.Node]sql.Node{}
					}
					to[cell.stmt][cell.value] = simple
				}
			}
			d := c.Clone()
			for i := range d.Rows {
				if to[i] != nil {
					d.Rows[i].SQL = s.print(inserts[i].put(to[i]), d.Rows[i].SQL)
				}
			}
			return d
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// cell is one value of an initial row that is not yet simple.
type cell struct {
	stmt  int
	value sql.Expr
}

func cellsOf(inserts []inserted) []cell {
	var out []cell
	for i, in := range inserts {
		for _, row := range in.rows {
			for k, x := range row.Items {
				if !sqltext.IsBookkeeping(in.columns[k]) && !isSimpleValue(x) {
					out = append(out, cell{i, x})
				}
			}
		}
	}
	return out
}

func isSimpleValue(x sql.Expr) bool {
	text := analysis.Spelling(x)
	return text == "0" || text == "1" || text == "'a'" || analysis.IsNull(x)
}

// simpleValue returns the first or second choice of a simple value of the same kind: a number, a text, another
// one.
func simpleValue(x sql.Expr, choice int) sql.Expr {
	if u, ok := x.(*sql.Unary); ok && u.Op == sql.OpSub {
		x = u.X
	}
	l, ok := x.(*sql.Literal)
	switch {
	case ok && l.Kind == sql.Text && choice == 0:
		return &sql.Literal{Kind: sql.Text, Text: "'a'"}
	case ok && l.Kind == sql.Number:
		return &sql.Literal{Kind: sql.Number, Text: []string{"0", "1"}[choice]}
	}
	return &sql.Literal{Kind: sql.Null, Text: "NULL"}
}

// simplifyBrackets opens transactions by a plain BEGIN, ends them by COMMIT and runs each in a session of its own.
func simplifyBrackets(s *Search) error {
	return s.Sweep(func(c *testcase.Case) []*testcase.Case {
		var out []*testcase.Case
		for n := range c.Txns {
			if d := plainFrame(c, n); d != nil {
				out = append(out, d)
			}
			if !c.Txns[n].Autocommit() && c.Txns[n].Begin.SQL != "BEGIN" {
				d := c.Clone()
				d.Txns[n].Begin.SQL = "BEGIN"
				out = append(out, d)
			}
			if c.Txns[n].Isolation != "" {
				d := c.Clone()
				d.Txns[n].Isolation = ""
				out = append(out, d)
			}
			if c.Txns[n].Session != 0 {
				d := c.Clone()
				d.OwnSession(n)
				out = append(out, d)
			}
			if !c.Txns[n].Autocommit() && c.Txns[n].End.SQL != "COMMIT" {
				d := c.Clone()
				d.Txns[n].End.SQL = "COMMIT"
				out = append(out, d)
			}
			if c.Read(c.Txns[n].End.SQL).Disconnects() {
				d := c.Clone()
				d.Txns[n].End.SQL = "ROLLBACK"
				out = append(out, d)
			}
		}
		return out
	})
}

// plainFrame puts a transaction that is opened otherwise between BEGIN and COMMIT; nil where there is none.
func plainFrame(c *testcase.Case, n int) *testcase.Case {
	begin, end := c.Read(c.Txns[n].Begin.SQL), c.Read(c.Txns[n].End.SQL)
	if f := begin.Opens(); f != control.Switched && f != control.Prepared && end.EndsPrepared() == "" {
		return nil
	}
	d := c.Select(func(int) bool { return true }, func(txn, stmt int) bool {
		kind := sqltext.KindOf(c.Txns[txn].Stmts[stmt].SQL)
		return txn != n || kind != sqltext.XA && kind != sqltext.Lock
	})
	d.Txns[n].Begin.SQL, d.Txns[n].End.SQL = "BEGIN", "COMMIT"
	if end.RollsBack() {
		d.Txns[n].End.SQL = "ROLLBACK"
	}
	return d
}

package reduce

import (
	"txweave/sql"
	"txweave/sql/analysis"
	"txweave/sql/control"
	"txweave/sql/sqltext"
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
			to := simplified(cells, set(keep), choice)
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

// simplified are the simple values, by statement, of the cells that are not to be kept.
func simplified(cells []cell, keep map[int]bool, choice int) map[int]map[sql.Node]sql.Node {
	to := map[int]map[sql.Node]sql.Node{}
	for i, cell := range cells {
		simple := simpleValue(cell.value, choice)
		if keep[i] || sql.Equal(simple, cell.value) {
			continue
		}
		if to[cell.stmt] == nil {
			to[cell.stmt] = map[sql.Node]sql.Node{}
		}
		to[cell.stmt][cell.value] = simple
	}
	return to
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
			t := &c.Txns[n]
			edit := func(where bool, change func(d *testcase.Case, t *testcase.Txn)) {
				if where {
					d := c.Clone()
					change(d, &d.Txns[n])
					out = append(out, d)
				}
			}
			if d := plainFrame(c, n); d != nil {
				out = append(out, d)
			}
			edit(!t.Autocommit() && t.Begin.SQL != "BEGIN", func(_ *testcase.Case, t *testcase.Txn) { t.Begin.SQL = "BEGIN" })
			edit(t.Isolation != "", func(_ *testcase.Case, t *testcase.Txn) { t.Isolation = "" })
			edit(t.Session != 0, func(d *testcase.Case, _ *testcase.Txn) { d.OwnSession(n) })
			edit(!t.Autocommit() && t.End.SQL != "COMMIT", func(_ *testcase.Case, t *testcase.Txn) { t.End.SQL = "COMMIT" })
			edit(c.Read(t.End.SQL).Disconnects(), func(_ *testcase.Case, t *testcase.Txn) { t.End.SQL = "ROLLBACK" })
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

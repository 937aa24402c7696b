package reduce

import (
	"strings"

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
	text, ok := s.parser.Spell(sql)
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
	sql, more := s.parser.Edit(*at(c), s.schema(), i)
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
	for _, choice := range []int{0, 1} {
		c := s.Case()
		cells := cellsOf(c)
		err := s.Minimize(len(cells), func(keep []int) *testcase.Case {
			in := set(keep)
			d := c.Clone()
			for i, cell := range cells {
				if simple := simpleValue(cell.text, choice); !in[i] && simple != cell.text {
					cell.put(d, simple)
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
	stmt, row, column int
	text              string
}

func cellsOf(c *testcase.Case) []cell {
	var out []cell
	for i := range c.Rows {
		v, ok := valuesOf(c, c.Rows[i].SQL)
		if !ok {
			continue
		}
		for j, row := range v.Cells {
			for k, text := range row {
				if !sqltext.IsBookkeeping(v.Columns[k]) && !isSimpleValue(text) {
					out = append(out, cell{i, j, k, text})
				}
			}
		}
	}
	return out
}

// put writes a cell.
func (x cell) put(c *testcase.Case, text string) {
	v, _ := sqltext.SplitValues(c.Rows[x.stmt].SQL)
	v.Cells[x.row][x.column] = text
	c.Rows[x.stmt].SQL = v.Without(nil)
}

func isSimpleValue(text string) bool {
	return text == "0" || text == "1" || text == "'a'" || strings.EqualFold(text, "NULL")
}

// simpleValue returns the first or second choice of a simple value of the same kind: a number, a text, another
// one.
func simpleValue(text string, choice int) string {
	switch {
	case strings.HasPrefix(text, "'"):
		return []string{"'a'", "NULL"}[choice]
	case strings.Trim(text, "-+.0123456789eE") == "":
		return []string{"0", "1"}[choice]
	}
	return "NULL"
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
				d.Txns[n].Session = 0
				out = append(out, d)
			}
			if !c.Txns[n].Autocommit() && c.Txns[n].End.SQL != "COMMIT" {
				d := c.Clone()
				d.Txns[n].End.SQL = "COMMIT"
				out = append(out, d)
			}
			if sqltext.Disconnects(c.Txns[n].End.SQL) {
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
	begin := sqltext.Read(c.Txns[n].Begin.SQL)
	end := sqltext.Read(c.Txns[n].End.SQL)
	if f := begin.Opens(); f != sqltext.Switched && f != sqltext.Prepared && end.EndsPrepared() == "" {
		return nil
	}
	d := selectStmts(c, func(int) bool { return true }, func(txn, stmt int) bool {
		kind := sqltext.KindOf(c.Txns[txn].Stmts[stmt].SQL)
		return txn != n || kind != sqltext.XA && kind != sqltext.Lock
	})
	d.Txns[n].Begin.SQL, d.Txns[n].End.SQL = "BEGIN", "COMMIT"
	if sqltext.RollsBack(c.Txns[n].End.SQL) {
		d.Txns[n].End.SQL = "ROLLBACK"
	}
	return d
}

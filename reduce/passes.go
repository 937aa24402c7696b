package reduce

import (
	"slices"

	"txweave/testcase"
)

// DefaultPasses returns all passes, cheap and coarse ones first.
func DefaultPasses() []Pass {
	return []Pass{
		{"plan", dropSettings},
		{"transactions", dropTxns},
		{"statements", dropStmts},
		{"schedule", simplifySchedule},
		{"rows", dropRows},
		{"tables", dropTables},
		{"columns", dropColumns},
		{"indexes", dropIndexes},
		{"values", simplifyValues},
		{"sql", rewriteStmts},
		{"brackets", simplifyBrackets},
		{"keys", renumberKeys},
		{"names", rename},
	}
}

// dropSettings drops the plan settings, and the shape of the store; a case's other options say what it was found under.
func dropSettings(s *Search) error {
	for _, key := range []string{testcase.OptionPlan, testcase.OptionSetting, testcase.OptionStore} {
		d := s.Case().Clone()
		d.Options = slices.DeleteFunc(d.Options, func(o testcase.Option) bool { return o.Key == key })
		if len(d.Options) == len(s.Case().Options) {
			continue
		}
		if _, err := s.Try(d); err != nil {
			return err
		}
	}
	return nil
}

// dropTxns drops whole transactions.
func dropTxns(s *Search) error {
	c := s.Case()
	return s.Minimize(len(c.Txns), func(keep []int) *testcase.Case {
		in := set(keep)
		return selectStmts(c, func(txn int) bool { return in[txn] }, func(int, int) bool { return true })
	})
}

// dropStmts drops target statements, of all transactions together. BEGIN and the statement that ends a
// transaction stay.
func dropStmts(s *Search) error {
	c := s.Case()
	type place struct{ txn, stmt int }
	number := map[place]int{}
	for n := range c.Txns {
		for i := range c.Txns[n].Stmts {
			number[place{n, i}] = len(number)
		}
	}
	return s.Minimize(len(number), func(keep []int) *testcase.Case {
		in := set(keep)
		return selectStmts(c, func(int) bool { return true }, func(txn, stmt int) bool { return in[number[place{txn, stmt}]] })
	})
}

// selectStmts returns a copy of the case with only the transactions and target statements asked for. The
// transactions are numbered anew, and an entry of the schedule or the order goes with its statement.
func selectStmts(c *testcase.Case, keepTxn func(txn int) bool, keepStmt func(txn, stmt int) bool) *testcase.Case {
	d := c.Clone()
	d.Txns, d.Schedule = nil, nil
	number := make([]int, len(c.Txns))
	renamed := map[testcase.Ref]testcase.Ref{}
	stays := func(n int) bool { return keepTxn(n) && (!c.Txns[n].Autocommit() || keepStmt(n, 0)) }
	for n, t := range c.Clone().Txns {
		if !stays(n) {
			continue
		}
		number[n] = len(d.Txns)
		var stmts []testcase.Stmt
		for i, stmt := range t.Stmts {
			if keepStmt(n, i) {
				renamed[testcase.Ref{Txn: n, Stmt: i}] = testcase.Ref{Txn: number[n], Stmt: len(stmts)}
				stmts = append(stmts, stmt)
			}
		}
		d.Txns = append(d.Txns, testcase.Txn{Session: t.Session, Isolation: t.Isolation, Begin: t.Begin, Stmts: stmts, End: t.End})
	}
	step := make([]int, len(c.Txns)) // the next step of each transaction
	for _, n := range c.Schedule {
		i := step[n]
		step[n]++
		fixed := i == 0 || i == c.Txns[n].Steps()-1
		if stays(n) && (fixed || keepStmt(n, i-1)) {
			d.Schedule = append(d.Schedule, number[n])
		}
	}
	d.Order = nil
	for _, r := range c.Order {
		if to, kept := renamed[r]; kept {
			d.Order = append(d.Order, to)
		}
	}
	return d
}

// set returns the numbers as a set.
func set(numbers []int) map[int]bool {
	in := make(map[int]bool, len(numbers))
	for _, n := range numbers {
		in[n] = true
	}
	return in
}

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

// dropSettings drops the plan settings, has the statements executed a third time under the one under which the case is
// run where it needs both, which leaves the usual plan for the run, and drops the shape of the store and what sessions
// are set to; a case's other options say what it was found under.
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
	if run := s.Case().Option(testcase.OptionSetting); run != "" && s.Case().Option(testcase.OptionPlan) != "" {
		d := s.Case().Clone()
		d.Options = slices.DeleteFunc(d.Options, func(o testcase.Option) bool { return o.Key == testcase.OptionSetting })
		d.SetOption(testcase.OptionPlan, run)
		if _, err := s.Try(d); err != nil {
			return err
		}
	}
	for i := len(s.Case().Sessions) - 1; i >= 0; i-- {
		for n := len(s.Case().Sessions[i].Stmts) - 1; n >= 0; n-- {
			d := s.Case().Clone()
			d.Unset(i, n)
			if _, err := s.Try(d); err != nil {
				return err
			}
		}
	}
	return nil
}

// dropTxns drops whole transactions.
func dropTxns(s *Search) error {
	c := s.Case()
	return s.Minimize(len(c.Txns), func(keep []int) *testcase.Case {
		in := set(keep)
		return c.Select(func(txn int) bool { return in[txn] }, func(int, int) bool { return true })
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
		return c.Select(func(int) bool { return true }, func(txn, stmt int) bool { return in[number[place{txn, stmt}]] })
	})
}

// set returns the numbers as a set.
func set(numbers []int) map[int]bool {
	in := make(map[int]bool, len(numbers))
	for _, n := range numbers {
		in[n] = true
	}
	return in
}

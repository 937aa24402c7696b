package guide

import (
	"math/rand/v2"
	"slices"
	"strings"

	"txweave/dbms"
	"txweave/sql/analysis"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// optionConflicts is the key of the header field that says how the transactions of a case of the generator's were made
// to meet.
const optionConflicts = "conflicts"

// attempts is how often Meet tries to make a case that can be judged.
const attempts = 6

// Meet makes the transactions of a case of the generator's meet, by the operators that do, and returns their names:
// what it makes follows from the case, rng and related, which returns another case over the same tables and rows, nil
// for none. It returns nil where attempts come to nothing that can be judged; c stays as it is.
func Meet(rng *rand.Rand, c *testcase.Case, p *dbms.Profile, levels []string, related func() *testcase.Case) (
	met *testcase.Case, names []string) {
	schema := c.ReadSchema()
	for range attempts {
		m := &mutator{rng: rng, profile: p, levels: levels, parser: analysis.TextsOf(sqltext.SyntaxOf(p.DBMS)), c: c.Clone(),
			schema: schema, related: related}
		if names = m.change(func(o *operator) int { return o.meets }); names != nil {
			m.c.SetOption(optionConflicts, strings.Join(names, " "))
			return m.c.Number(), names // it is a case of the generator's still
		}
	}
	return nil, nil
}

// Meetings counts the pairs of statements of different transactions of which one writes a table that the other one
// names. It goes with the edges that the transactions will have between them, and takes no database.
func Meetings(c *testcase.Case) int {
	type stmt struct {
		txn    int
		writes bool
		target string
		tables []string
	}
	var all []stmt
	for i := range c.Txns {
		for j := range c.Txns[i].Stmts {
			s := c.Read(c.Txns[i].Stmts[j].SQL)
			all = append(all, stmt{i, s.Kind.Writes(), s.Target(), s.Tables()})
		}
	}
	n := 0
	for i := range all {
		w := &all[i]
		if !w.writes {
			continue
		}
		for j := range all {
			if o := &all[j]; o.txn != w.txn && slices.Contains(o.tables, w.target) {
				n++
			}
		}
	}
	return n
}

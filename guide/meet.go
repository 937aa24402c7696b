package guide

import (
	"math/rand/v2"
	"strings"

	"txweave/dbms"
	"txweave/sqltext"
	"txweave/testcase"
)

// optionMet is the key of the header field that says how the transactions of a case of the generator's were made to meet.
const optionMet = "met"

// Meet makes the transactions of a case of the generator's meet, by the operators that do, and returns their names: what it makes
// follows from the case, rng and kin, which returns another case over the same tables and rows, nil for none. It returns nil where
// attempts come to nothing that can be judged; c stays as it is.
func Meet(rng *rand.Rand, c *testcase.Case, p *dbms.Profile, levels []string, kin func() *testcase.Case) (met *testcase.Case, names []string) {
	schema := sqltext.ReadSchema(testcase.Texts(c.Schema))
	for range attempts {
		m := &mutator{rng: rng, profile: p, levels: levels, parser: sqltext.SyntaxOf(p.DBMS).Grammar(), c: c.Clone(), schema: schema, kin: kin}
		if names = m.change(func(o *operator) int { return o.meets }); names != nil {
			m.c.SetOption(optionMet, strings.Join(names, " "))
			return m.c, names
		}
	}
	return nil, nil
}

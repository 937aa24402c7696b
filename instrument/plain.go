package instrument

import (
	"fmt"
	"txweave/dbms"
	"txweave/sqltext"

	"txweave/testcase"
)

// Plain makes a plan without probes, for a case that says itself in which order its statements have to give the
// same results. Its tables need none of the bookkeeping columns, and nothing is asked of its statements.
func Plain(c *testcase.Case, p *dbms.Profile) (*Plan, error) {
	if err := admit(c, p); err != nil {
		return nil, err
	}
	schema := sqltext.ReadSchema(testcase.Texts(c.Schema))
	if err := checkFunctions(c, sqltext.QuotingOf(p.DBMS)); err != nil {
		return nil, err
	}
	if err := checkValues(c, schema, p); err != nil {
		return nil, err
	}
	if len(schema.Tables) == 0 {
		return nil, fmt.Errorf("schema: no table")
	}
	plan := &Plan{Case: c, Schema: schema, Profile: p}
	plan.addTxns()
	for i := range c.Txns {
		txn := &plan.Txns[i]
		for j, s := range c.Txns[i].Stmts {
			txn.Blocks = append(txn.Blocks, &Block{Txn: i, Stmt: j, SQL: s.SQL, Info: &sqltext.Analysis{Kind: sqltext.KindOf(s.SQL)}})
		}
	}
	return plan, nil
}

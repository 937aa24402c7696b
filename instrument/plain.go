package instrument

import (
	"fmt"
	"strings"

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
	schema := sqltext.SyntaxOf(p.DBMS).Schema(testcase.Texts(c.Schema))
	if err := checkFunctions(c, sqltext.SyntaxOf(p.DBMS).Quoting); err != nil {
		return nil, err
	}
	if err := checkTables(c, schema, sqltext.SyntaxOf(p.DBMS).Quoting); err != nil {
		return nil, err
	}
	if err := checkValues(c, schema, p); err != nil {
		return nil, err
	}
	if len(schema.Tables) == 0 {
		return nil, fmt.Errorf("schema: no table")
	}
	plan := &Plan{Case: c, Schema: schema, Profile: p, syntax: sqltext.SyntaxOf(p.DBMS)}
	if err := plan.deferred(); err != nil {
		return nil, err
	}
	if err := plan.addTxns(); err != nil {
		return nil, err
	}
	for i := range c.Txns {
		txn := &plan.Txns[i]
		for j, s := range c.Txns[i].Stmts {
			text := p.Read(s.SQL)
			b := &Block{Txn: i, Stmt: j, SQL: s.SQL, Tree: plan.parse(s.SQL), Info: &sqltext.Analysis{Kind: text.Does()}}
			if _, locks := text.TableLocks(); locks {
				return nil,
					fmt.Errorf(
						"%s: LOCK TABLES has no place in a case with an order: its statements could be refused there as they are "+
							"nowhere else", plan.at(b))
			}
			if l, ok := text.AdvisoryLock(); ok {
				b.advisory(l)
			}
			if locks, ok := text.ModeLocks(); ok {
				if err := plan.lockModes(b, locks); err != nil {
					return nil, fmt.Errorf("%s: %w", plan.at(b), err)
				}
			}
			if !text.IsTarget() {
				if d, ok := text.Redefinition(); ok {
					b.Redefines = &d
				}
			}
			txn.Blocks = append(txn.Blocks, b)
		}
	}
	for i := range plan.Txns {
		plan.Txns[i].Certified = plan.Txns[i].Certified && !plan.shutsOut
	}
	return plan, nil
}

// checkTables refuses a statement over a table that the schema does not create: all that it could show is the error.
func checkTables(c *testcase.Case, schema *sqltext.Schema, q sqltext.Quoting) error {
	for n := range c.Txns {
		for i, stmt := range c.Txns[n].Stmts {
			s := q.Read(stmt.SQL)
			if s.Kind == sqltext.Delete && schema.Table(s.Target) == nil { // DELETE alias FROM …
				continue
			}
			scratch, _ := c.Read(stmt.SQL).Scratch()
			for _, name := range s.Tables() {
				if name == scratch.Table && name != "" {
					continue
				}
				inside := sqltext.SyntaxOf(p.DBMS).Inside
				if schema.Table(name) == nil && (inside == "" || !strings.HasPrefix(name, inside)) {
					return fmt.Errorf("%s: unknown table %s", c.At(testcase.Ref{Txn: n, Stmt: i}), name)
				}
			}
		}
	}
	return nil
}

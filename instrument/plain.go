package instrument

import (
	"errors"
	"fmt"
	"strings"

	"txweave/dbms"
	"txweave/sql/sqltext"
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
	if err := checkTables(c, schema, sqltext.SyntaxOf(p.DBMS)); err != nil {
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
		for j, s := range c.Txns[i].Stmts {
			b := &Block{Txn: i, Stmt: j, SQL: s.SQL, Tree: plan.parse(s.SQL)}
			if err := plan.unprobed(b); err != nil {
				return nil, fmt.Errorf("%s: %w", plan.at(b), err)
			}
			plan.Txns[i].Blocks = append(plan.Txns[i].Blocks, b)
		}
	}
	for i := range plan.Txns {
		plan.Txns[i].Certified = plan.Txns[i].Certified && !plan.shutsOut
	}
	return plan, nil
}

// unprobed says of a block without probes what it does besides reading and writing rows.
func (p *Plan) unprobed(b *Block) error {
	text := p.Profile.Read(b.SQL)
	b.Info = &sqltext.Analysis{Kind: text.Does()}
	if _, locks := text.TableLocks(); locks {
		return errors.New("LOCK TABLES has no place in a case with an order: its statements could be refused there as they " +
			"are nowhere else")
	}
	if l, ok := text.AdvisoryLock(); ok {
		b.advisory(l)
	}
	if locks, ok := text.ModeLocks(); ok {
		if err := p.lockModes(b, locks); err != nil {
			return err
		}
	}
	if d, ok := text.Redefinition(); ok && !text.IsTarget() {
		b.Redefines = &d
	}
	return nil
}

// checkTables refuses a statement over a table that the schema does not create: all that it could show is the error.
func checkTables(c *testcase.Case, schema *sqltext.Schema, x *sqltext.Syntax) error {
	for n := range c.Txns {
		for i, stmt := range c.Txns[n].Stmts {
			s := x.Quoting.Read(stmt.SQL)
			if s.Kind == sqltext.Delete && schema.Table(s.Target) == nil { // DELETE alias FROM …
				continue
			}
			scratch, _ := c.Read(stmt.SQL).Scratch()
			for _, name := range s.Tables() {
				made := name == scratch.Table && name != "" || x.Inside != "" && strings.HasPrefix(name, x.Inside)
				if !made && schema.Table(name) == nil {
					return fmt.Errorf("%s: unknown table %s", c.At(testcase.Ref{Txn: n, Stmt: i}), name)
				}
			}
		}
	}
	return nil
}

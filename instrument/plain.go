package instrument

import (
	"fmt"
	"strings"
	"txweave/dbms"

	"txweave/sdg"
	"txweave/testcase"
)

// Plain makes a plan without probes, for a case that says itself in which order its statements have to give the
// same results. Its tables need none of the bookkeeping columns, and nothing is asked of its statements.
func Plain(c *testcase.Case, p *dbms.Profile) (*Plan, error) {
	schema := &Schema{index: map[string]*Table{}}
	for _, d := range c.Schema {
		name := createdTable(d.SQL)
		if name == "" || schema.index[name] != nil {
			continue
		}
		t := &Table{Name: name}
		schema.Tables = append(schema.Tables, t)
		schema.index[name] = t
	}
	if len(schema.Tables) == 0 {
		return nil, fmt.Errorf("schema: no table")
	}
	plan := &Plan{Case: c, Schema: schema, Profile: p}
	plan.addTxns()
	for i := range c.Txns {
		txn := &plan.Txns[i]
		for j, s := range c.Txns[i].Stmts {
			txn.Blocks = append(txn.Blocks, &Block{Txn: i, Stmt: j, SQL: s.SQL, Info: &Analysis{Kind: verbs[firstWord(s.SQL)]}})
		}
	}
	return plan, nil
}

// createdTable returns the name, in lower case, of the table that a statement creates; "" if it creates none.
func createdTable(sql string) string {
	var words []string
	for t := range testcase.Tokens(sql) {
		switch t.Kind {
		case testcase.Space, testcase.Comment:
			continue
		case testcase.Word, testcase.Name:
			words = append(words, strings.ToLower(t.Unquote()))
		default:
			words = append(words, "") // ends the name
		}
		if len(words) > 8 {
			break
		}
	}
	next := func(want ...string) bool {
		if len(words) < len(want) {
			return false
		}
		for i, w := range want {
			if words[i] != w {
				return false
			}
		}
		words = words[len(want):]
		return true
	}
	if !next("create") {
		return ""
	}
	_ = next("or", "replace") || next("temporary")
	if !next("table") {
		return ""
	}
	next("if", "not", "exists")
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// verbs are the first words of statements that return no rows; every other one is read like a SELECT.
var verbs = map[string]sdg.Kind{"UPDATE": sdg.Update, "DELETE": sdg.Delete, "INSERT": sdg.Insert, "REPLACE": sdg.Insert,
	"SAVEPOINT": sdg.Update, "ROLLBACK": sdg.Update, "RELEASE": sdg.Update, "SET": sdg.Update}

func firstWord(sql string) string {
	for t := range testcase.Tokens(sql) {
		if t.Kind == testcase.Word {
			return strings.ToUpper(t.Text)
		}
		if t.Kind != testcase.Space && t.Kind != testcase.Comment && t.Text != "(" {
			break
		}
	}
	return ""
}

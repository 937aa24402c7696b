package instrument

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"txweave/dbms"
	"txweave/sql/analysis"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// checkValues refuses statements that write what the database makes up: the next number of a counter, which depends on
// the INSERTs that came before, also on those that were rolled back, and the time or the user, which are other ones
// when the statement is replayed. A case that gives its own order may let the database count where its counters can be
// put back before the replay and the order has the INSERTs as the schedule has them.
func checkValues(c *testcase.Case, schema *sqltext.Schema, p *dbms.Profile) error {
	if err := checkSchemaFunctions(c, sqltext.SyntaxOf(p.DBMS).Quoting); err != nil {
		return err
	}
	if err := checkNow(c, sqltext.SyntaxOf(p.DBMS)); err != nil {
		return err
	}
	if !slices.ContainsFunc(schema.Tables, func(t *sqltext.Table) bool {
		return slices.ContainsFunc(t.Columns, madeUpColumn)
	}) {
		return nil
	}
	mayCount := len(c.Order) > 0 && p.Writes.CountersReset
	counted := map[testcase.Ref]string{} // the table whose counter a statement uses
	for n := range c.Txns {
		for i, stmt := range c.Txns[n].Stmts {
			ref := testcase.Ref{Txn: n, Stmt: i}
			table, err := countedBy(stmt.SQL, schema, sqltext.SyntaxOf(p.DBMS), mayCount)
			if err != nil {
				return fmt.Errorf("%s: %w", c.At(ref), err)
			}
			if table != "" {
				counted[ref] = table
			}
		}
	}
	return sameCounts(c, counted)
}

// countedBy returns the table in which a statement lets the database count; "": in none.
func countedBy(text string, schema *sqltext.Schema, syntax *sqltext.Syntax, mayCount bool) (table string, err error) {
	stmt, err := syntax.Tree.Parse(text)
	if err != nil {
		s := syntax.Quoting.Read(text)
		if t := schema.Table(s.Target); t != nil && s.Kind.Writes() && slices.ContainsFunc(t.Columns, madeUpColumn) {
			return "", fmt.Errorf("table %s has values that the database makes up, and what the statement gives them is not "+
				"known: %w", t.Name, err)
		}
		return "", nil
	}
	for _, w := range analysis.WrittenBy(stmt) {
		if t := schema.Table(w.Table); t != nil {
			counts, err := checkWrite(&w, t, mayCount)
			if err != nil {
				return "", err
			}
			if counts {
				table = t.Name
			}
		}
	}
	return table, nil
}

// sameCounts refuses an order that has the statements which make the database count in another order than the schedule,
// or leaves one out.
func sameCounts(c *testcase.Case, counted map[testcase.Ref]string) error {
	scheduled, ordered := map[string][]testcase.Ref{}, map[string][]testcase.Ref{}
	for _, step := range steps(c) {
		if ref := (testcase.Ref{Txn: step.Txn, Stmt: step.Unit}); counted[ref] != "" {
			scheduled[counted[ref]] = append(scheduled[counted[ref]], ref)
		}
	}
	for _, ref := range c.Order {
		if counted[ref] != "" {
			ordered[counted[ref]] = append(ordered[counted[ref]], ref)
		}
	}
	for _, ref := range slices.SortedFunc(maps.Keys(counted), func(a, b testcase.Ref) int {
		return cmp.Or(cmp.Compare(a.Txn, b.Txn), cmp.Compare(a.Stmt, b.Stmt))
	}) {
		if table := counted[ref]; !slices.Equal(scheduled[table], ordered[table]) {
			return fmt.Errorf(
				"%s: the database counts in %s, also what is rolled back, and would count otherwise in the order: give it a value",
				c.At(ref), table)
		}
	}
	return nil
}

// checkWrite judges what is written into one table; counts says that it lets the database count.
func checkWrite(w *analysis.Written, t *sqltext.Table, mayCount bool) (counts bool, err error) {
	for _, col := range t.Columns {
		if w.Changes && col.Stamped && !slices.Contains(w.Sets, col.Name) {
			return false, fmt.Errorf("%s.%s: the database writes the time into it: give it a value", t.Name, col.Name)
		}
		if !w.Inserts || w.Gives(t, col) {
			continue
		}
		switch {
		case col.Made:
			return false, fmt.Errorf("%s.%s: its default does not come from the database's contents: give it a value",
				t.Name, col.Name)
		case col.Random || col.Counts && !mayCount:
			return false,
				fmt.Errorf("%s.%s: the database counts, and what it gives depends on which INSERTs came before: give it a value",
					t.Name, col.Name)
		}
		counts = counts || col.Counts
	}
	return counts, nil
}

// madeUpColumn says whether the database may make up the column's values.
func madeUpColumn(c sqltext.Column) bool {
	return c.Counts || c.Made || c.Stamped
}

// checkSchemaFunctions refuses views and triggers with functions whose value is another one in the replay.
func checkSchemaFunctions(c *testcase.Case, q sqltext.Quoting) error {
	for i, stmt := range c.Schema {
		s := q.Read(stmt.SQL)
		if session, _ := s.Calls(); len(session) > 0 && s.Creates() != "table" && s.Kind != sqltext.Alter {
			return fmt.Errorf("schema, statement %d: function %s: its value does not come from the database's contents", i,
				strings.ToUpper(session[0]))
		}
	}
	return nil
}

// checkFunctions refuses, in a case that no parser reads, functions whose value is another one in the replay.
func checkFunctions(c *testcase.Case, q sqltext.Quoting) error {
	for n := range c.Txns {
		for i, s := range c.Txns[n].Stmts {
			if _, lock := c.Read(s.SQL).AdvisoryLock(); lock {
				continue
			}
			text := q.Read(s.SQL)
			if session, _ := text.Calls(); len(session) > 0 {
				return fmt.Errorf("%s: function %s: its value does not come from the database's contents",
					c.At(testcase.Ref{Txn: n, Stmt: i}), strings.ToUpper(session[0]))
			}
		}
	}
	return nil
}

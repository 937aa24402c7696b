package instrument

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"txweave/dbms"
	"txweave/sqltext"
	"txweave/testcase"
)

// checkValues refuses statements that write what the database makes up: the next number of a counter, which depends on
// the INSERTs that came before, also on those that were rolled back, and the time or the user, which are other ones when
// the statement is replayed. A case that gives its own order may let the database count where its counters can be put
// back before the replay and the order has the INSERTs as the schedule has them.
func checkValues(c *testcase.Case, schema *sqltext.Schema, p *dbms.Profile) error {
	if err := checkSchemaFunctions(c, sqltext.SyntaxOf(p.DBMS).Quoting); err != nil {
		return err
	}
	if err := checkNow(c, sqltext.SyntaxOf(p.DBMS)); err != nil {
		return err
	}
	if !slices.ContainsFunc(schema.Tables, func(t *sqltext.Table) bool { return slices.ContainsFunc(t.Columns, madeUpColumn) }) {
		return nil
	}
	mayCount := len(c.Order) > 0 && p.CountersReset
	counted := map[testcase.Ref]string{} // the table whose counter a statement uses
	for n := range c.Txns {
		for i, stmt := range c.Txns[n].Stmts {
			ref := testcase.Ref{Txn: n, Stmt: i}
			s := sqltext.SyntaxOf(p.DBMS).Quoting.Read(stmt.SQL)
			t := schema.Table(s.Target)
			if t == nil || !s.Kind.Writes() {
				continue
			}
			counts, err := checkWrite(s, stmt.SQL, t, mayCount)
			if err != nil {
				return fmt.Errorf("%s: %w", c.At(ref), err)
			}
			if counts {
				counted[ref] = t.Name
			}
		}
	}
	return sameCounts(c, counted)
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
	for _, ref := range slices.SortedFunc(maps.Keys(counted), func(a, b testcase.Ref) int { return cmp.Or(cmp.Compare(a.Txn, b.Txn), cmp.Compare(a.Stmt, b.Stmt)) }) {
		if table := counted[ref]; !slices.Equal(scheduled[table], ordered[table]) {
			return fmt.Errorf("%s: the database counts in %s, also what is rolled back, and would count otherwise in the order: give it a value", c.At(ref), table)
		}
	}
	return nil
}

// checkWrite judges one write of a table; counts says that it lets the database count.
func checkWrite(s sqltext.Statement, sql string, t *sqltext.Table, mayCount bool) (counts bool, err error) {
	updates := s.Kind == sqltext.Update || slices.ContainsFunc(s.Tokens, func(t sqltext.Token) bool { return t.Is("duplicate", "conflict") })
	for _, col := range t.Columns {
		if updates && col.Stamped && !assigns(s, col.Name) {
			return false, fmt.Errorf("%s.%s: the database writes the time into it: give it a value", t.Name, col.Name)
		}
		if s.Kind != sqltext.Insert || gives(s, sql, t, col) {
			continue
		}
		switch {
		case col.Made:
			return false, fmt.Errorf("%s.%s: its default does not come from the database's contents: give it a value", t.Name, col.Name)
		case col.Random || col.Counts && !mayCount:
			return false, fmt.Errorf("%s.%s: the database counts, and what it gives depends on which INSERTs came before: give it a value", t.Name, col.Name)
		}
		counts = counts || col.Counts
	}
	return counts, nil
}

// madeUpColumn says whether the database may make up the column's values.
func madeUpColumn(c sqltext.Column) bool {
	return c.Counts || c.Made || c.Stamped
}

// gives says whether an INSERT gives a column a value of its own.
func gives(s sqltext.Statement, sql string, t *sqltext.Table, col sqltext.Column) bool {
	v, ok := sqltext.SplitValues(sql)
	if !ok { // INSERT … SELECT, INSERT … SET: that it names the column, or none, is all that is asked
		list, found := columnList(s)
		return !found || slices.Contains(list, col.Name)
	}
	columns := v.Columns
	if columns == nil {
		columns = t.Names()
	}
	at := slices.Index(columns, col.Name)
	return at >= 0 && !slices.ContainsFunc(v.Cells, func(row []string) bool {
		return at >= len(row) || madeUp(row[at], col.Counts)
	})
}

// madeUp says whether a cell stands for what the database makes up.
func madeUp(cell string, counts bool) bool {
	word := strings.ToUpper(strings.TrimSpace(cell))
	return strings.HasPrefix(word, "DEFAULT") || counts && (word == "NULL" || word == "0")
}

// columnList returns the columns that an INSERT names before its query or in its SET; found is false where it names none.
func columnList(s sqltext.Statement) (names []string, found bool) {
	for i, t := range s.Tokens {
		if t.Is("select", "with", "table", "values", "value") && i > 0 {
			return names, found
		}
		if t.Is("set") { // SET a = 1, b = 2
			for j := i + 1; j+1 < len(s.Tokens); j++ {
				if name, ok := s.Tokens[j].Ident(); ok && s.Tokens[j+1].Text == "=" {
					names = append(names, name)
				}
			}
			return names, true
		}
		if name, ok := t.Ident(); ok && found {
			names = append(names, name)
		}
		found = found || t.Text == "("
	}
	return names, found
}

// assigns says whether an UPDATE names the column as what it sets.
func assigns(s sqltext.Statement, column string) bool {
	for i, t := range s.Tokens {
		if name, ok := t.Ident(); ok && name == column && i+1 < len(s.Tokens) && s.Tokens[i+1].Text == "=" && i > 0 &&
			(s.Tokens[i-1].Is("set", "update") || s.Tokens[i-1].Text == "," || s.Tokens[i-1].Text == ".") {
			return true
		}
	}
	return false
}

// checkSchemaFunctions refuses views and triggers with functions whose value is another one in the replay.
func checkSchemaFunctions(c *testcase.Case, q sqltext.Quoting) error {
	for i, stmt := range c.Schema {
		s := q.Read(stmt.SQL)
		if session, _ := s.Calls(); len(session) > 0 && s.Creates() != "table" && s.Kind != sqltext.Alter {
			return fmt.Errorf("schema, statement %d: function %s: its value does not come from the database's contents", i, strings.ToUpper(session[0]))
		}
	}
	return nil
}

// checkFunctions refuses, in a case that no parser reads, functions whose value is another one in the replay.
func checkFunctions(c *testcase.Case, q sqltext.Quoting) error {
	for n := range c.Txns {
		for i, s := range c.Txns[n].Stmts {
			text := q.Read(s.SQL)
			if _, lock := text.AdvisoryLock(); lock {
				continue
			}
			if session, _ := text.Calls(); len(session) > 0 {
				return fmt.Errorf("%s: function %s: its value does not come from the database's contents",
					c.At(testcase.Ref{Txn: n, Stmt: i}), strings.ToUpper(session[0]))
			}
		}
	}
	return nil
}

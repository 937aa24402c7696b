package reduce

import (
	"fmt"
	"slices"
	"strings"

	"txweave/finding"
	"txweave/sql"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// variant is a case that lacks one thing.
type variant struct {
	finding.Condition
	candidate *testcase.Case
}

// conditions asks about every case that lacks one thing of the smallest one and lists what the failure needs. It
// keeps nothing. What was tried in the passes is not tried again.
func conditions(s *Search) error {
	needed := []finding.Condition{}
	for _, v := range s.variants() {
		if v.candidate == nil || !hasTarget(v.candidate) || v.candidate.Validate() != nil {
			continue
		}
		k := digestOf(v.candidate)
		holds, asked := s.seen[k]
		if !asked {
			var err error
			if holds, err = s.ask(v.candidate); err != nil {
				return err
			}
			s.seen[k] = holds
			s.pass.Tried++
		}
		if !holds {
			needed = append(needed, v.Condition)
		}
	}
	s.stats.Conditions = needed
	return nil
}

// variants lists the cases that lack one thing of the smallest one.
func (s *Search) variants() []variant {
	c := s.Case()
	var out []variant
	add := func(kind, where, what string, d *testcase.Case) {
		n := finding.Condition{Kind: kind, Where: where, What: what}
		n.Text = n.Say(func(where string) string { return where })
		out = append(out, variant{n, d})
	}
	all, every := func(int) bool { return true }, func(int, int) bool { return true }
	for n := range c.Txns {
		name := fmt.Sprintf("T%d", n)
		add("transaction", name, "", c.Select(func(m int) bool { return m != n }, every))
		for i, stmt := range c.Txns[n].Stmts {
			where := testcase.Ref{Txn: n, Stmt: i}.String()
			kind := sqltext.Verb(stmt.SQL)
			add("statement", where, kind, c.Select(all, func(m, j int) bool { return m != n || j != i }))
			s.clauses(where, n, i, add)
		}
	}
	if !slices.Equal(c.Schedule, c.SerialSchedule()) {
		d := c.Clone()
		d.Schedule = c.SerialSchedule()
		add("overlap", "", "", d)
	}
	brackets(c, add)
	s.rowVariants(c, add)
	parts := s.schemaParts(c)
	for i, p := range parts {
		kind, table, what := s.describePart(c, p)
		add(kind, table, what, s.withSchemaParts(c, parts, func(j int) bool { return j != i }))
	}
	for _, level := range s.options.Isolations {
		if level != c.Isolation {
			d := c.Clone()
			d.Isolation = level
			add("isolation", level, c.Isolation, d)
		}
	}
	return out
}

// adder notes a variant.
type adder = func(kind, where, what string, d *testcase.Case)

// clauses adds the variants of one statement that lack a clause.
func (s *Search) clauses(where string, txn, stmt int, add adder) {
	c := s.Case()
	sql := c.Txns[txn].Stmts[stmt].SQL
	for i, clause := range s.rewriter.Clauses(sql, s.schema()) {
		if clause == "" {
			continue
		}
		d, _ := s.edited(func(c *testcase.Case) *string { return &c.Txns[txn].Stmts[stmt].SQL }, i)
		add("clause", where, clause, d)
	}
}

// brackets adds the variants in which a transaction begins or ends another way.
func brackets(c *testcase.Case, add adder) {
	for n := range c.Txns {
		if c.Txns[n].Autocommit() {
			continue
		}
		name := fmt.Sprintf("T%d", n)
		if sql := c.Txns[n].Begin.SQL; sql != "BEGIN" {
			d := c.Clone()
			d.Txns[n].Begin.SQL = "BEGIN"
			add("begin", name, sql, d)
		}
		d := c.Clone()
		end := sqltext.Verb(c.Txns[n].End.SQL)
		d.Txns[n].End.SQL = "COMMIT"
		if end == "COMMIT" {
			d.Txns[n].End.SQL = "ROLLBACK"
		}
		add("end", name, end, d)
	}
}

// rowVariants adds the variants that lack an initial row.
func (s *Search) rowVariants(c *testcase.Case, add adder) {
	for i, stmt := range c.Rows {
		in, _ := s.insertOf(c, stmt.SQL)
		if len(in.rows) < 2 {
			d := c.Clone()
			d.Rows = slices.Delete(d.Rows, i, i+1)
			text := stmt.SQL
			if len(in.rows) == 1 {
				text = partText(text, in.rows[0])
			}
			add("row", in.table, text, d)
			continue
		}
		for j, row := range in.rows {
			d := c.Clone()
			d.Rows[i].SQL = s.print(in.with(slices.Delete(slices.Clone(in.rows), j, j+1)), stmt.SQL)
			add("row", in.table, partText(stmt.SQL, row), d)
		}
	}
}

// describePart says what a part of the schema is, on which table, and how it is written.
func (s *Search) describePart(c *testcase.Case, p part) (kind, table, what string) {
	text := c.Schema[p.at].SQL
	t, ok := s.parse(text).(*sql.CreateTable)
	if p.item < 0 || !ok {
		_, what, _ := strings.Cut(strings.Join(strings.Fields(text), " "), " ") // without CREATE
		return "index", p.table, what
	}
	switch t.Constraints[p.item].(type) {
	case *sql.Index, *sql.Unique, *sql.Exclude:
		kind = "index"
	default:
		kind = "constraint"
	}
	return kind, p.table, fmt.Sprintf("%s on %s", partText(text, t.Constraints[p.item]), p.table)
}

// CountRows returns how many initial rows a case has; an INSERT that cannot be cut counts as one.
func CountRows(c *testcase.Case) int {
	s, n := &Search{syntax: sqltext.SyntaxOf(c.Target)}, 0
	for _, stmt := range c.Rows {
		in, _ := s.insertOf(c, stmt.SQL)
		n += max(1, len(in.rows))
	}
	return n
}

// CountTables returns how many tables and views a case creates.
func CountTables(c *testcase.Case) int {
	n := 0
	for _, stmt := range c.Schema {
		if _, defines := definedTable(stmt.SQL); defines {
			n++
		}
	}
	return n
}

package script

import (
	"slices"

	"txweave/dbms"
	"txweave/finding"
	"txweave/oracle/pairs"
	"txweave/sql"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// pairs holds the reads of each transaction against each other, those between two of its writes, and at levels without
// a snapshot each by itself.
func (c *checker) pairs() (out []finding.Difference) {
	s := c.out.Script
	schema := sqltext.SyntaxOf(s.Target).Schema(append(texts(s.Setup), texts(s.Steps)...))
	redefines := slices.ContainsFunc(s.Steps, func(st testcase.ScriptStmt) bool {
		k := sqltext.KindOf(st.SQL)
		return k >= sqltext.Create && k < sqltext.Other
	})
	if slices.ContainsFunc(slices.Concat(s.Setup, s.Steps), func(st testcase.ScriptStmt) bool {
		stmt, _ := c.profile.Tree.Parse(st.SQL)
		n, ok := stmt.(*sql.CreateTable)
		return ok && len(n.Inherits) > 0 // a key is of a table's own rows alone (postgresql.org/docs, Inheritance)
	}) {
		return nil
	}
	for _, u := range c.out.Units {
		p, err := dbms.Lookup(c.profile.DBMS, u.Level)
		if err != nil || p.Guarantees.Mechanisms.ConsistentRead == dbms.NoConsistentRead && !p.Serializable {
			continue // what others have not committed may be seen half done
		}
		// TRUNCATE and changes of tables may show in older snapshots (postgresql.org/docs, Caveats of concurrency
		// control).
		one := (p.SnapshotScope() == dbms.PerTransaction || p.Serializable) && !redefines && u.Explicit
		var reads []pairs.Read
		take := func() {
			out = append(out, pairs.Find(schema, reads)...)
			reads = nil
		}
		for _, i := range u.Steps {
			e := c.out.Run.Steps[i]
			stmt, err := p.Tree.Parse(s.Steps[i].SQL)
			q, query := stmt.(*sql.Query)
			switch k := sqltext.KindOf(s.Steps[i].SQL); {
			case err == nil && query && e != nil && e.Err == nil && e.Rows != nil && len(q.Locks) == 0:
				reads = append(reads, pairs.Read{Name: c.node(i).Block.Name(), Tree: stmt, Rows: e.Rows})
			case k != sqltext.Set && k != sqltext.Savepoint && k != sqltext.Release && k != sqltext.Begin:
				take()
			}
			if !one {
				take()
			}
		}
		take()
	}
	return out
}

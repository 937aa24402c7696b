package gen

import (
	"slices"

	"txweave/sql"
	"txweave/sql/build"
	"txweave/testcase"
)

// lockable says whether transactions of the case may lock their tables: not where statements use further ones, which
// the server locks with them.
func (g *generator) lockable() bool {
	return len(g.viewed) == 0 && !g.triggered && !slices.ContainsFunc(g.tables, (*table).refers)
}

// locked writes LOCK TABLES where transactions have left room for it, now that their statements are known. Where some
// statement stands in the way the transaction does without.
func (g *generator) locked(txns []testcase.Txn, states []txnState, schedule []int) []int {
	for i := range txns {
		if !states[i].locked {
			continue
		}
		t := &txns[i]
		if locks := g.lockTables(t.Stmts[1:]); locks != nil {
			t.Stmts[0] = g.finished(locks)
			g.uses["lock-tables"] = true
			continue
		}
		t.Stmts, t.End.SQL = t.Stmts[1:], "COMMIT"
		schedule = slices.Delete(schedule, slices.Index(schedule, i), slices.Index(schedule, i)+1)
	}
	return schedule
}

// lockTables returns the LOCK TABLES that statements need: each table by its own name and by those that they use for
// it. nil where there is none: a table may be used once only by each of its names, and what a common table expression
// makes of it is the server's business.
func (g *generator) lockTables(stmts []testcase.Stmt) sql.Stmt {
	named, written := map[string][]string{}, map[string]bool{}
	for _, s := range stmts {
		stmt, err := g.d.Tree.Parse(s.SQL)
		switch stmt.(type) {
		case *sql.Savepoint, *sql.Rollback, *sql.Release:
			continue
		}
		if err != nil || !g.lockedBy(stmt, named, written) {
			return nil
		}
	}
	n := &sql.LockTables{}
	for _, t := range g.tables {
		if named[t.name] == nil {
			continue
		}
		mode := "READ"
		if written[t.name] {
			mode = "WRITE"
		}
		n.Tables = append(n.Tables, &sql.TableLock{Table: build.Table(t.name, ""), How: mode})
		for _, alias := range named[t.name] {
			n.Tables = append(n.Tables, &sql.TableLock{Table: build.Table(t.name, alias), How: mode})
		}
	}
	if len(n.Tables) == 0 {
		return nil
	}
	return n
}

// lockedBy adds the other names by which a statement uses tables, and those that it writes; false where it is none that
// LOCK TABLES can serve.
func (g *generator) lockedBy(stmt sql.Stmt, named map[string][]string, written map[string]bool) bool {
	target, all := "", sql.Has(stmt, func(n sql.Node) bool { // the table that it writes; it may write each that it names
		_, locks := n.(*sql.Lock)
		return locks
	})
	var aliases []*sql.Table // of what is named elsewhere
	of := sql.Written(stmt)
	if of != nil {
		target = of.Name.Value
	}
	switch n := stmt.(type) {
	case *sql.Query, *sql.Insert:
	case *sql.Update:
		all = of == nil || n.Ignore
	case *sql.Delete:
		all = n.Ignore
	case *sql.DeleteJoined:
		aliases, all = n.Targets, true
	default:
		return false
	}
	seen := map[string]bool{}
	return !sql.Has(stmt, func(n sql.Node) bool {
		of, ok := n.(*sql.Table)
		if _, with := n.(*sql.With); with || !ok || slices.Contains(aliases, of) {
			return with
		}
		source, name := of.Name.Value, of.Name.Value
		if of.Alias != nil {
			name = of.Alias.Value
		}
		if seen[name] || !slices.ContainsFunc(g.tables, func(t *table) bool { return t.name == source }) {
			return true
		}
		seen[name] = true
		if others := named[source]; name == source || slices.Contains(others, name) {
			named[source] = append([]string{}, others...)
		} else {
			named[source] = append(others, name)
		}
		written[source] = written[source] || all || source == target
		return false
	})
}

// selLocking returns a locking read.
func selLocking(g *generator) *sql.Query {
	g.calm = true
	sc := &scope{flat: true}
	from := sql.TableRef(g.addBase(sc))
	if g.pct(25) {
		joined := build.Join(from, sql.InnerJoin, g.addBase(sc), nil)
		joined.On = g.joinOn(sc)
		from = joined
	}
	s := block(from, choose(g, whereTable)(g, sc, 1))
	outs := append(items(sc), g.outputs(sc, g.between(1, 2), 1)...)
	q := build.Query(s)
	if g.pct(15) {
		g.orderKeys(q, sc, outs)
	}
	s.Hints, s.Items = g.advice(sc), list(outs)
	q.Locks = g.lock(sc)
	return q
}

// anyLock draws how a locking read locks rows that it waits for.
func (g *generator) anyLock() []*sql.Lock {
	return []*sql.Lock{{Strength: oneOf(g, g.d.QueryForms.LockClauses)}}
}

// lock draws the clause that makes a query a locking read.
func (g *generator) lock(sc *scope) []*sql.Lock {
	locks, wait := g.anyLock(), choose(g, lockTable)
	if wait == "" {
		return locks
	}
	locks[0].Strength = g.d.QueryForms.LockWaits[g.beside("lock-wait").IntN(len(g.d.QueryForms.LockWaits))]
	if wait != lockOf {
		locks[0].Wait = wait
		return locks
	}
	for _, r := range sc.refs {
		locks[0].Of = append(locks[0].Of, build.Name(r.alias))
	}
	return locks
}

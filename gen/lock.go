package gen

import (
	"slices"
	"strings"

	"txweave/sql"
	"txweave/sql/build"
	"txweave/sqltext"
	"txweave/testcase"
)

// lockable says whether transactions of the case may lock their tables: not where statements use further ones, which the server locks
// with them.
func (g *generator) lockable() bool {
	return len(g.viewed) == 0 && !g.triggered && !slices.ContainsFunc(g.tables, (*table).refers)
}

// locked writes LOCK TABLES where transactions have left room for it, now that their statements are known. Where some statement stands
// in the way the transaction does without.
func (g *generator) locked(txns []testcase.Txn, states []txnState, schedule []int) []int {
	for i := range txns {
		if !states[i].locked {
			continue
		}
		t := &txns[i]
		if sql := g.lockTables(t.Stmts[1:]); sql != "" {
			t.Stmts[0].SQL = sql
			g.uses["lock-tables"] = true
			continue
		}
		t.Stmts, t.End.SQL = t.Stmts[1:], "COMMIT"
		schedule = slices.Delete(schedule, slices.Index(schedule, i), slices.Index(schedule, i)+1)
	}
	return schedule
}

// lockTables returns the LOCK TABLES that statements need: each table by its own name and by those that they use for it. "" where there
// is none: a table may be used once only by each of its names, and what a common table expression makes of it is the server's business.
func (g *generator) lockTables(stmts []testcase.Stmt) string {
	named, written := map[string][]string{}, map[string]bool{}
	for _, s := range stmts {
		read := sqltext.Read(s.SQL)
		if read.Kind.IsSavepoint() {
			continue
		}
		names := read.References()
		if !read.IsTarget() || read.Tokens[0].Is("with", "create") || strings.Contains(s.SQL, "WITH ") || len(slices.Compact(slices.Sorted(slices.Values(names)))) < len(names) {
			return ""
		}
		all := g.locks(s.SQL) || read.Kind == sqltext.Update && !read.Tokens[2].Is("set") ||
			read.Kind == sqltext.Delete && !(read.Tokens[1].Is("from") && (len(read.Tokens) == 3 || read.Tokens[3].Is("where", "order", "limit", "returning")))
		for at, n := range read.Named {
			if !slices.ContainsFunc(g.tables, func(t *table) bool { return t.name == n.Name }) {
				return ""
			}
			if name := names[at]; name != n.Name && !slices.Contains(named[n.Name], name) {
				named[n.Name] = append(named[n.Name], name)
			} else if named[n.Name] == nil {
				named[n.Name] = []string{}
			}
			written[n.Name] = written[n.Name] || all || read.Kind.Writes() && n.Name == read.Target
		}
	}
	var locks []string
	for _, t := range g.tables {
		if named[t.name] == nil {
			continue
		}
		mode := " READ"
		if written[t.name] {
			mode = " WRITE"
		}
		locks = append(locks, t.name+mode)
		for _, alias := range named[t.name] {
			locks = append(locks, t.name+" AS "+alias+mode)
		}
	}
	if len(locks) == 0 {
		return ""
	}
	return "LOCK TABLES " + strings.Join(locks, ", ")
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
	return []*sql.Lock{{Strength: oneOf(g, g.d.LockClauses)}}
}

// lock draws the clause that makes a query a locking read.
func (g *generator) lock(sc *scope) []*sql.Lock {
	locks, wait := g.anyLock(), choose(g, lockTable)
	if wait == "" {
		return locks
	}
	locks[0].Strength = g.d.LockWaits[g.beside("lock-wait").IntN(len(g.d.LockWaits))]
	if wait != lockOf {
		locks[0].Wait = wait
		return locks
	}
	for _, r := range sc.refs {
		locks[0].Of = append(locks[0].Of, build.Name(r.alias))
	}
	return locks
}

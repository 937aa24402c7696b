package gen

import (
	"slices"
	"strings"

	"txweave/sqltext"
	"txweave/testcase"
)

// What PostgreSQL has of locks of tables, and of transactions.
const (
	CanPrepare   Capability = "PREPARE TRANSACTION"
	CanLockModes Capability = "LOCK TABLE in modes"
	CanLockAlone Capability = "LOCK TABLE that keeps readers out"
)

// Tables locked in transactions, in percent: lockTxns are the transactions that lock some, in the cases that have any; lockFirst the locks
// that come before anything else, and so before a snapshot; lockTwo those of two tables; lockNowait those that fail instead of waiting.
const (
	lockTxns   = 40
	lockFirst  = 55
	lockTwo    = 20
	lockNowait = 12
)

// lockModes are PostgreSQL's modes but for the one that keeps readers out, those more often that keep writers out.
var lockModes = []string{"ACCESS SHARE", "ROW SHARE", "ROW EXCLUSIVE", "SHARE UPDATE EXCLUSIVE", "SHARE", "SHARE", "SHARE", "SHARE ROW EXCLUSIVE",
	"SHARE ROW EXCLUSIVE", "EXCLUSIVE", "EXCLUSIVE", "EXCLUSIVE"}

// lockInside puts LOCK TABLE into transactions of a share of the cases.
func (g *generator) lockInside(txns []testcase.Txn, states []txnState) {
	alone, modes := g.wants("lock-alone"), g.wants("lock-mode")
	delete(g.uses, "lock-alone")
	delete(g.uses, "lock-mode")
	rng := g.beside("lock-inside")
	pct := func(p int) bool { return rng.IntN(100) < p }
	for i := range txns {
		if states[i].alone || !(alone || modes) || !pct(lockTxns) {
			continue
		}
		tables := g.tables[:min(2, len(g.tables))]
		if from := rng.IntN(len(tables)); !pct(lockTwo) {
			tables = tables[from : from+1]
		}
		names := make([]string, len(tables))
		for at, t := range tables {
			names[at] = t.name
		}
		sql, at := "LOCK TABLE "+strings.Join(names, ", ")+" IN ", 0
		if alone && (!modes || pct(50)) {
			g.uses["lock-alone"], sql = true, sql+"ACCESS EXCLUSIVE MODE"
		} else {
			g.uses["lock-mode"], sql = true, sql+lockModes[rng.IntN(len(lockModes))]+" MODE"
			if !pct(lockFirst) {
				at = rng.IntN(len(txns[i].Stmts) + 1)
			}
		}
		if pct(lockNowait) {
			sql += " NOWAIT"
		}
		txns[i].Stmts = slices.Insert(txns[i].Stmts, at, testcase.Stmt{SQL: sql})
	}
}

// locksOut says whether a transaction locks a table in a mode that one which is READ ONLY may not ask for.
func locksOut(t *testcase.Txn) bool {
	return slices.ContainsFunc(t.Stmts, func(s testcase.Stmt) bool {
		read := sqltext.Read(s.SQL)
		locks, ok := read.ModeLocks()
		return ok && locks[0].Mode > sqltext.RowExclusive
	})
}

// shutsOut says whether a statement locks a table against readers, too.
func shutsOut(sql string) bool {
	read := sqltext.Read(sql)
	locks, ok := read.ModeLocks()
	return ok && locks[0].Mode == sqltext.AccessExclusive
}

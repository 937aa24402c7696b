package gen

import (
	"slices"

	"txweave/sql"
	"txweave/sql/build"
	"txweave/testcase"
)

// What some databases have of locks of tables, and of transactions.
const (
	CanPrepare   Capability = "PREPARE TRANSACTION"
	CanLockModes Capability = "LOCK TABLE in modes"
	CanLockAlone Capability = "LOCK TABLE that keeps readers out"
)

// Tables locked in transactions, in percent: lockTxns are the transactions that lock some, in the cases that have any;
// lockFirst the locks that come before anything else, and so before a snapshot; lockTwo those of two tables; lockNowait
// those that fail instead of waiting.
const (
	lockTxns   = 40
	lockFirst  = 55
	lockTwo    = 20
	lockNowait = 12
)

// lockModes are the modes of LOCK TABLE … IN … MODE but for the one that keeps readers out, those more often that keep
// writers out.
var lockModes = []string{"ACCESS SHARE", "ROW SHARE", "ROW EXCLUSIVE", "SHARE UPDATE EXCLUSIVE", "SHARE", "SHARE",
	"SHARE", "SHARE ROW EXCLUSIVE",
	"SHARE ROW EXCLUSIVE", "EXCLUSIVE", "EXCLUSIVE", "EXCLUSIVE"}

// readerModes are those that a transaction which is READ ONLY may ask for.
var readerModes = []string{"ACCESS SHARE", "ROW SHARE", "ROW EXCLUSIVE"}

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
		lock, at := &sql.LockTables{Mode: "ACCESS EXCLUSIVE"}, 0
		for _, t := range tables {
			lock.Tables = append(lock.Tables, &sql.TableLock{Table: build.Table(t.name, "")})
		}
		if alone && (!modes || pct(50)) {
			g.uses["lock-alone"], states[i].shutsOut = true, true
		} else {
			g.uses["lock-mode"], lock.Mode = true, lockModes[rng.IntN(len(lockModes))]
			if !pct(lockFirst) {
				at = rng.IntN(len(txns[i].Stmts) + 1)
			}
		}
		states[i].locksOut = !slices.Contains(readerModes, lock.Mode)
		lock.NoWait = pct(lockNowait)
		txns[i].Stmts = slices.Insert(txns[i].Stmts, at, g.finished(lock))
	}
}

package gen

import (
	"fmt"
	"slices"
	"strings"

	"txweave/sqltext"
	"txweave/testcase"
)

// Frames, in percent: framedTxns are the transactions that have another one, in the cases that have any; xaPrepared those in two
// phases that are prepared, and stay so while others go on; switchedOn those that end by switching autocommit on again.
const (
	framedTxns = 40
	xaPrepared = 80
	switchedOn = 40
)

// frames gives transactions of a share of the cases other first and last statements than BEGIN and COMMIT.
func (g *generator) frames(txns []testcase.Txn, states []txnState) {
	switched, xa, accessed, implied := g.wants("switched-autocommit"), g.wants("xa"), g.wants("access-mode"), g.wants("implicit-commit")
	cut := g.wants("disconnect")
	delete(g.uses, "disconnect")
	locked := g.wants("lock-tables") && g.lockable()
	delete(g.uses, "lock-tables")
	rng := g.beside("frame")
	pct := func(p int) bool { return rng.IntN(100) < p }
	for i := range txns {
		s := &states[i]
		if s.alone {
			continue
		}
		switch {
		case switched && pct(framedTxns):
			s.frame = sqltext.Switched
		case xa && pct(framedTxns):
			s.frame = sqltext.Prepared
			name := fmt.Sprintf("'txweave-%x-%d'", g.seed, i) // nobody else on the server may have it
			txns[i].Begin.SQL, txns[i].End.SQL = "XA START "+name, "XA COMMIT "+name+" ONE PHASE"
			stmts := append(txns[i].Stmts, testcase.Stmt{SQL: "XA END " + name})
			if pct(xaPrepared) {
				stmts = append(stmts, testcase.Stmt{SQL: "XA PREPARE " + name})
				txns[i].End.SQL = "XA COMMIT " + name
			}
			txns[i].Stmts = stmts
		}
		if locked && s.frame == sqltext.NoFrame && g.beside("lock-tables").IntN(100) < framedTxns {
			s.frame, s.locked = sqltext.Switched, true
			txns[i].Stmts = append([]testcase.Stmt{{SQL: "LOCK TABLES"}}, txns[i].Stmts...)
		}
		s.access = accessed && pct(framedTxns)
		s.implied = implied && pct(framedTxns)
		s.cut = cut && s.frame != sqltext.Prepared && !s.locked && lastOfSession(txns, i) && g.beside("disconnect").IntN(100) < framedTxns
	}
}

// lastOfSession says whether no transaction runs behind one in its session.
func lastOfSession(txns []testcase.Txn, i int) bool {
	return txns[i].Session == 0 || !slices.ContainsFunc(txns[i+1:], func(t testcase.Txn) bool { return t.Session == txns[i].Session })
}

// bracket writes the first and the last statement of a transaction whose others stand.
func (g *generator) bracket(t *testcase.Txn, n int) {
	rng := g.beside("bracket")
	begin := g.d.Begin(g.rng.IntN, g.isolation(t), len(g.txn.wrote) > 0)
	rollback := g.undo()
	switch {
	case g.txn.locked:
		t.Begin.SQL, t.End.SQL = "SET autocommit = 0", "UNLOCK TABLES"
		return
	case g.txn.frame == sqltext.Prepared:
		if rollback {
			open := sqltext.Read(t.Begin.SQL)
			t.End.SQL = "XA ROLLBACK " + open.XAName()
		}
		return
	case g.txn.frame == sqltext.Switched:
		t.Begin.SQL = "SET autocommit = 0"
		if rng.IntN(100) < switchedOn {
			t.End.SQL = "SET autocommit = 1"
		}
	default:
		t.Begin.SQL = begin
		if g.txn.access {
			t.Begin.SQL = g.accessMode(begin, t)
		}
	}
	switch {
	case g.txn.cut:
		t.End.SQL, g.uses["disconnect"] = g.d.Disconnect, true
	case rollback:
		t.End.SQL = "ROLLBACK"
	case g.txn.implied && t.Begin.SQL != "START TRANSACTION READ ONLY" && len(g.d.DDL.Rebuild) > 0:
		kinds := [][]string{g.d.DDL.AddIndex, g.d.DDL.Rebuild, g.d.DDL.Analyze}
		t.End.SQL = g.redefine(rng, kinds[rng.IntN(len(kinds))], fmt.Sprintf("z%d", n), g.tables[rng.IntN(min(2, len(g.tables)))])
	}
}

// accessMode adds to a statement that opens a transaction what the transaction may do.
func (g *generator) accessMode(begin string, t *testcase.Txn) string {
	switch {
	case begin != "BEGIN" && begin != "START TRANSACTION":
		return begin
	case len(g.txn.wrote) == 0 && !(g.d.LocksWrite && slices.ContainsFunc(t.Stmts, func(s testcase.Stmt) bool { return g.locks(s.SQL) })):
		return "START TRANSACTION READ ONLY"
	}
	return "START TRANSACTION READ WRITE"
}

// locks says whether a query ends in a clause of the dialect's that locks rows.
func (g *generator) locks(sql string) bool {
	return slices.ContainsFunc(slices.Concat(g.d.LockClauses, g.d.LockWaits), func(clause string) bool { return strings.Contains(sql, " "+clause) })
}

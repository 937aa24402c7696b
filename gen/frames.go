package gen

import (
	"fmt"
	"slices"

	"txweave/sql"
	"txweave/sql/control"
	"txweave/testcase"
)

// Frames, in percent: framedTxns are the transactions that have another one, in the cases that have any; xaPrepared
// those in two phases that are prepared, and stay so while others go on; switchedOn those that end by switching
// autocommit on again.
const (
	framedTxns = 40
	xaPrepared = 80
	switchedOn = 40
	// refusedTxns are those that write though they are READ ONLY, in the cases that have any.
	refusedTxns = 25
	// chainedTxns are those that begin another one, of those that could; chainedReads those that do of these, where they
	// are READ ONLY.
	chainedTxns  = 60
	chainedReads = 50
	// deferredTxns are those that are DEFERRABLE, of those that only read, in the cases that have any.
	deferredTxns = 60
)

// How a transaction begins that may not write, and one that besides waits for a snapshot in which no anomaly can be.
const (
	onlyReading           = "START TRANSACTION READ ONLY"
	onlyReadingDeferrable = onlyReading + " DEFERRABLE"
)

// xaPrepares has a transaction prepared by its name before it commits, where that is wanted.
func (g *generator) xaPrepares(t *testcase.Txn, name string, wanted bool) {
	if wanted {
		t.Stmts = append(t.Stmts, g.xa("PREPARE", name, ""))
		t.End = g.xa("COMMIT", name, "")
	}
}

// frames gives transactions of a share of the cases other first and last statements than BEGIN and COMMIT.
func (g *generator) frames(txns []testcase.Txn, states []txnState) {
	switched, xa, accessed, implied := g.wants("switched-autocommit"), g.wants("xa"), g.wants("access-mode"),
		g.wants("implicit-commit")
	prepared, refused := g.wants("prepared"), g.wants("read-only-write")
	delete(g.uses, "read-only-write")
	g.deferred = g.wants("read-deferrable")
	delete(g.uses, "read-deferrable")
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
			s.frame = control.Switched
		case xa && pct(framedTxns):
			s.frame = control.Prepared
			name := fmt.Sprintf("'txweave-%x-%d'", g.seed, i) // nobody else on the server may have it
			s.xa = name
			txns[i].Begin, txns[i].End = g.xa("START", name, ""), g.xa("COMMIT", name, "ONE PHASE")
			txns[i].Stmts = append(txns[i].Stmts, g.xa("END", name, ""))
			g.xaPrepares(&txns[i], name, pct(xaPrepared))
		}
		if prepared && s.frame == control.NoFrame && g.beside("prepared").IntN(100) < framedTxns && !s.keepsOn {
			s.prepared = fmt.Sprintf("'txweave-%x-%d'", g.seed, i)
			txns[i].Stmts = append(txns[i].Stmts, g.twoPhase("PREPARE TRANSACTION", s.prepared))
		}
		if locked && s.frame == control.NoFrame && g.beside("lock-tables").IntN(100) < framedTxns {
			s.frame, s.locked = control.Switched, true
			txns[i].Stmts = append([]testcase.Stmt{{SQL: "LOCK TABLES"}}, txns[i].Stmts...)
		}
		s.access = accessed && pct(framedTxns)
		s.refused = refused && g.beside("read-only-write").IntN(100) < refusedTxns
		s.implied = implied && pct(framedTxns)
		s.cut = cut && s.frame != control.Prepared && s.prepared == "" && !s.locked && lastOfSession(txns, i) &&
			g.beside("disconnect").IntN(100) < framedTxns
	}
}

// xa is a step of the distributed transaction of a name.
func (g *generator) xa(step, name, more string) testcase.Stmt {
	return g.finished(&sql.XA{Step: step, ID: []*sql.Literal{{Kind: sql.Text, Text: name}}, More: more})
}

// twoPhase is a step of a prepared one.
func (g *generator) twoPhase(step, name string) testcase.Stmt {
	return g.finished(&sql.TwoPhase{Step: step, ID: &sql.Literal{Kind: sql.Text, Text: name}})
}

// chain lets the ends of transactions begin the next ones of their sessions in a share of the cases: where both are
// opened by BEGIN, at one level.
func (g *generator) chain(txns []testcase.Txn, states []txnState) {
	delete(g.uses, "chain")
	if !g.chaining {
		return
	}
	rng := g.beside("chain")
	plain := func(s *txnState) bool { return !s.alone && s.frame == control.NoFrame && s.prepared == "" && !s.locked }
	for i := range txns {
		if n := follower(txns, i); n >= 0 && plain(&states[i]) && plain(&states[n]) && !states[i].cut && !states[i].implied &&
			txns[i].Isolation == txns[n].Isolation {
			states[i].chains = rng.IntN(100) < chainedTxns
		}
	}
}

// follower is the next transaction of the session of one; -1 where there is none.
func follower(txns []testcase.Txn, i int) int {
	for n := i + 1; n < len(txns) && txns[i].Session != 0; n++ {
		if txns[n].Session == txns[i].Session {
			return n
		}
	}
	return -1
}

// goOn lets the end of a transaction begin the next one of its session, which has its access mode: behind one that is
// READ ONLY it only reads.
func (g *generator) goOn(txns []testcase.Txn, states []txnState, i int) {
	t := &txns[i]
	if !states[i].chains || t.End.SQL != "COMMIT" && t.End.SQL != "ROLLBACK" {
		return
	}
	next, begin := &states[follower(txns, i)], "BEGIN"
	if t.Begin.SQL == onlyReading {
		if g.beside("chain").IntN(100) >= chainedReads {
			return
		}
		next.readOnly, begin = true, t.Begin.SQL
	}
	next.chained, g.uses["chain"] = begin, true
	t.End.SQL += " AND CHAIN"
}

// lastOfSession says whether no transaction runs behind one in its session.
func lastOfSession(txns []testcase.Txn, i int) bool {
	return txns[i].Session == 0 || !slices.ContainsFunc(txns[i+1:], func(t testcase.Txn) bool {
		return t.Session == txns[i].Session
	})
}

// bracket writes the first and the last statement of a transaction whose others stand.
func (g *generator) bracket(t *testcase.Txn, n int) {
	rng := g.beside("bracket")
	begin := g.d.TxnForms.Begin(g.rng.IntN, g.isolation(t), len(g.txn.wrote) > 0)
	rollback := g.undo(t)
	switch {
	case g.txn.locked:
		t.Begin.SQL, t.End.SQL = "SET autocommit = 0", "UNLOCK TABLES"
		return
	case g.txn.frame == control.Prepared:
		if rollback {
			t.End = g.xa("ROLLBACK", g.txn.xa, "")
		}
		return
	case g.txn.frame == control.Switched:
		t.Begin.SQL = "SET autocommit = 0"
		if rng.IntN(100) < switchedOn {
			t.End.SQL = "SET autocommit = 1"
		}
	default:
		t.Begin.SQL = g.begin(begin, t)
	}
	switch {
	case g.txn.prepared != "":
		step := "COMMIT PREPARED"
		if rollback {
			step = "ROLLBACK PREPARED"
		}
		t.End = g.twoPhase(step, g.txn.prepared)
	case g.txn.cut:
		t.End.SQL, g.uses["disconnect"] = g.d.TxnForms.Disconnect, true
	case rollback:
		t.End.SQL = "ROLLBACK"
	case g.txn.implied && t.Begin.SQL != onlyReading && t.Begin.SQL != onlyReadingDeferrable && len(g.d.DDL.Rebuild) > 0:
		kinds := [][]string{g.d.DDL.AddIndex, g.d.DDL.Rebuild, g.d.DDL.Analyze}
		t.End = g.redefine(rng, kinds[rng.IntN(len(kinds))], fmt.Sprintf("z%d", n), g.tables[rng.IntN(min(2, len(g.tables)))])
	}
}

// begin is how a transaction that BEGIN opens begins.
func (g *generator) begin(begin string, t *testcase.Txn) string {
	switch {
	case g.txn.chained != "":
		return g.txn.chained
	case g.txn.refused && len(g.txn.wrote) > 0 && !g.txn.locksOut:
		g.uses["read-only-write"] = true
		return onlyReading
	case g.deferred && g.onlyReads(t) && g.beside("read-deferrable").IntN(100) < deferredTxns:
		g.uses["read-deferrable"] = true
		return onlyReadingDeferrable
	case g.txn.access:
		return g.accessMode(begin, t)
	}
	return begin
}

// accessMode adds to a statement that opens a transaction what the transaction may do.
func (g *generator) accessMode(begin string, t *testcase.Txn) string {
	switch {
	case begin != "BEGIN" && begin != "START TRANSACTION":
		return begin
	case g.onlyReads(t):
		return onlyReading
	}
	return "START TRANSACTION READ WRITE"
}

// onlyReads says whether a transaction may be READ ONLY.
func (g *generator) onlyReads(t *testcase.Txn) bool {
	return len(g.txn.wrote) == 0 && !g.txn.locksOut && !(g.d.QueryForms.LocksWrite && slices.ContainsFunc(t.Stmts,
		func(s testcase.Stmt) bool { return g.locks(s.SQL) }))
}

// locks says whether a statement locks the rows that it reads.
func (g *generator) locks(text string) bool {
	stmt, err := g.d.Tree.Parse(text)
	return err == nil && sql.Has(stmt, func(n sql.Node) bool {
		_, ok := n.(*sql.Lock)
		return ok
	})
}

package gen

import (
	"math/rand/v2"
	"slices"

	"txweave/testcase"
)

// Savepoints, in percent.
const (
	// savepointTxns: transactions of two statements and more that have some, in the cases that have any.
	savepointTxns = 50
	// savepointReaders: of the transactions that read the same rows again and again, those that have some, which undo
	// nothing: what they read behind ROLLBACK TO is what they have read before.
	savepointReaders = 40
	// savepointFirst: savepoints that are set before anything else, which engines handle as they do no other one.
	savepointFirst = 10
	// savepointRelease: savepoints that are released, and not gone back to.
	savepointRelease = 25
	// savepointInner: of these, and of those gone back to, the ones with another savepoint inside; innerSame: inner ones
	// of the same name. savepointAgain: those named once more later, gone back to or released.
	savepointInner = 35
	innerSame      = 25
	savepointAgain = 25
	// savepointOpen: inner ones that nothing names again, which end with the outer one; openRelease: of these outer ones
	// are released, and keep what was written since the inner one.
	savepointOpen = 35
	openRelease   = 50
	// savepointApart: inner ones that a statement stands before, where there is room: else both savepoints name one state.
	savepointApart = 75
	// Of cases that undo much: undoingTxns have savepoints, undoingInner of these nested ones; undoingRollback of all end
	// with ROLLBACK; undoingDuplicates are values of unique columns that probably exist already.
	undoingTxns       = 75
	undoingInner      = 65
	undoingRollback   = 35
	undoingDuplicates = 35
	undoingGivenUp    = 12 // undoingRollback where the database itself rolls transactions back
)

// undo draws whether a transaction ends with ROLLBACK.
func (g *generator) undo(t *testcase.Txn) bool {
	share, undoing := rollbackShare, undoingRollback
	if slices.Contains(g.d.TxnForms.GivesUp, g.isolation(t)) {
		share, undoing = rollbackGivenUp, undoingGivenUp
	}
	rollback := !g.txn.reader && g.pct(share)
	return rollback || g.undoing && !g.txn.reader && g.beside("undoing").IntN(100) < undoing
}

// savepoints puts savepoints into the transactions of a share of the cases, between statements that are still to be
// drawn.
func (g *generator) savepoints(txns []testcase.Txn, states []txnState) {
	txnShare := savepointTxns
	if wanted := g.wants("savepoint"); g.undoing && g.weight(&options["savepoint"].about, "savepoint",
		options["savepoint"].weight) > 0 {
		txnShare = undoingTxns
	} else if !wanted {
		return
	}
	delete(g.uses, "savepoint")
	for i := range txns {
		n, rng, share := len(txns[i].Stmts), g.sideRNG, txnShare
		if states[i].reader {
			rng, share = g.beside("reader-savepoint"), savepointReaders
		}
		if n < 2 || rng.IntN(100) >= share {
			continue
		}
		gaps := g.savepointGaps(n, rng)
		var stmts []testcase.Stmt
		for at := range n + 1 {
			for _, sql := range gaps[at] {
				g.uses["savepoint"] = true
				stmts = append(stmts, testcase.Stmt{SQL: sql})
			}
			if at < n {
				stmts = append(stmts, testcase.Stmt{})
			}
		}
		txns[i].Stmts = stmts
	}
}

// savepointGaps draws what stands before the first of n statements, between them and after the last.
func (g *generator) savepointGaps(n int, rng *rand.Rand) [][]string {
	pct := func(p int) bool { return rng.IntN(100) < p }
	between := func(lo, hi int) int { return lo + rng.IntN(hi-lo+1) }
	back := func(name string) string {
		switch {
		case pct(savepointRelease):
			return "RELEASE SAVEPOINT " + name
		case pct(50):
			return "ROLLBACK TO SAVEPOINT " + name
		}
		return "ROLLBACK TO " + name
	}
	gaps := make([][]string, n+1)
	from := 0
	if !pct(savepointFirst) {
		from = between(1, n-1)
	}
	to := between(from+1, n)
	gaps[from] = append(gaps[from], "SAVEPOINT a")
	innerShare := savepointInner
	if g.undoing {
		innerShare = undoingInner
	}
	outer := back
	if pct(innerShare) {
		name := "b"
		if pct(innerSame) {
			name = "a"
		}
		inner := between(from, to-1)
		end := between(inner+1, to)
		if inner == from && g.beside("inner-savepoint").IntN(100) < savepointApart {
			to = min(max(to, from+2), n)
			inner = min(from+1, to-1)
			end = max(end, inner+1)
		}
		gaps[inner] = append(gaps[inner], "SAVEPOINT "+name)
		if named := back(name); g.beside("open-savepoint").IntN(100) >= savepointOpen {
			gaps[end] = append(gaps[end], named)
		} else if g.beside("open-savepoint").IntN(100) < openRelease {
			outer = func(name string) string { return "RELEASE SAVEPOINT " + name }
		}
	}
	gaps[to] = append(gaps[to], outer("a"))
	if again := between(to, n); pct(savepointAgain) && !slices.Contains(gaps[to], "RELEASE SAVEPOINT a") {
		gaps[again] = append(gaps[again], back("a"))
	}
	return gaps
}

package gen

import (
	"math/rand/v2"
	"slices"

	"txweave/sql"
	"txweave/sql/build"
	"txweave/testcase"
)

// CanAdvisory says that sessions may lock numbers.
const CanAdvisory Capability = "advisory locks"

// Advisory locks, in percent: advisoryTxns are the transactions that ask for some, in the cases that have any;
// advisoryFirst the locks that come before anything else; advisoryMore the transactions that ask for two;
// advisoryShared, advisoryTry and advisorySession the kinds.
const (
	advisoryTxns    = 55
	advisoryFirst   = 35
	advisoryMore    = 35
	advisoryShared  = 30
	advisoryTry     = 25
	advisorySession = 20
)

// advisory puts advisory locks of a few numbers into transactions of a share of the cases. Those that would outlast
// their transaction are given back in it by some, and by txweave when it has ended.
func (g *generator) advisory(txns []testcase.Txn, states []txnState) {
	if !g.wants("advisory-lock") {
		return
	}
	delete(g.uses, "advisory-lock")
	rng := g.beside("advisory")
	pct := func(p int) bool { return rng.IntN(100) < p }
	for i := range txns {
		if states[i].alone || !pct(advisoryTxns) {
			continue
		}
		g.uses["advisory-lock"] = true
		least := 0 // LOCK TABLE that keeps readers out stays in front
		if states[i].shutsOut {
			least = 1
		}
		insert := func(from int, call sql.Expr) int {
			at := from + rng.IntN(len(txns[i].Stmts)-from+1)
			if from == least && pct(advisoryFirst) {
				at = least
			}
			txns[i].Stmts = slices.Insert(txns[i].Stmts, at, g.finished(build.Query(block(nil, nil, build.Item(call, "")))))
			return at
		}
		for more := true; more; more = pct(advisoryMore) {
			lock, unlock, session := advisoryCalls(rng, g.d.Tree.NumberLocks)
			states[i].keepsOn = states[i].keepsOn || session
			at := insert(least, lock)
			if session && pct(50) {
				insert(at+1, unlock)
			}
		}
	}
}

// advisoryCalls draws, of functions whose names begin with prefix, a call that takes a lock, and the one that gives it
// back where that is the session's.
func advisoryCalls(rng *rand.Rand, prefix string) (lock, unlock sql.Expr, session bool) {
	pct := func(p int) bool { return rng.IntN(100) < p }
	call, suffix, key := prefix, "", []sql.Expr{build.Int(1 + rng.IntN(2))}
	if pct(advisoryTry) {
		call += "try_"
	}
	session = pct(advisorySession)
	if call += "advisory_"; !session {
		call += "xact_"
	}
	if pct(advisoryShared) {
		suffix = "_shared"
	}
	if pct(15) {
		key = []sql.Expr{build.Int(1), build.Int(2)}
	}
	return build.Call(call+"lock"+suffix, key...), build.Call(prefix+"advisory_unlock"+suffix, key...), session
}

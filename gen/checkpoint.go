package gen

import (
	"slices"

	"txweave/testcase"
)

// Checkpoints in percent: of the moments right behind the end of a transaction, and of those right behind a statement of one that is
// open; how many a case has at most.
const (
	checkpointBehindEnd  = 60
	checkpointWhileOpen  = 20
	checkpointsAtTheMost = 5
)

// checkpointed adds a session that writes the log into the tables' file while transactions are open: right behind a commit, when the log
// holds what a reader must not see, and behind a reader's statement, when all that the log holds may go to the file: the next writer begins
// the log anew, but for those who are still in it. Only where there are both. The statements and their order are drawn already, and stay.
func (g *generator) checkpointed(txns []testcase.Txn, states []txnState, schedule []int) ([]testcase.Txn, []int) {
	writes := func(s txnState) bool { return len(s.wrote) > 0 }
	reads := func(s txnState) bool { return len(s.wrote) == 0 && !s.alone }
	if len(g.d.DDL.Checkpoint) == 0 || !slices.ContainsFunc(states, writes) || !slices.ContainsFunc(states, reads) || !g.wants("ddl-checkpoint") {
		return txns, schedule
	}
	rng := g.beside("ddl-checkpoint")
	left, session := make([]int, len(txns)), 0
	for i := range txns {
		left[i], session = txns[i].Steps(), max(session, txns[i].Session)
	}
	var order []int
	n, open := len(txns), 0
	for _, i := range schedule {
		order = append(order, i)
		if left[i] == txns[i].Steps() {
			open++
		}
		if left[i]--; left[i] == 0 {
			open--
		}
		share := checkpointWhileOpen
		if left[i] == 0 {
			share = checkpointBehindEnd
		}
		if open == 0 || len(txns)-n == checkpointsAtTheMost || rng.IntN(100) >= share {
			continue
		}
		order = append(order, len(txns))
		sql := g.d.DDL.Checkpoint[rng.IntN(len(g.d.DDL.Checkpoint))]
		txns = append(txns, testcase.Txn{Session: session + 1, Stmts: []testcase.Stmt{{SQL: sql}}})
	}
	if len(txns) == n+1 {
		txns[n].Session = 0
	}
	return txns, order
}

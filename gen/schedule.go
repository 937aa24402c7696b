package gen

import "txweave/testcase"

// txns draws the transactions: how many, how many statements each, then the statements.
func (g *generator) txns() []testcase.Txn {
	n := g.size(g.o.Txns)
	sizes := make([]int, n)
	total := max(g.size(g.o.Stmts), n)
	for i := range sizes {
		sizes[i] = 1
	}
	for range total - n {
		sizes[g.rng.IntN(n)]++
	}
	txns := make([]testcase.Txn, n)
	for i := range txns {
		txns[i] = g.txn(sizes[i])
	}
	return txns
}

// txn draws one transaction of n statements.
func (g *generator) txn(n int) testcase.Txn {
	var t testcase.Txn
	readOnly, writes := g.pct(g.d.ReadOnlyShare), false
	for range n {
		make := stmtProduction{}
		if readOnly {
			make = stmtProduction{stmtSelect, false}
		} else {
			make = choose(g, statementTable)
		}
		g.startStmt()
		t.Stmts = append(t.Stmts, testcase.Stmt{SQL: make.make(g)})
		writes = writes || make.writes
	}
	t.Begin.SQL = g.d.Begin(g, writes)
	t.End.SQL = "COMMIT"
	if g.pct(rollbackShare) {
		t.End.SQL = "ROLLBACK"
	}
	return t
}

// schedule draws an interleaving. All interleavings of the transactions' steps are equally likely, except that
// a share of the schedules opens every transaction first, so that all of them overlap.
func (g *generator) schedule(txns []testcase.Txn) []int {
	left := make([]int, len(txns))
	total := 0
	for i := range txns {
		left[i] = txns[i].Steps()
		total += left[i]
	}
	var order []int
	if g.pct(allOverlap) {
		for _, i := range g.rng.Perm(len(txns)) {
			order = append(order, i)
			left[i]--
			total--
		}
	}
	for ; total > 0; total-- {
		at := g.rng.IntN(total)
		for i := range left {
			if at < left[i] {
				order = append(order, i)
				left[i]--
				break
			}
			at -= left[i]
		}
	}
	return order
}

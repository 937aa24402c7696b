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
	if n > 1 && g.pct(readerShare) {
		return g.reader(n)
	}
	readOnly, writes := g.pct(g.d.ReadOnlyShare), false
	g.written = nil
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

// reader draws a transaction of n scans.
func (g *generator) reader(n int) testcase.Txn {
	var t testcase.Txn
	for range n {
		g.startStmt()
		t.Stmts = append(t.Stmts, testcase.Stmt{SQL: g.scan()})
	}
	t.Begin.SQL = g.d.Begin(g, false)
	t.End.SQL = "COMMIT"
	return t
}

// scan returns a SELECT that prints the versions of one hot table's rows, all of them or a range.
func (g *generator) scan() string {
	sc := &scope{}
	from := " FROM " + g.addTable(sc, g.tables[g.rng.IntN(min(2, len(g.tables)))])
	where := ""
	if g.pct(scanRange) {
		where = " WHERE " + whereRange(g, sc, 0)
	}
	return "SELECT " + list(append(items(sc), g.outputs(sc, 1, 0)...)) + from + where
}

// sessions gives sessions several transactions each in a share of the cases: all transactions go to sessions of
// which there are fewer, but at least two, so that some can still overlap.
func (g *generator) sessions(txns []testcase.Txn) {
	if len(txns) < 3 || g.sessionRNG.IntN(100) >= sessionShare {
		return
	}
	n := 2 + g.sessionRNG.IntN(len(txns)-2)
	members := make([]int, n+1)
	for i := range txns {
		if txns[i].Session = 1 + i; i > 1 {
			txns[i].Session = 1 + g.sessionRNG.IntN(n)
		}
		members[txns[i].Session]++
	}
	for i := range txns {
		if members[txns[i].Session] == 1 {
			txns[i].Session = 0
		}
	}
}

// schedule draws an interleaving. All interleavings of the sessions' steps are equally likely, except that a
// share of the schedules opens the first transaction of every session first, so that all of them overlap.
func (g *generator) schedule(txns []testcase.Txn) []int {
	queues := sessionSteps(txns)
	total := 0
	for _, q := range queues {
		total += len(q)
	}
	var order []int
	take := func(i int) {
		order = append(order, queues[i][0])
		queues[i] = queues[i][1:]
		total--
	}
	if g.pct(allOverlap) {
		for _, i := range g.rng.Perm(len(queues)) {
			take(i)
		}
	}
	for total > 0 {
		at := g.rng.IntN(total)
		for i := range queues {
			if at < len(queues[i]) {
				take(i)
				break
			}
			at -= len(queues[i])
		}
	}
	return order
}

// sessionSteps returns the schedule entries of each session, its transactions one after the other.
func sessionSteps(txns []testcase.Txn) [][]int {
	var queues [][]int
	of := map[int]int{} // session -> its queue
	for i := range txns {
		at, shared := of[txns[i].Session]
		if !shared || txns[i].Session == 0 {
			at = len(queues)
			of[txns[i].Session] = at
			queues = append(queues, nil)
		}
		for range txns[i].Steps() {
			queues[at] = append(queues[at], i)
		}
	}
	return queues
}

package gen

import (
	"slices"

	"txweave/sql"
	"txweave/sql/build"
	"txweave/sql/control"
	"txweave/testcase"
)

// txnState is what the generator knows of a transaction while it makes its statements.
type txnState struct {
	reader   bool     // it does nothing but scans
	readOnly bool     // it has no write
	alone    bool     // it is one statement in autocommit
	wrote    []*table // tables that it has written
	frame    control.Frame
	access   bool   // its BEGIN says what it may do
	xa       string // its name, in quotes, where it is a distributed one
	prepared string // its name, where PREPARE TRANSACTION comes before its end
	refused  bool   // it is READ ONLY, and writes all the same
	implied  bool   // a change of a table ends it
	cut      bool   // its session ends in its midst
	chains   bool   // its end begins the next one of its session
	chained  string // how that began which begins it so; "" where none does
	locked   bool   // LOCK TABLES begins it, and UNLOCK TABLES ends it
	locksOut bool   // LOCK TABLE in a mode that a transaction which is READ ONLY may not ask for
	shutsOut bool   // its first statement locks a table against readers, too
	keepsOn  bool   // it asks for a lock of its session's
	left     int    // statements that are still to be drawn, the next one included
	owes     *debt  // a row that refers to none yet
	aliases  int    // table aliases that its statements have handed out, where no two of them may use the same
}

// txns draws the transactions and their schedule: how many, how many statements each, which share a session and how
// they interleave; then the statements, in the order in which the schedule submits them, so that a statement can go
// for the rows that others have just written.
func (g *generator) txns() ([]testcase.Txn, []int) {
	n := g.size(g.o.Txns)
	sizes := make([]int, n)
	total := max(g.size(g.o.Stmts), n)
	for i := range sizes {
		sizes[i] = 1
	}
	for range total - n {
		sizes[g.rng.IntN(n)]++
	}
	txns, states := make([]testcase.Txn, n), make([]txnState, n)
	for i := range txns {
		txns[i] = testcase.Txn{Begin: testcase.Stmt{SQL: "BEGIN"}, Stmts: make([]testcase.Stmt, sizes[i]),
			End: testcase.Stmt{SQL: "COMMIT"}}
		states[i] = txnState{reader: sizes[i] > 1 && g.pct(readerShare), readOnly: g.pct(g.d.TxnForms.ReadOnlyShare)}
	}
	g.someWriter(states)
	g.sessions(txns)
	g.levels(txns, states)
	g.savepoints(txns, states)
	g.alone(txns, states)
	g.lockInside(txns, states)
	g.advisory(txns, states)
	g.frames(txns, states)
	txns, states = g.ddl(txns, states)
	g.chain(txns, states)
	schedule := g.schedule(txns)
	next := make([]int, len(txns))
	for _, i := range schedule {
		at := next[i] - 1 // step 0 is BEGIN
		if states[i].alone {
			at = 0
		}
		next[i]++
		g.txn = &states[i]
		switch t := &txns[i]; {
		case at < 0:
		case at < len(t.Stmts) && t.Stmts[at].SQL != "": // it stands already
		case at < len(t.Stmts):
			g.txn.left = unset(t.Stmts[at:])
			t.Stmts[at] = g.finished(g.statement())
		default: // what BEGIN is depends on the statements
			g.bracket(t, i)
			g.goOn(txns, states, i)
		}
	}
	return g.checkpointed(txns, states, g.locked(txns, states, schedule))
}

// allRead is the share of the cases, in percent, that stay without a write where every transaction was to have none.
const allRead = 10

// someWriter lets a transaction write where none was to: transactions that only read have nothing to see of each other.
func (g *generator) someWriter(states []txnState) {
	if slices.ContainsFunc(states, func(s txnState) bool { return !s.reader && !s.readOnly }) {
		return
	}
	if rng := g.beside("some-writer"); rng.IntN(100) >= allRead {
		s := &states[rng.IntN(len(states))]
		s.reader, s.readOnly = false, false
	}
}

// unset counts the statements that are still to be drawn.
func unset(stmts []testcase.Stmt) (n int) {
	for i := range stmts {
		if stmts[i].SQL == "" {
			n++
		}
	}
	return n
}

// statement draws the next statement of the transaction.
func (g *generator) statement() sql.Stmt {
	g.startStmt()
	if g.txn.locked {
		g.aliases = g.txn.aliases
		defer func() { g.txn.aliases = g.aliases }()
	}
	switch {
	case g.txn.reader:
		return g.scan()
	case g.txn.readOnly:
		return stmtSelect(g)
	}
	if n := g.owe(); n != nil {
		return n
	}
	if n := g.carry(); n != nil {
		return n
	}
	if len(g.txn.wrote) > 0 && g.pct(g.style.back) {
		return g.lookBack()
	}
	return choose(g, statementTable)(g)
}

// lookBack returns a SELECT most of whose tables the transaction has written: what it answers, an engine puts together
// of what is stored and of what the transaction has changed, and by another plan than it has without changes.
func (g *generator) lookBack() sql.Stmt {
	defer g.readOwn()()
	if has(g, selectTable, "set") && g.wants("set-back") {
		g.calm = false
		return selSet(g)
	}
	return stmtSelect(g)
}

// readOwn makes most tables of what is drawn next such that the transaction has written, until what it returns is
// called.
func (g *generator) readOwn() (done func()) {
	own := g.style.own
	g.style.own = max(own, ownBack)
	return func() { g.style.own = own }
}

// scan returns a SELECT that prints the versions of one hot table's rows, all of them or a range.
func (g *generator) scan() sql.Stmt {
	return g.scanOf(g.tables[g.rng.IntN(min(2, len(g.tables)))], func(sc *scope) sql.Expr {
		switch n := g.rng.IntN(100); {
		case n < scanRange:
			return whereRange(g, sc, 0)
		case n < scanRange+scanWide:
			return whereWide(g, sc, 0)
		}
		return nil
	})
}

// scanOf returns one of t.
func (g *generator) scanOf(t *table, where func(*scope) sql.Expr) sql.Stmt {
	sc := &scope{}
	from := g.addTable(sc, t)
	rows := where(sc)
	return build.Query(block(from, rows, list(append(items(sc), g.outputs(sc, 1, 0)...))...))
}

// sessions gives sessions several transactions each in a share of the cases: all transactions go to sessions of
// which there are fewer, but at least two, so that some can still overlap.
func (g *generator) sessions(txns []testcase.Txn) {
	if len(txns) < 3 || g.sessionRNG.IntN(100) >= sessionShare && !g.undoing && !g.chaining {
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

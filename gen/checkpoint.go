package gen

import (
	"math/rand/v2"
	"slices"

	"txweave/sql"
	"txweave/sql/build"
	"txweave/testcase"
)

// Checkpoints in percent: of the moments right behind the end of a transaction, and of those right behind a statement
// of one that is open; how many a case has at most. And of the cases with checkpoints those with a transaction that
// reads before, between and behind them.
const (
	checkpointBehindEnd  = 60
	checkpointWhileOpen  = 20
	checkpointsAtTheMost = 5
	longReaderShare      = 75
	// of the cases with checkpoints and several tables those in which all of it happens before other transactions begin
	quietShare = 40
)

// checkpointed adds a session that writes the log into the tables' file while transactions are open: right behind a
// commit, when the log holds what a reader must not see, and behind a reader's statement, when all that the log holds
// may go to the file: the next writer begins the log anew, but for those who are still in it. Only where there are
// both. The statements and their order are drawn already, and stay.
func (g *generator) checkpointed(txns []testcase.Txn, states []txnState, schedule []int) ([]testcase.Txn, []int) {
	reads := func(s txnState) bool { return len(s.wrote) == 0 && !s.alone }
	if len(g.d.DDL.Checkpoint) == 0 || !g.wants("ddl-checkpoint") {
		return txns, schedule
	}
	delete(g.uses, "ddl-checkpoint")
	c := checkpointer{rng: g.beside("ddl-checkpoint"), spellings: g.d.DDL.Checkpoint, txns: txns, commits: commits(txns,
		states, schedule), first: -1, reader: -1}
	for i := range txns {
		c.session = max(c.session, txns[i].Session+1)
	}
	switch {
	case c.rng.IntN(100) < quietShare && g.quiet(&c):
	case len(c.commits) > 1 && c.rng.IntN(100) < longReaderShare:
		c.first, c.second = c.around(schedule)
		c.reader = len(c.txns)
		c.txns = append(c.txns, g.longReader(g.shuffled("ddl-checkpoint")))
	case len(c.commits) == 0 || !slices.ContainsFunc(states, reads):
		return txns, schedule
	}
	c.weave(schedule)
	if c.made > 0 {
		g.uses["ddl-checkpoint"] = true
	}
	if c.made == 1 {
		c.txns[len(c.txns)-1].Session = 0
	}
	return c.txns, c.order
}

// commits returns where in a schedule transactions that have written end.
func commits(txns []testcase.Txn, states []txnState, schedule []int) (at []int) {
	left := make([]int, len(txns))
	for i := range txns {
		left[i] = txns[i].Steps()
	}
	for k, i := range schedule {
		if left[i]--; left[i] == 0 && len(states[i].wrote) > 0 {
			at = append(at, k)
		}
	}
	return at
}

// around returns two of the commits for the long reader, drawn of those between which the fewest transactions are open
// throughout: a checkpoint takes nothing from the log while one is that began before all that is in it. The second
// writer had better begin behind the first commit, as one that has begun already does not begin the log anew.
func (c *checkpointer) around(schedule []int) (first, second int) {
	var pairs [][2]int
	fewest := 2*len(c.txns) + 2
	for i := range c.commits {
		for j := i + 1; j < len(c.commits); j++ {
			open, writer := 0, schedule[c.commits[j]]
			if slices.Index(schedule, writer) < c.commits[i] {
				open++
			}
			for t := range c.txns {
				if slices.Contains(schedule[:c.commits[i]+1], t) && slices.Contains(schedule[c.commits[j]+1:], t) {
					open += 2
				}
			}
			if open < fewest {
				fewest, pairs = open, nil
			}
			if open == fewest {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	at := pairs[c.rng.IntN(len(pairs))]
	return at[0], at[1]
}

// shuffled is the tables of a case in an order that is drawn.
func (g *generator) shuffled(name string) []*table {
	out := slices.Clone(g.tables)
	g.beside(name).Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// longReader is a transaction that reads some rows of the first of some tables, and at last all of several: what of a
// snapshot nobody has in memory yet when it is asked for comes from the log or from the file.
func (g *generator) longReader(tables []*table) testcase.Txn {
	t := testcase.Txn{Begin: testcase.Stmt{SQL: "BEGIN"}, End: testcase.Stmt{SQL: "COMMIT"}}
	some := func(sc *scope) sql.Expr { return whereRange(g, sc, 0) }
	all := func(*scope) sql.Expr { return nil }
	g.aside("ddl-checkpoint", func() {
		g.startStmt()
		t.Stmts = append(t.Stmts, g.finished(g.scanOf(tables[0], some)))
		for n := range min(len(tables), 3) {
			g.startStmt()
			t.Stmts = append(t.Stmts, g.finished(g.scanOf(tables[len(tables)-1-n], all)))
		}
	})
	return t
}

// quiet begins a case with a writer, a reader in the log that it leaves, another writer, and checkpoints between them,
// before any other transaction is open, which would keep the log from going to the file or from being begun anew: so
// the first writer's table is read from the log and the second one's, where that is not in it yet, from the file, with
// a log that must stay as it is. false where the tables do not take that.
func (g *generator) quiet(c *checkpointer) bool {
	tables := g.shuffled("quiet")
	if len(tables) < 2 {
		return false
	}
	before, after := g.rewriting(tables[0]), g.rewriting(tables[len(tables)-1])
	if before == "" || after == "" {
		return false
	}
	write := func(sql string) int {
		c.txns = append(c.txns, testcase.Txn{Begin: testcase.Stmt{SQL: "BEGIN"}, Stmts: []testcase.Stmt{{SQL: sql}},
			End: testcase.Stmt{SQL: "COMMIT"}})
		return len(c.txns) - 1
	}
	first, second := write(before), write(after)
	c.reader = len(c.txns)
	c.txns = append(c.txns, g.longReader(tables))
	c.begin()
	c.checkpoint(50)
	c.whole(first)
	c.step(c.reader) // BEGIN
	c.step(c.reader)
	c.checkpoint(60)
	c.whole(second)
	c.checkpoint(60)
	for range c.rng.IntN(c.left[c.reader]) {
		c.step(c.reader)
	}
	return true
}

// rewriting is an UPDATE that changes every row of a table; "" where none is sure to.
func (g *generator) rewriting(t *table) (text string) {
	g.aside("quiet", func() {
		g.startStmt()
		set := g.newVersion(t)
		for _, c := range t.cols {
			if len(set) < 3 && !c.unique && !slices.Contains(t.own, c) {
				set = append(set, g.harmless(t, c)...)
			}
		}
		if len(set) > 0 {
			text = g.finished(&sql.Update{Table: build.Table(t.name, ""), Set: set}).SQL
		}
	})
	return text
}

// checkpointer weaves checkpoints, and a long reader, into a schedule.
type checkpointer struct {
	rng       *rand.Rand
	spellings []string
	txns      []testcase.Txn
	session   int   // of the checkpoints
	made      int   // checkpoints
	reader    int   // the long reader's number; -1: there is none
	commits   []int // where in the schedule writers end
	// of those the one behind which the long reader begins, and the one behind which it goes on; -1: it has begun already
	first, second int
	order         []int
	left          []int // steps of each transaction
	open          int   // transactions
}

// begin counts the steps of all transactions, none of which is in the order yet.
func (c *checkpointer) begin() {
	c.left = make([]int, len(c.txns))
	for i := range c.txns {
		c.left[i] = c.txns[i].Steps()
	}
}

// step adds the next step of a transaction.
func (c *checkpointer) step(i int) {
	c.order = append(c.order, i)
	if c.left[i] == c.txns[i].Steps() {
		c.open++
	}
	if c.left[i]--; c.left[i] == 0 {
		c.open--
	}
}

// whole adds all steps of a transaction.
func (c *checkpointer) whole(i int) {
	for c.left[i] > 0 {
		c.step(i)
	}
}

func (c *checkpointer) weave(schedule []int) {
	if c.left == nil {
		c.begin()
	}
	for k, i := range schedule {
		c.step(i)
		share := checkpointWhileOpen
		if c.left[i] == 0 {
			share = checkpointBehindEnd
		}
		switch {
		case c.first >= 0 && k == c.commits[c.first]:
			c.step(c.reader) // BEGIN
			c.step(c.reader)
			share = 60
		case c.first >= 0 && k == c.commits[c.second]:
			c.checkpoint(80)
			for range c.rng.IntN(c.left[c.reader]) {
				c.step(c.reader)
			}
			share = 0
		}
		if c.open > 0 {
			c.checkpoint(share)
		}
	}
	if c.reader >= 0 {
		c.whole(c.reader)
	}
}

// checkpoint makes one in a share of cases, in percent.
func (c *checkpointer) checkpoint(share int) {
	if c.made == checkpointsAtTheMost || c.rng.IntN(100) >= share {
		return
	}
	c.made++
	c.order = append(c.order, len(c.txns))
	sql := c.spellings[c.rng.IntN(len(c.spellings))]
	c.txns = append(c.txns, testcase.Txn{Session: c.session, Stmts: []testcase.Stmt{{SQL: sql}}})
}

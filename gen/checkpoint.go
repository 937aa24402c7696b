package gen

import (
	"math/rand/v2"
	"slices"

	"txweave/testcase"
)

// Checkpoints in percent: of the moments right behind the end of a transaction, and of those right behind a statement of one that is
// open; how many a case has at most. And of the cases with checkpoints those with a transaction that reads before, between and behind them.
const (
	checkpointBehindEnd  = 60
	checkpointWhileOpen  = 20
	checkpointsAtTheMost = 5
	longReaderShare      = 75
)

// checkpointed adds a session that writes the log into the tables' file while transactions are open: right behind a commit, when the log
// holds what a reader must not see, and behind a reader's statement, when all that the log holds may go to the file: the next writer begins
// the log anew, but for those who are still in it. Only where there are both. The statements and their order are drawn already, and stay.
func (g *generator) checkpointed(txns []testcase.Txn, states []txnState, schedule []int) ([]testcase.Txn, []int) {
	reads := func(s txnState) bool { return len(s.wrote) == 0 && !s.alone }
	if len(g.d.DDL.Checkpoint) == 0 || !g.wants("ddl-checkpoint") {
		return txns, schedule
	}
	delete(g.uses, "ddl-checkpoint")
	c := checkpointer{rng: g.beside("ddl-checkpoint"), spellings: g.d.DDL.Checkpoint, txns: txns, commits: commits(txns, states, schedule), first: -1, second: -1}
	for i := range txns {
		c.session = max(c.session, txns[i].Session+1)
	}
	switch {
	case len(c.commits) > 1 && c.rng.IntN(100) < longReaderShare:
		c.first, c.second = c.around(schedule)
		c.reader = len(c.txns)
		c.txns = append(c.txns, g.longReader())
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

// around returns two of the commits for the long reader, drawn of those between which the fewest transactions are open throughout: a
// checkpoint takes nothing from the log while one is that began before all that is in it. The second writer had better begin behind the
// first commit, as one that has begun already does not begin the log anew.
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

// longReader is a transaction that reads some rows of one table, and at last all of several: what of a snapshot nobody has in memory yet when
// it is asked for comes from the log or from the file.
func (g *generator) longReader() testcase.Txn {
	t := testcase.Txn{Begin: testcase.Stmt{SQL: "BEGIN"}, End: testcase.Stmt{SQL: "COMMIT"}}
	some := func(sc *scope) string { return clause(whereRange(g, sc, 0)) }
	all := func(*scope) string { return "" }
	g.aside("ddl-checkpoint", func() {
		at := g.rng.Perm(len(g.tables))
		g.startStmt()
		t.Stmts = append(t.Stmts, testcase.Stmt{SQL: g.scanOf(g.tables[at[0]], some)})
		for n := range min(len(at), 3) {
			g.startStmt()
			t.Stmts = append(t.Stmts, testcase.Stmt{SQL: g.scanOf(g.tables[at[len(at)-1-n]], all)})
		}
	})
	return t
}

// checkpointer weaves checkpoints, and a long reader, into a schedule.
type checkpointer struct {
	rng           *rand.Rand
	spellings     []string
	txns          []testcase.Txn
	session       int   // of the checkpoints
	made          int   // checkpoints
	reader        int   // the long reader's number
	commits       []int // where in the schedule writers end
	first, second int   // of those the one behind which the long reader begins, and the one behind which it goes on; -1: there is none
	order         []int
}

func (c *checkpointer) weave(schedule []int) {
	left := make([]int, len(c.txns))
	for i := range c.txns {
		left[i] = c.txns[i].Steps()
	}
	open := 0
	step := func(i int) {
		c.order = append(c.order, i)
		if left[i] == c.txns[i].Steps() {
			open++
		}
		if left[i]--; left[i] == 0 {
			open--
		}
	}
	for k, i := range schedule {
		step(i)
		share := checkpointWhileOpen
		if left[i] == 0 {
			share = checkpointBehindEnd
		}
		switch {
		case c.first >= 0 && k == c.commits[c.first]:
			step(c.reader) // BEGIN
			step(c.reader)
			share = 60
		case c.first >= 0 && k == c.commits[c.second]:
			c.checkpoint(80)
			for range c.rng.IntN(left[c.reader]) {
				step(c.reader)
			}
			share = 0
		}
		if open > 0 {
			c.checkpoint(share)
		}
	}
	for c.first >= 0 && left[c.reader] > 0 {
		step(c.reader)
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

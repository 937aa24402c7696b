package testcase

import "slices"

// The edits of a case that keep it whole: a statement has one step in the schedule, and none that is gone stands in it
// or in the order. They change the case itself; who wants to keep it edits a Clone. A statement that is put in gets its
// identity from Identify.

// StepsOf lists the places of a transaction's steps in the schedule.
func (c *Case) StepsOf(txn int) []int {
	var out []int
	for i, n := range c.Schedule {
		if n == txn {
			out = append(out, i)
		}
	}
	return out
}

// StepOf is the place of a statement's step in the schedule.
func (c *Case) StepOf(ref Ref) int { return c.StepsOf(ref.Txn)[c.Txns[ref.Txn].stepAt(ref.Stmt)] }

// stepAt is which of the transaction's steps is that of a statement.
func (t *Txn) stepAt(stmt int) int {
	if t.Autocommit() {
		return stmt
	}
	return stmt + 1
}

// Insert puts a statement into a transaction that has a begin and an end, before the one at ref, and its step at a
// place of the schedule, which lies behind the step before it and not behind the one that follows.
func (c *Case) Insert(ref Ref, sql string, place int) {
	t := &c.Txns[ref.Txn]
	t.Stmts = slices.Insert(t.Stmts, ref.Stmt, Stmt{SQL: sql})
	c.Schedule = slices.Insert(c.Schedule, place, ref.Txn)
	for i, r := range c.Order {
		if r.Txn == ref.Txn && r.Stmt >= ref.Stmt {
			c.Order[i].Stmt++
		}
	}
}

// InsertBefore puts a statement into a transaction right before the one at ref, in the schedule too; behind the last
// one, before the transaction's end.
func (c *Case) InsertBefore(ref Ref, sql string) { c.Insert(ref, sql, c.StepsOf(ref.Txn)[ref.Stmt+1]) }

// Remove takes a statement out. A transaction in autocommit goes with its statement.
func (c *Case) Remove(ref Ref) {
	if c.Txns[ref.Txn].Autocommit() {
		c.RemoveTxn(ref.Txn)
		return
	}
	c.keep(func(int) bool { return true }, func(txn, stmt int) bool { return txn != ref.Txn || stmt != ref.Stmt })
}

// RemoveTxn takes a transaction out; those behind it are numbered anew.
func (c *Case) RemoveTxn(txn int) {
	c.keep(func(n int) bool { return n != txn }, func(int, int) bool { return true })
}

// OwnSession gives a transaction a session of its own, with what every session is set to.
func (c *Case) OwnSession(txn int) {
	c.Txns[txn].Session = 0
	c.DropUnusedSessions()
}

// AddTxn adds a transaction, whose steps come behind all others, and returns its number.
func (c *Case) AddTxn(t Txn) int {
	txn := len(c.Txns)
	c.Txns = append(c.Txns, t)
	for range c.Txns[txn].Steps() {
		c.Schedule = append(c.Schedule, txn)
	}
	return txn
}

// Select returns a copy of the case with only the transactions and statements asked for. The transactions are numbered
// anew.
func (c *Case) Select(keepTxn func(txn int) bool, keepStmt func(txn, stmt int) bool) *Case {
	d := c.Clone()
	d.keep(keepTxn, keepStmt)
	return d
}

// InOrderOfBegin returns a copy of the case whose transactions are numbered in the order of their first steps.
func (c *Case) InOrderOfBegin() *Case {
	d := c.Clone()
	number := map[int]int{}
	for i, n := range c.Schedule {
		if _, seen := number[n]; !seen {
			number[n] = len(number)
		}
		d.Schedule[i] = number[n]
	}
	for n, t := range c.Clone().Txns {
		d.Txns[number[n]] = t
	}
	for i, r := range c.Order {
		d.Order[i].Txn = number[r.Txn]
	}
	return d
}

func (c *Case) keep(keepTxn func(txn int) bool, keepStmt func(txn, stmt int) bool) {
	stays := func(n int) bool { return keepTxn(n) && (!c.Txns[n].Autocommit() || keepStmt(n, 0)) }
	number := make([]int, len(c.Txns))
	renamed := map[Ref]Ref{}
	var txns []Txn
	for n, t := range c.Txns {
		if !stays(n) {
			continue
		}
		number[n] = len(txns)
		var stmts []Stmt
		for i, s := range t.Stmts {
			if keepStmt(n, i) {
				renamed[Ref{n, i}] = Ref{number[n], len(stmts)}
				stmts = append(stmts, s)
			}
		}
		t.Stmts = stmts
		txns = append(txns, t)
	}
	var schedule []int
	step := make([]int, len(c.Txns)) // the next step of each transaction
	for _, n := range c.Schedule {
		i := step[n]
		step[n]++
		if frame := i == 0 || i == c.Txns[n].Steps()-1; stays(n) && (frame || keepStmt(n, i-1)) {
			schedule = append(schedule, number[n])
		}
	}
	var order []Ref
	for _, r := range c.Order {
		if to, kept := renamed[r]; kept {
			order = append(order, to)
		}
	}
	c.Txns, c.Schedule, c.Order = txns, schedule, order
	c.DropUnusedSessions()
}

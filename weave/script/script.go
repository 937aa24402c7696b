// Package script runs what people write down of sessions side by side, as it stands, and holds its answers against
// every serial order of its transactions, run on the same database: where one gives the same answers and the same
// tables, the script shows nothing that transactions must not do. That order is then run once more without
// transactions. Nothing is asked of the script's tables and statements.
package script

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"txweave/dbms"
	"txweave/exec"
	"txweave/finding"
	"txweave/history"
	"txweave/instrument"
	"txweave/oracle/observe"
	"txweave/oracle/replay"
	"txweave/oracle/unexpected"
	"txweave/sql"
	"txweave/sql/outside"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// Limits on the orders that are tried.
const (
	MaxTransactions = 5   // so many are held against every serial order
	maxOrders       = 120 // more transactions against so many orders that keep those in order which did not overlap
)

// Options of Check.
type Options struct {
	Patience exec.Patience
	// Anew says that each run needs a new server: the script changes more than a database. Nothing is held against serial
	// orders where the target cannot have one.
	Anew bool
}

// Showing is what came of a script.
type Showing struct {
	Script *testcase.Script
	Case   *testcase.Case // the script's transactions, as its run made them, for the timeline
	Units  []RunUnit      // by number of the transaction in Case
	Run    *exec.Played
	Trace  *history.Trace
	// NotHeld says why the answers were not held against serial orders; "" where they were.
	NotHeld string
	Tried   int
	// Order is the serial order, by number of transaction, that gives these answers, or else comes nearest; nil where none
	// was run. Early says that only an order gives them that puts a transaction before one which had ended before it
	// began.
	Order []int
	Fits  bool
	Early bool
	// Serial is the trace of that order, Differences are what it answers otherwise.
	Serial      *history.Trace
	Differences []finding.Difference
	// Alone is what the statements of that order answer without transactions, where that was tried, and Unlike what
	// differs then.
	Alone  *history.Trace
	Unlike []finding.Difference
	// Levels are the isolation levels that its transactions ran at, each once: of those that overlapped, where any did. At
	// are those of its steps.
	Levels, At []string
	// Apart is what is not compared with serial orders.
	Apart []Apart
	// Disagree are reads of one transaction of which no state of the tables can have been the one that they saw.
	Disagree []finding.Difference
	// OwnWaits says that the text sets how long a wait for a lock may last.
	OwnWaits bool
	// Silence is the setting by which the text has connections ended; "" for none.
	Silence string
	// SeenBefore is the line of a statement which older snapshots see, as the database is documented, so that no level
	// promises a serial order of it; 0 for none.
	SeenBefore int
	// Remarks are of what is as documented, and not as expected.
	Remarks []Remark

	values *outside.Values
	told   map[int]*outside.Answer // by step
	// Impossible are errors that no statement can cause.
	Impossible []finding.Difference
}

// RunUnit is a transaction of the run.
type RunUnit struct {
	testcase.Unit
	Aborted bool // the database rolled it back
	Level   string
	first   int64 // when it began, since the script did
	last    int64 // when what ends it was answered; the largest number where nothing does
}

// Check runs a script and holds it against serial orders. Errors are ours or the environment's.
func Check(ctx context.Context, t exec.Target, p *dbms.Profile, s *testcase.Script, o Options) (*Showing, error) {
	c := &checker{ctx: ctx, target: t, profile: asPeople(p, s), opt: o, out: &Showing{Script: s}}
	sets := s.Sets()
	c.out.OwnWaits = slices.ContainsFunc(p.WaitLimits, func(x dbms.WaitLimit) bool {
		return slices.Contains(sets, x.Setting)
	})
	for _, name := range p.Silences {
		if slices.Contains(sets, name) {
			c.out.Silence = name
		}
	}
	statements := append(texts(s.Setup), texts(s.Steps)...)
	c.tables = exec.Names(statements)
	c.out.values, c.out.told = outside.Follow(sqltext.SyntaxOf(s.Target), texts(s.Setup), texts(s.Steps)),
		map[int]*outside.Answer{}
	steps := make([]int, len(s.Steps))
	for i := range steps {
		steps[i] = i
	}
	run, err := c.play(steps)
	if err != nil {
		return nil, err
	}
	c.out.Run = run
	c.units()
	c.levels()
	c.out.Trace = c.trace(run, steps)
	c.out.Impossible = unexpected.Find(p, slices.DeleteFunc(slices.Clone(c.out.Trace.Events), func(e *history.Event) bool {
		// A script may drop its tables, or never make them.
		return e.Err != nil && (p.Errors.Lost.Has(e.Err.Code, e.Err.Message) || Lacks(e.Err.Message))
	}))
	if run.Down != nil {
		c.out.NotHeld = "the database went down"
		return c.out, nil
	}
	c.apart()
	c.seenBefore()
	c.remark()
	c.ownPatience()
	c.out.Disagree = c.pairs()
	return c.out, c.serial()
}

// asPeople is a level for sessions as people have them. They are set to the level where the text, or who runs it, asks
// for one, and give up waits where it says nothing of that.
func asPeople(p *dbms.Profile, s *testcase.Script) *dbms.Profile {
	q := *p
	q.Setup = slices.Clone(p.Client)
	if s.Isolation != "" {
		q.Setup = append(q.Setup, p.Level...)
	}
	for _, x := range patience(p, s) {
		q.Setup = append(q.Setup, x.Set)
	}
	return &q
}

// patience are the settings that end a wait which a script leaves to others, and that sessions have then.
func patience(p *dbms.Profile, s *testcase.Script) []dbms.WaitLimit {
	set := s.Sets()
	return slices.DeleteFunc(slices.Clone(p.WaitLimits), func(x dbms.WaitLimit) bool {
		return x.Set == "" || slices.Contains(set, x.Setting)
	})
}

func texts(list []testcase.ScriptStmt) []string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = list[i].SQL
	}
	return out
}

type checker struct {
	ctx     context.Context
	target  exec.Target
	profile *dbms.Profile
	opt     Options
	tables  []string
	out     *Showing
	names   []name // by step
	fresh   bool   // a play has been made
}

// name is the place of a step in the transactions.
type name struct {
	txn, stmt int
	role      history.Role
}

// What stands in the place of a step's number where a transaction has to end for which the script has no statement.
const (
	closing    = -1 // it is left open
	committing = -2 // what comes next in its session commits it
)

// play runs steps of the script, given by their numbers, on an empty database. A negative number stands for a ROLLBACK,
// or a COMMIT, in the session of the step before.
func (c *checker) play(steps []int) (*exec.Played, error) {
	s := c.out.Script
	play := exec.Play{Setup: texts(s.Setup), Sessions: len(s.Sessions), Tables: c.tables}
	ask := map[int]bool{}
	if c.out.Run == nil { // the levels are those of the script as it stands
		for _, u := range s.Units(nil, nil) {
			if i, ok := u.First(s); ok {
				ask[i] = true
			}
		}
	}
	for i, n := range steps {
		if n < 0 {
			play.Steps = append(play.Steps, exec.Move{Session: s.Steps[steps[i-1]].Session, SQL: c.ending(n, steps[i-1])})
			continue
		}
		play.Steps = append(play.Steps, exec.Move{Session: s.Steps[n].Session, SQL: s.Steps[n].SQL, Idle: s.Steps[n].Idle,
			Ask: ask[n], Slow: c.slow(n), Lasts: c.lasts(s.Steps[n].SQL)})
	}
	if c.out.Run == nil {
		c.waitOut(play.Steps)
	}
	return c.run(play)
}

// slow says of a step in a serial order that it waits for nobody, as it did not in the script's run: where it is silent
// the server is busy, and the next transaction must not begin.
func (c *checker) slow(step int) bool {
	if c.out.Run == nil || c.out.Run.Steps[step] == nil {
		return false
	}
	return !c.out.Run.Steps[step].Blocked || c.lasts(c.out.Script.Steps[step].SQL) > 0 // it was silent, as it says itself
}

// ending is the statement, closing or committing, that ends a transaction behind its last step.
func (c *checker) ending(how, last int) string {
	text := "ROLLBACK"
	if how == committing {
		text = "COMMIT"
	}
	if c.out.Units[c.names[last].txn].Prepared {
		text += " PREPARED " + c.profile.Read(c.out.Script.Steps[last].SQL).Prepares()
	}
	return text
}

// MostLasting is how long a statement is waited for that says itself that it takes longer than any other, or not how
// long.
const MostLasting = 10 * time.Minute

// lasts is how long a statement says itself that it takes, as far as it is waited for.
func (c *checker) lasts(sql string) time.Duration {
	d, says := c.profile.Read(sql).Lasts()
	if !says && c.out.values.Waits(sql) {
		return MostLasting
	}
	if says && (d == 0 || d > MostLasting) {
		return MostLasting
	}
	return d
}

func (c *checker) run(play exec.Play) (*exec.Played, error) {
	if c.opt.Anew && c.fresh {
		if err := c.target.Restart(c.ctx); err != nil {
			return nil, err
		}
	}
	c.fresh = true
	return exec.RunScript(c.ctx, c.target, c.profile, play, c.opt.Patience)
}

// units finds the transactions of the run and numbers them: those that read or write rows first.
func (c *checker) units() {
	s, run := c.out.Script, c.out.Run
	gone := map[int]bool{}
	for i, e := range run.Steps {
		gone[i] = e != nil && e.Err != nil && c.profile.Classify(e.Err.Code, e.Err.Message) == dbms.TxnLost
	}
	for _, i := range run.RolledBack {
		gone[i] = true
	}
	open := c.profile.Transactions.Loss != dbms.LostIsGone // what is lost is so until its own end
	refused := func(i int) bool { return run.Steps[i] != nil && run.Steps[i].Err != nil }
	over := slices.Concat(run.Lost, run.RolledBack)
	all := s.Units(func(i int) bool { return gone[i] && !open || slices.Contains(over, i) }, refused)
	slices.SortStableFunc(all, func(a, b testcase.Unit) int { return boolOrder(b.Data) - boolOrder(a.Data) })
	c.names = make([]name, len(s.Steps))
	c.out.Case = &testcase.Case{Target: s.Target, Isolation: c.profile.Isolation}
	for _, st := range s.Setup {
		c.out.Case.Schema = append(c.out.Case.Schema, testcase.Stmt{SQL: st.SQL})
	}
	for _, u := range all {
		unit := RunUnit{Unit: u, Aborted: c.aborted(u, gone)}
		unit.first, unit.last = lasted(&u, run.Steps)
		c.out.Units = append(c.out.Units, unit)
		c.out.Case.Txns = append(c.out.Case.Txns, c.transaction(u, len(c.out.Case.Txns)))
	}
	c.out.Case.Number()
}

// lasted is from when to when a transaction was open, in ns of the run: first is -1 where nothing of it was sent, last
// MaxInt64 where nothing has ended it.
func lasted(u *testcase.Unit, steps []*history.Event) (first, last int64) {
	first = -1
	for _, i := range u.Steps {
		if e := steps[i]; e != nil {
			if first < 0 {
				first = e.Start
			}
			last = max(last, e.End)
		}
	}
	if by := steps[u.CommittedBy]; u.CommittedBy > 0 && by != nil {
		last = max(last, by.End)
	} else if u.Open || u.CommittedBy > 0 {
		last = math.MaxInt64
	}
	return first, last
}

// transaction makes transaction n of a case of a unit, and names its steps.
func (c *checker) transaction(u testcase.Unit, n int) (txn testcase.Txn) {
	s := c.out.Script
	for k, i := range u.Steps {
		at := name{txn: n, stmt: -1}
		stmt := testcase.Stmt{SQL: s.Steps[i].SQL}
		switch {
		case k == 0 && u.Opened:
			txn.Begin, at.role = stmt, history.Begin
		case u.Opened && s.SetsLevel(stmt.SQL): // a case says it of the transaction
			at.role = history.Level
		case u.Ends && k == len(u.Steps)-1:
			txn.End, at.role = stmt, history.End
		default:
			at.stmt, at.role = len(txn.Stmts), history.Target
			txn.Stmts = append(txn.Stmts, stmt)
		}
		c.names[i] = at
	}
	return txn
}

// aborted says whether the database rolled a transaction back, of which gone are the steps that say so. Where it then
// waits for the transaction's end it may be brought back to a savepoint and committed.
func (c *checker) aborted(u testcase.Unit, gone map[int]bool) bool {
	if c.profile.Transactions.Loss == dbms.ErrorsEnd && c.commits(u) {
		return false
	}
	return slices.ContainsFunc(u.Steps, func(i int) bool { return gone[i] })
}

// commits says whether a transaction's last statement committed it.
func (c *checker) commits(u testcase.Unit) bool {
	last := u.Steps[len(u.Steps)-1]
	if e := c.out.Run.Steps[last]; !u.Ends || e == nil || e.Err != nil {
		return false
	}
	s := c.profile.Read(c.out.Script.Steps[last].SQL)
	xa, prepared := s.Tree.(*sql.XA)
	return s.Kind != sqltext.Rollback && !(prepared && xa.Step == "ROLLBACK")
}

// levels finds out at which level each transaction ran, and collects those of which it matters.
func (c *checker) levels() {
	run := c.out.Run
	said := func(step int, once string) string { return run.Asked[step].Level(once) }
	refused := func(step int) bool { return run.Steps[step] == nil || run.Steps[step].Err != nil }
	all := c.out.Script.LevelsAsked(said, refused)
	for i := range all {
		all[i] = cmp.Or(all[i], c.profile.Isolation)
	}
	c.out.At = all
	for n := range c.out.Units {
		u := &c.out.Units[n]
		u.Level = all[u.Steps[0]]
	}
	for n, u := range c.out.Units {
		if u.Data && c.out.overlaps(n) && !slices.Contains(c.out.Levels, u.Level) {
			c.out.Levels = append(c.out.Levels, u.Level)
		}
	}
	for _, u := range c.out.Units {
		if u.Data && len(c.out.Levels) == 0 {
			c.out.Levels = append(c.out.Levels, u.Level)
		}
	}
}

// Judged is the profile by which the transactions are judged: that of their level, of several that of the strongest,
// beside which the others have their own. p is one of the same DBMS. What p is held to are those of the weakest level,
// where that promises less.
func (o *Showing) Judged(p *dbms.Profile) (*dbms.Profile, error) {
	for _, level := range slices.Concat(o.Levels, o.At) {
		if _, err := dbms.Lookup(p.DBMS, level); err != nil {
			return nil, err
		}
	}
	if slices.Equal(o.Levels, []string{p.Isolation}) {
		return p, nil
	}
	all := dbms.Levels(p.DBMS) // the weakest first
	rank := func(level string) int {
		return slices.IndexFunc(all, func(q *dbms.Profile) bool { return q.Isolation == level })
	}
	at := slices.MaxFunc(o.Levels, func(a, b string) int { return rank(a) - rank(b) })
	if p.Claimed != nil { // those of a stronger level are held to their own
		at = slices.MinFunc(o.Levels, func(a, b string) int { return rank(a) - rank(b) })
	}
	q := all[rank(at)]
	if p.Claimed != nil && rank(p.Claimed.Isolation) > rank(at) {
		q = q.HeldTo(p.Claimed)
	}
	return q, nil
}

// WatchedAt are the levels of the script's steps in the run that is watched at a level: that one where a transaction
// runs while no other is open, since no level makes a difference to it.
func (o *Showing) WatchedAt(p *dbms.Profile) []string {
	at := slices.Clone(o.At)
	for n, u := range o.Units {
		if u.Data && !o.overlaps(n) {
			for _, i := range u.Steps {
				at[i] = p.Isolation
			}
		}
	}
	return at
}

// overlaps says whether a transaction that reads or writes rows was open while another one was. One that was not is in
// its place in every serial order, whatever its level.
func (o *Showing) overlaps(n int) bool {
	for m := range o.Units {
		if o.beside(m, n) {
			return true
		}
	}
	return false
}

// beside says whether a transaction with rows was open while another unit was.
func (o *Showing) beside(m, n int) bool {
	u := o.Units
	return m != n && !o.inTurn(m, n) && !o.inTurn(n, m) && u[m].Data && u[m].first >= 0 && u[n].first >= 0 &&
		u[m].first < u[n].last && u[n].first < u[m].last
}

// inTurn says whether a session had one transaction behind another: it has one at a time, besides those that it has
// prepared.
func (o *Showing) inTurn(a, b int) bool {
	u := o.Units
	return u[a].Session == u[b].Session && u[a].Steps[0] < u[b].Steps[0] && (!u[a].Prepared || u[a].last <= u[b].first)
}

func boolOrder(b bool) int {
	if b {
		return 1
	}
	return 0
}

// trace makes the trace of a play: the sessions have the script's names.
func (c *checker) trace(run *exec.Played, steps []int) *history.Trace {
	out := &history.Trace{}
	for i, e := range run.Steps {
		if e == nil || steps[i] < 0 {
			continue
		}
		at := c.names[steps[i]]
		e.Session, e.Txn, e.Stmt, e.Role = c.out.Script.Sessions[c.out.Script.Steps[steps[i]].Session], at.txn,
			at.stmt, at.role
		out.Events = append(out.Events, e)
	}
	slices.SortStableFunc(out.Events, func(a, b *history.Event) int { return a.Op - b.Op })
	out.Events = append(out.Events, run.Final...)
	return out
}

// serial tries the serial orders.
func (c *checker) serial() error {
	if c.out.NotHeld = c.cannot(); c.out.NotHeld != "" {
		return nil
	}
	orders, early := c.orders()
	best := -1
	for i, order := range orders {
		steps := c.inOrder(order)
		run, err := c.play(steps)
		if err != nil {
			return err
		}
		c.out.Tried++
		if run.Down != nil {
			c.out.NotHeld = "the database went down in a serial order"
			return nil
		}
		diffs := c.compare(steps, run)
		if best < 0 || len(diffs) < len(c.out.Differences) {
			best = i
			c.out.Order, c.out.Differences, c.out.Serial = order, diffs, c.trace(run, steps)
		}
		if len(diffs) == 0 {
			c.out.Fits, c.out.Early = true, i >= early
			return c.alone(order)
		}
	}
	return nil
}

// cannot says why the answers are not held against serial orders.
func (c *checker) cannot() string {
	run := c.out.Run
	switch {
	case len(run.Killed) > 0:
		return "a statement did not end"
	case len(run.Lost) > 0:
		return "a connection was lost"
	case c.divided() > 0:
		return fmt.Sprintf("line %d is several transactions, or ends the one that it is sent in", c.divided())
	case len(c.held()) == 0:
		return "no transaction that reads or writes rows is committed or left open"
	}
	if c.opt.Anew {
		if err := c.target.Restart(c.ctx); errors.Is(err, exec.ErrUnavailable) {
			return "it changes more than its own database, and the server cannot be replaced"
		}
		c.fresh = false
	}
	return ""
}

// divided is the line of a step by which the statements are not those of the transactions that they seem to be of,
// while others are open; 0 for none.
func (c *checker) divided() int {
	for n, u := range c.out.Units {
		for _, i := range u.Steps {
			st := c.out.Script.Steps[i]
			if c.out.values.Divides(st.SQL, u.Explicit) && (u.Explicit || c.out.overlaps(n)) {
				return st.Line
			}
		}
	}
	return 0
}

// held are the numbers of the transactions that take part in serial orders.
func (c *checker) held() (out []int) {
	for n, u := range c.out.Units {
		idle := !slices.ContainsFunc(u.Steps, func(i int) bool {
			return !c.profile.Read(c.out.Script.Steps[i].SQL).OnlyLocks()
		})
		if u.Data && !u.Aborted && u.first >= 0 && !idle && !c.uncertified(u) {
			out = append(out, n)
		}
	}
	return out
}

// uncertified says whether a transaction did not commit at a level that certifies those that do: what it has read is
// not valid until then.
func (c *checker) uncertified(u RunUnit) bool {
	p, err := dbms.Lookup(c.profile.DBMS, u.Level)
	prepared := slices.ContainsFunc(u.Steps, func(i int) bool { // and committed, maybe, by anybody
		_, is := c.profile.Read(c.out.Script.Steps[i].SQL).Tree.(*sql.TwoPhase)
		return is
	})
	return err == nil && p.Certifier == dbms.SSI && u.Explicit && u.CommittedBy == 0 && !prepared && !c.commits(u.Unit)
}

// orders lists the serial orders to try: first those that keep transactions in order which did not overlap, from early
// on the others, where there are few enough transactions.
func (c *checker) orders() (orders [][]int, early int) {
	held := c.held()
	u := c.out.Units
	before := func(a, b int) bool { return c.out.inTurn(a, b) || u[a].last <= u[b].first }
	orders = permutations(held, before, maxOrders)
	if early = len(orders); len(held) > MaxTransactions {
		return orders, early
	}
	for _, o := range permutations(held, c.out.inTurn, maxOrders) {
		if !slices.ContainsFunc(orders, func(x []int) bool { return slices.Equal(x, o) }) {
			orders = append(orders, o)
		}
	}
	return orders, early
}

// permutations lists the orders of some numbers that keep what comes before what, up to a limit.
func permutations(of []int, before func(a, b int) bool, limit int) (out [][]int) {
	var rec func(prefix, left []int)
	rec = func(prefix, left []int) {
		if len(left) == 0 {
			out = append(out, slices.Clone(prefix))
			return
		}
		for i, x := range left {
			if len(out) >= limit {
				return
			}
			if !slices.ContainsFunc(left, func(y int) bool { return y != x && before(y, x) }) {
				rec(append(slices.Clone(prefix), x), slices.Delete(slices.Clone(left), i, i+1))
			}
		}
	}
	rec(nil, of)
	return out
}

// undone says whether concurrency undid a step of the run and left its transaction alive.
func (c *checker) undone(step int) bool {
	e := c.out.Run.Steps[step]
	if e == nil {
		return true
	}
	if e.Err == nil {
		return false
	}
	switch c.profile.Classify(e.Err.Code, e.Err.Message) {
	case dbms.StatementLost, dbms.WouldBlock, dbms.Environment, dbms.TxnLost: // what is lost for good is not asked of
		return true
	}
	return false
}

// inOrder lists the steps of transactions one after the other. Settings of a session come before the first transaction
// that follows them there.
func (c *checker) inOrder(order []int) (steps []int) {
	settings := map[int]bool{} // taken already
	for _, n := range order {
		u := c.out.Units[n]
		for m, other := range c.out.Units {
			if !other.Data && !settings[m] && other.Session == u.Session && other.Steps[0] < u.Steps[0] {
				settings[m] = true // a BEGIN that was refused for a lock is one
				steps = append(steps, slices.DeleteFunc(slices.Clone(other.Steps), c.undone)...)
			}
		}
		for _, i := range u.Steps {
			if !c.undone(i) && !c.profile.Read(c.out.Script.Steps[i].SQL).OnlyLocks() {
				steps = append(steps, i)
			}
		}
		switch {
		case u.CommittedBy > 0:
			steps = append(steps, committing)
		case u.Explicit && !u.Ends:
			steps = append(steps, closing)
		}
	}
	return steps
}

// compare holds a serial run against the script's: statements in the serial order, then tables.
func (c *checker) compare(steps []int, run *exec.Played) []finding.Difference {
	var nodes []*observe.BlockRun
	rep := &observe.Replayed{Final: c.contents(run.Final)}
	for k, i := range steps {
		if i < 0 || !compared(c.out.Script.Steps[i].SQL) {
			continue
		}
		e := run.Steps[k]
		if e == nil || e.Err != nil && c.out.Run.Steps[i].Err == nil && c.remembers(i) {
			continue
		}
		nodes = append(nodes, c.node(i))
		rep.Events = append(rep.Events, c.out.inside(i, e))
	}
	return c.differences(nodes, rep)
}

// remembers says whether a step asks for what its session did before, and for no table: a number of a transaction that
// was rolled back is the session's last one, and no order has it.
func (c *checker) remembers(step int) bool {
	return len(c.profile.Read(c.out.Script.Steps[step].SQL).Tables()) == 0 &&
		slices.Contains(c.out.answers(step).Columns(), outside.Counter)
}

func (c *checker) node(step int) *observe.BlockRun {
	return c.out.node(step, c.names[step].txn, c.names[step].stmt)
}

// node is a step with its answer, as a statement of a transaction.
func (o *Showing) node(step, txn, stmt int) *observe.BlockRun {
	sql := o.Script.Steps[step].SQL
	return &observe.BlockRun{Target: o.inside(step, o.Run.Steps[step]),
		Block: &instrument.Block{Txn: txn, Stmt: stmt, SQL: sql, Info: &sqltext.Analysis{Kind: sqltext.KindOf(sql)}}}
}

func (c *checker) differences(nodes []*observe.BlockRun, rep *observe.Replayed) []finding.Difference {
	var tables []*sqltext.Table
	final := c.contents(c.out.Run.Final)
	for name := range final {
		tables = append(tables, &sqltext.Table{Name: name})
	}
	slices.SortFunc(tables, func(a, b *sqltext.Table) int { return cmp.Compare(a.Name, b.Name) })
	diffs := replay.Compare(c.profile, tables, nodes, &observe.Run{Final: final}, rep)
	for i := range diffs {
		for _, n := range nodes {
			if diffs[i].Stmt == n.Block.Name() && n.Block.Stmt < 0 { // BEGIN and its like
				diffs[i].Stmt = fmt.Sprintf("T%d.%s", n.Block.Txn, sqltext.FirstWord(n.Block.SQL))
			}
		}
	}
	return diffs
}

// tableOf is the table whose contents were read.
func tableOf(e *history.Event) string { return e.Text[len(exec.ReadAll):] }

// nameOf is the name of that table, without its quotes.
func (c *checker) nameOf(e *history.Event) (name string) {
	name = tableOf(e)
	if stmt, err := sqltext.SyntaxOf(c.out.Script.Target).Tree.Parse(e.Text); err == nil {
		sql.Walk(stmt, func(n sql.Node) bool {
			if t, ok := n.(*sql.Table); ok {
				name = t.Name.Folded()
			}
			return true
		})
	}
	return name
}

// compared says whether two executions of a statement must answer the same in what does not come from outside: a
// statement that says nothing of rows need not, nor one that goes by variables.
func compared(sql string) bool {
	s := sqltext.Read(sql)
	for i, t := range s.Tokens {
		if t.Text == "@" && i > 0 {
			return false
		}
	}
	switch s.Kind {
	case sqltext.Other, sqltext.Set, sqltext.Lock:
		return s.Tokens[0].Is("call")
	}
	return true
}

// late says whether something of the script is there until a COMMIT, or is done at one: a constraint that is checked
// then, an index that takes rows in, a table that goes, or its rows. In autocommit each statement has a COMMIT of its
// own.
func (c *checker) late() (late bool) {
	syntax := sqltext.SyntaxOf(c.out.Script.Target)
	for _, text := range append(texts(c.out.Script.Setup), texts(c.out.Script.Steps)...) {
		stmt, err := syntax.Tree.Parse(text)
		if err != nil {
			continue
		}
		sql.Walk(stmt, func(n sql.Node) bool {
			switch x := n.(type) {
			case *sql.PrimaryKey:
				late = late || atCommit(x.Deferrable)
			case *sql.Unique:
				late = late || atCommit(x.Deferrable)
			case *sql.Exclude:
				late = late || atCommit(x.Deferrable)
			case *sql.ForeignKey:
				late = late || atCommit(x.Deferrable)
			case *sql.CreateTrigger:
				late = late || atCommit(x.Deferrable)
			case *sql.Matching:
				late = late || syntax.Traits.LateSearch
			case *sql.Option:
				late = late || x.Words == "ON COMMIT DROP" || x.Words == "ON COMMIT DELETE ROWS"
			}
			return !late
		})
	}
	return late
}

// atCommit says whether a constraint may be checked at COMMIT, by what is said of that.
func atCommit(deferrable string) bool {
	return deferrable != "" && !strings.HasPrefix(deferrable, "NOT")
}

// needsTransaction says whether a step is of no use in autocommit: it is of a cursor, or of what lasts until COMMIT.
func (c *checker) needsTransaction(step int) bool {
	s := c.profile.Read(c.out.Script.Steps[step].SQL)
	switch n := s.Tree.(type) {
	case *sql.SetConstraints:
		return true
	case *sql.SetTransaction:
		return n.Scope == ""
	}
	read := sqltext.Read(s.Text())
	switch first := sqltext.FirstWord(s.Text()); first {
	case "DECLARE", "FETCH", "MOVE", "CLOSE":
		return true
	case "SET":
		return len(read.Tokens) > 1 && read.Tokens[1].Is("local")
	}
	for i, t := range read.Tokens { // WHERE CURRENT OF cursor
		if t.Is("of") && i > 0 && read.Tokens[i-1].Is("current") {
			return true
		}
	}
	return false
}

// alone runs the statements of an order that fits once more, without transactions.
func (c *checker) alone(order []int) error {
	play := exec.Play{Setup: texts(c.out.Script.Setup), Sessions: len(c.out.Script.Sessions), Tables: c.tables}
	var steps []int
	explicit := false
	if c.late() {
		return nil
	}
	for _, i := range c.inOrder(order) {
		if i == closing {
			return nil // what is left open is rolled back: without transactions it cannot be
		}
		if i == committing {
			explicit = true
			continue
		}
		u := &c.out.Units[c.names[i].txn]
		stmt := c.out.Script.Steps[i].SQL
		switch k := sqltext.KindOf(stmt); {
		case k == sqltext.Begin && slices.Contains(sqltext.BeginOptions(stmt), "READ"), k == sqltext.Rollback,
			k == sqltext.RollbackTo,
			k == sqltext.XA, k == sqltext.Lock, u.Explicit && !u.Ends && u.CommittedBy == 0, c.needsTransaction(i):
			return nil
		case k == sqltext.Begin, k == sqltext.Commit, k == sqltext.Savepoint, k == sqltext.Release,
			testcase.SwitchesAutocommit(stmt):
			explicit = true
		default:
			steps = append(steps, i)
			play.Steps = append(play.Steps, exec.Move{Session: c.out.Script.Steps[i].Session, SQL: stmt,
				Slow: c.slow(i), Lasts: c.lasts(stmt)})
		}
	}
	if !explicit {
		return nil
	}
	run, err := c.run(play)
	waited := slices.ContainsFunc(run.Steps, func(e *history.Event) bool { // others go on then, and out of order
		return e != nil && e.Blocked && c.lasts(e.Text) == 0
	})
	if err != nil || run.Down != nil || waited {
		return err
	}
	c.out.Alone, c.out.Unlike = c.trace(run, steps), c.compare(steps, run)
	return nil
}

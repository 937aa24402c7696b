// Package planted plants bugs between txweave and an engine, so that it can be measured what the oracles find. It
// stands on what package exec exports: a target is wrapped, and with it the connection of each session that it opens.
package planted

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"txweave/dbms"
	"txweave/exec"
	sqltree "txweave/sql"
	"txweave/sql/control"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// Fault is a planted bug: a way in which a correct engine is made to misbehave as broken ones did. It acts on what
// crosses the connection of a session inside a transaction, and, but for one that says so, on nothing else: outside
// transactions the engine stays correct. It knows the case and what the sessions have sent, as a broken engine would.
// Whether it strikes depends on the seeds, on which statement of the case it is, and on what the sessions did so far,
// so a case that it spoils is spoilt each time.
type Fault struct {
	Name      string
	Reference string // what it mirrors
	// Forbidden says whether a level rules the outcome out, from the definitions. Where a level allows it the
	// engine shows it by itself, so nothing is planted there.
	Forbidden func(*dbms.Profile) bool
	// Inapplicable gives the reason why a dialect cannot show it; "" if it can.
	Inapplicable func(*dbms.Profile) string
	every        uint64 // it strikes one statement in this many of those that it can strike
	exec         func(c *faultConn, ctx context.Context, sql string) (driver.Result, error)
	query        func(c *faultConn, ctx context.Context, sql string) (driver.Rows, error)
	// verbs are the statements that it can strike: first words in upper case.
	verbs []string
	// follows are those among verbs that it only watches, or at which it goes on with what it began: how rare it is made
	// is not decided there. probes says that what it has done to the database reaches every read of that kind, the tool's
	// own too.
	follows []string
	probes  bool
	views   bool // it needs the state of the database before each commit
	outside bool // it strikes outside transactions too
	needs   string
	// nemesis is the one that a storm needs to show it. recovered is called when the database has been killed and is up
	// again, with the transactions that were open; disconnected when it has ended a connection, with the transaction that
	// was open there.
	nemesis string
	cases   bool     // generated cases show it, too
	opened  []string // what a session is sent first
	// in place of a statement that is in no transaction
	alone        func(c *faultConn, ctx context.Context, sql string) (driver.Result, error)
	recovered    func(t *faultyTarget, ctx context.Context, open []*faultTxn) error
	disconnected func(t *faultyTarget, ctx context.Context, open *faultTxn) error
	// near says of a race whether a statement comes close enough to what others did last.
	near func(c *faultConn, m moments, sql string) bool
}

// Refused is the reason why a storm cannot show the bug; "" if it can.
func (f *Fault) Refused() string { return f.needs }

// What a storm does not have.
const (
	needsFuture    = "it needs to know what a transaction is going to do, and a storm's make that up as they go"
	needsIndex     = "a storm's tables have no secondary index"
	needsSavepoint = "a storm's transactions have no savepoints"
	needsAggregate = "a storm's queries have no aggregates"
)

// faultyTarget is a target whose transactions misbehave.
type faultyTarget struct {
	exec.Target
	fault *Fault
	seed  uint64
	rare  *Rarity         // nil: it strikes as often as it does by itself, the tool's probes too
	runs  int             // of a case's tables
	sent  map[string]bool // texts of the run

	mu      sync.Mutex // sessions have goroutines of their own
	profile *dbms.Profile
	c       *testcase.Case
	tables  []string
	places  map[testcase.StmtID]place // where the statements of the case stand
	conns   []*faultConn
	opened  int             // connections so far
	first   *exec.Session   // that was opened: it reads errors
	txns    []*faultTxn     // of the run, in order of BEGIN
	clock   int             // statements so far
	views   []*exec.Session // second connections with an open transaction
	looking sync.Mutex      // held by the one who reads over a view
	idle    []*exec.Session // second connections without one
	stale   map[int64]bool
	unused  bool // the indexes are gone, or are not to be used
	crashed bool
	kept    []*exec.Session    // connections that keep locks
	missed  map[string][]int64 // table -> keys of rows that its index has not
	resumed bool               // the process was stopped and goes on
	moments moments            // of races
}

// faultTxn is what a transaction has done so far.
type faultTxn struct {
	conn           *faultConn
	frame          control.Frame
	txn            int // its number in the case; -1 until one of its statements tells
	read, wrote    map[string]bool
	first, ended   int // clock of its first read and of its end; 0: not yet
	committed      bool
	before         *exec.Session            // the database before its commit
	done           map[testcase.StmtID]bool // its own reads and writes, probes left out
	waitedFor      map[string][]int64
	deleted        map[string][]int64
	beginsAgain    bool // it has to begin anew before it may write
	writes         int  // statements of its own that wrote
	wakes          bool // it was refused, and sends its statement again
	lastWrite      string
	undo           []string  // statements that put back what it wrote
	sinceSavepoint string    // the last write since the last SAVEPOINT
	wentBack       bool      // a ROLLBACK TO came behind the last write
	self           *faultTxn // of a copy: what it was made of
	writesToTable  map[string]int
}

// Plant returns a target that shows a planted bug.
func Plant(t exec.Target, f *Fault, seed uint64) exec.Target {
	return &faultyTarget{Target: t, fault: f, seed: seed, stale: map[int64]bool{}}
}

func (t *faultyTarget) Open(ctx context.Context, node exec.NodeID, p *dbms.Profile) (*exec.Session, error) {
	if t.down() {
		return nil, errCrashed
	}
	s, err := t.Target.Open(ctx, node, p)
	if err != nil {
		return nil, err
	}
	if err := s.Must(ctx, t.fault.opened...); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	c := &faultConn{Conn: s.Conn(), target: t, profile: p}
	t.mu.Lock()
	c.number = t.opened
	t.opened++
	if t.profile != p { // sessions at full speed read it
		t.profile = p
	}
	if t.first == nil {
		t.first = s
	}
	t.conns = append(t.conns, c)
	t.mu.Unlock()
	return s.Over(c), nil
}

// Load notes what a broken engine knows of its tables and of what is to come.
func (t *faultyTarget) Load(ctx context.Context, c *testcase.Case, tables []string) error {
	if err := t.forget(ctx); err != nil {
		return err
	}
	t.c, t.tables, t.places = c, tables, placesOf(c)
	return t.Target.Load(ctx, c, tables)
}

func (t *faultyTarget) Reset(ctx context.Context) error {
	if err := t.forget(ctx); err != nil {
		return err
	}
	return t.Target.Reset(ctx)
}

func (t *faultyTarget) Clear(ctx context.Context) error {
	if err := t.forget(ctx); err != nil {
		return err
	}
	return t.Target.Clear(ctx)
}

// forget ends what the last run left: its history and the transactions of the second connections.
func (t *faultyTarget) forget(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.txns, t.clock, t.stale, t.unused = nil, 0, map[int64]bool{}, false
	t.runs++
	t.sent = map[string]bool{}
	for _, c := range t.conns {
		c.count = 0
	}
	for _, s := range t.views {
		if err := s.Must(ctx, "ROLLBACK"); err != nil {
			return err
		}
	}
	t.idle = append(t.idle, t.views...)
	t.views = nil
	return nil
}

// errCrashed is what every session of a crashed server answers.
var errCrashed = fmt.Errorf("planted crash: %w", driver.ErrBadConn)

// down says whether the fault has crashed the server.
func (t *faultyTarget) down() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.crashed
}

// Alive says that the server is gone once the fault has crashed it.
func (t *faultyTarget) Alive(ctx context.Context) error {
	if t.down() {
		return &exec.CrashError{Reason: "planted: it ended while a statement waited for a lock"}
	}
	return t.Target.Alive(ctx)
}

// Restart brings a server up that only seemed to be gone.
func (t *faultyTarget) Restart(ctx context.Context) error {
	if !t.down() {
		return t.Target.Restart(ctx)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.crashed = false
	return nil
}

// unplant ends the second connections.
func (t *faultyTarget) unplant() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range append(t.views, t.idle...) {
		s.Close()
	}
	t.views, t.idle = nil, nil
	t.closeKept()
}

// faultConn is a connection whose answers inside a transaction cannot be trusted.
type faultConn struct {
	driver.Conn
	target  *faultyTarget
	profile *dbms.Profile
	txn     *faultTxn     // the open transaction; nil outside
	flying  bool          // a statement has been sent and has not answered
	refused bool          // the last statement was refused because somebody holds a lock
	last    string        // the verb of the last statement that was no query
	number  int           // of the connections of the target
	count   int           // statements of the run so far; what was refused and is sent again is one
	dirty   *exec.Session // reads what others have not committed
	using   sync.Mutex    // held by the one who uses the connection: another session's may read over it
	asked   bool          // the last statement went to the engine, over this connection: its warnings are that statement's
	// returning is the write that is being executed and returns rows; returned are those.
	returning *returning
	returned  *memoryRows
}

// Interrupt passes on to an embedded engine.
func (c *faultConn) Interrupt() {
	if i, ok := c.Conn.(exec.Interrupter); ok {
		i.Interrupt()
	}
}

// TxnState passes on what the connection that it wraps says of a transaction.
func (c *faultConn) TxnState() exec.TxnState {
	c.using.Lock()
	defer c.using.Unlock()
	if s, tells := c.Conn.(interface{ TxnState() exec.TxnState }); tells {
		return s.TxnState()
	}
	return exec.TxnUnsaid
}

// rollbackTo is the verb of a statement that goes back to a savepoint.
const rollbackTo = "ROLLBACK TO"

// verb is the first word of a statement, by which faults strike.
func verb(sql string) string {
	v := sqltext.FirstWord(sql)
	if v == "ROLLBACK" && sqltext.KindOf(sql) == sqltext.RollbackTo {
		return rollbackTo
	}
	return v
}

// strikes says whether the fault spoils a statement.
func (c *faultConn) strikes(at exec.Occasion, sql string) bool {
	f, v := c.target.fault, verb(sql)
	if !slices.Contains(f.verbs, v) || c.txn == nil && !f.outside && c.opens(v, sql) == control.NoFrame ||
		c.txn.keeps(f) || !f.Forbidden(c.profile) {
		return false
	}
	if f.near != nil {
		c.target.mu.Lock()
		m := c.target.moments
		c.target.mu.Unlock()
		if !f.near(c, m, sql) {
			return false
		}
	}
	if r := c.target.rare; r != nil {
		return r.strikes(c, at, v, sql)
	}
	return c.draws(at, f.every)
}

func (c *faultConn) ExecContext(ctx context.Context, sql string, _ []driver.NamedValue) (driver.Result, error) {
	if err := c.enter(); err != nil {
		return nil, err
	}
	c.asked = false
	at := exec.OccasionIn(ctx)
	strikes := c.strikes(at, sql)
	c.sends(sql)
	// LOCK TABLES comes behind SET autocommit = 0, LOCK TABLE behind BEGIN
	v, alone := verb(sql), c.txn == nil || c.txn.frame == control.Switched || locksTable(sql)
	c.last = v
	if f := c.opens(v, sql); f != control.NoFrame {
		c.begin(f)
	}
	if d, ok := c.tree(sql).(*sqltree.Drop); ok && d.What == "INDEX" || v == "ALTER" &&
		strings.Contains(sql, " ALTER INDEX ") {
		// which is read as no tree
		c.target.mu.Lock()
		c.target.unused = true
		c.target.mu.Unlock()
	}
	if c.txn != nil && c.txn.endedBy(v, sql) == "COMMIT" && c.target.fault.views && len(c.txn.wrote) > 0 {
		if err := c.target.view(ctx, c.txn); err != nil {
			return nil, err
		}
	}
	var res driver.Result
	var err error
	if f := c.target.fault.alone; f != nil && alone {
		res, err = f(c, ctx, sql)
	} else if strikes && c.target.fault.exec != nil {
		res, err = c.target.fault.exec(c, ctx, sql)
	} else {
		res, err = c.send(ctx, sql)
	}
	c.leave(at, sql, err)
	return res, err
}

func (c *faultConn) QueryContext(ctx context.Context, sql string, _ []driver.NamedValue) (driver.Rows, error) {
	if r := c.target.returning(sql); r != nil {
		return c.writeReturning(ctx, r)
	}
	if sql == showWarnings && !c.asked {
		return &memoryRows{columns: []string{"Level", "Code", "Message"}}, nil
	}
	if err := c.enter(); err != nil {
		return nil, err
	}
	c.asked = false
	at := exec.OccasionIn(ctx)
	var rows driver.Rows
	var err error
	if c.strikes(at, sql) && c.target.fault.query != nil {
		rows, err = c.target.fault.query(c, ctx, sql)
	} else {
		rows, err = c.ask(ctx, sql)
	}
	c.leave(at, sql, err)
	return rows, err
}

// enter counts a statement.
func (c *faultConn) enter() error {
	t := c.target
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.crashed {
		return errCrashed
	}
	t.clock++
	c.flying = true
	if !c.refused {
		c.count++
	}
	return nil
}

// keptTxns is how many transactions a broken engine remembers, more than any case has.
const keptTxns = 32

// prune forgets the oldest transactions that have ended: a storm has no end of them.
func (t *faultyTarget) prune() {
	for i := 0; len(t.txns) > keptTxns && i < len(t.txns)-keptTxns; {
		if t.txns[i].ended == 0 {
			i++
			continue
		}
		t.txns = slices.Delete(t.txns, i, i+1)
	}
}

// leave notes what a statement did that has been answered.
func (c *faultConn) leave(at exec.Occasion, sql string, err error) {
	t := c.target
	t.mu.Lock()
	defer t.mu.Unlock()
	c.flying = false
	if t.rare != nil && t.sent != nil {
		t.sent[sql] = true
	}
	v := verb(sql)
	c.refused = err != nil && t.class(err) == dbms.WouldBlock
	x := c.txn
	switch {
	case x == nil:
	case c.refused:
		if c.opens(v, sql) != control.NoFrame {
			c.txn = nil
			t.txns = slices.DeleteFunc(t.txns, func(o *faultTxn) bool { return o == x })
		} else {
			x.wakes = true
		}
	case x.endedBy(v, sql) != "":
		v = x.endedBy(v, sql)
		if err == nil {
			c.answers(x, v)
		}
		x.ended, x.committed = t.clock, v == "COMMIT" && err == nil
		c.txn = nil
	case err == nil:
		x.note(t, at, sql)
		c.answers(x, v)
	}
}

// class sorts an error that the engine answered.
func (t *faultyTarget) class(err error) dbms.ErrorClass {
	if t.first == nil {
		return dbms.Deterministic
	}
	if db := t.first.DBError(err); db != nil {
		return t.profile.Errors.Classify(db.Code, db.Message)
	}
	return dbms.Deterministic
}

// note adds a statement to what its transaction has done.
func (x *faultTxn) note(t *faultyTarget, at exec.Occasion, sql string) {
	switch verb(sql) {
	case "SAVEPOINT":
		x.sinceSavepoint = ""
		return
	case rollbackTo, "RELEASE", "BEGIN", "START", "XA", "SET":
		x.wentBack = x.wentBack || verb(sql) == rollbackTo
		return
	}
	p, ofCase := t.placeOf(at)
	if ofCase {
		x.txn = p.txn
		x.done[at.Stmt] = true
	}
	target := t.written(sql)
	if target != "" {
		x.wrote[target] = true
		x.lastWrite, x.sinceSavepoint, x.wentBack = sql, sql, false
		x.writesToTable[target]++
		x.writes++
		return
	}
	if x.first == 0 {
		x.first = t.clock
	}
	if ofCase || len(t.c.Txns) == 0 { // a storm has no case
		for _, table := range t.mentioned(sql) {
			x.read[table] = true
		}
	}
}

// showWarnings is how databases with such a list are asked for the warnings of the last statement: one that a fault
// answered has none.
const showWarnings = "SHOW WARNINGS"

// send and ask reach the engine itself. An answer is read to its end: the connection is free then.
func (c *faultConn) send(ctx context.Context, sql string) (driver.Result, error) {
	c.using.Lock()
	defer c.using.Unlock()
	c.asked = true
	if c.returning != nil && c.returned == nil && returned(c.tree(sql)) != nil {
		return c.sendReturning(ctx, sql)
	}
	return c.Conn.(driver.ExecerContext).ExecContext(ctx, sql, nil)
}

func (c *faultConn) ask(ctx context.Context, sql string) (driver.Rows, error) {
	c.using.Lock()
	defer c.using.Unlock()
	c.asked = true
	return c.askNow(ctx, sql)
}

func (c *faultConn) askNow(ctx context.Context, sql string) (driver.Rows, error) {
	return readAllRows(c.Conn.(driver.QueryerContext).QueryContext(ctx, sql, nil))
}

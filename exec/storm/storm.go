// Package storm runs a workload over many sessions at full speed and records what each statement saw and wrote, with
// the interval in which it ran.
//
// Retry policy: a transaction that the database rolled back, or one of whose statements it undid (lock-wait time-out),
// is rolled back and not tried again; the session draws its next one. A statement that the database refused because
// somebody holds a lock, instead of making it wait, is sent again after a pause, for WaitLimit at most.
package storm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"txweave/dbms"
	"txweave/exec"
	"txweave/fault"
	"txweave/finding"
	"txweave/gen/workload"
	"txweave/history"
	"txweave/sql/sqltext"
	"txweave/testcase"
)

// Sink takes the operations of one session while the storm runs, in order; its methods are called by one goroutine.
type Sink interface {
	// Ready waits until the sink can take another transaction. The session holds no locks meanwhile.
	Ready(now func() int64)
	// Sending says that the next operation does not start before start.
	Sending(start int64)
	// Append takes an operation; op and its sets are only valid during the call.
	Append(op *history.Operation) error
	Close()
}

// Options say what to run.
type Options struct {
	Workload *workload.Workload
	Sessions int
	Duration time.Duration
	// Transactions ends the storm before that, once so many have committed; those under way are ended. 0: it does not.
	Transactions int
	Seed         uint64
	// WaitLimit is for how long a statement is sent again that the database refuses to make wait; 0: one second.
	WaitLimit time.Duration
	// StallAfter is for how long no transaction may end before that is a stall; 0: 5 seconds.
	StallAfter time.Duration
	// Stalled, unless nil, is called when one of the first stalls is noticed.
	Stalled func(*Stall)
	// Sink returns the sink of a session.
	Sink func(session int) Sink
	// Record keeps a history of registers in memory, about 100 bytes a transaction, and where rows come and go its
	// searches.
	Record bool
	// Statements has queries recorded that read snapshots of their own, as all of them do that lock nothing.
	Statements bool
	// Mark returns what a DELETE says of the version that the deletion is, if it should.
	Mark func(version int64) string
	// Stamps asks the database after each commit for the times of the transaction. It must have a clock.
	Stamps bool
	// Filled, unless nil, is called when the tables are there and nothing has been done to them yet.
	Filled func(context.Context) error
	// Snapshots asks each transaction before its COMMIT for its number and what it sees. The database must tell.
	Snapshots bool
	// Nemeses disturb the database meanwhile; each session's transactions then leave receipts.
	Nemeses []Nemesis
	// Acts are those statements of the nemeses that are sent, by their names in DisturbancesOf; nil: all.
	Acts []string
	// Every is the mean time from one act of a nemesis to its next; 0: each has its own.
	Every time.Duration
	// KeptTime is how long locks may be held when whoever took them is gone: one that was cut off may wait for a lock
	// itself; 0: 30 seconds.
	KeptTime time.Duration
	// Perturb delays statements until others commit or write.
	Perturb bool
	// Began, unless nil, is told of each act that findings may be named after, before anything of it is done; Acted of
	// each when it is done, of those again by the same address. Several goroutines call them.
	Began, Acted func(*Act)
}

// Sinks is how many sinks there must be: one more than sessions where there are nemeses.
func (o *Options) Sinks() int {
	if len(o.Nemeses) > 0 {
		return o.Sessions + 1
	}
	return o.Sessions
}

// WrongAnswer is an answer that is wrong whatever else happened: an error where there is no reason for one, one row
// twice.
type WrongAnswer struct {
	Class     string     // finding.ClassUnexpected
	What      fault.Kind // fault.UnexpectedError
	Code      int        // of an error that is wrong by itself
	Shape     string     // of a query that two plans answer otherwise: what it has that engines get wrong
	Statement string
	Detail    string
	Txn       int64
	Count     int
}

// Told is the answer's signature: its class and what is wrong.
func (w *WrongAnswer) Told() string {
	d := w.difference()
	return w.Class + "/" + d.Told()
}

func (w *WrongAnswer) difference() finding.Difference {
	return finding.Difference{What: w.What, Code: w.Code, Shape: w.Shape,
		Steps: finding.Sentences{finding.Say("%v", finding.Query(w.Statement)), finding.Say("%v", w.Detail)}}
}

// Listed returns the answer as storms list it.
func (w *WrongAnswer) Listed() finding.Listed {
	return finding.Listed{Signature: w.Told(), Summary: fmt.Sprintf("%s (%d times)", w.Told(), w.Count),
		Transactions: []int64{w.Txn},
		Explanation:  []string{w.Statement, w.Detail}, Class: w.Class, Difference: w.difference()}
}

// Result is what a storm did.
type Result struct {
	Elapsed      time.Duration
	Transactions int64 // ended, in any way
	Committed    int64
	Aborted      int64 // by the database
	RolledBack   int64 // by the program
	Unknown      int64 // of unknown outcome
	Statements   int64 // answered, BEGIN and COMMIT included
	Resent       int64 // statements that were refused and sent again
	Retired      int64 // queries that are sent no more, as they took too long
	Kept         int   // times that others kept the database from a check of its tables
	// Errors counts what ended statements, by code.
	Errors map[int]int64
	Faults []WrongAnswer
	// Stalls are the first stalls, StallCount is how many there were, and StalledFor how long all of them lasted.
	Stalls     []Stall
	StallCount int
	StalledFor time.Duration
	// Crash is set if the database went down by itself.
	Crash   *exec.CrashError
	History *Recording // nil unless Options.Record
	// Of the nemeses: how many acts there were of each kind, and transactions whose COMMIT had no answer and that left a
	// receipt, or none, from which their outcome is known.
	ActsOf  map[string]int
	Settled int64
	LeftOut []string // which of their acts were not done, and why
	// Crashes is how often the process was killed and came up again, Survived how many transactions had been acknowledged
	// before the last time, and SlowestRecovery is from the end of the process to its first answer.
	Crashes         int
	Survived        int64
	SlowestRecovery time.Duration
	// Recovery is set if the database did not come up again.
	Recovery *exec.RecoveryError
}

// stream keeps the seeds of sessions apart from those of cases.
const stream = 0x73746f726d

// storm is one run.
type storm struct {
	opt     Options
	target  exec.Target
	profile *dbms.Profile
	base    time.Time
	stop    atomic.Bool

	finished atomic.Int64 // transactions
	control  sync.Mutex   // held by whoever uses the target's control connection
	disturbing
	meeting   *barrier   // of workloads whose sessions go together
	perturber *perturber // nil: statements are sent as they come
	covered   []bool     // by table: an index beside its key may answer a query of a range, see covers

	mu     sync.Mutex
	faults []WrongAnswer
	err    error
	crash  *exec.CrashError
}

// now is the monotonic clock of the trace, in ns.
func (st *storm) now() int64 { return int64(time.Since(st.base)) }

// Initial returns the rows that a workload starts with. Their version is 0.
func Initial(w *workload.Workload, sym *history.Symbols) []history.Access {
	var out []history.Access
	for _, t := range w.Tables {
		n := sym.Table(t.Name)
		t.Loaded(func(key int64) { out = append(out, holding(int(n), key, 0, t.Initial)) })
	}
	return out
}

// covers says of each table whether it has an index beside its key that holds what queries of rows ask for: the one of
// load, or one that the workload makes itself.
func covers(target string, o *Options) []bool {
	out := make([]bool, len(o.Workload.Tables))
	var made *sqltext.Schema
	if o.Workload.Made != nil {
		made = sqltext.SyntaxOf(target).Schema(o.Workload.Made.Schema)
	}
	for i, x := range o.Workload.Tables {
		out[i] = o.receipts() || made != nil && made.Table(x.Name) != nil && made.Table(x.Name).Covered
	}
	return out
}

// load creates and fills the workload's tables. Where receipts is positive there is an index beside the key, and a
// table of so many receipts.
func load(ctx context.Context, t exec.Tables, w *workload.Workload, receipts int) error {
	c := &testcase.Case{}
	schema := func(sql string) { c.Schema = append(c.Schema, testcase.Stmt{SQL: sql}) }
	row := func(sql string) { c.Rows = append(c.Rows, testcase.Stmt{SQL: sql}) }
	if w.Made != nil {
		for _, sql := range w.Made.Schema {
			schema(sql)
		}
		for _, sql := range w.Made.Rows {
			row(sql)
		}
	}
	var tables []string
	for i := range w.Tables {
		x := &w.Tables[i]
		tables = append(tables, x.Name)
		if w.Made == nil {
			schema(definition(w, x))
			fill(w, x, row)
		}
	}
	if receipts > 0 {
		for _, name := range tables {
			schema("CREATE INDEX " + name + "_v ON " + name + " (v, vkey, pkey)")
		}
		tables = append(tables, receiptTable)
		schema("CREATE TABLE " + receiptTable +
			" (session BIGINT NOT NULL PRIMARY KEY, txn BIGINT NOT NULL, asked BIGINT NOT NULL)")
		for i := range receipts {
			row(fmt.Sprintf("INSERT INTO %s VALUES (%d, 0, 0)", receiptTable, i))
		}
	}
	return t.Load(ctx, c, tables)
}

// definition is the statement that creates a table.
func definition(w *workload.Workload, x *workload.TableSpec) string {
	list := ""
	if x.Lists {
		list = fmt.Sprintf(", list VARCHAR(%d) NOT NULL DEFAULT ''", listRoom)
	}
	return "CREATE TABLE " + x.Name +
		" (pkey BIGINT NOT NULL PRIMARY KEY, vkey BIGINT NOT NULL, v BIGINT NOT NULL, pvkey BIGINT NOT NULL DEFAULT 0" +
		list + padColumn(w) + ")"
}

// fill makes the statements that insert a table's first rows: so many rows each, and bytes.
func fill(w *workload.Workload, x *workload.TableSpec, row func(sql string)) {
	const rows, bytes = 500, 1 << 20
	batch := min(rows, max(1, bytes/max(1, w.ValueSize)))
	for from := 0; from < x.Rows; from += batch {
		var b strings.Builder
		fmt.Fprintf(&b, "INSERT INTO %s (pkey, vkey, v%s) VALUES ", x.Name, padNames(w))
		for key := from; key < min(x.Rows, from+batch); key++ {
			if key > from {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "(%d, 0, %d%s)", key, x.Initial, padValue(w, 0))
		}
		row(b.String())
	}
}

// Run loads the workload's tables and runs it until the time is over or ctx is done; every session then ends its
// transaction, and one more transaction reads all tables. Every sink is closed in the end. The error is txweave's or
// the environment's.
func Run(ctx context.Context, t exec.Target, p *dbms.Profile, o Options) (*Result, error) {
	o.WaitLimit = cmp.Or(o.WaitLimit, time.Second)
	o.KeptTime = cmp.Or(o.KeptTime, 30*time.Second)
	o.StallAfter = cmp.Or(o.StallAfter, 5*time.Second)
	st := &storm{opt: o, target: t, profile: p, meeting: newBarrier(o.Sessions), covered: covers(p.DBMS, &o)}
	if o.Perturb {
		st.perturber = newPerturber()
	}
	sinks := make([]Sink, o.Sinks())
	for i := range sinks {
		sinks[i] = o.Sink(i)
	}
	open := len(sinks) // the first so many sinks are to be closed here
	defer func() {
		for _, s := range sinks[:open] {
			s.Close()
		}
	}()
	receipts := 0
	if o.receipts() {
		receipts = o.Sinks()
	}
	err := t.Alive(ctx) // what a storm before this one did to its last connection is over then
	if err == nil {
		err = load(ctx, t, o.Workload, receipts)
	}
	if err != nil {
		return nil, fmt.Errorf("storm: %w", err)
	}
	if o.Filled != nil {
		if err := o.Filled(ctx); err != nil {
			return nil, fmt.Errorf("storm: %w", err)
		}
	}
	all, err := st.open(ctx, sinks)
	defer func() {
		for _, s := range all {
			s.conn.Close()
		}
	}()
	if err != nil {
		return nil, err
	}
	sessions := all[:o.Sessions]
	st.base = time.Now()
	over, cancel := context.WithTimeout(ctx, o.Duration)
	defer cancel()
	defer context.AfterFunc(over, func() { st.stop.Store(true) })()
	// What has been sent is answered, whatever ends the storm: its outcome must be known.
	live := context.WithoutCancel(ctx)
	w := &watch{storm: st, sessions: sessions}
	stopWatch := w.start(live)
	d := newDisturber(st, all)
	d.start(live)
	var wg sync.WaitGroup
	open = 1
	for i, s := range sessions {
		wg.Go(func() {
			s.loop(live)
			if i > 0 {
				s.sink.Close()
			}
		})
	}
	wg.Wait()
	d.end(live)
	stopWatch()
	elapsed := time.Since(st.base)
	if st.standing() {
		sessions[0].final(live)
	}
	res := st.result(all)
	d.result(res)
	res.Elapsed = elapsed
	res.Stalls, res.StallCount, res.StalledFor = w.stalls, w.count, w.stalled
	return res, st.err
}

// open opens the sessions, one for each sink. Those that are open are returned with an error, too.
func (st *storm) open(ctx context.Context, sinks []Sink) (out []*session, err error) {
	for i, sink := range sinks {
		s := &session{storm: st, id: i, sink: sink, rng: rand.New(rand.NewPCG(st.opt.Seed, stream+uint64(i))),
			errors: map[int]int64{},
			memory: workload.SessionMemory{Seen: map[int64]int64{}},
			delays: delays{rng: rand.New(rand.NewPCG(st.opt.Seed, stream<<1+uint64(i)))}}
		if s.conn, err = st.connect(ctx); err != nil {
			return out, fmt.Errorf("storm: session %d: %w", i, err)
		}
		out = append(out, s)
	}
	return out, nil
}

// connect opens a session, which waits for whoever changes or locks whole tables where nemeses may.
func (st *storm) connect(ctx context.Context) (*exec.Session, error) {
	s, err := st.target.Open(ctx, exec.FirstNode, st.profile)
	if err != nil || !st.opt.receipts() {
		return s, err
	}
	if err := s.Must(ctx, exec.DisruptionOf(st.target).Patience...); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// standing says whether nothing has ended the storm but its time; its sessions must have ended.
func (st *storm) standing() bool { return st.err == nil && st.crash == nil && st.recovery == nil }

// ended says whether something has ended the storm before its time.
func (st *storm) ended() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return !st.standing()
}

// fail ends the storm with an error of ours or the environment's.
func (st *storm) fail(err error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.err == nil {
		st.err = fmt.Errorf("storm: %w", err)
	}
	st.stop.Store(true)
}

// lost looks at what became of the database when a connection broke which was opened at a time: whether the session may
// go on with a new one.
func (st *storm) lost(ctx context.Context, openedAt int64, why error) bool {
	st.control.Lock()
	defer st.control.Unlock()
	switch {
	case st.ended(): // another session has found out, which may have taken a minute
		return false
	case st.killedAt.Load() > openedAt: // a nemesis did it, and has waited until the database was there again
		return true
	}
	err := st.target.Alive(ctx)
	switch {
	case st.down(err):
		return false
	case err != nil:
		st.fail(fmt.Errorf("%w (after %w)", err, why))
		return false
	}
	return true
}

// down says whether an error is that the database went down by itself, which ends the storm with a finding, whoever
// noticed it.
func (st *storm) down(err error) bool {
	var crash *exec.CrashError
	if !errors.As(err, &crash) {
		return false
	}
	st.mu.Lock()
	st.crash = crash
	st.mu.Unlock()
	st.stop.Store(true)
	return true
}

// fault notes a wrong answer; of those that are alike the first is kept.
func (st *storm) fault(f WrongAnswer) {
	st.mu.Lock()
	defer st.mu.Unlock()
	for i := range st.faults {
		if st.faults[i].Told() == f.Told() {
			st.faults[i].Count++
			return
		}
	}
	f.Count = 1
	st.faults = append(st.faults, f)
}

// result sums the sessions up.
func (st *storm) result(sessions []*session) *Result {
	res := &Result{Errors: map[int]int64{}, Faults: st.faults, Crash: st.crash}
	if st.opt.Record {
		res.History = &Recording{workload: st.opt.Workload}
	}
	for _, s := range sessions {
		res.Transactions += s.transactions
		res.Committed += s.committed
		res.Aborted += s.aborted
		res.RolledBack += s.rolledBack
		res.Unknown += s.unknown
		res.Statements += s.statements
		res.Resent += s.resent
		res.Retired += s.retired
		res.Settled += s.settled
		for code, n := range s.errors {
			res.Errors[code] += n
		}
		if st.opt.Record {
			res.History.sessions = append(res.History.sessions, &s.record)
		}
	}
	return res
}

package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"txweave/dbms"
	"txweave/history"
	"txweave/instrument"
	"txweave/oracle/observe"
	"txweave/sql/sqltext"
)

// Runner runs instrumented cases on one target over sessions that it keeps. It is for one goroutine.
type Runner struct {
	target    Target
	profile   *dbms.Profile
	lanes     []*lane
	committed *Session // observer at READ COMMITTED; without observers a plain session
	latest    *Session // observer at READ UNCOMMITTED; nil without such a one
	replayer  *Session
	ctx       context.Context
	cancel    context.CancelFunc
	doing     *Doing
	doubt     func(sql string, known, read *history.Rows)
	timeout   time.Duration
	dying     time.Duration // how long a statement that has been killed may take to end
	alarm     *alarm
	dog       watchdog
	stuck     bool // a session of before runs on: its statement does not die
	loaded    *instrument.Plan
	without   map[string]bool          // plan settings that the database has refused
	altered   bool                     // its tables are not kept any more as they were created
	filled    bool                     // its tables have just been filled, and nothing has been sent that changes them
	loose     bool                     // its tables are those of instrument.Plan.Loose
	initial   map[string]*history.Rows // contents of its tables
	scratches map[string]scratchTable  // by the table whose versions they hold, on the replay session
	// ownComplaints are the database's of the tables as they were filled: see Integrity.Given.
	ownComplaints []string

	// Counts of statements sent, targets and probes alike, since the runner was made.
	Statements int64
	// LockWait is the time spent on waiting for locks and on asking the server who waits.
	LockWait time.Duration
	recorded *[]BareStmt // where statements are recorded; nil: nowhere
	warned   bool        // behind the statement that is noted next its warnings were asked for
	unitAt   int         // how many were recorded when the step of the schedule that is under way began
}

// Names of connections that are no transaction's session.
const (
	controlConn   = "control"
	committedConn = "committed"
	latestConn    = "latest"
	replayConn    = "replay"
)

// Options of a Runner.
type Options struct {
	StatementTimeout time.Duration // 0: 20 s
	Doing            *Doing        // told of each statement; nil: nobody wants to know
	// Doubt has what is taken for known asked all the same, and is told both answers; nil: it is not asked.
	Doubt func(sql string, known, read *history.Rows)
}

// NewRunner opens the observers and the replay session; transactions' sessions are opened as cases need them.
func NewRunner(ctx context.Context, t Target, p *dbms.Profile, o Options) (*Runner, error) {
	if o.StatementTimeout == 0 {
		o.StatementTimeout = 20 * time.Second
	}
	r := &Runner{target: t, profile: p, doing: o.Doing, doubt: o.Doubt, timeout: o.StatementTimeout,
		dying: 5 * time.Second, alarm: newAlarm()}
	r.ctx, r.cancel = context.WithCancel(ctx)
	go r.guard()
	if err := r.open(); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func (r *Runner) open() (err error) {
	defer func() {
		if err != nil {
			r.closeSessions()
		}
	}()
	if r.profile.ReadModes.Observer != dbms.NoObserver {
		if r.committed, err = r.target.Observe(r.ctx, FirstNode, ReadCommitted); err != nil {
			return err
		}
		if r.profile.ReadModes.Observer == dbms.DirtyObserver {
			if r.latest, err = r.target.Observe(r.ctx, FirstNode, ReadUncommitted); err != nil {
				return err
			}
		}
	} else if r.committed, err = r.target.Open(r.ctx, FirstNode, r.profile); err != nil {
		return err
	}
	r.replayer, err = r.target.Open(r.ctx, FirstNode, r.profile)
	return err
}

func (r *Runner) closeSessions() {
	for _, l := range r.lanes {
		l.close()
	}
	for _, l := range r.lanes {
		if !l.closed(r.dying) {
			r.stuck = true
		}
	}
	r.lanes = nil
	for _, s := range []*Session{r.committed, r.latest, r.replayer} {
		if s != nil {
			s.Close()
		}
	}
	r.committed, r.latest, r.replayer, r.scratches = nil, nil, nil, nil
}

// Reopen closes every session and opens new ones, as a confirmation wants. A session that cannot be closed keeps its
// locks, and the database is replaced by a new one, unless it is the user's.
func (r *Runner) Reopen() error {
	r.closeSessions()
	r.loaded = nil
	if r.stuck {
		if err := r.target.Restart(r.ctx); err != nil && !errors.Is(err, ErrUnavailable) {
			return err
		}
		r.stuck = false
	}
	return r.open()
}

// Close ends the runner's sessions.
func (r *Runner) Close() {
	r.closeSessions()
	r.alarm.stop()
	r.cancel()
}

// Load creates the plan's tables anew and returns their initial contents by table.
func (r *Runner) Load(p *instrument.Plan) (map[string]*history.Rows, error) {
	if err := r.load(p, false); err != nil {
		return nil, err
	}
	var err error
	if r.initial, err = r.contents(nil); err == nil {
		err = errors.Join(r.given(), r.tunable())
	}
	return r.initial, err
}

// load creates the plan's tables anew; loose ones are those without foreign keys that are checked at COMMIT.
func (r *Runner) load(p *instrument.Plan, loose bool) error {
	if err := r.dropScratches(); err != nil {
		return r.explain(r.classify(err))
	}
	names := make([]string, len(p.Schema.Tables))
	for i, t := range p.Schema.Tables {
		names[i] = t.Name
	}
	r.doing.begin(controlConn, "loads the case's tables")
	c := p.Case
	if loose {
		c = p.Loose
	}
	if err := r.target.Load(r.ctx, c, names); err != nil {
		return r.explain(r.classify(err))
	}
	script, _ := r.target.Sent()
	r.note(controlConn, script, false, nil)
	r.loaded, r.altered, r.loose, r.filled = p, false, loose, true
	for len(r.lanes) < len(p.Txns) {
		s, err := r.target.Open(r.ctx, FirstNode, r.profile)
		if err != nil {
			return err
		}
		r.lanes = append(r.lanes, newLane(r.ctx, s, r.profile))
	}
	return r.renewed()
}

// renewed tells the sessions that the case uses that the tables are others than those of the case before.
func (r *Runner) renewed() error {
	if r.profile.TableChanges.NewTables == "" {
		return nil
	}
	sessions := []*Session{r.committed, r.replayer}
	for i := range r.loaded.Txns { // no others run its transactions
		if s := r.lanes[r.loaded.Txns[i].Session].session; !slices.Contains(sessions, s) {
			sessions = append(sessions, s)
		}
	}
	for _, s := range sessions {
		if _, err := s.Read(r.ctx, r.profile.TableChanges.NewTables); err != nil {
			return r.classify(err)
		}
	}
	return nil
}

// contents reads every table, ordered by pkey.
func (r *Runner) contents(record func(sql string, rows *history.Rows)) (map[string]*history.Rows, error) {
	out := make(map[string]*history.Rows, len(r.loaded.Schema.Tables))
	for _, t := range r.loaded.Schema.Tables {
		sql := finalRead(t, t.Left || r.loaded.AddsColumns())
		r.note(committedConn, sql, true, nil)
		r.doing.begin(committedConn, sql)
		rows, err := r.committed.Read(r.ctx, sql)
		if err != nil {
			return nil, r.classify(err)
		}
		out[t.Name] = rows
		if record != nil {
			record(sql, rows)
		}
	}
	return out, nil
}

// finalRead is the query for a table's contents, by the names of its columns where others may have come.
func finalRead(t *sqltext.Table, named bool) string {
	sql := "SELECT * FROM " + t.Name
	if named {
		sql = "SELECT " + strings.Join(t.Spelled(), ", ") + " FROM " + t.Name
	}
	if t.Column(sqltext.PKey) != nil {
		sql += " ORDER BY " + sqltext.PKey
	}
	return sql
}

// reset puts the tables back before a run or a replay, which has no transactions, and so the loose tables where the
// case has such.
func (r *Runner) reset(loose bool) error {
	if err := r.dropScratches(); err != nil {
		return r.explain(r.classify(err))
	}
	filled := r.filled
	r.filled = false
	if loose = loose && r.loaded.Loose != nil; r.altered || r.loose != loose {
		err := r.load(r.loaded, loose) // with the contents that they had
		r.filled = false
		return err
	}
	if filled && r.replayer.protocol.InProcess { // a server is given rows that others were deleted before
		return nil
	}
	r.doing.begin(controlConn, "puts the case's tables back")
	_, script := r.target.Sent()
	r.note(controlConn, script, false, nil)
	return r.explain(r.classify(r.target.Reset(r.ctx)))
}

// explain adds the server's log to the error of a connection that was lost.
func (r *Runner) explain(err error) error {
	if lost, ok := errors.AsType[*LostError](err); ok && lost.Log == "" {
		lost.Log = r.target.Log()
	}
	return err
}

// classify marks errors that a statement of ours met because of the environment. One that is refused for a lock is
// such: no transaction is open when it is sent, but what is left of a statement that was killed. One that has waited in
// vain is a time-out: whether that comes back is looked into.
func (r *Runner) classify(err error) error {
	if answer, ok := errors.AsType[*AnswerError](err); ok {
		switch r.profile.Errors.Classify(answer.Err.Code, answer.Err.Message) {
		case dbms.Environment, dbms.WouldBlock:
			return &EnvironmentError{Answer: answer}
		case dbms.StatementLost:
			return fmt.Errorf("%w: %w", ErrTimeout, err)
		}
	}
	return err
}

// spoilt is the error of a statement whose answer is the environment's doing; a time-out if it took so long that it was
// killed.
func (r *Runner) spoilt(sql string, answer *history.DBError, took time.Duration) error {
	err := &EnvironmentError{Answer: &AnswerError{Text: clip(sql), Err: answer}}
	if took > r.timeout {
		return fmt.Errorf("%w: %w", ErrTimeout, err)
	}
	return err
}

// note counts a statement that has been answered, and records it.
func (r *Runner) note(conn, sql string, query bool, answer *history.DBError) {
	if r.warned {
		r.warned = false
		defer r.note(conn, r.replayer.protocol.Warnings, true, nil)
	}
	r.Statements++
	if r.recorded != nil {
		rec := BareStmt{Conn: conn, SQL: sql, Query: query}
		if answer != nil {
			rec.Err = answer.Code
		}
		if x, ok := r.profile.Scratch(sql); query && ok {
			rec.Query = false
			*r.recorded = append(*r.recorded, rec)
			if answer == nil {
				read, drop := x.Around(sqltext.SyntaxOf(r.profile.DBMS))
				*r.recorded = append(*r.recorded, BareStmt{Conn: conn, SQL: read, Query: true}, BareStmt{Conn: conn, SQL: drop})
			}
			return
		}
		*r.recorded = append(*r.recorded, rec)
	}
}

// mark remembers the recording's length as a step of the schedule begins.
func (r *Runner) mark() {
	if r.recorded != nil {
		r.unitAt = len(*r.recorded)
	}
}

// noteAbort records the rollback of a transaction that the database gave up. It did so before it answered the
// statement that closed the circle, which had to wait for that, so the rollback is recorded in front of the
// step under way.
func (r *Runner) noteAbort(conn, sql string, answer *history.DBError) {
	r.Statements++
	if r.recorded != nil {
		rec := BareStmt{Conn: conn, SQL: sql}
		if answer != nil {
			rec.Err = answer.Code
		}
		*r.recorded = slices.Insert(*r.recorded, min(r.unitAt, len(*r.recorded)), rec)
		r.unitAt++
	}
}

// Replay runs target statements in the given order in autocommit, over one session, on reset tables.
func (r *Runner) Replay(blocks []*instrument.Block) (*observe.Replayed, error) {
	return r.replay(blocks, false, nil)
}

// Watch is Replay with every table read before and after each statement, over another session.
func (r *Runner) Watch(blocks []*instrument.Block) (*observe.Replayed, error) {
	return r.replay(blocks, true, nil)
}

func (r *Runner) replay(blocks []*instrument.Block, watch bool, setting *dbms.PlanSetting) (
	out *observe.Replayed, err error) {
	if err := r.reset(true); err != nil {
		return nil, err
	}
	lasting := setting == nil
	if lasting {
		setting = r.settingOf(r.loaded)
	}
	sessions, err := r.replaySessions(blocks, setting, lasting)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, sessions.end()) }()
	fire, err := r.firedBy(setting, blocks)
	if err != nil {
		return nil, err
	}
	out = &observe.Replayed{}
	look, err := r.looks(out, watch)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	for _, b := range blocks {
		sessions.choose(b)
		if !lasting {
			if err := r.search(out, b, setting, start); err != nil {
				return nil, err
			}
		}
		if err := r.again(out, b, setting, fire, start); err != nil {
			return nil, err
		}
		if err := look(); err != nil {
			return nil, err
		}
	}
	if lasting && setting != nil { // once: before the tables are looked at
		if err := r.sendBetween(setting); err != nil {
			return nil, err
		}
	}
	out.Final, err = r.contents(func(sql string, rows *history.Rows) {
		n := len(out.Events) + len(out.Reads)
		out.Reads = append(out.Reads, &history.Event{Op: n, Session: committedConn, Txn: -1, Stmt: -1, Role: history.Final,
			Text: sql, Done: n, Answer: history.Answer{Rows: rows, Affected: -1}})
	})
	return out, err
}

// firedBy is what fires triggers in place of the database under a setting; nil where the database does.
func (r *Runner) firedBy(setting *dbms.PlanSetting, blocks []*instrument.Block) (*firing, error) {
	if setting == nil || !setting.Unfired {
		return nil, nil
	}
	return r.unfired(blocks)
}

// looks returns what reads every table after a statement, and files it beside what was there before; where nobody
// watches it does nothing.
func (r *Runner) looks(out *observe.Replayed, watch bool) (look func() error, err error) {
	if !watch {
		return func() error { return nil }, nil
	}
	before, err := r.contents(nil)
	return func() error {
		after, err := r.contents(nil)
		out.Around, before = append(out.Around, observe.Around{Before: before, After: after}), after
		return err
	}, err
}

// again replays one statement.
func (r *Runner) again(out *observe.Replayed, b *instrument.Block, setting *dbms.PlanSetting, fire *firing,
	start time.Time) error {
	words := setting
	if b.Large {
		words = setting.Plainer()
	}
	sql := words.Query(b.SQL)
	n := len(out.Events)
	e := &history.Event{Op: n, Session: "replay", Txn: b.Txn, Stmt: b.Stmt, Role: history.Target, Text: sql,
		Start: int64(time.Since(start)), Done: n}
	query := b.Info.Kind == sqltext.Select
	ans, err := r.answer(fire, b, sql)
	for tries := 0; err == nil && r.stillUsed(b, ans) && tries < maxTries; tries++ {
		r.sleep(20 * pause)
		ans, err = r.guarded(r.occasion(b, history.Target), sql, query, b.Info.Returns)
	}
	if err != nil {
		return fmt.Errorf("replay of %s: %w", b.Name(), r.explain(err))
	}
	r.note(replayConn, sql, query || b.Info.Returns, ans.Err)
	e.End = int64(time.Since(start))
	e.Answer = ans
	out.Events = append(out.Events, e)
	if ans.Err != nil && r.profile.Errors.Classify(ans.Err.Code, ans.Err.Message) != dbms.Deterministic {
		// Alone on the database nothing can conflict: such an answer comes from outside.
		return r.spoilt(sql, ans.Err, time.Since(start)-time.Duration(e.Start))
	}
	return nil
}

// occasion is that a statement of the case is replayed, or something read before it.
func (r *Runner) occasion(b *instrument.Block, as history.Role) Occasion {
	return Occasion{Stmt: r.loaded.ID(instrument.Step{Txn: b.Txn, Unit: b.Stmt}), Role: as}
}

// guarded runs one statement on the replay session; one that does not answer in time is killed.
func (r *Runner) guarded(on Occasion, sql string, query, returns bool) (history.Answer, error) {
	r.doing.begin(replayConn, sql)
	l := lane{session: r.replayer, profile: r.profile, ctx: r.ctx}
	rep := r.watched(&l, request{sql: sql, on: on, query: query, returning: returns, warnings: true})
	r.warned = rep.warned
	return rep.answer, rep.err
}

// conn returns the session and name of a probe's connection.
func (r *Runner) conn(c instrument.Conn) (*Session, string) {
	if c == instrument.Latest {
		return r.latest, latestConn
	}
	return r.committed, committedConn
}

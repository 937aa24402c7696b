package exec

import (
	"errors"
	"fmt"
	"time"

	"txweave/dbms"
	"txweave/history"
	"txweave/instrument"
	"txweave/oracle/observe"
	"txweave/sql/control"
	"txweave/sql/sqltext"
)

// unit is a step in execution.
type unit struct {
	step    instrument.Step
	block   *instrument.Block // nil for begin and end
	actions []action
	at      int
	run     *observe.BlockRun
	event   *history.Event // of the action in flight
	sent    time.Time
	tries   int
}

// track is one transaction in execution.
type track struct {
	txn     int
	lane    *lane
	after   *track // the transaction before it in its session; nil if there is none
	unit    *unit  // the step in progress; nil between steps
	flying  bool   // its statement has been sent and has not answered
	wait    Wait   // what it was last seen to wait for, while it is flying
	retry   bool   // its statement was refused because somebody holds a lock
	overdue []instrument.Step
	used    map[string]bool // tables that it has used, and those of them that it has written or read with locks
	written map[string]bool
	locks   []control.TableLock // by LOCK TABLES
	ends    int                 // transactions that had ended when its statement was refused
	marks   control.Savepoints
	lost    bool // it can change nothing any more, and reads on before it is rolled back
	aborted bool
	ended   bool
	open    bool // the database has said that the transaction is, and nothing has been sent since that would end it
	// exported says that its snapshot was asked for.
	exported bool
}

// runState is one run in progress.
type runState struct {
	*Runner
	plan    *instrument.Plan
	start   time.Time
	out     *observe.Run
	tracks  []*track
	steps   []instrument.Step // of the schedule
	waiters []*track          // blocked tracks, those that began to wait first in front
	active  *observe.BlockRun
	done    int // answers so far
	ends    int // transactions that have ended so far
	reads   knownReads
}

// Run executes the plan's steps on reset tables: one statement at a time in the order given, the next one sent
// when the last has answered or is blocked. Steps of a blocked transaction wait until it wakes.
func (r *Runner) Run(p *instrument.Plan, steps []instrument.Step) (*observe.Run, error) {
	if r.loaded == nil || r.loaded.Case != p.Case {
		return nil, errors.New("run of a case that is not loaded")
	}
	if err := r.reset(false); err != nil {
		return nil, err
	}
	s := &runState{Runner: r, plan: p, steps: steps, start: time.Now(), out: &observe.Run{
		Trace: &history.Trace{}, Txns: make([]history.Outcome, len(p.Txns)), Spans: make([][2]int, len(p.Txns)),
	}}
	if p.Profile.ReadModes.Observer == dbms.SnapshotObserver {
		s.out.Snapshots = make([][]*history.Event, len(p.Txns))
	}
	for i := range p.Txns {
		s.tracks = append(s.tracks, &track{txn: i, lane: r.lanes[p.Txns[i].Session]})
	}
	for i, t := range s.tracks {
		if b := p.Txns[i].After; b >= 0 {
			t.after = s.tracks[b]
		}
	}
	s.knowInitial()
	err := s.underSetting(func() error { return s.weave(steps) })
	if err != nil {
		s.abandon()
		return s.out, s.explain(err)
	}
	s.out.Final, err = s.contents(func(sql string, rows *history.Rows) {
		s.record(&history.Event{Session: "committed", Txn: -1, Stmt: -1, Role: history.Final, Text: sql,
			Answer: history.Answer{Rows: rows, Affected: -1}})
	})
	if err == nil && s.out.Certificate != nil {
		err = s.certify()
	}
	return s.out, s.explain(err)
}

func (s *runState) weave(steps []instrument.Step) error {
	for _, st := range steps {
		s.mark()
		t := s.tracks[st.Txn]
		if t.busy() || len(t.overdue) > 0 {
			t.overdue = append(t.overdue, st)
			continue
		}
		if err := s.step(t, st); err != nil {
			return err
		}
		if err := s.catchUp(); err != nil {
			return err
		}
	}
	if err := s.drain(); err != nil {
		return err
	}
	s.forgetPrepared()
	return nil
}

// busy says whether the transaction, or the one before it in its session, is in the midst of something.
func (t *track) busy() bool {
	return t.unit != nil || t.after != nil && !t.after.ended && !t.after.aborted
}

// catchUp runs the steps that woken transactions owe.
func (s *runState) catchUp() error {
	for again := true; again; {
		again = false
		for _, t := range s.tracks {
			if !t.busy() && len(t.overdue) > 0 {
				st := t.overdue[0]
				t.overdue = t.overdue[1:]
				if err := s.step(t, st); err != nil {
					return err
				}
				again = true
			}
		}
	}
	return nil
}

// drain waits for what is still blocked when every step has been submitted.
func (s *runState) drain() error {
	for len(s.waiters) > 0 {
		s.mark()
		before := s.done
		if err := s.settle(true); err != nil {
			return err
		}
		if err := s.catchUp(); err != nil {
			return err
		}
		if s.done == before && len(s.waiters) > 0 && s.waiters[0].retry {
			if w := s.waiters[0]; excludes(w.unit.block) {
				if err := s.insist(w); err != nil {
					return err
				}
				continue
			}
			return &EnvironmentError{Answer: &AnswerError{Text: clip(s.waiters[0].unit.actions[0].sql),
				Err: &history.DBError{Message: "still refused though every other transaction has ended"}}}
		}
	}
	return nil
}

// step starts one step of a transaction that is not blocked.
func (s *runState) step(t *track, st instrument.Step) error {
	if left, err := s.leavesOut(t, st); left || err != nil {
		return err
	}
	u := &unit{step: st}
	txn := &s.plan.Txns[st.Txn]
	if err := s.setLevel(t, st); err != nil {
		return err
	}
	switch st.Unit {
	case instrument.BeginUnit:
		u.actions = []action{{role: history.Begin, sql: s.begin(t)}}
	case instrument.EndUnit:
		u.actions = append(s.orphans(t), action{role: history.End, sql: txn.End})
	default:
		s.open(t, u)
	}
	t.unit = u
	return s.advance(t)
}

// open says what is sent for a statement of a transaction: itself, and what is read around it.
func (s *runState) open(t *track, u *unit) {
	st, txn := u.step, &s.plan.Txns[u.step.Txn]
	u.block = txn.Blocks[st.Unit]
	s.uses(t, u.block)
	u.run = &observe.BlockRun{Block: u.block}
	if s.out.Snapshots != nil && s.out.Snapshots[st.Txn] == nil && u.block.Snaps() {
		u.actions = probes(txn.Snapshot, 0)
		for i := range u.actions {
			u.actions[i].snapshot = true
		}
	}
	u.actions = append(u.actions, probes(u.block.VSR, 0)...)
	if p := u.block.BWR; p != nil {
		u.actions = append(u.actions, action{role: p.Role, conn: p.Conn, sql: p.SQL, query: true})
	}
	query := u.block.Info.Kind == sqltext.Select || u.block.Redefines != nil && u.block.Redefines.Rows ||
		u.block.Advisory != nil
	u.actions = append(u.actions, action{role: history.Target, conn: instrument.Own, sql: u.block.SQL + u.block.Returning,
		query:     query,
		returning: u.block.Returning != "", returns: u.block.Info.Returns})
	s.altered = s.altered || u.block.Redefines != nil && !u.block.Redefines.Keeps || u.block.Info.Truncates
	if p := u.block.AWR; p != nil && u.block.Returning == "" {
		u.actions = append(u.actions, action{role: p.Role, conn: p.Conn, sql: p.SQL, query: true, tables: p.Tables,
			written: p.Written})
	}
	u.actions = append(u.actions, probes(u.block.After, 1)...) // behind the after-write read
}

// begin is what opens a transaction: nothing, where the end of the one before it in its session has.
func (s *runState) begin(t *track) string {
	if t.lane.chained {
		t.lane.chained = false
		return s.profile.Transactions.Chained
	}
	return s.plan.Txns[t.txn].Begin
}

// advance runs a unit's actions until it is complete or blocked, then sees to those that it woke.
func (s *runState) advance(t *track) error {
	u := t.unit
	outer := s.active
	s.active = u.run
	defer func() { s.active = outer }()
	for t.unit == u && u.at < len(u.actions) {
		act := u.actions[u.at]
		if err := s.send(t, act); err != nil {
			return err
		}
		if t.flying && len(s.waiters) > 1 {
			// a deadlock that it closed may end another one's wait, and with that a third one's, while it waits itself
			return s.settle(false)
		} else if t.flying {
			return nil
		}
		if t.retry {
			return nil
		}
	}
	if t.unit == u {
		if err := s.unlock(t); err != nil {
			return err
		}
		if err := s.finish(t); err != nil {
			return err
		}
	}
	return s.settle(false)
}

// session names the session that runs a transaction.
func (s *runState) session(t *track) string { return history.SessionName(s.plan.Txns[t.txn].Session) }

// send sends the unit's current action and handles the answer, unless it blocks.
func (s *runState) send(t *track, act action) error {
	u := t.unit
	if s.profile.TableChanges.Told != dbms.AllTold && s.heldUp(t) {
		s.refused(t)
		return nil
	}
	e := &history.Event{Session: s.session(t), Txn: t.txn, Stmt: -1, Role: act.role, Text: act.sql,
		Answer: history.Answer{Affected: -1}}
	if u.block != nil {
		e.Stmt = u.block.Stmt
	}
	on := Occasion{s.plan.ID(u.step), act.role, act.nth}
	u.event, u.sent = e, time.Now()
	s.doing.begin(e.Session, e.Text)
	if act.role == history.End && s.profile.Read(act.sql).Disconnects() {
		return s.disconnect(t, e)
	}
	if act.written && u.wroteNothing() {
		e.Answer, e.Known = history.Answer{Rows: &history.Rows{Columns: s.plan.Schema.Table(act.tables[0]).Names()},
			Affected: -1}, true
		session := t.lane.session
		if act.conn != instrument.Own {
			session, e.Session = s.conn(act.conn)
		}
		s.submit(e)
		return s.take(t, e, session)
	}
	if act.conn != instrument.Own {
		return s.observe(t, act, on)
	}
	s.submit(e)
	req := request{sql: act.sql, on: on, query: act.query, returning: act.returning || act.returns,
		warnings: act.role == history.Target,
		stamps:   act.role == history.Target || act.role == history.End, export: s.exports(t, act),
		hurry: act.role == history.Target && u.block != nil && s.alone(u.block)}
	if t.lane.session.protocol.InProcess { // it never waits: what would make it wait it is refused for
		return s.direct(t, req)
	}
	t.lane.reqs <- req
	rep, blocked, err := s.await(t)
	if err != nil {
		return err
	}
	if blocked {
		t.flying, e.Blocked = true, true
		s.waiters = append(s.waiters, t)
		return nil
	}
	if rep.err != nil {
		return rep.err
	}
	return s.answered(t, rep)
}

// submit appends an event when it is sent, so that a statement that never answers leaves its trace.
func (s *runState) submit(e *history.Event) {
	e.Op, e.Start, e.Done = len(s.out.Trace.Events), int64(time.Since(s.start)), -1
	s.out.Trace.Events = append(s.out.Trace.Events, e)
}

// record appends an event that has its answer.
func (s *runState) record(e *history.Event) {
	s.submit(e)
	e.End, e.Done = e.Start, s.done
	s.done++
}

// gaveUp looks for a target statement that IGNORE let succeed although it did not get a lock: its error may be made a
// warning (1205), and what the statement did before that row stays. Nothing tells which rows it would have come
// to, so the case says nothing. An OPTIMIZE that gets no lock has nothing to leave out.
func (s *runState) gaveUp(e *history.Event) error {
	if e.Role != history.Target || e.Err != nil || len(e.Warnings) == 0 || !sqltext.KindOf(e.Text).Writes() {
		return nil
	}
	for _, w := range e.Warnings {
		if s.profile.Errors.Classify(w.Code, w.Message) != dbms.Deterministic {
			return &EnvironmentError{Answer: &AnswerError{Text: clip(e.Text), Err: &history.DBError{Code: w.Code,
				Message: "only a warning: " + w.Message}}}
		}
	}
	return nil
}

// observe sends what an observer reads, unless that is known.
func (s *runState) observe(t *track, act action, on Occasion) error {
	session, name := s.conn(act.conn)
	e := t.unit.event
	e.Session = name
	s.submit(e)
	if e.Answer, e.Known = s.known(act); e.Known {
		return s.take(t, e, session)
	}
	ans, err := session.Query(on.in(s.ctx), act.sql)
	if err != nil {
		return err
	}
	s.learn(act, ans)
	return s.answered(t, reply{answer: ans, finished: time.Now()})
}

// answered handles the answer to the unit's current action.
func (s *runState) answered(t *track, rep reply) error {
	u, ans := t.unit, rep.answer
	e := u.event
	e.End, e.Done = int64(rep.finished.Sub(s.start)), s.done
	s.done++
	e.Answer = ans
	if e.Role == history.Begin || e.Role == history.End {
		e.Affected = -1 // stale with some drivers
	}
	class := s.classOf(t, ans.Err)
	if class == dbms.Deterministic {
		s.warned = rep.warned
		s.note(e.Session, e.Text, u.actions[u.at].query || u.actions[u.at].returns, ans.Err)
	}
	s.stillOpen(t, e, class, rep.state)
	if err := s.account(t, e, rep); err != nil {
		return err
	}
	if err := s.gaveUp(e); err != nil {
		return err
	}
	class = s.checkedAlone(t, e, s.shutOut(t, class))
	if class == dbms.Environment && e.Blocked && rep.finished.Sub(u.sent) > s.timeout {
		class = dbms.StatementLost // we have ended its wait for a lock (overtime), as another server would by itself
	}
	if observe.CommitsAnyhow(s.profile, e) && class != dbms.Environment {
		class, s.altered = dbms.Deterministic, true
	} else if ans.Err == nil {
		t.switches(e)
	} else if s.fatal(t, e) {
		class = max(class, dbms.TxnLost)
	}
	s.unlearn(t, e, class)
	if class != dbms.Deterministic {
		return s.undone(t, class, rep)
	}
	if ans.Err != nil && e.Role == history.End && !observe.CommitsAnyhow(s.profile, e) {
		return s.abort(t) // what no deferred constraint explains is for the oracle to judge
	}
	if ans.Err != nil && e.Role != history.Target && !observe.CommitsAnyhow(s.profile, e) && e.Role != history.BWR &&
		e.Role != history.Again && e.Role != history.Orphans {
		return fmt.Errorf("%s: %w", e.Role, &AnswerError{Text: clip(e.Text), Err: ans.Err})
	}
	if gone, err := s.locked(t, e); gone || err != nil {
		return err
	}
	s.file(t, e)
	u.at++
	return nil
}

// undone handles an answer by which the unit's current action, or the whole transaction, was not done.
func (s *runState) undone(t *track, class dbms.ErrorClass, rep reply) error {
	u, ans := t.unit, rep.answer
	e := u.event
	switch class {
	case dbms.Environment:
		return s.spoilt(e.Text, ans.Err, rep.finished.Sub(u.sent))
	case dbms.TxnLost:
		if s.readsOn(t) {
			return s.lose(t)
		}
		return s.abort(t)
	case dbms.WouldBlock:
		if excludes(u.block) && u.tries < maxTries && !s.heldUp(t) {
			s.restart(u) // something in the database itself uses the table for a moment: it waits for no transaction
			s.sleep(20 * pause)
			return nil
		}
		e.Blocked = true
		s.refused(t)
		return nil
	case dbms.StatementLost:
		if e.Role == history.End {
			return s.abort(t)
		}
		s.keep(u, e)
		if u.unread(e) && !s.plan.Txns[t.txn].Autocommit() {
			return s.abort(t)
		} else if u.unread(e) {
			return s.spoilt(e.Text, ans.Err, rep.finished.Sub(u.sent))
		}
		u.run.Lost = true
		u.at = len(u.actions)
	}
	return nil
}

// unread says whether what the statement of a unit has written cannot be read back: the read after it is refused, by
// whoever waits for the table. It cannot be left out as one that did nothing.
func (u *unit) unread(e *history.Event) bool {
	return e.Role != history.Target && u.block.Info.Kind != sqltext.Select && u.run.Target != nil &&
		u.run.Target.Err == nil
}

// keep files an event under its block.
func (s *runState) keep(u *unit, e *history.Event) {
	if u.run == nil {
		return
	}
	switch e.Role {
	case history.VSR:
		u.run.VSR = append(u.run.VSR, e)
	case history.BWR:
		u.run.BWR = e
	case history.Target:
		u.run.Target = e
	case history.AWR:
		if u.run.AWR != nil {
			u.run.After = append(u.run.After, e)
			return
		}
		u.run.AWR = e
	case history.Again:
		u.run.Again = e
	}
}

// complete ends a unit.
func (s *runState) complete(t *track) {
	u := t.unit
	t.unit = nil
	at := len(s.out.Order)
	s.out.Order = append(s.out.Order, u.step)
	alone := s.plan.Txns[t.txn].Autocommit()
	switch {
	case t.aborted:
		s.ends++
		s.out.Spans[t.txn][1] = at
	case alone:
		t.ended = true
		s.ends++
		s.out.Spans[t.txn] = [2]int{at, at}
	case u.step.Unit == instrument.BeginUnit:
		s.out.Spans[t.txn][0] = at
	case u.step.Unit == instrument.EndUnit:
		t.ended = true
		s.ends++
		s.out.Spans[t.txn][1] = at
		if s.plan.RolledBack(t.txn) {
			s.out.Txns[t.txn] = history.RolledBack
		}
	}
	if u.run != nil && !t.aborted {
		s.out.Blocks = append(s.out.Blocks, u.run)
	}
}

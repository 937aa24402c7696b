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
	"txweave/sql/sqltext"
)

// Play is a script to run as it stands: nothing is added to it and nothing asked of its statements.
type Play struct {
	Setup    []string
	Sessions int
	Steps    []Move
	Tables   []string // whose contents are read at the end, as their names are written
}

// Move is one statement of a session.
type Move struct {
	Session int
	SQL     string
	Idle    []int         // sessions that must have answered before it is sent
	Ask     bool          // its session is asked for its level first
	Slow    bool          // what is silent does not wait: see Slow
	Lasts   time.Duration // how long it says itself that it takes
	// Behind is an earlier step that must have been sent before it; it waits for that, as long as Within. 0: none.
	Behind int
	Within time.Duration
}

// Played is what came of a script. Events have numbers in order of sending and of answering; session and transaction
// are for the caller to fill in.
type Played struct {
	Setup []*history.Event // by statement of the set-up
	Steps []*history.Event // by step; nil for one that was never sent
	Final []*history.Event // of the tables that are there
	// Asked is what sessions said of their level before a step that asked for it.
	Asked map[int]Asked
	// Killed are steps that were ended from outside after Patience.Statement, Lost those whose connection broke while the
	// database lived on.
	Killed, Lost []int
	// RolledBack are steps with whose error the transaction was over, by what the database says of it, as after INSERT OR
	// ROLLBACK.
	RolledBack []int
	// Busy are those of Killed of which the database did not say that they wait.
	Busy []int
	// Down says how the database went down, or stopped answering, which ended the script; nil if it did not.
	Down error
}

// Patience is how long a script's statements may take.
type Patience struct {
	Statement time.Duration // before it is ended from outside; 0: 20 s
	// Window is how long a statement may be silent, without the database saying that it waits, before the other sessions
	// go on as a person in another window would: it sleeps, or waits for something that the database does not tell. 0: 400
	// ms.
	Window time.Duration
}

// Slow is how long a move may be silent, and be slow for all that: one that begins or ends a transaction, and any of
// which that is known. A busy server takes its time to commit, and waits for nobody.
const Slow = 3 * time.Second

// window is how long the statement in flight may be silent.
func (s *player) window(x *seat) time.Duration {
	slow := x.step >= 0 && s.play.Steps[x.step].Slow
	switch sqltext.KindOf(x.event.Text) {
	case sqltext.Begin, sqltext.Commit, sqltext.Rollback:
		slow = true
	}
	if slow {
		return max(s.patience.Window, Slow) + x.lasts
	}
	return s.patience.Window
}

// afterwards is how long an answer gives way to a statement that is silent and may have waited for it.
const afterwards = 40 * time.Millisecond

// RunScript empties the database, runs a script on it and reads its tables. One statement at a time is sent, the next
// one when the last has answered or waits. An error is ours or the environment's; what the database did wrong is in the
// answer.
func RunScript(ctx context.Context, t Target, p *dbms.Profile, play Play, patience Patience) (*Played, error) {
	if patience.Statement == 0 {
		patience.Statement = 20 * time.Second
	}
	if patience.Window == 0 {
		patience.Window = 400 * time.Millisecond
	}
	if err := t.Empty(ctx); err != nil {
		return nil, err
	}
	s := &player{ctx: ctx, target: t, profile: p, play: play, patience: patience, alarm: newAlarm(), start: time.Now(),
		out: &Played{Steps: make([]*history.Event, len(play.Steps)), Asked: map[int]Asked{}}}
	defer s.alarm.stop()
	s.quiet = slices.ContainsFunc(play.Steps, func(m Move) bool { // what asks for warnings would be counted
		session, _ := sqltext.Read(m.SQL).Calls()
		return slices.Contains(session, "row_count") || slices.Contains(session, "found_rows")
	})
	err := s.all()
	if err != nil && errors.Is(err, errDown) {
		err = nil
	}
	return s.out, err
}

// errDown ends a script whose database has gone down.
var errDown = errors.New("the database is down")

// player runs one script.
type player struct {
	ctx      context.Context
	target   Target
	profile  *dbms.Profile
	play     Play
	patience Patience
	alarm    *alarm
	start    time.Time
	out      *Played
	seats    []*seat
	waiters  []*seat // that have not answered, in the order in which they began to wait
	sent     int
	done     int
	quiet    bool // no warnings are asked for
}

// seat is one session of a script.
type seat struct {
	lane    *lane
	owed    []int // steps that wait for the one in flight
	step    int   // the one in flight
	event   *history.Event
	at      time.Time
	silent  bool // it does not answer, and the database does not say that it waits
	refused int  // it was refused because of a lock when so many had answered; -1: it is in flight
	state   TxnState
	open    bool // see track
	lasts   time.Duration
}

func (s *player) all() error {
	setup, err := s.open()
	if err != nil {
		return err
	}
	s.seats = []*seat{setup} // no step has been sent: nothing is prepared
	for i, sql := range s.play.Setup {
		e := &history.Event{Session: "setup", Txn: -1, Stmt: -1, Role: history.Initial, Text: sql,
			Answer: history.Answer{Affected: -1}}
		s.out.Setup = append(s.out.Setup, e)
		if err := s.send(setup, -1-i, e); err != nil {
			return errors.Join(err, s.close())
		}
		if err := s.drain(); err != nil {
			return errors.Join(err, s.close())
		}
	}
	if err := s.close(); err != nil {
		return err
	}
	for range s.play.Sessions {
		x, err := s.open()
		if err != nil {
			return errors.Join(err, s.close())
		}
		s.seats = append(s.seats, x)
	}
	for i, m := range s.play.Steps {
		if err := errors.Join(s.behind(m), s.idle(m.Idle)); err != nil {
			return errors.Join(err, s.close())
		}
		x := s.seats[m.Session]
		if slices.Contains(s.waiters, x) {
			x.owed = append(x.owed, i)
			continue
		}
		if err := s.step(x, i); err != nil {
			return errors.Join(err, s.close())
		}
		if err := s.settle(); err != nil {
			return errors.Join(err, s.close())
		}
	}
	err = s.drain()
	if err = errors.Join(err, s.close()); err != nil {
		return err
	}
	return s.contents()
}

func (s *player) open() (*seat, error) {
	session, err := s.target.Open(s.ctx, FirstNode, s.profile)
	if err != nil {
		return nil, err
	}
	return &seat{lane: newLane(s.ctx, session, s.profile), refused: -1}, nil
}

// close ends the sessions: what they have not ended is rolled back.
func (s *player) close() error {
	s.forgetPrepared()
	for _, x := range s.waiters {
		if x.refused < 0 {
			_ = s.target.Kill(s.ctx, x.lane.session)
		}
	}
	for _, x := range s.seats {
		x.lane.close()
	}
	stuck := false
	for _, x := range s.seats {
		stuck = !x.lane.closed(5*time.Second) || stuck
	}
	s.seats, s.waiters = nil, nil
	if stuck {
		return fmt.Errorf("%w: a session cannot be closed", ErrTimeout)
	}
	return nil
}

// step sends a step of the script.
func (s *player) step(x *seat, i int) error {
	if s.play.Steps[i].Ask {
		if err := s.askLevel(x, i); err != nil {
			return err
		}
	}
	e := &history.Event{Text: s.play.Steps[i].SQL, Answer: history.Answer{Affected: -1}}
	s.out.Steps[i] = e
	x.lasts = s.play.Steps[i].Lasts
	return s.send(x, i, e)
}

// send sends a statement over a session that is idle and stays until it has answered or waits.
func (s *player) send(x *seat, step int, e *history.Event) error {
	e.Op, e.Done, e.Start = s.sent, -1, int64(time.Since(s.start))
	s.sent++
	x.step, x.event, x.at, x.silent, x.refused = step, e, time.Now(), false, -1
	s.again(x)
	return s.await(x)
}

// again gives the statement in flight to the database, for the first time or once more.
func (s *player) again(x *seat) {
	x.refused = -1
	x.lane.reqs <- request{sql: x.event.Text, query: returnsRows(x.event.Text), lasts: s.patience.Statement + x.lasts,
		warnings: !s.quiet && sqltext.KindOf(x.event.Text).IsTarget()}
}

// returnsRows says whether a statement is asked for rows rather than for a count.
func returnsRows(sql string) bool {
	switch st := sqltext.Read(sql); st.Kind {
	case sqltext.Select:
		return true
	case sqltext.Insert, sqltext.Update, sqltext.Delete:
		return slices.ContainsFunc(st.Tokens, func(t sqltext.Token) bool { return t.Is("returning") })
	case sqltext.Other:
		return true
	case sqltext.XA:
		return len(st.Tokens) > 1 && st.Tokens[1].Is("recover")
	case sqltext.Set:
		return st.Tokens[0].Is("pragma")
	}
	return false
}

// await stays with a statement until it has answered, or it waits and the others go on.
func (s *player) await(x *seat) error {
	s.alarm.set(grace)
	defer s.alarm.clear()
	start := time.Now()
	for seen := 0; ; {
		select {
		case rep := <-x.lane.replies:
			return s.answered(x, rep)
		case <-s.alarm.C:
		}
		waiting, err := s.target.Waiting(s.ctx, []*Session{x.lane.session})
		if err != nil {
			return s.broken(err)
		}
		if seen++; waiting[0] == NoWait {
			seen = 0
		}
		silent := time.Since(start) > s.window(x) // how long it waited for a lock before is no matter
		if seen == 2 || silent && x.step >= 0 {
			x.event.Blocked = true
			x.silent = seen < 2
			if !slices.Contains(s.waiters, x) {
				s.waiters = append(s.waiters, x)
			}
			return nil
		}
		if err := s.overtime(x); err != nil {
			return err
		}
		s.alarm.set(pauseAfter(start))
	}
}

// overtime ends a statement that has run out of time.
func (s *player) overtime(x *seat) error {
	over := time.Since(x.at) - s.patience.Statement - x.lasts
	if over <= 0 {
		return nil
	}
	if over > 10*time.Second {
		s.out.Down = fmt.Errorf("%w: %s does not end though it was killed", ErrTimeout, clip(x.event.Text))
		return errDown
	}
	if !slices.Contains(s.out.Killed, x.step) {
		s.out.Killed = append(s.out.Killed, x.step)
		waiting, err := s.target.Waiting(s.ctx, []*Session{x.lane.session})
		if err != nil {
			return s.broken(err)
		}
		if waiting[0] == NoWait {
			s.out.Busy = append(s.out.Busy, x.step)
		}
	}
	return s.target.Kill(s.ctx, x.lane.session) // again: it may have come before the database had begun with the statement
}

// answered files the answer to the statement in flight.
func (s *player) answered(x *seat, rep reply) error {
	e := x.event
	ans := rep.answer
	if rep.err != nil {
		if err := s.lost(x, rep.err); err != nil {
			return err
		}
		ans = history.Answer{Affected: -1, Err: &history.DBError{Message: rep.err.Error()}}
		rep.state = TxnUnsaid // it is another connection's
	}
	if ans.Err != nil && s.profile.Embedded && s.profile.Errors.Classify(ans.Err.Code, ans.Err.Message) ==
		dbms.WouldBlock &&
		x.step >= 0 && rep.err == nil {
		if !slices.Contains(s.waiters, x) { // it waits for those who hold the lock, as a server would queue it
			s.waiters = append(s.waiters, x)
		}
		e.Blocked, x.refused = true, s.done
		e.Err = ans.Err
		return nil
	}
	s.waiters = slices.DeleteFunc(s.waiters, func(o *seat) bool { return o == x })
	e.End, e.Done = int64(rep.finished.Sub(s.start)), s.done
	s.done++
	e.Answer = ans
	if k := sqltext.KindOf(e.Text); !k.Writes() {
		e.Affected = -1
	}
	class := dbms.Deterministic
	if ans.Err != nil {
		class = s.profile.Errors.Classify(ans.Err.Code, ans.Err.Message)
	}
	if e.Err != nil && x.state == TxnOpen && rep.state == TxnNone && !mayEnd(e) {
		s.out.RolledBack = append(s.out.RolledBack, x.step)
	}
	x.stillOpen(e, class, rep.state)
	return nil
}

// lost looks after a connection that broke: a database that lives on gives another one.
func (s *player) lost(x *seat, err error) error {
	var broken *LostError
	if !errors.As(err, &broken) && !errors.Is(err, ErrTimeout) {
		return nil // too large a result, for instance: the session lives
	}
	if alive := s.target.Alive(s.ctx); alive != nil {
		return s.broken(alive)
	}
	s.out.Lost = append(s.out.Lost, x.step)
	fresh, err := s.open()
	if err != nil {
		return err
	}
	x.lane.close()
	x.lane, x.open = fresh.lane, false
	return nil
}

// broken sorts out whether the database has gone down.
func (s *player) broken(err error) error {
	var crash *CrashError
	var hang *HangError
	if !errors.As(err, &crash) && !errors.As(err, &hang) {
		err = errors.Join(s.target.Alive(s.ctx), err)
	}
	if errors.As(err, &crash) || errors.As(err, &hang) {
		s.out.Down = err
		return errDown
	}
	return err
}

// ReadAll stands before a table's name in the read of its contents.
const ReadAll = "SELECT * FROM "

// contents reads the tables; one that is not there any more is left out.
func (s *player) contents() error {
	session, err := s.target.Open(s.ctx, FirstNode, s.profile)
	if err != nil {
		return err
	}
	defer session.Close()
	for _, name := range s.play.Tables {
		sql := ReadAll + name
		a, err := session.Query(s.ctx, sql)
		if err != nil {
			return err
		}
		if a.Err != nil {
			continue
		}
		s.out.Final = append(s.out.Final, &history.Event{Op: s.sent, Session: committedConn, Txn: -1, Stmt: -1,
			Role: history.Final, Text: sql,
			Done: s.done, Answer: history.Answer{Rows: a.Rows, Affected: -1}})
		s.sent++
		s.done++
	}
	return nil
}

// Names lists the tables that statements create, as they write them, each once.
func Names(statements []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, sql := range statements {
		s := sqltext.Read(sql)
		temporary := slices.ContainsFunc(s.Tokens[:min(3, len(s.Tokens))], func(t sqltext.Token) bool {
			return t.Is("temporary", "temp")
		})
		if s.Creates() == "table" && !temporary && !seen[strings.ToLower(s.Target)] {
			seen[strings.ToLower(s.Target)] = true
			out = append(out, s.Written)
		}
	}
	return out
}

// AskLevel is how a session is asked at which level it runs its transactions.
type AskLevel struct {
	// Ask is the query. It locks nothing and takes no snapshot, so that it may be asked in a transaction that has done
	// nothing yet.
	Ask string
	// Read reads the level from its answer, by the name that the DBMS's profiles have; once is the level, in small letters
	// with dashes, that was set for this transaction alone, which sessions of some databases do not tell; "" for none, or
	// where they do.
	Read func(rows *history.Rows, once string) string
}

// Asked is what a session answered to the question for its level.
type Asked struct {
	rows *history.Rows
	of   *AskLevel
}

// Level is the level that the session said; "" where it was not asked, or said none that is known. once is as AskLevel
// has it.
func (a Asked) Level(once string) string {
	if a.of == nil || a.rows == nil {
		return ""
	}
	return a.of.Read(a.rows, once)
}

// askLevel asks a session that is idle for its level, before a step is sent.
func (s *player) askLevel(x *seat, step int) error {
	ask := x.lane.session.protocol.Level
	if ask == nil || s.quiet {
		return nil
	}
	x.lane.reqs <- request{sql: ask.Ask, query: true}
	rep := <-x.lane.replies
	if rep.err != nil {
		return s.lost(x, rep.err)
	}
	if rep.answer.Err == nil {
		s.out.Asked[step] = Asked{rep.answer.Rows, ask}
	}
	return nil
}

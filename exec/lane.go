package exec

import (
	"context"
	"time"

	"txweave/dbms"
	"txweave/history"
	"txweave/sql/sqltext"
)

// request is one statement for a lane to send.
type request struct {
	sql   string
	on    Occasion // which may be none of a case
	query bool     // it returns rows
	// returning says that it is a write which returns the rows that it writes.
	returning bool
	warnings  bool          // ask for its warnings too
	stamps    bool          // ask for its timestamps too
	export    bool          // ask for the name of the transaction's snapshot first
	hurry     bool          // it gives up soon where it has to wait
	lasts     time.Duration // how much longer it may take than others
}

// reply is what came of it.
type reply struct {
	answer   history.Answer
	stamps   []history.Value // the session's timestamps after it, where the database gives some
	snapshot string          // the name of the transaction's snapshot, where it was asked for and given
	state    TxnState        // of the session's transaction, by the last answer
	warned   bool            // its warnings were asked for
	err      error
	finished time.Time
}

// lane is a session with a goroutine of its own, so that a statement may block while others run.
type lane struct {
	session *Session
	profile *dbms.Profile // whose level it is set to
	manual  bool          // autocommit is off
	chained bool          // the end of its last transaction has begun the next one
	ended   bool          // the session has ended itself
	shut    bool          // no request is taken any more
	// setting is the plan setting that is in force; nil: none.
	setting *dbms.PlanSetting
	schema  *sqltext.Schema // of the case that has it
	ctx     context.Context
	reqs    chan request
	replies chan reply
	late    chan struct{} // gets a value when an answer is late; nil where the session cannot tell
	gone    chan struct{} // closed when the session is
}

func newLane(ctx context.Context, s *Session, p *dbms.Profile) *lane {
	l := &lane{session: s, profile: p, ctx: ctx, reqs: make(chan request), replies: make(chan reply, 1),
		gone: make(chan struct{})}
	late := make(chan struct{}, 1)
	told := func() {
		select {
		case late <- struct{}{}:
		default:
		}
	}
	if s.Late(told) {
		l.late = late
	}
	go l.serve()
	return l
}

func (l *lane) serve() {
	for req := range l.reqs {
		select {
		case <-l.late: // of the one before
		default:
		}
		l.replies <- l.answer(req)
	}
	l.session.Close()
	close(l.gone)
}

// answer runs a request, and adds what the session's transaction is by the last answer.
func (l *lane) answer(req request) reply {
	r := l.run(req)
	r.state = l.session.TxnState()
	return r
}

// hurried runs a statement that gives up soon where it has to wait.
func (l *lane) hurried(req request) (r reply) {
	req.hurry = false
	around := l.profile.TableChanges.Hurry
	if r.err = l.session.Must(l.ctx, around[0]); r.err == nil {
		r = l.run(req)
	}
	switch {
	case r.err != nil:
	case r.answer.Err != nil: // a transaction that has failed takes nothing but its end, which puts the setting back, too
		_, r.err = l.session.Exec(l.ctx, around[1])
	default:
		r.err = l.session.Must(l.ctx, around[1])
	}
	return r
}

func (l *lane) run(req request) (r reply) {
	if req.hurry && len(l.profile.TableChanges.Hurry) == 2 {
		return l.hurried(req)
	}
	if req.export {
		if r.snapshot, r.err = l.session.snapshotName(l.ctx); r.err != nil {
			r.finished = time.Now()
			return r
		}
	}
	ctx := req.on.in(l.ctx)
	if req.lasts > 0 {
		ctx = context.WithValue(ctx, longer{}, req.lasts)
	}
	session := l.session
	if l.setting != nil && l.setting.Prepared && req.warnings {
		session = session.Over(preparingConn(session, l.setting, l.schema, true))
	}
	switch x, scratch := l.profile.Scratch(req.sql); {
	case scratch && req.query:
		read, drop := x.Around(sqltext.SyntaxOf(l.profile.DBMS))
		r.answer, r.err = l.session.Scratch(ctx, req.sql, read, drop)
		req.warnings = false
	case req.returning:
		r.answer, r.err = session.Returning(ctx, req.sql)
	case req.query:
		r.answer, r.err = session.Query(ctx, req.sql)
	default:
		r.answer, r.err = session.Exec(ctx, req.sql)
	}
	r.finished = time.Now()
	if req.warnings && r.err == nil && r.answer.Err == nil && !session.noWarnings() && l.session.protocol.warns(req.sql) {
		r.answer.Warnings, r.err = l.session.readWarnings(l.ctx)
		r.warned = true
	}
	if clock := l.session.protocol.Clock; req.stamps && clock != nil && r.err == nil && r.answer.Err == nil {
		var rows *history.Rows
		if rows, r.err = l.session.Read(l.ctx, clock.Ask); r.err == nil && rows.Len() == 1 {
			r.stamps = rows.Row(0)
		}
	}
	return r
}

// close ends the lane once its statement, if any, has answered. One whose session has ended itself is ended already
// where no other session could be opened in its place.
func (l *lane) close() {
	if !l.shut {
		l.shut = true
		close(l.reqs)
	}
}

// closed waits until the lane's session is closed, so that it holds no lock any more, and says whether it is: a
// statement that was killed may still not answer within the time given.
func (l *lane) closed(dying time.Duration) bool {
	select {
	case <-l.gone:
		return true
	case <-time.After(dying):
		return false
	}
}

// impatient says whether the server soon gives up a statement that waits for a lock.
func (l *lane) impatient() bool { return l.setting != nil && l.setting.Impatient }

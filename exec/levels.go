package exec

import (
	"maps"
	"slices"
	"strings"
	"time"

	"txweave/history"
	"txweave/instrument"
	"txweave/sql/control"
	"txweave/sql/sqltext"
)

// setLevel sets a session, between two of its transactions, to the level of the one that begins, and to autocommit
// where the one before left that off.
func (s *runState) setLevel(t *track, st instrument.Step) error {
	txn := &s.plan.Txns[t.txn]
	if t.lane.manual && (st.Unit == instrument.BeginUnit || txn.Autocommit()) {
		if err := s.set(t, autocommitOn); err != nil {
			return err
		}
		t.lane.manual = false
	}
	begins := st.Unit == instrument.BeginUnit && !t.lane.chained || txn.Autocommit()
	if t.lane.profile == txn.Profile || !begins {
		return nil
	}
	settings := slices.DeleteFunc(slices.Clone(txn.Profile.Sessions.Setup), func(sql string) bool {
		return slices.Contains(t.lane.profile.Sessions.Setup, sql)
	})
	if len(settings) == 1 && s.profile.Read(txn.End).Chains() && strings.HasPrefix(settings[0], sessionLevel) {
		// Of this transaction alone, and of the one that its end begins: AND CHAIN keeps the level where the session has
		// another one.
		return s.set(t, "SET TRANSACTION"+strings.TrimPrefix(settings[0], sessionLevel))
	}
	for _, sql := range settings {
		if err := s.set(t, sql); err != nil {
			return err
		}
	}
	t.lane.profile = txn.Profile
	return nil
}

// sessionLevel begins the statement by which a session is set to a level.
const sessionLevel = "SET SESSION TRANSACTION"

const autocommitOn = "SET autocommit = 1"

// set sends a setting of the tool's own.
func (s *runState) set(t *track, sql string) error {
	e := &history.Event{Session: s.session(t), Txn: t.txn, Stmt: -1, Role: history.Level, Text: sql,
		Answer: history.Answer{Affected: -1}}
	s.record(e)
	if err := t.lane.session.Must(s.ctx, sql); err != nil {
		return s.classify(err)
	}
	s.note(e.Session, sql, false, nil)
	return nil
}

// switches notes that a statement which opened or ended a transaction has switched autocommit, or begun the next one.
func (t *track) switches(e *history.Event) {
	if e.Role != history.Begin && e.Role != history.End {
		return
	}
	text := t.lane.profile.Read(e.Text)
	if e.Role == history.End {
		t.lane.chained = text.Chains()
	}
	if text.Kind == sqltext.Set {
		t.lane.manual = text.Opens() == control.Switched
	}
}

// abort rolls back what the database has given up already: after a deadlock the session would be in autocommit,
// and everything sent on it would lie.
func (s *runState) abort(t *track) error {
	clear(s.reads)
	for _, sql := range s.rollbacks(t) {
		e := &history.Event{Session: s.session(t), Txn: t.txn, Stmt: -1, Role: history.Abort, Text: sql,
			Answer: history.Answer{Affected: -1}}
		s.submit(e)
		t.lane.reqs <- request{sql: e.Text, on: Occasion{Stmt: s.plan.Case.Txns[t.txn].End.ID, Role: e.Role}}
		rep := <-t.lane.replies
		if rep.err != nil {
			return rep.err
		}
		e.End, e.Err, e.Done = int64(rep.finished.Sub(s.start)), rep.answer.Err, s.done
		s.done++
		s.noteAbort(e.Session, sql, rep.answer.Err)
	}
	t.aborted = true
	s.out.Txns[t.txn] = history.Aborted
	return s.finish(t)
}

// rollbacks are the statements that roll back a transaction which the database has given up, and give its tables back.
func (s *runState) rollbacks(t *track) []string {
	out := s.rollingBack(s.plan.Txns[t.txn].Begin)
	if name := s.plan.Txns[t.txn].Prepared(); name != "" {
		out = append(out, "ROLLBACK PREPARED "+name) // it fails where the transaction was not prepared yet
	}
	if s.plan.Txns[t.txn].Locks() != nil {
		out = append(out, "UNLOCK TABLES")
	}
	if s.plan.Txns[t.txn].KeepsLocks() {
		out = append(out, unlockAll)
	}
	return out
}

// unlockAll gives back the advisory locks that a session has kept. None outlasts the transaction that asked for it.
const unlockAll = "SELECT pg_advisory_unlock_all()"

// unlock gives back what a transaction that has ended would keep locked.
func (s *runState) unlock(t *track) error {
	txn := &s.plan.Txns[t.txn]
	if t.unit.step.Unit != instrument.EndUnit || !txn.KeepsLocks() || s.profile.Read(txn.End).Disconnects() {
		return nil
	}
	return s.set(t, unlockAll)
}

// rollingBack are the statements that roll back a transaction that began so.
func (r *Runner) rollingBack(begin string) []string {
	if name := r.profile.Read(begin).XAName(); name != "" {
		return []string{"XA END " + name, "XA ROLLBACK " + name} // the first one fails where it has ended
	}
	return []string{"ROLLBACK"}
}

// abandon drops the sessions of a run that failed: statements may still be in flight on them.
func (s *runState) abandon() {
	for _, t := range s.tracks {
		if t.unit != nil {
			_ = s.target.Kill(s.ctx, t.lane.session)
		}
	}
	s.forgetPrepared()
	s.closeSessions()
	s.loaded = nil
}

// forgetPrepared rolls back by its name what transactions of a run have prepared: it outlives its session. Also where
// its end was answered: a database that has lost that keeps the locks for good, and the next run would wait for them.
// On a sound one that is refused.
func (s *runState) forgetPrepared() {
	for _, t := range s.tracks {
		txn := &s.plan.Txns[t.txn]
		if name := txn.Prepared(); name != "" { // its session may be gone
			_, _ = s.target.Control().Exec(s.ctx, "ROLLBACK PREPARED "+name)
		}
		flying := slices.ContainsFunc(s.tracks, func(o *track) bool { return o.lane == t.lane && o.flying })
		if s.profile.Read(txn.Begin).XAName() == "" || flying || t.lane.session == nil || t.lane.shut {
			continue
		}
		for _, sql := range s.rollingBack(txn.Begin) {
			t.lane.reqs <- request{sql: sql}
			<-t.lane.replies
		}
	}
}

// forgetPrepared rolls back what a script has prepared and not ended, in the sessions that did it: it would outlive
// them and keep its locks, on a server of somebody's too. What the script did not prepare itself is left alone,
// whatever its name.
func (s *player) forgetPrepared() {
	s.forgetDetached()
	left := map[string]int{} // names of what is prepared, and in which session
	for i, m := range s.play.Steps {
		x, e := sqltext.Read(m.SQL), s.out.Steps[i]
		if x.Kind != sqltext.XA || len(x.Tokens) < 3 || e == nil || e.Err != nil {
			continue
		}
		id := "" // with its branch and its format, if it has them
		for _, t := range x.Tokens[2:] {
			if t.Kind != sqltext.Word {
				id += t.Text
			}
		}
		if delete(left, id); x.Tokens[1].Is("prepare") {
			left[id] = m.Session
		}
	}
	for _, id := range slices.Sorted(maps.Keys(left)) {
		n := left[id]
		if n >= len(s.seats) || slices.Contains(s.waiters, s.seats[n]) {
			continue
		}
		l := s.seats[n].lane
		l.reqs <- request{sql: "XA ROLLBACK " + id}
		select {
		case <-l.replies:
		case <-l.gone:
		case <-time.After(5 * time.Second):
		}
	}
}

// forgetDetached rolls back what a script has left by PREPARE TRANSACTION, which no session has any more.
func (s *player) forgetDetached() {
	left := map[string]bool{}
	for i, m := range s.play.Steps {
		x, e := s.profile.Read(m.SQL), s.out.Steps[i]
		if e == nil || e.Err != nil || x.IsXA() {
			continue
		}
		delete(left, x.EndsPrepared())
		if name := x.Prepares(); name != "" {
			left[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		_, _ = s.target.Control().Exec(s.ctx, "ROLLBACK PREPARED "+name)
	}
}

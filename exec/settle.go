package exec

import (
	"slices"
	"time"

	"txweave/dbms"
	"txweave/history"
	"txweave/oracle/observe"
)

// settle looks after the blocked transactions once a statement has answered: those that still wait are left
// alone, those that woke are brought to the end of their step, one after the other, before anything else is
// sent. With wait set it stays until at least one has woken.
func (s *runState) settle(wait bool) error {
	for start := time.Now(); ; {
		woken, err := s.collect()
		if err != nil {
			return err
		}
		if len(woken) == 0 && wait && s.anyFlying() {
			s.sleep(pauseAfter(start))
			continue
		}
		if len(woken) == 0 {
			return s.retryRefused()
		}
		wait = false
		for _, w := range woken {
			if err := s.resume(w); err != nil {
				return err
			}
		}
	}
}

func (s *runState) anyFlying() bool {
	return slices.ContainsFunc(s.waiters, func(t *track) bool { return t.flying })
}

// wokenTrack is a blocked track whose statement has answered.
type wokenTrack struct {
	*track
	rep reply
}

// collect gathers every blocked statement that has answered, until the server says of all others that they still
// wait: statements that woke at the same time run at the same time, and nothing may be sent before they have
// ended. Which of them answered first is chance, so they come in the order in which they began to wait; but those
// that the database gave up come first, for it did so before it let others run.
func (s *runState) collect() ([]wokenTrack, error) {
	var woken []wokenTrack
	waited := slices.Clone(s.waiters)
	rank := func(w wokenTrack) int {
		i := slices.Index(waited, w.track)
		if err := w.rep.answer.Err; err != nil && s.profile.Errors.Classify(err.Code, err.Message) == dbms.TxnLost {
			i -= len(waited)
		}
		return i
	}
	for {
		w, err := s.poll()
		if err != nil || w == nil {
			slices.SortStableFunc(woken, func(a, b wokenTrack) int { return rank(a) - rank(b) })
			return woken, err
		}
		w.flying = false
		s.waiters = slices.DeleteFunc(s.waiters, func(o *track) bool { return o == w.track })
		s.disturbed() // it may have run between the probes of the block under way
		woken = append(woken, *w)
	}
}

// poll returns the first blocked statement that has answered, having made sure that those before it still wait;
// nil if all of them wait.
func (s *runState) poll() (*wokenTrack, error) {
	var flying []*track
	var sessions []*Session
	for _, t := range s.waiters {
		if !t.flying {
			continue
		}
		select {
		case rep := <-t.lane.replies:
			return &wokenTrack{t, rep}, nil
		default:
			flying, sessions = append(flying, t), append(sessions, t.lane.session)
		}
	}
	if len(flying) == 0 {
		return nil, nil
	}
	asked := time.Now()
	waiting, err := s.target.Waiting(s.ctx, sessions)
	s.waited(asked)
	if err != nil {
		return nil, err
	}
	for i, t := range flying {
		if waiting[i] != NoWait {
			s.moved(t, waiting[i])
			if err := s.overtime(t); err != nil {
				return nil, err
			}
			continue
		}
		rep, blocked, err := s.await(t) // it runs: it will answer, or block again on another lock
		if err != nil {
			return nil, err
		}
		if !blocked {
			return &wokenTrack{t, rep}, nil
		}
	}
	return nil, nil
}

// moved notes a blocked statement that waits for another lock than it was last seen to: nobody's end let it go on, but
// something in the database itself, purge for one, that took away what was locked. It has run between the probes of the
// block under way.
func (s *runState) moved(t *track, to Wait) {
	if t.wait != to {
		s.disturbed()
	}
	t.wait = to
}

// disturbed notes that others may have written between the probes of the block under way, and so that its reads need
// not have seen what it saw.
func (s *runState) disturbed() {
	if s.active != nil && !s.fixed(s.active.Block.Txn) {
		s.active.Waited = true
	}
}

// fixed says whether all statements of a transaction, and the reads around them, see one snapshot, whatever levels
// others are at. What is read before a statement in autocommit is another transaction's.
func (s *runState) fixed(txn int) bool {
	t := &s.plan.Txns[txn]
	return t.Profile.FixedViews() && !t.Autocommit()
}

// resume carries a woken transaction on. A before-write read that waited has its locks now, but what the block
// read before it is old: the block starts again. After a target that waited the version sets are read again
// where its locks make that exact; elsewhere the block is marked.
func (s *runState) resume(w wokenTrack) error {
	t := w.track
	if w.rep.err != nil {
		return w.rep.err
	}
	u := t.unit
	role := u.event.Role
	if err := s.answered(t, w.rep); err != nil {
		return err
	}
	if t.unit != u || t.retry {
		return nil // the database aborted the transaction, or refused to let it in
	}
	switch {
	case u.run != nil && role == history.Target && s.plan.Txns[t.txn].Deferred():
		// which snapshot it has in the end nobody tells
		u.run.Waited = true
	case u.run == nil || u.run.Lost || s.fixed(t.txn):
	case role == history.BWR, role == history.VSR:
		// what it waited for, be it a whole table, has changed since, and others who woke with it write
		s.again(u)
	case role == history.Target && s.plan.Txns[t.txn].Profile.GapLocks && !s.plan.Txns[t.txn].Autocommit() &&
		u.block.View == dbms.Current && !u.block.Info.Diff:
		u.reread()
	case role == history.Target:
		u.run.Waited = true
		if b := u.block.BWR; b != nil && len(b.Tables) == 1 && s.plan.Txns[t.txn].Profile.ReadModes.Before ==
			dbms.PlainBeforeRead {
			u.actions = append(slices.Clone(u.actions), action{role: history.Again, conn: b.Conn, sql: b.SQL, query: true})
		}
	}
	return s.advance(t)
}

// again starts a block again, and keeps the before-write read that waited where that has locked all that it scanned.
func (s *runState) again(u *unit) {
	first, t := u.run.Searched, &s.plan.Txns[u.block.Txn]
	if u.run.BWR != nil && t.Profile.GapLocks && t.Profile.ReadModes.Before == dbms.LockingBeforeRead && !t.Autocommit() {
		first = u.run.BWR
	}
	s.restart(u)
	u.run.Searched = first
}

// reread has the version-set reads made again after the target. Every row that the target scanned is locked by
// its transaction until that ends, so the target gives what it would give if it ran at this moment.
func (u *unit) reread() {
	u.run.Reread, u.run.VSR = true, nil
	u.actions = slices.Concat(u.actions[:u.at], probes(u.block.VSR, 0), u.actions[u.at:])
}

// restart puts a unit back to its first action.
func (s *runState) restart(u *unit) {
	u.at = 0
	u.tries++
	if u.run != nil {
		*u.run = observe.BlockRun{Block: u.block}
	}
}

// refused makes a track wait until another transaction has ended, as a server would queue it.
func (s *runState) refused(t *track) {
	s.restart(t.unit)
	t.retry, t.ends = true, s.ends
	s.waiters = append(s.waiters, t)
}

// retryRefused sends refused steps again once another transaction has ended: only that can let them in.
func (s *runState) retryRefused() error {
	for _, t := range slices.Clone(s.waiters) {
		if !t.retry || t.ends == s.ends {
			continue
		}
		t.retry = false
		s.waiters = slices.DeleteFunc(s.waiters, func(o *track) bool { return o == t })
		if err := s.advance(t); err != nil {
			return err
		}
	}
	return nil
}

// waited adds the time since start to what the runner spent on finding out who waits for whom.
func (r *Runner) waited(start time.Time) { r.LockWait += time.Since(start) }

func (r *Runner) sleep(d time.Duration) {
	defer r.waited(time.Now())
	Nap(d)
}

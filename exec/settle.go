package exec

import (
	"slices"
	"time"

	"txweave/history"
)

// settle looks after the blocked transactions once a statement has answered: those that still wait are left
// alone, those that woke are brought to the end of their step, one after the other, before anything else is
// sent. With wait set it stays until at least one has woken.
func (s *runState) settle(wait bool) error {
	for {
		woken, err := s.poll()
		if err != nil {
			return err
		}
		if woken == nil && wait && s.anyFlying() {
			s.sleep(pause)
			continue
		}
		if woken == nil {
			return s.retryOne()
		}
		wait = false
		if err := s.resume(woken); err != nil {
			return err
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

// poll returns the first blocked statement that has answered, having made sure that the others still wait; nil
// if all of them wait.
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
		if waiting[i] {
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

// resume carries a woken transaction on. A before-write read that waited has its locks now, but what the block
// read before it is old: the block starts again. A target that waited is noted, and so is a block of another
// transaction that was under way when it woke.
func (s *runState) resume(w *wokenTrack) error {
	t := w.track
	t.flying = false
	s.waiters = slices.DeleteFunc(s.waiters, func(o *track) bool { return o == t })
	if w.rep.err != nil {
		return w.rep.err
	}
	if s.active != nil {
		s.active.Waited = true
	}
	u := t.unit
	role := u.event.Role
	if u.run != nil && role == history.Target {
		u.run.Waited = true
	}
	if err := s.answered(t, w.rep.answer, w.rep.finished); err != nil {
		return err
	}
	if role == history.BWR && t.unit == u && !u.run.Lost {
		s.restart(u)
	}
	if t.unit == nil || t.retry {
		return nil
	}
	return s.advance(t)
}

// retryOne sends a refused step again when no other transaction is in the middle of one. It is called when a
// statement has answered; only the end of a transaction lets a refused one in, and asking in vain changes nothing.
func (s *runState) retryOne() error {
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
	time.Sleep(d)
}

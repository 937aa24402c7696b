package exec

import (
	"slices"
	"time"
)

// settle looks after those that wait once a statement has answered: those that woke are brought to their end, and then
// what they owe.
func (s *player) settle() error {
	for {
		if on, err := s.onward(); err != nil || !on {
			return err
		}
	}
}

// onward follows one session that has gone on; where there is none, and so nothing runs, it sends what a session owes
// that has, the earliest step first: what a COMMIT lets go on has answered by then. It returns false if there was
// nothing to do.
func (s *player) onward() (bool, error) {
	if x, err := s.woken(); err != nil || x != nil {
		return x != nil, err
	}
	var next *seat
	for _, x := range s.seats {
		if len(x.owed) > 0 && !slices.Contains(s.waiters, x) && (next == nil || x.owed[0] < next.owed[0]) {
			next = x
		}
	}
	if next == nil {
		return false, nil
	}
	i := next.owed[0]
	next.owed = next.owed[1:]
	return true, s.step(next, i)
}

// woken finds one session that has gone on, and follows it; nil if there is none.
func (s *player) woken() (*seat, error) {
	var flying []*seat
	var sessions []*Session
	for _, x := range slices.Clone(s.waiters) {
		switch {
		case x.refused >= 0 && x.refused < s.done:
			s.again(x)
			return x, s.await(x)
		case x.refused >= 0:
			continue
		case x.silent:
			select {
			case rep := <-x.lane.replies:
				return x, s.answered(x, rep)
			case <-time.After(afterwards):
			}
			if err := s.overtime(x); err != nil {
				return nil, err
			}
			continue
		}
		select {
		case rep := <-x.lane.replies:
			return x, s.answered(x, rep)
		default:
			flying, sessions = append(flying, x), append(sessions, x.lane.session)
		}
	}
	if len(flying) == 0 {
		return nil, nil
	}
	waiting, err := s.target.Waiting(s.ctx, sessions)
	if err != nil {
		return nil, s.broken(err)
	}
	return s.first(flying, waiting)
}

// first finds the first of sessions that waits no more and has answered; nil if there is none.
func (s *player) first(flying []*seat, waiting []Wait) (*seat, error) {
	for i, x := range flying {
		if waiting[i] != NoWait {
			if err := s.overtime(x); err != nil {
				return nil, err
			}
			continue
		}
		done := s.done
		if err := s.await(x); err != nil {
			return nil, err
		}
		if s.done > done {
			return x, nil
		}
	}
	return nil, nil
}

// idle waits until sessions have answered.
func (s *player) idle(sessions []int) error {
	for slices.ContainsFunc(sessions, func(n int) bool {
		return slices.Contains(s.waiters, s.seats[n]) || len(s.seats[n].owed) > 0
	}) {
		on, err := s.onward()
		if err != nil {
			return err
		}
		switch {
		case on:
		case slices.ContainsFunc(s.waiters, func(x *seat) bool { return x.refused < 0 }):
			Nap(pause)
		case len(s.waiters) == 0:
			return nil
		default: // nobody goes on who could let them in
			s.refuse()
		}
	}
	return nil
}

// behind waits until the step has been sent that stands before one of another session.
func (s *player) behind(m Move) error {
	for end := time.Now().Add(m.Within); m.Behind > 0 && s.out.Steps[m.Behind] == nil && time.Now().Before(end); {
		on, err := s.onward()
		if err != nil {
			return err
		}
		if !on {
			Nap(pause)
		}
	}
	return nil
}

// drain waits for what has not answered when everything has been sent.
func (s *player) drain() error {
	for {
		on, err := s.onward()
		if err != nil {
			return err
		}
		if on {
			continue
		}
		if len(s.waiters) == 0 {
			return nil
		}
		if i := slices.IndexFunc(s.waiters, func(x *seat) bool { return x.refused < 0 }); i >= 0 {
			Nap(pause)
			continue
		}
		s.refuse() // all of them, though nobody else goes on
	}
}

// refuse makes the answer of the statement that has waited longest that it was refused.
func (s *player) refuse() {
	x := s.waiters[0]
	s.waiters = s.waiters[1:]
	x.event.End, x.event.Done = int64(time.Since(s.start)), s.done
	x.event.Blocked = s.sent > x.event.Op+1 // it waited, while others were sent
	s.done++
}

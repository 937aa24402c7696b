package exec

import (
	"fmt"
	"time"

	"txweave/history"
)

// How a blocked statement is told from a slow one: by asking the server, never by time. A statement that has not
// answered after grace is asked about every pause, and counts as blocked when two answers in a row say so; the
// second one lets a deadlock detector, which runs when the wait begins, have its say.
const pause = 100 * time.Microsecond

// pauseAfter is the pause before the server is asked again about what began to be asked about at start: a twentieth of
// the time since, so that one who is slow to answer is not kept from it by being asked.
func pauseAfter(start time.Time) time.Duration {
	return max(pause, min(time.Since(start)/20, 20*time.Millisecond))
}

// await waits until the track's statement has answered or is blocked.
func (s *runState) await(t *track) (rep reply, blocked bool, err error) {
	if t.lane.late == nil || t.flying {
		s.alarm.set(grace)
	}
	defer s.alarm.clear()
	start := time.Now()
	for seen, asked := 0, false; ; {
		select {
		case rep = <-t.lane.replies:
			return rep, false, nil
		case <-t.lane.late:
		case <-s.alarm.C:
		}
		if !asked {
			asked = true
			defer s.waited(time.Now())
		}
		if t.lane.impatient() { // the server gives it up before anybody else could let it in
			if err := s.overtime(t); err != nil {
				return rep, false, err
			}
			s.alarm.set(grace)
			continue
		}
		waiting, err := s.target.Waiting(s.ctx, []*Session{t.lane.session})
		if err != nil {
			return rep, false, err
		}
		t.wait = waiting[0]
		if seen++; waiting[0] == NoWait {
			seen = 0
		}
		if seen == 2 {
			return rep, true, nil
		}
		if err := s.overtime(t); err != nil {
			return rep, false, err
		}
		s.alarm.set(pauseAfter(start))
	}
}

// overtime kills a statement that has run past its time-out, and gives up on one that does not die.
func (s *runState) overtime(t *track) error {
	over := time.Since(t.unit.sent) - s.timeout
	if over <= 0 {
		return nil
	}
	if over > s.dying {
		return fmt.Errorf("%w: %s after %v, though it was killed: %s", ErrTimeout, history.SessionName(t.txn), s.timeout,
			clip(t.unit.event.Text))
	}
	return s.target.Kill(s.ctx, t.lane.session)
}

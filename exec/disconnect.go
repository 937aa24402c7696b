package exec

import (
	"fmt"
	"slices"
	"time"

	"txweave/history"
)

// disconnect sends the statement by which a transaction ends its own session, waits until the server has forgotten
// that, which has rolled back the transaction then, and opens another session in its place for the next run. What the
// statement is answered, if it is, says nothing.
func (s *runState) disconnect(t *track, e *history.Event) error {
	s.submit(e)
	clear(s.reads)
	t.lane.reqs <- request{sql: e.Text, on: Occasion{Stmt: s.plan.ID(t.unit.step), Role: e.Role}}
	<-t.lane.replies
	t.lane.ended = true
	t.lane.close()
	if !t.lane.closed(s.dying) {
		return fmt.Errorf("%w: %s does not end", ErrTimeout, e.Session)
	}
	for begun := time.Now(); ; s.sleep(pause) {
		there, err := s.target.There(s.ctx, t.lane.session)
		if err != nil {
			return s.classify(err)
		}
		if !there {
			break
		}
		if time.Since(begun) > s.timeout {
			return fmt.Errorf("%w: the server has not let go of %s after %v", ErrTimeout, e.Session, s.timeout)
		}
	}
	e.End, e.Done = int64(time.Since(s.start)), s.done
	s.done++
	s.note(e.Session, "ROLLBACK", false, nil) // who sends the recording again has its sessions still
	fresh, err := s.target.Open(s.ctx, FirstNode, s.profile)
	if err != nil {
		return err
	}
	at := slices.Index(s.lanes, t.lane)
	s.lanes[at] = newLane(s.Runner.ctx, fresh, s.profile)
	t.unit.at++
	return nil
}

package exec

import (
	"sync"
	"time"
)

// watchdog kills a statement that nobody else watches when it does not answer in time.
type watchdog struct {
	mu      sync.Mutex
	session *Session // whose statement it is; nil: none is under way
	since   time.Time
}

// begin has a session's statement watched until end.
func (d *watchdog) begin(s *Session) {
	d.mu.Lock()
	d.session, d.since = s, time.Now()
	d.mu.Unlock()
}

// end waits for a kill that is under way: it must not strike the next statement.
func (d *watchdog) end() {
	d.mu.Lock()
	d.session = nil
	d.mu.Unlock()
}

// killPause is at least between two looks at what is under way, and between two tries to kill it: one that comes before
// the database has begun with a statement strikes nothing.
const killPause = 20 * time.Millisecond

// guard watches until the runner is closed. It looks a hundred times in the time that a statement has: a worker has a
// runner for each store.
func (r *Runner) guard() {
	tick := time.NewTicker(max(r.timeout/100, killPause))
	defer tick.Stop()
	for {
		select {
		case <-r.ctx.Done():
			return
		case <-tick.C:
		}
		r.dog.mu.Lock()
		if s := r.dog.session; s != nil && time.Since(r.dog.since) > r.timeout {
			_ = r.target.Kill(r.ctx, s)
		}
		r.dog.mu.Unlock()
	}
}

// watched runs a request in the caller's goroutine; a statement that does not answer in time is killed.
func (r *Runner) watched(l *lane, req request) reply {
	r.dog.begin(l.session)
	defer r.dog.end()
	return l.answer(req)
}

// direct runs a request that is answered at once.
func (s *runState) direct(t *track, req request) error {
	rep := s.watched(t.lane, req)
	if rep.err != nil {
		return rep.err
	}
	return s.answered(t, rep)
}

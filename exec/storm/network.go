package storm

import (
	"context"
	"math/rand/v2"
	"time"

	"txweave/exec"
)

// How slow a network is made, and for how long.
const (
	slowest   = 5 * time.Millisecond
	slowTime  = 100 * time.Millisecond
	awaitLoss = 50 * time.Millisecond
)

// network makes the network of one session slow, or that of all, or loses a session's connection in the midst of what
// it sends or before the answer: of a COMMIT, every other time.
func (d *disturber) network(_ context.Context, rng *rand.Rand) error {
	s := d.sessions[rng.IntN(len(d.sessions))]
	kind, delay, lasts := rng.IntN(10), time.Duration(rng.Int64N(int64(slowest))),
		time.Duration(rng.Int64N(int64(slowTime)))
	start := d.now()
	switch {
	case kind < 4:
		conn := d.connOf(s)
		conn.Slow(delay)
		d.sleep(lasts)
		conn.Slow(0)
		d.note(Network, start, "the network of session %d is slow", s.id)
	case kind < 6:
		conns := make([]*exec.Session, len(d.sessions))
		for i, o := range d.sessions {
			conns[i] = d.connOf(o)
			conns[i].Slow(delay / 4)
		}
		d.sleep(lasts)
		for _, c := range conns {
			c.Slow(0)
		}
		d.note(Network, start, "the network is slow")
	default:
		l := &exec.Loss{Sent: kind%2 == 0}
		if rng.IntN(2) == 0 {
			l.Of = "COMMIT"
		}
		s.hit.Store(true)
		happened := d.connOf(s).Lose(l)
		d.sleep(awaitLoss)
		switch {
		case !happened():
			s.hit.Store(false)
		case l.Sent:
			d.note(Network, start, "session %d loses an answer", s.id)
		default:
			d.note(Network, start, "session %d loses half a statement", s.id)
		}
	}
	return nil
}

// connOf is a session's connection, which may be another one soon.
func (d *disturber) connOf(s *session) *exec.Session {
	d.storm.mu.Lock()
	defer d.storm.mu.Unlock()
	return s.conn
}

package storm

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"time"
)

// How statements are delayed.
const (
	priorities  = 4                      // of a session: how many of its statements, of so many, are sent as they come
	changeAfter = 40                     // statements on average, and the session's priority is drawn anew
	patience    = 2 * time.Millisecond   // for which the end of another transaction is waited for
	company     = 300 * time.Microsecond // for which another COMMIT is waited for
	spread      = 40 * time.Microsecond  // after that, at most
	widest      = 16                     // rows of a range that are looked at
)

// perturber delays statements on rows that others have written and not committed until these commit, and COMMITs until
// another one is sent, and then sends them within some microseconds of that: so races whose windows are that small are
// met far more often than by chance. How often a session is held back is its priority, which changes at random points,
// as in Burckhardt et al., A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs (ASPLOS 2010); theirs
// orders threads completely, which a database that schedules its own threads does not allow.
type perturber struct {
	mu      sync.Mutex
	writers map[writtenRow]*ending // rows that open transactions have written
	commit  chan struct{}          // closed when a COMMIT is sent
}

type writtenRow struct {
	table int
	key   int64
}

// ending is the end of an open transaction.
type ending struct {
	session    int
	sent, done chan struct{} // closed when its COMMIT or ROLLBACK is sent, and answered
	rows       []writtenRow
	wasSent    bool
}

func newPerturber() *perturber {
	return &perturber{writers: map[writtenRow]*ending{}, commit: make(chan struct{})}
}

// delays is what a session keeps of how it is perturbed. Its random numbers are its own: what a session sends stays the
// same.
type delays struct {
	rng      *rand.Rand
	priority int
	left     int // statements until it changes
	own      *ending
}

// rows are those of a storm's table that a statement names: the first ones of a range.
func (q *request) rows() []writtenRow {
	var out []writtenRow
	for key := q.lo; key <= q.hi && len(out) < widest; key++ {
		out = append(out, writtenRow{q.table, key})
	}
	return out
}

// perturb delays a statement that the session is about to send.
func (s *session) perturb(q *request) {
	p, d := s.perturber, &s.delays
	if p == nil || s.id >= s.opt.Sessions || s.stop.Load() {
		return
	}
	if d.left--; d.left <= 0 {
		d.priority, d.left = d.rng.IntN(priorities), 1+int(d.rng.ExpFloat64()*changeAfter)
	}
	held, early, after := d.rng.IntN(priorities) >= d.priority, d.rng.IntN(4) == 0,
		time.Duration(max(0, 2*d.rng.Int64N(int64(spread))-int64(spread)))
	if gate, limit := p.gate(s.id, q, early); held && gate != nil {
		t := time.NewTimer(limit)
		defer t.Stop()
		select {
		case <-gate:
		case <-t.C:
			after = 0
		}
		for until := time.Now().Add(after); time.Now().Before(until); { // too short to sleep
		}
	}
	if q.act >= rollsBack {
		p.sends(d.own, q.act)
	}
}

// gate is what a statement is held back for, nil if there is nothing, and how long.
func (p *perturber) gate(session int, q *request, early bool) (chan struct{}, time.Duration) {
	if q.act == commits {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.commit, company
	}
	if q.act >= begins {
		return nil, 0
	}
	rows := q.rows()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range rows {
		e := p.writers[r]
		switch {
		case e == nil || e.session == session:
		case early && !e.wasSent:
			return e.sent, patience
		default:
			return e.done, patience
		}
	}
	return nil, 0
}

// sends notes that a transaction is being ended.
func (p *perturber) sends(e *ending, how act) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e != nil && !e.wasSent {
		e.wasSent = true
		close(e.sent)
	}
	if how == commits {
		close(p.commit)
		p.commit = make(chan struct{})
	}
}

// answered notes a statement that was done, or one that ended the session's transaction whether it was done or not.
func (s *session) answered(q *request, done bool) {
	p, d := s.perturber, &s.delays
	if p == nil {
		return
	}
	if p.note(s.id, d, q, done) {
		runtime.Gosched() // who waits for it goes first
	}
}

// note notes what answered is told, and says whether it ended a transaction.
func (p *perturber) note(session int, d *delays, q *request, done bool) (over bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case q.act >= rollsBack || !done:
		p.drop(d)
		return true
	case q.act == begins:
		p.drop(d)
		d.own = &ending{session: session, sent: make(chan struct{}), done: make(chan struct{})}
	case d.own != nil && q.act == writes:
		for _, r := range q.rows() {
			d.own.rows = append(d.own.rows, r)
			p.writers[r] = d.own
		}
	}
	return false
}

// drop lets those go who wait for the end of a session's transaction. The perturber is locked.
func (p *perturber) drop(d *delays) {
	e := d.own
	if e == nil {
		return
	}
	d.own = nil
	for _, r := range e.rows {
		if p.writers[r] == e {
			delete(p.writers, r)
		}
	}
	if !e.wasSent {
		e.wasSent = true
		close(e.sent)
	}
	close(e.done)
}

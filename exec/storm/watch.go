package storm

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"txweave/exec"
)

// Stall is a stretch of time in which no transaction ended.
type Stall struct {
	From     time.Duration // since the storm began
	Lasted   time.Duration
	Sessions []string // what each session was doing when it was noticed
	// Late is by how much the watch itself ran late, at most: a machine that is short of processor time shows here.
	Late time.Duration
}

// doing is what a session is at, for the watch.
type doing struct {
	what  string
	txn   int64
	since int64 // ns
}

// activity is a session's current doing; it is written by the session and read by the watch.
type activity struct {
	p        atomic.Pointer[doing]
	answered atomic.Int64 // ns
}

func (a *activity) set(what string, txn, since int64) { a.p.Store(&doing{what, txn, since}) }

// maxStalls is how many stalls are told and kept; all are counted.
const maxStalls = 10

// watch looks for stalls: stretches of Options.StallAfter and more in which no transaction ended. A storm that stands
// still finds nothing, which must not look like a storm in which there is nothing to find.
type watch struct {
	*storm
	sessions []*session
	stalls   []Stall
	count    int
	stalled  time.Duration
}

// start watches until stop is called.
func (w *watch) start(ctx context.Context) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		w.run(ctx, done)
	}()
	return func() {
		close(done)
		<-ended
	}
}

// run watches until done is closed.
func (w *watch) run(ctx context.Context, done <-chan struct{}) {
	tick := max(w.opt.StallAfter/8, time.Microsecond)
	t := time.NewTicker(tick)
	defer t.Stop()
	ended, moved, last := int64(0), w.now(), w.now()
	var open *Stall
	over := func(now int64) {
		if open == nil {
			return
		}
		open.Lasted = time.Duration(now) - open.From
		w.stalled += open.Lasted
		if w.count++; len(w.stalls) < maxStalls {
			w.stalls = append(w.stalls, *open)
		}
		open = nil
	}
	for {
		select {
		case <-done:
			over(w.now())
			return
		case <-t.C:
		}
		now := w.now()
		late := max(0, time.Duration(now-last)-tick)
		last = now
		if n := w.finished.Load(); n != ended || w.away.Load() > 0 {
			over(now)
			ended, moved = n, now
			continue
		}
		switch {
		case open != nil:
			open.Late = max(open.Late, late)
		case time.Duration(now-moved) >= w.opt.StallAfter:
			open = &Stall{From: time.Duration(moved), Late: late, Sessions: w.describe(ctx, now)}
			if w.opt.Stalled != nil && w.count < maxStalls {
				s := *open
				s.Lasted = time.Duration(now - moved)
				w.opt.Stalled(&s)
			}
		}
	}
}

// describe says what each session is doing.
func (w *watch) describe(ctx context.Context, now int64) []string {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	conns := make([]*exec.Session, len(w.sessions))
	w.mu.Lock()
	for i, s := range w.sessions {
		conns[i] = s.conn
	}
	w.mu.Unlock()
	w.control.Lock()
	waiting, err := w.target.Waiting(ctx, conns)
	w.control.Unlock()
	var out []string
	for i, s := range w.sessions {
		d := s.activity.p.Load()
		if d == nil {
			out = append(out, fmt.Sprintf("session %d has not begun", i))
			continue
		}
		text := fmt.Sprintf("session %d, T%d, for %.1f s: %s", i, d.txn, time.Duration(now-d.since).Seconds(), d.what)
		switch {
		case s.activity.answered.Load() > d.since:
			text += " (answered)"
		case err == nil && waiting[i] != exec.NoWait:
			text += " (waits for a lock)"
		}
		out = append(out, text)
	}
	if err != nil {
		out = append(out, fmt.Sprintf("who waits for a lock is not known: %v", err))
	}
	return out
}

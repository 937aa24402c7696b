package rotation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"txweave/campaign/database"
	"txweave/exec"
)

// Turn is one cell in the rotation.
type Turn struct {
	*Part
	Cell *database.Cell

	running  bool
	end      context.CancelFunc // of the turn
	begun    time.Time          // the last turn
	noted    time.Time          // until when the time that it runs is noted
	why      string             // it was taken
	complete bool
	spent    time.Duration
	longest  time.Duration // turn
	failures int64
	retryAt  time.Time
}

// Rotation runs cells in turn.
type Rotation struct {
	Turns    []*Turn
	Parallel int
	// Run runs a cell for so long, and says whether all the cases that are wanted of it are done.
	Run func(ctx context.Context, t *Turn, length time.Duration) (complete bool, err error)
	// Patience is how long a turn may go on once it was to end, and after that again once it was told to; 0: ten minutes.
	Patience time.Duration
	// Dead is called when a cell cannot be run, and how often that was so in a row.
	Dead func(t *Turn, err error, failures int64)

	mu    sync.Mutex
	ready *sync.Cond
}

// How long a cell is left alone that cannot be run: after the first failure, and at most.
const (
	firstRetry = 5 * time.Second
	lastRetry  = 10 * time.Minute
)

// defaultPatience is what reductions at the end of a turn, and a statement that hangs, do not take.
const defaultPatience = 10 * time.Minute

// backOff is how long a cell rests after so many failures in a row.
func backOff(failures int64) time.Duration {
	d := firstRetry
	for ; failures > 1 && d < lastRetry; failures-- {
		d *= 2
	}
	return min(d, lastRetry)
}

// Go runs the cells until ctx ends or every cell is complete. The error is the database's: it is the only one that ends
// a campaign.
func (r *Rotation) Go(ctx context.Context) error {
	r.ready = sync.NewCond(&r.mu)
	for _, t := range r.Turns {
		var err error
		if t.failures, t.retryAt, t.spent, err = t.Cell.Progress(ctx); err != nil {
			return err
		}
		t.retryAt = time.Time{} // somebody has begun anew: it may have been mended
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.level()
	defer context.AfterFunc(ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.ready.Broadcast()
	})()
	var wg sync.WaitGroup
	for range max(r.Parallel, 1) {
		wg.Go(func() {
			for {
				t := r.take(ctx)
				if t == nil {
					return
				}
				if err := r.turn(ctx, t); err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) &&
		!errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

// EndTurns ends the turns of the cells that run now, as if their time were up: what they took of the machine is free
// then.
func (r *Rotation) EndTurns() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.Turns {
		if t.running && t.end != nil {
			t.end()
		}
	}
}

// take waits for a cell whose turn it is. nil: there is nothing more to do.
func (r *Rotation) take(ctx context.Context) *Turn {
	r.mu.Lock()
	defer r.mu.Unlock()
	for ctx.Err() == nil {
		best, wake, left := r.choose(time.Now())
		if best != nil {
			best.running, best.why = true, r.reason(best)
			return best
		}
		if !left {
			return nil
		}
		r.wait(wake)
	}
	return nil
}

// choose finds, of the cells that can run, the one that has had the least time for its weight; nil where none can, and
// then when the next one can again, unless that is zero. left says that some cell is not complete.
func (r *Rotation) choose(now time.Time) (best *Turn, wake time.Time, left bool) {
	for _, t := range r.Turns {
		if t.complete {
			continue
		}
		left = true
		switch {
		case t.running:
		case now.Before(t.retryAt):
			if wake.IsZero() || t.retryAt.Before(wake) {
				wake = t.retryAt
			}
		case best == nil || t.share() < best.share():
			best = t
		}
	}
	return best, wake, left
}

// wait waits until something changes, or for a moment if one is given. The caller holds the lock.
func (r *Rotation) wait(until time.Time) {
	if !until.IsZero() {
		timer := time.AfterFunc(time.Until(until), func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.ready.Broadcast()
		})
		defer timer.Stop()
	}
	r.ready.Wait()
}

// reason says why a cell has the turn.
func (r *Rotation) reason(best *Turn) string {
	had := func(t *Turn) string {
		return fmt.Sprintf("%s of weight %v", t.spent.Round(time.Second), float64(t.Weight))
	}
	var others []string
	for _, t := range r.Turns {
		switch {
		case t == best:
		case t.complete:
			others = append(others, t.Name+" is done")
		case t.running:
			others = append(others, t.Name+" runs")
		case time.Now().Before(t.retryAt):
			others = append(others, t.Name+" cannot run until "+t.retryAt.Format("15:04:05"))
		default:
			others = append(others, t.Name+" "+had(t))
		}
	}
	text := "it has had the least time for its weight: " + had(best)
	if len(others) > 0 {
		text += "; " + strings.Join(others, ", ")
	}
	return text
}

// Why says why the cell has the turn.
func (t *Turn) Why() string { return t.why }

// share is the time that a cell has had, by its weight.
func (t *Turn) share() float64 { return t.spent.Seconds() / float64(t.Weight) }

// level keeps cells from being behind the others by more than one turn of one of them: one that is new in a campaign
// that has run for days, or that could not be run for long, does not make the others wait until it has had as much time
// as they.
func (r *Rotation) level() {
	most, turn := 0.0, 0.0
	for _, t := range r.Turns {
		most, turn = max(most, t.share()), max(turn, max(time.Duration(t.Slice), t.longest).Seconds()/float64(t.Weight))
	}
	for _, t := range r.Turns {
		if least := (most - turn) * float64(t.Weight); t.spent.Seconds() < least {
			t.spent = time.Duration(least * float64(time.Second))
		}
	}
}

// TurnEnds is when the next turn is to end; zero if no cell runs.
func (r *Rotation) TurnEnds() (at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.Turns {
		if ends := t.begun.Add(time.Duration(t.Slice)); t.running && (at.IsZero() || ends.Before(at)) {
			at = ends
		}
	}
	return at
}

// Clock notes for how long the cells have run that run now, so that a process that is killed has noted it.
func (r *Rotation) Clock(ctx context.Context) error {
	ran := map[*Turn]time.Duration{}
	r.mu.Lock()
	for _, t := range r.Turns {
		if t.running && !t.noted.IsZero() {
			ran[t] = time.Since(t.noted)
			t.noted = t.noted.Add(ran[t])
		}
	}
	r.mu.Unlock()
	for _, t := range r.Turns {
		if ran[t] > 0 {
			if err := t.Cell.Ran(ctx, ran[t]); err != nil {
				return err
			}
		}
	}
	return nil
}

// turn runs a cell once.
func (r *Rotation) turn(ctx context.Context, t *Turn) error {
	live := context.WithoutCancel(ctx) // what became of it is noted in any case
	if err := t.Cell.SetState(live, database.Running, "", t.failures, time.Time{}, 0); err != nil {
		return err
	}
	begun := time.Now()
	r.mu.Lock()
	t.begun, t.noted = begun, begun
	r.mu.Unlock()
	complete, err := r.overseen(ctx, t)
	ran := time.Since(begun)
	state, detail := database.Waiting, ""
	retryAt := time.Time{}
	failures := int64(0)
	var lost *database.StoreError
	switch {
	case errors.As(err, &lost):
		return err
	case err != nil && ctx.Err() == nil:
		state, detail, failures = database.Failed, err.Error(), t.failures+1
		if errors.Is(err, exec.ErrUnavailable) {
			state = database.Unavailable
		}
		retryAt = time.Now().Add(backOff(failures))
		if r.Dead != nil {
			r.Dead(t, err, failures)
		}
	case complete:
		state = database.Complete
	}
	var stuck *stuckError
	r.mu.Lock()
	left := time.Since(t.noted)
	t.noted = time.Time{}
	t.complete, t.failures, t.retryAt = complete, failures, retryAt
	t.running = errors.As(err, &stuck) // it cannot run twice at once: it is left out until it ends
	t.spent += max(ran, time.Millisecond)
	t.longest = max(t.longest, ran)
	r.level()
	r.ready.Broadcast()
	r.mu.Unlock()
	if stuck != nil {
		go func() {
			<-stuck.ended
			r.mu.Lock()
			defer r.mu.Unlock()
			t.running = false
			r.ready.Broadcast()
		}()
	}
	return t.Cell.SetState(live, state, detail, failures, retryAt, left)
}

// stuckError is of a turn that does not end.
type stuckError struct {
	after time.Duration
	ended <-chan struct{}
}

func (e *stuckError) Error() string {
	return fmt.Sprintf("it has not ended %s after it was told to: it is left to itself, and runs again once it has",
		e.after)
}

// overseen runs a cell, and leaves one alone that does not end, so that the others go on.
func (r *Rotation) overseen(ctx context.Context, t *Turn) (complete bool, err error) {
	patience := cmp.Or(r.Patience, defaultPatience)
	ended := make(chan struct{})
	var done bool
	var why error
	go func() {
		defer close(ended)
		done, why = r.run(ctx, t)
	}()
	overdue := time.NewTimer(time.Duration(t.Slice) + patience)
	defer overdue.Stop()
	stopped := ctx.Done()
	for told := false; ; {
		select {
		case <-ended:
			return done, why
		case <-stopped: // the campaign ends
			stopped = nil
			overdue.Reset(patience)
			told = true
		case <-overdue.C:
			if told {
				return false, &stuckError{patience, ended}
			}
			r.mu.Lock()
			if t.end != nil {
				t.end()
			}
			r.mu.Unlock()
			overdue.Reset(patience)
			told = true
		}
	}
}

// run runs a cell; a panic of ours is an error of this cell, and the others go on.
func (r *Rotation) run(ctx context.Context, t *Turn) (complete bool, err error) {
	defer func() {
		if why := recover(); why != nil {
			err = fmt.Errorf("internal error: %v", why)
		}
	}()
	if err := t.Cell.Resume(ctx); err != nil {
		return false, err
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	r.mu.Lock()
	t.end = end
	r.mu.Unlock()
	return r.Run(ctx, t, time.Duration(t.Slice))
}

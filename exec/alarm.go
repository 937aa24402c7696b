package exec

import (
	"sync/atomic"
	"time"
)

// alarm is a timer for fractions of a millisecond. The runtime's own timers fire up to 1 ms late when a program
// is otherwise idle (they are rounded up to the poller's resolution), which is longer than most statements take.
type alarm struct {
	C        chan struct{} // gets one value when the deadline has passed
	deadline atomic.Int64  // ns since base; 0: not set
	wake     chan struct{}
	base     time.Time
}

// newAlarm starts an alarm; stop ends it.
func newAlarm() *alarm {
	a := &alarm{C: make(chan struct{}, 1), wake: make(chan struct{}, 1), base: time.Now()}
	go a.serve()
	return a
}

// set makes C fire after d; an earlier setting is forgotten.
func (a *alarm) set(d time.Duration) {
	a.clear()
	a.deadline.Store(int64(time.Since(a.base) + d))
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// clear forgets the deadline.
func (a *alarm) clear() {
	a.deadline.Store(0)
	select {
	case <-a.C:
	default:
	}
}

func (a *alarm) stop() {
	a.deadline.Store(0)
	close(a.wake)
}

func (a *alarm) serve() {
	for range a.wake {
		for {
			at := a.deadline.Load()
			if at == 0 {
				break
			}
			if left := time.Duration(at) - time.Since(a.base); left > 0 {
				Nap(left)
				continue
			}
			// Fire only if nobody has set another deadline since.
			if a.deadline.CompareAndSwap(at, 0) {
				select {
				case a.C <- struct{}{}:
				default:
				}
			}
		}
	}
}

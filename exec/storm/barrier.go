package storm

import (
	"sync"
	"time"
)

// together is how long sessions wait for each other: one that waits for a lock, or whose connection is gone, comes
// later.
const together = 2 * time.Millisecond

// barrier lets sessions go together.
type barrier struct {
	mu      sync.Mutex
	size    int
	waiting int
	open    chan struct{} // closed when those that wait are let go
}

func newBarrier(size int) *barrier { return &barrier{size: size, open: make(chan struct{})} }

// meet waits until all sessions are there, or for long enough: then those that are there go.
func (b *barrier) meet() {
	b.mu.Lock()
	gate := b.open
	if b.waiting++; b.waiting >= b.size {
		b.release()
	}
	b.mu.Unlock()
	select {
	case <-gate:
	case <-time.After(together):
		b.mu.Lock()
		if b.open == gate {
			b.release()
		}
		b.mu.Unlock()
	}
}

// release lets go who waits; the barrier is locked.
func (b *barrier) release() {
	close(b.open)
	b.waiting, b.open = 0, make(chan struct{})
}

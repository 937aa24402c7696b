package postgresql

import (
	"errors"
	"slices"
	"sync"
	"syscall"
)

// backends are the processes behind the sessions of a private server, in the order in which they were begun. The
// server's first process answers nothing itself: to stop that stops nobody.
type backends struct {
	mu      sync.Mutex
	ids     []int
	next    int
	stopped int // the one that is stopped; 0: none
}

func (b *backends) add(id uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ids = append(b.ids, int(id))
}

// stop stops the process behind one session, the next in turn: others meet the latches that it holds and what it has
// half done, as on a machine that is too busy.
func (b *backends) stop() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.ids) > 0 {
		b.next %= len(b.ids)
		id := b.ids[b.next]
		err := syscall.Kill(id, syscall.SIGSTOP)
		switch {
		case err == nil:
			b.next++
			b.stopped = id
			return nil
		case !errors.Is(err, syscall.ESRCH):
			return err
		}
		b.ids = slices.Delete(b.ids, b.next, b.next+1) // its session is closed
	}
	return nil
}

// resume lets it go on.
func (b *backends) resume() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stopped == 0 {
		return nil
	}
	err := syscall.Kill(b.stopped, syscall.SIGCONT)
	b.stopped = 0
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}

package exec

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Most statements are answered within a fraction of a millisecond. So the goroutine that has sent one waits in the
// kernel for the first moment, as a program with one thread would, and neither the runtime's poller nor a timer is
// told; what costs more than that comes once the answer is late.

// grace is how long an answer is waited for before it counts as late.
const grace = time.Millisecond

// large is how much is sent, in bytes, without a limit on how long that takes: sockets keep more than this for a server
// that reads later.
const large = 32 << 10

// prompt makes reading from a connection wait in the kernel for as long as grace, and returns its descriptor; nil where
// it has none.
func prompt(c net.Conn) syscall.RawConn {
	s, ok := c.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return nil
	}
	limit := unix.NsecToTimeval(int64(grace))
	failed := raw.Control(func(fd uintptr) {
		err = errors.Join(unix.SetsockoptTimeval(int(fd), unix.SOL_SOCKET, unix.SO_RCVTIMEO, &limit),
			unix.SetsockoptTimeval(int(fd), unix.SOL_SOCKET, unix.SO_SNDTIMEO, &limit))
		if err == nil {
			err = unix.SetNonblock(int(fd), false)
		}
	})
	if failed != nil || err != nil {
		return nil
	}
	return raw
}

// Late has told called, by whoever reads, when the answer to a statement has not come within grace. It says whether the
// connection can tell. What told does must not wait.
func (s *Session) Late(told func()) bool {
	if s.raw == nil || s.raw.fd == nil {
		return false
	}
	s.raw.call.mu.Lock()
	defer s.raw.call.mu.Unlock()
	s.raw.call.told = told
	return true
}

// read waits in the kernel, and then in the poller, where a deadline ends it.
func (n *network) read(p []byte) (got int, err error) {
	if n.fd == nil || len(p) == 0 {
		return n.Conn.Read(p)
	}
	failed := n.fd.Read(func(fd uintptr) bool {
		for {
			if got, err = unix.Read(int(fd), p); err != unix.EINTR {
				break
			}
		}
		if err == unix.EAGAIN {
			n.wait(true)
			return false
		}
		return true
	})
	n.wait(false)
	switch {
	case failed != nil:
		return 0, failed
	case err != nil:
		return 0, os.NewSyscallError("read", err)
	case got == 0:
		return 0, io.EOF
	}
	return got, nil
}

// call is a statement that a connection has sent. A driver may read in a goroutine of its own.
type call struct {
	mu   sync.Mutex
	ctx  context.Context // nil: none is under way
	told func()          // called when the answer is late; nil: nobody wants to know
	// limited is ctx with the limit on what nobody watches; nil until the answer is late.
	limited context.Context
	end     func()
	// waiting says that somebody reads who has waited for longer than grace: a driver's goroutine may go on with that from
	// one statement to the next, which it is then too late to be told of.
	waiting bool
}

// begin notes that a statement is sent, which ends when ctx does, or after limitOf.
func (n *network) begin(ctx context.Context) {
	n.call.mu.Lock()
	n.call.ctx = ctx
	waiting := n.call.waiting
	n.call.mu.Unlock()
	if n.fd == nil || waiting {
		n.late()
	}
}

// wait notes that somebody waits in the poller for what comes, or does so no more.
func (n *network) wait(waiting bool) {
	n.call.mu.Lock()
	n.call.waiting = waiting
	n.call.mu.Unlock()
	if waiting {
		n.late()
	}
}

// late has the end of the call's context end what is waited for.
func (n *network) late() {
	c := &n.call
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx == nil || c.limited != nil {
		return
	}
	limited, cancel := context.WithTimeout(c.ctx, limitOf(c.ctx))
	stop := context.AfterFunc(limited, func() { _ = n.SetDeadline(past) })
	c.limited, c.end = limited, func() {
		stop()
		cancel()
	}
	if c.told != nil {
		c.told()
	}
}

// over notes that the call has ended.
func (n *network) over() {
	c := &n.call
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.limited != nil {
		c.end()
	}
	c.ctx, c.limited, c.end = nil, nil, nil
}

// err is why the call cannot go on; nil where it can.
func (c *call) err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.limited == nil {
		return nil
	}
	return c.limited.Err()
}

// past is a deadline at which whatever a connection waits for fails.
var past = time.Unix(1, 0)

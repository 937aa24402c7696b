package exec

import (
	"bytes"
	"fmt"
	"net"
	"sync/atomic"
	"syscall"
	"time"
)

// Network makes a connection one that can be slow, or lost in the midst of what is sent.
func Network(c net.Conn) net.Conn { return &network{Conn: c, fd: prompt(c)} }

// OverNetwork returns the session, whose connection goes over a network connection that Cut breaks.
func (s *Session) OverNetwork(raw net.Conn) *Session {
	n, ok := raw.(*network)
	if !ok {
		n = &network{Conn: raw}
	}
	s.raw = n
	return s
}

// Follower reads along what goes over a session's network, for what a server says there and a driver keeps to itself.
type Follower interface {
	// Sent and Came are told of what is sent and of what has come, in the pieces in which it goes over the network.
	Sent(p []byte)
	Came(p []byte)
	// TxnState is what the last answer said of the session's transaction.
	TxnState() TxnState
	// Warnings are how many the last answer said that there are; -1: it did not say.
	Warnings() int
}

// Followed returns the session, whose network is read along from now on.
func (s *Session) Followed(by Follower) *Session {
	s.raw.follow = by
	return s
}

// network is a connection to a database that does as it is told.
type network struct {
	net.Conn
	delay  atomic.Int64         // ns, of what is sent and of what comes
	loss   atomic.Pointer[Loss] // nil: none
	follow Follower             // nil: what goes over it is not followed
	came   atomic.Int64         // bytes since something was sent
	gone   atomic.Int64         // bytes that were sent since something came
	fd     syscall.RawConn      // nil: Read waits in the runtime's poller alone
	call   call                 // what is under way
}

// maxAnswer is how large an answer may be as it comes, in bytes: drivers keep a whole row, or what they take for one,
// before anybody looks at it.
const maxAnswer = MaxResult / 2

// flooded says that more has come than is kept: the connection was ended.
func (n *network) flooded() bool { return n.came.Load() > maxAnswer }

// Loss says where a connection is lost. A pointer to one tells it from others.
type Loss struct {
	Of string // of what is sent next and holds this
	// Sent says that all of it is sent and the answer is lost; else half of it is sent.
	Sent bool
}

// Read delays what comes.
func (n *network) Read(p []byte) (int, error) {
	got, err := n.read(p)
	n.gone.Store(0)
	if n.came.Add(int64(got)); n.flooded() {
		n.Conn.Close()
		return 0, ErrTooLarge
	}
	if n.follow != nil {
		n.follow.Came(p[:got])
	}
	if d := n.delay.Load(); d > 0 {
		time.Sleep(time.Duration(d))
	}
	return got, err
}

// Write delays what is sent, which then comes in two parts, or loses the connection in the middle of it.
func (n *network) Write(p []byte) (int, error) {
	if n.flooded() {
		return 0, ErrTooLarge
	}
	n.came.Store(0)
	if n.gone.Add(int64(len(p))) > large { // it may have to wait; TLS sends what is long in many parts
		n.late()
	}
	if n.follow != nil {
		n.follow.Sent(p)
	}
	if l := n.loss.Load(); l != nil && bytes.Contains(p, []byte(l.Of)) && n.loss.CompareAndSwap(l, nil) {
		part := p[:len(p)/2]
		if l.Sent {
			part = p
		}
		sent, err := n.Conn.Write(part)
		if err == nil {
			err = fmt.Errorf("%w on purpose", net.ErrClosed)
		}
		n.Conn.Close()
		return sent, err
	}
	d := time.Duration(n.delay.Load())
	if d == 0 || len(p) < 2 {
		return n.Conn.Write(p)
	}
	time.Sleep(d / 2)
	sent, err := n.Conn.Write(p[:len(p)/2])
	if err != nil {
		return sent, err
	}
	time.Sleep(d / 2)
	more, err := n.Conn.Write(p[len(p)/2:])
	return sent + more, err
}

// Slow makes the session's network slow by so much, each way; 0: as fast as it is. It may be called while another
// goroutine uses the session, and does nothing where there is no network between.
func (s *Session) Slow(delay time.Duration) {
	if s.raw != nil {
		s.raw.delay.Store(int64(delay))
	}
}

// Lose makes the session lose its connection in the midst of what it sends next, and returns what takes that back and
// says whether it has come to pass.
func (s *Session) Lose(l *Loss) (happened func() bool) {
	if s.raw == nil {
		return func() bool { return false }
	}
	s.raw.loss.Store(l)
	return func() bool { return !s.raw.loss.CompareAndSwap(l, nil) }
}

package exec

import (
	"context"
	"database/sql/driver"
	"errors"
	"net"
	"path/filepath"
	"testing"
	"time"
)

// asking is a driver that sends one byte and reads one.
type asking struct {
	driver.Conn
	raw net.Conn
}

func (c *asking) ExecContext(context.Context, string, []driver.NamedValue) (driver.Result, error) {
	if _, err := c.raw.Write([]byte{1}); err != nil {
		return nil, err
	}
	_, err := c.raw.Read(make([]byte, 1))
	return driver.RowsAffected(1), err
}

// asked returns a session of such a driver over a socket, and the server's end of that.
func asked(t *testing.T) (*Session, net.Conn) {
	t.Helper()
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	raw := Network(client)
	return NewSession(&asking{raw: raw}, 1, &Protocol{DBError: TestServers["mariadb"].Protocol.DBError}).OverNetwork(raw),
		server
}

// TestLateAnswer: an answer that is late is told of once, by the goroutine that waits for it, and arrives all the same;
// so does the next one.
func TestLateAnswer(t *testing.T) {
	s, server := asked(t)
	told := make(chan struct{}, 10)
	if !s.Late(func() { told <- struct{}{} }) {
		t.Fatal("a socket cannot tell that its answer is late")
	}
	for range 3 {
		go func() {
			b := make([]byte, 1)
			_, _ = server.Read(b)
			<-told // only then
			_, _ = server.Write(b)
		}()
		if _, err := s.Exec(t.Context(), "SELECT 1"); err != nil || len(told) > 0 {
			t.Errorf("%v; told %d more times", err, len(told))
		}
	}
}

// readAhead is a driver of which another goroutine reads, who has begun with that before the statement is sent.
type readAhead struct {
	driver.Conn
	raw  net.Conn
	came chan struct{}
}

func (c *readAhead) ExecContext(context.Context, string, []driver.NamedValue) (driver.Result, error) {
	_, err := c.raw.Write([]byte{1})
	<-c.came
	return driver.RowsAffected(1), err
}

// TestLateBehindReader: where somebody has waited for an answer since before the statement, it is told all the same
// that it is late: pgx reads ahead once a write takes long.
func TestLateBehindReader(t *testing.T) {
	s, server := asked(t)
	c := &readAhead{raw: s.raw, came: make(chan struct{})}
	s = NewSession(c, 1, &Protocol{DBError: TestServers["mariadb"].Protocol.DBError}).OverNetwork(s.raw)
	told := make(chan struct{}, 10)
	s.Late(func() { told <- struct{}{} })
	go func() {
		_, _ = s.raw.Read(make([]byte, 1))
		close(c.came)
	}()
	for parked := false; !parked; { // before the statement
		s.raw.call.mu.Lock()
		parked = s.raw.call.waiting
		s.raw.call.mu.Unlock()
	}
	go func() {
		b := make([]byte, 1)
		_, _ = server.Read(b)
		<-told // only then
		_, _ = server.Write(b)
	}()
	if _, err := s.Exec(t.Context(), "SELECT 1"); err != nil || len(told) > 0 {
		t.Errorf("%v; told %d more times", err, len(told))
	}
}

// TestLateEnd: what a statement was sent under ends it while its answer is late, be it that somebody stops or that it
// takes too long.
func TestLateEnd(t *testing.T) {
	defer func(d time.Duration) { hardLimit = d }(hardLimit)
	for _, x := range []struct {
		limit time.Duration
		want  error
	}{{time.Hour, context.Canceled}, {20 * time.Millisecond, ErrTimeout}} {
		hardLimit = x.limit
		s, _ := asked(t)
		ctx, cancel := context.WithCancel(t.Context())
		s.Late(func() {
			if errors.Is(x.want, context.Canceled) {
				cancel()
			}
		})
		if _, err := s.Exec(ctx, "SELECT 1"); !errors.Is(err, x.want) {
			t.Errorf("%v, want %v", err, x.want)
		}
		cancel()
	}
}

// TestLostSocket: an answer that will not come any more is the loss of the connection.
func TestLostSocket(t *testing.T) {
	s, server := asked(t)
	s.Late(func() { server.Close() })
	var lost *LostError
	if _, err := s.Exec(t.Context(), "SELECT 1"); !errors.As(err, &lost) {
		t.Errorf("%v, want a lost connection", err)
	}
}

// parted is a driver that sends much in small parts, as TLS does, before it reads.
type parted struct{ asking }

func (c *parted) ExecContext(context.Context, string, []driver.NamedValue) (driver.Result, error) {
	for range 1024 {
		if _, err := c.raw.Write(make([]byte, large/2)); err != nil {
			return nil, err
		}
	}
	return driver.RowsAffected(0), nil
}

// TestLateToSend: what a server does not take ends as what it does not answer, in however small parts it is sent.
func TestLateToSend(t *testing.T) {
	s, _ := asked(t)
	s = NewSession(&parted{asking{raw: s.raw}}, 1, s.protocol).OverNetwork(s.raw)
	ctx, cancel := context.WithCancel(t.Context())
	s.Late(cancel)
	if _, err := s.Exec(ctx, "SELECT 1"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was cancelled", err)
	}
}

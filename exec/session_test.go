package exec

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"os"
	"testing"
	"time"
)

// torn is a connection whose answers end in a row that cannot be read. As the driver of MySQL does, its result reads
// what is left when it is closed, and looks at no context while it does.
type torn struct {
	driver.Conn
	raw    net.Conn
	closed error // what came of that
}

func (c *torn) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	return c, nil
}
func (c *torn) Columns() []string         { return []string{"a"} }
func (c *torn) Next([]driver.Value) error { return errors.New("a row that cannot be read") }

func (c *torn) Close() error {
	_, c.closed = c.raw.Read(make([]byte, 1))
	return c.closed
}

// TestTornAnswer: what is left of an answer that cannot be read is waited for no longer than the statement may take.
func TestTornAnswer(t *testing.T) {
	client, server := net.Pipe()
	defer server.Close()
	c := &torn{raw: client}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := NewSession(c, 1, &Protocol{DBError: TestServers["mariadb"].Protocol.DBError}).OverNetwork(client).Query(ctx,
			"SELECT a FROM t")
		done <- err
	}()
	select {
	case err := <-done:
		if err == nil || !errors.Is(c.closed, os.ErrDeadlineExceeded) {
			t.Errorf("the query answers %v, and its result was closed with %v", err, c.closed)
		}
	case <-time.After(time.Minute):
		client.Close()
		t.Error("the query does not end")
	}
}

// A result that is too large to keep is given up early, without the rest being read, and the runner goes on with
// new sessions.
func TestTooLarge(t *testing.T) {
	defer func(d time.Duration) { hardLimit = d }(hardLimit)
	hardLimit = time.Hour // it is for the size of the answer that it ends
	for dbms, wide := range map[string]string{"sqlite": "printf('%.*c', 1000000, 'x')",
		"mariadb": "REPEAT('x', 1000000)"} {
		p := lookup(t, dbms+"/serializable")
		r := newRunner(t, target(t, dbms), p, Options{StatementTimeout: time.Hour})
		rows := "SELECT 0"
		for i := range 60 {
			rows += fmt.Sprintf(" UNION ALL SELECT %d", i+1)
		}
		sql := fmt.Sprintf("SELECT s.pkey AS e0, s.vkey AS e1, %s AS e2 FROM s CROSS JOIN (%s) AS a CROSS JOIN (%s) AS b",
			wide, rows, rows)
		plan := load(t, r, parseCase(t, tables, "T0 BEGIN\nT0 "+sql+"\nT0 COMMIT"))
		if _, err := r.Run(plan, plan.Steps); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: %v; want that it is too large", dbms, err)
		}
		if err := r.Reopen(); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Load(plan); err != nil {
			t.Errorf("%s: the tables cannot be loaded again: %v", dbms, err)
		}
	}
}

// unsent is a connection that nothing should be sent over.
type unsent struct {
	driver.Conn
	sent int
}

func (c *unsent) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	c.sent++
	return nil, driver.ErrBadConn
}

func (c *unsent) ExecContext(context.Context, string, []driver.NamedValue) (driver.Result, error) {
	c.sent++
	return nil, driver.ErrBadConn
}

// TestEndedContext: of somebody who has been told to stop nothing is sent any more, and his connection is good for what
// tidies up.
func TestEndedContext(t *testing.T) {
	client, server := net.Pipe()
	defer server.Close()
	c := &unsent{}
	s := NewSession(c, 1, &Protocol{DBError: TestServers["mariadb"].Protocol.DBError}).OverNetwork(client)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, queried := s.Query(ctx, "SELECT a FROM t")
	_, executed := s.Exec(ctx, "DELETE FROM t")
	if !errors.Is(queried, context.Canceled) || !errors.Is(executed, context.Canceled) || c.sent != 0 {
		t.Errorf("%d statements were sent: %v, %v", c.sent, queried, executed)
	}
	go server.Write([]byte("a"))
	if _, err := client.Read(make([]byte, 1)); err != nil {
		t.Errorf("the connection: %v", err)
	}
}

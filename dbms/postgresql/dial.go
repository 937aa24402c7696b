package postgresql

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"

	"txweave/exec"
)

// dial opens one connection to a database, with settings of its own: name=value.
func (t *target) dial(ctx context.Context, database string, settings ...string) (*exec.Session, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	c := t.config.Copy()
	c.Database = database
	for _, s := range settings { // RESET comes back to what is set here
		name, value, _ := strings.Cut(s, "=")
		c.RuntimeParams[name] = value
	}
	var raw net.Conn // of the attempt that succeeded: the last one
	dial := c.DialFunc
	c.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		raw = exec.Network(conn)
		return raw, nil
	}
	pg, err := pgconn.ConnectConfig(ctx, c)
	if err != nil {
		var answer *pgconn.PgError
		var refused syscall.Errno
		switch {
		case errors.As(err, &answer):
			err = errors.New(answer.Message)
		case ctx.Err() != nil:
			err = fmt.Errorf("%w within %s", exec.ErrTimeout, dialTime)
		case errors.As(err, &refused):
			err = refused
		default:
			err = errors.New("no answer that PostgreSQL would give") // the error names the user
		}
		return nil, fmt.Errorf("%w: cannot connect to %s, port %d: %w", exec.ErrUnavailable, t.config.Host, t.config.Port, err)
	}
	out := exec.NewSession(&conn{pg}, uint64(pg.PID()), protocol).OverNetwork(raw)
	if t.private == nil {
		if _, err := out.Read(ctx, neutral); err != nil {
			out.Close()
			return nil, fmt.Errorf("%w: %w", exec.ErrUnavailable, err)
		}
		var refused *exec.AnswerError
		if err := out.Must(ctx, quickDeadlocks); err != nil && !errors.As(err, &refused) {
			out.Close()
			return nil, fmt.Errorf("%w: %w", exec.ErrUnavailable, err)
		}
	}
	return out, nil
}

// quickDeadlocks has a server look for a deadlock as soon as a session waits, in place of a second later. Not everybody may set it.
const quickDeadlocks = "SET deadlock_timeout = 10"

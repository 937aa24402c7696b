package postgresql

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"txweave/exec"
)

// dial opens one connection to a database, with settings of its own: SET name = value.
func (t *target) dial(ctx context.Context, database string, settings ...string) (*exec.Session, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	c := t.config.Copy()
	c.Database = database
	for _, s := range settings { // RESET comes back to what is set here
		name, value, _ := strings.Cut(strings.TrimPrefix(s, "SET "), " = ")
		c.RuntimeParams[name] = value
	}
	var raw net.Conn // of the attempt that succeeded: the last one
	dial := c.DialFunc
	c.BuildFrontend = frontend
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
		if errors.As(err, &answer) {
			err = errors.New(answer.Message)
		} else if err = exec.Unreached(ctx, err, dialTime); err == nil {
			err = errors.New("no answer that PostgreSQL would give") // the error names the user
		}
		return nil, fmt.Errorf("%w: cannot connect to %s, port %d: %w", exec.ErrUnavailable, t.config.Host,
			t.config.Port, err)
	}
	out := exec.NewSession(&conn{pg}, uint64(pg.PID()), t.product.protocol).OverNetwork(raw)
	if t.product.number != "" {
		id, err := t.numberOf(ctx, out)
		if err != nil {
			out.Close()
			return nil, fmt.Errorf("%w: %w", exec.ErrUnavailable, err)
		}
		out = exec.NewSession(&conn{pg}, id, t.product.protocol).OverNetwork(raw)
	}
	if t.private == nil && t.product.neutral != "" {
		if _, err := out.Read(ctx, t.product.neutral); err != nil {
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

// frontend reads messages no longer than what is kept of a whole result: a row is one, for which the driver makes room
// when it has read how long it is.
func frontend(r io.Reader, w io.Writer) *pgproto3.Frontend {
	f := pgproto3.NewFrontend(r, w)
	f.SetMaxBodyLen(exec.MaxResult)
	return f
}

// numberOf asks what a session is known by.
func (t *target) numberOf(ctx context.Context, s *exec.Session) (uint64, error) {
	rows, err := s.Read(ctx, t.product.number)
	if err != nil {
		return 0, err
	}
	id, err := t.product.parse(rows.Cell(0, 0).S)
	if err != nil {
		return 0, fmt.Errorf("what a session is known by: %.80q", rows.Cell(0, 0).S)
	}
	return id, nil
}

// quickDeadlocks has a server look for a deadlock as soon as a session waits, in place of a second later. Not everybody
// may set it.
const quickDeadlocks = "SET deadlock_timeout = 10"

// dsn is the form of data source names of servers that speak PostgreSQL's protocol.
var dsn = &exec.DSNForm{Schemes: []string{"postgres", "postgresql"}, Like: "postgres://user:password@host:port/",
	Check: checkDSN, HasPassword: hasPassword, Ask: askVersion}

// parameters are those that a DSN may have, which say how the server is reached: others change what a case means.
var parameters = []string{"connect_timeout", "host", "port", "passfile", "sslcert", "sslkey", "sslmode",
	"sslpassword", "sslrootcert", "sslsni"}

// checkDSN judges a data source name. Its database, where it names one, is the one that a connection needs to create
// others.
func checkDSN(text string) error {
	u, err := url.Parse(text)
	if err != nil {
		return exec.ErrDSNForm
	}
	if name := strings.Trim(u.Path, "/"); name != "" && name != home {
		return exec.NamesDatabase(name)
	}
	return exec.CheckParameters(u.RawQuery, parameters)
}

func hasPassword(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return true
	}
	_, has := u.User.Password()
	return has || u.Query().Has("password") || u.Query().Has("sslpassword")
}

package mysqlwire

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/go-sql-driver/mysql"

	"txweave/exec"
)

// DBMS is what is known of one that speaks the protocol.
type DBMS struct {
	Name         string
	Protocol     *exec.Protocol            // of its sessions
	Ours         func(version string) bool // whether a server is this DBMS's
	Disturbances exec.Disturbances
	// Boot is sent once to a private server, and DurableBoot behind it to one that keeps what it acknowledged.
	Boot, DurableBoot []string
	// Waits picks the way to see lock waits.
	Waits func(version string) *WaitSource
	// Copy is the format of the statement that copies a table, from the copy's name and the table's: Reset refills a
	// case's tables from their copies, and with "" from the case's own rows.
	Copy string
	// Counter is the format of the statement that puts the counter of a table back to what its rows ask for; "" where
	// nothing does.
	Counter string
	// Anew says that a case's tables are dropped with their database.
	Anew bool
	// Kill is the format of the statement that ends what a connection is running.
	Kill string
	// Neutral are settings of a session that this DBMS alone has and without which a case means something else, by what
	// they must be on a server of the user's. What stands in SQL as a text is quoted.
	Neutral map[string]string
	// Changed is a query for the global variables, name and value, that somebody has set. Paths are left out.
	Changed string
}

// Open opens a target on a private server: what exec.Private asks for.
func (k *DBMS) Open(ctx context.Context, srv *exec.Instance) (exec.Target, error) {
	return k.open(ctx, srv, "txweave")
}

func (k *DBMS) open(ctx context.Context, srv *exec.Instance, database string) (*target, error) {
	return (&target{kind: k, config: private(srv), database: database, instance: srv}).opened(ctx)
}

// Join opens a target on a server of the user's: what exec.Users asks for.
func (k *DBMS) Join(ctx context.Context, at *exec.DSN, database string, wait time.Duration) (exec.Target, error) {
	c, err := config(at)
	if err != nil {
		return nil, err
	}
	return (&target{kind: k, config: c, database: database, wait: wait}).opened(ctx)
}

// private says how a private server is reached.
func private(s *exec.Instance) *mysql.Config {
	c := mysql.NewConfig()
	c.User, c.Net, c.Addr = "root", "unix", filepath.Join(s.Dir(), exec.SocketName)
	return c
}

// Ready opens a connection to a private server and closes it again.
func Ready(ctx context.Context, s *exec.Instance) error {
	connector, err := mysql.NewConnector(private(s))
	if err != nil {
		return err
	}
	conn, err := connector.Connect(ctx)
	if err != nil {
		return err
	}
	return conn.Close()
}

// opened opens the control connection of a target and creates a database of our own.
func (t *target) opened(ctx context.Context) (*target, error) {
	t.config.MultiStatements = true
	t.config.Collation = "utf8mb4_bin"
	t.config.Logger = &mysql.NopLogger{}
	if err := t.connect(ctx); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *target) connect(ctx context.Context) (err error) {
	if err = t.openControl(ctx); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			t.Connection.Close()
		}
	}()
	if err := t.describe(ctx); err != nil {
		return err
	}
	if err := refuse(t.About.Settings); err != nil && t.instance == nil {
		return err
	}
	if t.waits, err = findLockWaits(ctx, t.Connection, t.kind, t.About.Version); err != nil {
		return err
	}
	if t.instance != nil {
		if err := t.Connection.Must(ctx, t.boot()...); err != nil {
			return err
		}
		t.memory = t.instance.Memory()
	} else if err := t.claim(ctx); err != nil {
		return err
	}
	if err := t.Connection.Must(ctx, "CREATE DATABASE "+t.database, "USE "+t.database); err != nil {
		return fmt.Errorf("%w: cannot create a database to work in: %w", exec.ErrUnavailable, err)
	}
	return nil
}

// openControl opens the control connection.
func (t *target) openControl(ctx context.Context) error {
	control, err := t.dial(ctx, "")
	if err != nil {
		return err
	}
	// Reset empties and fills tables in any order; only the initial rows are checked for foreign keys, see Load.
	if err := control.Must(ctx, "SET SESSION sql_mode = 'NO_ENGINE_SUBSTITUTION', foreign_key_checks = OFF"); err != nil {
		control.Close()
		return err
	}
	t.Connection = control
	return nil
}

// dial opens one connection, to a database unless that is "", and learns its number.
func (t *target) dial(ctx context.Context, database string) (*exec.Session, error) {
	ctx, cancel := context.WithTimeout(ctx, exec.DialTime())
	defer cancel()
	config := t.config.Clone()
	config.DBName = database
	var raw net.Conn
	config.DialFunc = func(ctx context.Context, network, address string) (conn net.Conn, err error) {
		if conn, err = new(net.Dialer).DialContext(ctx, network, address); err == nil {
			raw = exec.Network(conn)
		}
		return raw, err
	}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	conn, err := t.greet(ctx, connector)
	if err != nil {
		if db := Error(err); db != nil {
			err = errors.New(db.String())
		} else if why := exec.Unreached(ctx, err, exec.DialTime()); why != nil {
			err = why
		} else if errors.Is(err, mysql.ErrInvalidConn) {
			err = errors.New("no answer that such a server would give")
		}
		return nil, fmt.Errorf("%w: cannot connect to %s: %w", exec.ErrUnavailable, t.config.Addr, err)
	}
	known := func(id uint64) *exec.Session {
		s := exec.NewSession(conn, id, t.kind.Protocol).OverNetwork(raw)
		if readable(config) {
			s.Followed(new(wire))
		}
		return s
	}
	s := known(0)
	rows, err := s.Read(ctx, "SELECT CONNECTION_ID()")
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("%w: %w", exec.ErrUnavailable, err)
	}
	n, _ := rows.Cell(0, 0).Int64()
	s = known(uint64(n))
	if t.instance == nil {
		if err := neutralize(ctx, s, t.kind.Neutral); err != nil {
			s.Close()
			return nil, fmt.Errorf("%w: %w", exec.ErrUnavailable, err)
		}
	}
	return s, nil
}

// greet opens a connection. What the driver cannot read it panics at.
func (t *target) greet(ctx context.Context, c driver.Connector) (conn driver.Conn, err error) {
	defer func() {
		if why := recover(); why != nil {
			err = fmt.Errorf("the driver cannot read the greeting: panic: %v", why)
		}
	}()
	return c.Connect(ctx)
}

// Alive waits for a server of the user's, which somebody may be restarting, and less long for a private one.
func (t *target) Alive(ctx context.Context) error {
	return exec.Reach(ctx, t.instance, t.wait, t.reach)
}

// reach opens a connection, and the control connection again if that is gone.
func (t *target) reach(ctx context.Context) error {
	s, err := t.dial(ctx, "")
	if err != nil {
		return err
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(ctx, exec.DialTime())
	defer cancel()
	if _, err := t.Connection.Read(ctx, "SELECT 1"); err == nil {
		return nil
	}
	t.Connection.Close()
	if err := t.openControl(ctx); err != nil {
		return err
	}
	if t.instance == nil {
		if err := t.claim(ctx); err != nil {
			return err
		}
	}
	return t.Connection.Must(ctx, "CREATE DATABASE IF NOT EXISTS "+t.database, "USE "+t.database)
}

// uptimeStep is how exactly MySQL tells how long it is up, and what time it is.
const uptimeStep = 2 * time.Second

// Born implements Mortal.
func (t *target) Born(ctx context.Context) (exec.Birth, error) {
	up, err := t.Connection.Read(ctx, "SHOW GLOBAL STATUS LIKE 'Uptime'")
	if err != nil || up.Len() == 0 {
		return exec.Birth{}, err
	}
	now, err := t.Connection.Read(ctx, "SELECT UNIX_TIMESTAMP()")
	if err != nil {
		return exec.Birth{}, err
	}
	seconds, err := strconv.ParseInt(up.Cell(0, 1).String(), 10, 64)
	if err != nil {
		return exec.Birth{}, err
	}
	n, _ := now.Cell(0, 0).Int64()
	return exec.Birth{At: time.Unix(n-seconds, 0), Within: uptimeStep}, nil
}

// Log is the tail of a private server's log.
func (t *target) Log() string {
	if t.instance == nil {
		return ""
	}
	return t.instance.Tail()
}

// ourDatabases are the databases of servers of the user's that txweave makes and marks as in use by a lock of their
// name.
var ourDatabases = regexp.MustCompile("^" + exec.DatabasePrefix + "l[0-9a-f]{12}$")

// claim marks the database as in use as long as the control connection lives, and drops those whose owner is gone: a
// lock of the server's is free again when the connection that holds it ends, however that ended. A server without such
// locks keeps them.
func (t *target) claim(ctx context.Context) error {
	held, err := t.Connection.Read(ctx, fmt.Sprintf("SELECT GET_LOCK('%s', 5)", t.database))
	var refused *exec.AnswerError
	switch {
	case errors.As(err, &refused):
		return nil
	case err != nil:
		return err
	case held.Cell(0, 0).String() != "1":
		return fmt.Errorf("%w: the lock %s of the server is somebody else's", exec.ErrUnavailable, t.database)
	}
	found, err := t.Connection.Read(ctx, "SHOW DATABASES LIKE '"+exec.DatabasePrefix+"l%'")
	if err != nil {
		return err
	}
	for i := range found.Len() {
		name := found.Cell(i, 0).S
		if name == t.database || !ourDatabases.MatchString(name) {
			continue
		}
		if err := t.sweep(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// sweep drops a database whose owner is gone: neither its lock is held nor does a connection work in it, for an owner
// may lose the connection that holds the lock alone.
func (t *target) sweep(ctx context.Context, name string) (err error) {
	// The lock is taken, so that of two that sweep at once one does, and nobody takes the name meanwhile.
	free, err := t.Connection.Read(ctx, fmt.Sprintf("SELECT GET_LOCK('%s', 0)", name))
	if err != nil || free.Cell(0, 0).String() != "1" {
		return err
	}
	defer func() {
		_, failed := t.Connection.Read(ctx, fmt.Sprintf("SELECT RELEASE_LOCK('%s')", name))
		err = errors.Join(err, failed)
	}()
	if used, err := t.uses(ctx, name); err != nil || used {
		return err
	}
	// What cannot be dropped is another user's, and stays.
	var refused *exec.AnswerError
	if err := t.Connection.Must(ctx, "DROP DATABASE IF EXISTS "+name); err != nil && !errors.As(err, &refused) {
		return err
	}
	return nil
}

// uses says whether a connection works in a database.
func (t *target) uses(ctx context.Context, database string) (bool, error) {
	threads, err := t.Connection.Read(ctx, "SHOW PROCESSLIST") // ours whatever the user may see
	if err != nil {
		return false, err
	}
	for i := range threads.Len() {
		if threads.Cell(i, 3).S == database {
			return true, nil
		}
	}
	return false, nil
}

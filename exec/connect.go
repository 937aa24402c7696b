package exec

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"regexp"
	"strconv"
	"time"

	"github.com/go-sql-driver/mysql"
)

// How long a server is waited for. A statement of a case has a time-out of its own; these are for what every server
// answers at once unless it hangs.
var (
	dialTime   = 10 * time.Second // a connection, its greeting and its number
	answerTime = 15 * time.Second // a statement over the control connection while a case runs
	crashTime  = 10 * time.Second // a process to end that does not answer any more
)

// connectMySQL opens the control connection of a target and creates a database of our own.
func connectMySQL(ctx context.Context, t *mysqlTarget) (*mysqlTarget, error) {
	t.config.MultiStatements = true
	t.config.Collation = "utf8mb4_bin"
	t.config.Logger = &mysql.NopLogger{}
	if err := t.connect(ctx); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *mysqlTarget) connect(ctx context.Context) (err error) {
	if err = t.openControl(ctx); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			t.control.Close()
		}
	}()
	if err := t.describe(ctx); err != nil {
		return err
	}
	if err := refuse(t.about.Settings); err != nil && t.instance == nil {
		return err
	}
	if t.waits, err = findLockWaits(ctx, t.control, t.kind, t.about.Version); err != nil {
		return err
	}
	if t.instance != nil {
		if err := t.control.Must(ctx, t.boot()...); err != nil {
			return err
		}
		t.memory = t.instance.Memory()
	} else if err := t.claim(ctx); err != nil {
		return err
	}
	if err := t.control.Must(ctx, "CREATE DATABASE "+t.database, "USE "+t.database); err != nil {
		return fmt.Errorf("%w: cannot create a database to work in: %w", ErrUnavailable, err)
	}
	return nil
}

// openControl opens the control connection.
func (t *mysqlTarget) openControl(ctx context.Context) error {
	control, err := t.dial(ctx, "")
	if err != nil {
		return err
	}
	// Reset empties and fills tables in any order; only the initial rows are checked for foreign keys, see Load.
	if err := control.Must(ctx, "SET SESSION sql_mode = 'NO_ENGINE_SUBSTITUTION', foreign_key_checks = OFF"); err != nil {
		control.Close()
		return err
	}
	t.control = control
	return nil
}

// dial opens one connection, to a database unless that is "", and learns its number.
func (t *mysqlTarget) dial(ctx context.Context, database string) (*Session, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	config := t.config.Clone()
	config.DBName = database
	var raw net.Conn
	config.DialFunc = func(ctx context.Context, network, address string) (conn net.Conn, err error) {
		if conn, err = new(net.Dialer).DialContext(ctx, network, address); err == nil {
			raw = Network(conn)
		}
		return raw, err
	}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	conn, err := t.greet(ctx, connector)
	if err != nil {
		if db := MySQLError(err); db != nil {
			err = errors.New(db.String())
		}
		if ctx.Err() != nil {
			err = fmt.Errorf("%w within %s: %w", ErrTimeout, dialTime, err)
		}
		return nil, fmt.Errorf("%w: cannot connect to %s: %w", ErrUnavailable, t.config.Addr, err)
	}
	s := NewSession(conn, 0, t.kind.Protocol).OverNetwork(raw)
	if readable(config) {
		s.raw.wire = new(wire)
	}
	rows, err := s.Read(ctx, "SELECT CONNECTION_ID()")
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	n, _ := rows.Cell(0, 0).Int64()
	s.id = uint64(n)
	if t.instance == nil {
		if err := neutralize(ctx, s, t.kind.Neutral); err != nil {
			s.Close()
			return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
	}
	return s, nil
}

// greet opens a connection. What the driver cannot read it panics at.
func (t *mysqlTarget) greet(ctx context.Context, c driver.Connector) (conn driver.Conn, err error) {
	defer func() {
		if why := recover(); why != nil {
			err = fmt.Errorf("the driver cannot read the greeting: panic: %v", why)
		}
	}()
	return c.Connect(ctx)
}

// Alive waits for a server of the user's, which somebody may be restarting, and less long for a private one.
func (t *mysqlTarget) Alive(ctx context.Context) error {
	return Reach(ctx, t.instance, t.wait, t.reach)
}

// Reach reports whether a server answers: what Target.Alive returns. reach tries to; a server of the user's, whose
// instance is nil, is waited for as long as wait.
func Reach(ctx context.Context, private *Instance, wait time.Duration, reach func(context.Context) error) error {
	begun := time.Now()
	var watched *watch
	pause := 100 * time.Millisecond
	for {
		if private != nil {
			// The connection may break a moment before the process is seen to end.
			if crash := private.crashed(500 * time.Millisecond); crash != nil {
				return crash
			}
		}
		err := reach(ctx)
		if err == nil || ctx.Err() != nil {
			return err
		}
		if time.Since(begun) < wait {
			select {
			case <-time.After(pause):
			case <-ctx.Done():
			}
			pause = min(2*pause, 5*time.Second)
			continue
		}
		if !errors.Is(err, ErrTimeout) && private == nil {
			return err
		}
		if private != nil && errors.Is(err, ErrTimeout) && watched.again(private.process, time.Since(begun)) {
			watched = private.process.watch()
			continue
		}
		hang := &HangError{Waited: time.Since(begun), Err: err, Users: private == nil,
			Starved: private != nil && watched.starved(private.process)}
		if private != nil {
			// One that is about to crash writes its stack first, which takes a while.
			if crash := private.crashed(crashTime); crash != nil {
				return crash
			}
			hang.Log, hang.State, hang.Stacks = private.Tail(), private.process.state(), private.process.stacks(ctx)
		}
		return hang
	}
}

// reach opens a connection, and the control connection again if that is gone.
func (t *mysqlTarget) reach(ctx context.Context) error {
	s, err := t.dial(ctx, "")
	if err != nil {
		return err
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	if _, err := t.control.Read(ctx, "SELECT 1"); err == nil {
		return nil
	}
	t.control.Close()
	if err := t.openControl(ctx); err != nil {
		return err
	}
	if t.instance == nil {
		if err := t.claim(ctx); err != nil {
			return err
		}
	}
	return t.control.Must(ctx, "CREATE DATABASE IF NOT EXISTS "+t.database, "USE "+t.database)
}

// uptimeStep is how exactly MySQL tells how long it is up, and what time it is.
const uptimeStep = 2 * time.Second

// Born implements Mortal.
func (t *mysqlTarget) Born(ctx context.Context) (Birth, error) {
	up, err := t.control.Read(ctx, "SHOW GLOBAL STATUS LIKE 'Uptime'")
	if err != nil || up.Len() == 0 {
		return Birth{}, err
	}
	now, err := t.control.Read(ctx, "SELECT UNIX_TIMESTAMP()")
	if err != nil {
		return Birth{}, err
	}
	seconds, err := strconv.ParseInt(up.Cell(0, 1).String(), 10, 64)
	if err != nil {
		return Birth{}, err
	}
	n, _ := now.Cell(0, 0).Int64()
	return Birth{At: time.Unix(n-seconds, 0), Within: uptimeStep}, nil
}

// Log is the tail of a private server's log.
func (t *mysqlTarget) Log() string {
	if t.instance == nil {
		return ""
	}
	return t.instance.Tail()
}

// ourDatabases are the databases of servers of the user's that txweave makes and marks as in use by a lock of their
// name.
var ourDatabases = regexp.MustCompile("^" + databasePrefix + "l[0-9a-f]{12}$")

// claim marks the database as in use as long as the control connection lives, and drops those whose owner is gone: a
// lock of the server's is free again when the connection that holds it ends, however that ended. A server without such
// locks keeps them.
func (t *mysqlTarget) claim(ctx context.Context) error {
	held, err := t.control.Read(ctx, fmt.Sprintf("SELECT GET_LOCK('%s', 5)", t.database))
	var refused *AnswerError
	switch {
	case errors.As(err, &refused):
		return nil
	case err != nil:
		return err
	case held.Cell(0, 0).String() != "1":
		return fmt.Errorf("%w: the lock %s of the server is somebody else's", ErrUnavailable, t.database)
	}
	found, err := t.control.Read(ctx, "SHOW DATABASES LIKE '"+databasePrefix+"l%'")
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
func (t *mysqlTarget) sweep(ctx context.Context, name string) (err error) {
	// The lock is taken, so that of two that sweep at once one does, and nobody takes the name meanwhile.
	free, err := t.control.Read(ctx, fmt.Sprintf("SELECT GET_LOCK('%s', 0)", name))
	if err != nil || free.Cell(0, 0).String() != "1" {
		return err
	}
	defer func() {
		_, failed := t.control.Read(ctx, fmt.Sprintf("SELECT RELEASE_LOCK('%s')", name))
		err = errors.Join(err, failed)
	}()
	if used, err := t.uses(ctx, name); err != nil || used {
		return err
	}
	// What cannot be dropped is another user's, and stays.
	var refused *AnswerError
	if err := t.control.Must(ctx, "DROP DATABASE IF EXISTS "+name); err != nil && !errors.As(err, &refused) {
		return err
	}
	return nil
}

// uses says whether a connection works in a database.
func (t *mysqlTarget) uses(ctx context.Context, database string) (bool, error) {
	threads, err := t.control.Read(ctx, "SHOW PROCESSLIST") // ours whatever the user may see
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

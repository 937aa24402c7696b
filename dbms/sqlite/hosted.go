package sqlite

import (
	"context"
	"database/sql/driver"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"txweave/exec"
)

// Command says how the process is started that hosts the engine in a directory: a program that calls Host.
type Command = func(dir string) (binary string, args []string)

// hostedTarget is the engine in a process of its own, which can be killed and started again on the same file.
type hostedTarget struct {
	target
	command Command
	child   *exec.Hosting
}

// OpenHosted creates an empty database whose engine runs in another process, with synchronous=FULL.
func OpenHosted(ctx context.Context, command Command) (exec.Target, error) {
	dir, err := exec.NewWorkDir()
	if err != nil {
		return nil, err
	}
	t := &hostedTarget{target: target{dir: dir, file: databaseName}, command: command}
	t.dial = t.connect
	if err := t.run(ctx); err != nil {
		return nil, errors.Join(err, dir.Remove())
	}
	if err := t.start(ctx); err != nil {
		t.child.Kill()
		return nil, errors.Join(err, dir.Remove())
	}
	t.About.Settings["synchronous"] = "full"
	return t, nil
}

// hostTime is how long a host may take to come up, recovery included.
const hostTime = 60 * time.Second

// run starts the process and waits until it answers.
func (t *hostedTarget) run(ctx context.Context) error {
	if err := t.launch(); err != nil {
		return err
	}
	return t.waitReady(ctx)
}

// launch starts the process.
func (t *hostedTarget) launch() (err error) {
	if err := os.Remove(t.socket()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	binary, args := t.command(t.dir.Path)
	t.child, err = exec.StartHosting(binary, args, t.dir.Path, t.logPath())
	return err
}

func (t *hostedTarget) socket() string  { return filepath.Join(t.dir.Path, hostSocket) }
func (t *hostedTarget) logPath() string { return filepath.Join(t.dir.Path, exec.LogName) }

// waitReady waits until a connection can be opened. What the engine says against that is the error.
func (t *hostedTarget) waitReady(ctx context.Context) error {
	deadline := time.Now().Add(hostTime)
	for {
		s, err := t.connect()
		if err == nil {
			return s.Close()
		}
		var answer *exec.AnswerError
		switch how, _, gone := t.child.Ended(0); {
		case errors.As(err, &answer) && busy(answer.Err.Code):
		case gone:
			return fmt.Errorf("%w: the engine's process ended while starting: %s: %s", exec.ErrUnavailable, how, t.Log())
		case errors.As(err, &answer), time.Now().After(deadline), ctx.Err() != nil:
			return errors.Join(err, ctx.Err())
		}
		time.Sleep(time.Millisecond)
	}
}

// connect opens one connection to the engine in the process.
func (t *hostedTarget) connect() (*exec.Session, error) {
	c, err := net.Dial("unix", t.socket())
	if err != nil {
		return nil, err
	}
	c = exec.Network(c)
	r := &remote{net: c, out: gob.NewEncoder(c), in: gob.NewDecoder(c), socket: t.socket()}
	var hello response
	if err := c.SetDeadline(time.Now().Add(hostTime)); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	if err := errors.Join(r.out.Encode(&request{Ask: askOpen}), r.in.Decode(&hello)); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	if err := hello.err(); err != nil {
		if db := dbError(err); db != nil {
			err = &exec.AnswerError{Text: "a new connection", Err: db}
		}
		return nil, errors.Join(err, c.Close())
	}
	r.id = hello.Conn
	return exec.NewSession(r, hello.Conn, protocol).OverNetwork(c), c.SetDeadline(time.Time{})
}

// Log is the tail of what the process printed.
func (t *hostedTarget) Log() string {
	text, err := os.ReadFile(t.logPath())
	if err != nil {
		return err.Error()
	}
	const tail = 8 << 10
	return string(text[max(0, len(text)-tail):])
}

// Alive says whether the process is there and answers.
func (t *hostedTarget) Alive(ctx context.Context) error {
	err := t.target.Alive(ctx)
	if err == nil {
		return nil
	}
	if how, killed, gone := t.child.Ended(500 * time.Millisecond); gone {
		return &exec.CrashError{Reason: how, Log: t.Log(), Killed: killed}
	}
	t.Connection.Close()
	if cerr := t.reconnect(); cerr != nil {
		return errors.Join(err, cerr)
	}
	return nil
}

// Restart begins with a new file and a new process.
func (t *hostedTarget) Restart(ctx context.Context) error {
	t.Connection.Close()
	t.child.Kill()
	t.tables, t.ResetScript = nil, ""
	if err := t.remove(); err != nil {
		return err
	}
	if err := t.run(ctx); err != nil {
		return err
	}
	return t.start(ctx)
}

func (t *hostedTarget) Empty(ctx context.Context) error { return t.Restart(ctx) }

func (t *hostedTarget) Close() error {
	t.Connection.Close()
	t.child.Kill()
	return t.dir.Remove()
}

// Disruption is what the process can be put through.
func (t *hostedTarget) Disruption() *exec.Disruption {
	return &exec.Disruption{
		Disconnect: func(_ context.Context, s *exec.Session) error {
			return tell(t.socket(), request{Ask: askDisconnect, Conn: s.ID()})
		},
		Networked: true, Crash: func() error { t.child.Kill(); return nil }, PowerCut: t.cutPower,
		Halt:  func(pick func(n int) int, lasts time.Duration) error { return t.child.Halt(pick, lasts) },
		Crowd: func(one bool) error { return t.child.Crowd(one) }, Disturbances: disturbances,
		Stop: func() error { return t.child.Stop() }, Continue: func() error { return t.child.Continue() },
		Recover: t.recover,
	}
}

// cutTime is how long a process may take to leave its files as a power cut does.
const cutTime = 30 * time.Second

// cutPower has the process end and leave its files as a power cut does; shared memory is gone with the machine.
func (t *hostedTarget) cutPower(seed uint64) error {
	err := tell(t.socket(), request{Ask: askPowerCut, Conn: seed})
	if _, _, gone := t.child.Ended(cutTime); !gone {
		t.child.Kill()
		return fmt.Errorf("the engine's process does not end: %w", err)
	}
	if err := os.Remove(t.path() + "-shm"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// recover starts the process again on the same file.
func (t *hostedTarget) recover(ctx context.Context, interrupt time.Duration) error {
	t.Connection.Close()
	if interrupt > 0 {
		if err := t.launch(); err != nil {
			return err
		}
		// The first connection recovers the log, and so it is opened while the process is about to be killed.
		go func() {
			if t.awaitSocket(interrupt) {
				if s, err := t.connect(); err == nil {
					s.Close()
				}
			}
		}()
		t.child.Ended(interrupt)
		t.child.Kill()
	}
	if err := t.run(ctx); err != nil {
		if ctx.Err() != nil {
			return err
		}
		if _, killed, gone := t.child.Ended(0); gone && killed {
			return err
		}
		return &exec.RecoveryError{Reason: err.Error(), Log: t.Log()}
	}
	return t.reconnect()
}

// reconnect opens the control connection.
func (t *hostedTarget) reconnect() error {
	for until := time.Now().Add(hostTime); ; time.Sleep(time.Millisecond) {
		control, err := t.connect()
		if err == nil {
			t.Connection = control
		}
		var answer *exec.AnswerError
		if !errors.As(err, &answer) || !busy(answer.Err.Code) || time.Now().After(until) {
			return err
		}
	}
}

// busy says whether an error is that another connection holds a lock: while it recovers, too.
func busy(code int) bool { return code&0xff == 5 }

// awaitSocket waits up to d until the process listens.
func (t *hostedTarget) awaitSocket(d time.Duration) bool {
	for deadline := time.Now().Add(d); time.Now().Before(deadline); time.Sleep(100 * time.Microsecond) {
		if _, err := os.Stat(t.socket()); err == nil {
			return true
		}
	}
	return false
}

// hostError is an error that the engine answered over the wire.
type hostError struct {
	code    int
	message string
}

func (e *hostError) Error() string { return e.message }

func (r *response) err() error {
	switch {
	case r.Message != "":
		return &hostError{r.Code, r.Message}
	case r.Failure != "":
		return errors.New(r.Failure)
	}
	return nil
}

// remote is a connection to an engine in another process.
type remote struct {
	net    net.Conn
	out    *gob.Encoder
	in     *gob.Decoder
	id     uint64
	socket string
}

func (c *remote) Prepare(string) (driver.Stmt, error) { return nil, errors.ErrUnsupported }
func (c *remote) Begin() (driver.Tx, error)           { return nil, errors.ErrUnsupported }
func (c *remote) Close() error                        { return c.net.Close() }

// ask sends a request and waits for the answer, or until ctx ends: the connection is of no more use then.
func (c *remote) ask(ctx context.Context, r request) (*response, error) {
	if deadline, ok := ctx.Deadline(); ok {
		if err := c.net.SetDeadline(deadline); err != nil {
			return nil, err
		}
	}
	if err := c.out.Encode(&r); err != nil {
		return nil, why(ctx, err)
	}
	out := &response{}
	if err := c.in.Decode(out); err != nil {
		return nil, why(ctx, err)
	}
	return out, out.err()
}

func (c *remote) ExecContext(ctx context.Context, sql string, _ []driver.NamedValue) (driver.Result, error) {
	out, err := c.ask(ctx, request{Ask: askExec, SQL: sql})
	if err != nil {
		return nil, err
	}
	return driver.RowsAffected(out.Affected), nil
}

func (c *remote) QueryContext(ctx context.Context, sql string, _ []driver.NamedValue) (driver.Rows, error) {
	out, err := c.ask(ctx, request{Ask: askQuery, SQL: sql})
	if err != nil {
		return nil, err
	}
	return &remoteRows{response: out}, nil
}

// tell asks a host, over a connection of its own, to do something to another one.
func tell(socket string, r request) error {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return err
	}
	o := &remote{net: conn, out: gob.NewEncoder(conn), in: gob.NewDecoder(conn)}
	defer o.Close()
	ctx, cancel := context.WithTimeout(context.Background(), hostTime)
	defer cancel()
	_, err = o.ask(ctx, r)
	return err
}

// Interrupt ends the statement that is running, if there is one. A host that is gone runs none.
func (c *remote) Interrupt() { _ = tell(c.socket, request{Ask: askInterrupt, Conn: c.id}) }

// remoteRows is an answer that has come whole.
type remoteRows struct {
	*response
	at int
}

func (r *remoteRows) Columns() []string { return r.response.Columns }
func (r *remoteRows) Close() error      { return nil }

func (r *remoteRows) Next(dest []driver.Value) error {
	if r.at >= len(r.Cells) {
		return io.EOF
	}
	for i := range dest {
		dest[i] = r.Cells[r.at].value()
		r.at++
	}
	return nil
}

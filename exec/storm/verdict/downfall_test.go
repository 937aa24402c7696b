package verdict

import (
	"context"
	"database/sql/driver"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"txweave/dbms"
	"txweave/exec"
	"txweave/exec/storm"
)

// dying is an engine that goes down by itself at what a nemesis does to it.
type dying struct {
	exec.Target
	at string
	up atomic.Int32 // how often it was killed and came up again, of the nemesis's doing
	is atomic.Bool  // down
}

// die ends the process.
func (d *dying) die() error {
	d.is.Store(true)
	return exec.DisruptionOf(d.Target).Crash()
}

func (d *dying) Alive(ctx context.Context) error {
	if d.is.Load() {
		return &exec.CrashError{Reason: "signal: aborted (core dumped)", Log: "what it said last"}
	}
	return d.Target.Alive(ctx)
}

func (d *dying) Kill(ctx context.Context, s *exec.Session) error {
	if d.at == "the kill of a statement" {
		return errors.Join(d.die(), &exec.LostError{Err: errors.New("unexpected EOF")})
	}
	return d.Target.Kill(ctx, s)
}

// atLast are the statements of a storm's end, which nothing before sends where sessions are only killed.
var atLast = map[string]string{
	"the look at what is locked":    "SELECT pkey FROM ",
	"the check of the tables":       "integrity_check",
	"the last read of all tables":   "BETWEEN 0 AND 1125899906842624",
	"the last read, over an index":  "WHERE pvkey >= ",
	"the end of that look at locks": "COMMIT after SELECT pkey FROM ",
}

// lastWords is a connection whose engine goes down at a statement.
type lastWords struct {
	driver.Conn
	d    *dying
	said string
}

func (c *lastWords) QueryContext(ctx context.Context, sql string, args []driver.NamedValue) (driver.Rows, error) {
	c.hears(sql)
	return c.Conn.(driver.QueryerContext).QueryContext(ctx, sql, args)
}

func (c *lastWords) ExecContext(ctx context.Context, sql string, args []driver.NamedValue) (driver.Result, error) {
	c.hears(sql)
	return c.Conn.(driver.ExecerContext).ExecContext(ctx, sql, args)
}

func (c *lastWords) Interrupt() { c.Conn.(exec.Interrupter).Interrupt() }

// hears ends the process at the statement, which is then sent to nobody.
func (c *lastWords) hears(sql string) {
	if at := atLast[c.d.at]; at != "" && strings.Contains(sql+" after "+c.said, at) && !c.d.is.Load() {
		_ = c.d.die() // it is gone, or the test says that it is not
	}
	c.said = sql
}

func (d *dying) Open(ctx context.Context, node exec.NodeID, p *dbms.Profile) (*exec.Session, error) {
	s, err := d.Target.Open(ctx, node, p)
	if err != nil {
		return nil, err
	}
	return s.Over(&lastWords{Conn: s.Conn(), d: d}), nil
}

// severed is an engine of which the first connection breaks where its storm reads all tables for the last time.
type severed struct {
	*dying
	cut, read atomic.Int32 // how often that connection was cut, and how often the last read was sent
}

func (s *severed) Open(ctx context.Context, node exec.NodeID, p *dbms.Profile) (*exec.Session, error) {
	c, err := s.Target.Open(ctx, node, p)
	if err != nil {
		return nil, err
	}
	return c.Over(&lastRead{Conn: c.Conn(), s: s, cut: c.Cut}), nil
}

// lastRead is a connection of a severed engine.
type lastRead struct {
	driver.Conn
	s   *severed
	cut func()
}

func (c *lastRead) QueryContext(ctx context.Context, sql string, args []driver.NamedValue) (driver.Rows, error) {
	if strings.Contains(sql, atLast["the last read of all tables"]) && c.s.cut.Add(1) == 1 {
		c.cut()
		return nil, driver.ErrBadConn
	}
	if strings.Contains(sql, atLast["the last read, over an index"]) {
		c.s.read.Add(1)
	}
	return c.Conn.(driver.QueryerContext).QueryContext(ctx, sql, args)
}

func (c *lastRead) ExecContext(ctx context.Context, sql string, args []driver.NamedValue) (driver.Result, error) {
	return c.Conn.(driver.ExecerContext).ExecContext(ctx, sql, args)
}

func (c *lastRead) Interrupt() { c.Conn.(exec.Interrupter).Interrupt() }

func (d *dying) Disruption() *exec.Disruption {
	u := *exec.DisruptionOf(d.Target)
	disconnect := u.Disconnect
	u.Disconnect = func(ctx context.Context, s *exec.Session) error {
		if d.at == "the kill of a connection" {
			return d.die() // and nobody says so: its sessions find out
		}
		if disconnect == nil {
			s.Cut()
			return nil
		}
		return disconnect(ctx, s)
	}
	recover := u.Recover
	u.Recover = func(ctx context.Context, interrupt time.Duration) error {
		if err := recover(ctx, interrupt); err != nil || d.at != "the look at what a crash left" || d.up.Add(1) < 2 {
			return err
		}
		return d.die()
	}
	return &u
}

// A database that goes down at the end of a storm, when its sessions have ended, is a finding too, at each of the
// statements that are sent then.
func TestDownfallAtTheEnd(t *testing.T) {
	for at := range atLast {
		t.Run(at, func(t *testing.T) {
			began := time.Now()
			d := &dying{Target: hosted(t), at: at}
			found, res, _ := disturb(t, d, storm.Options{Nemeses: []storm.Nemesis{storm.Kill}, Duration: 300 * time.Millisecond})
			if !d.is.Load() {
				t.Fatal("the storm's end does not say that")
			}
			if res.Crash == nil || len(found) != 1 || !strings.HasPrefix(found[0].Signature, "crash") ||
				found[0].Explanation[0] != "what it said last" {
				t.Errorf("%+v", found)
			}
			if took := time.Since(began); took > 2*time.Minute {
				t.Errorf("the end took %s", took)
			}
		})
	}
}

// The last read of a storm is made, though a nemesis had ended the connection for it and nobody had noticed.
func TestLastReadAgain(t *testing.T) {
	s := &severed{dying: &dying{Target: hosted(t)}}
	found, res, _ := disturb(t, s, storm.Options{Nemeses: []storm.Nemesis{storm.Kill}, Duration: 300 * time.Millisecond})
	if res.Crash != nil || len(found) > 0 {
		t.Errorf("%+v", found)
	}
	if s.cut.Load() == 0 || s.read.Load() == 0 {
		t.Errorf("cut %d times, and read over the index %d times", s.cut.Load(), s.read.Load())
	}
}

// A database that goes down by itself at what a nemesis does to it is a finding, whoever noticed it, and ends the
// storm.
func TestDownfall(t *testing.T) {
	for at, n := range map[string]storm.Nemesis{"the kill of a statement": storm.Kill,
		"the kill of a connection": storm.Kill, "the look at what a crash left": storm.Crash} {
		t.Run(at, func(t *testing.T) {
			began := time.Now()
			found, res, _ := disturb(t, &dying{Target: hosted(t), at: at}, storm.Options{Nemeses: []storm.Nemesis{n},
				Duration: 5 * time.Minute})
			if res.Crash == nil || len(found) == 0 || !strings.HasPrefix(found[0].Signature, "crash") ||
				len(found[0].Explanation) == 0 || found[0].Explanation[0] != "what it said last" {
				t.Errorf("%+v", found)
			}
			if took := time.Since(began); took > 3*time.Minute {
				t.Errorf("the storm went on for %s", took)
			}
		})
	}
}

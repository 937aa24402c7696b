package exec

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"
)

// Disruption is what can be done to a running database beside sending it statements. What is nil cannot be done to it.
type Disruption struct {
	// Disconnect makes the database end a session's connection, as KILL CONNECTION does.
	Disconnect func(ctx context.Context, s *Session) error
	// Crash ends the database's process as kill -9 does, and returns when it is gone.
	Crash func() error
	// PowerCut ends it as a power cut does: of what was written and not synced a part is lost, which a seed chooses.
	PowerCut func(seed uint64) error
	// Recover starts the database again on what it left behind. While interrupt is positive it is killed again so long
	// after its start, wherever it is, and started once more. The error is a *RecoveryError where it does not come up.
	Recover func(ctx context.Context, interrupt time.Duration) error
	// Stop and Continue halt its process and let it go on.
	Stop, Continue func() error
	// Halt stops one thread of it, or one of its processes, which pick chooses among so many, and lets it go on after a
	// while.
	Halt func(pick func(n int) int, lasts time.Duration) error
	// Crowd puts all threads of its process on one processor, and back on all.
	Crowd func(one bool) error
	// Networked says that sessions reach it over a network, which may be slow and lost: Session.Slow, Session.Lose.
	Networked bool
	Disturbances
}

// Disturbances are statements that disturb a database without changing what it answers. Each DBMS's folder has its own.
type Disturbances struct {
	// Patience makes a session wait for others that change or lock a whole table.
	Patience []string
	// Limits have a session's statements end after some milliseconds, whatever they have done by then, and lift that
	// again.
	Limits []Disturbance
	// Redefine changes tables and puts them back; Press changes settings and fills memory; Hold locks whole tables.
	Redefine, Press, Hold []Disturbance
	// Prepared says that transactions may be prepared by XA and committed by another connection, later.
	Prepared bool
}

// Disturbance is one of them: what is sent, and what puts back what that did. {table} stands for a table of the
// workload, which has an index {table}_v on v, vkey and pkey.
type Disturbance struct {
	Do, Undo []string
	// Settings are queries, asked before Do: the answer of each is the statement that puts back a setting which Do
	// changes, before Undo is sent. Somebody may have given it another value than the DBMS does.
	Settings []string
	// ByUndo says that the first statement of Undo tells it from others that do the same.
	ByUndo bool
	// Frozen says that nobody changes the table from the end of Do until Undo is sent.
	Frozen bool
	// HoldsCommits says that even transactions that were prepared before cannot be committed meanwhile.
	HoldsCommits bool
	// Rebuilds says that a new table is built, of the rows as they are then, while others write.
	Rebuilds bool
	// Indexes says that an index is built, of the rows as they are then, while others write.
	Indexes bool
	// Repartitions says that a partitioned table is copied while others write.
	Repartitions bool
	// Volatile says that a private server may then keep a half of what it acknowledged when its process is killed.
	Volatile bool
}

// Disturbed is a target to which things can be done beside sending it statements.
type Disturbed interface{ Disruption() *Disruption }

// DisruptionOf returns what can be done to a target.
func DisruptionOf(t Target) *Disruption {
	if d, ok := t.(Disturbed); ok {
		return d.Disruption()
	}
	return &Disruption{}
}

// RecoveryError says that a database did not come up again on what it left behind when its process was killed.
type RecoveryError struct {
	Reason string
	Log    string // tail of its log
}

func (e *RecoveryError) Error() string { return "the server does not come up again: " + e.Reason }

// Cut breaks the session's connection on our side, whatever it is doing; the database is not told. It may be called
// while another goroutine uses the session. It does nothing where there is no network between.
func (s *Session) Cut() {
	if s.raw != nil {
		s.raw.Close()
	}
}

// signal sends a signal to the process, unless it has ended.
func (p *process) signal(sig syscall.Signal) error {
	if err := p.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}

// strike kills the process and those that it has started, whatever they would want to clear away, and waits until they
// are gone.
func (p *process) strike() error {
	if err := p.signal(syscall.SIGSTOP); err != nil { // so that it starts no others, and does not notice
		return err
	}
	for until := time.Now().Add(endTime); !stopped(p.pid()) && time.Now().Before(until); {
		// one that it is about to start would hold its memory
		time.Sleep(100 * time.Microsecond)
	}
	children := p.children()
	for _, pid := range children {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	if err := p.signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-p.done
	for until := time.Now().Add(endTime); slices.ContainsFunc(children, lives) && time.Now().Before(until); {
		time.Sleep(100 * time.Microsecond)
	}
	return nil
}

// all sends a signal to the process and to those that it has started.
func (p *process) all(sig syscall.Signal) error {
	for _, pid := range p.children() {
		if err := syscall.Kill(pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	return p.signal(sig)
}

// crash kills the server; its data stays.
func (s *Instance) crash() error {
	return s.process.strike()
}

// recover starts the server again on its data.
func (s *Instance) recover(ctx context.Context, interrupt time.Duration) error {
	for ; ; interrupt = 0 {
		if err := s.run(); err != nil {
			return err
		}
		if interrupt > 0 {
			if _, gone := s.process.ended(interrupt); !gone {
				if err := s.process.strike(); err != nil {
					return err
				}
				continue
			}
		}
		return s.recovered(ctx)
	}
}

// recovered waits until the server is up again on its data.
func (s *Instance) recovered(ctx context.Context) error {
	err := s.waitReady(ctx)
	if err == nil || ctx.Err() != nil {
		return err
	}
	log := s.Tail()
	reason, gone := s.process.ended(0)
	if gone && (s.process.killed() || fromOutside(log)) {
		return err // no fault of the server's
	}
	if !gone {
		reason = fmt.Sprintf("it runs and does not answer within %s", readyTime)
	}
	return &RecoveryError{Reason: reason, Log: log}
}

// Disruption is what a private server's processes can be put through. reopened is called when it has come up again
// after a crash.
func (s *Instance) Disruption(reopened func(ctx context.Context) error) *Disruption {
	u := &Disruption{
		Stop:     func() error { return s.process.all(syscall.SIGSTOP) },
		Continue: func() error { return s.process.all(syscall.SIGCONT) },
		Crowd:    func(one bool) error { return s.process.crowd(one) },
		Halt:     func(pick func(n int) int, lasts time.Duration) error { return s.process.halt(pick, lasts) },
	}
	if len(s.durable()) > 0 {
		u.Crash = s.crash
		u.Recover = func(ctx context.Context, interrupt time.Duration) error {
			if err := s.recover(ctx, interrupt); err != nil {
				return err
			}
			return reopened(ctx)
		}
	}
	return u
}

// Hosting is a process of ours that an embedded engine runs in, so that it can be killed; it dies with us.
type Hosting struct{ process *process }

// StartHosting starts a program in a directory; what it prints goes to the log.
func StartHosting(binary string, args []string, dir, log string) (*Hosting, error) {
	p, err := startProcess(binary, args, dir, log, nil, 0)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return &Hosting{p}, nil
}

// Kill ends it as kill -9 does, and waits until it is gone.
func (c *Hosting) Kill() { c.process.kill() }

// Ended waits up to d and says how it ended, and whether somebody ended it from outside; ok is false while it runs.
func (c *Hosting) Ended(d time.Duration) (how string, killed, ok bool) {
	how, ok = c.process.ended(d)
	return how, ok && c.process.killed(), ok
}

// Stop and Continue halt it and let it go on.
func (c *Hosting) Stop() error { return c.process.signal(syscall.SIGSTOP) }
func (c *Hosting) Halt(pick func(n int) int, lasts time.Duration) error {
	return c.process.halt(pick, lasts)
}

func (c *Hosting) Crowd(one bool) error { return c.process.crowd(one) }
func (c *Hosting) Continue() error      { return c.process.signal(syscall.SIGCONT) }

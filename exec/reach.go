package exec

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"
)

// How long a server is waited for. A statement of a case has a time-out of its own; these are for what every server
// answers at once unless it hangs.
var (
	dialTime   = 10 * time.Second // a connection, its greeting and its number
	answerTime = 15 * time.Second // a statement over the control connection while a case runs
	crashTime  = 10 * time.Second // a process to end that does not answer any more
)

// DialTime is how long a connection may take, with its greeting and its number, and AnswerTime a statement over the
// control connection while a case runs.
func DialTime() time.Duration   { return dialTime }
func AnswerTime() time.Duration { return answerTime }

// Unreached says in plain words why no connection came about within a limit; nil: neither the context, nor the network
// tells.
func Unreached(ctx context.Context, err error, limit time.Duration) error {
	var network syscall.Errno
	var name *net.DNSError
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("%w within %s", ErrTimeout, limit)
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &name) && name.IsNotFound:
		return errors.New("no such host is known")
	case errors.As(err, &network):
		return network
	}
	return nil
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
			rest(ctx, pause)
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
		hang := &HangError{Waited: time.Since(begun), Err: err, Users: private == nil}
		if private != nil {
			hang.Starved = watched.starved(private.process)
			return private.hangs(ctx, hang)
		}
		return hang
	}
}

// hangs is that the server crashes, or what is known of it where it hangs.
func (s *Instance) hangs(ctx context.Context, hang *HangError) error {
	// One that is about to crash writes its stack first, which takes a while.
	if crash := s.crashed(crashTime); crash != nil {
		return crash
	}
	hang.Log, hang.State, hang.Stacks = s.Tail(), s.process.state(), s.process.stacks(ctx)
	return hang
}

// rest waits for so long, or until the context ends.
func rest(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

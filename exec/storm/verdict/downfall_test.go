package verdict

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

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
	return exec.UpheavalOf(d.Target).Crash()
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

func (d *dying) Upheaval() *exec.Upheaval {
	u := *exec.UpheavalOf(d.Target)
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

// A database that goes down by itself at what a nemesis does to it is a finding, whoever noticed it, and ends the storm.
func TestDownfall(t *testing.T) {
	for at, n := range map[string]storm.Nemesis{"the kill of a statement": storm.Kill, "the kill of a connection": storm.Kill, "the look at what a crash left": storm.Crash} {
		t.Run(at, func(t *testing.T) {
			began := time.Now()
			found, res, _ := disturb(t, &dying{Target: hosted(t), at: at}, storm.Options{Nemeses: []storm.Nemesis{n}, Duration: 5 * time.Minute})
			if res.Crash == nil || len(found) == 0 || !strings.HasPrefix(found[0].Signature, "crash") || len(found[0].Explanation) == 0 || found[0].Explanation[0] != "what it said last" {
				t.Errorf("%+v", found)
			}
			if took := time.Since(began); took > 3*time.Minute {
				t.Errorf("the storm went on for %s", took)
			}
		})
	}
}

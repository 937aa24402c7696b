package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// bench compares two programs.
type bench struct {
	ctx      context.Context
	programs [2]string // the old one, the new one
	mutants  [2]string // the same over an engine with mutants; "": not given
	full     bool
	targets  []string
	tree     string
	tmp      string
	progress io.Writer

	mu       sync.Mutex
	jobs     int
	cpu      float64
	missing  bool // a target was not to be had
	measures []*measure
	runs     map[cell][]casesPair // what cases has run already
}

// ended is what became of a command.
type ended struct {
	code int
	out  []byte
	said string // the last line of standard error, for messages
	cpu  float64
	dir  string // where it ran, with nothing else
}

// broken are the exit codes after which nothing was measured.
func (e *ended) broken() bool { return e.code < 0 || e.code > 2 }

// limit is how long a command may take.
const limit = time.Hour

// command runs a program of one side in a folder of its own, which is there until the end.
func (b *bench) command(program string, args ...string) (*ended, error) {
	b.mu.Lock()
	b.jobs++
	dir := filepath.Join(b.tmp, fmt.Sprint(b.jobs))
	b.mu.Unlock()
	if err := os.MkdirAll(filepath.Join(dir, "tmp"), 0o755); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(b.ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	cmd.Env = append(os.Environ(), "TMPDIR="+filepath.Join(dir, "tmp"), "PATH="+os.Getenv("PATH")+":/usr/sbin")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGINT) }
	cmd.WaitDelay = time.Minute
	err := cmd.Run()
	if cmd.ProcessState == nil {
		return nil, err
	}
	if ctx.Err() != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it may have left of its own processes
	}
	if b.ctx.Err() != nil {
		return nil, b.ctx.Err()
	}
	e := &ended{code: cmd.ProcessState.ExitCode(), out: stdout.Bytes(), dir: dir, said: lastLine(stderr.String()),
		cpu: (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()}
	b.mu.Lock()
	b.cpu += e.cpu
	b.missing = b.missing || e.code == exitMissing
	b.mu.Unlock()
	return e, nil
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// run runs a side's txweave.
func (b *bench) run(side int, args ...string) (*ended, error) {
	return b.command(b.programs[side], args...)
}

// object runs a side's txweave and reads the object that it prints. What does not end well enough to have one is broken.
func (b *bench) object(side int, into any, args ...string) (*ended, error) {
	e, err := b.run(side, args...)
	if err != nil || e.broken() {
		return e, err
	}
	if err := json.Unmarshal(e.out, into); err != nil {
		return nil, fmt.Errorf("%s %s: %w", b.programs[side], strings.Join(args, " "), err)
	}
	return e, nil
}

// forget removes what a command left, but for what it printed.
func (e *ended) forget() {
	if e != nil {
		_ = os.RemoveAll(e.dir)
	}
}

// pairs does something n times for both sides, one after the other, so that both meet the same load; who is first takes
// turns. Two pairs are under way at once.
func (b *bench) pairs(name string, n int, do func(i, side int) error) error {
	slots := make(chan struct{}, 2)
	errs := make([]error, n)
	var wait sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			for k := range 2 {
				if errs[i] == nil && b.ctx.Err() == nil {
					errs[i] = do(i, (i+k)%2)
				}
			}

		})
	}
	wait.Wait()
	fmt.Fprintf(b.progress, "freeze: %s\n", name)
	return errors.Join(append(errs, b.ctx.Err())...)
}

// add adds rows.
func (b *bench) add(m ...*measure) { b.measures = append(b.measures, m...) }

// pick takes the value for the short form or the one for the full.
func pick[T any](b *bench, short, full T) T {
	if b.full {
		return full
	}
	return short
}

// tells says whether both sides know a command with these flags.
func (b *bench) tells(args ...string) (bool, error) {
	for side := range 2 {
		e, err := b.run(side, append(args, "--help")...)
		if err != nil {
			return false, err
		}
		if e.forget(); e.code != 0 {
			return false, nil
		}
	}
	return true, nil
}

// notTold is the row of what one of the sides does not tell.
func notTold(part, what string) *measure {
	return &measure{part: part, what: what, old: "–", new: "–", says: untold}
}

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
	old      *record // what the old one said another time

	mu       sync.Mutex
	jobs     int
	cpu      [2]float64 // of each side
	missing  bool       // a target was not to be had
	measures []*measure
	runs     map[cell][][2]summary // what cases has run already
}

// ended is what became of a command.
type ended struct {
	Code int     `json:"code"`
	Out  []byte  `json:"out"`
	Said string  `json:"said"` // the last line of standard error, for messages
	CPU  float64 `json:"cpu"`
	dir  string  // where it ran, with nothing else
}

// broken are the exit codes after which nothing was measured.
func (e *ended) broken() bool { return e.Code < 0 || e.Code > 2 }

// forget removes what a command left, but for what it printed.
func (e *ended) forget() { _ = os.RemoveAll(e.dir) }

// limit is how long a command may take.
const limit = 2 * time.Hour

// command runs a program of one side in a folder of its own, which is there until it is forgotten.
func (b *bench) command(side int, dir, program string, args ...string) (*ended, error) {
	b.mu.Lock()
	if b.jobs++; dir == "" {
		dir = fmt.Sprint(b.jobs)
	}
	dir = filepath.Join(b.tmp, dir)
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
	said := strings.TrimSpace(stderr.String())
	e := &ended{Code: cmd.ProcessState.ExitCode(), Out: stdout.Bytes(), dir: dir,
		Said: said[strings.LastIndexByte(said, '\n')+1:],
		CPU:  (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()}
	b.mu.Lock()
	b.cpu[side] += e.CPU
	b.missing = b.missing || e.Code == exitMissing
	b.mu.Unlock()
	return e, nil
}

// run runs a side's txweave, or says again what the old one has said. What it leaves stays if it is to be kept.
func (b *bench) run(side int, keep bool, args ...string) (e *ended, err error) {
	dir := ""
	if side == 0 && b.old != nil {
		key, known := b.old.find(b, args)
		if known != nil {
			return known, nil
		}
		dir = "old-" + key
		defer func() { b.old.keep(b, key, e) }()
	}
	if e, err = b.command(side, dir, b.programs[side], args...); err == nil && !keep {
		e.forget()
	}
	return e, err
}

// json runs a side's txweave and reads what it prints, unless it is broken.
func (b *bench) json(side int, into any, args ...string) (*ended, error) {
	e, err := b.run(side, false, args...)
	if err == nil && !e.broken() {
		err = json.Unmarshal(e.Out, into)
	}
	if err != nil {
		return nil, fmt.Errorf("%s of the %s build: %w", strings.Join(args, " "), sideName(side), err)
	}
	return e, nil
}

// told is what a command comes to that prints an object.
type told struct {
	cpu  float64
	lost string // why there is nothing
}

func (t *told) end() *told { return t }

// object is what a command prints.
type object interface{ end() *told }

// object runs a side's txweave and reads the object that it prints. What does not end well enough to have one is lost.
func (b *bench) object(side int, into object, args ...string) error {
	e, err := b.json(side, into, args...)
	if err != nil {
		return err
	}
	t := into.end()
	if t.cpu = e.CPU; e.broken() {
		t.lost = fmt.Sprintf("%s of the %s build ended with %d: %s", strings.Join(args, " "), sideName(side), e.Code, e.Said)
	}
	return nil
}

func sideName(side int) string { return []string{"old", "new"}[side] }

// both does something n times for both sides, one after the other, so that both meet the same load; who is first takes
// turns. Two pairs are under way at once.
func both[T any](b *bench, name string, n int, do func(i, side int) (T, error)) ([][2]T, error) {
	all, errs := make([][2]T, n), make([]error, n)
	slots := make(chan struct{}, 2)
	var wait sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			for k := range 2 {
				if side := (i + k) % 2; errs[i] == nil && b.ctx.Err() == nil {
					all[i][side], errs[i] = do(i, side)
				}
			}
		})
	}
	wait.Wait()
	fmt.Fprintf(b.progress, "freeze: %s\n", name)
	return all, errors.Join(append(errs, b.ctx.Err())...)
}

// objects has both sides print n objects, and returns the pairs that are whole; where not all are, a row says so.
func objects[T any, P interface {
	*T
	object
}](b *bench, part, name string, n int, do func(i, side int, into P) error) ([][2]T, error) {
	all, err := both(b, name, n, func(i, side int) (T, error) {
		var v T
		err := do(i, side, &v)
		return v, err
	})
	m := &measure{part: part, what: name + ": pairs that came to their end", says: unsure}
	var whole [][2]T
	for _, p := range all {
		lost := m.detail
		for side := range p {
			if why := P(&p[side]).end().lost; why != "" {
				lost = append(lost, why)
			}
		}
		if len(lost) == len(m.detail) {
			whole = append(whole, p)
		}
		m.detail = lost
	}
	if len(whole) < len(all) {
		m.old, m.new = fmt.Sprint(len(whole)), fmt.Sprint(len(whole))
		b.add(m)
	}
	return whole, err
}

// add adds rows. Processor time of another day is not compared.
func (b *bench) add(all ...*measure) {
	for _, m := range all {
		if m.timed && b.old.used() {
			m.ratio, m.says = nil, untold
		}
		b.measures = append(b.measures, m)
	}
}

// pick takes the value for the short form or the one for the full.
func pick[T any](b *bench, short, full T) T {
	if b.full {
		return full
	}
	return short
}

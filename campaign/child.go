package campaign

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"

	txexec "txweave/exec"
	"txweave/oracle"
)

// Hello is a child worker's first line: what its target is.
type Hello struct {
	txexec.Description
	Error string `json:"error,omitempty"` // why there is no target
}

// Child is a worker in a process of its own, so that a fault of an engine inside the process is a finding and
// not the end. It sends a case number a line and gets a CaseResult a line.
type Child struct {
	command func() *exec.Cmd
	caseOf  func(n int) []byte // the case's text, for a finding that the child cannot write any more
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	stderr  *tail
	Hello   Hello
}

// NewChild starts a child worker. command makes a fresh command each time one is started.
func NewChild(command func() *exec.Cmd, caseOf func(int) []byte) (*Child, error) {
	c := &Child{command: command, caseOf: caseOf}
	return c, c.start()
}

func (c *Child) start() (err error) {
	c.cmd = c.command()
	c.stderr = &tail{limit: 64 << 10}
	c.cmd.Stderr = c.stderr
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	c.out = bufio.NewReaderSize(out, 64<<10)
	if err := c.cmd.Start(); err != nil {
		return fmt.Errorf("cannot start a worker: %w", err)
	}
	if err := c.receive(&c.Hello); err != nil {
		return errors.Join(fmt.Errorf("worker does not start: %w: %s", err, c.stderr.last()), c.Close())
	}
	if c.Hello.Error != "" {
		_ = c.Close() // that it failed is known
		return fmt.Errorf("%w: %s", txexec.ErrUnavailable, c.Hello.Error)
	}
	return nil
}

func (c *Child) receive(v any) error {
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, v)
}

// Check lets the child check a case. A child that ends instead has crashed on it: a finding; the next one is
// started.
func (c *Child) Check(ctx context.Context, n int) (*CaseResult, error) {
	in := c.in
	stop := context.AfterFunc(ctx, func() { in.Close() }) // the child then ends after its case
	defer stop()
	res := &CaseResult{}
	_, err := fmt.Fprintln(c.in, n)
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err() // the case was never sent
	}
	if err == nil {
		err = c.receive(res)
	}
	if err == nil {
		return res, nil
	}
	c.in.Close()
	_, _ = io.Copy(io.Discard, c.out)
	ended := c.cmd.Wait()
	if ended == nil {
		return nil, fmt.Errorf("worker ended without an answer to case %d: %w", n, err)
	}
	f := Found{Finding: oracle.Finding{Class: oracle.ClassCrash, Oracle: "crash", Summary: "the engine's process ended: " + ended.Error(),
		Log: c.stderr.String(), Confirmed: 1, Repeated: 1}, Files: map[string][]byte{"case.txw": c.caseOf(n), "log.txt": []byte(c.stderr.String())}}
	f.Sign()
	res = &CaseResult{Case: n, Skipped: oracle.ClassCrash, Findings: []Found{f}}
	if ctx.Err() != nil {
		return res, nil // nobody needs another one
	}
	return res, c.start()
}

// Close lets the child end and waits for it.
func (c *Child) Close() error {
	c.in.Close()
	if c.cmd.ProcessState != nil {
		return nil
	}
	_, _ = io.Copy(io.Discard, c.out)
	if err := c.cmd.Wait(); err != nil {
		return fmt.Errorf("worker: %w: %s", err, c.stderr.last())
	}
	return nil
}

// tail keeps the last bytes of what is written to it.
type tail struct {
	mu    sync.Mutex
	text  []byte
	limit int
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - t.limit; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}

// last returns the last line.
func (t *tail) last() string {
	lines := strings.Split(strings.TrimSpace(t.String()), "\n")
	return lines[len(lines)-1]
}

package worker

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
	"txweave/campaign"
	"txweave/finding"

	txexec "txweave/exec"
)

// Hello is a child worker's first line: what its target is.
type Hello struct {
	txexec.Description
	Error string `json:"error,omitempty"` // why there is no target
}

// Child is a worker in a process of its own, so that a fault of an engine inside the process is a finding and
// not the end. It sends a Job a line and gets a CaseResult a line.
type Child struct {
	command func() *exec.Cmd
	caseOf  func(n int) []byte // the case's text, for a finding that the child cannot write any more
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	stderr  *tail
	kills   int // children in a row that were ended from outside
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

// Check lets the child check a case. A child that ends instead has crashed on it, which is a finding, or was ended from
// outside, which is none; the next one is started.
func (c *Child) Check(ctx context.Context, job campaign.Job) (*campaign.CaseResult, error) {
	in := c.in
	stop := context.AfterFunc(ctx, func() { in.Close() }) // the child then ends after its case
	defer stop()
	res := &campaign.CaseResult{}
	err := json.NewEncoder(c.in).Encode(job)
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err() // the case was never sent
	}
	if err == nil {
		err = c.receive(res)
	}
	if err == nil {
		c.kills = 0
		return res, fatal(res)
	}
	c.in.Close()
	_, _ = io.Copy(io.Discard, c.out)
	how, why := endOf(c.cmd.Wait(), c.stderr.String())
	res = &campaign.CaseResult{Case: job.Case}
	switch how {
	case ours:
		return nil, fmt.Errorf("worker ended on case %d: %w: %s", job.Case, err, why)
	case outside:
		if res.Skipped, c.kills = SkippedKilled, c.kills+1; c.kills > maxKills {
			return res, fmt.Errorf("%w: %d workers in a row were ended from outside: %s", txexec.ErrUnavailable, c.kills, why)
		}
	case crashed:
		res.Skipped, res.Findings = finding.ClassCrash, []campaign.Found{c.crash(job, why)}
	}
	if ctx.Err() != nil {
		return res, nil // nobody needs another one
	}
	return res, c.start()
}

// fatal is the error that a child reports of itself; nil where it can go on.
func fatal(r *campaign.CaseResult) error {
	switch {
	case r.Fatal == "":
		return nil
	case r.Unavailable:
		return fmt.Errorf("%w: %s", txexec.ErrUnavailable, strings.TrimPrefix(r.Fatal, txexec.ErrUnavailable.Error()+": "))
	}
	return errors.New(r.Fatal)
}

// crash is the finding of a child that has crashed.
func (c *Child) crash(job campaign.Job, why string) campaign.Found {
	text := job.Text
	if text == nil {
		text = c.caseOf(job.Case)
	}
	log := c.stderr.String()
	f := campaign.Found{Finding: finding.Finding{Class: finding.ClassCrash, Oracle: "crash", Summary: "the engine's process ended: " + why, Log: log,
		Confirmed: 1, Repeated: 1}, Files: map[string][]byte{"case.txw": text, "log.txt": []byte(log)}}
	f.Sign()
	return f
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

package worker

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"txweave/campaign"
	txexec "txweave/exec"
	"txweave/finding"
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
	kills   int         // children in a row that were ended from outside
	late    atomic.Bool // it was ended because it did not answer
	leaves  bool        // it was told to end after its last case
	doing   atomic.Pointer[string]
	Hello   Hello
	// Limit is how long a case may take; 0: ten minutes.
	Limit time.Duration
}

// NewChild starts a child worker. command makes a fresh command each time one is started.
func NewChild(command func() *exec.Cmd, caseOf func(int) []byte) (*Child, error) {
	c := &Child{command: command, caseOf: caseOf}
	return c, c.start()
}

func (c *Child) start() (err error) {
	c.late.Store(false)
	c.leaves = false
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
	txexec.EndFirst(c.cmd.Process.Pid)
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
// outside, which is none; one that does not answer within Limit is ended, and a finding. The next one is started.
func (c *Child) Check(ctx context.Context, job campaign.Job) (*campaign.CaseResult, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if c.leaves || c.cmd.ProcessState != nil { // the time of the case before it was over, and this one has its own
		_, _ = c.reap() // it was told to end
		if err := c.start(); err != nil {
			return nil, err
		}
	}
	res, sent, err := c.send(ctx, job)
	if err == nil {
		c.kills = 0
		return res, fatal(res)
	}
	if !sent && ctx.Err() != nil {
		return nil, ctx.Err() // the case was never sent
	}
	how, why := c.reap()
	if ctx.Err() != nil && how == outside {
		return nil, ctx.Err() // it took too long to end
	}
	if how == ours {
		return nil, &endedError{fmt.Errorf("worker ended on case %d: %w: %s", job.Case, err, why), c.stderr.String()}
	}
	if res, err = c.ended(ctx, job, how, why); err != nil {
		return res, err
	}
	if ctx.Err() != nil || c.cmd.ProcessState == nil {
		return res, nil // nobody needs another one, or there is one
	}
	return res, c.start()
}

// ended is what a case came to on which the child ended, or was ended.
func (c *Child) ended(ctx context.Context, job campaign.Job, how ending, why string) (*campaign.CaseResult, error) {
	res := &campaign.CaseResult{Case: job.Case, Detail: why}
	switch how {
	case outside:
		if res.Skipped, c.kills = SkippedKilled, c.kills+1; c.kills > maxKills {
			return res, fmt.Errorf("%w: %d workers in a row were ended from outside: %s", txexec.ErrUnavailable, c.kills, why)
		}
	case crashed, hung:
		res.Skipped = finding.ClassCrash
		f := c.crash(job, how, why)
		if !job.Bare && how == crashed {
			if err := c.repeat(ctx, job, &f); err != nil {
				return res, err
			}
		}
		res.Findings = []campaign.Found{f}
	}
	return res, nil
}

// How long a case that is under way may still take when a campaign ends: as its time is up, or as somebody is waiting.
const (
	lastCase  = time.Minute
	abandoned = 3 * time.Second
)

// leave makes the child end after its case when ctx ends, and ends it where that takes too long; until done is called.
// Somebody may begin to wait when the time is over already.
func (c *Child) leave(ctx context.Context) (done func()) {
	in, process := c.in, c.cmd.Process
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		in.Close()
		grace, interrupted := time.After(lastCase), campaign.Interrupted(ctx)
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			grace, interrupted = time.After(abandoned), nil
		}
		for {
			select {
			case <-ended:
				return
			case <-interrupted:
				grace, interrupted = time.After(abandoned), nil
			case <-grace:
				_ = process.Kill()
				return
			}
		}
	})
	return func() {
		c.leaves = !stop()
		close(ended)
	}
}

// send sends a job and waits for the result. It says whether the job went out.
func (c *Child) send(ctx context.Context, job campaign.Job) (res *campaign.CaseResult, sent bool, err error) {
	c.doing.Store(nil)
	defer c.leave(ctx)()
	if err := json.NewEncoder(c.in).Encode(job); err != nil {
		return nil, false, err
	}
	process := c.cmd.Process
	watch := time.AfterFunc(cmp.Or(c.Limit, caseLimit), func() {
		c.late.Store(true)
		_ = process.Signal(syscall.SIGQUIT) // it says where it is, and ends
		time.Sleep(quitTime)
		_ = process.Kill()
	})
	defer watch.Stop()
	for {
		res = &campaign.CaseResult{}
		if err := c.receive(res); err != nil || res.Doing == "" {
			return res, true, err
		}
		c.doing.Store(&res.Doing)
	}
}

// Doing implements campaign.Teller: what the process said last.
func (c *Child) Doing() string {
	if said := c.doing.Load(); said != nil {
		return *said
	}
	return ""
}

// caseLimit is how long a case may take before the engine counts as hanging: a hundred times what the longest take.
const caseLimit = 10 * time.Minute

// quitTime is how long a process has to say where it is.
const quitTime = 10 * time.Second

// reap waits for a child's end and tells how it came.
func (c *Child) reap() (how ending, why string) {
	c.in.Close()
	_, _ = io.Copy(io.Discard, c.out)
	err := c.cmd.Wait()
	if c.late.Load() {
		return hung, fmt.Sprintf("it had not answered for %s", cmp.Or(c.Limit, caseLimit))
	}
	return endOf(err, c.stderr.String())
}

// crashRepeats is how often a case that crashed the engine is run again, alone in a new process, before the finding
// says how often it comes back.
const crashRepeats = 3

// repeat runs a case again that crashed the engine.
func (c *Child) repeat(ctx context.Context, job campaign.Job, f *campaign.Found) error {
	job.Repeats, job.Bare = 1, true
	for range crashRepeats {
		if ctx.Err() != nil {
			return nil
		}
		if c.cmd.ProcessState != nil {
			if err := c.start(); err != nil {
				return err
			}
		}
		if _, _, err := c.send(ctx, job); err != nil {
			how, _ := c.reap()
			if how == outside || how == ours {
				continue // it says nothing
			}
			f.Confirmed++
		}
		f.Repeated++
	}
	return nil
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

// crash is the finding of a child that has crashed, or hangs.
func (c *Child) crash(job campaign.Job, how ending, why string) campaign.Found {
	text := job.Text
	if text == nil {
		text = c.caseOf(job.Case)
	}
	log := c.stderr.String()
	f := campaign.Found{Finding: finding.Finding{Class: finding.ClassCrash, Oracle: "crash",
		Summary: "the engine's process ended: " + why, Log: log},
		Files: map[string][]byte{finding.CaseFile: text, finding.LogFile: []byte(log)}}
	if how == hung {
		f.Class, f.Oracle, f.Summary = finding.ClassHang, "hang", "the engine's process hangs: "+why
	}
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

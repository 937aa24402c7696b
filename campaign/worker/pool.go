package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"

	"txweave/campaign"
	"txweave/campaign/casesource"
	"txweave/campaign/target"
	txexec "txweave/exec"
	"txweave/internal/outcome"
	"txweave/internal/spelling"
	"txweave/sdg"
	"txweave/weave"
)

// Checks say how cases are checked. Errors call its fields by the flags that set them.
type Checks struct {
	Orders    int // topological orders to replay for each case; 0: one, and a second one in some cases
	Integrity int // the database is asked in every so-many-th case whether its tables are whole; 0: only at findings
	// the finest equivalence that may be used to keep statements in a cyclic graph: exact, column or match
	Precision string
}

// Options are what the oracle is told.
func (c *Checks) Options() (weave.Options, error) {
	o := weave.Options{Orders: c.Orders, Integrity: c.Integrity}
	switch {
	case c.Orders < 0:
		return o, outcome.Misusef("--orders must be at least 0")
	case c.Integrity < 0:
		return o, outcome.Misusef("--integrity must not be negative")
	}
	for _, p := range []sdg.Precision{sdg.Exact, sdg.Column, sdg.Match} {
		if p.String() == c.Precision {
			o.Precision = p
			return o, nil
		}
	}
	return o, outcome.Misuse(spelling.NoneOf("--precision", c.Precision, "exact", "column", "match"))
}

// Command is the command of target.Config.Self that is a worker's process: Serve with its argument.
const Command = "worker"

// Config is all that a worker needs to know, in this process or in one of its own, which is told it as JSON.
type Config struct {
	Target  target.Config
	Seed    uint64
	Without []string // what is not generated
	Rows    int      // that one table of some cases has
	Checks
}

// Serve checks the cases that come on a reader, as the process of a worker whose Config is given as JSON; see the
// function Serve.
func (c *Config) Serve(ctx context.Context, r io.Reader, w io.Writer) error {
	o, err := c.Options()
	if err != nil {
		return err
	}
	on, err := c.Target.Resolve(ctx)
	if err != nil {
		return err
	}
	src, err := casesource.NewCases(c.Seed, on.Profile, c.Without...)
	if err != nil {
		return err
	}
	if err := src.WithRows(c.Rows); err != nil {
		return err
	}
	on.Collect()
	greeted := false
	err = on.Use(ctx, func(t txexec.Target) error {
		greeted = true
		return Serve(ctx, r, w, t, on.Profile, src, o)
	})
	if !greeted && err != nil {
		why := strings.TrimPrefix(err.Error(), txexec.ErrUnavailable.Error()+": ")
		return errors.Join(err, json.NewEncoder(w).Encode(Hello{Error: why}))
	}
	return err
}

// Pool opens workers of one kind.
type Pool struct {
	fleet   *target.Fleet
	checks  Checks
	options weave.Options
	// Cases are those that jobs without a text are about. They may be others as long as no worker is open.
	Cases *casesource.Cases

	mu    sync.Mutex
	about txexec.Description // of the first one
}

// NewPool returns a pool of workers on a fleet's databases, which end when the worker is closed.
func NewPool(fl *target.Fleet, src *casesource.Cases, c Checks) (*Pool, error) {
	o, err := c.Options()
	return &Pool{fleet: fl, Cases: src, checks: c, options: o}, err
}

// Open opens a worker: a process of its own where the engine would run inside ours.
func (p *Pool) Open(ctx context.Context) (campaign.Worker, error) {
	if p.fleet.Embedded() && p.fleet.Self != "" {
		c, err := p.child()
		if err != nil {
			return nil, err
		}
		p.describeAs(c.Hello.Description)
		return c, nil
	}
	t, err := p.fleet.Open(context.WithoutCancel(ctx))
	if err != nil {
		return nil, err
	}
	p.describeAs(t.Describe())
	return New(ctx, t, p.fleet.Profile, p.Cases, p.options)
}

// child starts a process.
func (p *Pool) child() (*Child, error) {
	told, err := json.Marshal(&Config{Target: p.fleet.Config, Seed: p.Cases.Seed(), Without: p.Cases.Without(),
		Rows: p.Cases.Rows(), Checks: p.checks})
	if err != nil {
		return nil, fmt.Errorf("what a worker is told: %w", err)
	}
	return NewChild(func() *exec.Cmd {
		cmd := exec.Command(p.fleet.Self, Command, string(told))
		txexec.OwnGroup(cmd)
		return cmd
	}, p.Cases.Text)
}

func (p *Pool) describeAs(d txexec.Description) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.about.Target == "" {
		p.about = d
	}
}

// Describe says what the workers' target is, once there is one.
func (p *Pool) Describe() txexec.Description {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.about
}

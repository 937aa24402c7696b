package worker

import (
	"context"
	osexec "os/exec"
	"sync"

	"txweave/campaign"
	"txweave/campaign/casesource"
	"txweave/dbms"
	"txweave/exec"
	"txweave/weave"
)

// Pool opens workers of one kind.
type Pool struct {
	Profile *dbms.Profile
	Cases   *casesource.Cases
	Options weave.Options
	// Target opens a database for a worker in this process. Its servers end when the worker is closed, not with the context.
	Target func(context.Context) (exec.Target, error)
	// Command starts txweave's own worker process, whose arguments say the same as the fields above; nil: workers are in
	// this process.
	Command func() *osexec.Cmd

	mu    sync.Mutex
	about exec.Description // of the first one
}

// Open opens a worker: a process of its own where the engine would run inside ours.
func (p *Pool) Open(ctx context.Context) (campaign.Worker, error) {
	if p.Command != nil {
		c, err := NewChild(p.Command, p.Cases.Text)
		if err != nil {
			return nil, err
		}
		p.describeAs(c.Hello.Description)
		return c, nil
	}
	t, err := p.Target(context.WithoutCancel(ctx))
	if err != nil {
		return nil, err
	}
	p.describeAs(t.Describe())
	return New(ctx, t, p.Profile, p.Cases, p.Options)
}

func (p *Pool) describeAs(d exec.Description) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.about.Target == "" {
		p.about = d
	}
}

// Describe says what the workers' target is, once there is one.
func (p *Pool) Describe() exec.Description {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.about
}

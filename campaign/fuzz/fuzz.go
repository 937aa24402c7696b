// Package fuzz generates cases and looks for transaction bugs: a Config says with what and on what, and the Hunt that
// it opens does it.
package fuzz

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"txweave/campaign"
	"txweave/campaign/casesource"
	"txweave/campaign/rotation"
	"txweave/campaign/shrink"
	"txweave/campaign/store"
	"txweave/campaign/target"
	"txweave/campaign/worker"
	"txweave/exec/planted"
	"txweave/finding"
	"txweave/finding/known"
	"txweave/gen"
	"txweave/gen/guide"
	"txweave/internal/outcome"
)

// Config is a run of fuzz. Errors call its fields by the flags that set them.
type Config struct {
	Target target.Config
	worker.Checks
	Seed     uint64
	First    int           // number of the first case
	Cases    int           // 0: no limit
	Duration time.Duration // 0: no limit
	Once     bool          // it stops after the first case that shows something
	Workers  int           // each with a database of its own
	Rows     int           // that one table of one case in sixteen has beyond the others; 0: no case has so many
	Without  []string      // what is not generated, or not done to cases, by name
	Seeds    string        // a directory with cases that are changed and tried, too; "": none

	NoReduce   bool          // findings are kept as they are found
	ReduceTime time.Duration // for one finding, and for all that are left at the end
	MaxLogs    int           // findings of one bug whose files are kept
	PauseAbove int           // percentage of the last cases beyond which a cause is paused; 0: never
	Known      string        // a file of known bugs, beside those that txweave comes with
	AllNew     bool          // known bugs are neither left out nor told from others: they are what is looked for

	Store   store.Store // nil keeps nothing
	Command string      // the command line that does the same, for findings
}

// Default is the Config of somebody who has said nothing.
func Default() Config {
	return Config{Target: target.Config{Wait: target.DefaultWait}, Checks: worker.Checks{Integrity: 10,
		Precision: "match"}, Workers: 1,
		ReduceTime: time.Minute, MaxLogs: 3, PauseAbove: 80}
}

// Validate says which values there cannot be. What depends on the target Open says.
func (c *Config) Validate() error {
	if c.Workers < 1 || c.Workers > rotation.MaxWorkers {
		return outcome.Misusef("--workers must be from 1 to %d", rotation.MaxWorkers)
	}
	if c.Cases < 0 || c.Duration < 0 || c.First < 0 {
		return outcome.Misusef("--cases, --first and --duration must not be negative")
	}
	if _, err := c.Options(); err != nil {
		return err
	}
	switch {
	case c.MaxLogs < 1:
		return outcome.Misusef("--max-logs-per-bug must be at least 1")
	case c.PauseAbove < 0 || c.PauseAbove > 99:
		return outcome.Misusef("--pause-above %d: want a percentage below 100", c.PauseAbove)
	case c.ReduceTime <= 0:
		return outcome.Misusef("--reduce-time must be more than 0 (--no-reduce switches reducing off)")
	}
	return nil
}

// bugs are the known ones.
func (c *Config) bugs(ctx context.Context) (known.List, error) {
	if c.AllNew {
		return nil, nil
	}
	list, err := known.Default()
	if err != nil || c.Known == "" {
		return list, err
	}
	more, err := known.Read(ctx, c.Known)
	if err != nil {
		return nil, outcome.Misusef("--known: %w", err)
	}
	return append(more, list...), nil
}

// Hunt is a run that is ready to begin.
type Hunt struct {
	Config
	On       *target.Chosen
	Bugs     known.List      // that findings may be; once the first worker is up those of the target's version
	Campaign campaign.Config // what is run; whom it tells is for the caller to say

	pool  *worker.Pool
	fleet *target.Fleet // nil: it is the caller's
}

// Open makes a run ready: it is to be closed.
func (c Config) Open(ctx context.Context) (*Hunt, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	on, err := c.Target.Resolve(ctx)
	if err != nil {
		return nil, err
	}
	fl, err := on.Fleet(ctx)
	if err != nil {
		return nil, err
	}
	s, err := c.OpenOn(ctx, fl)
	if err != nil {
		return nil, errors.Join(err, fl.Close())
	}
	s.fleet = fl
	return s, nil
}

// OpenOn makes a run ready on databases of the caller's, whatever Config.Target says.
func (c Config) OpenOn(ctx context.Context, fl *target.Fleet) (*Hunt, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	s := &Hunt{Config: c, On: fl.Chosen}
	var err error
	if s.Bugs, err = c.bugs(ctx); err != nil {
		return nil, err
	}
	if s.pool, err = worker.NewPool(fl, nil, c.Checks); err != nil {
		return nil, err
	}
	if err := s.generate(ctx); err != nil {
		return nil, err
	}
	source := casesource.CaseSource{First: c.First, Count: c.Cases}
	if source.Made, err = s.seeds(ctx); err != nil {
		return nil, err
	}
	s.Campaign = campaign.Config{Seed: c.Seed, Source: source, Duration: c.Duration, Once: c.Once, Workers: c.Workers,
		Store:      c.Store,
		ReduceTime: c.ReduceTime, MaxKept: c.MaxLogs, PauseAbove: c.PauseAbove,
		Known: s.isKnown, Unconfirmed: enoughUnconfirmed(fl.Chosen),
		Describe:  s.describe,
		NewWorker: func(ctx context.Context, _ int) (campaign.Worker, error) { return s.pool.Open(ctx) }}
	if !c.NoReduce {
		s.Campaign.NewReducer = func(ctx context.Context) (campaign.Reducer, error) {
			one, err := s.pool.Open(ctx)
			return &shrink.Reducer{Worker: one, Profile: fl.Profile, Time: c.ReduceTime}, err
		}
	}
	return s, nil
}

// Close lets go of what the run takes.
func (h *Hunt) Close() error {
	if h.fleet == nil {
		return nil
	}
	return h.fleet.Close()
}

// Run runs it. The summary counts what was done in any case.
func (h *Hunt) Run(ctx context.Context) (*campaign.Summary, error) {
	return campaign.Run(ctx, h.Campaign)
}

// describe says under what findings are made; known bugs are those of the target's version from then on.
func (h *Hunt) describe() finding.Environment {
	env := h.On.Environment(h.pool.Describe())
	env.Seed, env.Command = h.Seed, h.Command
	h.Bugs = h.Bugs.In(&env)
	return env
}

// isKnown names the known bug that a finding is.
func (h *Hunt) isKnown(x *finding.Finding, sig finding.Signature) string {
	if b := h.Bugs.Match(x, sig); b != nil {
		return b.Name
	}
	return ""
}

// generate makes the generator's cases. What known bugs switch off, and what the target has, depends on the server's
// version, so it is asked for that first, but only where something does.
func (h *Hunt) generate(ctx context.Context) (err error) {
	p, leave := h.On.Profile, slices.Clone(h.Without)
	if h.On.DSN != "" { // what is prepared outlives a session, and this program; FLUSH TABLES needs a right of its own
		leave = append(leave, "xa", "prepared", "ddl-flush")
	}
	if len(h.On.Inject) > 0 {
		leave = append(leave, planted.Without(p)...)
	}
	if h.pool.Cases, err = casesource.NewCases(h.Seed, p, leave...); err != nil {
		return outcome.Misuse(err)
	}
	if err := h.pool.Cases.WithRows(h.Rows); err != nil {
		return outcome.Misuse(err)
	}
	if len(h.Bugs.On(p.DBMS).Without()) == 0 && len(gen.Missing(h.On.DBMS.Dialect, "0")) == 0 {
		return nil
	}
	first, err := h.pool.Open(ctx)
	if err != nil {
		return err
	}
	env := h.On.Environment(h.pool.Describe())
	if err := first.Close(); err != nil {
		return err
	}
	without := slices.Concat(leave, h.Bugs.In(&env).Without())
	if h.pool.Cases, err = casesource.NewCasesFor(env.Version, h.Seed, p, without...); err != nil {
		return outcome.Misusef("a known bug leaves out %s: %w", strings.Join(without, ", "), err)
	}
	return h.pool.Cases.WithRows(h.Rows)
}

// seeds returns what makes cases of those in a directory; nil for none.
func (h *Hunt) seeds(ctx context.Context) (func(n int) []byte, error) {
	if h.Seeds == "" {
		return nil, nil
	}
	cases, err := guide.ReadCases(ctx, h.Seeds)
	if err != nil {
		return nil, outcome.Misusef("--seeds: %w", err)
	}
	made := h.pool.Cases.Seeds(cases)
	fmt.Fprintf(h.On.Notes, "txweave: %d of %d cases of %s are for %s at %s\n", made.Len(), len(cases), h.Seeds,
		h.On.Profile.DBMS, h.On.Profile.Isolation)
	return made.Next, nil
}

// enoughUnconfirmed is how many findings that do not come back each time are a bug. An engine in a process of its own,
// with one client, gives the same answers each time, or is wrong.
func enoughUnconfirmed(on *target.Chosen) int {
	if on.Profile.Embedded {
		return 1
	}
	return 0
}

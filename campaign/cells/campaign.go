package cells

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"txweave/campaign/casesource"
	"txweave/campaign/database"
	"txweave/campaign/rotation"
	"txweave/campaign/running"
	"txweave/campaign/store"
	"txweave/dbms/registry"
	"txweave/finding"
	"txweave/internal/outcome"
	"txweave/internal/strict"
	"txweave/internal/trust"
	"txweave/internal/version"
)

// DefaultOut is where campaigns of cells lie where nobody has said otherwise.
const DefaultOut = "txweave-campaign"

// Config is a campaign of cells. Errors call its fields by the flags that set them.
type Config struct {
	Plan      *rotation.CampaignPlan
	Out       string         // the campaign's directory
	Store     string         // the database that several machines share, as users write it; "": one in Out
	Shard     database.Shard // the part of every cell that this process does; of no parts: all of it
	Artifacts string         // the bucket that keeps files of findings; "": the store does
	Book      *trust.Book    // what the user has named; nil: what is remembered of that

	Self  string    // see target.Config
	Notes io.Writer // see target.Config
}

// ReadShard reads a part of every cell, "i/n"; "" is all of it.
func ReadShard(text string) (s database.Shard, err error) {
	if text == "" {
		return database.Shard{Index: 0, Count: 1}, nil
	}
	i, n, ok := strings.Cut(text, "/")
	s.Index, err = strconv.ParseInt(i, 10, 32)
	if err == nil {
		s.Count, err = strconv.ParseInt(n, 10, 32)
	}
	if !ok || err != nil || s.Index < 0 || s.Count < 1 || s.Index >= s.Count {
		return s, outcome.Misusef("--shard %q: want i/n, from 0/n to n-1/n", text)
	}
	return s, nil
}

// DefaultPlan is the campaign of somebody who has said nothing.
func DefaultPlan() *rotation.CampaignPlan {
	return &rotation.CampaignPlan{Slice: strict.Duration(time.Minute), Parts: []rotation.Part{
		{Name: registry.Default + "-" + rotation.ModeFuzz, Target: registry.Default, Mode: rotation.ModeFuzz, Weight: 3},
		{Name: registry.Default + "-" + rotation.ModeStorm, Target: registry.Default, Mode: rotation.ModeStorm,
			Slice: strict.Duration(20 * time.Second), Workload: "random-sql", Length: strict.Duration(5 * time.Second)},
	}}
}

// InstalledPlan has a cell for each level and mode of the targets that are installed.
func InstalledPlan(ctx context.Context) *rotation.CampaignPlan {
	p := &rotation.CampaignPlan{Slice: strict.Duration(10 * time.Minute), Parallel: max(1, runtime.NumCPU()/4)}
	for _, name := range registry.Names() {
		d, err := registry.Lookup(name)
		if err != nil || !d.Installed() || d.Server != nil && d.Launchable(ctx, "") != nil {
			continue
		}
		for _, level := range d.Levels {
			level := level.Isolation
			part := rotation.Part{Name: strings.Join([]string{name, level, rotation.ModeFuzz}, "-"), Target: name,
				Isolation: level, Mode: rotation.ModeFuzz, Weight: 3, Workers: 1}
			p.Parts = append(p.Parts, part)
			part.Name, part.Mode, part.Weight, part.Workload = strings.Join([]string{name, level, rotation.ModeStorm}, "-"),
				rotation.ModeStorm, 1, "random-sql"
			p.Parts = append(p.Parts, part)
		}
	}
	return p
}

// ReadPlan makes the Config's plan that of a campaign.toml; of "" it is that with which the directory's campaign ran
// last, or the default one. What a directory alone names is used only if the user has named it, too.
func (c *Config) ReadPlan(ctx context.Context, file string) (err error) {
	if c.Out == "" && c.Store == "" {
		return outcome.Misusef("--out: a campaign needs a directory")
	}
	c.Book = cmp.Or(c.Book, trust.Open())
	switch {
	case file != "":
		if c.Plan, err = rotation.Read(ctx, file); err != nil {
			return outcome.Misuse(err)
		}
	case c.Store == "" && database.Exists(c.Out):
		if c.Plan, err = storedPlan(ctx, c.Out); err != nil {
			return err
		}
		if err := c.Book.Refuse(c.Out, c.Plan.Ways()...); err != nil {
			return outcome.Misusef("%w; or give the campaign.toml", err)
		}
	default:
		c.Plan = DefaultPlan()
	}
	return outcome.Misuse(c.Plan.Check())
}

// storedPlan is the plan with which a directory's campaign ran last.
func storedPlan(ctx context.Context, dir string) (*rotation.CampaignPlan, error) {
	db, err := database.Open(ctx, dir, false)
	if err != nil {
		return nil, err
	}
	text, err := db.Meta(ctx, "campaign")
	if err = errors.Join(err, db.Close()); err != nil {
		return nil, err
	}
	if text == "" { // killed before it had begun
		return DefaultPlan(), nil
	}
	p, err := rotation.Parse(filepath.Join(dir, database.File), []byte(text))
	return p, outcome.Misuse(err)
}

// Campaign is a campaign that is ready to run. Nobody else runs it meanwhile.
type Campaign struct {
	*running.Life
	cells []*database.Cell
	close []func() error // what it has opened, the last first
}

// Open makes the campaign ready, which others may see then: it is to be closed.
func (c Config) Open(ctx context.Context, display running.Display) (out *Campaign, err error) {
	c.Book, c.Shard.Count = cmp.Or(c.Book, trust.Open()), cmp.Or(c.Shard.Count, 1)
	if err := c.Plan.Check(); err != nil {
		return nil, outcome.Misuse(err)
	}
	life := &running.Life{Plan: c.Plan, Display: display, Configure: c.Configure}
	if err := life.CanTell(); err != nil {
		return nil, outcome.Misusef("notify: %w", err)
	}
	plans, err := Plans(c.Plan)
	if err != nil {
		return nil, err
	}
	if err := outError(store.Check(c.Out)); err != nil {
		return nil, err
	}
	unlock, err := database.Lock(c.Out)
	if errors.Is(err, database.ErrRunning) {
		return nil, outcome.Misusef("%s: %w", c.Out, err)
	}
	if err != nil {
		return nil, err
	}
	out = &Campaign{Life: life, close: []func() error{unlock}}
	if err := c.begin(ctx, out, plans); err != nil {
		return nil, errors.Join(err, out.Close())
	}
	return out, nil
}

// begin opens the database and takes up the cells where they are.
func (c *Config) begin(ctx context.Context, x *Campaign, plans []database.CellPlan) (err error) {
	if x.DB, err = database.At(ctx, c.Store, c.Out, true); err != nil {
		return err
	}
	x.close = append(x.close, x.DB.Close)
	if c.Artifacts != "" {
		if err := x.DB.UseBucket(ctx, c.Artifacts); err != nil {
			return err
		}
	}
	log, err := x.OpenLog()
	if err != nil {
		return outError(err)
	}
	x.close = append(x.close, log.Close)
	if n, err := x.DB.TakeOver(ctx, x.Note); err != nil {
		return err
	} else if n > 0 {
		x.Note(fmt.Sprintf("%s of %s are taken over from bugs.json", finding.Count(n, "bug"), c.Out))
	}
	if x.cells, err = x.DB.Begin(ctx, c.Shard, version.Full(), plans, casesource.FreshSeed); err != nil {
		return err
	}
	text, err := c.Plan.Print()
	if err == nil {
		err = x.DB.SetMeta(ctx, "campaign", string(text))
	}
	if err != nil {
		return err
	}
	if err := c.Book.Name(c.Plan.Ways()...); err != nil { // it was in a file that the user named, or known
		x.Note(fmt.Sprintf("without its campaign.toml the campaign will ask for what this names: it cannot be remembered: %s",
			err))
	}
	return nil
}

// Run runs the cells until ctx, or the campaign's time, ends.
func (x *Campaign) Run(ctx context.Context) error { return x.Life.Run(ctx, x.cells) }

// Close lets go of the campaign.
func (x *Campaign) Close() (err error) {
	for i := len(x.close) - 1; i >= 0; i-- {
		err = errors.Join(err, x.close[i]())
	}
	return err
}

// outError makes what keeps files of a campaign's directory from being written a wrong --out, if it is not the disk
// that is full or broken.
func outError(err error) error {
	if err == nil || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EIO) {
		return err
	}
	return outcome.Misusef("--out: %w", err)
}

// Stand is how the campaign stands at its end, which is noted in its directory, with its bugs.
func (x *Campaign) Stand(ctx context.Context) (*database.CampaignStatus, *finding.Bugs, error) {
	s, err := x.DB.Status(context.WithoutCancel(ctx))
	if err != nil {
		return nil, nil, err
	}
	s.End()
	if err := x.WriteStatus(s); err != nil {
		return nil, nil, err
	}
	b, err := x.DB.Bugs()
	return s, b, err
}

// Shorten ends the campaign after so long, if that is not 0.
func (c *Config) Shorten(d time.Duration) error {
	if d < 0 {
		return outcome.Misusef("--duration must not be negative")
	}
	c.Plan.Duration = cmp.Or(strict.Duration(d), c.Plan.Duration)
	return nil
}

// Package cells makes of a campaign's cells the values that the commands of their modes make of flags: fuzz.Config,
// storming.Config and detect.Config, so that a cell is run, and refused, as its command would run it.
package cells

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"txweave/campaign"
	"txweave/campaign/casesource"
	"txweave/campaign/database"
	"txweave/campaign/detect"
	"txweave/campaign/fuzz"
	"txweave/campaign/rotation"
	"txweave/campaign/storming"
	"txweave/campaign/target"
	"txweave/dbms"
	"txweave/exec"
	"txweave/finding"
	"txweave/internal/outcome"
)

// Plans are a plan's cells as the database knows them. What is wrong with one is said before anything is opened.
func Plans(p *rotation.CampaignPlan) (out []database.CellPlan, err error) {
	for i := range p.Parts {
		part := &p.Parts[i]
		level, err := check(part)
		if err != nil {
			return nil, outcome.Misusef("cell %q: %w", part.Name, err)
		}
		plan := rotation.CampaignPlan{Parts: []rotation.Part{*part}}
		spec, err := plan.Print()
		if err != nil {
			return nil, err
		}
		out = append(out, database.CellPlan{Name: part.Name, Target: part.Target, Isolation: level.Isolation, Mode: part.Mode,
			Seed: part.Seed, Spec: string(spec)})
	}
	return out, nil
}

// check looks at a cell's values, and returns its level.
func check(part *rotation.Part) (*dbms.Profile, error) {
	p, err := target.Lookup(part.Target, part.Isolation)
	if err != nil {
		return nil, err
	}
	if part.Claim != "" {
		if _, err := dbms.Lookup(part.Target, part.Claim); err != nil {
			return nil, fmt.Errorf("--claim: %w", err)
		}
	}
	switch part.Mode {
	case rotation.ModeStorm:
		c := stormOf(part, part.Seed)
		if err := c.Validate(); err != nil {
			return nil, err
		}
		return p, c.CheckFaults()
	case rotation.ModeDetect:
		_, err := target.Faults(part.Inject)
		return p, err
	}
	c := fuzzOf(part, part.Seed)
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if len(part.Without) > 0 {
		if _, err := casesource.NewCases(part.Seed, p, part.Without...); err != nil {
			return nil, fmt.Errorf("--without: %w", err)
		}
	}
	return p, c.Target.CheckFaults()
}

// fuzzOf is what a cell of fuzz says.
func fuzzOf(part *rotation.Part, seed uint64) fuzz.Config {
	c := fuzz.Default()
	c.Target = part.Database()
	c.Seed, c.Workers, c.Without, c.NoReduce = seed, part.Workers, part.Without, part.NoReduce
	c.Rows, c.Orders = part.Rows, cmp.Or(part.Orders, c.Orders)
	c.ReduceTime = cmp.Or(time.Duration(part.Reduce), c.ReduceTime)
	return c
}

// stormOf is what a cell of storms says: the engine is in a process of its own, which may crash.
func stormOf(part *rotation.Part, seed uint64) storming.Config {
	c := storming.Default()
	c.Target = part.Database()
	c.Target.Hosted = true
	c.Seed, c.Nemesis = seed, part.Nemesis
	c.Workload, c.Sessions, c.Keys = cmp.Or(part.Workload, c.Workload), cmp.Or(part.Sessions, c.Sessions),
		cmp.Or(part.Keys, c.Keys)
	c.Distribution, c.Duration = cmp.Or(part.Distribution, c.Distribution), cmp.Or(time.Duration(part.Length), c.Duration)
	c.Tuning, c.Transactions = part.Tuning, part.Transactions
	return c
}

// Configure says how a cell is run in its turn; done lets go of what that takes.
func (x Config) Configure(ctx context.Context, t *rotation.Turn) (c campaign.Config, done func() error, err error) {
	on := func(to *target.Config) {
		to.Self, to.Notes = x.Self, x.Notes
		to.Collect()
	}
	switch t.Mode {
	case rotation.ModeFuzz:
		f := fuzzOf(t.Part, t.Cell.Seed)
		f.Store, f.Command = t.Cell, again(t)
		on(&f.Target)
		h, err := f.Open(ctx)
		if err != nil {
			return c, nil, err
		}
		return h.Campaign, h.Close, nil
	case rotation.ModeStorm:
		f := stormOf(t.Part, t.Cell.Seed)
		f.Target.AtOnce = true
		on(&f.Target)
		s, err := f.Prepare(ctx)
		if err != nil {
			return c, nil, err
		}
		command := again(t)
		return onOne(ctx, t, s.On, func(to exec.Target) (campaign.Worker, error) {
			return storming.New(to, s, func(seed uint64) string { return command + " --seed " + strconv.FormatUint(seed, 10) })
		})
	}
	to := t.Database()
	on(&to)
	chosen, err := to.Resolve(ctx)
	if err != nil {
		return c, nil, err
	}
	d := detect.Config{Inject: t.Inject, Budget: cmp.Or(t.Budget, detect.Default().Budget)}
	return onOne(ctx, t, chosen, func(to exec.Target) (campaign.Worker, error) {
		return detect.NewWorker(to, chosen.Profile, d, t.Cell.Seed)
	})
}

// onOne is the campaign of one worker on a target.
func onOne(ctx context.Context, t *rotation.Turn, on *target.Chosen, open func(exec.Target) (campaign.Worker, error)) (
	c campaign.Config, done func() error, err error) {
	fl, err := on.Fleet(ctx)
	if err != nil {
		return c, nil, err
	}
	var about exec.Description
	return campaign.Config{Seed: t.Cell.Seed, Workers: 1, MaxKept: 3,
		NewWorker: func(ctx context.Context, _ int) (campaign.Worker, error) {
			to, err := fl.Open(context.WithoutCancel(ctx))
			if err != nil {
				return nil, err
			}
			about = to.Describe()
			w, err := open(to)
			if err != nil {
				return nil, errors.Join(err, to.Close())
			}
			return w, nil
		},
		Describe: func() finding.Environment {
			env := target.Environment(on.Profile, t.Claim, t.Inject, about)
			env.Server, env.Seed, env.Command = t.Server, t.Cell.Seed, again(t)
			return env
		},
	}, fl.Close, nil
}

// again is a command line that does what a cell does, without passwords; the number of the case is left out.
func again(t *rotation.Turn) string {
	to := t.Database()
	args := []string{os.Args[0], t.Mode, "--target", t.Target, "--isolation", t.Cell.Isolation}
	add := func(flag, value string) {
		if value != "" {
			args = append(args, "--"+flag, value)
		}
	}
	add("claim", t.Claim)
	add("server", t.Server)
	add("dsn", to.DSN)
	add("inject", strings.Join(t.Inject, ","))
	add("without", strings.Join(t.Without, ","))
	if t.Rows != 0 {
		add("rows", strconv.Itoa(t.Rows))
	}
	add("workload", t.Workload)
	add("nemesis", strings.Join(t.Nemesis, ","))
	number := func(flag string, n float64) {
		if n != 0 {
			add(flag, strconv.FormatFloat(n, 'g', -1, 64))
		}
	}
	number("sessions", float64(t.Sessions))
	number("keys", float64(t.Keys))
	add("distribution", t.Distribution)
	number("theta", t.Theta)
	number("length", float64(t.Operations))
	number("value-size", float64(t.ValueSize))
	number("transactions", float64(t.Transactions))
	if t.Reads != nil {
		add("reads", strconv.FormatFloat(*t.Reads, 'g', -1, 64))
	}
	if t.Mode == rotation.ModeFuzz {
		add("seed", strconv.FormatUint(t.Cell.Seed, 10))
	}
	return target.CommandLine(args)
}

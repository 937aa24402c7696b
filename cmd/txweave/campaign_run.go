package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"txweave/campaign"
	"txweave/campaign/casesource"
	"txweave/campaign/database"
	"txweave/campaign/detect"
	"txweave/campaign/rotation"
	"txweave/campaign/storming"
	"txweave/campaign/worker"
	"txweave/dbms"
	"txweave/dbms/registry"
	"txweave/exec"
	"txweave/finding"
)

// campaignRun is a campaign whose cells are run as the commands of their modes would run them.
type campaignRun struct {
	plan   *rotation.CampaignPlan
	db     *database.DB
	screen *screen
}

// cells are the plan's cells as the database knows them. What is wrong with one is said before anything is opened.
func (r *campaignRun) cells(ctx context.Context) (out []database.CellPlan, err error) {
	for i := range r.plan.Parts {
		part := &r.plan.Parts[i]
		p, err := lookup(part.Target, part.Isolation)
		if err == nil {
			err = r.check(ctx, part, p)
		}
		if err != nil {
			return nil, usage(fmt.Errorf("cell %q: %w", part.Name, err))
		}
		plan := rotation.CampaignPlan{Parts: []rotation.Part{*part}}
		spec, err := plan.Print()
		if err != nil {
			return nil, err
		}
		out = append(out, database.CellPlan{Name: part.Name, Target: part.Target, Isolation: p.Isolation, Mode: part.Mode, Seed: part.Seed, Spec: string(spec)})
	}
	return out, nil
}

// check looks at a cell's values as the command of its mode would.
func (r *campaignRun) check(ctx context.Context, part *rotation.Part, p *dbms.Profile) error {
	switch part.Mode {
	case rotation.ModeStorm:
		f, err := stormOf(part)
		if err == nil {
			_, err = f.check()
		}
		if err == nil {
			err = f.checkFaults()
		}
		return err
	case rotation.ModeDetect:
		_, err := pickFaults(part.Faults)
		return err
	}
	f, err := fuzzOf(part, part.Seed)
	if err == nil {
		_, err = f.check(ctx)
	}
	if err == nil {
		err = f.checkFaults()
	}
	if err == nil && len(part.Without) > 0 {
		if _, err = casesource.NewCases(part.Seed, p, part.Without...); err != nil {
			err = fmt.Errorf("--without: %w", err)
		}
	}
	return err
}

// config says how a cell is run; done lets go of what that takes.
func (r *campaignRun) config(ctx context.Context, t *rotation.Turn) (c campaign.Config, done func() error, err error) {
	if t.Mode == rotation.ModeFuzz {
		return fuzzConfig(ctx, t, r.screen)
	}
	var f targetFlags
	var open func(exec.Target, *dbms.Profile) (campaign.Worker, error)
	if t.Mode == rotation.ModeStorm {
		if f, open, err = stormConfig(t); err != nil {
			return c, nil, err
		}
	} else {
		if f, err = cellTarget(t.Part); err != nil {
			return c, nil, err
		}
		faults, err := (&detectFlags{faults: t.Faults}).pick()
		if err != nil {
			return c, nil, err
		}
		open = func(target exec.Target, p *dbms.Profile) (campaign.Worker, error) {
			return &detect.Worker{Target: target, Profile: p, Faults: faults, Seed: t.Cell.Seed, Options: detect.Options{Budget: cmp.Or(t.Budget, 200)}}, nil
		}
	}
	p, err := f.resolve(ctx)
	if err != nil {
		return c, nil, err
	}
	fl, err := newFleet(ctx, &f)
	if err != nil {
		return c, nil, err
	}
	var about exec.Description
	c = campaign.Config{Seed: t.Cell.Seed, Workers: 1, MaxKept: 3,
		NewWorker: func(ctx context.Context, _ int) (campaign.Worker, error) {
			target, err := fl.open(context.WithoutCancel(ctx))
			if err != nil {
				return nil, err
			}
			about = target.Describe()
			w, err := open(target, p)
			if err != nil {
				return nil, errors.Join(err, target.Close())
			}
			return w, nil
		},
		Describe: func() finding.Environment { return environmentOf(t, p, about) },
	}
	return c, fl.close, nil
}

// cellTarget are the flags that say which database a cell is about.
func cellTarget(part *rotation.Part) (f targetFlags, err error) {
	fs := pflag.NewFlagSet("cell", pflag.ContinueOnError)
	f.add(fs, registry.Default)
	err = setTarget(fs, part)
	return f, err
}

// setTarget sets the flags of a target to what a cell says.
func setTarget(fs *pflag.FlagSet, part *rotation.Part) error {
	dsn := part.DSN
	if part.DSNFile != "" {
		dsn = "@" + part.DSNFile
	}
	for _, x := range [][2]string{{"target", part.Target}, {"dsn", dsn}, {"server", part.Server}, {"isolation", part.Isolation}, {"claim", part.Claim}} {
		if x[1] == "" {
			continue
		}
		if err := fs.Set(x[0], x[1]); err != nil {
			return fmt.Errorf("%s: %w", x[0], err)
		}
	}
	return nil
}

// fuzzOf are the flags of fuzz that say the same as a cell.
func fuzzOf(part *rotation.Part, seed uint64) (*fuzzFlags, error) {
	f := &fuzzFlags{format: "text"}
	fs := pflag.NewFlagSet("fuzz", pflag.ContinueOnError)
	f.add(fs)
	if err := setTarget(fs, part); err != nil {
		return nil, err
	}
	f.seed, f.workers, f.without, f.targetFlags.faults, f.noReduce = seed, part.Workers, part.Without, part.Faults, part.NoReduce
	f.orders = cmp.Or(part.Orders, f.orders)
	f.reduceTime = cmp.Or(time.Duration(part.Reduce), f.reduceTime)
	return f, nil
}

// fuzzConfig says how a cell of fuzz is run.
func fuzzConfig(ctx context.Context, t *rotation.Turn, stderr io.Writer) (c campaign.Config, done func() error, err error) {
	f, err := fuzzOf(t.Part, t.Cell.Seed)
	if err != nil {
		return c, nil, err
	}
	o, err := f.check(ctx)
	if err != nil {
		return c, nil, err
	}
	p, err := f.resolve(ctx)
	if err != nil {
		return c, nil, err
	}
	fl, err := newFleet(ctx, &f.targetFlags)
	if err != nil {
		return c, nil, err
	}
	if c, err = f.campaign(ctx, p, fl, o, t.Cell, stderr); err != nil {
		return c, nil, errors.Join(err, fl.close())
	}
	describe := c.Describe
	c.Describe = func() finding.Environment {
		env := describe()
		env.Command = repeatCommand(t, "fuzz")
		return env
	}
	return c, fl.close, nil
}

// stormOf are the flags of storm that say the same as a cell.
func stormOf(part *rotation.Part) (*stormFlags, error) {
	f := &stormFlags{}
	fs := pflag.NewFlagSet("storm", pflag.ContinueOnError)
	f.define(fs)
	if err := setTarget(fs, part); err != nil {
		return nil, err
	}
	f.workload, f.sessions, f.keys = cmp.Or(part.Workload, f.workload), cmp.Or(part.Sessions, f.sessions), cmp.Or(part.Keys, f.keys)
	f.distribution = cmp.Or(part.Distribution, f.distribution)
	f.nemesis, f.upheavals, f.atOnce, f.targetFlags.faults = part.Nemesis, part.Nemesis, true, part.Faults
	f.duration = cmp.Or(time.Duration(part.Length), f.duration)
	return f, nil
}

// stormConfig says how a cell of storms is run: the engine is in a process of its own, which may crash.
func stormConfig(t *rotation.Turn) (f targetFlags, open func(exec.Target, *dbms.Profile) (campaign.Worker, error), err error) {
	s, err := stormOf(t.Part)
	if err != nil {
		return f, nil, err
	}
	w, err := s.check()
	if err != nil {
		return f, nil, err
	}
	s.hosted = true
	for _, n := range s.nemeses {
		s.durable = s.durable || n.Durable()
	}
	open = func(target exec.Target, p *dbms.Profile) (campaign.Worker, error) {
		for _, n := range s.nemeses {
			if why := n.Unfit(target); why != "" {
				return nil, usagef("nemesis %s: %s", n, why)
			}
		}
		return storming.New(target, p, storming.Options{Seed: t.Cell.Seed, Workload: w, Sessions: s.sessions, Length: s.duration, Nemeses: s.nemeses,
			Command: func(seed uint64) string { return repeatCommand(t, "storm") + " --seed " + strconv.FormatUint(seed, 10) }}), nil
	}
	return s.targetFlags, open, nil
}

// environmentOf says under what findings of a cell of storms, or of a self-test, are made.
func environmentOf(t *rotation.Turn, p *dbms.Profile, about exec.Description) finding.Environment {
	env := worker.Environment(p, t.Claim, t.Faults, about)
	env.Seed, env.Command = t.Cell.Seed, repeatCommand(t, t.Mode)
	return env
}

// repeatCommand is a command line that does what a cell does, without passwords; the number of the case is left out.
func repeatCommand(t *rotation.Turn, command string) string {
	args := []string{os.Args[0], command, "--target", t.Target, "--isolation", t.Cell.Isolation}
	add := func(flag, value string) {
		if value != "" {
			args = append(args, "--"+flag, value)
		}
	}
	add("claim", t.Claim)
	add("server", t.Server)
	add("dsn", t.DSN)
	if t.DSNFile != "" {
		add("dsn", "@"+t.DSNFile)
	}
	add("faults", strings.Join(t.Faults, ","))
	add("without", strings.Join(t.Without, ","))
	add("workload", t.Workload)
	add("nemesis", strings.Join(t.Nemesis, ","))
	if command == rotation.ModeFuzz {
		add("seed", strconv.FormatUint(t.Cell.Seed, 10))
	}
	return commandLine(args)
}

// installed says whether a DBMS can be run on this machine, or is part of txweave.
func installed(d *registry.DBMS) bool {
	return d.Server == nil || d.Server.Installed() != ""
}

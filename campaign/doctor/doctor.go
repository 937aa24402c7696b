// Package doctor says what a machine has for campaigns, and what keeps them from running well.
package doctor

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"txweave/campaign/cells"
	"txweave/campaign/resources"
	"txweave/campaign/rotation"
	"txweave/campaign/running"
	"txweave/campaign/target"
	"txweave/dbms/registry"
	"txweave/exec"
	"txweave/finding"
	"txweave/internal/outcome"
	"txweave/internal/version"
	"txweave/report/tabular"
)

// Config says what is looked at.
type Config struct {
	Out   string    // the directory in which the campaign is to lie
	Quick bool      // no server is started
	Self  string    // see target.Config
	Notes io.Writer // see target.Config
}

// Examine looks at the machine and at each target, in whose place the cells of a campaign.toml come if it is not "".
// cannot says that one of the cells, or every target, cannot run.
func (c *Config) Examine(ctx context.Context, file string) (list []resources.Symptom, cannot bool, err error) {
	list = []resources.Symptom{
		{What: "txweave", State: resources.Fine, Found: fmt.Sprintf("%s, %s, %s/%s, %s", version.Full(), runtime.Version(),
			runtime.GOOS, runtime.GOARCH, finding.Count(runtime.NumCPU(), "processor"))},
	}
	list = append(list, resources.Examine(c.Out)...)
	if file != "" {
		plan, err := rotation.Read(ctx, file)
		if err != nil {
			return nil, false, outcome.Misuse(err)
		}
		if _, err := cells.Plans(plan); err != nil {
			return nil, false, err
		}
		if err := (&running.Life{Plan: plan}).CanTell(); err != nil {
			list = append(list, resources.Symptom{What: "notify", State: resources.Broken, Found: finding.ErrorLine(err),
				Mend: "mend notify in campaign.toml, or what it names"})
			cannot = true
		}
		for i := range plan.Parts {
			s := c.tryCell(ctx, &plan.Parts[i])
			list, cannot = append(list, s), cannot || s.State == resources.Broken
		}
	} else {
		var targets []resources.Symptom
		for _, name := range registry.Names() {
			if s, known := c.tryTarget(ctx, name); known {
				targets = append(targets, s)
			}
		}
		cannot = !slices.ContainsFunc(targets, func(s resources.Symptom) bool { return s.State == resources.Fine })
		list = append(list, targets...)
	}
	if ctx.Err() != nil {
		return nil, false, outcome.Stopped()
	}
	return list, cannot, nil
}

// Print prints what was found for people.
func Print(w io.Writer, list []resources.Symptom) error {
	rows := [][]string{{"", "what", "found"}}
	for _, s := range list {
		rows = append(rows, []string{string(s.State), s.What, finding.Line(s.Found)})
		if s.Mend != "" {
			rows = append(rows, []string{"", "", "→ " + s.Mend})
		}
	}
	return tabular.Table(w, rows)
}

// tryTime is how long a target may take to answer.
const tryTime = time.Minute

// tryTarget starts a target once, if it is installed; known is false for those that txweave does not run.
func (c *Config) tryTarget(ctx context.Context, name string) (s resources.Symptom, known bool) {
	d, err := registry.Lookup(name)
	if err != nil || len(d.Levels) == 0 {
		return s, false
	}
	mend := ""
	if d.Server != nil {
		mend = "install " + cmp.Or(d.Server.Binary.Packages, "it") + ", or name its binary with --server"
	}
	if !d.Installed() {
		return resources.Symptom{What: "target " + name, State: resources.Lesser, Found: "it is not installed",
			Mend: mend}, true
	}
	if d.Server != nil {
		if err := d.Launchable(ctx, ""); err != nil { // another DBMS has a program of that name
			return resources.Symptom{What: "target " + name, State: resources.Lesser, Found: finding.ErrorLine(err),
				Mend: mend}, true
		}
	}
	return c.try(ctx, "target "+name, &rotation.Part{Target: name}), true
}

// tryCell starts, or reaches, what a cell is about.
func (c *Config) tryCell(ctx context.Context, part *rotation.Part) resources.Symptom {
	return c.try(ctx, "cell "+part.Name, part)
}

func (c *Config) try(ctx context.Context, what string, part *rotation.Part) resources.Symptom {
	s := resources.Symptom{What: what, State: resources.Fine}
	begun := time.Now()
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	if c.Quick {
		return c.quickly(ctx, s, part)
	}
	about, err := c.contact(ctx, part)
	if err != nil {
		s.State, s.Found = resources.Broken, finding.ErrorLine(err)
		switch {
		case part.DSN != "" || part.DSNFile != "":
			s.Mend = "start the server, or mend the cell's dsn"
		default:
			s.Mend = "install it, or name its binary (server in campaign.toml, --server)"
		}
		return s
	}
	s.Found = fmt.Sprintf("%s, up in %s", about.Version, time.Since(begun).Round(10*time.Millisecond))
	return s
}

// database is the target that a cell is about.
func (c *Config) database(part *rotation.Part) target.Config {
	to := part.Database()
	to.Self, to.Notes = c.Self, c.Notes
	return to
}

// quickly looks whether what a cell is about can be started, or has an address, and starts nothing.
func (c *Config) quickly(ctx context.Context, s resources.Symptom, part *rotation.Part) resources.Symptom {
	on, err := c.database(part).Resolve(ctx)
	if err == nil && on.DSN == "" && on.DBMS.Server != nil {
		err = on.DBMS.Launchable(ctx, part.Server)
	}
	if s.Found = "it is there"; err != nil {
		s.State, s.Found, s.Mend = resources.Broken, finding.ErrorLine(err), "mend the cell, or install its server"
	}
	return s
}

// contact opens what a cell is about and closes it.
func (c *Config) contact(ctx context.Context, part *rotation.Part) (about exec.Description, err error) {
	to := c.database(part)
	to.Wait = time.Second
	on, err := to.Resolve(ctx)
	if err != nil {
		return about, err
	}
	err = on.Use(ctx, func(t exec.Target) error {
		about = t.Describe()
		return nil
	})
	return about, err
}

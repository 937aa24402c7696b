// Package target is the database that work is done on: a value that says which one, and what is opened by it.
package target

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"txweave/dbms"
	"txweave/dbms/driver"
	"txweave/dbms/registry"
	"txweave/exec"
	"txweave/exec/planted"
	"txweave/finding"
	"txweave/internal/outcome"
	"txweave/internal/spelling"
	"txweave/internal/version"
)

// DefaultWait is how long a server of a DSN may be away where nobody has said otherwise.
const DefaultWait = 30 * time.Second

// Config says which database it is, at which level, and how it is run. Errors call its fields by the flags that set
// them.
type Config struct {
	Target    string        // name of the DBMS; "": that of the DSN's server, or the default one
	DSN       string        // of a running server, as users write it: also @FILE, or the name of an environment variable
	Server    string        // path of the binary of a private server; "": the installed one
	Isolation string        // "": the target's usual level
	Claim     string        // the stronger level that it is held to; "": its own
	Inject    []string      // planted bugs, by name
	Wait      time.Duration // how long a server of the DSN may be away

	AtOnce    bool     // statements run at the same moment, as in storms
	Nemeses   []string // what is done to it meanwhile, which some planted bugs need
	CommitLog bool     // a private server keeps one, where it can
	Durable   bool     // it keeps all that it acknowledged when its process is killed
	Hosted    bool     // an embedded engine runs in a process of its own, if there is a Self

	// Self is the path of the txweave command, which runs embedded engines that may break in processes of their own;
	// "": they run in this one.
	Self string `json:"-"`
	// Notes, unless nil, is told what the user should know, and how far what takes long is.
	Notes io.Writer `json:"-"`
}

// Chosen is a database that there is, at a level that it has. Nothing of it runs.
type Chosen struct {
	Config  // with the target's name
	Profile *dbms.Profile
	DBMS    *driver.Driver

	dsn *exec.DSN // nil: there is none
}

// Lookup finds a profile by the values of Config.Target and Config.Isolation.
func Lookup(target, isolation string) (*dbms.Profile, error) {
	if _, err := registry.Lookup(target); err != nil {
		return nil, outcome.Misuse(spelling.Meant(err, target, registry.Names()...))
	}
	p, err := atLevel(target, isolation)
	return p, outcome.Misuse(err)
}

// atLevel finds the profile of a target that there is.
func atLevel(target, isolation string) (*dbms.Profile, error) {
	p, err := dbms.Lookup(target, isolation)
	if err == nil {
		return p, nil
	}
	var levels []string
	for _, l := range dbms.Levels(target) {
		levels = append(levels, l.Isolation)
	}
	return nil, spelling.Meant(err, isolation, levels...)
}

// Resolve holds the settings against each other; it connects to a DSN's server to learn what that is.
func (c Config) Resolve(ctx context.Context) (*Chosen, error) {
	out := &Chosen{Config: c}
	if out.Notes == nil {
		out.Notes = io.Discard
	}
	if err := out.ask(ctx); err != nil {
		return nil, err
	}
	if out.Target == "" {
		out.Target = registry.Default
	}
	p, err := Lookup(out.Target, c.Isolation)
	if err != nil {
		return nil, err
	}
	if out.DBMS, err = registry.Lookup(out.Target); err != nil {
		return nil, outcome.Misuse(err)
	}
	if out.DBMS.Untried != "" {
		fmt.Fprintf(out.Notes, "txweave: %s: %s\n", out.Target, out.DBMS.Untried)
	}
	if c.Claim != "" {
		claimed, err := atLevel(out.Target, c.Claim)
		if err != nil {
			return nil, outcome.Misusef("--claim: %w", err)
		}
		p = p.HeldTo(claimed)
	}
	out.Profile = p
	if err := c.CheckFaults(); err != nil {
		return nil, err
	}
	if c.Server != "" && p.Embedded {
		return nil, outcome.Misusef("--server needs --target %s: %s is embedded", spelling.Or(registry.Servers()), out.Target)
	}
	return out, nil
}

// ask learns what the DSN's server is, if there is a DSN.
func (c *Chosen) ask(ctx context.Context) error {
	if c.DSN == "" {
		return nil
	}
	if c.Server != "" {
		return outcome.Misusef("--dsn and --server exclude each other")
	}
	dsn, err := exec.ReadDSN(ctx, c.DSN)
	if err != nil {
		return outcome.Misuse(err)
	}
	if c.dsn, err = registry.ParseDSN(dsn); err != nil {
		return outcome.Misuse(err)
	}
	of, err := registry.OfServer(ctx, c.dsn)
	if err != nil {
		return err
	}
	if c.Target != "" && c.Target != of.Name {
		return fmt.Errorf("%w: the DSN names a %s server, --target says %s", exec.ErrUnavailable, of.Name, c.Target)
	}
	c.Target = of.Name
	return nil
}

// CheckFaults says which planted bug there is not, or would not show here.
func (c *Config) CheckFaults() error {
	faults, err := Faults(c.Inject)
	if err != nil {
		return err
	}
	for _, x := range faults {
		if n := x.Nemesis(); n != "" && !x.Cases() && !slices.Contains(c.Nemeses, n) {
			return outcome.Misusef("--inject %s: only storm --nemesis %s shows it", x.Name, n)
		}
		if x.Race() && !c.AtOnce {
			return outcome.Misusef("--inject %s: only storm shows it: statements have to run at the same moment", x.Name)
		}
	}
	return nil
}

// AllFaults are the planted bugs of every kind.
func AllFaults() []*planted.Fault {
	return slices.Concat(planted.Semantic(), planted.Faults(), planted.Disruptions(), planted.Races())
}

// Faults returns planted bugs by their names.
func Faults(wanted []string) (out []*planted.Fault, err error) {
	all := AllFaults()
	for _, name := range wanted {
		i := slices.IndexFunc(all, func(x *planted.Fault) bool { return x.Name == name })
		if i < 0 {
			var names []string
			for _, x := range all {
				names = append(names, x.Name)
			}
			if near := spelling.Closest(name, names); near != "" {
				return nil, outcome.Misusef("--inject: no planted bug %q: did you mean %s?", name, near)
			}
			return nil, outcome.Misusef("--inject: no planted bug %q (docs/reference/planted-bugs.md lists them)", name)
		}
		out = append(out, all[i])
	}
	return out, nil
}

// Embedded says whether the engine runs inside the process that opens it.
func (c *Chosen) Embedded() bool { return c.dsn == nil && c.Profile.Embedded }

// Environment says under what findings on it are made; d is what an opened one says of itself.
func (c *Chosen) Environment(d exec.Description) finding.Environment {
	env := Environment(c.Profile, c.Claim, c.Inject, d)
	env.Server = c.Server
	return env
}

// Args are the flags by which a command line names the same database; its level is not among them.
func (c *Config) Args() (args []string) {
	for _, x := range [][2]string{{"--target", c.Target}, {"--dsn", c.DSN}, {"--server", c.Server}} {
		if x[1] != "" {
			args = append(args, x[0], x[1])
		}
	}
	return args
}

// Use opens one database, gives it to do and closes it, whatever happens.
func (c *Chosen) Use(ctx context.Context, do func(exec.Target) error) (err error) {
	fl, err := c.Fleet(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, fl.Close()) }()
	t, err := fl.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	return do(t)
}

// Fleet opens databases of one kind; one per worker.
type Fleet struct {
	*Chosen
	launcher *exec.Launcher // nil: nothing is started
}

// Fleet prepares what the databases share: a private server's initialised data directory. It is to be closed.
func (c *Chosen) Fleet(ctx context.Context) (*Fleet, error) {
	fl := &Fleet{Chosen: c}
	if c.dsn != nil || c.Embedded() {
		return fl, nil
	}
	var err error
	if fl.launcher, err = c.DBMS.Launch(ctx, c.Server, c.Notes); err != nil {
		return nil, err
	}
	fl.launcher.CommitLog, fl.launcher.Durable = c.CommitLog, c.Durable
	return fl, nil
}

// Open opens a database, with the planted bugs before it.
func (fl *Fleet) Open(ctx context.Context) (exec.Target, error) {
	t, err := fl.openSound(ctx)
	if err != nil {
		return nil, err
	}
	faults, err := Faults(fl.Inject)
	for _, fault := range faults {
		t = planted.PlantAlways(t, fault) // so that a case that shows it goes on doing so while it is reduced
	}
	return t, err
}

func (fl *Fleet) openSound(ctx context.Context) (exec.Target, error) {
	c := fl.Chosen
	switch {
	case c.dsn != nil:
		return c.DBMS.Connect(ctx, c.dsn, c.Wait)
	case fl.launcher != nil:
		return fl.launcher.Start(ctx)
	case c.Hosted && c.Self != "" && c.DBMS.Embedded.Hosted != nil:
		return c.DBMS.Embedded.Hosted(ctx, func(dir string) (string, []string) {
			return c.Self, []string{HostCommand, c.DBMS.Name, dir}
		})
	default:
		return c.DBMS.Embedded.Open(ctx)
	}
}

// HostCommand is the command of Config.Self that serves an embedded engine's database in a directory, by
// registry.Host.
const HostCommand = "host"

// Close removes what the databases share.
func (fl *Fleet) Close() error {
	if fl.launcher == nil {
		return nil
	}
	if err := fl.launcher.Close(); err != nil {
		return fmt.Errorf("removing the servers' directory: %w", err)
	}
	return nil
}

// seldom is how much memory may be left behind before it is collected, in percent of what is in use, which is little: a
// case lives for a tenth of a second. From memoryLimit on, in bytes, it is collected as often as it takes to stay
// there.
const (
	seldom      = 400
	memoryLimit = 1 << 30
)

// Collect tunes this process's garbage collector, unless the user has done so by its environment: for cases, or for
// storms (AtOnce), whose histories may be large and stay in use.
func (c *Config) Collect() {
	percent, limit := seldom, int64(memoryLimit)
	if c.AtOnce {
		percent, limit = 100, math.MaxInt64
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(limit)
	}
}

// Environment says under what findings on a target are made, campaign and case left out. Claim is the name of the level
// that the target is held to, where that is another one than its own, planted are the bugs between txweave and the
// target. A session's own settings are named after the variable that they set, as the server's are.
func Environment(p *dbms.Profile, claim string, planted []string, d exec.Description) finding.Environment {
	env := finding.Environment{ToolVersion: version.Full(), OS: runtime.GOOS + "/" + runtime.GOARCH,
		DBMS: d.Target, Version: d.Version, Isolation: p.Isolation, Claim: claim, Planted: planted,
		Settings: map[string]string{}, Changed: d.Changed}
	maps.Copy(env.Settings, d.Settings)
	for _, stmt := range p.Sessions.Setup {
		env.Session(stmt)
	}
	return env
}

package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"txweave/dbms"
	"txweave/dbms/registry"
	"txweave/exec"
	"txweave/exec/planted"
)

// targetFlags say which database to use.
type targetFlags struct {
	target    string
	dsn       string
	server    string
	isolation string
	claim     string
	faults    []string // planted bugs
	commitLog bool     // a private server keeps one, where it can
	durable   bool     // it keeps all that it acknowledged when its process is killed
	upheavals []string // nemeses of the storm that it is for
	atOnce    bool     // it is for a storm, where statements run at the same moment
	hosted    bool     // an embedded engine runs in a process of its own

	wait    time.Duration // for a server of the DSN that is away
	config  *exec.DSN     // of the DSN
	profile *dbms.Profile // once resolved
	dbms    *registry.DBMS
	flags   *pflag.FlagSet
}

// add adds all but addFaults'.
func (f *targetFlags) add(fs *pflag.FlagSet, defaultTarget string) {
	f.addDatabase(fs, defaultTarget)
	fs.StringVar(&f.isolation, "isolation", "", "isolation level: "+registry.LevelsHelp()+"; default: the target's usual one")
	fs.StringVar(&f.claim, "claim", "", "hold the server to what this stronger level forbids, e.g. serializable, while it runs at --isolation")
}

// addDatabase adds the flags that say which database it is, without its level.
func (f *targetFlags) addDatabase(fs *pflag.FlagSet, defaultTarget string) {
	what := registry.Or(registry.Names()) + " (" + registry.Or(registry.Servers()) + ": a private server, started and removed by txweave)"
	if defaultTarget == "" {
		what += "; default: the case's own"
	}
	f.flags = fs
	fs.StringVar(&f.target, "target", defaultTarget, what)
	fs.StringVar(&f.dsn, "dsn", "", "a running server instead ("+registry.Or(registry.Servers())+"), user:password@tcp(host:port)/, @FILE that holds that, or env for the environment variable "+
		exec.DSNVariable+", which keep the password from who lists processes (it works only in databases that it creates)")
	fs.DurationVar(&f.wait, "wait", 30*time.Second, "how long a server of --dsn may be away")
	fs.StringVar(&f.server, "server", "", "path of the server binary for --target "+registry.Or(registry.Servers())+" (default: the installed one, or one that is built once)")
}

// addFaults adds the flag that plants bugs, to see what becomes of them.
func (f *targetFlags) addFaults(fs *pflag.FlagSet) {
	fs.StringSliceVar(&f.faults, "faults", nil, "plant bugs between txweave and the engine, by their names in detect, to see what becomes of them")
}

// resolve checks the flags against each other; it connects to a DSN's server to learn what it is.
func (f *targetFlags) resolve(ctx context.Context) (*dbms.Profile, error) {
	if f.dsn != "" {
		if f.server != "" {
			return nil, usagef("--dsn and --server exclude each other")
		}
		dsn, err := exec.ReadDSN(ctx, f.dsn)
		if err != nil {
			return nil, usage(err)
		}
		config, err := exec.ParseDSN(dsn)
		if err != nil {
			return nil, usage(err)
		}
		wanted := f.target
		f.config = config
		of, err := registry.OfServer(ctx, config)
		if err != nil {
			return nil, err
		}
		f.target = of.Name
		if f.flags.Changed("target") && wanted != f.target {
			return nil, fmt.Errorf("%w: the DSN names a %s server, --target says %s", exec.ErrUnavailable, f.target, wanted)
		}
	}
	p, err := lookup(f.target, f.isolation)
	if err != nil {
		return nil, err
	}
	if f.dbms, err = registry.Lookup(f.target); err != nil {
		return nil, usage(err)
	}
	if f.dbms.Untried != "" {
		fmt.Fprintf(os.Stderr, "txweave: %s: %s\n", f.target, f.dbms.Untried)
	}
	if f.claim != "" {
		claimed, err := dbms.Lookup(f.target, f.claim)
		if err != nil {
			return nil, usage(fmt.Errorf("--claim: %w", err))
		}
		p = p.HeldTo(claimed)
	}
	f.profile = p
	if err := f.checkFaults(); err != nil {
		return nil, err
	}
	if f.server != "" && p.Embedded {
		return nil, usagef("--server needs --target %s: %s is embedded", registry.Or(registry.Servers()), f.target)
	}
	return p, nil
}

// checkFaults says which planted bug there is not, or would not show here.
func (f *targetFlags) checkFaults() error {
	faults, err := pickFaults(f.faults)
	if err != nil {
		return err
	}
	for _, x := range faults {
		if n := x.Nemesis(); n != "" && !x.Cases() && !slices.Contains(f.upheavals, n) {
			return usagef("--faults %s: only storm --nemesis %s shows it", x.Name, n)
		}
		if x.Race() && !f.atOnce {
			return usagef("--faults %s: only storm shows it: statements have to run at the same moment", x.Name)
		}
	}
	return nil
}

// lookup finds a profile by the values of --target and --isolation.
func lookup(target, isolation string) (*dbms.Profile, error) {
	if _, err := registry.Lookup(target); err != nil {
		return nil, usage(err)
	}
	p, err := dbms.Lookup(target, isolation)
	if err != nil {
		return nil, usage(err)
	}
	return p, nil
}

// fleet opens targets of one kind; one per worker.
type fleet struct {
	flags    *targetFlags
	launcher *exec.Launcher
}

// newFleet prepares what the targets share: a private server's initialised data directory.
func newFleet(ctx context.Context, f *targetFlags) (*fleet, error) {
	f.collect()
	fl := &fleet{flags: f}
	if f.config != nil || f.embedded() {
		return fl, nil
	}
	var err error
	if fl.launcher, err = f.dbms.Launch(ctx, f.server, os.Stderr); err != nil {
		return nil, err
	}
	fl.launcher.CommitLog, fl.launcher.Durable = f.commitLog, f.durable
	return fl, nil
}

// seldom is how much memory may be left behind before it is collected, in percent of what is in use, which is little: a case lives for a tenth of a second.
// From memoryLimit on, in bytes, it is collected as often as it takes to stay there.
const (
	seldom      = 400
	memoryLimit = 1 << 30
)

// collect tunes the garbage collector, unless the user has done so: for cases, or for storms, whose histories may be large and stay in use.
func (f *targetFlags) collect() {
	percent, limit := seldom, int64(memoryLimit)
	if f.atOnce {
		percent, limit = 100, math.MaxInt64
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(limit)
	}
}

// embedded says whether the engine runs inside the process that opens it.
func (f *targetFlags) embedded() bool { return f.config == nil && f.profile.Embedded }

func (fl *fleet) open(ctx context.Context) (exec.Target, error) {
	t, err := fl.openSound(ctx)
	if err != nil {
		return nil, err
	}
	faults, err := pickFaults(fl.flags.faults)
	for _, fault := range faults {
		t = planted.PlantAlways(t, fault) // so that a case that shows it goes on doing so while it is reduced
	}
	return t, err
}

func (fl *fleet) openSound(ctx context.Context) (exec.Target, error) {
	switch {
	case fl.flags.config != nil:
		return fl.flags.dbms.Connect(ctx, fl.flags.config, fl.flags.wait)
	case fl.launcher != nil:
		return fl.launcher.Start(ctx)
	case fl.flags.hosted:
		return fl.flags.dbms.OpenHosted(ctx, hostProcess)
	default:
		return fl.flags.dbms.Open(ctx)
	}
}

func (fl *fleet) close() error {
	if fl.launcher == nil {
		return nil
	}
	if err := fl.launcher.Close(); err != nil {
		return fmt.Errorf("removing the servers' directory: %w", err)
	}
	return nil
}

// use opens one target, gives it to f and closes it, whatever happens.
func (f *targetFlags) use(ctx context.Context, do func(exec.Target) error) (err error) {
	fl, err := newFleet(ctx, f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, fl.close()) }()
	t, err := fl.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	return do(t)
}

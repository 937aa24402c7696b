package storming

import (
	"context"
	"io"
	"slices"
	"time"

	"txweave/campaign/target"
	"txweave/checker/certificate"
	"txweave/dbms"
	"txweave/dbms/registry"
	"txweave/exec/storm"
	"txweave/exec/storm/recipe"
	"txweave/exec/storm/verdict"
	"txweave/finding"
	"txweave/gen/workload"
	"txweave/history/format"
	"txweave/history/register"
	"txweave/internal/asked"
	"txweave/internal/outcome"
	"txweave/internal/spelling"
	"txweave/internal/strict"
)

// Config is a storm. Errors call its fields by the flags that set them.
type Config struct {
	workload.Tuning // what is told of the workload's transactions
	Target          target.Config
	Workload        string
	Sessions        int
	Duration        time.Duration // how long transactions are begun
	Transactions    int           // the storm ends once so many have committed, if that is before; 0: it does not
	Keys            int           // rows of the workload's main table
	Distribution    string        // how often each key is used
	Without         []string      // operations that the workload is spared
	Seed            uint64
	Nemesis         []string
	Every           time.Duration // mean time from one act of a nemesis to its next; 0: each has its own
	Acts            []string      // of the nemeses; nil: all
	Perturb         bool          // statements are held back and sent where they are likely to race
	Stall           time.Duration // once no transaction has ended for so long, it is said what every session is doing

	Trace       string // file for the interval trace; "": none
	History     string // … for the history
	Certificate string // … for the database's own order of versions
	UntilFound  bool   // the storm ends with its first finding
}

// Default is the Config of somebody who has said nothing.
func Default() Config {
	return Config{Target: target.Config{Wait: target.DefaultWait}, Workload: "blindw-rw", Sessions: 8,
		Duration: 10 * time.Second, Keys: 1000,
		Distribution: string(workload.Uniform), Seed: 1, Stall: 5 * time.Second}
}

// maxKeys bounds the script that fills the tables.
const maxKeys = 100_000

// Storm is a storm that is ready to be run on a database.
type Storm struct {
	Config
	On *target.Chosen // nil: of a Config that was not prepared for a target
	// Stalled, unless nil, is told what every session is doing while no transaction ends. Shown shows how far the storm
	// is until it is stopped.
	Stalled func(*storm.Stall)
	Shown   func(*verdict.OnlineCheck) (stop func())

	work    *workload.Workload
	nemeses []storm.Nemesis
}

// Validate says which values there cannot be. What depends on the target Prepare says.
func (c *Config) Validate() error {
	_, err := c.parts()
	return err
}

// parts makes what the values name.
func (c *Config) parts() (*Storm, error) {
	switch {
	case c.Sessions < 1 || c.Sessions > 256:
		return nil, outcome.Misusef("--sessions must be from 1 to 256")
	case c.Every < 0:
		return nil, outcome.Misusef("--every must not be negative")
	case c.Every > 0 && len(c.Nemesis) == 0:
		return nil, outcome.Misusef("--every belongs to --nemesis")
	case c.Duration <= 0:
		return nil, outcome.Misusef("--duration must be positive")
	case c.Transactions < 0:
		return nil, outcome.Misusef("--transactions must not be negative")
	case c.Keys < 1 || c.Keys > maxKeys:
		return nil, outcome.Misusef("--keys must be from 1 to %d", maxKeys)
	case c.Stall <= 0:
		return nil, outcome.Misusef("--stall must be positive")
	}
	s := &Storm{Config: *c}
	var err error
	if s.nemeses, err = storm.ParseNemeses(c.Nemesis); err != nil {
		var names []string
		for _, n := range storm.Nemeses() {
			names = append(names, string(n))
		}
		return nil, outcome.Misusef("--nemesis: %w", spelling.MeantOne(err, c.Nemesis, names...))
	}
	if s.work, err = c.make(nil); err != nil {
		return nil, outcome.Misuse(err)
	}
	switch {
	case c.History != "" && s.work.Kind == workload.Relational && c.Certificate == "":
		return nil,
			outcome.Misusef(
				"--history: %s does more than read and write single rows: add --certificate, or use --trace", c.Workload)
	case c.History != "" && s.work.Kind.Claims():
		return nil,
			outcome.Misusef(
				"--history: %s states itself what must hold, which is checked at the end; --trace keeps what was read and written",
				c.Workload)
	case c.Certificate != "" && c.History == "":
		return nil, outcome.Misusef("--certificate belongs to a history: --history is needed")
	}
	return s, asked.Writable(c.Trace, c.History, c.Certificate)
}

// make makes the workload, for a target at a level or, nil, for the one that is named, where what it sends depends on
// that.
func (c *Config) make(p *dbms.Profile) (*workload.Workload, error) {
	w := workload.Config{Tuning: c.Tuning, Keys: c.Keys, Distribution: workload.Distribution(c.Distribution),
		Isolation: c.Target.Isolation,
		Seed:      c.Seed}
	name := c.Target.Target
	if p != nil {
		w.Isolation, w.Locks, w.LocksInner, name = p.Isolation, p.DMLView == dbms.Current,
			p.ReadModes.Before == dbms.LockingBeforeRead, p.DBMS
	}
	if of, err := registry.Lookup(name); err == nil {
		w.Dialect = of.Dialect
	}
	made, err := workload.New(c.Workload, w)
	if err != nil {
		return nil, spelling.Meant(err, c.Workload, workload.Names()...)
	}
	if err := made.Without(c.Without); err != nil {
		return nil, spelling.MeantOne(err, c.Without, workload.Operations...)
	}
	return made, nil
}

// CanSpare says whether the workload can do without some of its operations.
func (c *Config) CanSpare() bool {
	s, err := c.parts()
	return err == nil && s.work.CanSpare()
}

// Prepare holds the values against the target; a workload that depends on it becomes the one for it.
func (c Config) Prepare(ctx context.Context) (*Storm, error) {
	s, err := c.parts()
	if err != nil {
		return nil, err
	}
	to := c.database()
	to.CommitLog, to.Durable = c.Certificate != "", slices.ContainsFunc(s.nemeses, storm.Nemesis.Durable)
	to.Hosted = to.Hosted || len(s.nemeses) > 0
	if s.On, err = to.Resolve(ctx); err != nil {
		return nil, err
	}
	s.Target = s.On.Config
	if s.On.DBMS.Untried != "" {
		return nil,
			outcome.Misusef("storm: the mechanisms of %s are not described well enough to be checked",
				s.On.Target)
	}
	if s, err = s.seeded(c.Seed); err != nil {
		return nil, err
	}
	if err := s.plantable(); err != nil {
		return nil, err
	}
	return s, s.canCertify()
}

// seeded is the storm with a seed: also the tables of a workload that makes them itself are that seed's, and for the
// target.
func (s *Storm) seeded(seed uint64) (*Storm, error) {
	out := *s
	out.Seed = seed
	if s.work.Made == nil {
		return &out, nil
	}
	var err error
	out.work, err = out.make(s.On.Profile)
	return &out, err
}

// database is the target as storms need it.
func (c *Config) database() target.Config {
	to := c.Target
	to.Nemeses, to.AtOnce = c.Nemesis, true
	return to
}

// CheckFaults says which planted bug there is not, or would not show here.
func (c *Config) CheckFaults() error {
	to := c.database()
	return to.CheckFaults()
}

// plantable refuses planted bugs that would do nothing.
func (s *Storm) plantable() error {
	faults, err := target.Faults(s.On.Inject)
	if err != nil {
		return err
	}
	p := s.On.Profile
	for _, x := range faults {
		switch {
		case x.Refused() != "":
			return outcome.Misusef("--inject %s: %s", x.Name, x.Refused())
		case x.Inapplicable(p) != "":
			return outcome.Misusef("--inject %s: %s", x.Name, x.Inapplicable(p))
		case !x.Forbidden(p):
			return outcome.Misusef("--inject %s: %s allows what it does, so nothing is planted there", x.Name, p.Isolation)
		}
	}
	return nil
}

// canCertify says whether a storm on the target can have a certificate.
func (s *Storm) canCertify() error {
	w, p := s.work, s.On.Profile
	switch {
	case s.Certificate == "":
		return nil
	case w.Made != nil:
		return outcome.Misusef(
			"--certificate: the conditions of the statements of %s are not recorded; use --trace",
			w.Name)
	case len(s.nemeses) > 0:
		return outcome.Misusef("--certificate and --nemesis exclude each other: what nemeses do has no versions")
	case w.Kind == workload.Lists:
		return outcome.Misusef(
			"--certificate: the lists of %s tell the order of versions themselves; its history is checked as a whole without "+
				"one", w.Name)
	case w.Kind == workload.CompareAndSet:
		return outcome.Misusef(
			"--certificate: %s has compares that fail, which are not reads; its history is checked as a whole without one",
			w.Name)
	case p.Order == dbms.NoOrder:
		return outcome.Misusef("--certificate: %s does not tell in which order it committed versions", p.DBMS)
	}
	return nil
}

// judge says what is to become of the history.
func (s *Storm) judge(ctx context.Context) *verdict.Judge {
	out := &verdict.Judge{Engine: registry.Evaluator, Log: s.On.DBMS.Log, Profile: s.On.Profile, Workload: s.work}
	if s.History != "" {
		out.WriteHistory = func(h *register.History) error {
			// a certificate that is there would be taken for this history's, whether it gets one or not
			if err := asked.Remove(s.Certificate); err != nil {
				return err
			}
			return asked.Write(ctx, s.History, func(w io.Writer) error { return format.WriteFile(w, s.History, h) })
		}
	}
	if s.Certificate != "" {
		out.WriteCertificate = func(h *register.History, c *certificate.Certificate) error {
			return asked.Write(ctx, s.Certificate, func(w io.Writer) error { return certificate.Write(w, h, c) })
		}
	}
	return out
}

// Recipe is what the storm was, with what it found, as a file that Repeat runs again.
func (s *Storm) Recipe(found []finding.Listed) *recipe.Recipe {
	t := &s.Target
	r := &recipe.Recipe{Target: t.Target, Server: t.Server, Isolation: t.Isolation, Claim: t.Claim, Inject: t.Inject,
		Workload: s.Workload, Keys: s.Keys,
		Distribution: s.Distribution, Without: s.Without, Sessions: s.Sessions, Seed: s.Seed,
		Duration: strict.Duration(s.Duration), Nemesis: s.Nemesis,
		Acts: s.Acts, Every: strict.Duration(s.Every), Perturb: s.Perturb, Tuning: s.Tuning, Transactions: s.Transactions}
	for _, l := range found {
		if !slices.ContainsFunc(r.Finding, func(x recipe.Seen) bool { return x.Signature == l.Signature }) {
			r.Finding = append(r.Finding, recipe.Seen{Signature: l.Signature, Summary: l.Summary, Times: 1, Storms: 1})
		}
	}
	return r
}

// OfRecipe is the Config that a recipe stands for; its storms end with their first finding.
func OfRecipe(r *recipe.Recipe) Config {
	c := Default()
	c.Target.Target, c.Target.Server, c.Target.Isolation, c.Target.Claim, c.Target.Inject = r.Target, r.Server,
		r.Isolation, r.Claim, r.Inject
	c.Workload, c.Sessions, c.Keys, c.Distribution, c.Without = r.Workload, r.Sessions, r.Keys, r.Distribution, r.Without
	c.Duration, c.Seed, c.Nemesis, c.Every, c.Perturb, c.Acts = time.Duration(r.Duration), r.Seed, r.Nemesis,
		time.Duration(r.Every), r.Perturb, r.Acts
	c.UntilFound, c.Tuning, c.Transactions = true, r.Tuning, r.Transactions
	return c
}

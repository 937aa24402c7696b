// Package detect plants bugs in a correct engine and measures how soon they are found.
package detect

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"txweave/campaign"
	"txweave/campaign/casesource"
	"txweave/campaign/store"
	"txweave/campaign/target"
	"txweave/campaign/worker"
	"txweave/dbms"
	"txweave/exec"
	"txweave/exec/planted"
	"txweave/finding"
	"txweave/finding/known"
	"txweave/finding/signature"
	"txweave/internal/outcome"
	"txweave/internal/spelling"
)

// FaultResult is what became of one planted bug.
type FaultResult struct {
	Name       string   `json:"name"`
	Reference  string   `json:"reference"`
	Applicable bool     `json:"applicable"`
	Reason     string   `json:"reason,omitempty"` // why it is not applicable
	Forbidden  bool     `json:"forbidden"`
	Found      bool     `json:"found"` // in most of the seeds
	Oracle     string   `json:"oracle,omitempty"`
	Cases      *float64 `json:"cases"` // medians over the seeds, null when not found
	Seconds    *float64 `json:"seconds"`
	// cases of all seeds that have a finding, where Config.Count asked for them
	Showing int `json:"showing,omitempty"`
}

// Result is the object that detect prints.
type Result struct {
	Target    string        `json:"target"`
	Isolation string        `json:"isolation"`
	Budget    int           `json:"budget"`
	Planted   []FaultResult `json:"planted"`
	Counted   bool          `json:"counted,omitempty"` // FaultResult.Showing is known
	// findings in the same cases with no fault planted: len(Unplanted)
	FalseAlarms int         `json:"false_alarms"`
	Unplanted   []Unplanted `json:"unplanted,omitempty"` // what they are: false alarms, or the server's own bugs
}

// Config says what is tried, and on what. Errors call its fields by the flags that set them.
type Config struct {
	Target      target.Config
	Inject      []string        // planted bugs, by name; none: all
	Unplanted   bool            // nothing is planted: the cases are checked with nothing planted, and no more
	Budget      int             // cases for each planted bug and seed
	Seeds       int             // to try …
	First       uint64          // … from this one on; 0: 1
	OnlyPlanted bool            // the same cases are not checked with nothing planted
	Out         string          // a directory to keep what those show; "": nowhere
	Command     string          // the command line, for what is kept
	Rarity      *planted.Rarity // how the bugs are made as rare as those of engines; nil: they are not
	Rows        int             // that one table of one case in sixteen has beyond the others; 0: no case has so many
	Without     []string        // productions, and parts of every case, that are left out
	// all cases of the budget are checked, and those that have a finding counted: that says more of what cases are worth
	Count bool
	// Progress, unless nil, is told how many of how many runs are done: of each planted bug, and of none, each seed.
	Progress func(done, all int)
	// Log is called when it is known what became of a planted bug.
	Log func(*FaultResult)
}

// Default is the Config of somebody who has said nothing.
func Default() Config {
	return Config{Target: target.Config{Wait: target.DefaultWait}, Budget: 200, Seeds: 3, First: 1}
}

// Validate says which values there cannot be. What depends on the target Run says.
func (o *Config) Validate() error {
	switch {
	case o.Budget < 1 || o.Seeds < 1:
		return outcome.Misusef("--budget and --seeds must be at least 1")
	case o.Rarity != nil && o.Rarity.When != "" && !slices.Contains(Conditions(), o.Rarity.When):
		return spelling.Meant(outcome.Misusef("--when %q: want one of %s", o.Rarity.When, strings.Join(Conditions(), ", ")),
			o.Rarity.When, Conditions()...)
	case o.Out != "" && o.OnlyPlanted:
		return outcome.Misusef("--out keeps what shows with nothing planted: --only-planted leaves that out")
	case o.Out != "":
		return outcome.Misuse(store.Check(o.Out))
	}
	return nil
}

// Conditions are the names of circumstances under which rare bugs may strike.
func Conditions() (names []string) {
	for _, c := range planted.Conditions() {
		names = append(names, c[0])
	}
	return names
}

// pick returns the planted bugs that are tried.
func (o *Config) pick() ([]*planted.Fault, error) {
	switch {
	case o.Unplanted:
		return nil, nil
	case len(o.Inject) == 0:
		return planted.Faults(), nil
	}
	return target.Faults(o.Inject)
}

// Run does on the target what the Config says. Of what shows with nothing planted it names the command that shows it
// again.
func (o Config) Run(ctx context.Context) (d *Result, err error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	on, err := o.Target.Resolve(ctx)
	if err != nil {
		return nil, err
	}
	if p := on.Profile; p.Guarantees.NoReplay != "" { // what most planted bugs are is not forbidden there
		return nil, outcome.Misusef("%s: %s", p.Isolation, p.Guarantees.NoReplay)
	}
	faults, err := o.pick()
	if err != nil {
		return nil, err
	}
	err = on.Use(ctx, func(t exec.Target) error {
		if d, err = o.RunOn(ctx, t, on.Profile, faults); err != nil {
			return err
		}
		for i := range d.Unplanted {
			d.Unplanted[i].Again = o.again(&d.Unplanted[i])
		}
		return nil
	})
	return d, err
}

// again is the command that shows a finding with nothing planted again: its case by itself where that does, else those
// of its seed up to it.
func (o *Config) again(u *Unplanted) string {
	args := []string{"txweave", "replay", u.Dir}
	add := func(flag, value string) {
		if value != "" {
			args = append(args, "--"+flag, value)
		}
	}
	if !u.Alone {
		args = []string{"txweave", "detect", "--only-unplanted", "--seed", fmt.Sprint(u.Seed), "--seeds", "1", "--budget",
			fmt.Sprint(u.Case + 1)}
		add("target", o.Target.Target)
		add("isolation", o.Target.Isolation)
		add("claim", o.Target.Claim)
		add("without", strings.Join(o.Without, ","))
		if o.Rows > 0 {
			add("rows", fmt.Sprint(o.Rows))
		}
	}
	add("dsn", o.Target.DSN)
	add("server", o.Target.Server)
	return target.CommandLine(args)
}

// seed is the seed of a number.
func (o *Config) seed(i int) uint64 { return max(o.First, 1) + uint64(i) }

// RunOn plants each bug on a target, and counts what the same cases show with nothing planted.
func (o *Config) RunOn(ctx context.Context, t exec.Target, p *dbms.Profile, faults []*planted.Fault) (*Result, error) {
	d := &Result{Target: t.Describe().Target, Isolation: p.Isolation, Budget: o.Budget, Planted: []FaultResult{},
		Counted: o.Count}
	runs, done := len(faults)*o.Seeds, 0
	if !o.OnlyPlanted {
		runs += o.Seeds
	}
	next := func() {
		if done++; o.Progress != nil {
			o.Progress(done, runs)
		}
	}
	for seed := range o.Seeds {
		if o.OnlyPlanted {
			break
		}
		own, err := o.ownFindings(ctx, t, p, o.seed(seed))
		if err != nil {
			return nil, err
		}
		d.Unplanted = append(d.Unplanted, own...)
		next()
	}
	d.FalseAlarms = len(d.Unplanted)
	for _, fault := range faults {
		res, err := o.tryFault(ctx, t, p, fault, d.Unplanted, next)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", fault.Name, err)
		}
		if o.Log != nil {
			o.Log(res)
		}
		d.Planted = append(d.Planted, *res)
	}
	return d, nil
}

// tryFault plants one bug under every seed. What the same cases show without it is not its doing.
func (o *Config) tryFault(ctx context.Context, t exec.Target, p *dbms.Profile, fault *planted.Fault, own []Unplanted,
	next func()) (*FaultResult, error) {
	res := &FaultResult{Name: fault.Name, Reference: fault.Reference, Forbidden: fault.Forbidden(p),
		Reason: fault.Inapplicable(p)}
	if res.Applicable = res.Reason == ""; !res.Applicable {
		return res, nil
	}
	var cases, seconds []float64
	oracles := map[string]int{}
	for seed := range o.Seeds {
		start := time.Now()
		target := planted.Plant(t, fault, o.seed(seed))
		if o.Rarity != nil {
			var err error
			if target, err = planted.PlantRare(t, fault, o.seed(seed), *o.Rarity); err != nil {
				return nil, err
			}
		}
		got, err := o.findings(ctx, target, p, o.seed(seed), own)
		if err != nil {
			return nil, err
		}
		if res.Showing += got.cases; got.by != "" {
			cases, seconds = append(cases, float64(got.first)), append(seconds, got.at.Sub(start).Seconds())
			oracles[got.by]++
		}
		next()
	}
	if res.Found = 2*len(cases) > o.Seeds; res.Found {
		res.Cases, res.Seconds = Median(cases), Median(seconds)
		for by, n := range oracles {
			if n > oracles[res.Oracle] || n == oracles[res.Oracle] && by < res.Oracle {
				res.Oracle = by
			}
		}
	}
	return res, nil
}

// Median returns the median of numbers, which it sorts.
func Median(xs []float64) *float64 {
	slices.Sort(xs)
	m := (xs[(len(xs)-1)/2] + xs[len(xs)/2]) / 2
	return &m
}

// shown is what became of a planted bug under one seed.
type shown struct {
	first int // case that has a finding, counted from 1 …
	at    time.Time
	by    string // … and the oracle; "": none has
	cases int    // that have one, with Config.Count
}

// findings checks cases until one has a finding that it has not without the planted bug, with Config.Count all of the
// budget.
func (o *Config) findings(ctx context.Context, t exec.Target, p *dbms.Profile, seed uint64, own []Unplanted) (
	s shown, err error) {
	n := 0
	_, err = o.eachOf(ctx, t, p, seed, func(res *campaign.CaseResult) bool {
		n++
		i := slices.IndexFunc(res.Findings, func(f campaign.Found) bool {
			return !slices.ContainsFunc(own, func(u Unplanted) bool {
				return u.Seed == seed && u.Case == res.Case && u.Signature == f.Signature
			})
		})
		if i < 0 {
			return true
		}
		if s.by == "" {
			s.first, s.at, s.by = n, time.Now(), res.Findings[i].Oracle
		}
		if o.Count {
			s.cases++
		}
		return o.Count
	})
	return s, err
}

// ownFindings checks all cases, lists findings and unconfirmed differences, and keeps them.
func (o *Config) ownFindings(ctx context.Context, t exec.Target, p *dbms.Profile, seed uint64) ([]Unplanted, error) {
	var found []Unplanted
	var lost error
	_, err := o.eachOf(ctx, t, p, seed, func(res *campaign.CaseResult) bool {
		for i, f := range slices.Concat(res.Findings, res.Unconfirmed) {
			u := Unplanted{Seed: seed, Case: res.Case, Signature: f.Signature, Title: f.Title,
				Unconfirmed: i >= len(res.Findings)}
			lost = errors.Join(lost, o.keep(ctx, t, p, &u, &f, i))
			found = append(found, u)
		}
		return lost == nil
	})
	return found, errors.Join(err, lost)
}

// EachResult checks cases until more says no, and returns how many it checked. The target stays the caller's, whatever
// happens.
func EachResult(ctx context.Context, t exec.Target, p *dbms.Profile, src *casesource.Cases, budget int,
	more func(*campaign.CaseResult) bool) (int, error) {
	w := worker.OnCases(t, p, src, checking)
	defer w.Release()
	for n := range budget {
		res, err := w.Check(ctx, campaign.Job{Case: n})
		if err != nil {
			return n, err
		}
		if !more(res) {
			return n + 1, nil
		}
	}
	return budget, nil
}

// eachOf is EachResult for the cases of a seed. What is a known bug of the server itself is neither the
// planted one nor a false alarm.
func (o *Config) eachOf(ctx context.Context, t exec.Target, p *dbms.Profile, seed uint64,
	more func(*campaign.CaseResult) bool) (int, error) {
	src, err := casesource.NewCasesFor(t.Describe().Version, seed, p, slices.Concat(known.Usually(p.DBMS),
		planted.Without(p), o.Without)...)
	if err == nil {
		err = src.WithRows(o.Rows)
	}
	if err != nil {
		return 0, outcome.Misuse(err)
	}
	bugs, err := known.Default()
	if err != nil {
		return 0, err
	}
	env := target.Environment(p, "", nil, t.Describe())
	bugs = bugs.In(&env)
	isKnown := func(f campaign.Found) bool {
		return bugs.Match(&f.Finding, signature.OfText(&f.Finding, f.Files[finding.CaseFile])) != nil
	}
	return EachResult(ctx, t, p, src, o.Budget, func(res *campaign.CaseResult) bool {
		res.Findings, res.Unconfirmed = slices.DeleteFunc(res.Findings, isKnown), slices.DeleteFunc(res.Unconfirmed, isKnown)
		return more(res)
	})
}

// Missed counts the forbidden planted bugs that were not found.
func (d *Result) Missed() int {
	n := 0
	for _, f := range d.Planted {
		if f.Applicable && f.Forbidden && !f.Found {
			n++
		}
	}
	return n
}

// Package rediscover measures how soon the known bugs of a server are found again.
package rediscover

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"syscall"
	"text/tabwriter"
	"time"

	"txweave/campaign"
	"txweave/campaign/database"
	"txweave/campaign/detect"
	"txweave/campaign/fuzz"
	"txweave/campaign/store"
	"txweave/campaign/target"
	"txweave/finding/known"
	"txweave/internal/outcome"
)

// Config is a measurement. Errors call its fields by the flags that set them.
type Config struct {
	fuzz.Config        // of each seed, from Seed on; Store and what is known are the measurement's own
	Bugs        string // a file of known bugs; "": those that txweave comes with
	Out         string // directory for findings: those of seed 7 in seed-7
	Seeds       int
	// Found, unless nil, is told of a bug that a seed has found, after so many cases.
	Found func(seed uint64, bug string, cases int)
	// Progress, unless nil, is told how many of how many cases are done.
	Progress func(done, all int)
}

// Default is the Config of somebody who has said nothing.
func Default() Config {
	c := fuzz.Default()
	c.Cases, c.Seed, c.ReduceTime, c.Orders, c.PauseAbove, c.AllNew = 1000, 1, 20*time.Second, 2, 0, true
	return Config{Config: c, Out: "txweave-rediscovered", Seeds: 3}
}

// Validate says which values there cannot be. What depends on the target Run says.
func (c *Config) Validate() error {
	if c.Cases < 1 || c.Seeds < 1 || c.Duration < 0 {
		return outcome.Misusef("--cases and --seeds must be at least 1, --duration not negative")
	}
	return nil
}

// rediscovered is what became of one known bug: in how many of the seeds it was met, and medians over those.
type rediscovered struct {
	Name    string   `json:"name"`
	Title   string   `json:"title"`
	Seeds   int      `json:"seeds"` // in which it was met
	Cases   *float64 `json:"cases"` // until it was met; null: never
	Seconds *float64 `json:"cpu_seconds"`

	cases, seconds []float64
}

// Result is what a measurement says.
type Result struct {
	Target    string          `json:"target"`
	Version   string          `json:"version"`
	Isolation string          `json:"isolation"`
	Budget    int             `json:"budget"` // cases for each seed
	Seeds     int             `json:"seeds"`
	Bugs      []*rediscovered `json:"bugs"`
	Cases     int             `json:"cases"`  // begun, over all seeds
	Others    []*other        `json:"others"` // findings that are none of them, by signature
	Alike     int             `json:"alike"`  // findings that are not reduced, and may be one of those that were met
	Clean     int             `json:"cases_clean"`
	Missed    int             `json:"-"` // bugs that were not found with most seeds
}

// other is what findings of one signature have in common that are none of the known bugs.
type other struct {
	Signature string `json:"signature"`
	Count     int    `json:"count"`
	Dir       string `json:"dir"` // of the first one
}

// knownOnes reads the bugs that the target may have at its level.
func (c *Config) knownOnes(ctx context.Context, target, isolation string) (known.List, error) {
	bugs, err := known.Default()
	if c.Bugs != "" {
		if bugs, err = known.Read(ctx, c.Bugs); err != nil {
			return nil, outcome.Misusef("--bugs: %w", err)
		}
	}
	bugs = slices.DeleteFunc(bugs.On(target), func(b *known.Entry) bool {
		return b.Isolation != "" && b.Isolation != isolation
	})
	if len(bugs) == 0 && err == nil {
		err = outcome.Misusef("no known bug is of %s at %s", target, isolation)
	}
	return bugs, err
}

// Run runs a campaign for each seed and says what was met; of one that is interrupted what was met until then.
func (c Config) Run(ctx context.Context) (r *Result, err error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	on, err := c.Target.Resolve(ctx)
	if err != nil {
		return nil, err
	}
	p := on.Profile
	bugs, err := c.knownOnes(ctx, on.Target, p.Isolation)
	if err != nil {
		return nil, err
	}
	if err := c.empty(); err != nil {
		return nil, outcome.Misusef("--out: %w", err)
	}
	fl, err := on.Fleet(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, fl.Close()) }()
	r = &Result{Target: p.DBMS, Isolation: p.Isolation, Budget: c.Cases, Others: []*other{}}
	for _, b := range bugs {
		r.Bugs = append(r.Bugs, &rediscovered{Name: b.Name, Title: b.Title})
	}
	first := c.Seed
	for i := range c.Seeds {
		if ctx.Err() != nil {
			break
		}
		c.Seed = first + uint64(i)
		if err := c.oneSeed(ctx, fl, r, bugs); err != nil {
			return nil, err
		}
		r.Seeds++
	}
	for _, b := range r.Bugs {
		if len(b.cases) > 0 {
			b.Cases, b.Seconds = detect.Median(b.cases), detect.Median(b.seconds)
		}
		if 2*b.Seeds <= r.Seeds {
			r.Missed++
		}
	}
	slices.SortFunc(r.Bugs, func(a, b *rediscovered) int { return cmp.Compare(a.Name, b.Name) })
	return r, nil
}

// below is where the findings of a seed are kept.
func (c *Config) below(seed uint64) string {
	return filepath.Join(c.Out, fmt.Sprintf("seed-%d", seed))
}

// empty says whether findings can be kept where no other measurement's are.
func (c *Config) empty() error {
	for i := range c.Seeds {
		if dir := c.below(c.Seed + uint64(i)); database.Exists(dir) {
			return fmt.Errorf("%s holds findings of an earlier measurement", dir)
		}
	}
	return store.Check(c.Out)
}

// oneSeed runs the campaign of one seed.
func (c *Config) oneSeed(ctx context.Context, fl *target.Fleet, r *Result, bugs known.List) error {
	dir := c.below(c.Seed)
	f := c.Config
	f.Store, f.MaxLogs = database.In(dir), c.Cases
	h, err := f.OpenOn(ctx, fl)
	if err != nil {
		return err
	}
	run := h.Campaign
	run.Known = nil // they are what is looked for
	look := &looker{Result: r, open: run.NewReducer, bugs: bugs, tries: map[string]int{}, met: map[string]int{}}
	run.NewReducer = nil // what is reduced is chosen behind the campaign
	if c.Progress != nil {
		run.Progress = func(s *campaign.Summary) { c.Progress(r.Seeds*c.Cases+s.Cases, c.Seeds*c.Cases) }
	}
	before := processorTime()
	sum, err := campaign.Run(ctx, run)
	if err != nil {
		return err
	}
	each := (processorTime() - before).Seconds() / float64(max(sum.Cases, 1)) // the workers have ended
	r.Version, r.Cases, r.Clean = sum.Version, r.Cases+sum.Cases, r.Clean+sum.CasesClean
	if err := errors.Join(look.through(ctx, dir), look.close()); err != nil {
		return err
	}
	for _, b := range r.Bugs {
		n, was := look.met[b.Name]
		if !was {
			continue
		}
		b.Seeds++
		b.cases, b.seconds = append(b.cases, float64(n+1)), append(b.seconds, each*float64(n+1))
		if c.Found != nil {
			c.Found(c.Seed, b.Name, n+1)
		}
	}
	return nil
}

// other counts a finding that is none of the known bugs.
func (r *Result) other(signature, dir string) {
	for _, o := range r.Others {
		if o.Signature == signature {
			o.Count++
			return
		}
	}
	r.Others = append(r.Others, &other{signature, 1, dir})
}

// processorTime is what this process and its children that have ended have used.
func processorTime() time.Duration {
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum
}

// Table prints the result for people.
func (r *Result) Table(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	fmt.Fprintf(t, "| known bug\t| found\t| cases\t| processor seconds\t|\n| ---\t| ---\t| ---\t| ---\t|\n")
	for _, b := range r.Bugs {
		cases, seconds := "-", ""
		if b.Cases != nil {
			cases, seconds = fmt.Sprintf("%.0f", *b.Cases), fmt.Sprintf("%.1f", *b.Seconds)
		}
		fmt.Fprintf(t, "| %s\t| %d of %d\t| %s\t| %s\t|\n", b.Name, b.Seeds, r.Seeds, cases, seconds)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s %s at %s, %d cases for each of %d seeds at most, %d in all; medians\n",
		r.Target, r.Version, r.Isolation, r.Budget, r.Seeds, r.Cases)
	if r.Alike > 0 {
		fmt.Fprintf(w, "%d more findings may be bugs of the list that were found; they were not reduced\n", r.Alike)
	}
	if len(r.Others) == 0 {
		_, err := fmt.Fprintln(w, "every finding is one of these bugs")
		return err
	}
	t = tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	fmt.Fprintf(t, "\n| none of these\t| findings\t| the first one\t|\n| ---\t| ---\t| ---\t|\n")
	for _, o := range r.Others {
		fmt.Fprintf(t, "| %s\t| %d\t| %s\t|\n", o.Signature, o.Count, o.Dir)
	}
	return t.Flush()
}

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"txweave/campaign"
	"txweave/campaign/detect"
	"txweave/campaign/store"
	"txweave/dbms/registry"
	"txweave/finding/known"
	"txweave/internal/outcome"
)

// rediscoverFlags are the flags of the rediscover command.
type rediscoverFlags struct {
	fuzzFlags
	list  string
	seeds int
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

// rediscovery is the object that rediscover prints.
type rediscovery struct {
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
}

// other is what findings of one signature have in common that are none of the known bugs.
type other struct {
	Signature string `json:"signature"`
	Count     int    `json:"count"`
	Dir       string `json:"dir"` // of the first one
}

func rediscoverCommand() *cobra.Command {
	var f rediscoverFlags
	cmd := &cobra.Command{
		Use:   "rediscover",
		Short: "Measure how soon the known bugs of a server are found again",
		Long: `Run campaigns on a server with known bugs, which are not left out here, and say of each bug after how many cases, and how much
processor time (the campaign's and its servers', shared out over its cases), the first finding came that is it:
medians over the seeds. The list of bugs says how a finding of each is
told from others; it is as docs/triage.md describes. Where that needs a reduced case, findings that have all of it are reduced behind the
campaign, the first ones first, until one is the bug: at most six for a bug and seed. All findings stay below --out; those that are none of
the list are listed: they may be bugs that nobody knows. Exit code 0: each bug was met with most seeds, 1: some were not.`,
		Example: "  txweave rediscover --target mariadb --isolation snapshot --cases 300 --seeds 3\n  txweave rediscover --target tidb --server /opt/tidb-6.1.1 --bugs tidb-6.1.1.toml --cases 20000",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.rediscover(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	fs := cmd.Flags()
	f.targetFlags.add(fs, registry.Default)
	f.addFaults(fs)
	f.retired.add(fs, "guide")
	fs.StringVar(&f.list, "bugs", "", "a file of known bugs (default: those that txweave comes with)")
	fs.IntVar(&f.cases, "cases", 1000, "cases for each seed")
	fs.DurationVar(&f.duration, "duration", 0, "stop a seed after this time, e.g. 1h (default: no limit)")
	fs.StringVar(&f.out, "out", "txweave-rediscovered", "directory for findings: those of seed 7 in seed-7")
	fs.IntVar(&f.seeds, "seeds", 3, "seeds to try, from --seed on")
	fs.Uint64Var(&f.seed, "seed", 1, "the first seed")
	fs.DurationVar(&f.reduceTime, "reduce-time", 20*time.Second, "at most this long to reduce one finding")
	fs.StringVar(&f.format, "format", "text", "text (a Markdown table) or json")
	addWithout(fs, &f.without)
	return cmd
}

// knownOnes reads the bugs that the target may have at its level.
func (f *rediscoverFlags) knownOnes(ctx context.Context, isolation string) (known.List, error) {
	bugs, err := known.Default()
	if f.list != "" {
		if bugs, err = known.Read(ctx, f.list); err != nil {
			return nil, usagef("--bugs: %w", err)
		}
	}
	bugs = slices.DeleteFunc(bugs.On(f.target), func(b *known.Entry) bool { return b.Isolation != "" && b.Isolation != isolation })
	if len(bugs) == 0 && err == nil {
		err = usagef("no known bug is of %s at %s", f.target, isolation)
	}
	return bugs, err
}

// rediscover runs a campaign for each seed and prints what was met.
func (f *rediscoverFlags) rediscover(ctx context.Context, stdout, stderr io.Writer) (err error) {
	if f.format != "text" && f.format != "json" {
		return usagef("--format %q: want text or json", f.format)
	}
	if f.cases < 1 || f.seeds < 1 || f.duration < 0 {
		return usagef("--cases and --seeds must be at least 1, --duration not negative")
	}
	if err := f.retired.check(f.flags, stderr); err != nil {
		return err
	}
	f.workers, f.orders, f.precision, f.integrity, f.maxLogs = 1, 2, "match", 10, f.cases
	p, err := f.resolve(ctx)
	if err != nil {
		return err
	}
	bugs, err := f.knownOnes(ctx, p.Isolation)
	if err != nil {
		return err
	}
	if err := f.empty(); err != nil {
		return usagef("--out: %w", err)
	}
	fl, err := newFleet(ctx, &f.targetFlags)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, fl.close()) }()
	r := &rediscovery{Target: p.DBMS, Isolation: p.Isolation, Budget: f.cases, Others: []*other{}}
	for _, b := range bugs {
		r.Bugs = append(r.Bugs, &rediscovered{Name: b.Name, Title: b.Title})
	}
	first := f.seed
	for i := range f.seeds {
		if ctx.Err() != nil {
			break
		}
		f.seed = first + uint64(i)
		if err := f.oneSeed(ctx, fl, r, bugs, stderr); err != nil {
			return err
		}
		r.Seeds++
	}
	if err := r.print(stdout, f.format); err != nil || ctx.Err() == nil {
		return err
	}
	return errInterrupted()
}

// below is where the findings of a seed are kept.
func (f *rediscoverFlags) below(seed uint64) string {
	return filepath.Join(f.out, fmt.Sprintf("seed-%d", seed))
}

// empty says whether findings can be kept where no other measurement's are.
func (f *rediscoverFlags) empty() error {
	for i := range f.seeds {
		if dir := f.below(f.seed + uint64(i)); store.In(dir).Exists() {
			return fmt.Errorf("%s holds findings of an earlier measurement", dir)
		}
	}
	return store.In(f.out).Check()
}

// oneSeed runs the campaign of one seed.
func (f *rediscoverFlags) oneSeed(ctx context.Context, fl *fleet, r *rediscovery, bugs known.List, stderr io.Writer) error {
	dir := f.below(f.seed)
	o, err := replayOptions(f.orders, f.precision)
	if err != nil {
		return err
	}
	o.Integrity = f.integrity
	c, err := f.campaign(ctx, f.profile, fl, o, store.In(dir), stderr)
	if err != nil {
		return err
	}
	c.Known = nil // they are what is looked for
	look := &looker{rediscovery: r, open: c.NewReducer, bugs: bugs, tries: map[string]int{}, met: map[string]int{}}
	c.NewReducer = nil // what is reduced is chosen behind the campaign
	before := processorTime()
	sum, err := campaign.Run(ctx, c)
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
		fmt.Fprintf(stderr, "seed %d: %s after %d cases\n", f.seed, b.Name, n+1)
	}
	return nil
}

// other counts a finding that is none of the known bugs.
func (r *rediscovery) other(signature, dir string) {
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

// print prints the table, and says whether all were met.
func (r *rediscovery) print(w io.Writer, format string) error {
	missed := 0
	for _, b := range r.Bugs {
		if len(b.cases) > 0 {
			b.Cases, b.Seconds = detect.Median(b.cases), detect.Median(b.seconds)
		}
		if 2*b.Seeds <= r.Seeds {
			missed++
		}
	}
	slices.SortFunc(r.Bugs, func(a, b *rediscovered) int { return cmp.Compare(a.Name, b.Name) })
	if format == "json" {
		if err := json.NewEncoder(w).Encode(r); err != nil {
			return err
		}
	} else if err := r.table(w); err != nil {
		return err
	}
	if missed > 0 {
		return outcome.End(exitFindings, fmt.Errorf("%d of %d known bugs were not met with most seeds", missed, len(r.Bugs)))
	}
	return nil
}

func (r *rediscovery) table(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	fmt.Fprintf(t, "| known bug\t| met\t| cases\t| processor seconds\t|\n| ---\t| ---\t| ---\t| ---\t|\n")
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
		fmt.Fprintf(w, "%d more findings may be one of those that were met; they are not reduced\n", r.Alike)
	}
	if len(r.Others) == 0 {
		_, err := fmt.Fprintln(w, "no finding is none of these")
		return err
	}
	t = tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	fmt.Fprintf(t, "\n| none of these\t| findings\t| the first one\t|\n| ---\t| ---\t| ---\t|\n")
	for _, o := range r.Others {
		fmt.Fprintf(t, "| %s\t| %d\t| %s\t|\n", o.Signature, o.Count, o.Dir)
	}
	return t.Flush()
}

package storming

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"txweave/campaign/target"
	"txweave/dbms"
	"txweave/dbms/registry"
	"txweave/exec"
	"txweave/exec/storm"
	"txweave/exec/storm/recipe"
	"txweave/finding"
	"txweave/gen/workload"
	"txweave/internal/asked"
	"txweave/internal/outcome"
	"txweave/internal/trust"
)

// Repeater runs the storms of recipes over and over, each time with another seed.
type Repeater struct {
	Target target.Config // its Server, unless "", in place of the recipe's; Self and Notes
	Book   *trust.Book   // what the user has named: a file that somebody else has saved is data
	Out    io.Writer     // for people

	seed    uint64 // added to the recipe's, one more with each storm
	acts    []string
	leftOut []string       // of the acts, by the last storm
	smaller bool           // the storms are changed ones: some cannot be run
	others  map[string]int // what was seen beside the finding, by signature
}

// storm runs a recipe once, each time with another seed, until its first finding, and returns what it showed and after
// what time.
func (x *Repeater) storm(ctx context.Context, r *recipe.Recipe) (found []finding.Listed,
	after time.Duration, err error) {
	c := OfRecipe(r)
	c.Seed += x.seed
	x.seed++
	c.Target.Server, c.Target.Self, c.Target.Notes = cmp.Or(x.Target.Server, c.Target.Server), x.Target.Self,
		x.Target.Notes
	if err := c.Validate(); err != nil {
		return nil, 0, err
	}
	s, err := c.Prepare(ctx)
	if err != nil {
		if x.smaller && ctx.Err() == nil { // as a planted bug without the nemesis that it needs
			err = nil
		}
		return nil, 0, err
	}
	err = s.On.Use(ctx, func(t exec.Target) error {
		x.acts = storm.DisturbancesOf(t, s.nemeses)
		a, herr, err := s.Run(ctx, t)
		if a != nil {
			found, after, x.leftOut = a.Findings, cmp.Or(a.First, a.Ran.Elapsed), a.LeftOut
		}
		return errors.Join(err, herr)
	})
	if ctx.Err() != nil {
		err = outcome.Stopped()
	}
	return found, after, err
}

// allowed says whether the user has named the server that is to be run: a file that somebody else has saved is data.
func (x *Repeater) allowed(r *recipe.Recipe, path string) error {
	if r.Server == "" || x.Target.Server != "" {
		return nil
	}
	if err := x.Book.Refuse(path, trust.Program(r.Server)); err != nil {
		return outcome.Misusef("%w; or name one by --server", err)
	}
	return nil
}

// showing says whether a storm shows one finding.
func (x *Repeater) showing(ctx context.Context, signature string) recipe.Attempt {
	return func(r *recipe.Recipe) (bool, time.Duration, error) {
		found, after, err := x.storm(ctx, r)
		shown := false
		for _, l := range found {
			if l.Signature == signature {
				shown = true
			} else {
				x.others[l.Signature]++
			}
		}
		return shown, after, err
	}
}

// wanted is the finding that a recipe is about: the first one, or one by its signature.
func wanted(r *recipe.Recipe, signature string) (*recipe.Seen, error) {
	if len(r.Finding) == 0 {
		return nil, outcome.Misusef("the file names no finding")
	}
	if signature == "" {
		return &r.Finding[0], nil
	}
	signature = finding.Renamed(signature)
	i := slices.IndexFunc(r.Finding, func(s recipe.Seen) bool { return s.Signature == signature })
	if i < 0 {
		return nil, outcome.Misusef("the file names no finding %q", signature)
	}
	return &r.Finding[i], nil
}

// print says how often a finding came, and what else did.
func (x *Repeater) print(seen recipe.Seen) {
	fmt.Fprintf(x.Out, "seen          in %d of %d storms", seen.Times, seen.Storms)
	if seen.Times > 0 {
		fmt.Fprintf(x.Out, ", after %s in the median", time.Duration(seen.Median))
	}
	fmt.Fprintln(x.Out)
	for _, what := range x.leftOut {
		fmt.Fprintf(x.Out, "left out      %s\n", what)
	}
	names := make([]string, 0, len(x.others))
	for s := range x.others {
		names = append(names, s)
	}
	slices.Sort(names)
	for _, s := range names {
		fmt.Fprintf(x.Out, "beside it     %s, %d times\n", s, x.others[s])
	}
}

// begin reads the recipe of a file, and says which of its findings is looked for: the first one, or that of a
// signature.
func (x *Repeater) begin(ctx context.Context, path, signature string) (r *recipe.Recipe, about *recipe.Seen,
	run recipe.Attempt, err error) {
	if r, err = recipe.Read(ctx, path); err != nil {
		return nil, nil, nil, outcome.Misuse(err)
	}
	if about, err = wanted(r, signature); err == nil {
		err = x.allowed(r, path)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	x.others = map[string]int{}
	fmt.Fprintf(x.Out, "finding       %s\n              %s\n", about.Summary, about.Signature)
	return r, about, x.showing(ctx, about.Signature), nil
}

// Repeat runs the storm of a file so many times and says how often its finding comes, and after what time.
func (x *Repeater) Repeat(ctx context.Context, path, signature string, times int) (recipe.Seen, error) {
	r, _, run, err := x.begin(ctx, path, signature)
	if err != nil {
		return recipe.Seen{}, err
	}
	seen, err := recipe.Rate(r, times, run)
	if seen.Storms > 0 {
		x.print(seen)
	}
	return seen, err
}

// Reduce makes the storm of a file smaller as long as its finding comes, and writes what is left. The finding's rate is
// measured with so many times storms; a smaller storm is given so many tries to show it, at most.
func (x *Repeater) Reduce(ctx context.Context, path, signature string, times, tries int, output string) error {
	if err := asked.Writable(output); err != nil {
		return err
	}
	r, about, run, err := x.begin(ctx, path, signature)
	if err != nil {
		return err
	}
	before, err := recipe.Rate(r, times, run)
	if err != nil {
		return err
	}
	x.print(before)
	if before.Times == 0 {
		return outcome.End(outcome.Inconclusive,
			fmt.Errorf("the finding did not come in %d storms: more --times, or a longer duration in the file, may show it",
				times))
	}
	l := recipe.Limits{Tries: recipe.TriesFor(float64(before.Times)/float64(before.Storms), tries), Acts: x.acts,
		Told: func(step string, kept bool) {
			said := "no"
			if kept {
				said = "still there"
			}
			fmt.Fprintf(x.Out, "%-40.40s %s\n", step, said)
		}}
	if c := OfRecipe(r); c.CanSpare() {
		l.Operations = workload.Operations
	}
	x.smaller = true
	small, err := recipe.Reduce(r, l, run)
	x.smaller = false
	if err != nil {
		return err
	}
	after, err := recipe.Rate(small, times, run)
	if err != nil {
		return err
	}
	after.Signature, after.Summary = about.Signature, about.Summary
	small.Finding = []recipe.Seen{after}
	x.print(after)
	if err := small.Write(ctx, output); err != nil {
		return err
	}
	fmt.Fprintf(x.Out, "written       %s\n", output)
	return nil
}

// Script is a script that does to a server what the storm of a recipe did and needs no txweave.
func Script(r *recipe.Recipe, name string) (string, error) {
	d, err := registry.Lookup(r.Target)
	if err != nil {
		return "", err
	}
	p, err := dbms.Lookup(r.Target, r.Isolation)
	if err != nil {
		return "", err
	}
	return r.Script(name, p, d.Server)
}

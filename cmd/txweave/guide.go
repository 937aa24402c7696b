package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"txweave/campaign/worker"
	"txweave/dbms"
	"txweave/dbms/registry"
	"txweave/gen"
	"txweave/guide"
)

// guideFlags are the flags of fuzz that say how cases are chosen.
type guideFlags struct {
	guide  string
	corpus string
	seeds  string
}

func (f *guideFlags) add(fs *pflag.FlagSet) {
	fs.StringVar(&f.guide, "guide", "none", "none: cases are drawn by their numbers; coverage: cases that showed something new are changed, too")
	fs.StringVar(&f.corpus, "corpus", "", "a directory for the cases that show something new, and the list of what they show; with --guide coverage they are read and changed")
	fs.StringVar(&f.seeds, "seeds", "", "with --guide coverage: a directory with cases to change first, e.g. of known bugs")
}

func (f *guideFlags) check() error {
	if f.guide != "none" && f.guide != "coverage" {
		return usagef("--guide %q: want none or coverage", f.guide)
	}
	if f.guide == "none" && f.seeds != "" {
		return usagef("--seeds needs --guide coverage")
	}
	return nil
}

// open returns the guide that the flags ask for; nil for none.
func (f *guideFlags) open(ctx context.Context, p *dbms.Profile, src *worker.Cases, stderr io.Writer) (*guide.Guide, error) {
	if f.guide == "none" && f.corpus == "" {
		return nil, nil
	}
	var store *guide.Corpus
	var err error
	if f.corpus != "" {
		if store, err = guide.OpenCorpus(f.corpus); err != nil {
			return nil, usagef("--corpus: %w", err)
		}
	}
	g, err := src.Guide(ctx, store)
	if err != nil {
		return nil, usagef("--corpus: %w", err)
	}
	if g.Watches = f.guide == "none"; f.seeds == "" {
		return g, nil
	}
	cases, err := guide.ReadCases(ctx, f.seeds)
	if err != nil {
		return nil, usagef("--seeds: %w", err)
	}
	taken := 0
	for _, c := range cases {
		if g.Seed(c) {
			taken++
		}
	}
	fmt.Fprintf(stderr, "txweave: %d of %d cases of %s are for %s at %s\n", taken, len(cases), f.seeds, p.DBMS, p.Isolation)
	return g, nil
}

// guided prints what guidance did, on one line.
func guided(t *guide.Tally) string {
	return fmt.Sprintf("%d shapes, %d new (%d by mutants); corpus %d, %d times made smaller; %d mutants, %d of them not judged",
		t.Shapes, t.NewShapes, t.FromMutants, t.Corpus, t.Trimmed, t.Mutants, t.Unjudged)
}

// printCovered prints what a corpus has shown, and what of the generator's productions it has not.
func printCovered(w io.Writer, dir, target string) error {
	d, err := registry.Lookup(target)
	if err != nil {
		return usage(err)
	}
	shapes, err := guide.ReadShapes(dir)
	if err != nil {
		return usage(err)
	}
	if len(shapes) == 0 {
		return usagef("%s holds no corpus: fuzz --guide coverage --corpus %s makes one", dir, dir)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "shapes\tknown")
	for _, c := range guide.Count(shapes) {
		fmt.Fprintf(t, "%s\t%d\n", c.Kind, c.Shapes)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w, "\nproductions in no case that was checked:")
	group := ""
	for _, x := range gen.Features(d.Dialect) {
		if x.Weight == 0 || slices.Contains(shapes, guide.ShapeProduction+" "+x.Name) {
			continue
		}
		if x.Group != group {
			group = x.Group
			fmt.Fprintf(w, "%s:\n", group)
		}
		fmt.Fprintf(w, "  %s\t%s\n", x.Name, x.What)
	}
	untouched := guide.Untouched(shapes)
	fmt.Fprintf(w, "\npairs of kinds of statements that followed each other in no transaction: %d\n", len(untouched.Pairs))
	for _, p := range untouched.Pairs {
		fmt.Fprintf(w, "  %s\n", p)
	}
	fmt.Fprintf(w, "\nedges between kinds of statements that no graph had: %d\n", len(untouched.Edges))
	for _, p := range untouched.Edges {
		fmt.Fprintf(w, "  %s\n", p)
	}
	return nil
}

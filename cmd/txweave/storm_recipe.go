package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"txweave/dbms"
	"txweave/dbms/registry"
	"txweave/exec"
	"txweave/exec/storm"
	"txweave/exec/storm/recipe"
	"txweave/exec/storm/verdict"
	"txweave/finding"
	"txweave/gen/workload"
	"txweave/internal/outcome"
	"txweave/internal/trust"
)

// recipe is what the storm was, with what it found.
func (f *stormFlags) recipe(s *stormSummary) *recipe.Recipe {
	r := &recipe.Recipe{Target: f.target, Server: f.server, Isolation: f.isolation, Claim: f.claim, Faults: f.faults, Workload: f.workload, Keys: f.keys,
		Distribution: f.distribution, Without: f.without, Sessions: f.sessions, Seed: f.seed, Duration: recipe.Duration(f.duration), Nemesis: f.nemesis,
		Acts: f.acts, Every: recipe.Duration(f.every), Perturb: f.perturb}
	for _, l := range s.Findings {
		if !slices.ContainsFunc(r.Finding, func(x recipe.Seen) bool { return x.Signature == l.Signature }) {
			r.Finding = append(r.Finding, recipe.Seen{Signature: l.Signature, Summary: l.Summary, Times: 1, Storms: 1})
		}
	}
	return r
}

// recipeFlags are the flags that a recipe stands for.
func recipeFlags(r *recipe.Recipe) *stormFlags {
	f := &stormFlags{}
	f.define(pflag.NewFlagSet("storm", pflag.ContinueOnError))
	f.workload, f.sessions, f.keys, f.distribution, f.without = r.Workload, r.Sessions, r.Keys, r.Distribution, r.Without
	f.duration, f.seed, f.nemesis, f.every, f.perturb, f.acts = time.Duration(r.Duration), r.Seed, r.Nemesis, time.Duration(r.Every), r.Perturb, r.Acts
	f.untilFound = true
	f.target, f.server, f.isolation, f.claim, f.faults = r.Target, r.Server, r.Isolation, r.Claim, r.Faults
	return f
}

// repeating runs recipes over and over.
type repeating struct {
	trustFlags
	server  string // in place of the recipe's
	out     io.Writer
	seed    uint64 // added to the recipe's, one more with each storm
	acts    []string
	leftOut []string       // of the acts, by the last storm
	smaller bool           // the storms are changed ones: some cannot be run
	others  map[string]int // what was seen beside the finding, by signature
}

// storm runs a recipe once, each time with another seed, until its first finding, and returns what it showed and after what time.
func (x *repeating) storm(ctx context.Context, r *recipe.Recipe) (found []finding.Listed, after time.Duration, err error) {
	f := recipeFlags(r)
	f.seed += x.seed
	x.seed++
	f.server = cmp.Or(x.server, f.server)
	w, err := f.check()
	if err != nil {
		return nil, 0, err
	}
	p, err := f.prepare(ctx, w)
	if err != nil {
		if x.smaller && ctx.Err() == nil { // as a planted bug without the nemesis that it needs
			err = nil
		}
		return nil, 0, err
	}
	err = f.use(ctx, func(t exec.Target) error {
		x.acts = storm.StrainsOf(t, f.nemeses)
		s, herr, err := f.storm(ctx, io.Discard, t, p, w)
		if s != nil {
			found, after, x.leftOut = s.Findings, cmp.Or(s.first, s.res.Elapsed), s.LeftOut
		}
		return errors.Join(err, herr)
	})
	if ctx.Err() != nil {
		err = errInterrupted()
	}
	return found, after, err
}

// allowed says whether the user has named the server that is to be run: a file that somebody else has saved is data.
func (x *repeating) allowed(r *recipe.Recipe, path string) error {
	if r.Server == "" || x.server != "" {
		return nil
	}
	if err := x.book().Refuse(path, trust.Program(r.Server)); err != nil {
		return usagef("%w; or name one by --server", err)
	}
	return nil
}

// showing says whether a storm shows one finding.
func (x *repeating) showing(ctx context.Context, signature string) recipe.Attempt {
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
		return nil, usagef("the file names no finding")
	}
	if signature == "" {
		return &r.Finding[0], nil
	}
	signature = finding.Renamed(signature)
	i := slices.IndexFunc(r.Finding, func(s recipe.Seen) bool { return s.Signature == signature })
	if i < 0 {
		return nil, usagef("the file names no finding %q", signature)
	}
	return &r.Finding[i], nil
}

// print says how often a finding came, and what else did.
func (x *repeating) print(seen recipe.Seen) {
	fmt.Fprintf(x.out, "seen          in %d of %d storms", seen.Times, seen.Storms)
	if seen.Times > 0 {
		fmt.Fprintf(x.out, ", after %s in the median", time.Duration(seen.Median))
	}
	fmt.Fprintln(x.out)
	for _, what := range x.leftOut {
		fmt.Fprintf(x.out, "left out      %s\n", what)
	}
	names := make([]string, 0, len(x.others))
	for s := range x.others {
		names = append(names, s)
	}
	slices.Sort(names)
	for _, s := range names {
		fmt.Fprintf(x.out, "beside it     %s, %d times\n", s, x.others[s])
	}
}

func stormRepeatCommand() *cobra.Command {
	x := &repeating{others: map[string]int{}}
	var times int
	var signature string
	cmd := &cobra.Command{
		Use:   "repeat STORM.TOML",
		Short: "Run a storm that storm --save wrote again, several times, and say how often its finding comes",
		Long: `repeat runs the storm of a file that storm --save or storm reduce wrote, with one seed after another, each until its first finding, and
says in how many storms the file's first finding, or that of --signature, came, and after what time. A server that only the file names is not
run: name it by --server, or confirm it once by --trust.

Exit codes: 0 it did not come, 1 it came, 64 usage, 69 target unavailable, 70 internal error, 130 interrupted.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if times < 1 {
				return usagef("--times must be at least 1")
			}
			r, err := recipe.Read(cmd.Context(), args[0])
			if err != nil {
				return usage(err)
			}
			about, err := wanted(r, signature)
			if err == nil {
				err = x.allowed(r, args[0])
			}
			if err != nil {
				return err
			}
			x.out = cmd.OutOrStdout()
			fmt.Fprintf(x.out, "finding       %s\n              %s\n", about.Summary, about.Signature)
			seen, err := recipe.Rate(r, times, x.showing(cmd.Context(), about.Signature))
			if seen.Storms > 0 {
				x.print(seen)
			}
			if err == nil && seen.Times > 0 {
				err = outcome.End(exitFindings, nil)
			}
			return err
		},
	}
	cmd.Flags().IntVar(&times, "times", 5, "storms to run")
	cmd.Flags().StringVar(&signature, "signature", "", "the finding to look for (default: the first one of the file)")
	cmd.Flags().StringVar(&x.server, "server", "", "path of another server binary, to see whether it has the bug, too")
	x.add(cmd.Flags())
	return cmd
}

func stormScriptCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "script STORM.TOML",
		Short: "Print a script for a tracker that does to a server what a storm did and needs no txweave",
		Long: `script prints a program for bash and the DBMS's own client. Its sessions write so that one query's answer must never change, while the
statements of the storm's nemeses are run beside them, until that answer is wrong or its time is over: ./storm.sh SECONDS [ARGUMENTS OF THE CLIENT].

It does not send the storm's statements, and shows rows that are missing, too many or of several states, and updates that are lost. Of the
nemeses kill, ddl, pressure and locks are done, the others are named in it. It drops and creates a database txweave_storm.

Exit codes: 0 written, 64 usage, or the storm has no script.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := recipe.Read(cmd.Context(), args[0])
			if err != nil {
				return usage(err)
			}
			text, err := scriptOf(r, filepath.Base(cmp.Or(output, "storm.sh")))
			if err != nil {
				return usage(err)
			}
			if output == "" {
				_, err = io.WriteString(cmd.OutOrStdout(), text)
				return err
			}
			return errors.Join(os.WriteFile(output, []byte(text), 0o755), os.Chmod(output, 0o755))
		},
	}
	cmd.Flags().StringVar(&output, "output", "", "file to write it to (default: standard output)")
	return cmd
}

// scriptOf is the script of a recipe.
func scriptOf(r *recipe.Recipe, name string) (string, error) {
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

func stormReduceCommand() *cobra.Command {
	x := &repeating{others: map[string]int{}}
	var times, tries int
	var signature, output string
	cmd := &cobra.Command{
		Use:   "reduce STORM.TOML",
		Short: "Make a storm that storm --save wrote smaller, as long as its finding comes",
		Long: `reduce looks for a smaller storm that shows the same finding: without nemeses, with fewer of their acts, fewer sessions, rows and kinds of
statements. How often the finding comes is measured first; a smaller storm is run so often that one which shows it as often is given up with
a probability of one in twenty, at most --tries times. What is left is written to --output, with its rate.

Exit codes: 0 it was made smaller or is as small as can be, 2 it did not come at all, 64 usage, 69 target unavailable, 70 internal error,
130 interrupted.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if times < 1 || tries < 1 {
				return usagef("--times and --tries must be at least 1")
			}
			r, err := recipe.Read(cmd.Context(), args[0])
			if err != nil {
				return usage(err)
			}
			about, err := wanted(r, signature)
			if err == nil {
				err = x.allowed(r, args[0])
			}
			if err != nil {
				return err
			}
			output = cmp.Or(output, strings.TrimSuffix(args[0], ".toml")+"-reduced.toml")
			if err := writable(output); err != nil {
				return err
			}
			x.out = cmd.OutOrStdout()
			return x.reduce(cmd.Context(), r, *about, times, tries, output)
		},
	}
	cmd.Flags().IntVar(&times, "times", 5, "storms that the finding's rate is measured with, before and after")
	cmd.Flags().IntVar(&tries, "tries", 8, "storms that a smaller one is given to show the finding, at most")
	cmd.Flags().StringVar(&signature, "signature", "", "the finding to look for (default: the first one of the file)")
	cmd.Flags().StringVar(&output, "output", "", "where to write what is left (default: the file's name with -reduced)")
	cmd.Flags().StringVar(&x.server, "server", "", "path of another server binary than the file's")
	x.add(cmd.Flags())
	return cmd
}

// reduce reduces a recipe and writes what is left.
func (x *repeating) reduce(ctx context.Context, r *recipe.Recipe, about recipe.Seen, times, tries int, output string) error {
	run := x.showing(ctx, about.Signature)
	fmt.Fprintf(x.out, "finding       %s\n              %s\n", about.Summary, about.Signature)
	before, err := recipe.Rate(r, times, run)
	if err != nil {
		return err
	}
	x.print(before)
	if before.Times == 0 {
		return outcome.End(exitInconclusive, fmt.Errorf("the finding did not come in %d storms: more --times, or a longer duration in the file, may show it", times))
	}
	l := recipe.Limits{Tries: recipe.TriesFor(float64(before.Times)/float64(before.Storms), tries), Acts: x.acts,
		Told: func(step string, kept bool) {
			said := "no"
			if kept {
				said = "still there"
			}
			fmt.Fprintf(x.out, "%-40.40s %s\n", step, said)
		}}
	if w, err := recipeFlags(r).check(); err == nil && w.CanSpare() {
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
	fmt.Fprintf(x.out, "written       %s\n", output)
	return nil
}

// firstFinding ends the context it returns a moment after the first finding of the online oracles, and tells how long that took; seen is
// called when the storm has ended.
func firstFinding(ctx context.Context, v *verdict.OnlineCheck) (running context.Context, seen func() time.Duration) {
	running, cancel := context.WithCancel(ctx)
	begun, first, done := time.Now(), time.Duration(0), make(chan struct{})
	go func() {
		defer close(done)
		for t := time.NewTicker(10 * time.Millisecond); ; {
			select {
			case <-running.Done():
				t.Stop()
				return
			case <-t.C:
			}
			if _, _, found := v.Progress(); found > 0 {
				first = time.Since(begun)
				t.Stop()
				cancel()
				return
			}
		}
	}()
	return running, func() time.Duration {
		cancel()
		<-done
		return first
	}
}

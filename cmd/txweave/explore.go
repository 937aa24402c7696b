package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"txweave/campaign/worker"
	"txweave/dbms"
	"txweave/exec"
	"txweave/finding"
	"txweave/guide/interleave"
	"txweave/instrument"
	"txweave/internal/outcome"
	"txweave/testcase"
	"txweave/weave"
)

func exploreCommand() *cobra.Command {
	var f targetFlags
	var from sourceFlags
	var x exploration
	var limit int
	var duration time.Duration
	var precision string
	cmd := &cobra.Command{
		Use:   "explore CASE.txw|FINDING|BUG",
		Short: "Run every interleaving of a case's transactions, one of each class, and say which ones show something",
		Long: `Run a case under every order in which its transactions can interleave, and say under which ones it shows a difference.
Of orders that cannot be told apart one is run: those that differ by neighbours which do not depend on each other, by the tables that they
use and by the rows that runs have shown. The case's own order comes first. With --cases the first case of each kind of finding is written
to a directory, to be replayed and reduced.
Exit code 0: none shows a difference, 1: at least one does, 2: not all that there are were run, or could be checked.`,
		Example: `  txweave explore docs/hermitage/09-g-single.txw
  txweave explore B3 --limit 2000 --cases explored`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 1 || duration <= 0 {
				return usagef("--limit and --duration must be positive")
			}
			c, _, err := f.caseOf(cmd.Context(), &from, args[0])
			if err != nil {
				return err
			}
			if len(c.Order) > 0 {
				return usagef("%s says in which order its statements are to be run without transactions: that belongs to one interleaving", args[0])
			}
			if x.options, err = (&worker.Checks{Orders: 2, Precision: precision}).Options(); err != nil {
				return err
			}
			x.options.Explore, x.options.Integrity = true, 1
			if x.profile, err = f.forCase(cmd.Context(), c); err != nil {
				return err
			}
			if len(c.Schedule) == 0 {
				c.Schedule = c.SerialSchedule()
			}
			if x.plan, err = instrument.Instrument(c, x.profile); err != nil {
				return usage(err)
			}
			x.c, x.out, x.shown, x.until = c, cmd.OutOrStdout(), map[string]*shown{}, time.Now().Add(duration)
			return f.use(cmd.Context(), func(t exec.Target) error {
				x.target = t
				return x.run(cmd.Context(), limit)
			})
		},
	}
	f.add(cmd.Flags(), "")
	f.addFaults(cmd.Flags())
	from.add(cmd.Flags())
	cmd.Flags().IntVar(&limit, "limit", 500, "interleavings to run, at most")
	cmd.Flags().DurationVar(&duration, "duration", 5*time.Minute, "stop after this time")
	cmd.Flags().StringVar(&x.dir, "cases", "", "a directory for the first case of each kind of finding, with its interleaving")
	cmd.Flags().StringVar(&precision, "precision", "match", "exact, column or match")
	return cmd
}

// shown is what became of one kind of finding.
type shown struct {
	times int
	first *testcase.Case // that showed it
	file  string         // that it was written to
}

// exploration runs the interleavings of one case.
type exploration struct {
	target  exec.Target
	profile *dbms.Profile
	c       *testcase.Case
	plan    *instrument.Plan
	options weave.Options
	until   time.Time
	dir     string
	out     io.Writer

	ran       int
	checked   int
	showing   int // interleavings that show something
	shown     map[string]*shown
	unchecked string // why one could not be checked
}

// overError ends an exploration before its time.
type overError string

func (e overError) Error() string { return string(e) }

func (x *exploration) run(ctx context.Context, limit int) error {
	told, err := interleave.Explore(x.plan, limit, func(steps []instrument.Step) (*weave.Explored, error) {
		if time.Now().After(x.until) {
			return nil, overError("--duration was reached")
		}
		return x.one(ctx, steps)
	})
	var over overError
	if err != nil && !errors.As(err, &over) {
		return err
	}
	if over == "" && !told.Whole {
		over = "--limit was reached"
	}
	return x.report(told, string(over))
}

// one runs one interleaving.
func (x *exploration) one(ctx context.Context, steps []instrument.Step) (*weave.Explored, error) {
	c := x.c.Clone()
	c.Schedule = interleave.Numbers(steps)
	a, err := try(ctx, x.target, x.profile, c, x.options)
	if err != nil {
		return nil, err
	}
	x.ran++
	if a.broken != "" {
		x.showing++
		if err := x.note(c, a.class); err != nil || !a.hangs {
			return nil, err
		}
		return nil, overError("the server hangs")
	}
	if len(a.evidence) == 0 && len(a.rep.Malformed) > 0 {
		return nil, malformed(a.rep)
	}
	if a.rep.Checked {
		x.checked++
	} else {
		x.unchecked = a.rep.Why.String()
	}
	seen := map[string]bool{}
	for _, ev := range a.evidence {
		if seen[ev.Signature] {
			continue
		}
		seen[ev.Signature] = true
		if err := x.note(c, ev.Signature); err != nil {
			return nil, err
		}
	}
	if len(seen) > 0 {
		x.showing++
	}
	return a.rep.Explored, a.renew(ctx, x.target)
}

// note counts what an interleaving showed, and writes the first case of its kind.
func (x *exploration) note(c *testcase.Case, signature string) error {
	s := x.shown[signature]
	if s == nil {
		s = &shown{first: c}
		x.shown[signature] = s
		if x.dir != "" {
			if err := os.MkdirAll(x.dir, 0o755); err != nil {
				return err
			}
			s.file = filepath.Join(x.dir, fmt.Sprintf("%02d-%s.txw", len(x.shown), fileWords(signature)))
			if err := os.WriteFile(s.file, c.Print(), 0o644); err != nil {
				return err
			}
		}
	}
	s.times++
	return nil
}

// fileWords is a signature as a part of a file's name.
func fileWords(signature string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '-'
	}, signature), "-")
}

// report says what came of it all; over is why the exploration has not come to its end.
func (x *exploration) report(told interleave.Extent, over string) error {
	d := x.target.Describe()
	all := interleave.Count(x.plan).String() + " interleavings"
	if all == "1 interleavings" {
		all = "1 interleaving"
	}
	fmt.Fprintf(x.out, "%s %s, %s: %s and %s, %s\n", d.Target, d.Version, x.profile.Isolation, finding.Count(len(x.plan.Txns), "transaction"),
		finding.Count(len(x.plan.Steps), "step"), all)
	fmt.Fprintf(x.out, "%d that can be told apart, %d run, %d checked, %d showed a difference\n", told.Classes, x.ran, x.checked, x.showing)
	if over != "" {
		fmt.Fprintf(x.out, "%s: there may be more\n", over)
	}
	for _, sig := range slices.SortedFunc(maps.Keys(x.shown), func(a, b string) int {
		return cmp.Or(x.shown[b].times-x.shown[a].times, strings.Compare(a, b))
	}) {
		s := x.shown[sig]
		fmt.Fprintf(x.out, "  %s: %s\n    first: %s\n", finding.Count(s.times, "time"), finding.Line(sig), s.first.ScheduleLine())
		if s.file != "" {
			fmt.Fprintf(x.out, "    %s\n", s.file)
		}
	}
	switch {
	case x.showing > 0:
		return &exitError{Code: exitFindings}
	case over != "":
		return outcome.End(exitInconclusive, fmt.Errorf("inconclusive: %s", over))
	case x.checked < x.ran:
		return outcome.End(exitInconclusive, fmt.Errorf("inconclusive: %d could not be checked, one as %s", x.ran-x.checked, x.unchecked))
	}
	return nil
}

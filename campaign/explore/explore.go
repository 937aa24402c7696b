// Package explore runs the interleavings of one case, one of each class, and says which ones show something.
package explore

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

	"txweave/campaign/replay"
	"txweave/campaign/target"
	"txweave/campaign/worker"
	"txweave/dbms"
	"txweave/exec"
	"txweave/finding"
	"txweave/gen/guide/interleave"
	"txweave/instrument"
	"txweave/internal/outcome"
	"txweave/testcase"
	"txweave/weave"
)

// Config says which interleavings of a case are run. Errors call its fields by the flags that set them.
type Config struct {
	Limit     int           // interleavings to run, at most
	Duration  time.Duration // it stops after this time
	Cases     string        // a directory for the first case of each kind of finding; "": none
	Precision string        // see worker.Checks
	// Progress, unless nil, is told how many of how many interleavings are done.
	Progress func(done, all int)
}

// Validate says which values there cannot be.
func (c *Config) Validate() error {
	if c.Limit < 1 || c.Duration <= 0 {
		return outcome.Misusef("--limit and --duration must be positive")
	}
	_, err := c.options()
	return err
}

func (c *Config) options() (weave.Options, error) {
	o, err := (&worker.Checks{Orders: 2, Precision: c.Precision, Integrity: 1}).Options()
	o.Explore = true
	return o, err
}

// Run runs the interleavings of a case on a target, prints which ones show something, and says how that ended.
func (c *Config) Run(ctx context.Context, on *target.Chosen, of *testcase.Case, w io.Writer) error {
	o, err := c.options()
	if err != nil {
		return err
	}
	if len(of.Schedule) == 0 {
		of.Schedule = of.SerialSchedule()
	}
	plan, err := instrument.Instrument(of, on.Profile)
	if err != nil {
		return outcome.Misuse(err)
	}
	return on.Use(ctx, func(t exec.Target) error {
		x := &exploration{target: t, profile: on.Profile, c: of, plan: plan, options: o, until: time.Now().Add(c.Duration),
			dir: c.Cases, out: w, shown: map[string]*shown{}}
		return x.run(ctx, c.Limit, c.Progress)
	})
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

func (x *exploration) run(ctx context.Context, limit int, progress func(done, all int)) error {
	told, err := interleave.Explore(x.plan, limit, func(steps []instrument.Step) (*weave.Explored, error) {
		if time.Now().After(x.until) {
			return nil, overError("--duration was reached")
		}
		if progress != nil {
			progress(x.ran, limit)
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
	a, err := replay.Try(ctx, x.target, x.profile, c, x.options)
	if err != nil {
		return nil, err
	}
	x.ran++
	if a.Broken != "" {
		x.showing++
		if err := x.note(c, a.Class); err != nil || !a.Hangs {
			return nil, err
		}
		return nil, overError("the server hangs")
	}
	if len(a.Evidence) == 0 && len(a.Report.Malformed) > 0 {
		return nil, replay.Malformed(a.Report)
	}
	if a.Report.Checked {
		x.checked++
	} else {
		x.unchecked = a.Report.Why.String()
	}
	seen := map[string]bool{}
	for _, ev := range a.Evidence {
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
	return a.Report.Explored, a.Renew(ctx, x.target)
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
	fmt.Fprintf(x.out, "%s %s, %s: %s and %s, %s\n", d.Target, d.Version, x.profile.Isolation,
		finding.Count(len(x.plan.Txns), "transaction"),
		finding.Count(len(x.plan.Steps), "step"), all)
	fmt.Fprintf(x.out, "%d that can be told apart, %d run, %d checked, %d showed a difference\n", told.Classes, x.ran,
		x.checked, x.showing)
	if more := told.Classes - x.ran; more > 0 {
		fmt.Fprintf(x.out, "%d more came about by waits in these\n", more)
	}
	if over != "" {
		fmt.Fprintf(x.out, "%s: there may be more\n", over)
	}
	for _, sig := range slices.SortedFunc(maps.Keys(x.shown), func(a, b string) int {
		return cmp.Or(x.shown[b].times-x.shown[a].times, strings.Compare(a, b))
	}) {
		s := x.shown[sig]
		fmt.Fprintf(x.out, "  %s: %s\n    first: %s\n", finding.Count(s.times, "time"), finding.Line(sig),
			s.first.ScheduleLine())
		if s.file != "" {
			fmt.Fprintf(x.out, "    %s\n", s.file)
		}
	}
	switch {
	case x.showing > 0:
		return outcome.Found()
	case over != "":
		return outcome.Inconclusivef("%s", over)
	case x.checked < x.ran:
		return outcome.Inconclusivef("%d could not be checked, one as %s", x.ran-x.checked, x.unchecked)
	}
	return nil
}

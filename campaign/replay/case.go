package replay

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"txweave/campaign/bugs"
	"txweave/campaign/target"
	"txweave/exec"
	"txweave/finding"
	"txweave/instrument"
	"txweave/internal/asked"
	"txweave/internal/outcome"
	"txweave/report/timeline"
	"txweave/sdg"
	"txweave/sql/sqltext"
	"txweave/testcase"
	"txweave/weave"
)

// ReadCase reads a case file; what is wrong with it is the user's to mend.
func ReadCase(ctx context.Context, path string) (*testcase.Case, error) {
	return asked.Obeying(ctx, func() (*testcase.Case, error) {
		c, err := testcase.ReadNamed(ctx, path)
		if err == nil {
			err = undoubted(c)
		}
		return c, outcome.Misuse(err)
	})
}

// undoubted refuses a statement about which two readers differ, where the oracles are to go by what is read of it.
func undoubted(c *testcase.Case) error {
	doubt := sqltext.SyntaxOf(c.Target).Doubt
	if doubt == nil || len(c.Order) > 0 {
		return nil
	}
	for n := range c.Txns {
		for i, s := range c.Txns[n].Stmts {
			if err := doubt(s.SQL); err != nil {
				return fmt.Errorf("%s: %w; an -- order -- section in the case makes that unnecessary",
					c.At(testcase.Ref{Txn: n, Stmt: i}), err)
			}
		}
	}
	return nil
}

// CaseOf reads the case of a file, or of a finding's directory with what it was made under.
func (u *Under) CaseOf(ctx context.Context, path string) (*testcase.Case, *finding.Record, error) {
	arg := path
	path, err := u.Shelf.Named(ctx, arg)
	if err != nil {
		return nil, nil, err
	}
	path = bugs.Smallest(arg, path)
	if st, err := os.Stat(path); err != nil || !st.IsDir() {
		c, err := ReadCase(ctx, path)
		return c, nil, err
	}
	d, err := finding.Open(path)
	if err != nil {
		return nil, nil, outcome.Misuse(err)
	}
	c, err := d.Case()
	if err != nil {
		return nil, nil, outcome.Misuse(err)
	}
	if r := d.Record; r != nil { // an older case does not say it itself
		if c, err = testcase.Parse(filepath.Join(path, finding.CaseFile), finding.Mark(c.Print(), &r.Environment)); err !=
			nil {
			return nil, nil, outcome.Misuse(err)
		}
	}
	return c, d.Record, nil
}

// otherSettings says which settings differ from those that a finding was made under.
func otherSettings(then, now map[string]string) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(then)) {
		if then[name] != now[name] {
			out = append(out, fmt.Sprintf("%s is %q here and was %q", name, now[name], then[name]))
		}
	}
	return out
}

// Dossier is what is known of a finding, by its directory or its name; of a case by itself what comes of running it
// once.
func (u *Under) Dossier(ctx context.Context, arg string) (find *timeline.Dossier, err error) {
	path, err := u.Shelf.Named(ctx, arg)
	if err != nil {
		return nil, err
	}
	st, err := os.Stat(path)
	if err != nil {
		return nil, outcome.Misuse(err)
	}
	if st.IsDir() {
		find, err = timeline.Load(path)
		return find, outcome.Misuse(err)
	}
	c, err := ReadCase(ctx, path)
	if err != nil {
		return nil, err
	}
	on, err := u.For(ctx, c)
	if err != nil {
		return nil, err
	}
	err = on.Use(ctx, func(t exec.Target) error {
		find, err = observe(ctx, t, on, c)
		return err
	})
	return find, err
}

// observe checks a case once. Its finding, if it shows one, is the result; else what it answers when it is run
// without probes.
func observe(ctx context.Context, t exec.Target, on *target.Chosen, c *testcase.Case) (*timeline.Dossier, error) {
	p := on.Profile
	out := &timeline.Dossier{Case: c, Record: finding.Record{Environment: on.Environment(t.Describe())}}
	rep, err := Once(ctx, t, p, c, weave.Options{Precision: sdg.Match})
	if crash := (*exec.CrashError)(nil); errors.As(err, &crash) {
		out.Record.Finding = finding.Finding{Class: finding.ClassCrash, Oracle: "crash", Log: crash.Log,
			Summary: finding.Line(crash.Error())}
		out.Record.Sign()
		return out, t.Restart(ctx)
	}
	if err != nil {
		return nil, err
	}
	if evs := append(rep.Findings, rep.Unconfirmed...); len(evs) > 0 {
		out.Record.Finding, out.Run = evs[0].Finding, evs[0].Run.Trace
		if evs[0].Replayed != nil {
			out.Replayed = evs[0].Replayed.Trace()
		}
		if evs[0].Graph != nil {
			out.Graph = evs[0].Graph.Document(evs[0].Order)
		}
		return out, nil
	}
	r, err := exec.NewRunner(ctx, t, p, exec.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	plan, err := instrument.Instrument(c, p)
	if err != nil {
		return nil, outcome.Misuse(err)
	}
	for i := range plan.Txns {
		for _, b := range plan.Txns[i].Blocks {
			b.VSR, b.BWR, b.AWR = nil, nil, nil
		}
	}
	if _, err := r.Load(plan); err != nil {
		return nil, err
	}
	run, err := r.Run(plan, plan.Steps)
	if err != nil {
		return nil, err
	}
	out.Run = run.Trace
	return out, nil
}

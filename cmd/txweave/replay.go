package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"txweave/campaign"
	"txweave/campaign/bugs"
	"txweave/campaign/target"
	"txweave/campaign/worker"
	"txweave/checker/certificate"
	"txweave/dbms"
	"txweave/exec"
	"txweave/finding"
	"txweave/history/format"
	"txweave/internal/asked"
	"txweave/internal/outcome"
	"txweave/sqltext"
	"txweave/testcase"
	"txweave/weave"
)

func replayCommand() *cobra.Command {
	var f targetFlags
	var from sourceFlags
	var repeat, orders int
	var precision, history, certificate, format string
	cmd := &cobra.Command{
		Use:   "replay CASE.txw|FINDING|BUG...",
		Short: "Run one case again and say how often it shows a difference",
		Long: `Run one case again, from its file alone, on fresh tables, and say how often it shows a difference.
It runs under what it was found under: target, level, --claim and planted bugs; flags say otherwise.
With --format json an object says what came of it and of each statement; several cases of one target and level then share a
server, and have an object each.
Exit code 0: never, 1: at least once, 2: it could not be checked, 64: it is not understood; of several cases that of the worst, 1 first.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := textOrJSON(format); err != nil {
				return err
			}
			if format == "text" && len(args) > 1 {
				return usagef("several cases need --format json")
			}
			if format == "json" && history != "" {
				return usagef("--history and --format json do not go together")
			}
			if repeat < 1 {
				return usagef("--repeat must be at least 1")
			}
			o, err := (&worker.Checks{Orders: orders, Precision: precision}).Options()
			if err != nil {
				return err
			}
			o.Integrity = 1
			if format == "json" {
				return f.replayAll(cmd, &from, args, o, repeat)
			}
			c, rec, err := f.caseOf(cmd.Context(), &from, args[0])
			if err != nil {
				return err
			}
			p, err := f.forCase(cmd.Context(), c)
			if err != nil {
				return err
			}
			if (history == "") != (certificate == "") {
				return usagef("--history and --certificate belong together")
			}
			if err := asked.Writable(history, certificate); err != nil {
				return err
			}
			return f.use(cmd.Context(), func(t exec.Target) error {
				if rec != nil && t.Describe().Target == rec.Environment.DBMS {
					for _, text := range otherSettings(rec.Environment.Settings, target.Environment(p, f.Claim, f.Faults, t.Describe()).Settings) {
						fmt.Fprintln(cmd.ErrOrStderr(), "txweave: "+text)
					}
				}
				if certificate != "" {
					if err := certifyCase(cmd.Context(), t, p, c, history, certificate); err != nil {
						return err
					}
				}
				return replayCase(cmd.Context(), t, p, c, o, repeat, cmd.OutOrStdout())
			})
		},
	}
	f.add(cmd.Flags(), "")
	f.addFaults(cmd.Flags())
	from.add(cmd.Flags())
	cmd.Flags().IntVar(&repeat, "repeat", 1, "how many times to check the case")
	cmd.Flags().IntVar(&orders, "orders", 2, "topological orders to replay each time")
	cmd.Flags().StringVar(&precision, "precision", "match", "exact, column or match")
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	cmd.Flags().StringVar(&history, "history", "", "write one more run of the case as a history to this file, for check")
	cmd.Flags().StringVar(&certificate, "certificate", "", "write that history's certificate to this file, for check --certificate: from the probes, or TiDB's own timestamps")
	return cmd
}

// readCase reads a case file; what is wrong with it is the user's to mend.
func readCase(ctx context.Context, path string) (*testcase.Case, error) {
	return asked.Obeying(ctx, func() (*testcase.Case, error) {
		c, err := testcase.ReadNamed(ctx, path)
		if err == nil {
			err = undoubted(c)
		}
		return c, usage(err)
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
				return fmt.Errorf("%s: %w; with an -- order -- it need not be read", c.At(testcase.Ref{Txn: n, Stmt: i}), err)
			}
		}
	}
	return nil
}

// forCase resolves the flags with what the case was made under as defaults: its target and level, the level that it was held
// to, the bugs that were planted.
func (f *targetFlags) forCase(ctx context.Context, c *testcase.Case) (*dbms.Profile, error) {
	if f.Target == "" {
		f.Target = c.Target
	}
	if f.Isolation == "" {
		f.Isolation = c.Isolation
	}
	claim, planted := finding.Marks(c)
	if f.Claim == "" && !f.flags.Changed("claim") && f.Isolation == c.Isolation {
		f.Claim = claim
	}
	if !f.flags.Changed("faults") { // also where a command has no such flag
		f.Faults = planted
	}
	return f.resolve(ctx)
}

// caseOf reads the case of a file, or of a finding's directory with what it was made under.
func (f *targetFlags) caseOf(ctx context.Context, from *sourceFlags, path string) (*testcase.Case, *finding.Record, error) {
	arg := path
	path, err := from.parsed().Named(ctx, arg)
	if err != nil {
		return nil, nil, err
	}
	path = bugs.Smallest(arg, path)
	if st, err := os.Stat(path); err != nil || !st.IsDir() {
		c, err := readCase(ctx, path)
		return c, nil, err
	}
	d, err := finding.Open(path)
	if err != nil {
		return nil, nil, usage(err)
	}
	c, err := d.Case()
	if err != nil {
		return nil, nil, usage(err)
	}
	if r := d.Record; r != nil { // an older case does not say it itself
		if c, err = testcase.Parse(filepath.Join(path, finding.CaseFile), finding.Mark(c.Print(), &r.Environment)); err != nil {
			return nil, nil, usage(err)
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

// replayCase checks a case repeat times and prints what came of it.
func replayCase(ctx context.Context, t exec.Target, p *dbms.Profile, c *testcase.Case, o weave.Options, repeat int, w io.Writer) error {
	return replayInto(ctx, t, p, c, o, &replayed{Runs: repeat}, w)
}

// replayInto checks a case r.Runs times, notes what came of it, and prints it.
func replayInto(ctx context.Context, t exec.Target, p *dbms.Profile, c *testcase.Case, o weave.Options, r *replayed, w io.Writer) error {
	var last *weave.Report
	for i := range r.Runs {
		at, err := try(ctx, t, p, c, o)
		if err != nil {
			return err
		}
		r.add(at)
		if at.broken != "" {
			fmt.Fprintf(w, "run %d: %s\n", i+1, at.broken)
			r.Shown++
			if at.hangs {
				return &exitError{Code: exitFindings}
			}
			continue
		}
		if at.rep.Checked {
			r.Checked++
		}
		if len(at.evidence) > 0 {
			r.Shown++
		}
		for _, ev := range at.evidence {
			printEvidence(w, i+1, ev)
		}
		if last = at.rep; i+1 < r.Runs {
			if err := at.renew(ctx, t); err != nil {
				return err
			}
		}
	}
	d := t.Describe()
	fmt.Fprintf(w, "%s %s, %s: %d/%d showed a difference\n", d.Target, d.Version, p.Isolation, r.Shown, r.Runs)
	switch {
	case r.Shown > 0:
		return &exitError{Code: exitFindings}
	case last != nil && len(last.Malformed) > 0:
		return malformed(last)
	case r.Checked == 0:
		r.Why = last.Why.String()
		return outcome.End(exitInconclusive, fmt.Errorf("inconclusive: the case could not be checked: %s", last.Why))
	}
	return nil
}

// malformed says that a case has statements which the database does not understand: whoever wrote it is to mend them.
func malformed(rep *weave.Report) error {
	return usagef("the database does not understand a statement of the case: %s", finding.Line(rep.Malformed[0]))
}

// attempt is what came of checking a case once.
type attempt struct {
	rep      *weave.Report // nil where the server broke
	evidence []*weave.Evidence
	// broken says what became of the server: a finding, and its log; "" where nothing did. It hangs: it cannot be asked again.
	broken, class string
	hangs         bool
}

// renew starts a server again whose database is not to be used any more; one of the user's is left as it is.
func (a *attempt) renew(ctx context.Context, t exec.Target) error {
	if a.rep == nil || !a.rep.Spoilt {
		return nil
	}
	if err := t.Restart(ctx); err != nil && !errors.Is(err, exec.ErrUnavailable) {
		return err
	}
	return nil
}

// try checks a case once over connections of its own. A server that ends is started again.
func try(ctx context.Context, t exec.Target, p *dbms.Profile, c *testcase.Case, o weave.Options) (*attempt, error) {
	rep, err := checkOnce(ctx, t, p, c, o)
	var crash *exec.CrashError
	if errors.As(err, &crash) {
		a := &attempt{broken: fmt.Sprintf("%s: %v\n%s", finding.ClassCrash, crash, crash.Log), class: finding.ClassCrash}
		return a, t.Restart(ctx)
	}
	var hang *exec.HangError
	if errors.As(err, &hang) && hang.Proved() {
		return &attempt{broken: fmt.Sprintf("%s: %v\n%s", finding.ClassHang, hang, hang.Stacks), class: finding.ClassHang, hangs: true}, nil
	}
	var lost *exec.LostError
	if errors.As(err, &lost) {
		f, err := lostConnection(ctx, t, p, c, o, lost)
		if err != nil {
			return nil, err
		}
		return &attempt{broken: fmt.Sprintf("%s (%s): %s; the server lives on\n%s", f.Signature, campaign.CameBack(&f.Finding), f.Summary, f.Log), class: f.Signature}, nil
	}
	if err != nil {
		return nil, err
	}
	return &attempt{rep: rep, evidence: append(rep.Findings, rep.Suspects...)}, nil
}

// certifyCase runs a case once and writes its history and certificate.
func certifyCase(ctx context.Context, t exec.Target, p *dbms.Profile, c *testcase.Case, historyFile, certificateFile string) error {
	if err := inStore(ctx, t, p, c); err != nil {
		return err
	}
	r, err := exec.NewRunner(ctx, t, p, exec.Options{})
	if err != nil {
		return err
	}
	defer r.Close()
	h, cert, err := weave.Certify(r, c, p)
	if err != nil {
		return explain(ctx, t, err)
	}
	return errors.Join(
		asked.Write(ctx, historyFile, func(w io.Writer) error { return format.WriteFile(w, historyFile, h) }),
		asked.Write(ctx, certificateFile, func(w io.Writer) error { return certificate.Write(w, h, cert) }))
}

// inStore gives a target the store that a case names, before any session is opened.
func inStore(ctx context.Context, t exec.Target, p *dbms.Profile, c *testcase.Case) error {
	err := exec.Shape(ctx, t, c, p, func() {})
	var none *exec.ShapeError
	if errors.As(err, &none) && none.Why == nil {
		return usage(err)
	}
	return err
}

// checkOnce checks a case over connections of its own.
func checkOnce(ctx context.Context, t exec.Target, p *dbms.Profile, c *testcase.Case, o weave.Options) (*weave.Report, error) {
	if err := inStore(ctx, t, p, c); err != nil {
		return nil, err
	}
	r, err := exec.NewRunner(ctx, t, p, exec.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	rep, err := weave.Check(r, c, p, o)
	if err != nil {
		return nil, explain(ctx, t, err)
	}
	return rep, nil
}

// lostConnection runs a case again that lost a connection to a server which lives on, as a campaign does, and returns the finding: the case
// loses it each time. Else it is what lies between that does, and the target is unavailable.
func lostConnection(ctx context.Context, t exec.Target, p *dbms.Profile, c *testcase.Case, o weave.Options, lost error) (*campaign.Found, error) {
	w := worker.On(t, p, o)
	defer w.Release()
	res, err := w.Check(ctx, campaign.Job{Text: c.Print()})
	if ctx.Err() != nil {
		return nil, outcome.Stopped()
	}
	if err != nil {
		return nil, err
	}
	for i := range res.Findings {
		if f := &res.Findings[i]; f.Class == finding.ClassCrash {
			return f, nil
		}
	}
	return nil, fmt.Errorf("%w: %w", exec.ErrUnavailable, lost)
}

// explain sorts out why a case could not be checked: an error of the case is the user's, a crash is a CrashError.
func explain(ctx context.Context, t exec.Target, err error) error {
	if ctx.Err() != nil {
		return outcome.Stopped()
	}
	var crash *exec.CrashError
	var hang *exec.HangError
	alive := t.Alive(ctx)
	switch {
	case errors.As(alive, &crash) && crash.Killed:
		return fmt.Errorf("%w: %s", exec.ErrUnavailable, crash.Error()) // no doing of the server's
	case errors.As(alive, &crash):
		return crash
	case errors.As(alive, &hang):
		return hanging(hang)
	}
	if why := worker.Refusal(err); why != nil {
		return usage(why) // a hand-edited case with a bad table
	}
	return err
}

// hanging is a server that does not answer: the environment's doing where somebody has stopped its process, or may have.
func hanging(hang *exec.HangError) error {
	if !hang.Proved() {
		return fmt.Errorf("%w: %w", exec.ErrUnavailable, hang)
	}
	return hang
}

// printEvidence prints a finding for people.
func printEvidence(w io.Writer, run int, ev *weave.Evidence) {
	fmt.Fprintf(w, "run %d: %s (%s)\n", run, finding.Line(ev.Signature), campaign.CameBack(&ev.Finding))
	for _, d := range ev.Differences {
		fmt.Fprintf(w, "  %s %s %s %s\n", d.Stmt, d.Kind, finding.Line(d.Told()), finding.Line(d.Detail()))
		if first, second := d.Sides(ev.Class); first != "" {
			fmt.Fprintf(w, "    %-16s %s\n    %-16s %s\n", first+":", finding.Line(d.Transaction.String()), second+":",
				finding.Line(d.Replay.String()))
		}
		for _, warned := range d.Warned {
			fmt.Fprintf(w, "    %-16s %s\n", "warned:", finding.Line(warned.String()))
		}
	}
	if len(ev.Order) > 0 {
		fmt.Fprintf(w, "  order without transactions: %v\n", ev.Order)
	}
}

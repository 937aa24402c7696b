package replay

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/big"
	"os"

	"txweave/campaign"
	"txweave/campaign/bugs"
	"txweave/campaign/target"
	"txweave/campaign/worker"
	"txweave/dbms"
	"txweave/exec"
	"txweave/finding"
	"txweave/gen/guide/interleave"
	"txweave/internal/asked"
	"txweave/internal/outcome"
	"txweave/testcase"
	"txweave/weave"
)

// Under says where cases come from, and under what they are run again.
type Under struct {
	Target target.Config // what it does not say, cases say themselves
	// Claimed and Planted say that the target's claim and planted bugs stand, though there are none.
	Claimed, Planted bool
	Shelf            *bugs.Shelf // where cases are looked up by the names of bugs and findings
}

// On has cases of a finding run on the server that it was made on, where nobody asks for another database and that
// server is still there.
func (u *Under) On(env *finding.Environment) {
	if to := &u.Target; to.Server != "" || to.DSN != "" || to.Target != "" && to.Target != env.DBMS {
		return
	}
	if _, err := os.Stat(env.Server); err == nil {
		u.Target.Server = env.Server
	}
}

// For is the target for a case: what Target does not say is what the case was made under, its target and level, the
// level that it was held to, the bugs that were planted.
func (u *Under) For(ctx context.Context, c *testcase.Case) (*target.Chosen, error) {
	to := u.Target
	if to.DSN == "" { // else the server says
		to.Target = cmp.Or(to.Target, c.Target)
	}
	to.Isolation = cmp.Or(to.Isolation, c.Isolation)
	claim, faults := finding.Marks(c)
	if to.Claim == "" && !u.Claimed && to.Isolation == c.Isolation {
		to.Claim = claim
	}
	if !u.Planted {
		to.Inject = faults
	}
	return to.Resolve(ctx)
}

// Config says how cases are run again. Errors call its fields by the flags that set them.
type Config struct {
	Under
	worker.Checks
	Repeat      int    // how many times each case is checked
	History     string // a file for one more run as a history; "": none
	Certificate string // … and for its certificate
}

// options are what the oracle is told.
func (x *Config) options() (weave.Options, error) {
	if x.Repeat < 1 {
		return weave.Options{}, outcome.Misusef("--repeat must be at least 1")
	}
	o, err := x.Options()
	o.Integrity = 1
	return o, err
}

// One runs a case again, says what differs and how often, and how that ended.
func (x *Config) One(ctx context.Context, arg string, w io.Writer) error {
	o, err := x.options()
	if err != nil {
		return err
	}
	c, rec, err := x.CaseOf(ctx, arg)
	if err != nil {
		return err
	}
	if rec != nil {
		x.On(&rec.Environment)
	}
	on, err := x.For(ctx, c)
	if err != nil {
		return err
	}
	if (x.History == "") != (x.Certificate == "") {
		return outcome.Misusef("--history and --certificate belong together")
	}
	if err := asked.Writable(x.History, x.Certificate); err != nil {
		return err
	}
	return on.Use(ctx, func(t exec.Target) error {
		if rec != nil && t.Describe().Target == rec.Environment.DBMS {
			for _, text := range otherSettings(rec.Environment.Settings, on.Environment(t.Describe()).Settings) {
				fmt.Fprintln(on.Notes, "txweave: "+text)
			}
		}
		if x.Certificate != "" {
			if err := certify(ctx, t, on.Profile, c, x.History, x.Certificate); err != nil {
				return err
			}
		}
		return Check(ctx, t, on.Profile, c, o, x.Repeat, w)
	})
}

// Each runs cases again, one after the other, each on its target: it ends as the worst of them does, findings first.
func (x *Config) Each(ctx context.Context, args []string, w io.Writer) (worst error) {
	for _, arg := range args {
		err := x.One(ctx, arg, w)
		switch code, said := outcome.Of(err); {
		case err == nil:
		case !said || code != outcome.Findings && code != outcome.Inconclusive:
			return err
		case worst == nil || code == outcome.Findings:
			worst = err
		}
	}
	return worst
}

// Check checks a case repeat times and prints what came of it.
func Check(ctx context.Context, t exec.Target, p *dbms.Profile, c *testcase.Case, o weave.Options, repeat int,
	w io.Writer) error {
	return checkInto(ctx, t, p, c, o, &Rerun{Runs: repeat}, w)
}

// checkInto checks a case r.Runs times, notes what came of it, and prints it.
func checkInto(ctx context.Context, t exec.Target, p *dbms.Profile, c *testcase.Case, o weave.Options, r *Rerun,
	w io.Writer) error {
	var last *weave.Report
	for i := range r.Runs {
		at, err := Try(ctx, t, p, c, o)
		if err != nil {
			return err
		}
		r.add(at)
		if at.Broken != "" {
			fmt.Fprintf(w, "run %d: %s\n", i+1, at.Broken)
			if at.Hangs {
				return outcome.Found()
			}
			continue
		}
		for _, ev := range at.Evidence {
			PrintEvidence(w, i+1, ev)
		}
		if last = at.Report; i+1 < r.Runs {
			if err := at.Renew(ctx, t); err != nil {
				return err
			}
		}
	}
	d := t.Describe()
	fmt.Fprintf(w, "%s %s, %s: %d/%d showed a difference\n", d.Target, d.Version, p.Isolation, r.Shown, r.Runs)
	return r.verdict(last, w)
}

// verdict is the outcome of all runs; last is the report of the last one that was not broken.
func (r *Rerun) verdict(last *weave.Report, w io.Writer) error {
	if r.Shown > 0 {
		return outcome.Found()
	}
	if last != nil {
		if all := interleave.Count(last.Plan); all.Cmp(big.NewInt(1)) > 0 {
			fmt.Fprintf(w, "one interleaving of %s was run: txweave explore runs the others\n", all)
		}
		if len(last.Malformed) > 0 {
			return Malformed(last)
		}
	}
	if r.Checked == 0 {
		r.Why = last.Why.String()
		return outcome.Inconclusivef("the case could not be checked: %s", last.Why)
	}
	return nil
}

// PrintEvidence prints a finding for people.
func PrintEvidence(w io.Writer, run int, ev *weave.Evidence) {
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

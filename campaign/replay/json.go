package replay

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"

	"txweave/exec"
	"txweave/finding"
	"txweave/internal/outcome"
	"txweave/testcase"
	"txweave/weave"
)

// Rerun is what became of a case: the object that replay --format json prints, one a line.
type Rerun struct {
	Case       string         `json:"case"` // as it was named
	Target     string         `json:"target,omitempty"`
	Version    string         `json:"version,omitempty"`
	Isolation  string         `json:"isolation,omitempty"`
	Runs       int            `json:"runs"`              // how many times it was checked
	Shown      int            `json:"shown"`             // … and showed a difference
	Checked    int            `json:"checked"`           // … and was judged to its end
	Why        string         `json:"why,omitempty"`     // it was not
	Refused    string         `json:"refused,omitempty"` // why txweave or the database does not take the case
	Findings   []shownFinding `json:"findings"`          // each once
	Statements []ranStatement `json:"statements"`        // of the last run, by name
	Code       int            `json:"exit"`              // the exit code, of this case alone
	spoilt     bool           // the database needs to be started again
}

type shownFinding struct {
	Class     string `json:"class"`
	Oracle    string `json:"oracle,omitempty"`
	Signature string `json:"signature"`
}

// ranStatement is what became of a statement, and what txweave understands of it.
type ranStatement struct {
	Name     string   `json:"name"`
	Fate     string   `json:"fate"`
	Kind     string   `json:"kind,omitempty"`  // "" where it was not answered
	Error    int      `json:"error,omitempty"` // the database's number
	Affected int64    `json:"affected"`
	Writes   string   `json:"writes,omitempty"`   // the table
	Reads    []string `json:"reads"`              // tables
	Searches string   `json:"searches,omitempty"` // the table whose rows its condition judges one by one
}

// fates are the names under which statements are counted in summaries, too.
var fates = map[weave.Fate]string{weave.Survived: "survived", weave.DroppedBlocked: "dropped_blocked",
	weave.DroppedCyclic:  "dropped_cyclic",
	weave.DroppedAborted: "dropped_aborted", weave.DroppedBlamed: "dropped_blamed"}

// found adds a finding that is not there yet.
func (r *Rerun) found(f shownFinding) {
	if !slices.Contains(r.Findings, f) {
		r.Findings = append(r.Findings, f)
	}
}

// add adds what came of checking the case once.
func (r *Rerun) add(at *Tried) {
	r.spoilt = at.Hangs || at.Report != nil && at.Report.Spoilt
	if at.Broken != "" || len(at.Evidence) > 0 {
		r.Shown++
	}
	if at.Broken != "" {
		r.found(shownFinding{Class: at.Class, Signature: at.Class})
		return
	}
	if at.Report.Checked {
		r.Checked++
	}
	for _, ev := range at.Evidence {
		r.found(shownFinding{ev.Class, ev.Oracle, ev.Signature})
	}
	r.Statements = statementsOf(at.Report)
}

// statementsOf are the statements of a run, by name.
func statementsOf(rep *weave.Report) (out []ranStatement) {
	byName := map[string]*ranStatement{}
	for name, fate := range rep.Fates {
		byName[name] = &ranStatement{Name: name, Fate: fates[fate], Reads: []string{}}
	}
	if rep.First != nil {
		for _, s := range rep.First.Stmts {
			of := byName[s.Name]
			if of == nil {
				continue
			}
			of.Kind, of.Affected, of.Writes, of.Searches = s.Kind.String(), s.Affected, s.Target, s.MatchTable
			if s.Err != nil {
				of.Error = s.Err.Code
			}
			for _, read := range s.Reads {
				of.Reads = append(of.Reads, read.Table)
			}
		}
	}
	out = []ranStatement{}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		out = append(out, *byName[name])
	}
	return out
}

// close notes how checking the case ended. What does not concern the case alone is returned.
func (r *Rerun) close(err error) error {
	if err == nil {
		return nil
	}
	code, _ := outcome.Of(err)
	if !slices.Contains([]int{outcome.Findings, outcome.Inconclusive, outcome.Usage}, code) {
		return err
	}
	if r.Code = code; r.Code == outcome.Usage {
		r.Refused = finding.Line(err.Error())
	}
	return nil
}

// All checks cases of one target and level one after the other and prints an object for each.
func (x *Config) All(ctx context.Context, w io.Writer, args []string) error {
	o, err := x.options()
	if err != nil {
		return err
	}
	results, cases := make([]*Rerun, len(args)), make([]*testcase.Case, len(args))
	for i, arg := range args {
		results[i] = &Rerun{Case: arg, Findings: []shownFinding{}, Statements: []ranStatement{}}
		var rec *finding.Record
		if cases[i], rec, err = x.CaseOf(ctx, arg); rec != nil {
			x.On(&rec.Environment)
		}
		if err := results[i].close(err); err != nil {
			return err
		}
	}
	first := slices.IndexFunc(cases, func(c *testcase.Case) bool { return c != nil })
	if first < 0 {
		return printReplayed(w, results)
	}
	if err := x.alike(args, cases, first); err != nil {
		return err
	}
	on, err := x.For(ctx, cases[first])
	if err != nil {
		return err
	}
	err = on.Use(ctx, func(t exec.Target) error {
		for i, c := range cases {
			if c == nil {
				continue
			}
			r, d := results[i], t.Describe()
			r.Target, r.Version, r.Isolation, r.Runs = d.Target, d.Version, on.Profile.Isolation, x.Repeat
			err := checkInto(ctx, t, on.Profile, c, o, r, io.Discard)
			if err := errors.Join(r.close(err), r.renew(ctx, t)); err != nil {
				return err
			}
		}
		return nil
	})
	return errors.Join(err, printReplayed(w, results))
}

// alike says which case is of another target or level than the first one that could be read, unless they are all run at
// one.
func (x *Config) alike(args []string, cases []*testcase.Case, first int) error {
	f := cases[first]
	for i, c := range cases {
		if c != nil && (x.Target.Target == "" && c.Target != f.Target || x.Target.Isolation == "" && c.Isolation !=
			f.Isolation) {
			return outcome.Misusef("%s is of %s at %s, %s of %s at %s: several cases need one target and level", args[i],
				c.Target, c.Isolation, args[first], f.Target, f.Isolation)
		}
	}
	return nil
}

// renew starts a server again before the next case that this one has left hanging, or whose database is not to be used
// any more.
func (r *Rerun) renew(ctx context.Context, t exec.Upkeep) error {
	if !r.spoilt {
		return nil
	}
	return t.Restart(ctx)
}

// printReplayed prints the objects; the exit code is the worst one.
func printReplayed(w io.Writer, results []*Rerun) error {
	var worst error
	out, code := json.NewEncoder(w), 0
	for _, r := range results {
		if err := out.Encode(r); err != nil {
			return err
		}
		if rank(r.Code) > rank(code) {
			code = r.Code
			worst = &outcome.Ending{Code: code}
			if r.Refused != "" {
				worst = outcome.End(code, errors.New(r.Refused))
			}
		}
	}
	return worst
}

// rank orders exit codes: findings first, then what was refused, then what could not be judged.
func rank(code int) int {
	return slices.Index([]int{outcome.Clean, outcome.Inconclusive, outcome.Usage, outcome.Findings}, code)
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"txweave/exec"
	"txweave/finding"
	"txweave/internal/outcome"
	"txweave/testcase"
	"txweave/weave"
)

// replayed is what became of a case: the object that replay --format json prints, one a line.
type replayed struct {
	Case       string              `json:"case"` // as it was named
	Target     string              `json:"target,omitempty"`
	Version    string              `json:"version,omitempty"`
	Isolation  string              `json:"isolation,omitempty"`
	Runs       int                 `json:"runs"`              // how many times it was checked
	Shown      int                 `json:"shown"`             // … and showed a difference
	Checked    int                 `json:"checked"`           // … and was judged to its end
	Why        string              `json:"why,omitempty"`     // it was not
	Refused    string              `json:"refused,omitempty"` // why txweave or the database does not take the case
	Findings   []replayedFinding   `json:"findings"`          // each once
	Statements []replayedStatement `json:"statements"`        // of the last run, by name
	Code       int                 `json:"exit"`              // the exit code, of this case alone
	spoilt     bool                // the database needs to be started again
}

type replayedFinding struct {
	Class     string `json:"class"`
	Oracle    string `json:"oracle,omitempty"`
	Signature string `json:"signature"`
}

// replayedStatement is what became of a statement, and what txweave understands of it.
type replayedStatement struct {
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
var fates = map[weave.Fate]string{weave.Survived: "survived", weave.DroppedBlocked: "dropped_blocked", weave.DroppedCyclic: "dropped_cyclic",
	weave.DroppedAborted: "dropped_aborted", weave.DroppedGuilty: "dropped_guilty"}

// found adds a finding that is not there yet.
func (r *replayed) found(f replayedFinding) {
	if !slices.Contains(r.Findings, f) {
		r.Findings = append(r.Findings, f)
	}
}

// add adds what came of checking the case once.
func (r *replayed) add(at *attempt) {
	r.spoilt = at.hangs || at.rep != nil && at.rep.Spoilt
	if at.broken != "" {
		r.found(replayedFinding{Class: at.class, Signature: at.class})
		return
	}
	for _, ev := range at.evidence {
		r.found(replayedFinding{ev.Class, ev.Oracle, ev.Signature})
	}
	byName := map[string]*replayedStatement{}
	for name, fate := range at.rep.Fates {
		byName[name] = &replayedStatement{Name: name, Fate: fates[fate], Reads: []string{}}
	}
	if at.rep.First != nil {
		for _, s := range at.rep.First.Stmts {
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
	r.Statements = r.Statements[:0]
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		r.Statements = append(r.Statements, *byName[name])
	}
}

// close notes how checking the case ended. What does not concern the case alone is returned.
func (r *replayed) close(err error) error {
	var exit *exitError
	if err == nil {
		return nil
	}
	if !errors.As(err, &exit) || !slices.Contains([]int{exitFindings, exitInconclusive, exitUsage}, exit.Code) {
		return err
	}
	if r.Code = exit.Code; r.Code == exitUsage {
		r.Refused = finding.Line(exit.Error())
	}
	return nil
}

// replayAll checks cases of one target and level one after the other and prints an object for each.
func (f *targetFlags) replayAll(cmd *cobra.Command, from *sourceFlags, args []string, o weave.Options, repeat int) error {
	results, cases := make([]*replayed, len(args)), make([]*testcase.Case, len(args))
	var first *testcase.Case
	named := ""
	for i, arg := range args {
		c, _, err := f.caseOf(cmd.Context(), from, arg)
		results[i], cases[i] = &replayed{Case: arg, Findings: []replayedFinding{}, Statements: []replayedStatement{}}, c
		if err := results[i].close(err); err != nil {
			return err
		}
		if first == nil && c != nil {
			first, named = c, arg
		}
	}
	if first == nil {
		return printReplayed(cmd.OutOrStdout(), results)
	}
	for i, c := range cases {
		if c == nil || (f.Target != "" || c.Target == first.Target) && (f.Isolation != "" || c.Isolation == first.Isolation) {
			continue
		}
		return usagef("%s is of %s at %s, %s of %s at %s: several cases need one target and level", args[i], c.Target, c.Isolation, named, first.Target, first.Isolation)
	}
	p, err := f.forCase(cmd.Context(), first)
	if err != nil {
		return err
	}
	err = f.use(cmd.Context(), func(t exec.Target) error {
		for i, c := range cases {
			if c == nil {
				continue
			}
			r, d := results[i], t.Describe()
			r.Target, r.Version, r.Isolation, r.Runs = d.Target, d.Version, p.Isolation, repeat
			err := replayInto(cmd.Context(), t, p, c, o, r, io.Discard)
			if err := errors.Join(r.close(err), r.renew(cmd.Context(), t)); err != nil {
				return err
			}
		}
		return nil
	})
	return errors.Join(err, printReplayed(cmd.OutOrStdout(), results))
}

// renew starts a server again before the next case that this one has left hanging, or whose database is not to be used any more.
func (r *replayed) renew(ctx context.Context, t exec.Target) error {
	if !r.spoilt {
		return nil
	}
	return t.Restart(ctx)
}

// printReplayed prints the objects; the exit code is the worst one.
func printReplayed(w io.Writer, results []*replayed) error {
	var worst error
	out, code := json.NewEncoder(w), 0
	for _, r := range results {
		if err := out.Encode(r); err != nil {
			return err
		}
		if rank(r.Code) > rank(code) {
			code = r.Code
			worst = &exitError{Code: code}
			if r.Refused != "" {
				worst = outcome.End(code, errors.New(r.Refused))
			}
		}
	}
	return worst
}

// rank orders exit codes: findings first, then what was refused, then what could not be judged.
func rank(code int) int {
	return slices.Index([]int{exitClean, exitInconclusive, exitUsage, exitFindings}, code)
}

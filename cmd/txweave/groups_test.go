package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"txweave/campaign"
	"txweave/campaign/casesource"
	"txweave/campaign/detect"
	"txweave/campaign/shrink"
	"txweave/campaign/target"
	"txweave/campaign/worker"
	"txweave/dbms"
	"txweave/exec"
	"txweave/exec/planted"
	"txweave/finding"
	"txweave/finding/signature"
	"txweave/internal/testkit/effort"
	"txweave/sdg"
	"txweave/testcase"
	"txweave/weave"
)

var (
	groupsFaults = flag.String("groups.faults", "lost-commit,dirty-read,two-versions,wrong-affected",
		"planted bugs by name, or all")
	groupsCases = flag.Int("groups.cases", 6, "cases for each")
	groupsSeed  = flag.Uint64("groups.seed", 1, "seed of the cases")
	groupsEach  = flag.Int("groups.each", 1, "findings of each first part of a signature that are reduced")
	groupsShow  = flag.Bool("groups.show", false, "print what each bug was first found as, and its reduced case")
)

// TestGroups plants bugs one at a time, reduces what is found, and counts the bugs that it is grouped to: one, or at
// most two, as one bug shows to several oracles in several kinds of statements. With -v, -groups.faults all and more
// cases it is the measurement that docs/explanation/grouping.md names.
func TestGroups(t *testing.T) {
	effort.Full(t)
	p, err := dbms.Lookup("sqlite", "serializable")
	if err != nil {
		t.Fatal(err)
	}
	var counts []float64
	for _, fault := range planted.Faults() {
		wanted := *groupsFaults == "all" || slices.Contains(strings.Split(*groupsFaults, ","), fault.Name)
		const crash = "crash-while-blocked" // it leaves the transactions of the server that it says is gone open
		if !wanted || fault.Inapplicable(p) != "" || fault.Name == crash {
			continue
		}
		bugs := bugsOf(t, p, []*planted.Fault{fault}, *groupsCases, *groupsEach, func(*finding.Bugs) bool { return false })
		t.Logf("%-28s %d: %s", fault.Name, len(bugs.Bugs), printBugs(bugs))
		if len(bugs.Bugs) > 2 {
			t.Errorf("%s becomes %d bugs, want at most 2: %s", fault.Name, len(bugs.Bugs), printBugs(bugs))
		}
		if len(bugs.Bugs) > 0 {
			counts = append(counts, float64(len(bugs.Bugs)))
		}
	}
	if len(counts) == 0 || *detect.Median(counts) > 1 {
		t.Errorf("%d planted bugs found, each of them %v bugs, want a median of 1", len(counts), counts)
	}
}

// TestGroupsApart plants several bugs at once: each is a bug of its own.
func TestGroupsApart(t *testing.T) {
	effort.Full(t)
	p, err := dbms.Lookup("sqlite", "serializable")
	if err != nil {
		t.Fatal(err)
	}
	combinations := []struct {
		faults string
		want   []string // causes, or what signatures begin with, that must be there; | between those of which one must
	}{
		{"lost-insert,stale-snapshot,wrong-own-aggregate,rollback-has-effects",
			[]string{"inconsistent-read-write/INSERT:affected-versus-written",
				finding.CauseStale.String(), "replay-difference/SELECT:rows|inconsistent-read-write/SELECT:count-versus-seen",
				finding.CauseKept.String()}},
		{"update-other-rows,vanished-error,lost-commit", []string{"passes-over-rows: UPDATE",
			"replay-difference/INSERT:error(none,|replay-difference/UPDATE:error(none,|" +
				"inconsistent-read-write/COMMIT:committed-versus-unmatched", finding.CauseLost.String()}},
	}
	for _, c := range combinations {
		var faults []*planted.Fault
		for _, f := range planted.Faults() {
			if slices.Contains(strings.Split(c.faults, ","), f.Name) {
				faults = append(faults, f)
			}
		}
		missing := func(bugs *finding.Bugs) []string {
			return slices.DeleteFunc(slices.Clone(c.want), func(want string) bool {
				return slices.ContainsFunc(bugs.Bugs, func(b *finding.Bug) bool {
					return want == b.Signature.Cause.String() || slices.ContainsFunc(strings.Split(want, "|"), func(one string) bool {
						return strings.HasPrefix(b.Signature.Coarse, one)
					})
				})
			})
		}
		// In which case each of them shows moves with the generator: the test is about what they are grouped to.
		const most, each = 200, 6 // cases; findings of a signature: of most of them another one of the bugs is the cause, too
		bugs := bugsOf(t, p, faults, most, each, func(bugs *finding.Bugs) bool { return len(missing(bugs)) == 0 })
		if lacks := missing(bugs); len(lacks) > 0 {
			t.Errorf("of %s no bug is %q: %s", c.faults, lacks, printBugs(bugs))
		}
		t.Logf("%s: %s", c.faults, printBugs(bugs))
	}
}

// bugsOf runs cases with planted bugs that strike at every occasion, until the bugs are enough, reduces the first
// findings of each kind, and groups them.
func bugsOf(t *testing.T, p *dbms.Profile, faults []*planted.Fault, cases, each int,
	enough func(*finding.Bugs) bool) *finding.Bugs {
	t.Helper()
	bugs := &finding.Bugs{}
	// use opens a target with the planted bugs: one runs the cases, the other reduces what they found.
	use := func(do func(exec.Target) error) error { return withPlanted(t, p, faults, do) }
	src, err := casesource.NewCases(*groupsSeed, p)
	if err != nil {
		t.Fatal(err)
	}
	run := func(target exec.Target, w *worker.Worker) error {
		seen := map[string]int{}
		var failed error
		_, err := detect.EachResult(t.Context(), target, p, src, cases, func(res *campaign.CaseResult) bool {
			for i := range res.Findings {
				x := &res.Findings[i]
				if seen[x.Signature]++; seen[x.Signature] <= each && failed == nil {
					failed = place(t.Context(), bugs, w, p, x)
				}
			}
			return failed == nil && !enough(bugs)
		})
		return errors.Join(err, failed)
	}
	err = use(func(target exec.Target) error {
		return use(func(second exec.Target) error {
			w := worker.On(second, p, weave.Options{Precision: sdg.Match})
			defer w.Release()
			return run(target, w)
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return bugs
}

// withPlanted opens a target with bugs that strike at every occasion.
func withPlanted(t *testing.T, p *dbms.Profile, faults []*planted.Fault, do func(exec.Target) error) error {
	on, err := target.Config{Target: p.DBMS, Isolation: p.Isolation}.Resolve(t.Context())
	if err != nil {
		return err
	}
	return on.Use(t.Context(), func(target exec.Target) error {
		for _, fault := range faults {
			target = planted.PlantAlways(target, fault)
		}
		return do(target)
	})
}

// place reduces a finding and counts it to its bug.
func place(ctx context.Context, bugs *finding.Bugs, w *worker.Worker, p *dbms.Profile, f *campaign.Found) error {
	c, err := testcase.Parse(finding.CaseFile, f.Files[finding.CaseFile])
	if err != nil {
		return err
	}
	out, err := shrink.Run(ctx, w, p, c, shrink.Options{Signature: f.Signature, Cause: f.OwnCause(), Repeat: 1})
	if errors.Is(err, shrink.ErrShowsNothing) { // it comes too seldom to be reduced: a campaign keeps it as it is
		sig := signature.Of(&f.Finding, c)
		bugs.Place(&finding.Record{Finding: f.Finding, Environment: finding.Environment{DBMS: p.DBMS, Version: "1"}}, sig,
			time.Unix(1, 0))
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.Signature, err)
	}
	small, err := shrink.Evidence(ctx, w, out)
	if err != nil || small == nil {
		return err // it is another finding by now
	}
	sig := signature.Of(&small.Finding, out.Case)
	sig.Minimal = true
	bug, fresh := bugs.Place(&finding.Record{Finding: small.Finding, Environment: finding.Environment{DBMS: p.DBMS,
		Version: "1"}}, sig, time.Unix(1, 0))
	if fresh && *groupsShow {
		fmt.Printf("%s, found as %s (%s): %s: %s\n%+v\n%s\n", bug.ID, f.Signature, f.OwnCause(), sig.Cause, sig,
			small.Finding.Differences, out.Case.Print())
	}
	return nil
}

// printBugs lists bugs by cause and signature.
func printBugs(b *finding.Bugs) string {
	var out []string
	for _, g := range b.Bugs {
		out = append(out, strings.TrimPrefix(g.Signature.Cause.String()+": "+g.Signature.String(), ": "))
	}
	return strings.Join(out, "; ")
}

package main

import (
	"context"
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
	"txweave/reduce"
	"txweave/sdg"
	"txweave/testcase"
	"txweave/weave"
)

var (
	plantedTarget    = flag.String("planted.target", "sqlite", "target on which planted bugs are reduced")
	plantedIsolation = flag.String("planted.isolation", "", "its level; default: its usual one")
	plantedSeeds     = flag.Int("planted.seeds", 1, "cases to reduce for each planted bug")
	plantedFaults    = flag.String("planted.faults", "", "planted bugs by name, or all; default: some")
	plantedBudget    = flag.Duration("planted.budget", time.Minute, "time for each reduction")
)

// toReduce are the planted bugs to reduce: those that were asked for, or some, of which a quick run tries the cheapest.
func toReduce() []string {
	switch {
	case *plantedFaults != "":
		return strings.Split(*plantedFaults, ",")
	case testing.Short():
		return []string{"delete-in-lost"}
	}
	return []string{"left-join-own-write", "delete-in-lost", "lost-commit"}
}

// TestReducePlanted reduces the first case that shows each planted bug, which then strikes at every occasion, and
// prints how small it became. With -v and -planted.faults all it is the measurement of docs/explanation/reduction.md.
func TestReducePlanted(t *testing.T) {
	ctx := context.Background()
	on, err := target.Config{Target: *plantedTarget, Isolation: *plantedIsolation}.Resolve(ctx)
	if err != nil {
		t.Fatal(err)
	}
	p := on.Profile
	var statements, rows, seconds, were, had []float64
	var lines []string
	err = on.Use(ctx, func(target exec.Target) error {
		for _, fault := range append(planted.Semantic(), planted.Faults()...) {
			wanted := *plantedFaults == "all" || slices.Contains(toReduce(), fault.Name)
			const crash = "crash-while-blocked" // it leaves the transactions of the server that it says is gone open
			if !wanted || fault.Inapplicable(p) != "" || fault.Name == crash {
				continue
			}
			for seed := range *plantedSeeds {
				planted := planted.PlantAlways(target, fault)
				c := firstShown(t, planted, p, uint64(seed)+1)
				if c == nil {
					lines = append(lines, fmt.Sprintf("%-22s seed %d: not found", fault.Name, seed+1))
					continue
				}
				out, err := shrink.Run(ctx, worker.On(planted, p, weave.Options{Precision: sdg.Match}), p, c,
					shrink.Options{Reduce: reduce.Options{MaxTime: *plantedBudget}})
				if err != nil {
					return fmt.Errorf("%s: %w", fault.Name, err)
				}
				checkShrunk(t, fault.Name, out)
				statements, rows = append(statements, float64(out.After.Statements)), append(rows, float64(out.After.Rows))
				were, had = append(were, float64(out.Before.Statements)), append(had, float64(out.Before.Rows))
				seconds = append(seconds, out.Elapsed.Seconds())
				lines = append(lines, fmt.Sprintf("%-22s seed %d: %s %s", fault.Name, seed+1, out.Summary(), out.Signature))
				t.Logf("%s\n%v\n%s%v", lines[len(lines)-1], out.Passes, out.Case.Print(), out.Conditions)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", strings.Join(lines, "\n"))
	if len(statements) == 0 {
		t.Fatal("no case was reduced")
	}
	s, r := *detect.Median(statements), *detect.Median(rows)
	t.Logf("medians of %d cases: %.1f statements, %.1f rows (were %.1f, %.1f), %.1f s; at most %.0f statements, %.0f "+
		"rows, %.1f s",
		len(statements), s, r, *detect.Median(were), *detect.Median(had), *detect.Median(seconds), slices.Max(statements),
		slices.Max(rows), slices.Max(seconds))
	if s > 4 || r > 3 {
		t.Errorf("medians of %.1f statements and %.1f rows: want at most 4 and 3", s, r)
	}
}

// firstShown returns the first generated case that shows a finding; nil if none of many does.
func firstShown(t *testing.T, target exec.Target, p *dbms.Profile, seed uint64) *testcase.Case {
	src, err := casesource.NewCases(seed, p)
	if err != nil {
		t.Fatal(err)
	}
	var found *testcase.Case
	_, err = detect.EachResult(context.Background(), target, p, src, 200, func(res *campaign.CaseResult) bool {
		if len(res.Findings) > 0 && res.Findings[0].Class != finding.ClassCrash { // the target would crash again and again
			var makeErr error
			if found, makeErr = src.Make(res.Case); makeErr != nil {
				t.Fatal(makeErr)
			}
		}
		return found == nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// checkShrunk checks what holds of every reduced case.
func checkShrunk(t *testing.T, name string, out *shrink.Result) {
	t.Helper()
	if err := out.Case.Validate(); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if out.After.Statements > out.Before.Statements || out.After.Rows > out.Before.Rows || out.After.Bytes >
		out.Before.Bytes {
		t.Errorf("%s: became larger: %+v, was %+v", name, out.After, out.Before)
	}
	if out.Stop == reduce.Fixpoint && out.Conditions == nil {
		t.Errorf("%s: nobody asked what the finding needs", name)
	}
	if _, err := testcase.Parse("reduced", out.Case.Print()); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

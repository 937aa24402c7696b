package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"txweave/dbms"
	"txweave/exec/planted"
	"txweave/weave"

	"github.com/spf13/cobra"

	"txweave/campaign"
	"txweave/exec"
	"txweave/sdg"
)

// detectFlags are the flags of the detect command.
type detectFlags struct {
	targetFlags
	faults []string
	budget int
	seeds  int
	format string
	tables []string
}

// detected is what became of one planted bug.
type detected struct {
	Name       string   `json:"name"`
	Reference  string   `json:"reference"`
	Applicable bool     `json:"applicable"`
	Reason     string   `json:"reason,omitempty"` // why it is not applicable
	Forbidden  bool     `json:"forbidden"`
	Found      bool     `json:"found"` // in most of the seeds
	Oracle     string   `json:"oracle,omitempty"`
	Cases      *float64 `json:"cases"` // medians over the seeds, null when not found
	Seconds    *float64 `json:"seconds"`
}

// detection is the object that detect prints.
type detection struct {
	Target      string     `json:"target"`
	Isolation   string     `json:"isolation"`
	Budget      int        `json:"budget"`
	Faults      []detected `json:"faults"`
	FalseAlarms int        `json:"false_alarms"` // findings in the same cases with no fault planted
}

func detectCommand() *cobra.Command {
	var f detectFlags
	cmd := &cobra.Command{
		Use:   "detect",
		Short: "Plant bugs in a correct engine and measure how soon they are found",
		Long: `Plant bugs, one at a time, between txweave and a correct engine, and count the cases and seconds until the first
confirmed finding: the median over several seeds. The same cases are checked with nothing planted, and every
finding there is a false alarm. Exit code 0 if every planted bug that the level forbids was found and there was
no false alarm, else 1.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(f.tables) > 0 {
				return combined(cmd.OutOrStdout(), f.tables)
			}
			if f.budget < 1 || f.seeds < 1 {
				return usagef("--budget and --seeds must be at least 1")
			}
			if f.format != "text" && f.format != "json" {
				return usagef("--format %q: want text or json", f.format)
			}
			p, err := f.resolve(cmd.Context())
			if err != nil {
				return err
			}
			if p.NoReplay != "" { // what most planted bugs are is not forbidden there
				return usagef("%s: %s", p.Isolation, p.NoReplay)
			}
			faults, err := f.pick()
			if err != nil {
				return err
			}
			return f.use(cmd.Context(), func(t exec.Target) error {
				d, err := f.detect(cmd.Context(), t, p, faults, cmd.ErrOrStderr())
				if err != nil {
					return err
				}
				return d.print(cmd.OutOrStdout(), f.format)
			})
		},
	}
	f.add(cmd.Flags(), "sqlite")
	cmd.Flags().StringSliceVar(&f.faults, "faults", nil, "planted bugs, by name (default: all)")
	cmd.Flags().IntVar(&f.budget, "budget", 200, "cases to try for each planted bug and seed")
	cmd.Flags().IntVar(&f.seeds, "seeds", 3, "seeds to try, from 1 on")
	cmd.Flags().StringVar(&f.format, "format", "text", "text (a Markdown table) or json")
	cmd.Flags().StringSliceVar(&f.tables, "table", nil, "run nothing: print one table from these files, the JSON of earlier runs")
	return cmd
}

// pick returns the planted bugs that the flags name, all where they name none.
func (f *detectFlags) pick() ([]*planted.Fault, error) {
	if len(f.faults) == 0 {
		return planted.Faults(), nil
	}
	return pickFaults(f.faults)
}

// pickFaults returns planted bugs by their names.
func pickFaults(wanted []string) ([]*planted.Fault, error) {
	all := append(planted.Semantic(), planted.Faults()...)
	var out []*planted.Fault
	for _, name := range wanted {
		i := slices.IndexFunc(all, func(x *planted.Fault) bool { return x.Name == name })
		if i < 0 {
			var names []string
			for _, x := range all {
				names = append(names, x.Name)
			}
			return nil, usagef("--faults: no planted bug %q (there are %s)", name, strings.Join(names, ", "))
		}
		out = append(out, all[i])
	}
	return out, nil
}

func (f *detectFlags) detect(ctx context.Context, t exec.Target, p *dbms.Profile, faults []*planted.Fault, log io.Writer) (*detection, error) {
	d := &detection{Target: t.Describe().Target, Isolation: p.Isolation, Budget: f.budget}
	for seed := range f.seeds {
		src, err := newCaseSource(uint64(seed)+1, p)
		if err != nil {
			return nil, err
		}
		n, err := countFindings(ctx, t, p, src, f.budget)
		if err != nil {
			return nil, err
		}
		d.FalseAlarms += n
	}
	for _, fault := range faults {
		res, err := f.tryFault(ctx, t, p, fault)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", fault.Name, err)
		}
		fmt.Fprintf(log, "%s: found %v\n", fault.Name, res.Found)
		d.Faults = append(d.Faults, *res)
	}
	return d, nil
}

// tryFault plants one bug under every seed.
func (f *detectFlags) tryFault(ctx context.Context, t exec.Target, p *dbms.Profile, fault *planted.Fault) (*detected, error) {
	res := &detected{Name: fault.Name, Reference: fault.Reference, Forbidden: fault.Forbidden(p), Reason: fault.Inapplicable(p)}
	if res.Applicable = res.Reason == ""; !res.Applicable {
		return res, nil
	}
	var cases, seconds []float64
	oracles := map[string]int{}
	for seed := range f.seeds {
		src, err := newCaseSource(uint64(seed)+1, p)
		if err != nil {
			return nil, err
		}
		start := time.Now()
		n, by, err := firstFinding(ctx, planted.Plant(t, fault, uint64(seed)+1), p, src, f.budget)
		if err != nil {
			return nil, err
		}
		if by != "" {
			cases, seconds = append(cases, float64(n)), append(seconds, time.Since(start).Seconds())
			oracles[by]++
		}
	}
	if res.Found = 2*len(cases) > f.seeds; res.Found {
		res.Cases, res.Seconds = median(cases), median(seconds)
		for by, n := range oracles {
			if n > oracles[res.Oracle] || n == oracles[res.Oracle] && by < res.Oracle {
				res.Oracle = by
			}
		}
	}
	return res, nil
}

func median(xs []float64) *float64 {
	slices.Sort(xs)
	m := (xs[(len(xs)-1)/2] + xs[len(xs)/2]) / 2
	return &m
}

// firstFinding checks cases until one has a finding, and returns how many that took and the oracle; "" if none had.
func firstFinding(ctx context.Context, t exec.Target, p *dbms.Profile, src *caseSource, budget int) (int, string, error) {
	by := ""
	n, err := eachResult(ctx, t, p, src, budget, func(res *campaign.CaseResult) bool {
		if len(res.Findings) > 0 {
			by = res.Findings[0].Oracle
		}
		return by == ""
	})
	return n, by, err
}

// countFindings checks all cases and counts findings and flaky differences.
func countFindings(ctx context.Context, t exec.Target, p *dbms.Profile, src *caseSource, budget int) (int, error) {
	found := 0
	_, err := eachResult(ctx, t, p, src, budget, func(res *campaign.CaseResult) bool {
		found += len(res.Findings) + len(res.Flaky)
		return true
	})
	return found, err
}

// eachResult checks cases until more says no, and returns how many it checked.
func eachResult(ctx context.Context, t exec.Target, p *dbms.Profile, src *caseSource, budget int, more func(*campaign.CaseResult) bool) (int, error) {
	w, err := newCaseWorker(ctx, t, p, src, weave.Options{Precision: sdg.Match, Repeats: 2})
	if err != nil {
		return 0, err
	}
	defer w.release() // the target is the caller's
	for n := range budget {
		res, err := w.Check(ctx, campaign.Job{Case: n})
		if err != nil {
			return n, err
		}
		if !more(res) {
			return n + 1, nil
		}
	}
	return budget, nil
}

// missed counts the forbidden planted bugs that were not found.
func (d *detection) missed() int {
	n := 0
	for _, f := range d.Faults {
		if f.Applicable && f.Forbidden && !f.Found {
			n++
		}
	}
	return n
}

func (d *detection) print(w io.Writer, format string) error {
	var err error
	if format == "json" {
		err = json.NewEncoder(w).Encode(d)
	} else {
		err = d.table(w)
	}
	if err == nil && d.missed()+d.FalseAlarms > 0 {
		err = &exitError{exitFindings, fmt.Errorf("%d forbidden bugs not found, %d false alarms", d.missed(), d.FalseAlarms)}
	}
	return err
}

// table prints the planted bugs as a Markdown table.
func (d *detection) table(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	fmt.Fprintf(tw, "| planted bug\t| forbidden\t| found by\t| cases\t| seconds\t|\n| ---\t| ---\t| ---\t| ---\t| ---\t|\n")
	for _, f := range d.Faults {
		forbidden := "no"
		if f.Forbidden {
			forbidden = "yes"
		}
		switch {
		case !f.Applicable:
			fmt.Fprintf(tw, "| %s\t| %s\t| not applicable: %s\t| \t| \t|\n", f.Name, forbidden, f.Reason)
		case !f.Found:
			fmt.Fprintf(tw, "| %s\t| %s\t| -\t| \t| \t|\n", f.Name, forbidden)
		default:
			fmt.Fprintf(tw, "| %s\t| %s\t| %s\t| %.0f\t| %.1f\t|\n", f.Name, forbidden, f.Oracle, *f.Cases, *f.Seconds)
		}
	}
	return errors.Join(tw.Flush(), printf(w, "\n%s at %s, medians; %d false alarms with nothing planted\n", d.Target, d.Isolation, d.FalseAlarms))
}

func printf(w io.Writer, format string, args ...any) error {
	_, err := fmt.Fprintf(w, format, args...)
	return err
}

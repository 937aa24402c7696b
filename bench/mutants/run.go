package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"txweave/finding"
)

// short are the campaigns of run --short: an engine without a bug, and bugs that each need another oracle.
var short = []string{"", "snapshot-per-statement", "index-missing-entry:50", "upgrade-moves:nth", "commit-lost:reader",
	"changes-one-less:own-write", "failed-autocommit-kept"}

// stages are how many cases are run before it is asked whether a finding came; the last stage is all of them.
var stages = []int{25, 100, 300, 1000}

// endAfter is how long a campaign that was told to stop may take over it: it gives the case that is under way a minute.
const endAfter = 75 * time.Second

// outcome is what came of the campaigns of one mutant.
type outcome struct {
	Mutant string `json:"mutant"` // NAME:WHEN, or empty: none
	Class  string `json:"class"`  // of the mutant

	Ran         int     `json:"ran"`   // cases
	First       int     `json:"first"` // cases to the first finding, with it; 0: none
	Oracle      string  `json:"oracle"`
	Finding     string  `json:"finding"` // class of the first finding
	Signature   string  `json:"signature"`
	Title       string  `json:"title"`      // of its report
	Blames      string  `json:"blames"`     // the side that the report calls wrong
	Wrong       string  `json:"wrong"`      // the side that an engine without mutants contradicts
	Statements  int     `json:"statements"` // of its reduced case; 0: not reduced
	Groups      int     `json:"groups"`     // bugs told apart in the stage that found it
	Unconfirmed int     `json:"unconfirmed"`
	CPU         float64 `json:"cpu_s"`
	Exit        int     `json:"exit"`
	Ended       string  `json:"ended"`   // why the campaign did not come to its end, or empty
	Skipped     string  `json:"skipped"` // cases that were not checked

	Reached uint64 `json:"reached"` // statements that came by the mutant,
	InState uint64 `json:"in_state"`
	Struck  uint64 `json:"struck"` // and in which it struck
}

// summary is what this needs of what fuzz --format json prints.
type summary struct {
	Bugs []struct {
		MayBe []string `json:"may_be"` // others: it is none of its own
	} `json:"bugs"`
	Findings []struct {
		Class     string `json:"class"`
		Oracle    string `json:"oracle"`
		Signature string `json:"signature"`
		Dir       string `json:"dir"`
	} `json:"findings"`
	Unconfirmed []json.RawMessage `json:"unconfirmed"`
	Skipped     map[string]int    `json:"skipped"`
	Cases       int               `json:"cases"`
}

// bench is a set of campaigns that are run alike.
type bench struct {
	program string
	cases   int
	seed    uint64
	limit   time.Duration
	reduce  time.Duration
	keep    string
}

func list(w io.Writer) {
	for _, m := range mutants {
		fmt.Fprintf(w, "%-30s %-20s %s", m.Name, m.Class, m.What)
		if len(m.States) > 0 {
			fmt.Fprintf(w, " (also: %s)", strings.Join(m.States, ", "))
		}
		fmt.Fprintln(w)
	}
}

// all are the campaigns of a whole run: no mutant, each always and once in 50, and in its states.
func all() []string {
	specs := []string{""}
	for _, m := range mutants {
		specs = append(specs, m.Name, m.Name+":50")
		for _, s := range m.States {
			specs = append(specs, m.Name+":"+s)
		}
	}
	return specs
}

func runCampaigns(ctx context.Context, args []string) error {
	var b bench
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	flags.IntVar(&b.cases, "cases", 500, "`number` of cases without a finding after which a mutant is missed")
	flags.Uint64Var(&b.seed, "seed", 1, "`seed` of the campaigns")
	flags.DurationVar(&b.limit, "limit", 4*time.Minute, "`time` after which a campaign hangs")
	flags.DurationVar(&b.reduce, "reduce-time", 5*time.Second, "`time` to reduce a finding")
	flags.StringVar(&b.program, "program", "", "`path` of a txweave with the mutants (default: it is built)")
	flags.StringVar(&b.keep, "keep", "", "`folder` for the findings (default: removed)")
	out := flags.String("json", "", "`file` for the outcomes, a line each; what it holds already is not run again")
	fast := flags.Bool("short", false, "a few mutants, all of which must be found")
	if err := flags.Parse(args); err != nil {
		return usageError{err}
	}
	specs := flags.Args()
	switch {
	case *fast && len(specs) > 0:
		return usageError{errors.New("--short has mutants of its own")}
	case *fast:
		specs, b.cases = short, min(b.cases, 300)
	case len(specs) == 0:
		specs = all()
	}
	for _, s := range specs {
		if _, err := find(s); err != nil {
			return usageError{err}
		}
	}
	if b.program == "" {
		var err error
		if b.program, err = build(ctx); err != nil {
			return err
		}
	}
	results, err := b.runAll(ctx, specs, *out)
	if err != nil {
		return err
	}
	printTable(os.Stdout, results)
	if *fast {
		return passed(results)
	}
	return nil
}

// find returns the mutant of NAME[:WHEN]….
func find(spec string) (mutant, error) {
	name, _, _ := strings.Cut(spec, ":")
	i := slices.IndexFunc(mutants, func(m mutant) bool { return m.Name == name })
	switch {
	case spec == "":
		return mutant{Class: "none", What: "the engine as it is"}, nil
	case i < 0:
		return mutant{}, fmt.Errorf("no mutant %q", name)
	}
	return mutants[i], nil
}

// passed says what of a short run is not as it must be: each mutant found, no right side blamed, nothing found without
// a mutant, no campaign ended.
func passed(results []outcome) error {
	var errs []error
	for _, r := range results {
		want := r.Mutant != ""
		switch {
		case r.Ended != "":
			errs = append(errs, fmt.Errorf("%s ended the campaign: %s", r.Mutant, r.Ended))
		case want && r.First == 0:
			errs = append(errs, fmt.Errorf("%s was not found in %d cases, though it struck %d times", r.Mutant, r.Ran, r.Struck))
		case want && r.misleads():
			errs = append(errs, fmt.Errorf("the report of %s blames the %s (%q), but wrong is: %s", r.Mutant, r.Blames,
				r.Title, r.Wrong))
		case !want && (r.First != 0 || r.Unconfirmed != 0):
			errs = append(errs, fmt.Errorf("a finding without a mutant, in case %d: %s", r.First-1, r.Signature))
		}
	}
	return errors.Join(errs...)
}

func (b *bench) runAll(ctx context.Context, specs []string, path string) ([]outcome, error) {
	done, err := readOutcomes(path)
	if err != nil {
		return nil, err
	}
	var results []outcome
	for _, spec := range specs {
		if i := slices.IndexFunc(done, func(o outcome) bool { return o.Mutant == spec }); i >= 0 {
			results = append(results, done[i])
			continue
		}
		o, err := b.mutant(ctx, spec)
		if err != nil {
			return nil, err
		}
		results = append(results, o)
		fmt.Fprintln(os.Stderr, o.row())
		if err := appendOutcome(path, o); err != nil {
			return nil, err
		}
	}
	return results, nil
}

func readOutcomes(path string) ([]outcome, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []outcome
	for d := json.NewDecoder(bytes.NewReader(f)); ; {
		var o outcome
		if err := d.Decode(&o); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, o)
	}
}

func appendOutcome(path string, o outcome) error {
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(json.NewEncoder(f).Encode(o), f.Close())
}

// mutant runs campaigns over more and more cases until one has a finding.
func (b *bench) mutant(ctx context.Context, spec string) (outcome, error) {
	m, err := find(spec)
	if err != nil {
		return outcome{}, err
	}
	o := outcome{Mutant: spec, Class: m.Class}
	dir, err := os.MkdirTemp("", "txweave-mutants-")
	if err != nil {
		return o, err
	}
	defer os.RemoveAll(dir)
	if b.keep != "" {
		dir = filepath.Join(b.keep, strings.ReplaceAll(spec, ":", "-")+"-")
	}
	for from := 0; from < b.cases && o.First == 0 && o.Ended == ""; {
		to := b.cases
		if i := slices.IndexFunc(stages, func(n int) bool { return n > from }); i >= 0 {
			to = min(to, stages[i])
		}
		if err := b.campaign(ctx, &o, filepath.Join(dir, strconv.Itoa(from)), from, to); err != nil {
			return o, err
		}
		from = to
	}
	return o, nil
}

// campaign runs the cases from one number to before another and adds what came of them to the outcome.
func (b *bench) campaign(ctx context.Context, o *outcome, dir string, from, to int) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	counts := filepath.Join(dir, "strikes")
	timed, cancel := context.WithTimeout(ctx, b.limit)
	defer cancel()
	cmd := exec.CommandContext(timed, b.program, "fuzz", "--target", "sqlite", "--format", "json",
		"--seed", strconv.FormatUint(b.seed, 10), "--first", strconv.Itoa(from), "--cases", strconv.Itoa(to-from),
		"--reduce-time", b.reduce.String(), "--out", filepath.Join(dir, "out"))
	cmd.Env = append(os.Environ(), "TXWEAVE_MUTANT="+o.Mutant, "TXWEAVE_MUTANT_STRIKES="+counts)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGINT) }
	cmd.WaitDelay = endAfter
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		return err
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it may have left of its own processes
	if ctx.Err() != nil {
		return ctx.Err()
	}
	o.Exit = cmd.ProcessState.ExitCode()
	o.CPU += (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	if err := o.addStrikes(counts); err != nil {
		return err
	}
	var s summary
	bad := json.Unmarshal(stdout.Bytes(), &s)
	switch {
	case timed.Err() != nil && bad != nil:
		o.Ended = fmt.Sprintf("hung: not done after %s, nor %s after it was told to stop", b.limit, endAfter)
	case timed.Err() != nil: // cases that hang take their time: it ended in time when it was told to
	case !slices.Contains([]int{0, 1, 2}, o.Exit):
		o.Ended = lastLine(stderr.String())
	case bad != nil:
		o.Ended = "no summary: " + bad.Error()
	}
	if bad != nil {
		o.Ran = from
		return nil
	}
	o.Ran = from + s.Cases
	o.Unconfirmed += len(s.Unconfirmed)
	o.Groups = 0
	for _, g := range s.Bugs {
		if len(g.MayBe) == 0 {
			o.Groups++
		}
	}
	o.addSkipped(s.Skipped)
	return b.first(ctx, o, s)
}

// first adds the finding of the first case that has one.
func (b *bench) first(ctx context.Context, o *outcome, s summary) error {
	at := ""
	for _, f := range s.Findings {
		if f.Dir == "" {
			continue
		}
		var record struct {
			Environment struct {
				Case int `json:"case"`
			} `json:"environment"`
		}
		if err := readJSON(filepath.Join(f.Dir, finding.RecordFile), &record); err != nil {
			return err
		}
		if n := record.Environment.Case + 1; o.First == 0 || n < o.First {
			o.First, o.Oracle, o.Finding, o.Signature, at = n, f.Oracle, f.Class, f.Signature, f.Dir
		}
	}
	if at == "" {
		return nil
	}
	var reduction struct {
		After struct {
			Statements int `json:"statements"`
		} `json:"after"`
	}
	if err := readJSON(filepath.Join(at, "reduced", finding.ReductionFile), &reduction); err == nil {
		o.Statements = reduction.After.Statements
	}
	o.Wrong = truth(ctx, at)
	return b.blame(ctx, o, at)
}

// blame fills in which side the report of a finding calls wrong.
func (b *bench) blame(ctx context.Context, o *outcome, dir string) error {
	var record finding.Record
	if err := readJSON(filepath.Join(shown(dir), finding.RecordFile), &record); err != nil {
		return err
	}
	if err := exec.CommandContext(ctx, b.program, "report", dir, "--for", "sqlite").Run(); err != nil {
		// which is a result, too
		o.Title, o.Blames = "no report: "+err.Error(), "?"
		return nil
	}
	o.Title, o.Blames = record.Title, blames(&record.Finding)
	return nil
}

// blames says which side a finding calls wrong, by its first difference. What shows in the run alone can only be the
// transactions, and an error or an end that no statement can cause is the engine's.
func blames(f *finding.Finding) string {
	var first finding.Difference
	if len(f.Differences) > 0 {
		first = f.Differences[0]
	}
	switch {
	case slices.Contains([]string{finding.ClassCrash, finding.ClassHang, finding.ClassCorruption,
		finding.ClassUnexpected}, f.Class):
		return "engine"
	case first.Autocommit:
		return "replay"
	case first.AtStart, f.Class == finding.ClassPlan, f.Class == finding.ClassReplay:
		return "neither"
	}
	return "transaction"
}

// shown is the folder of what a finding's report shows: the reduced case, if there is one.
func shown(dir string) string {
	if reduced := filepath.Join(dir, "reduced"); exists(filepath.Join(reduced, finding.RecordFile)) {
		return reduced
	}
	return dir
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func readJSON(path string, v any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func (o *outcome) addStrikes(path string) error {
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil // the program ended before it opened the engine
	}
	if err != nil {
		return err
	}
	for i, n := range []*uint64{&o.Reached, &o.InState, &o.Struck} {
		*n += binary.NativeEndian.Uint64(b[8*i:])
	}
	return nil
}

func (o *outcome) addSkipped(skipped map[string]int) {
	var parts []string
	for reason, n := range skipped {
		parts = append(parts, fmt.Sprintf("%s %d", reason, n))
	}
	slices.Sort(parts)
	o.Skipped = strings.Join(parts, ", ")
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

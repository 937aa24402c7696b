package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"txweave/campaign"
	"txweave/exec"
	"txweave/oracle"
	"txweave/profile"
)

// fuzzFlags are the flags of the fuzz command.
type fuzzFlags struct {
	targetFlags
	duration  time.Duration
	cases     int
	first     int
	seed      uint64
	workers   int
	out       string
	orders    int
	precision string
	format    string
}

func fuzzCommand() *cobra.Command {
	var f fuzzFlags
	cmd := &cobra.Command{
		Use:   "fuzz",
		Short: "Generate cases and look for transaction bugs",
		Long: `Generate cases, run each in transactions, sort its statements by their dependencies, run them again without
transactions, and report every difference that comes back on fresh tables and connections.

The same seed gives the same cases. Each finding is a directory under --out: case.txw, trace.jsonl,
replay.jsonl, sdg.dot, sdg.json, finding.json; "txweave replay DIR/case.txw" runs the case again.`,
		Example: `  txweave fuzz --duration 30s
  txweave fuzz --target mariadb --isolation repeatable-read --workers 2 --duration 8h --out findings
  txweave fuzz --dsn 'user:password@tcp(127.0.0.1:3306)/' --isolation serializable --cases 1000`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("seed") {
				f.seed = freshSeed()
			}
			return f.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	fs := cmd.Flags()
	f.add(fs, "sqlite")
	fs.DurationVar(&f.duration, "duration", 0, "stop after this time, e.g. 30s, 8h (default: no limit)")
	fs.IntVar(&f.cases, "cases", 0, "stop after this many cases (default: no limit)")
	fs.IntVar(&f.first, "first", 0, "number of the first case of the campaign")
	fs.Uint64Var(&f.seed, "seed", 0, "seed of the campaign (default: a fresh one, printed)")
	fs.IntVar(&f.workers, "workers", 1, "workers, each with a database of its own")
	fs.StringVar(&f.out, "out", "txweave-out", "directory for findings, made when the first one comes")
	fs.IntVar(&f.orders, "orders", 2, "topological orders to replay for each case")
	fs.StringVar(&f.precision, "precision", "match", "finest equivalence that may be used to keep statements in a cyclic graph: exact, column or match")
	fs.StringVar(&f.format, "format", "text", "what to print at the end: text or json (one object)")
	return cmd
}

// freshSeed draws a campaign's seed; it is printed, so that the campaign can be repeated.
func freshSeed() uint64 {
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err) // crypto/rand never fails on the systems that Go supports
	}
	return binary.LittleEndian.Uint64(b[:]) >> 20 // 44 bits are enough and easier to type
}

func (f *fuzzFlags) run(ctx context.Context, stdout, stderr io.Writer) (err error) {
	if f.format != "text" && f.format != "json" {
		return usagef("--format %q: want text or json", f.format)
	}
	if f.workers < 1 {
		return usagef("--workers must be at least 1")
	}
	if f.cases < 0 || f.duration < 0 || f.first < 0 {
		return usagef("--cases, --first and --duration must not be negative")
	}
	o, err := replayOptions(f.orders, f.precision)
	if err != nil {
		return err
	}
	p, err := f.resolve(ctx)
	if err != nil {
		return err
	}
	src, err := newCaseSource(f.seed, p)
	if err != nil {
		return err
	}
	store := &campaign.Store{Dir: f.out}
	if err := store.Check(); err != nil {
		return usagef("--out: %w", err)
	}
	fl, err := newFleet(ctx, &f.targetFlags)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, fl.close()) }()
	console := newConsole(stderr)
	var about exec.Description
	sum, err := campaign.Run(ctx, campaign.Config{
		Seed: f.seed, First: f.first, Cases: f.cases, Duration: f.duration, Workers: f.workers,
		Store: store,
		NewWorker: func(ctx context.Context, i int) (campaign.Worker, error) {
			if f.embedded() {
				c, err := childWorker(&f.targetFlags, src, f.orders, f.precision)
				if err == nil && i == 0 {
					about = c.Hello.Description
				}
				return c, err
			}
			t, err := fl.open(context.WithoutCancel(ctx))
			if err != nil {
				return nil, err
			}
			if i == 0 {
				about = t.Describe()
			}
			return newCaseWorker(ctx, t, p, src, o)
		},
		Describe: func() oracle.Environment {
			fmt.Fprintf(stderr, "txweave: seed %d, %s %s at %s\n", f.seed, about.Target, about.Version, p.Isolation)
			env := f.environment(about)
			env.Seed, env.Command = f.seed, commandLine(os.Args)
			return env
		},
		Progress: console.progress,
		Report:   console.report,
	})
	console.end()
	return f.conclude(ctx, sum, err, p, stdout)
}

// conclude prints the summary and turns it into an exit code.
func (f *fuzzFlags) conclude(ctx context.Context, sum *campaign.Summary, err error, p *profile.Profile, stdout io.Writer) error {
	if sum.Target == "" && err != nil {
		return err // it never began
	}
	var perr error
	if f.format == "json" {
		perr = json.NewEncoder(stdout).Encode(sum)
	} else {
		perr = printSummary(stdout, sum)
	}
	if err = errors.Join(err, perr); err != nil {
		return err
	}
	switch {
	case ctx.Err() != nil:
		return &exitError{exitInterrupted, errors.New("interrupted")}
	case len(sum.Findings) > 0:
		return &exitError{code: exitFindings}
	case sum.CasesChecked == 0:
		return &exitError{exitInconclusive, fmt.Errorf("inconclusive: none of %d cases could be checked", sum.Cases)}
	}
	return nil
}

// printSummary prints a summary for people.
func printSummary(w io.Writer, s *campaign.Summary) error {
	st := &s.Statements
	alive := st.Generated - st.DroppedAborted
	_, err := fmt.Fprintf(w, `%s %s, %s, seed %d
cases       %d checked of %d in %.1f s (%.0f a minute), %d with overlapping transactions, %d with an edge between them
statements  %d generated: %d survived (%s of those not aborted), dropped: %d blocked, %d cyclic, %d aborted
            %d errored (%s), %d effective (%s)
work        %d runs, %d replays, %d statements sent
`,
		s.Target, s.Version, s.Isolation, s.Seed,
		s.CasesChecked, s.Cases, s.ElapsedS, s.CasesPerMinute, s.OverlappingCases, s.OverlapEdgeCases,
		st.Generated, st.Survived, percent(st.Survived, alive), st.DroppedBlocked, st.DroppedCyclic, st.DroppedAborted,
		st.Errored, percent(st.Errored, st.Generated), st.Effective, percent(st.Effective, st.Generated),
		s.Runs, s.Replays, s.ServerStatements)
	if err != nil {
		return err
	}
	if len(s.CrossEdges) > 0 {
		fmt.Fprintf(w, "edges       %s\n", printCounts(s.CrossEdges))
	}
	if len(s.Skipped) > 0 {
		fmt.Fprintf(w, "skipped     %s\n", printCounts(s.Skipped))
	}
	for _, f := range s.Findings {
		fmt.Fprintf(w, "finding     %s  %s\n", where(f), f.Signature)
	}
	_, err = fmt.Fprintf(w, "findings    %d (%d flaky)\n", len(s.Findings), len(s.Flaky))
	return err
}

func percent(part, whole int) string {
	if whole == 0 {
		return "0 %"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}

func printCounts(m map[string]int) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%s %d", k, m[k]))
	}
	return strings.Join(parts, ", ")
}

// console shows a campaign's progress: one line that is written over on a terminal, else a line now and then.
type console struct {
	w    io.Writer
	tty  bool
	last time.Time
	open bool // a progress line stands on the terminal
}

func newConsole(w io.Writer) *console {
	f, ok := w.(*os.File)
	return &console{w: w, tty: ok && isatty.IsTerminal(f.Fd()), last: time.Now()}
}

func (c *console) progress(s *campaign.Summary) {
	every := 30 * time.Second
	if c.tty {
		every = 200 * time.Millisecond
	}
	if time.Since(c.last) < every {
		return
	}
	c.last = time.Now()
	line := fmt.Sprintf("%s  %d cases  %.0f/min  %.1f %% surviving  %d errors  %d findings  %d flaky",
		(time.Duration(s.ElapsedS) * time.Second).String(), s.Cases, s.CasesPerMinute, 100*s.Statements.SurvivalRate(),
		s.Statements.Errored, len(s.Findings), len(s.Flaky))
	if c.tty {
		fmt.Fprintf(c.w, "\r\x1b[K%s", line)
		c.open = true
		return
	}
	fmt.Fprintln(c.w, line)
}

func (c *console) report(ref campaign.FindingRef, f *campaign.Found, flaky bool) {
	c.end()
	kind := "FINDING"
	if flaky {
		kind = "flaky"
	}
	fmt.Fprintf(c.w, "%s %s: %s [%s] (came back %d of %d times)\n", kind, where(ref), f.Summary, ref.Signature, f.Confirmed, f.Repeated)
}

// where says where a finding is kept.
func where(ref campaign.FindingRef) string {
	if ref.Dir == "" {
		return ref.ID + " (not kept)"
	}
	return ref.Dir
}

// end leaves the progress line.
func (c *console) end() {
	if c.open {
		fmt.Fprintln(c.w)
		c.open = false
	}
}

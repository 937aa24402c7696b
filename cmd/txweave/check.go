package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"txweave/checker"
	"txweave/checker/jepsen"
	"txweave/dbms"
	"txweave/dbms/registry"
	"txweave/finding"
	"txweave/history"
	"txweave/history/format"
	"txweave/internal/asked"
	"txweave/internal/input"
	"txweave/internal/outcome"
	"txweave/internal/output"
	"txweave/oracle/mechanism"
)

// The verdicts of a check.
const (
	verdictValid   = "valid"   // no violation, and all that the level claims was checked
	verdictInvalid = "invalid" // a certain violation
	verdictUnknown = "unknown" // nothing was found, and something could not be checked
)

// checkResult is what a check prints.
type checkResult struct {
	Oracle    string           `json:"oracle"`
	Against   string           `json:"against"` // what was checked: "mariadb read-committed"
	Verdict   string           `json:"verdict"`
	Reason    string           `json:"reason,omitempty"` // why unknown
	Findings  []finding.Listed `json:"findings"`
	More      int              `json:"more,omitempty"` // findings beyond those listed
	Stats     any              `json:"stats,omitempty"`
	Unchecked []string         `json:"not_checked,omitempty"`
}

// checkFlags are the flags of check.
type checkFlags struct {
	oracle             string
	format             string
	out                string
	limit              int
	timeout            time.Duration // for each history; 0: none
	dbms               string        // of the mechanism oracle
	isolation          string
	level              string // of the history checkers
	sessions           bool
	dot, svg           string
	certificate, order string
	matches            string
	workload           string // of Jepsen's
	total              int64  // of a bank
	negative           bool   // accounts may hold less than nothing

	window int // transactions that wait, of a text that is checked while it is read; 0: it is read first

	levelGiven, totalGiven bool
	several                bool              // more than one history is checked
	drawn                  map[string]string // by picture: its history
	first                  *firstInput       // the first file; nil once it has been read, or if it is none
	scratch                targetFlags       // where the database evaluates predicates
}

// checkGCPercent is how much more memory than it needs the check of a history may take: it is a few large arrays without pointers,
// which cost the collector nothing. What is known of a trace is many small things, for which the usual share is right.
const checkGCPercent = 25

// The values of --oracle.
const (
	oracleAuto      = "auto"
	oracleHistory   = "history"
	oracleMechanism = "mechanism"
)

// The values of --matches.
const (
	matchesInterpreter = "interpreter"
	matchesDatabase    = "database"
)

func checkCommand() *cobra.Command {
	f := &checkFlags{}
	cmd := &cobra.Command{
		Use:   "check FILE|DIR|-...",
		Short: "Check recorded histories",
		Long: `Check histories that were recorded before, by any tool.

A history of reads and writes of keys is checked against --level: read committed, read atomic, causal consistency (rc,
ra, tcc), snapshot isolation (si), serializability (ser), also with real time (sser), linearizability of single
operations (lin). Session order is part of the level unless --session-order=false. Files may be compressed by gzip or zstd;
- is standard input. Formats:
  ` + strings.Join(format.About(), "\n  ") + `

Logs of Jepsen's workloads bank, set, set-full, counter and long-fork are checked against what these demand (--workload,
docs/check.md). With --window, a text that comes in order needs memory for a window of transactions only.

With --certificate, the order of the versions of each key as the database tells it, predicates are checked too
(docs/check.md), at --level ser or si; --order commit replays the transactions in the order in which they committed. Which
rows a predicate matches the built-in SQLite says, where it means the same in every database; with --matches database a
scratch database of --target or --dsn does.

An interval trace (docs/mechanism.md), or the JSON files of Leopard's (Pisco's) clients with their initial rows in CSV
beside them, is checked against the mechanisms that the DBMS claims at its level: consistent read, mutual exclusion,
first updater wins, serialization certifier (--oracle mechanism; found out where the file says so and no --level is
given). With --level they are histories of registers, if they hold no conditions and no deletions.

Exit codes, of several files that of the worst: 1 invalid, 64 wrong flags or a file that cannot be read, 2 unknown (the
reason is given; --timeout makes it one), 0 valid; 69 no database for --matches database, 130 interrupted: the history in
hand is unknown.`,
		Example: `  txweave check --level ser history.edn
  txweave check --svg cycle.svg run-*/history.edn.gz
  txweave check --workload bank --total-amount 100 -
  txweave check --window 10000 history.txt
  txweave check --level si --session-order=false --format text --format-out json run-*/history.txt
  txweave check --level si --certificate versions.jsonl history.jsonl
  txweave check --level ser --order commit --certificate versions.jsonl --matches database --target mariadb history.jsonl
  txweave check --oracle mechanism --dbms mariadb --isolation repeatable-read trace.jsonl`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			if f.out != "text" && f.out != "json" {
				return usagef("--format-out %q: want text or json", f.out)
			}
			if err := asked.Writable(f.dot, f.svg); err != nil {
				return err
			}
			f.levelGiven, f.totalGiven = cmd.Flags().Changed("level"), cmd.Flags().Changed("total-amount")
			first, cancel := f.bounded(cmd.Context())
			defer cancel()
			f.open(first, files[0])
			mechanism := f.oracle == oracleMechanism
			switch f.oracle {
			case oracleAuto:
				mechanism = f.first != nil && f.first.isTrace() && !f.levelGiven
			case oracleHistory, oracleMechanism:
			default:
				return usagef("--oracle %q: want %s, %s or %s", f.oracle, oracleHistory, oracleMechanism, oracleAuto)
			}
			if !mechanism {
				defer debug.SetGCPercent(debug.SetGCPercent(checkGCPercent))
			}
			if f.out == "json" {
				return f.check(cmd.Context(), mechanism, cmd.OutOrStdout(), cmd.ErrOrStderr(), files)
			}
			out := output.Show(cmd.OutOrStdout()) // keys, values and values of fields are whatever a file has
			return errors.Join(f.check(cmd.Context(), mechanism, out, output.Show(cmd.ErrOrStderr()), files), out.Flush())
		},
	}
	f.flags(cmd.Flags())
	return cmd
}

// check checks what the files hold.
func (f *checkFlags) check(ctx context.Context, mechanism bool, stdout, stderr io.Writer, files []string) error {
	if mechanism {
		return f.mechanism(ctx, stdout, files)
	}
	return f.histories(ctx, stdout, stderr, files)
}

// flags adds the flags.
func (f *checkFlags) flags(fs *pflag.FlagSet) {
	fs.StringVar(&f.oracle, "oracle", oracleAuto, "what to check with: history, mechanism, or auto, by what the file is")
	fs.StringVar(&f.format, "format", format.Auto, "format of the histories: auto, or one of those above")
	fs.StringVar(&f.out, "format-out", "text", "text, or json: one line a file")
	fs.StringVar(&f.level, "level", string(dbms.SER), "rc, ra, tcc, si, ser, sser or lin")
	fs.BoolVar(&f.sessions, "session-order", true, "the order of each session's transactions is part of the level")
	fs.IntVar(&f.window, "window", 0, "of a text in which transactions come about in the order in which they committed: look for a serial order holding "+
		"so many of them, e.g. 10000, in bounded memory")
	fs.StringVar(&f.workload, "workload", string(jepsen.Auto), "of Jepsen's: "+registry.Or(workloadNames())+"; auto: what the operations are of")
	fs.Int64Var(&f.total, "total-amount", 0, "bank: what all accounts hold together; default: what most reads found")
	fs.BoolVar(&f.negative, "negative-balances", false, "bank: an account may hold less than nothing")
	fs.StringVar(&f.certificate, "certificate", "", "file with the version certificate of the history")
	fs.StringVar(&f.order, "order", "", "commit: replay in the order of the certificate's commits (two-phase locking, timestamp ordering)")
	fs.StringVar(&f.matches, "matches", matchesInterpreter, "what evaluates predicates of a certificate: interpreter, or database, on --target or --dsn")
	f.scratch.addDatabase(fs, "")
	for name, text := range map[string]string{"target": registry.Or(registry.Names()), "dsn": "a running server instead", "server": "path of the server's binary"} {
		fs.Lookup(name).Usage = "--matches database: " + text
	}
	fs.DurationVar(&f.timeout, "timeout", 0, "how long the check of one history may take, then its verdict is unknown; 0: as long as it takes")
	fs.StringVar(&f.dot, "dot", "", "write the counterexample as a Graphviz file")
	fs.StringVar(&f.svg, "svg", "", "write the counterexample as a picture")
	fs.StringVar(&f.dbms, "dbms", "", "mechanism: DBMS whose claims are checked, e.g. mariadb, postgresql; default: the trace's own")
	fs.StringVar(&f.isolation, "isolation", "", "mechanism: isolation level whose claims are checked; default: the trace's own")
	fs.IntVar(&f.limit, "limit", 20, "mechanism: findings to print")
}

// firstInput is the first file, whose beginning says what all of them are.
type firstInput struct {
	*format.Opened
	head []byte
}

// open opens the first file, if it is one and can be opened: what is wrong is said by who reads it.
func (f *checkFlags) open(ctx context.Context, path string) {
	if st, err := os.Stat(path); path != format.Stdin && (err != nil || st.IsDir()) {
		return
	}
	in, err := format.Open(ctx, path)
	if err != nil {
		return
	}
	head, err := in.Head()
	if err != nil {
		in.Close()
		return
	}
	f.first = &firstInput{in, head[:min(len(head), 512)]}
}

// isTrace says whether the file begins as an interval trace does.
func (in *firstInput) isTrace() bool {
	return in.begins([]byte(`"trace":"operations"`)) || in.begins(leopardMark)
}

// begins says whether a text is near the beginning of the file.
func (in *firstInput) begins(text []byte) bool { return bytes.Contains(in.head, text) }

// leopardMark is in what Leopard's clients write, and in no other format.
var leopardMark = []byte(`"operationTraceType"`)

// verdictError is the exit code of a verdict.
func verdictError(verdict string) error {
	switch verdict {
	case verdictInvalid:
		return &exitError{Code: exitFindings}
	case verdictUnreadable:
		return &exitError{Code: exitUsage}
	case verdictUnknown:
		return &exitError{Code: exitInconclusive}
	}
	return nil
}

// bounded returns the context of one check.
func (f *checkFlags) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if f.timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, f.timeout, fmt.Errorf("--timeout %s is over", f.timeout))
}

// within returns what do returns, or false once ctx has ended: do then comes to its end by itself, unless the process ends
// before.
func within[T any](ctx context.Context, do func() (T, error)) (value T, ok bool, err error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		v, err := do()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		if r.err != nil && ctx.Err() != nil { // it was reading
			return value, false, nil
		}
		return r.value, true, r.err
	case <-ctx.Done():
		return value, false, nil
	}
}

// mechanism checks an interval trace and prints the result.
func (f *checkFlags) mechanism(ctx context.Context, w io.Writer, files []string) error {
	bounded, cancel := f.bounded(ctx)
	defer cancel()
	res, ok, err := within(bounded, func() (*checkResult, error) { return checkMechanism(bounded, f, files) })
	if err != nil {
		return err
	}
	if !ok {
		res = &checkResult{Oracle: oracleMechanism, Against: strings.TrimSpace(f.dbms + " " + f.isolation), Verdict: verdictUnknown,
			Reason: stopped(bounded), Findings: []finding.Listed{}}
	}
	if err := res.print(w, f.out); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return outcome.Stopped()
	}
	return verdictError(res.Verdict)
}

// stopped says why a check has no verdict.
func stopped(ctx context.Context) string { return checker.Options{}.Stopped(ctx, "").Reason }

// print writes the result.
func (r *checkResult) print(w io.Writer, format string) error {
	if format == "json" {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		return enc.Encode(r)
	}
	for _, f := range r.Findings {
		fmt.Fprintf(w, "%s\n", f.Summary)
		for _, line := range f.Explanation {
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
	if r.More > 0 {
		fmt.Fprintf(w, "… and %d more\n", r.More)
	}
	for _, u := range r.Unchecked {
		fmt.Fprintf(w, "not checked: %s\n", u)
	}
	reason := ""
	if r.Reason != "" {
		reason = ": " + r.Reason
	}
	_, err := fmt.Fprintf(w, "%s: %s%s\n", r.Against, r.Verdict, reason)
	return err
}

// checkMechanism checks interval traces with the mechanism oracle.
func checkMechanism(ctx context.Context, f *checkFlags, files []string) (*checkResult, error) {
	if f.first == nil {
		in, err := format.Open(ctx, files[0])
		if err != nil {
			return nil, usage(err)
		}
		f.first = &firstInput{Opened: in}
	}
	in := f.first
	defer in.Close()
	if first, err := in.Peek(1); len(files) > 1 || err == nil && first[0] == '[' {
		return f.checkLeopard(ctx, files)
	}
	sym := history.NewSymbols()
	r, err := history.NewOperationReader(in.Reader, sym)
	if err != nil {
		return nil, usage(fmt.Errorf("%s: %w", files[0], err))
	}
	claim, err := f.claim(r.Header.DBMS, r.Header.Isolation)
	if err != nil {
		return nil, err
	}
	rep, err := mechanism.CheckTrace(mechanism.Options{Promise: claim.Mechanisms, Symbols: sym, Limit: f.limit}, r)
	if err != nil {
		return nil, usage(fmt.Errorf("%s: %w", files[0], err))
	}
	return f.mechanismResult(claim, rep), nil
}

// readLeopard reads the JSON files of Leopard's clients, with their tables' initial rows in CSV.
func readLeopard(ctx context.Context, files []string) (history.TraceHeader, []*history.Operation, *history.Symbols, error) {
	var clients, initial []history.Source
	sym := history.NewSymbols()
	for _, name := range files {
		text, err := input.Read(ctx, name, input.Trace)
		switch {
		case err != nil:
			return history.TraceHeader{}, nil, nil, err
		case strings.EqualFold(filepath.Ext(name), ".csv"):
			initial = append(initial, history.Source{Name: name, Text: text})
		default:
			clients = append(clients, history.Source{Name: name, Text: text})
		}
	}
	header, ops, err := history.ReadLeopard(clients, initial, sym)
	return header, ops, sym, err
}

// checkLeopard checks the traces of Leopard's clients.
func (f *checkFlags) checkLeopard(ctx context.Context, files []string) (*checkResult, error) {
	header, ops, sym, err := readLeopard(ctx, files)
	if err != nil {
		return nil, usage(err)
	}
	claim, err := f.claim("", header.Isolation)
	if err != nil {
		return nil, err
	}
	rep, err := mechanism.Check(mechanism.Options{Promise: claim.Mechanisms, Symbols: sym, Limit: f.limit, Initial: header.Initial}, ops)
	if err != nil {
		return nil, usage(err)
	}
	return f.mechanismResult(claim, rep), nil
}

// claim finds the claims by the flags, else by what the trace says of itself.
func (f *checkFlags) claim(system, isolation string) (*dbms.Profile, error) {
	if f.dbms != "" {
		system = f.dbms
	}
	if f.isolation != "" {
		isolation = f.isolation
	}
	if system == "" {
		return nil, usagef("the trace does not say which DBMS it is from: --dbms is needed")
	}
	c, err := dbms.LookupPromise(system, isolation)
	if err != nil {
		return nil, usage(err)
	}
	return c, nil
}

// mechanismResult is a report as check prints it.
func (f *checkFlags) mechanismResult(claim *dbms.Profile, rep *mechanism.TraceReport) *checkResult {
	res := &checkResult{Oracle: "mechanism", Against: claim.DBMS + " " + claim.Isolation, Verdict: verdictValid,
		Findings: []finding.Listed{}, More: rep.Dropped, Stats: rep.Stats, Unchecked: rep.NotChecked}
	for i := range rep.Violations {
		v := &rep.Violations[i]
		res.Findings = append(res.Findings, v.Listed())
	}
	res.Findings = finding.FirstOfEach(res.Findings)
	shown := min(len(res.Findings), f.limit)
	res.Findings, res.More = res.Findings[:shown], res.More+len(res.Findings)-shown
	switch {
	case len(rep.Violations) > 0:
		res.Verdict = verdictInvalid
	case rep.Stats.Committed == 0:
		res.Verdict, res.Reason = verdictUnknown, "no transaction committed"
	}
	return res
}

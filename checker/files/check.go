// Package files checks recorded histories, and interval traces, as they lie in files, and says what came of it.
package files

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

	"txweave/checker"
	"txweave/dbms"
	"txweave/exec"
	"txweave/finding"
	"txweave/history"
	"txweave/history/format"
	"txweave/internal/asked"
	"txweave/internal/input"
	"txweave/internal/outcome"
	"txweave/internal/output"
	"txweave/internal/spelling"
	"txweave/oracle/mechanism"
)

// Config says how histories are checked. Errors call its fields by the flags that set them.
type Config struct {
	Oracle     string              // what they are checked with: history, mechanism, or auto, by what the file is
	Format     string              // of the histories: auto, or one of package format's
	Out        string              // what is printed: text, or json, one line a file
	Limit      int                 // mechanism: findings to print
	Timeout    time.Duration       // for each history; 0: none
	DBMS       string              // mechanism: whose claims are checked; "": the trace's own
	Isolation  string              // mechanism: … and at which level
	Level      string              // of histories
	LevelGiven bool                // somebody has named it
	Sessions   bool                // the order of each session's transactions is part of the level
	ClockSkew  history.ClockBounds // by which clients' clocks may be off, either way
	DOT, SVG   string              // files for the counterexample, as a graph and as a picture
	Undrawn    func()              // told of a counterexample that has no file, where text is printed; nil: nobody
	Workers    int                 // parts of a history that are checked at once; 1: it is checked as a whole
	Split      string              // a directory: the history is cut and not checked, and its parts written there; "": no
	Parts      int                 // … at most so many
	PartsGiven bool                // somebody has said how many
	Share      bool                // of a directory: with other processes, each history is checked by one of them
	Window     int                 // transactions that wait, of a text checked while it is read; 0: it is read first

	Certificate string // file with the version certificate
	Order       string // commit: the transactions are replayed in the order of the certificate's commits
	Matches     string // what evaluates predicates of a certificate: interpreter or database
	// Scratch gives do the database that evaluates them; nil: there is none.
	Scratch func(ctx context.Context, do func(exec.Target) error) error

	Workload   string // of Jepsen's; auto: what the operations are of
	Total      int64  // bank: what all accounts hold together, if TotalGiven; else what most reads found
	TotalGiven bool
	Negative   bool // bank: an account may hold less than nothing
}

// run is a check of some files.
type run struct {
	Config
	several bool              // more than one history is checked
	drawn   map[string]string // by picture: its history
	first   *firstInput       // the first file; nil once it has been read, or if it is none
}

// The verdicts of a check.
const (
	valid   = "valid"   // no violation, and all that the level claims was checked
	invalid = "invalid" // a certain violation
	unknown = "unknown" // nothing was found, and something could not be checked
)

// checkResult is what a check prints.
type checkResult struct {
	Oracle    string           `json:"oracle"`
	Against   string           `json:"against"` // what was checked: a level, or a database and its level
	Verdict   string           `json:"verdict"`
	Reason    string           `json:"reason,omitempty"` // why unknown
	Findings  []finding.Listed `json:"findings"`
	More      int              `json:"more,omitempty"` // findings beyond those listed
	Stats     any              `json:"stats,omitempty"`
	Unchecked []string         `json:"not_checked,omitempty"`
}

// checkGCPercent is how much more memory than it needs the check of a history may take: it is a few large arrays
// without pointers, which cost the collector nothing. What is known of a trace is many small things, for which the
// usual share is right.
const checkGCPercent = 25

// The values of Config.Oracle.
const (
	Auto            = "auto"
	oracleHistory   = "history"
	oracleMechanism = "mechanism"
)

// The values of Config.Matches.
const (
	Interpreter     = "interpreter"
	matchesDatabase = "database"
)

// Check checks the files and prints what came of each; the error says how the worst of them ended.
func (c Config) Check(ctx context.Context, stdout, stderr io.Writer, files []string) error {
	f := &run{Config: c}
	if f.Out != "text" && f.Out != "json" {
		return outcome.Misuse(spelling.NoneOf("--format-out", f.Out, "text", "json"))
	}
	if err := asked.Writable(f.DOT, f.SVG); err != nil {
		return err
	}
	first, cancel := f.bounded(ctx)
	defer cancel()
	f.open(first, files[0])
	mechanism := f.Oracle == oracleMechanism
	switch f.Oracle {
	case Auto:
		mechanism = f.first != nil && f.first.isTrace() && !f.LevelGiven
	case oracleHistory, oracleMechanism:
	default:
		return outcome.Misuse(spelling.NoneOf("--oracle", f.Oracle, oracleHistory, oracleMechanism, Auto))
	}
	if !mechanism {
		defer debug.SetGCPercent(debug.SetGCPercent(checkGCPercent))
	}
	if f.Out == "json" {
		return f.check(ctx, mechanism, stdout, stderr, files)
	}
	out := output.Show(stdout) // keys, values and values of fields are whatever a file has
	return errors.Join(f.check(ctx, mechanism, out, output.Show(stderr), files), out.Flush())
}

// check checks what the files hold.
func (f *run) check(ctx context.Context, mechanism bool, stdout, stderr io.Writer, files []string) error {
	if mechanism {
		return f.mechanism(ctx, stdout, files)
	}
	return f.histories(ctx, stdout, stderr, files)
}

// firstInput is the first file, whose beginning says what all of them are.
type firstInput struct {
	*format.Opened
	head []byte
}

// open opens the first file, if it is one and can be opened: what is wrong is said by who reads it.
func (f *run) open(ctx context.Context, path string) {
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
	case invalid:
		return outcome.Found()
	case unreadable:
		return &outcome.Ending{Code: outcome.Usage}
	case unknown:
		return &outcome.Ending{Code: outcome.Inconclusive}
	}
	return nil
}

// bounded returns the context of one check.
func (f *run) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if f.Timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, f.Timeout, fmt.Errorf("--timeout %s is over", f.Timeout))
}

// within returns what do returns, or false once ctx has ended: do then comes to its end by itself, unless the process
// ends before.
func within[T any](ctx context.Context, do func() (T, error)) (value T, ok bool, err error) {
	value, err = asked.Obeying(ctx, do)
	if err != nil && ctx.Err() != nil { // it was reading
		return value, false, nil
	}
	return value, true, err
}

// mechanism checks an interval trace and prints the result.
func (f *run) mechanism(ctx context.Context, w io.Writer, files []string) error {
	bounded, cancel := f.bounded(ctx)
	defer cancel()
	res, ok, err := within(bounded, func() (*checkResult, error) { return checkMechanism(bounded, f, files) })
	if err != nil {
		return err
	}
	if !ok {
		res = &checkResult{Oracle: oracleMechanism, Against: strings.TrimSpace(f.DBMS + " " + f.Isolation), Verdict: unknown,
			Reason: stopped(bounded), Findings: []finding.Listed{}}
	}
	if err := res.print(w, f.Out); err != nil {
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
func checkMechanism(ctx context.Context, f *run, files []string) (*checkResult, error) {
	if f.first == nil {
		in, err := format.Open(ctx, files[0])
		if err != nil {
			return nil, outcome.Misuse(err)
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
		return nil, outcome.Misuse(fmt.Errorf("%s: %w", files[0], err))
	}
	claim, err := f.claim(r.Header.DBMS, r.Header.Isolation)
	if err != nil {
		return nil, err
	}
	r.Widen(f.ClockSkew)
	rep, err := mechanism.CheckTrace(mechanism.Options{Promise: claim.Guarantees.Mechanisms, Symbols: sym,
		Limit: f.Limit}, r)
	if err != nil {
		return nil, outcome.Misuse(fmt.Errorf("%s: %w", files[0], err))
	}
	if err := r.Met(); err != nil {
		return nil, outcome.Misusef("%s: --clock-skew: %w", files[0], err)
	}
	return f.mechanismResult(claim, rep), nil
}

// readLeopard reads the JSON files of Leopard's clients, with their tables' initial rows in CSV.
func readLeopard(ctx context.Context, files []string) (history.TraceHeader, []*history.Operation,
	*history.Symbols, error) {
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
func (f *run) checkLeopard(ctx context.Context, files []string) (*checkResult, error) {
	header, ops, sym, err := readLeopard(ctx, files)
	if err != nil {
		return nil, outcome.Misuse(err)
	}
	claim, err := f.claim("", header.Isolation)
	if err != nil {
		return nil, err
	}
	met := map[int64]bool{}
	for _, op := range ops {
		if op.Kind != history.OpLoad {
			met[int64(op.Session)] = true
			off := f.ClockSkew.Session(int64(op.Session))
			op.Start, op.End = op.Start-off, op.End+off
		}
	}
	if err := f.ClockSkew.Met(met); err != nil {
		return nil, outcome.Misusef("--clock-skew: %w", err)
	}
	rep, err := mechanism.Check(mechanism.Options{Promise: claim.Guarantees.Mechanisms, Symbols: sym, Limit: f.Limit,
		Initial: header.Initial}, ops)
	if err != nil {
		return nil, outcome.Misuse(err)
	}
	return f.mechanismResult(claim, rep), nil
}

// claim finds the claims by the flags, else by what the trace says of itself.
func (f *run) claim(system, isolation string) (*dbms.Profile, error) {
	if f.DBMS != "" {
		system = f.DBMS
	}
	if f.Isolation != "" {
		isolation = f.Isolation
	}
	if system == "" {
		return nil, outcome.Misusef("the trace does not say which DBMS it is from: --dbms is needed")
	}
	c, err := dbms.LookupPromise(system, isolation)
	if err != nil {
		return nil, outcome.Misuse(err)
	}
	return c, nil
}

// mechanismResult is a report as check prints it.
func (f *run) mechanismResult(claim *dbms.Profile, rep *mechanism.TraceReport) *checkResult {
	res := &checkResult{Oracle: "mechanism", Against: claim.DBMS + " " + claim.Isolation, Verdict: valid,
		Findings: []finding.Listed{}, More: rep.Dropped, Stats: rep.Stats, Unchecked: rep.NotChecked}
	for i := range rep.Violations {
		v := &rep.Violations[i]
		res.Findings = append(res.Findings, v.Listed())
	}
	res.Findings = finding.FirstOfEach(res.Findings)
	shown := min(len(res.Findings), f.Limit)
	res.Findings, res.More = res.Findings[:shown], res.More+len(res.Findings)-shown
	switch {
	case len(rep.Violations) > 0:
		res.Verdict = invalid
	case rep.Stats.Committed == 0:
		res.Verdict, res.Reason = unknown, "no transaction committed"
	}
	return res
}

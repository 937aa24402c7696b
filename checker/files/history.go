package files

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"txweave/checker"
	"txweave/checker/blackbox"
	"txweave/checker/certificate"
	"txweave/checker/jepsen"
	"txweave/checker/parts"
	"txweave/dbms"
	"txweave/dbms/registry"
	"txweave/exec"
	"txweave/history/format"
	"txweave/history/register"
	"txweave/internal/input"
	"txweave/internal/memory"
	"txweave/internal/outcome"
	"txweave/internal/spelling"
)

// historyResult is what the check of one history prints: a line of --format-out json.
type historyResult struct {
	File   string `json:"file"`
	Format string `json:"format"`
	// one of Jepsen's: what it demands was checked, no level
	Workload       jepsen.WorkloadName     `json:"workload,omitempty"`
	Level          dbms.Level              `json:"level,omitempty"`
	SessionOrder   bool                    `json:"session_order"`
	Verdict        string                  `json:"verdict"`
	Anomaly        string                  `json:"anomaly"`          // empty unless invalid
	Adya           string                  `json:"adya,omitempty"`   // what Adya and Elle call it
	Not            []string                `json:"not,omitempty"`    // the weakest levels that forbid it: Elle's :not
	Reason         string                  `json:"reason,omitempty"` // in words; of unknown: why
	Transactions   int                     `json:"transactions"`
	Operations     int                     `json:"operations"`
	ParseS         float64                 `json:"parse_s"`
	CheckS         float64                 `json:"check_s"`
	PeakMiB        float64                 `json:"peak_mib"` // of the process so far
	Counterexample []checker.ExplainedEdge `json:"counterexample"`
	Second         *checker.Cycle          `json:"second,omitempty"` // a cycle of other transactions
	// Involved are the transactions of the counterexamples, each one whole.
	Involved []string `json:"involved,omitempty"`
	Errors   []string `json:"errors,omitempty"` // of a workload: all that is wrong
	Notes    []string `json:"notes,omitempty"`  // what is strange, or was not looked at
	Window   int      `json:"window,omitempty"` // how many transactions were held at once, where not all were
	Pictures []string `json:"pictures,omitempty"`
}

// unreadable stands for a verdict where a file cannot be read.
const unreadable = "unreadable"

// histories checks files one after the other. One that cannot be read is told, and the others are checked. The exit
// code is that of the worst: invalid, a file that cannot be read, unknown.
func (f *run) histories(ctx context.Context, w, errs io.Writer, files []string) error {
	level := dbms.Level(strings.ToLower(f.Level))
	if !slices.Contains(dbms.HistoryLevels, level) {
		return outcome.Misuse(spelling.NoneOf("--level", f.Level, "rc", "ra", "tcc", "si", "rr", "ser", "sser", "lin"))
	}
	if err := f.checkShared(files); err != nil {
		return err
	}
	leopard := f.first != nil && f.first.begins(leopardMark)
	var paths []string
	if leopard {
		paths = files[:1] // all of them are one history
	} else {
		for _, file := range files {
			paths = append(paths, format.Expand(file)...)
		}
	}
	if err := f.checkOptions(level, len(paths)); err != nil {
		return err
	}
	switch {
	case f.Split != "":
		return f.split(ctx, w, paths[0], level)
	case f.Share:
		return f.share(ctx, w, errs, files[0], level)
	}
	worst := 0
	for _, path := range paths {
		res, err := f.history(ctx, path, files, leopard, level)
		code, _ := outcome.Of(err)
		switch {
		case err == nil:
		case len(paths) == 1 || code != outcome.Usage:
			return err
		default:
			fmt.Fprintf(errs, "txweave: %v\n", err)
			res = f.unreadable(path, level, err)
		}
		if err := f.printHistory(w, res); err != nil {
			return err
		}
		worst = max(worst, rankOf(res.Verdict))
		if ctx.Err() != nil {
			return outcome.Stopped()
		}
	}
	return verdictError(ranks[worst])
}

// ranks are the verdicts on files, the worst one last.
var ranks = []string{valid, unknown, unreadable, invalid}

func rankOf(verdict string) int { return slices.Index(ranks, verdict) }

// unreadable is what is said of a file that is no history, or not one to be checked so.
func (f *run) unreadable(path string, level dbms.Level, err error) *historyResult {
	return &historyResult{File: path, Format: f.Format, Level: level, SessionOrder: f.Sessions, Verdict: unreadable,
		Reason: err.Error(), Counterexample: []checker.ExplainedEdge{}}
}

// checkOptions says which flags do not go together.
func (f *run) checkOptions(level dbms.Level, histories int) error {
	if err := format.CheckName(f.Format); err != nil {
		return outcome.Misuse(spelling.Meant(err, f.Format, append(format.Names(), format.Auto)...))
	}
	w := jepsen.WorkloadName(f.Workload)
	switch {
	case w != jepsen.Auto && !slices.Contains(jepsen.Workloads, w):
		return spelling.Meant(outcome.Misusef("--workload %q: want %s or %s", f.Workload, spelling.Or(jepsen.Names()),
			jepsen.Auto),
			f.Workload, append(jepsen.Names(), string(jepsen.Auto))...)
	case f.Window < 0:
		return outcome.Misusef("--window %d: want the number of transactions in the window", f.Window)
	case f.Window > 0 && (level == dbms.SSER || level == dbms.LIN || f.Certificate != "" || f.Workload != string(
		jepsen.Auto)):
		return outcome.Misusef(
			"--window looks for a serial order, which says nothing of sser and lin, and takes no --certificate or --workload")
	case f.Order != "" && f.Order != "commit":
		return outcome.Misuse(spelling.NoneOf("--order", f.Order, "commit"))
	case f.Order != "" && (f.Certificate == "" || level != dbms.SER && level != dbms.SI):
		return outcome.Misusef("--order is for --level ser or si and needs --certificate")
	case f.Matches != Interpreter && f.Matches != matchesDatabase:
		return outcome.Misuse(spelling.NoneOf("--matches", f.Matches, Interpreter, matchesDatabase))
	case f.Matches == matchesDatabase && f.Certificate == "":
		return outcome.Misusef("--matches needs --certificate: a history alone has no predicates")
	case (f.Matches == matchesDatabase) != (f.Scratch != nil):
		return outcome.Misusef(
			"--target, --dsn and --server say which database --matches database asks: they belong together")
	case f.Certificate != "" && histories > 1:
		return outcome.Misusef("--certificate belongs to one history, not to %d", histories)
	}
	f.several = histories > 1
	return f.checkSplit(histories)
}

// history reads one history, checks it and draws its counterexample.
func (f *run) history(ctx context.Context, path string, files []string, leopard bool, level dbms.Level) (
	*historyResult, error) {
	ctx, cancel := f.bounded(ctx)
	defer cancel()
	res := &historyResult{File: path, Format: f.Format, Level: level, SessionOrder: f.Sessions,
		Counterexample: []checker.ExplainedEdge{}}
	started := time.Now()
	if done, err := f.inWindow(ctx, path, res); done || err != nil {
		return res, err
	}
	rec, ok, err := within(ctx, func() (*format.Contents, error) { return f.readHistory(ctx, path, files, leopard) })
	res.ParseS = time.Since(started).Seconds()
	switch {
	case err != nil:
		return nil, outcome.Misuse(err)
	case !ok:
		res.Verdict, res.Reason = unknown, stopped(ctx)
		return res, nil
	}
	res.Format, started = rec.Format, time.Now()
	h := rec.History
	if err := f.checkPart(path, h, level); err != nil {
		return nil, err
	}
	if h != nil {
		res.Transactions, res.Operations = len(h.Txns), len(h.Ops)
	}
	if f.isWorkload(rec) {
		f.judgeWorkload(rec, level, res)
		res.CheckS, res.PeakMiB = time.Since(started).Seconds(), memory.PeakMiB()
		return res, nil
	}
	if err := f.sessionsMet(h); err != nil && !f.several {
		return nil, outcome.Misusef("%s: --clock-skew: %w", path, err)
	} else if err != nil { // the session may have done nothing in one of several
		res.Notes = append(res.Notes, "--clock-skew: "+err.Error())
	}
	v, err := f.judge(ctx, h.Widened(f.ClockSkew), level)
	if err != nil {
		return nil, err
	}
	if v.Outcome != checker.Valid && (level == dbms.SSER || level == dbms.LIN) {
		res.Notes = append(res.Notes, f.clocks(h)...)
	}
	res.CheckS, res.PeakMiB = time.Since(started).Seconds(), memory.PeakMiB()
	res.Verdict, res.Anomaly, res.Adya, res.Reason = string(v.Outcome), string(v.Anomaly), v.Adya, v.Reason
	res.Counterexample, res.Second = append(res.Counterexample, v.Counterexample...), v.Second
	for _, what := range v.NotChecked {
		res.Notes = append(res.Notes, "not checked: "+what)
	}
	if beside := res.File + ".certificate"; f.Certificate == "" && there(beside) {
		res.Notes = append(res.Notes, "not checked: searches, which are in "+beside+" (--certificate)")
	}
	res.Not, res.Involved = checker.Forbidden(v.Adya), involved(h, &v)
	return res, f.draw(ctx, &v, res)
}

// sessionsMet says which session of --clock-skew a history does not have. A part need not have those of the whole.
func (f *run) sessionsMet(h *register.History) error {
	if h.Cut != nil {
		return nil
	}
	met := map[int64]bool{}
	for s := range h.Sessions() {
		met[h.SessionID(int32(s))] = true
	}
	return f.ClockSkew.Met(met)
}

// clocks says what a history shows of its clients' clocks beyond what they are taken to be off.
func (f *run) clocks(h *register.History) []string {
	r, verdict := checker.TraceIndexed(h, dbms.SER, checker.Options{})
	if verdict != nil { // of lists, or of reads that no clock makes right
		return nil
	}
	s := checker.ClockSkew(r)
	if s == nil {
		return nil
	}
	of := func(t int) int64 { return f.ClockSkew.Session(h.SessionID(h.Txns[t].Session)) }
	if s.Apart <= of(s.Reader)+of(s.Writer) {
		return nil
	}
	return []string{
		fmt.Sprintf(
			"%s ended %s before %s began, and read what that wrote: the clients' clocks are that far apart, if the database "+
				"does not "+
				"make values up; --clock-skew %s allows for it", h.TxnName(s.Reader), time.Duration(s.Apart), h.TxnName(s.Writer),
			time.Duration(s.Off()))}
}

// involved describes the transactions of a verdict's counterexamples.
func involved(h *register.History, v *checker.Verdict) (texts []string) {
	seen := map[int]bool{}
	add := func(t int) {
		if t >= 0 && !seen[t] {
			seen[t] = true
			texts = append(texts, h.Describe(t))
		}
	}
	all := v.Counterexample
	if v.Second != nil {
		all = append(slices.Clip(all), v.Second.Edges...)
	}
	for _, e := range all {
		add(e.FromTxn)
		add(e.ToTxn)
	}
	return texts
}

// isWorkload says whether a recording is judged by what one of Jepsen's workloads demands: its transactions are no
// reads and writes, the flags say so, or it is of long-fork and no level is asked for.
func (f *run) isWorkload(rec *format.Contents) bool {
	switch {
	case rec.Workload != nil || f.Workload != string(jepsen.Auto):
		return true
	}
	return rec.LongFork && !f.LevelGiven && f.Certificate == ""
}

// judgeWorkload checks a history of one of Jepsen's workloads. Read Committed, Read Atomic and causal consistency allow
// what they forbid.
func (f *run) judgeWorkload(rec *format.Contents, level dbms.Level, res *historyResult) {
	opt := jepsen.Demands{Workload: jepsen.WorkloadName(f.Workload), Negative: f.Negative}
	if f.TotalGiven {
		opt.Total = &f.Total
	}
	var v jepsen.WorkloadVerdict
	switch {
	case rec.Workload != nil:
		v = jepsen.Check(rec.Workload, opt)
		res.Operations = len(rec.Workload.Ops)
	case opt.Workload == jepsen.Auto || opt.Workload == jepsen.LongFork:
		v = jepsen.CheckLongFork(rec.History)
	default:
		v = jepsen.WorkloadVerdict{Workload: opt.Workload, Outcome: checker.Unknown,
			Reason: "the history is of reads and writes"}
	}
	if f.LevelGiven && v.Outcome == checker.Invalid && !v.Workload.PromisedAt(level) {
		v.Outcome, v.Reason = checker.Unknown, fmt.Sprintf("%s allows this: %s", level, v.Reason)
	}
	if f.LevelGiven {
		res.Level = level
	} else {
		res.Level = ""
	}
	res.Workload, res.Verdict, res.Reason, res.Notes = v.Workload, string(v.Outcome), v.Reason, v.Notes
	if v.Outcome == checker.Invalid {
		res.Anomaly, res.Errors = string(v.Anomaly), v.Errors
	}
}

func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// judge checks one history, with its certificate if there is one.
func (f *run) judge(ctx context.Context, h *register.History, level dbms.Level) (v checker.Verdict, err error) {
	opt := checker.Options{SessionOrder: f.Sessions}
	if f.Certificate == "" {
		check := func(level dbms.Level) checker.Verdict {
			if f.Workers > 1 {
				return parts.Check(ctx, h, level, opt, f.Workers)
			}
			return blackbox.Check(ctx, h, level, opt)
		}
		v := check(level)
		if v.Outcome == checker.Valid && level == dbms.LIN && !f.ClockSkew.None() && f.Sessions {
			// Longer intervals of one client overlap, and its own order is lost: it is asked for by itself.
			if own := check(dbms.SER); own.Outcome == checker.Invalid {
				own.Level, v = level, own
			}
		}
		return v, nil
	}
	file, err := input.Open(ctx, f.Certificate)
	if err != nil {
		return checker.Verdict{}, outcome.Misuse(err)
	}
	defer file.Close()
	c, err := certificate.Read(file, h)
	if err != nil {
		return checker.Verdict{}, outcome.Misuse(fmt.Errorf("%s: %w", f.Certificate, err))
	}
	c.Widen(h, f.ClockSkew)
	err = f.withMatches(ctx, func(matches certificate.Matches) {
		if f.Order != "" {
			v = certificate.Replay(ctx, h, c, level, opt, matches)
		} else {
			v = certificate.Check(ctx, h, c, level, opt, matches)
		}
	})
	return v, err
}

// withMatches gives the matches oracle that the flags ask for to do.
func (f *run) withMatches(ctx context.Context, do func(certificate.Matches)) error {
	if f.Matches == matchesDatabase {
		return f.Scratch(ctx, func(t exec.Target) error {
			do(certificate.NewDatabase(t.Control()))
			return nil
		})
	}
	engine, err := registry.Evaluator()
	if err != nil {
		return err
	}
	in := certificate.NewInterpreter(engine)
	defer in.Close()
	do(in)
	return nil
}

// readHistory reads one history: a file or a directory, or all files of Leopard's clients.
func (f *run) readHistory(ctx context.Context, path string, files []string, leopard bool) (*format.Contents, error) {
	if !leopard {
		if f.first != nil && f.first.Path == path { // it may be a pipe
			in := f.first
			f.first = nil
			defer in.Close()
			return in.Contents(f.Format)
		}
		return format.Read(ctx, path, f.Format)
	}
	header, ops, sym, err := readLeopard(ctx, files)
	if err != nil {
		return nil, err
	}
	h, err := format.FromOperations(&header, ops, sym)
	return &format.Contents{Format: leopardFormat, History: h}, err
}

const leopardFormat = "leopard"

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"txweave/dbms"

	"golang.org/x/sys/unix"

	"txweave/checker"
	"txweave/checker/blackbox"
	"txweave/checker/certificate"
	"txweave/dbms/registry"
	"txweave/exec"
	"txweave/history/format"
	"txweave/history/register"
)

// historyResult is what the check of one history prints: a line of --format-out json.
type historyResult struct {
	File           string                  `json:"file"`
	Format         string                  `json:"format"`
	Level          dbms.Level              `json:"level"`
	SessionOrder   bool                    `json:"session_order"`
	Verdict        string                  `json:"verdict"`
	Anomaly        string                  `json:"anomaly"`          // empty unless invalid
	Reason         string                  `json:"reason,omitempty"` // in words; of unknown: why
	Transactions   int                     `json:"transactions"`
	Operations     int                     `json:"operations"`
	ParseS         float64                 `json:"parse_s"`
	CheckS         float64                 `json:"check_s"`
	PeakMiB        float64                 `json:"peak_mib"` // of the process so far
	Counterexample []checker.ExplainedEdge `json:"counterexample"`
}

// histories checks files one after the other. The exit code is the worst verdict's: invalid, then unknown.
func (f *checkFlags) histories(ctx context.Context, w io.Writer, files []string) error {
	level := dbms.Level(strings.ToLower(f.level))
	if !slices.Contains(dbms.HistoryLevels, level) {
		return usagef("--level %q: want rc, ra, tcc, si, ser, sser or lin", f.level)
	}
	worst := verdictValid
	var paths []string
	leopard := begins(files[0], leopardMark)
	if leopard {
		paths = files[:1] // all of them are one history
	} else {
		for _, file := range files {
			paths = append(paths, format.Expand(file)...)
		}
	}
	switch {
	case f.order != "" && f.order != "commit":
		return usagef("--order %q: want commit", f.order)
	case f.order != "" && (f.certificate == "" || level != dbms.SER && level != dbms.SI):
		return usagef("--order is for --level ser or si and needs --certificate")
	case f.matches != matchesInterpreter && f.matches != matchesDatabase:
		return usagef("--matches %q: want %s or %s", f.matches, matchesInterpreter, matchesDatabase)
	case f.matches == matchesDatabase && f.certificate == "":
		return usagef("--matches needs --certificate: a history alone has no predicates")
	case (f.matches == matchesDatabase) != (f.scratch.target+f.scratch.dsn+f.scratch.server != ""):
		return usagef("--target, --dsn and --server say which database --matches database asks: they belong together")
	case f.certificate != "" && len(paths) > 1:
		return usagef("--certificate belongs to one history, not to %d", len(paths))
	}
	for _, path := range paths {
		res, err := f.history(ctx, path, files, leopard, level)
		if err != nil {
			return err
		}
		if err := f.printHistory(w, res); err != nil {
			return err
		}
		if worst == verdictValid || res.Verdict == verdictInvalid {
			worst = res.Verdict
		}
		if ctx.Err() != nil {
			return errInterrupted()
		}
	}
	return verdictError(worst)
}

// history reads one history, checks it and draws its counterexample.
func (f *checkFlags) history(ctx context.Context, path string, files []string, leopard bool, level dbms.Level) (*historyResult, error) {
	ctx, cancel := f.bounded(ctx)
	defer cancel()
	res := &historyResult{File: path, Format: f.format, Level: level, SessionOrder: f.sessions, Counterexample: []checker.ExplainedEdge{}}
	started := time.Now()
	type read struct {
		history *register.History
		format  string
	}
	r, ok, err := within(ctx, func() (r read, err error) {
		r.history, r.format, err = f.readHistory(path, files, leopard)
		return r, err
	})
	res.ParseS = time.Since(started).Seconds()
	switch {
	case err != nil:
		return nil, usage(err)
	case !ok:
		res.Verdict, res.Reason = verdictUnknown, stopped(ctx)
		return res, nil
	}
	h := r.history
	res.Format, started = r.format, time.Now()
	v, err := f.judge(ctx, h, level)
	if err != nil {
		return nil, err
	}
	res.CheckS, res.PeakMiB = time.Since(started).Seconds(), peakMiB()
	res.Verdict, res.Anomaly, res.Reason = string(v.Outcome), string(v.Anomaly), v.Reason
	res.Transactions, res.Operations, res.Counterexample = len(h.Txns), len(h.Ops), append(res.Counterexample, v.Counterexample...)
	return res, f.draw(&v)
}

// judge checks one history, with its certificate if there is one.
func (f *checkFlags) judge(ctx context.Context, h *register.History, level dbms.Level) (v checker.Verdict, err error) {
	opt := checker.Options{SessionOrder: f.sessions}
	if f.certificate == "" {
		return blackbox.Check(ctx, h, level, opt), nil
	}
	file, err := os.Open(f.certificate)
	if err != nil {
		return checker.Verdict{}, usage(err)
	}
	defer file.Close()
	c, err := certificate.Read(file, h)
	if err != nil {
		return checker.Verdict{}, usage(fmt.Errorf("%s: %w", f.certificate, err))
	}
	err = f.withMatches(ctx, func(matches certificate.Matches) {
		if f.order != "" {
			v = certificate.Replay(ctx, h, c, level, opt, matches)
		} else {
			v = certificate.Check(ctx, h, c, level, opt, matches)
		}
	})
	return v, err
}

// withMatches gives the matches oracle that the flags ask for to do.
func (f *checkFlags) withMatches(ctx context.Context, do func(certificate.Matches)) error {
	if f.matches == matchesDatabase {
		if _, err := f.scratch.resolve(ctx); err != nil {
			return err
		}
		return f.scratch.use(ctx, func(t exec.Target) error {
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
func (f *checkFlags) readHistory(path string, files []string, leopard bool) (*register.History, string, error) {
	if !leopard {
		return format.Read(path, f.format)
	}
	header, ops, sym, err := readLeopard(files)
	if err != nil {
		return nil, leopardFormat, err
	}
	h, err := format.FromOperations(&header, ops, sym)
	return h, leopardFormat, err
}

const leopardFormat = "leopard"

// peakMiB is the most memory that the process has had.
func peakMiB() float64 {
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return float64(usage.Maxrss) / maxrssPerMiB
}

// printHistory prints the result of one file.
func (f *checkFlags) printHistory(w io.Writer, r *historyResult) error {
	if f.out == "json" {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		return enc.Encode(r)
	}
	order := "with session order"
	if !r.SessionOrder {
		order = "without session order"
	}
	about := r.Verdict
	for _, more := range []string{r.Anomaly, r.Reason} {
		if more != "" {
			about += ": " + more
		}
	}
	_, err := fmt.Fprintf(w, "%s: %s %s: %s (%s, %d transactions, %d operations, read in %.2f s, checked in %.2f s, %.0f MiB)\n",
		r.File, r.Level, order, about, r.Format, r.Transactions, r.Operations, r.ParseS, r.CheckS, r.PeakMiB)
	for _, e := range r.Counterexample {
		from := e.From
		if from == "" {
			from = "nobody"
		}
		fmt.Fprintf(w, "  %s -> %s (%s): %s\n", from, e.To, e.Label(), e.Text)
	}
	return err
}

// draw writes the counterexample as the flags ask.
func (f *checkFlags) draw(v *checker.Verdict) error {
	for path, picture := range map[string]func() []byte{f.dot: v.DOT, f.svg: v.SVG} {
		if path == "" || len(v.Counterexample) == 0 {
			continue
		}
		if err := os.WriteFile(path, picture(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

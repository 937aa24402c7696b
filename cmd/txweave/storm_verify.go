package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"sync/atomic"
	"time"
	"txweave/checker"
	"txweave/dbms"
	"txweave/finding"

	"txweave/checker/blackbox"
	"txweave/exec"
	"txweave/exec/storm"
	"txweave/gen/workload"
	"txweave/history"
	"txweave/history/format"
	"txweave/history/register"
	"txweave/oracle/mechanism"
)

// stormBacklog is how many operations may wait to be verified before no transaction is begun.
const stormBacklog = 1 << 18

// verification is what a storm's operations go through.
type verification struct {
	verifier *mechanism.Verifier
	appended atomic.Int64
	file     *os.File
	trace    *history.OperationWriter
	begun    time.Time
}

// newVerification starts the mechanism oracle on what the level claims, and the trace if one is wanted.
func (f *stormFlags) newVerification(p *dbms.Profile, w *workload.Workload) (*verification, error) {
	level := p.Promise().Isolation
	sym := history.NewSymbols()
	initial := storm.Initial(w, sym)
	v := &verification{begun: time.Now()}
	if f.trace != "" {
		if err := v.openTrace(f.trace, sym, history.TraceHeader{DBMS: p.DBMS, Isolation: level, Sessions: f.sessions, Initial: true}, initial); err != nil {
			return nil, err
		}
	}
	v.verifier = mechanism.New(mechanism.Options{Claims: p.Promise().Mechanisms, Symbols: sym, Sessions: f.sessions, Initial: true, Limit: 100})
	v.verifier.Start(initial)
	return v, nil
}

func (v *verification) openTrace(path string, sym *history.Symbols, h history.TraceHeader, initial []history.Access) (err error) {
	if v.file, err = os.Create(path); err != nil {
		return usage(err)
	}
	if v.trace, err = history.NewOperationWriter(v.file, sym, h, 0); err != nil {
		return err
	}
	for rows := range slices.Chunk(initial, 1000) {
		if err := v.trace.Append(&history.Operation{Kind: history.OpLoad, Writes: rows}); err != nil {
			return err
		}
	}
	return nil
}

// wait returns the verdict once every sink has been closed, and how long that took.
func (v *verification) wait() (*mechanism.Report, time.Duration, error) {
	from := time.Now()
	rep := v.verifier.Wait()
	lag := time.Since(from)
	if v.trace == nil {
		return rep, lag, nil
	}
	return rep, lag, errors.Join(v.trace.Close(), v.file.Close())
}

// progress prints a line every half minute until it is stopped.
func (v *verification) progress(w io.Writer) (stop func()) {
	tick := time.NewTicker(30 * time.Second)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-tick.C:
				_, verified, found := v.verifier.Progress()
				fmt.Fprintf(w, "%s  %d operations  %d verified  %d findings  %.0f MiB\n",
					time.Since(v.begun).Round(time.Second), v.appended.Load(), verified, found, peakMiB())
			case <-done:
				return
			}
		}
	}()
	return func() {
		tick.Stop()
		close(done)
		<-ended
	}
}

// stormSink hands a session's operations to the verifier and to the trace.
type stormSink struct {
	v       *verification
	session int
	*mechanism.Session
}

func (v *verification) sink(session int) storm.Sink {
	return &stormSink{v, session, v.verifier.Session(session)}
}

// Ready holds a session back while the verifier is far behind. It says meanwhile that the session sends nothing, or
// the verifier would wait for it.
func (s *stormSink) Ready(now func() int64) {
	for {
		if _, verified, _ := s.v.verifier.Progress(); s.v.appended.Load()-verified < stormBacklog {
			return
		}
		s.Sending(now())
		time.Sleep(time.Millisecond)
	}
}

func (s *stormSink) Append(op *history.Operation) error {
	s.v.appended.Add(1)
	if err := s.Session.Append(op); err != nil {
		return err
	}
	if s.v.trace != nil {
		return s.v.trace.Append(op)
	}
	return nil
}

func (s *stormSink) Close() {
	s.Session.Close()
	if s.v.trace != nil {
		_ = s.v.trace.Append(&history.Operation{Kind: history.OpClose, Session: int32(s.session)}) // Close of the writer returns the error
	}
}

// stormFindings lists what the online oracles found.
func stormFindings(res *storm.Result, rep *mechanism.Report) []checkFinding {
	out := []checkFinding{}
	if c := res.Crash; c != nil && !c.Killed {
		f := finding.Finding{Class: finding.ClassCrash, Summary: c.Error(), Log: c.Log}
		f.Sign()
		out = append(out, checkFinding{f.Signature, f.Summary, []int64{}, []string{c.Log}})
	}
	for _, f := range res.Faults {
		out = append(out, checkFinding{f.What, fmt.Sprintf("%s (%d times)", f.What, f.Count), []int64{f.Txn}, []string{f.Statement, f.Detail}})
	}
	for i := range rep.Violations {
		v := &rep.Violations[i]
		out = append(out, checkFinding{v.Finding().Signature, v.String(), v.Txns, v.Explanation})
	}
	return out
}

// judgement is what the checkers of whole histories said.
type judgement struct {
	text    string
	unknown bool
}

// judge writes the history and its certificate, if that is wanted, and checks them where the workload and the level are
// made for that; it adds what it finds.
func (f *stormFlags) judge(ctx context.Context, t exec.Target, p *dbms.Profile, w *workload.Workload, res *storm.Result, out *stormResult) (history, cert *judgement, err error) {
	if res.History == nil {
		return nil, nil, nil
	}
	h := res.History.History()
	if f.history != "" {
		if err := writeFile(f.history, func(w io.Writer) error { return format.Write(w, h) }); err != nil {
			return nil, nil, err
		}
	}
	if w.Kind >= workload.MiniTransaction {
		history = judgeHistory(p, w, h, out)
	}
	if f.certificate == "" || res.Crash != nil {
		return history, nil, nil
	}
	c, finding, err := f.certify(context.WithoutCancel(ctx), t, p, w, res.History, h)
	switch {
	case err != nil:
		return history, nil, err
	case finding != nil:
		out.add(*finding)
		if c == nil {
			return history, nil, nil
		}
	}
	if why := undecided(p, c, h); why != "" {
		return history, &judgement{text: why, unknown: true}, nil
	}
	if err := f.writeCertificate(h, c); err != nil {
		return history, nil, err
	}
	cert, err = judgeCertificate(p, h, c, out)
	if cert != nil && finding != nil {
		cert.unknown = false // it was judged: by that finding
	}
	return history, cert, err
}

// judgeHistory checks the history of a workload that is made for that.
func judgeHistory(p *dbms.Profile, w *workload.Workload, h *register.History, out *stormResult) *judgement {
	level := p.HistoryLevel()
	if level == "" {
		return &judgement{text: "not checked: the level promises nothing of a whole history"}
	}
	if w.Kind == workload.CompareAndSet {
		level = checker.LIN
	}
	verdict := blackbox.Check(h, level, checker.Options{SessionOrder: true})
	j := &judgement{text: fmt.Sprintf("%s %s", level, verdict.Outcome), unknown: verdict.Outcome == checker.Unknown}
	if verdict.Reason != "" {
		j.text += ": " + verdict.Reason
	}
	if verdict.Outcome == checker.Invalid {
		out.add(verdictFinding("history", "", h, &verdict))
	}
	return j
}

// writeFile writes a file through a buffer.
func writeFile(path string, write func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return usage(err)
	}
	buf := bufio.NewWriter(file)
	return errors.Join(write(buf), buf.Flush(), file.Close())
}

// stormSummary is the result for people.
type stormSummary struct {
	*stormResult
	about  exec.Description
	level  string
	seed   uint64
	res    *storm.Result
	rep    *mechanism.Report
	judged *judgement // of the history
	cert   *judgement // of its certificate
	found  int
}

func (s *stormSummary) print(w io.Writer) error {
	r, st := s.res, &s.rep.Stats
	fmt.Fprintf(w, "%s %s, %s, %s, %d sessions, seed %d\n", s.about.Target, s.about.Version, s.level, s.Workload, s.Sessions, s.seed)
	fmt.Fprintf(w, "transactions  %d in %.1f s (%.0f a second): %d committed, %d aborted by the database (%.1f %%), %d rolled back, %d unknown\n",
		r.Transactions, r.Elapsed.Seconds(), rate(r.Transactions, r.Elapsed), r.Committed, r.Aborted, 100*s.AbortRate, r.RolledBack, r.Unknown)
	fmt.Fprintf(w, "operations    %d (%.0f a second), %d refused and sent again\n", s.Operations, s.OpsPerSecond, r.Resent)
	if r.StallCount > 0 {
		fmt.Fprintf(w, "stalls        %d, %.1f s in all; the longest of the first:\n", r.StallCount, r.StalledFor.Seconds())
		longest := slices.MaxFunc(r.Stalls, func(a, b storm.Stall) int { return cmp.Compare(a.Lasted, b.Lasted) })
		fmt.Fprintf(w, "              %.1f s from %.1f s on; txweave itself ran late by up to %.1f s\n", longest.Lasted.Seconds(), longest.From.Seconds(), longest.Late.Seconds())
		for _, line := range longest.Sessions {
			fmt.Fprintf(w, "              %s\n", line)
		}
	}
	for _, code := range slices.Sorted(maps.Keys(r.Errors)) {
		fmt.Fprintf(w, "error %-7d %d times\n", code, r.Errors[code])
	}
	fmt.Fprintf(w, "checked       %d versions read (%d could not be), %d locks\n", st.Reads, st.Unchecked, st.Locks)
	fmt.Fprintf(w, "dependencies  %d: uncertain %.3f %% by intervals alone, %.3f %% after deduction\n",
		st.WW.All+st.WR.All+st.RW.All, 100*s.UncertainBefore, 100*s.UncertainAfter)
	fmt.Fprintf(w, "verified      %.0f operations a second, done %.2f s after the storm, at most %.0f MiB\n", s.VerifyPerSecond, s.LagS, s.PeakMiB)
	for _, n := range s.rep.NotChecked {
		fmt.Fprintf(w, "not checked   %s\n", n)
	}
	if s.judged != nil {
		fmt.Fprintf(w, "history       %s\n", s.judged.text)
	}
	if s.cert != nil {
		fmt.Fprintf(w, "certificate   %s\n", s.cert.text)
	}
	for _, f := range s.Findings {
		fmt.Fprintf(w, "finding       %s\n", f.Summary)
		for _, line := range f.Explanation {
			fmt.Fprintf(w, "              %s\n", line)
		}
	}
	_, err := fmt.Fprintf(w, "findings      %d\n", s.found)
	return err
}

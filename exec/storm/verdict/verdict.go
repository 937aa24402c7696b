// Package verdict says what a storm shows: it verifies the operations while they come, and the history as a whole.
package verdict

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"txweave/checker"
	"txweave/checker/blackbox"
	"txweave/checker/certificate"
	"txweave/checker/certificate/commits"
	"txweave/checker/jepsen"
	"txweave/dbms"
	"txweave/exec"
	"txweave/exec/storm"
	"txweave/fault"
	"txweave/finding"
	"txweave/gen/workload"
	"txweave/history"
	"txweave/history/register"
	clients "txweave/history/workload"
	"txweave/oracle/mechanism"
)

// backlog is how many operations may wait to be verified before no transaction is begun.
const backlog = 1 << 18

// kept is how many violations of each name are kept; others are counted. One cause may show in hundreds of rows.
const kept = 500

// OnlineCheck is what a storm's operations go through while it runs.
type OnlineCheck struct {
	verifier   *mechanism.Verifier
	disruption disruption
	appended   atomic.Int64
	file       io.Closer
	trace      *history.OperationWriter
}

// Options say how a storm is verified while it runs.
type Options struct {
	Profile  *dbms.Profile // what it promises is verified
	Workload *workload.Workload
	Sessions int
	Trace    io.WriteCloser // gets the interval trace, and is closed; nil: none is written
}

// Start starts the mechanism oracle on what a level claims, and the trace if one is wanted.
func Start(o Options) (*OnlineCheck, error) {
	sym := history.NewSymbols()
	initial := storm.Initial(o.Workload, sym)
	v := &OnlineCheck{}
	if o.Trace != nil {
		h := history.TraceHeader{DBMS: o.Profile.DBMS, Isolation: o.Profile.Promise().Isolation, Sessions: o.Sessions,
			Initial: true}
		if err := v.openTrace(o.Trace, sym, h, initial); err != nil {
			return nil, err
		}
	}
	v.disruption = disruption{sinks: o.Sessions, passed: func() int64 { return v.verifier.Passed() }}
	v.verifier = mechanism.New(mechanism.Options{Promise: o.Profile.Promise().Guarantees.Mechanisms, Symbols: sym,
		Sessions: o.Sessions, Initial: true, Limit: kept, Found: v.disruption.name})
	v.verifier.Start(initial)
	return v, nil
}

func (v *OnlineCheck) openTrace(file io.WriteCloser, sym *history.Symbols, h history.TraceHeader,
	initial []history.Access) (err error) {
	v.file = file
	if v.trace, err = history.NewOperationWriter(file, sym, h, 0); err != nil {
		return err
	}
	for rows := range slices.Chunk(initial, 1000) {
		if err := v.trace.Append(&history.Operation{Kind: history.OpLoad, Writes: rows}); err != nil {
			return err
		}
	}
	return nil
}

// Wait returns the verdict once every sink has been closed, and how long that took.
func (v *OnlineCheck) Wait() (*mechanism.TraceReport, time.Duration, error) {
	from := time.Now()
	rep := v.verifier.Wait()
	lag := time.Since(from)
	if v.trace == nil {
		return rep, lag, nil
	}
	return rep, lag, errors.Join(v.trace.Close(), v.file.Close())
}

// Began takes an act of a nemesis in that violations may be named after: storm.Options.Began.
func (v *OnlineCheck) Began(a *storm.Act) { v.disruption.begin(a) }

// Acted takes in what a nemesis did, and puts it into the trace.
func (v *OnlineCheck) Acted(a *storm.Act) {
	v.disruption.end(a)
	if v.trace != nil {
		_ = v.trace.Note(string(a.Nemesis)+": "+a.What, a.Start, a.End) // Close of the writer returns the error
	}
}

// Progress returns how many operations there were so far, how many are verified, and how many findings there are.
func (v *OnlineCheck) Progress() (operations, verified, found int64) {
	_, verified, found = v.verifier.Progress()
	return v.appended.Load(), verified, found
}

// sink hands a session's operations to the verifier and to the trace.
type sink struct {
	v       *OnlineCheck
	session int
	*mechanism.LocalBuffer
}

// Sink is the sink of a session.
func (v *OnlineCheck) Sink(session int) storm.Sink {
	return &sink{v, session, v.verifier.Session(session)}
}

// Ready holds a session back while the verifier is far behind. It says meanwhile that the session sends nothing, or
// the verifier would wait for it.
func (s *sink) Ready(now func() int64) {
	for {
		if _, verified, _ := s.v.verifier.Progress(); s.v.appended.Load()-verified < backlog {
			return
		}
		s.Sending(now())
		time.Sleep(time.Millisecond)
	}
}

func (s *sink) Append(op *history.Operation) error {
	s.v.appended.Add(1)
	if err := s.LocalBuffer.Append(op); err != nil {
		return err
	}
	if s.v.trace != nil {
		return s.v.trace.Append(op)
	}
	return nil
}

func (s *sink) Close() {
	s.LocalBuffer.Close()
	if s.v.trace != nil {
		// Close of the writer returns the error
		_ = s.v.trace.Append(&history.Operation{Kind: history.OpClose, Session: int32(s.session)})
	}
}

// Findings lists what the online oracles found.
func Findings(res *storm.Result, rep *mechanism.TraceReport) []finding.Listed {
	var out []finding.Listed
	if c := res.Crash; c != nil && !c.Killed {
		out = append(out, crashed(c.Error(), c.Log))
	}
	if r := res.Recovery; r != nil {
		out = append(out, crashed(r.Error(), r.Log))
	}
	for _, f := range res.Faults {
		out = append(out, f.Listed())
	}
	for i := range rep.Violations {
		out = append(out, rep.Violations[i].Listed())
	}
	return finding.FirstOfEach(out)
}

// crashed lists a server that ended by itself.
func crashed(summary, log string) finding.Listed {
	f := finding.Finding{Class: finding.ClassCrash, Summary: summary, Log: log}
	f.Sign()
	return finding.Listed{Signature: f.Signature, Summary: f.Summary, Transactions: []int64{},
		Explanation: []string{log}, Class: f.Class,
		Difference: finding.Difference{What: fault.Crash}}
}

// Judgement is what the checkers of whole histories said.
type Judgement struct {
	Text    string // one line
	Unknown bool   // it could not be judged
}

// Judge says what the checkers of whole histories are to do with a storm.
type Judge struct {
	Engine func() (certificate.Engine, error) // evaluates conditions for certificates
	Log    *commits.ServerLog                 // of the database; nil: it has none
	From   string                             // where in the log the storm began
	// MostReading is how long the log is waited for; 0: ten minutes.
	MostReading time.Duration
	Profile     *dbms.Profile
	Workload    *workload.Workload
	// WriteHistory writes the history; nil: nobody wants it.
	WriteHistory func(*register.History) error
	// WriteCertificate writes its certificate, which is then checked; nil: none is made.
	WriteCertificate func(*register.History, *certificate.Certificate) error
}

// Judgements are what the checkers of whole histories said. What was not judged is nil.
type Judgements struct {
	Findings             []finding.Listed
	History, Certificate *Judgement
}

// add puts a finding before those that are there.
func (o *Judgements) add(f finding.Listed) { o.Findings = slices.Insert(o.Findings, 0, f) }

// Check writes the history and its certificate, if that is wanted, and checks them where the workload and the level are
// made for that. What was found before an error is in the outcome.
func (j *Judge) Check(ctx context.Context, t exec.Target, res *storm.Result) (*Judgements, error) {
	out := &Judgements{Findings: []finding.Listed{}}
	if res.History == nil {
		return out, nil
	}
	if ctx.Err() != nil { // the storm was cut short: what it recorded is judged all the same
		ctx = context.WithoutCancel(ctx)
	}
	if j.Workload.Kind.Claims() {
		out.History = j.judgeClaims(res.History, out)
		return out, nil
	}
	h := res.History.History()
	if j.WriteHistory != nil {
		if err := j.WriteHistory(h); err != nil {
			return out, err
		}
	}
	if j.Workload.Kind >= workload.MiniTransaction {
		out.History = judgeHistory(ctx, j.Profile, j.Workload, h, out)
	}
	if j.WriteCertificate == nil {
		return out, nil
	}
	if res.Crash != nil {
		out.Certificate = &Judgement{Text: "not made: the database went down"}
		return out, nil
	}
	c, found, err := j.certify(context.WithoutCancel(ctx), t, res.History, h)
	var unreadable *commits.UnreadableError
	switch {
	case errors.As(err, &unreadable):
		out.Certificate = &Judgement{Text: "not made: " + unreadable.Error(), Unknown: true}
		return out, nil
	case err != nil:
		return out, err
	case found != nil:
		out.add(*found)
		if c == nil {
			out.Certificate = &Judgement{Text: "not made: the database's own order of versions contradicts itself"}
			return out, nil
		}
	}
	if why := undecided(j.Profile, c, h); why != "" {
		out.Certificate = &Judgement{Text: why, Unknown: true}
		return out, nil
	}
	if err := j.WriteCertificate(h, c); err != nil {
		return out, err
	}
	out.Certificate, err = judgeCertificate(ctx, j.Engine, j.Profile, h, c, out)
	if out.Certificate != nil && found != nil {
		out.Certificate.Unknown = false // it was judged: by that finding
	}
	return out, err
}

// judgeHistory checks the history of a workload that is made for that.
func judgeHistory(ctx context.Context, p *dbms.Profile, w *workload.Workload, h *register.History,
	out *Judgements) *Judgement {
	level := p.HistoryLevel()
	if level == "" {
		return &Judgement{Text: "not checked: the level promises nothing of a whole history"}
	}
	if w.Kind == workload.CompareAndSet {
		level = dbms.LIN
	}
	verdict := blackbox.Check(ctx, h, level, checker.Options{SessionOrder: true})
	j := &Judgement{Text: fmt.Sprintf("%s %s", level, verdict.Outcome), Unknown: verdict.Outcome == checker.Unknown}
	if verdict.Reason != "" {
		j.Text += ": " + verdict.Reason
	}
	if verdict.Outcome == checker.Invalid {
		out.add(Invalid("history", "", h, &verdict))
	}
	return j
}

// judgeClaims holds what the transactions did to what the workload itself says must hold. A bank's and a counter's
// reads see what was committed wherever a statement does, and what several statements read belongs together where the
// transaction keeps a snapshot or its locks.
func (j *Judge) judgeClaims(r *storm.Recording, out *Judgements) *Judgement {
	p := j.Profile
	if p.ConsistentRead == dbms.NoConsistentRead && !p.LockingReads {
		return &Judgement{Text: "not checked: at this level reads see what is not committed"}
	}
	demands := jepsen.Demands{Workload: map[workload.HistoryKind]jepsen.WorkloadName{
		workload.Accounts: jepsen.Bank, workload.Elements: jepsen.SetFull,
		workload.Counters: jepsen.Counter}[j.Workload.Kind]}
	if demands.Workload == jepsen.Bank {
		t := j.Workload.Tables[0]
		total := int64(t.Rows) * t.Initial
		demands.Total = &total
	}
	objects := r.Clients(p.LockingReads || p.SnapshotScope() == dbms.PerTransaction)
	said := &Judgement{}
	reads := 0
	for _, h := range objects {
		v := jepsen.Check(h, demands)
		for i := range h.Ops {
			if h.Ops[i].Func == clients.Read && h.Ops[i].Outcome == history.Committed {
				reads++
			}
		}
		if v.Outcome != checker.Invalid {
			continue // an object that was hardly used
		}
		said.Text = fmt.Sprintf("%s invalid: %s", demands.Workload, v.Reason)
		l := finding.List(fmt.Sprintf("history/%s", demands.Workload), fault.Kind(v.Anomaly),
			fmt.Sprintf("the %s is wrong: %s", demands.Workload, v.Reason), nil)
		l.Explanation = v.Errors[:min(len(v.Errors), claimErrors)]
		out.add(l)
	}
	switch {
	case said.Text != "":
	case reads == 0:
		said.Text, said.Unknown = fmt.Sprintf("%s unknown: no read was answered", demands.Workload), true
	default:
		said.Text = fmt.Sprintf("%s valid: %d reads of %d of them", demands.Workload, reads, len(objects))
	}
	return said
}

// claimErrors is how many errors of one object are told.
const claimErrors = 5

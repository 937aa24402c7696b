package weave

import (
	"errors"
	"math"
	"slices"
	"time"

	"txweave/dbms"
	"txweave/exec"
	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/instrument"
	"txweave/oracle"
	"txweave/oracle/observe"
	"txweave/oracle/unexpected"
)

// broken judges what ended a check before its time: a damaged database and a statement that hangs are findings. All
// else is the environment's or ours, and returned. Where it was ended from outside, what was not answered says nothing:
// a statement without an answer looks like one that hangs, and its transaction like one that waits in vain. What was
// answered stands.
func (k *checker) broken(err error) error {
	over := k.Over()
	var answer *exec.AnswerError
	var env *exec.EnvironmentError
	if over == nil && k.last.run != nil && (errors.Is(err, exec.ErrTimeout) || errors.As(err, &env)) {
		if vain, err := k.waitsInVain(k.last.steps, k.last.run); vain || err != nil {
			return err
		}
	}
	switch {
	case k.unsound:
		return nil // the case ends: the database is known to be damaged
	case errors.As(err, &answer) && (k.plan.Profile.Errors.Impossible.Has(answer.Err.Code, answer.Err.Message) ||
		k.ours(answer)):
		ev := &Evidence{Run: k.trace()}
		ev.Finding = finding.Finding{Class: finding.ClassCorruption, Oracle: unexpected.Oracle{}.Name(),
			Differences: []finding.Difference{unexpected.Difference(answer.Text, answer.Err)}}
		ev.Sign()
		k.rep.Spoilt = true
		k.keep(ev)
		return nil
	case over != nil && (errors.Is(err, exec.ErrTimeout) || errors.As(err, &env)):
		return over
	case errors.Is(err, exec.ErrTimeout):
		return k.hang(err)
	}
	return err
}

// ours says whether an error that a statement of the tool's own met is proof by itself: once an embedded engine, which
// nobody else uses, has taken the case's tables and rows, these must be there for what reads and refills them. On a
// server somebody may have changed them. An expression of the case that cannot be evaluated is no such proof.
func (k *checker) ours(answer *exec.AnswerError) bool {
	return k.plan.Profile.Embedded && k.initial != nil && k.plan.Profile.Errors.Lost.Has(answer.Err.Code,
		answer.Err.Message)
}

// trace is the last run as far as it came.
func (k *checker) trace() *observe.Run {
	if k.last.run == nil {
		return &observe.Run{Trace: &history.Trace{}}
	}
	return k.last.run
}

// How a statement that hangs is told from one that has much to do: without transactions, on what the tables held, it is
// at once there.
const (
	atOnce    = time.Second
	muchLater = 20 // times as long
)

// hang says whether a statement that ran out of time hangs: one of the case that takes milliseconds without
// transactions, after those that had ended before it, or one of the tool's own that does not end the second time
// either. It returns the error where nothing does. The run is repeated once.
func (k *checker) hang(cause error) error {
	run, steps := k.trace(), k.last.steps
	killed := k.killed(run)
	if killed == nil || killed.Role != history.Target {
		return k.ownHang(cause, killed)
	}
	stuck, took := k.hanging(run)
	if stuck == nil {
		return cause
	}
	blocks := []*instrument.Block{}
	for _, b := range run.Blocks {
		if b.Target != nil && !b.Lost {
			blocks = append(blocks, b.Block)
		}
	}
	if k.reload() != nil {
		return cause
	}
	rep, err := k.Replay(append(blocks, stuck))
	if err != nil {
		return cause
	}
	e := rep.Events[len(blocks)]
	alone := time.Duration(e.End - e.Start)
	if alone > atOnce || took/muchLater < alone {
		return cause
	}
	ev := &Evidence{Run: run, Replayed: rep}
	ev.Finding = finding.Finding{Class: finding.ClassHang, Oracle: "hang", Differences: []finding.Difference{
		{Stmt: stuck.Name(),
			Kind: oracle.Verb(stuck.Info.Kind), What: fault.Hang, Transaction: finding.Side{NoAnswer: true},
			Replay: finding.Side{Took: max(alone.Round(time.Millisecond), time.Millisecond)}}}}
	ev.Sign()
	if !k.known(ev) {
		if k.reload() != nil {
			return cause
		}
		ev.Repeated = 1
		if again, err := k.run(steps); errors.Is(err, exec.ErrTimeout) && again != nil {
			if b, _ := k.hanging(again); b == stuck {
				ev.Confirmed = 1
			}
		}
	}
	k.rep.Spoilt = true
	k.keep(ev)
	return nil
}

// waitedLong is how long a statement must have run for its time-out to be its own, and not the end of the campaign. A
// variable for tests.
var waitedLong = 5 * time.Second

// ownHang judges a time-out of a statement of the tool's own: the read of a whole table, or what puts tables back,
// takes milliseconds on any database that answers at all. It hangs if it, or the next one, runs out of time once more
// on new tables over new connections, while the server answers before and after that: one that answers nobody, maybe
// because somebody has stopped its process, is the caller's to look into. killed is the probe that ran out of time; nil
// where it was no probe. A search with the case's own WHERE clause may have much to do.
func (k *checker) ownHang(cause error, killed *history.Event) error {
	if killed != nil && !isOwn(killed) || k.Alive() != nil {
		return cause
	}
	begun := time.Now()
	err := k.reload()
	if err == nil && k.last.steps != nil {
		begun = time.Now()
		var again *observe.Run
		if again, err = k.run(k.last.steps); again != nil {
			if e := k.killed(again); e != nil && !isOwn(e) { // the replay had been slow, and now the run is
				return cause
			}
		}
	}
	if !errors.Is(err, exec.ErrTimeout) || time.Since(begun) < waitedLong || k.Alive() != nil {
		return cause
	}
	d := finding.Difference{What: fault.Hang, Transaction: finding.Side{NoAnswer: true},
		Steps: finding.Sentences{finding.Say("%v", finding.Line(cause.Error()))}}
	if killed != nil {
		d.Kind, d.Steps = finding.AddedRead, finding.Sentences{finding.Say("%v", finding.Query(finding.Line(killed.Text)))}
		if killed.Stmt >= 0 {
			d.Stmt = k.plan.Txns[killed.Txn].Blocks[killed.Stmt].Name()
		}
	}
	ev := &Evidence{Run: k.trace()}
	ev.Finding = finding.Finding{Class: finding.ClassHang, Oracle: "hang", Confirmed: 1, Repeated: 1, Log: k.Log(),
		Differences: []finding.Difference{d}}
	ev.Sign()
	k.rep.Spoilt = true
	k.keep(ev)
	return nil
}

// isOwn says whether a statement is the tool's own and has little to do: not one of the case, nor a search with its
// WHERE clause, nor one that waited.
func isOwn(e *history.Event) bool {
	return !e.Blocked && e.Role != history.Target && e.Role != history.BWR && e.Role != history.Again
}

// killed is the event of a transaction that a run ended with for it ran out of time; nil if it ended with something
// else.
func (k *checker) killed(run *observe.Run) *history.Event {
	for _, e := range slices.Backward(run.Trace.Events) {
		if e.Txn >= 0 && (e.Done < 0 || e.Err != nil && k.plan.Profile.Errors.Classify(e.Err.Code,
			e.Err.Message) == dbms.Environment) {
			return e
		}
	}
	return nil
}

// reload makes the tables anew over new connections.
func (k *checker) reload() error {
	if err := k.Reopen(); err != nil {
		return err
	}
	_, err := k.Load(k.plan)
	return err
}

// hanging is the target that a run ended with and how long it ran, as far as that is known; nil if the run ended with
// something else, or if it waited for a lock.
func (k *checker) hanging(run *observe.Run) (*instrument.Block, time.Duration) {
	e := k.killed(run)
	switch {
	case e == nil || e.Role != history.Target || e.Blocked:
		return nil, 0
	case e.Done < 0:
		return k.plan.Txns[e.Txn].Blocks[e.Stmt], math.MaxInt64
	}
	return k.plan.Txns[e.Txn].Blocks[e.Stmt], time.Duration(e.End - e.Start)
}

package weave

import (
	"errors"
	"math"
	"slices"
	"time"

	"txweave/dbms"
	"txweave/exec"
	"txweave/finding"
	"txweave/history"
	"txweave/instrument"
	"txweave/observe"
	"txweave/oracle"
	"txweave/oracle/unexpected"
)

// broken judges what ended a check before its time: a damaged database and a statement that hangs are findings. All else
// is the environment's or ours, and returned.
func (k *checker) broken(err error) error {
	var answer *exec.AnswerError
	switch {
	case k.unsound:
		return nil // the case ends: the database is known to be damaged
	case errors.As(err, &answer) && (k.plan.Profile.IsImpossible(answer.Err.Code, answer.Err.Message) || k.ours(answer)):
		ev := &Evidence{Run: k.trace()}
		ev.Finding = finding.Finding{Class: finding.ClassCorruption, Oracle: unexpected.Oracle{}.Name(),
			Differences: []finding.Difference{unexpected.Difference(answer.Text, answer.Err)}}
		ev.Sign()
		k.rep.Spoilt = true
		k.keep(ev)
		return nil
	case errors.Is(err, exec.ErrTimeout) && k.last.run != nil:
		return k.hang(err)
	}
	return err
}

// ours says whether an error that a statement of the tool's own met is proof by itself: once an embedded engine, which
// nobody else uses, has taken the case's tables and rows, these must be there for what reads and refills them. On a server
// somebody may have changed them. An expression of the case that cannot be evaluated is no such proof.
func (k *checker) ours(answer *exec.AnswerError) bool {
	return k.plan.Profile.Embedded && k.initial != nil && k.plan.Profile.IsLost(answer.Err.Message)
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

// hang says whether the statement that ran out of time takes milliseconds without transactions, after those that had
// ended before it. It returns the error where it does not. The run is repeated once.
func (k *checker) hang(cause error) error {
	run, steps := k.last.run, k.last.steps
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
	ev.Finding = finding.Finding{Class: finding.ClassHang, Oracle: "hang", Differences: []finding.Difference{{Stmt: stuck.Name(),
		Kind: oracle.Verb(stuck.Info.Kind), What: "hang", Transaction: "no answer", Replay: "an answer in " + alone.Round(time.Millisecond).String()}}}
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
	for _, e := range slices.Backward(run.Trace.Events) {
		killed := e.Done < 0 || e.Err != nil && k.plan.Profile.Classify(e.Err.Code, e.Err.Message) == dbms.Environment
		switch {
		case e.Txn < 0 || !killed:
		case e.Role != history.Target || e.Blocked:
			return nil, 0
		case e.Done < 0:
			return k.plan.Txns[e.Txn].Blocks[e.Stmt], math.MaxInt64
		default:
			return k.plan.Txns[e.Txn].Blocks[e.Stmt], time.Duration(e.End - e.Start)
		}
	}
	return nil, 0
}

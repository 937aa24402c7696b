package weave

import (
	"math"
	"slices"
	"time"

	"txweave/dbms"
	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/instrument"
	"txweave/oracle/observe"
)

// vainWait is a statement that waited in vain for a lock which no transaction of the run can have held.
type vainWait struct {
	event *history.Event
	took  time.Duration
	// beside are other transactions that waited as long themselves. Any of them may hold what it waited for: they wait for
	// each other in a circle that the database does not see, or one of them waits for a lock that nobody holds.
	beside []int
}

// waitsInVain looks for a statement of a run that waited in vain for a lock which nobody can have held: it is one that
// a transaction has kept beyond its end. That is a finding, and the end of the case: what comes next would wait for
// that lock, too. The run is repeated once; where several transactions waited, by each of them without the others, and
// then by all: if they wait in vain only together, they wait for each other.
func (k *checker) waitsInVain(steps []instrument.Step, run *observe.Run) (bool, error) {
	first := k.waitedInVain(run)
	if first == nil {
		return false, nil
	}
	var tries [][]instrument.Step
	circle := len(first.beside) > 0 && !k.locksOtherwise() && k.SeesDeadlocks()
	for _, alone := range append([]int{first.event.Txn}, first.beside...) {
		tries = append(tries, slices.DeleteFunc(slices.Clone(steps), func(s instrument.Step) bool {
			return s.Txn != alone && (s.Txn == first.event.Txn || slices.Contains(first.beside, s.Txn))
		}))
	}
	if circle {
		tries = append(tries, steps)
	}
	ev := k.keptLock(run, first, circle)
	ev.Repeated = 1
	for n, t := range tries {
		if k.reload() != nil {
			// these tables are not to be had again: as the case ends they are given up, whatever that shows
			break
		}
		again, err := k.run(t)
		if again == nil {
			return false, err
		}
		together := n > len(first.beside)
		if w := k.waitedInVain(again); w != nil && (len(w.beside) > 0) == together {
			ev = k.keptLock(again, w, together)
			ev.Repeated, ev.Confirmed = 1, 1
			break
		}
	}
	ev.Sign()
	k.rep.Spoilt = true
	k.keep(ev)
	return true, nil
}

// locksOtherwise says whether statements of the case take locks that are none of rows: of tables, of names, by changes
// of how a table is kept. Not every database sees who waits for these.
func (k *checker) locksOtherwise() bool {
	return slices.ContainsFunc(k.plan.Txns, func(t instrument.TxnPlan) bool {
		return slices.ContainsFunc(t.Blocks, func(b *instrument.Block) bool {
			return b.Control() && !b.Info.Kind.IsSavepoint()
		})
	})
}

// keptLock is the finding of a statement that waited in vain; circle says that it and others waited for each other.
func (k *checker) keptLock(run *observe.Run, w *vainWait, circle bool) *Evidence {
	e := w.event
	d := finding.Difference{Txn: &e.Txn, What: fault.LockKept, Transaction: finding.Side{Waited: true},
		Steps: finding.Sentences{finding.Say("no transaction was open that could hold the lock that it waited for")}}
	if e.Done >= 0 {
		d.Transaction.Took = w.took.Round(time.Second / 10)
	}
	if e.Stmt >= 0 {
		d.Txn, d.Stmt = nil, k.plan.Txns[e.Txn].Blocks[e.Stmt].Name()
	}
	if len(w.beside) > 0 {
		d.Steps = finding.Sentences{finding.Say("every other transaction that was open waited as long, or longer")}
	}
	if circle {
		d.What = fault.Undetected
	}
	return &Evidence{Run: run, Finding: finding.Finding{Class: finding.ClassHang, Oracle: "hang",
		Differences: []finding.Difference{d}}}
}

// waitedInVain is the first statement of a run that gave up a wait for a lock, or was made to, while for half of that
// time, and seconds, no transaction was open but its own and such as waited themselves; nil where there is none. One
// that waits for a snapshot in which no anomaly can be (READ ONLY DEFERRABLE) may be waited for and wait, in a circle
// that no database sees: it says something only where it waits alone.
func (k *checker) waitedInVain(run *observe.Run) *vainWait {
	for _, e := range run.Trace.Events {
		if e.Txn < 0 || !e.Blocked || !k.inVain(run, e) {
			continue
		}
		until := e.End
		if e.Done < 0 {
			until = math.MaxInt64
		}
		w := &vainWait{event: e, took: time.Duration(until - e.Start)}
		since := until - (until-e.Start)/2
		if k.plan.Profile.Embedded { // it does not wait: it was refused
			since, w.took = e.Start, 0
		} else if w.took < waitedLong {
			continue
		}
		held := false
		for txn := range k.plan.Txns {
			switch {
			case txn == e.Txn || !k.openBetween(run, txn, since, until):
			case !k.plan.Profile.Embedded && waitsThrough(run, txn, since, until) && !k.plan.Txns[txn].Deferred() &&
				!k.plan.Txns[e.Txn].Deferred():
				w.beside = append(w.beside, txn)
			default:
				held = true
			}
		}
		if !held {
			return w
		}
	}
	return nil
}

// inVain says whether a statement that waited did not get what it waited for. An embedded engine, which nobody else
// uses, refuses instead: what was refused last, and not sent again.
func (k *checker) inVain(run *observe.Run, e *history.Event) bool {
	if e.Done < 0 || e.Err == nil {
		return e.Done < 0
	}
	switch k.plan.Profile.Errors.Classify(e.Err.Code, e.Err.Message) {
	case dbms.StatementLost, dbms.Environment:
		return true
	case dbms.WouldBlock:
		last := run.Trace.Events[len(run.Trace.Events)-1]
		// PRAGMA wants the file for itself
		return k.plan.Profile.Embedded && e == last && (e.Stmt < 0 || !k.plan.Txns[e.Txn].Blocks[e.Stmt].Control())
	}
	return false
}

// openBetween says whether a transaction may have been open at any time of a span of a run.
func (k *checker) openBetween(run *observe.Run, txn int, since, until int64) bool {
	var first, last *history.Event
	for _, e := range run.Trace.Events {
		if e.Txn == txn {
			if first == nil {
				first = e
			}
			last = e
		}
	}
	if first == nil || first.Start > until {
		return false
	}
	ended := last.Role == history.End || last.Role == history.Abort || last.Role == history.Level ||
		k.plan.Txns[txn].Autocommit()
	return !ended || last.Done < 0 || last.End >= since
}

// waitsThrough says whether a transaction waits for a lock all through a span of a run.
func waitsThrough(run *observe.Run, txn int, since, until int64) bool {
	return slices.ContainsFunc(run.Trace.Events, func(e *history.Event) bool {
		return e.Txn == txn && e.Blocked && e.Start <= since && (e.Done < 0 || e.End >= until)
	})
}

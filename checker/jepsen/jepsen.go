// Package jepsen judges the histories of Jepsen's workloads that state what must hold by themselves: bank, set,
// set-full, counter and long-fork, by the definitions of Jepsen's checkers of these names (github.com/jepsen-io/jepsen,
// namespaces jepsen.checker, jepsen.tests.bank and jepsen.tests.long-fork). What goes beyond these says so.
package jepsen

import (
	"fmt"
	"strings"

	"txweave/checker"
	"txweave/dbms"
	"txweave/fault"
	"txweave/history"
	"txweave/history/register"
	"txweave/history/workload"
)

// WorkloadName names one.
type WorkloadName string

// The workloads.
const (
	Auto     WorkloadName = "auto" // the one that the operations are of
	Bank     WorkloadName = "bank"
	Set      WorkloadName = "set"
	SetFull  WorkloadName = "set-full"
	Counter  WorkloadName = "counter"
	LongFork WorkloadName = "long-fork"
)

// Workloads lists them all.
var Workloads = []WorkloadName{Bank, Set, SetFull, Counter, LongFork}

// Names are their names.
func Names() (names []string) {
	for _, w := range Workloads {
		names = append(names, string(w))
	}
	return names
}

// PromisedAt says whether a database at the level keeps what the workload demands: a set's and a counter's elements do
// not vanish at any; what a bank's and long-fork's reads see needs snapshot isolation.
func (w WorkloadName) PromisedAt(level dbms.Level) bool {
	weak := level == dbms.RC || level == dbms.RA || level == dbms.TCC
	return !weak || w != Bank && w != LongFork
}

// Demands say what Check asks of a workload.
type Demands struct {
	Workload WorkloadName
	// Total is what the accounts of a bank hold together; nil: what most reads found, the first of these where several
	// sums are as frequent.
	Total *int64
	// Negative says that an account may hold less than nothing.
	Negative bool
}

// WorkloadVerdict is the answer on a workload.
type WorkloadVerdict struct {
	Workload WorkloadName
	Outcome  checker.Validity
	Anomaly  fault.Kind // of Invalid: the first error's
	Reason   string     // of Invalid the first error, of Unknown why
	Errors   []string   // of Invalid: all errors, the first one too
	Notes    []string   // what is strange, but not forbidden by the definition
}

func (v *WorkloadVerdict) unknown(format string, args ...any) WorkloadVerdict {
	v.Outcome, v.Reason = checker.Unknown, fmt.Sprintf(format, args...)
	return *v
}

func (v *WorkloadVerdict) wrong(a fault.Kind, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if len(v.Errors) == 0 {
		v.Outcome, v.Anomaly, v.Reason = checker.Invalid, a, text
	}
	v.Errors = append(v.Errors, text)
}

func (v *WorkloadVerdict) note(format string, args ...any) {
	v.Notes = append(v.Notes, fmt.Sprintf(format, args...))
}

// Check judges a history of one of the workloads but LongFork.
func Check(h *workload.Clients, opt Demands) WorkloadVerdict {
	w := opt.Workload
	if w == Auto || w == "" {
		var reason string
		if w, reason = Recognize(h); reason != "" {
			return (&WorkloadVerdict{Workload: Auto}).unknown("%s", reason)
		}
	}
	if h.Keyed {
		opt.Workload = w
		return checkEach(h, opt)
	}
	v := &WorkloadVerdict{Workload: w, Outcome: checker.Valid}
	switch w {
	case Bank:
		return v.bank(h, opt)
	case Set, SetFull:
		return v.set(h, w == SetFull)
	case Counter:
		return v.counter(h)
	}
	return v.unknown("the history is none of workload %s", w)
}

// checkEach judges each of many sets or counters by itself, as jepsen.independent does. One that is wrong makes the
// history wrong, else one that is unknown makes it unknown.
func checkEach(h *workload.Clients, opt Demands) WorkloadVerdict {
	all := WorkloadVerdict{Workload: opt.Workload, Outcome: checker.Valid}
	keys, parts := h.ByKey()
	for i, part := range parts {
		v := Check(part, opt)
		name := "key " + h.Name(keys[i]) + ": "
		for _, e := range v.Errors {
			all.wrong(v.Anomaly, "%s%s", name, e)
		}
		for _, n := range v.Notes {
			all.note("%s%s", name, n)
		}
		if v.Outcome == checker.Unknown && all.Outcome == checker.Valid {
			all.unknown("%s%s", name, v.Reason)
		}
	}
	return all
}

// Recognize says which workload a history is of, or why that is not known.
func Recognize(h *workload.Clients) (w WorkloadName, reason string) {
	var adds, lists, numbers, accounts int
	seen := map[[2]int64]bool{}
	repeated := false
	for i := range h.Ops {
		switch op := &h.Ops[i]; {
		case op.Func == workload.Transfer || op.IsMap:
			accounts++
		case op.Func == workload.Add:
			adds++
			repeated = repeated || seen[[2]int64{op.Key, op.Value}]
			seen[[2]int64{op.Key, op.Value}] = true
		case op.IsList:
			lists++
		case op.IsInteger:
			numbers++
		}
	}
	switch {
	case accounts > 0 && adds+numbers == 0:
		return Bank, ""
	case accounts > 0:
		return "", "the history has operations of a bank and others"
	case lists > 0 && numbers > 0:
		return "", "some reads return lists as of a set, others numbers as of a counter"
	case lists > 0:
		return setOrFull(h), ""
	case numbers > 0 || repeated: // a set is not given the same element twice
		return Counter, ""
	}
	return "", "there are no reads: this may be a set or a counter (--workload)"
}

// setOrFull returns Set where one read alone comes after all that was added, which is what its checker looks at.
func setOrFull(h *workload.Clients) WorkloadName {
	if h.Keyed {
		_, parts := h.ByKey()
		for _, part := range parts {
			if setOrFull(part) == SetFull {
				return SetFull
			}
		}
		return Set
	}
	reads, start := 0, int64(0)
	for i := range h.Ops {
		if op := &h.Ops[i]; op.Func == workload.Read && op.Outcome == history.Committed {
			reads++
			start = op.Start
		}
	}
	for i := range h.Ops {
		if op := &h.Ops[i]; op.Func == workload.Add && op.Outcome == history.Committed && op.End > start {
			return SetFull
		}
	}
	if reads == 1 {
		return Set
	}
	return SetFull
}

// where says where an operation stands: "the read of process 3 (:index 12, line 13)".
func where(h *workload.Clients, what string, op *workload.Call) string {
	place := op.Told
	if place.Line == 0 && place.Index < 0 {
		place = op.Begun
	}
	var parts []string
	if place.Index >= 0 {
		parts = append(parts, fmt.Sprintf(":index %d", place.Index))
	}
	if place.Line > 0 {
		parts = append(parts, fmt.Sprintf("line %d", place.Line))
	}
	if place.Time >= 0 {
		parts = append(parts, register.Seconds(place.Time)+" s")
	}
	text := fmt.Sprintf("the %s of process %s", what, h.Name(op.Process))
	if len(parts) == 0 {
		return fmt.Sprintf("%s (operation %d)", text, op.End)
	}
	return fmt.Sprintf("%s (%s)", text, strings.Join(parts, ", "))
}

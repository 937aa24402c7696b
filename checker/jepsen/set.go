package jepsen

import (
	"cmp"
	"slices"
	"strings"

	"txweave/fault"
	"txweave/history"
	"txweave/history/register"
	"txweave/history/workload"
)

// element is what is known of one element of a set.
type element struct {
	value       int64
	attempted   int64 // when its add began
	known       int64 // when its add had succeeded, or a read that found it had ended; Forever before that
	lastPresent int64 // when the last read of those that found it began; -1 where none did
	lastAbsent  int64
	added       bool // its add succeeded
	failed      bool // its add failed
}

// set checks that what was added is found. Jepsen's set looks at the last read alone: every element whose add succeeded
// is in it, and nothing that was never added. Its set-full looks at all reads: an element is lost if it is known to be
// there before a read begins that lacks it, and no read that began later finds it. That no read finds what was never
// added, or an element twice, is looked for here in both; what set-full's text, but not its code, says of duplicates.
func (v *WorkloadVerdict) set(h *workload.Clients, full bool) WorkloadVerdict {
	elements, reads, bad := collect(h)
	switch {
	case bad != nil:
		return v.unknown("%s is not an operation of a set", where(h, "operation", bad))
	case len(reads) == 0:
		return v.unknown("the set was never read")
	}
	if !full {
		reads = reads[len(reads)-1:]
	}
	v.elements(h, elements, reads, full)
	byStart := slices.Clone(reads)
	slices.SortStableFunc(byStart, func(a, b *workload.Call) int { return cmp.Compare(a.Start, b.Start) })
	order := make([]*element, 0, len(elements))
	for _, e := range elements {
		order = append(order, e)
	}
	slices.SortFunc(order, func(a, b *element) int {
		return cmp.Or(cmp.Compare(a.attempted, b.attempted), cmp.Compare(a.value, b.value))
	})
	var lost []string
	stable := 0
	for _, e := range order {
		switch {
		case full && e.known != register.Forever && e.lastPresent < e.lastAbsent && e.known < e.lastAbsent:
		case !full && e.added && e.lastPresent < 0:
		default:
			if e.lastPresent >= 0 && e.lastAbsent < e.lastPresent {
				stable++
			}
			continue
		}
		lost = append(lost, h.Name(e.value))
	}
	if len(lost) > 0 {
		last := byStart[len(byStart)-1]
		v.wrong(fault.HistoryLostElement, "added and not found by %s: %s", where(h, "last read", last), some(lost))
	}
	if v.Outcome == "valid" && full && stable == 0 {
		return v.unknown("no read found anything that was added before it")
	}
	return *v
}

// collect lists what was tried to be added and the reads that succeeded, in the order of their outcomes.
func collect(h *workload.Clients) (elements map[int64]*element, reads []*workload.Call, bad *workload.Call) {
	elements = map[int64]*element{}
	for i := range h.Ops {
		op := &h.Ops[i]
		switch {
		case op.Func == workload.Add:
			e := elements[op.Value]
			if e == nil {
				e = &element{value: op.Value, attempted: op.Start, known: register.Forever, lastPresent: -1, lastAbsent: -1}
				elements[op.Value] = e
			}
			e.attempted = min(e.attempted, op.Start)
			e.failed = e.failed || op.Outcome == history.Aborted
			if op.Outcome == history.Committed {
				e.added, e.known = true, min(e.known, op.End)
			}
		case op.Func != workload.Read || op.Outcome == history.Committed && (op.IsMap || op.IsInteger):
			return nil, nil, op
		case op.Outcome == history.Committed:
			reads = append(reads, op)
		}
	}
	return elements, reads, nil
}

// elements follows the elements through the reads.
func (v *WorkloadVerdict) elements(h *workload.Clients, elements map[int64]*element,
	reads []*workload.Call, full bool) {
	var failed []string
	told := map[int64]bool{}
	for _, op := range reads {
		count := make(map[int64]int, len(op.Elements))
		var strange, twice []string
		for _, x := range op.Elements {
			count[x]++
			e := elements[x]
			switch {
			case count[x] == 2:
				twice = append(twice, h.Name(x))
			case count[x] > 2:
			case e == nil:
				strange = append(strange, h.Name(x))
			case e.failed && !e.added && !told[x]:
				told[x] = true
				failed = append(failed, h.Name(x))
			}
		}
		if len(strange) > 0 {
			v.wrong(fault.HistoryUnexpectedElement, "%s found what nobody tried to add: %s", where(h, "read", op), some(strange))
		}
		if len(twice) > 0 && full {
			v.wrong(fault.HistoryDuplicateElement, "%s found twice: %s", where(h, "read", op), some(twice))
		} else if len(twice) > 0 {
			v.note("%s found twice: %s", where(h, "read", op), some(twice))
		}
		for _, e := range elements {
			switch {
			case e.attempted > op.End && full: // it came later
			case count[e.value] > 0:
				e.known = min(e.known, op.End)
				e.lastPresent = max(e.lastPresent, op.Start)
			default:
				e.lastAbsent = max(e.lastAbsent, op.Start)
			}
		}
	}
	if len(failed) > 0 {
		v.note("found although their adds failed: %s", some(failed))
	}
}

// some lists a few of many.
func some(names []string) string {
	const most = 20
	if len(names) <= most {
		return strings.Join(names, " ")
	}
	return strings.Join(names[:most], " ") + " … " + names[len(names)-1]
}

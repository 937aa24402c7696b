package verdict

import (
	"math"
	"slices"
	"sync"
	"time"

	"txweave/exec/storm"
	"txweave/fault"
	"txweave/finding"
	"txweave/oracle/mechanism"
)

// disruption is what nemeses do while a storm is verified. A violation is named by it as soon as it is found, so that
// no more is kept than what those still to be found may need, however long the storm lasts.
type disruption struct {
	sinks  int          // so many sessions number their transactions in turn
	passed func() int64 // mechanism.Verifier.Passed

	mu     sync.Mutex
	going  []begun          // acts that violations are named after, and that have not ended
	done   []storm.Act      // by their ends
	pruned int              // how many of done there were when those that nobody needs had been dropped
	copied map[string]int64 // by table: when it was first copied
}

// begun is an act that goes on: what it was when it began, and by which address its end is told.
type begun struct {
	storm.Act
	at *storm.Act
}

// begin notes an act that violations may be named after, before any of it is done.
func (u *disruption) begin(a *storm.Act) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.going = append(u.going, begun{*a, a})
	if at, ok := u.copied[a.Copied]; a.Copied != "" && (!ok || a.Start < at) {
		if u.copied == nil {
			u.copied = map[string]int64{}
		}
		u.copied[a.Copied] = a.Start
	}
}

// end notes an act that is done.
func (u *disruption) end(a *storm.Act) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.going = slices.DeleteFunc(u.going, func(g begun) bool { return g.at == a })
	u.done = append(u.done, *a)
	const few = 256
	if len(u.done) < max(few, 2*u.pruned) {
		return
	}
	if passed := u.passed(); passed > 0 { // before that nothing has been verified
		u.done = slices.DeleteFunc(u.done, func(a storm.Act) bool { return a.End < passed-actsOld })
	}
	u.pruned = len(u.done)
}

// name gives a violation that has just been found the name of what caused it, and says what had been done before.
func (u *disruption) name(v *mechanism.Violation) {
	u.mu.Lock()
	defer u.mu.Unlock()
	var cause *storm.Act
	if cause = u.during(v, u.rebuilt); cause != nil {
		v.What = v.What.With(fault.AfterRebuild)
	} else if u.taken(v) {
		v.What = v.What.With(fault.AfterRepartitioning)
	} else if cause = u.during(v, u.killed); cause != nil {
		v.What = fault.MissingRow.With(fault.AfterKill)
	} else if cause = u.during(v, u.indexed); cause != nil {
		v.What = v.What.With(fault.AfterIndexBuild)
	}
	v.Explanation = append(v.Explanation, u.before(v, cause)...)
}

// during returns the first act beside which a violation came about as says has it; nil if there is none.
func (u *disruption) during(v *mechanism.Violation, has func(*storm.Act, *mechanism.Violation) bool) *storm.Act {
	for i := range u.done {
		if a := &u.done[i]; has(a, v) {
			return a
		}
	}
	for _, g := range u.going {
		a := g.Act
		a.End = math.MaxInt64
		if has(&a, v) {
			return &g.Act
		}
	}
	return nil
}

// killed says whether a row is missing to a statement that a nemesis killed while it ran: a DELETE may be answered then
// as if there had been no row, which is what it would look like, too, if somebody had deleted the row who rolled back.
func (u *disruption) killed(a *storm.Act, v *mechanism.Violation) bool {
	return v.Mechanism == mechanism.CR && (v.What == fault.MissingRow || v.What == fault.G1aDelete) && len(v.Txns) > 0 &&
		a.Killed != 0 && a.Killed == u.session(v.Txns[0]) && a.Start <= v.Seen[1] && v.At <= a.End
}

// session is the number of a transaction's session, from 1 on.
func (u *disruption) session(txn int64) int { return int((txn-1)%int64(u.sinks)) + 1 }

// rebuilt says whether a row was seen wrongly, or missed, by a reader who took the snapshot while the row's table was
// being built anew: the copy may have no older versions of rows that are changed meanwhile, nor newer ones than those
// that were there when it began, and such a reader must be refused. That has a name of its own, so that the many rows
// that one rebuilding hides stand beside other bugs and not before them.
func (u *disruption) rebuilt(a *storm.Act, v *mechanism.Violation) bool {
	return a.Rebuilt != "" && a.Rebuilt == v.Table && beside(a, v)
}

// indexed says the same of an index: one that was built online may keep no entries of the older versions of rows that
// are changed meanwhile, and lets a reader use it whose snapshot shows them.
func (u *disruption) indexed(a *storm.Act, v *mechanism.Violation) bool {
	return a.Indexed != "" && a.Indexed == v.Table && beside(a, v)
}

// beside says whether a row was seen wrongly, or missed, in a snapshot that was taken during an act.
func beside(a *storm.Act, v *mechanism.Violation) bool {
	seen := []fault.Kind{fault.MissingRow, fault.NewerRead, fault.DirtyRead, fault.StaleRead, fault.G1a,
		fault.G1aDelete}
	return v.Mechanism == mechanism.CR && slices.Contains(seen, v.What.Base()) &&
		a.Start <= v.Seen[1] && v.Seen[0] <= a.End
}

// taken says whether a version that was rolled back is read from a table whose partitions had been copied while others
// wrote it: the copy may take what is rolled back meanwhile along. That has a name of its own for the same reason.
func (u *disruption) taken(v *mechanism.Violation) bool {
	at, ok := u.copied[v.Table]
	return ok && v.Mechanism == mechanism.CR && (v.What == fault.G1a || v.What == fault.G1aDelete) && at <= v.Seen[1]
}

// What a finding says of the nemeses: what they did last before it, and not long ago.
const (
	actsTold = 3
	actsOld  = int64(2 * time.Second)
)

// before returns the last acts of nemeses before a violation, and the one that it is named after. Whose statements are
// killed, or may take so long only, concerns them alone.
func (u *disruption) before(v *mechanism.Violation, cause *storm.Act) finding.Sentences {
	var out finding.Sentences
	for i := len(u.done) - 1; i >= 0 && len(out) < actsTold; i-- {
		a := &u.done[i]
		concerns := a.Killed == 0 || slices.ContainsFunc(v.Txns, func(txn int64) bool { return u.session(txn) == a.Killed })
		if a.Start <= v.At && v.At-a.End < actsOld && concerns && (cause == nil || *a != *cause) {
			out = append(out, finding.Say("before that: %v", finding.Query(a.String())))
		}
	}
	if cause != nil {
		out = append(out, finding.Say("beside it: %v", finding.Query(cause.String())))
	}
	slices.Reverse(out)
	return out
}

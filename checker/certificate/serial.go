package certificate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"

	"txweave/dbms"

	"txweave/checker"
	"txweave/fault"
	"txweave/history"
	"txweave/history/register"
)

// Replay executes the transactions in the order in which they committed by the certificate's times (Enne: Clark et al.,
// section 6, algorithm 4) and compares what each operation and each search returns. It needs neither version sets nor a
// version order. An invalid verdict says that this order does not hold; another one might.
//
// At SER that order is a serial one, as strict two-phase locking promises, or timestamp ordering where the times are
// timestamps. At SI each transaction reads at one moment of the order, its start where that is known, and between that
// and its commit nobody else commits a key that it writes. Searches of current rows then hold at its commit, as their
// rows and gaps stay locked; those of a transaction whose commit has no place are passed over.
//
// What wrote nothing, and has no time, has no place in a log. There must be one point in the order at which its reads
// and searches hold; with session order no earlier one than those of its session before it.
func Replay(ctx context.Context, h *register.History, c *Certificate, level dbms.Level, opt checker.Options,
	matches Matches) checker.Verdict {
	if c.Snapshots != nil {
		return opt.Unknown(level, Complete,
			"in the order of its commits this database need not have run: the certificate says what each transaction saw, "+
				"which the graph is made of")
	}
	if c.Times == nil {
		timeless := *c
		timeless.Times = make([]Times, len(h.Txns))
		c = &timeless
	}
	k, verdict := newChecker(h, c, level, opt, matches)
	if verdict != nil {
		return *verdict
	}
	e := execution{k: k, at: make([]int32, len(k.h.Txns)), since: make([][]int32, k.h.Keys()),
		searches: make([][]*Predicate, len(k.h.Txns))}
	for _, step := range []func() *checker.Verdict{e.order, func() *checker.Verdict {
		return e.prepare(ctx)
	}, func() *checker.Verdict { return e.execute(ctx) }} {
		if v := step(); v != nil {
			return *v
		}
	}
	v := opt.Valid(level)
	v.NotChecked = c.NotChecked
	return v
}

// execution is the order of commits. Point p of it is after p commits; the initial transaction is before all points.
type execution struct {
	k     *judge
	txns  []int     // in order; the initial transaction is not among them
	at    []int32   // by transaction: how many have committed once it has; 0: it has no place
	since [][]int32 // by key: the point from which on each version of its chain is there
	// searches are by transaction.
	searches [][]*Predicate
	// ended and begun are points with the time at which the client knew of the commit, or asked for the transaction; in
	// order of time. Their points are the latest so far, and the earliest from here on.
	ended, begun []moment
}

type moment struct {
	time  int64
	point int32
}

// order sorts the transactions that count by when they committed.
func (e *execution) order() *checker.Verdict {
	k := e.k
	for t := range k.h.Txns {
		switch {
		case !k.r.Taken[t] || t == k.h.Initial:
		case k.c.Times[t].Commit != 0:
			e.txns = append(e.txns, t)
		case k.r.FirstVersion[t+1] > k.r.FirstVersion[t]:
			return k.unknown(Complete, "the certificate does not say when %s committed", k.h.TxnName(t))
		}
	}
	slices.SortStableFunc(e.txns, func(a, b int) int { return cmp.Compare(k.c.Times[a].Commit, k.c.Times[b].Commit) })
	for i, t := range e.txns {
		if i > 0 && k.c.Times[t].Commit == k.c.Times[e.txns[i-1]].Commit {
			return k.unknown(Complete, "%s and %s committed at the same time", k.h.TxnName(e.txns[i-1]), k.h.TxnName(t))
		}
		e.at[t] = int32(i + 1)
	}
	return nil
}

// prepare makes the chains that the order gives and finds out what matches.
func (e *execution) prepare(ctx context.Context) *checker.Verdict {
	k := e.k
	k.chains = make([][]int32, k.h.Keys())
	k.place = slices.Repeat([]int32{-1}, len(k.r.VersionTxn))
	for key := range k.chains {
		k.chains[key], e.since[key], k.place[key] = []int32{int32(key)}, []int32{0}, 0
	}
	if k.h.Initial >= 0 {
		for v := k.r.FirstVersion[k.h.Initial]; v < k.r.FirstVersion[k.h.Initial+1]; v++ {
			k.chains[k.r.VersionKey[v]][0], k.place[v] = v, 0
		}
	}
	for _, t := range e.txns {
		for v := k.r.FirstVersion[t]; v < k.r.FirstVersion[t+1]; v++ {
			key := k.r.VersionKey[v]
			k.place[v] = int32(len(k.chains[key]))
			k.chains[key] = append(k.chains[key], v)
			e.since[key] = append(e.since[key], e.at[t])
		}
	}
	for i := range k.c.Predicates {
		if v := k.opt.Stopped(ctx, k.level); v != nil {
			return v
		}
		p := &k.c.Predicates[i]
		if !k.wellFormed(p) {
			return k.unknown(checker.WellFormed,
				"search %d of the certificate is of no transaction, operation or table of the history", i+1)
		}
		if !k.r.Taken[p.Txn] || !p.Listed {
			continue
		}
		if _, err := k.evaluate(ctx, p); err != nil {
			return k.unknown(predicates, "%s: %v", k.name(p), err)
		}
		e.searches[p.Txn] = append(e.searches[p.Txn], p)
	}
	if k.h.RealTime {
		e.clock()
	}
	return nil
}

// clock notes what the clients know of points.
func (e *execution) clock() {
	for _, t := range e.txns {
		e.ended = append(e.ended, moment{e.k.h.End(int(t)), e.at[t]})
		e.begun = append(e.begun, moment{e.k.h.Start(int(t)), e.at[t]})
	}
	byTime := func(a, b moment) int { return cmp.Compare(a.time, b.time) }
	slices.SortFunc(e.ended, byTime)
	slices.SortFunc(e.begun, byTime)
	for i := 1; i < len(e.ended); i++ {
		e.ended[i].point = max(e.ended[i].point, e.ended[i-1].point)
		j := len(e.begun) - 1 - i
		e.begun[j].point = min(e.begun[j].point, e.begun[j+1].point)
	}
}

// during returns the first and the last point that lie within a transaction by the clients' clocks.
func (e *execution) during(t int) window {
	start, end := e.k.h.Start(t), e.k.h.End(t)
	w := window{0, int32(len(e.txns))}
	if n := sort.Search(len(e.ended), func(i int) bool { return e.ended[i].time >= start }); n > 0 {
		w.lo = e.ended[n-1].point
	}
	if n := sort.Search(len(e.begun), func(i int) bool { return e.begun[i].time > end }); n < len(e.begun) {
		w.hi = e.begun[n].point - 1
	}
	return w
}

// execute gives every transaction its point, session by session, the earliest that is possible. Where the history has
// times it first looks only at points within each transaction: there they are, if the database is right.
func (e *execution) execute(ctx context.Context) *checker.Verdict {
	if e.k.h.RealTime {
		if bad := e.points(ctx, true); bad == nil || bad.Outcome == checker.Unknown {
			return bad
		}
	}
	return e.points(ctx, false)
}

// points is execute with all points, or only those that are near.
func (e *execution) points(ctx context.Context, near bool) *checker.Verdict {
	reached := make([]int32, e.k.h.Sessions())
	for t := range e.k.h.Txns {
		if !e.k.r.Taken[t] || t == e.k.h.Initial {
			continue
		}
		from, session := int32(0), e.k.h.Txns[t].Session
		if e.k.opt.SessionOrder && session != register.NoSession {
			from = reached[session]
		}
		point, bad := e.point(ctx, t, from, near)
		if bad != nil {
			return bad
		}
		if session != register.NoSession {
			reached[session] = max(point, e.at[t])
		}
	}
	return nil
}

// window is the points from lo to hi.
type window struct{ lo, hi int32 }

// and is what two windows have in common: an empty one, whose lo is greater than its hi, for nothing.
func (w window) and(o window) window { return window{max(w.lo, o.lo), min(w.hi, o.hi)} }

// point finds the one at which a transaction reads, from a point on.
func (e *execution) point(ctx context.Context, t int, from int32, near bool) (int32, *checker.Verdict) {
	k, at := e.k, e.at[t]
	w, fixed := e.window(t, from, near)
	if w.lo > w.hi {
		return 0, e.wrong(t, history.SO, -1,
			fmt.Sprintf("the transaction of its session before %s comes after its place in the order", k.h.TxnName(t)))
	}
	s := spans{w}
	if k.level == dbms.SI {
		if v := e.firstWrites(t, &s); v != nil {
			return 0, v
		}
	}
	for i, v := range k.r.Sources(int32(t)) {
		if v == checker.Inner || s.keep(e.lifetime(k.r.VersionKey[v], k.place[v])) {
			continue
		}
		op := k.h.TxnOps(t)[i]
		if fixed {
			return 0, e.wrongRead(t, op, w.lo)
		}
		return 0, e.wrong(t, history.WR, v,
			fmt.Sprintf("%s did %s: it and what it did before hold together at no place of the order", k.h.TxnName(t),
				k.h.FormatOp(op)))
	}
	for _, p := range e.searches[t] {
		where := &s
		if p.Current && k.level == dbms.SI {
			if at == 0 {
				continue
			}
			where = &spans{{at - 1, at - 1}}
		}
		if v := e.search(ctx, p, where); v != nil {
			return 0, v
		}
	}
	return s[0].lo, nil
}

// window is where a transaction may read, from a point on: fixed at one point by its own place in the order or the
// database's word, else up to its place, and near its own time if that is asked for.
func (e *execution) window(t int, from int32, near bool) (w window, fixed bool) {
	k, at := e.k, e.at[t]
	w = window{from, int32(len(e.txns))}
	if at > 0 {
		w.hi = at - 1
	}
	switch start := k.c.Times[t].Start; {
	case at > 0 && k.level == dbms.SER:
		return window{max(w.lo, w.hi), w.hi}, true
	case start != 0:
		p := int32(sort.Search(len(e.txns), func(i int) bool { return k.c.Times[e.txns[i]].Commit > start }))
		return w.and(window{p, p}), true
	case near:
		return w.and(e.during(t)), false
	}
	return w, false
}

// firstWrites keeps the points from which on nobody else wrote, and committed, what a transaction wrote
// (First-Committer-Wins).
func (e *execution) firstWrites(t int, s *spans) *checker.Verdict {
	k := e.k
	for v := k.r.FirstVersion[t]; v < k.r.FirstVersion[t+1]; v++ {
		key := k.r.VersionKey[v]
		if place := k.place[v]; place > 0 && !s.keep(window{e.since[key][place-1], e.at[t]}) {
			before := k.chains[key][place-1]
			return e.wrong(t, history.WW, before,
				fmt.Sprintf("%s wrote %s, which %s had written and committed after %s started", k.h.TxnName(t),
					k.h.KeyName(key), k.h.TxnName(int(k.r.VersionTxn[before])), k.h.TxnName(t)))
		}
	}
	return nil
}

// lifetime is the points at which a version of a chain is the latest.
func (e *execution) lifetime(key, place int32) window {
	if place < 0 { // its writer has no place
		return window{1, 0}
	}
	w := window{e.since[key][place], int32(len(e.txns))}
	if next := int(place) + 1; next < len(e.since[key]) {
		w.hi = e.since[key][next] - 1
	}
	return w
}

// search keeps of some points those at which a search returns what it did.
func (e *execution) search(ctx context.Context, p *Predicate, s *spans) *checker.Verdict {
	k := e.k
	m, err := k.evaluate(ctx, p)
	if err != nil {
		return k.unknown(predicates, "%s: %v", k.name(p), err)
	}
	own, before := k.ownWrites(p), slices.Clone(*s)
	result := make(map[int32]bool, len(p.Result))
	for _, key := range p.Result {
		result[key] = true
	}
	left := len(result)
	for _, key := range k.c.among(p) {
		found := result[key]
		if found {
			left--
		}
		ok := false
		if mine, wrote := own[key]; wrote {
			ok = m.at(m.row[mine]) == found
		} else {
			ok = s.filter(e.since[key], func(place int) bool { return m.at(m.chain[key][place]) == found })
		}
		if !ok {
			return e.wrongSearch(p, m, own, before)
		}
	}
	if left > 0 { // a key that it could not find
		return e.wrongSearch(p, m, own, before)
	}
	return nil
}

// wrong is the verdict that a transaction does not fit into the order.
func (e *execution) wrong(t int, kind history.EdgeKind, version int32, text string) *checker.Verdict {
	k := e.k
	x := checker.ExplainedEdge{To: k.h.TxnName(t), FromTxn: -1, ToTxn: t, Kind: kind, Text: text}
	if version >= 0 {
		x.Key = k.h.KeyName(k.r.VersionKey[version])
		if w := k.r.VersionTxn[version]; w >= 0 && int(w) != t {
			x.From, x.FromTxn = k.h.TxnName(int(w)), int(w)
		}
	}
	return k.invalid(fault.HistoryExpectedOrderViolation, x)
}

// wrongRead is the verdict about a read at one point that returned something else than the version which is there.
func (e *execution) wrongRead(t int, op register.Op, point int32) *checker.Verdict {
	k := e.k
	v := e.latest(op.Key, point)
	text := fmt.Sprintf("%s did %s, but at its place nobody had written %s", k.h.TxnName(t), k.h.FormatOp(op),
		k.h.KeyName(op.Key))
	if w := k.r.VersionTxn[v]; w >= 0 {
		text = fmt.Sprintf("%s did %s, but at its place %s had last written %d", k.h.TxnName(t), k.h.FormatOp(op),
			k.h.TxnName(int(w)), k.value(v))
	}
	return e.wrong(t, history.WR, v, text)
}

// latest is the version of a key at a point.
func (e *execution) latest(key, point int32) int32 {
	n := sort.Search(len(e.since[key]), func(i int) bool { return e.since[key][i] > point })
	return e.k.chains[key][n-1]
}

// wrongSearch is the verdict about a search that holds at none of some points.
func (e *execution) wrongSearch(p *Predicate, m *matching, own map[int32]KeyVersion, points spans) *checker.Verdict {
	k := e.k
	text := fmt.Sprintf(
		"%s searched for %s and found %s: it and what it did before hold together at no place of the order",
		k.h.TxnName(p.Txn), k.name(p), k.keys(p.Result))
	if len(points) == 1 && points[0].lo == points[0].hi {
		var matched []int32
		for _, key := range k.c.among(p) {
			s := state{place: k.place[e.latest(key, points[0].lo)]}
			if mine, wrote := own[key]; wrote {
				s.own = &mine
			}
			if m.matches(key, s) {
				matched = append(matched, key)
			}
		}
		text = fmt.Sprintf("%s searched for %s: at its place, %s match; it found %s", k.h.TxnName(p.Txn), k.name(p),
			k.keys(matched), k.keys(p.Result))
	}
	return e.wrong(p.Txn, history.PWR, -1, text)
}

// spans are points, as windows in order that do not touch.
type spans []window

// keep keeps the points of a window; it says whether there are any.
func (s *spans) keep(w window) bool {
	out := (*s)[:0]
	for _, x := range *s {
		if x = x.and(w); x.lo <= x.hi {
			out = append(out, x)
		}
	}
	*s = out
	return len(out) > 0
}

// filter keeps the points at which the version of a chain that is there is good; since is where each version begins.
func (s *spans) filter(since []int32, good func(place int) bool) bool {
	if len(*s) == 0 {
		return false
	}
	var out spans
	last := (*s)[len(*s)-1].hi
	i := sort.Search(len(since), func(i int) bool { return since[i] > (*s)[0].lo }) - 1
	for left := *s; len(left) > 0; {
		w, next := goodFrom(i, since, last, good)
		if w.lo > w.hi {
			break
		}
		left, i = out.within(left, w), next
	}
	*s = out
	return len(out) > 0
}

// goodFrom is the next window, up to the last point, in which the versions of a chain are good, from version i on, and
// the version behind it; an empty window for none.
func goodFrom(i int, since []int32, last int32, good func(place int) bool) (w window, next int) {
	there := func() bool { return i < len(since) && since[i] <= last }
	for there() && !good(i) {
		i++
	}
	if !there() {
		return window{0, -1}, i
	}
	w = window{since[i], last}
	for there() && good(i) {
		i++
	}
	if i < len(since) {
		w.hi = min(last, since[i]-1)
	}
	return w, i
}

// within adds what of other spans lies in a window, and returns those of them that go on behind it.
func (s *spans) within(others spans, w window) (left spans) {
	for ; len(others) > 0 && others[0].hi <= w.hi; others = others[1:] {
		s.add(others[0].and(w))
	}
	if len(others) > 0 {
		s.add(others[0].and(w))
	}
	return others
}

func (s *spans) add(w window) {
	if w.lo <= w.hi {
		*s = append(*s, w)
	}
}

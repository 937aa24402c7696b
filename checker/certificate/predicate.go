package certificate

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"txweave/checker"
	"txweave/dbms"
	"txweave/fault"
	"txweave/history"
)

// predicates is the precondition that the matches oracle knows every predicate.
const predicates checker.Precondition = "predicates"

// predicates checks what every search returned and adds the dependencies that go through it.
func (k *judge) predicates(ctx context.Context) *checker.Verdict {
	unsighted := 0
	defer func() {
		if unsighted > 0 {
			k.notChecked = append(k.notChecked,
				fmt.Sprintf("%d searches of which it is not known which versions they looked at", unsighted))
		}
	}()
	for i := range k.c.Predicates {
		if v := k.opt.Stopped(ctx, k.level); v != nil {
			return v
		}
		p := &k.c.Predicates[i]
		if !k.wellFormed(p) {
			return k.unknown(checker.WellFormed,
				"search %d of the certificate is of no transaction, operation or table of the history", i+1)
		}
		if !k.r.Taken[p.Txn] {
			continue
		}
		switch sighted := p.AsOf != 0 || p.Seen != nil || k.c.Sighted(p); {
		case sighted:
		case k.level != dbms.RC:
			return k.unknown(Complete,
				"%s searched for %s: which versions it looked at is not known (--order commit need not know it)",
				k.h.TxnName(p.Txn), k.name(p))
		case p.Statement == 0: // the definition of the level knows no searches
			unsighted++
			continue
		default:
			continue
		}
		if v := k.predicate(ctx, int32(i), p); v != nil {
			return v
		}
	}
	return nil
}

// predicate is predicates for one search. Of the versions that change the matches only the last one up to the one seen
// and the first one after it need an edge: the others are before or behind these in version order.
func (k *judge) predicate(ctx context.Context, i int32, p *Predicate) *checker.Verdict {
	m, err := k.evaluate(ctx, p)
	if err != nil {
		return k.unknown(predicates, "%s: %v", k.name(p), err)
	}
	var matched []int32
	own := k.ownWrites(p)
	for _, key := range k.c.among(p) {
		s, verdict := k.seen(p, key, own)
		if verdict != nil {
			return verdict
		}
		if m.matches(key, s) {
			matched = append(matched, key)
		}
		if s.own == nil {
			if verdict := k.depend(i, p, m, key, s.place); verdict != nil {
				return verdict
			}
		}
	}
	return k.result(p, matched)
}

// depend adds the dependencies of a search through one key that its transaction has not written yet: from the version
// that changed the matches last, up to the one seen, and to the one that did so next. A version changes the matches
// (Adya) if it matches and the one before it does not, or the other way round; the first one comes after nothing, which
// never matches. Adya's definition has no edge where the version that changed the matches is the transaction's own: but
// then it saw the effect of a write that it made only later, and no order of execution explains it.
func (k *judge) depend(i int32, p *Predicate, m *matching, key, place int32) *checker.Verdict {
	chain, flips := k.chains[key], m.flipsOf(key)
	now := m.at(m.chain[key][place])
	if last := flips.last[place]; last > 0 || now {
		v := chain[last]
		if int(k.r.VersionTxn[v]) == p.Txn {
			return k.badSeen(fault.HistoryFutureRead, p, key, int32(p.Txn),
				fmt.Sprintf("that comes after version %d, which it wrote only later", k.value(v)))
		}
		k.depends(i, v, int32(p.Txn), history.PWR)
	}
	for next := flips.next[place]; int(next) < len(chain); next = flips.next[next] {
		k.depends(i, chain[next], int32(p.Txn), history.PRW)
		if !k.reborn(chain[next]) { // else what comes after it follows from nothing
			break
		}
	}
	return nil
}

func (k *judge) depends(i, version, txn int32, kind history.EdgeKind) {
	w := k.r.VersionTxn[version]
	e := edge{from: w, to: txn, kind: kind, key: k.r.VersionKey[version], pred: i, version: version}
	if kind == history.PRW {
		e.from, e.to = txn, w
	}
	if w >= 0 && w != txn {
		k.pred[e.from] = append(k.pred[e.from], e)
	}
}

// seen returns what a search looked at of a key. Its verdict is about versions that no search may see, as for reads of
// items.
func (k *judge) seen(p *Predicate, key int32, own map[int32]KeyVersion) (state, *checker.Verdict) {
	mine, wrote := own[key]
	if p.AsOf != 0 {
		if wrote {
			return state{own: &mine}, nil
		}
		place, verdict := k.asOf(p, key)
		return state{place: place}, verdict
	}
	if p.Seen == nil {
		if wrote {
			return state{own: &mine}, nil
		}
		place, verdict := k.visible(p.Txn, key)
		return state{place: place}, verdict
	}
	value, there := p.Seen[key]
	version, txn := k.r.Written(key, value)
	written := txn >= 0
	bad := func(a fault.Kind, writer int32, format string, args ...any) (state, *checker.Verdict) {
		return state{}, k.badSeen(a, p, key, writer, fmt.Sprintf(format, args...))
	}
	switch {
	case there && wrote && value == mine.Value && int(txn) == p.Txn:
		return state{own: &mine}, nil
	case there && !written && !(k.h.HasInitialValue && value == k.h.InitialValue):
		return bad(fault.HistoryThinAirRead, -1, "nobody wrote it")
	case there && written && int(txn) == p.Txn && !wrote:
		return bad(fault.HistoryFutureRead, txn, "it wrote that only later")
	case there && written && int(txn) == p.Txn:
		return bad(fault.HistoryNotMyLastWrite, txn, "it had written %d", mine.Value)
	case wrote:
		return bad(fault.HistoryNotMyOwnWrite, -1, "it had written %d itself", mine.Value)
	case !written || !there:
		if k.chains[key][0] != key {
			return bad(fault.HistoryThinAirRead, -1, "the initial transaction wrote that key")
		}
		return state{}, nil
	case k.h.Txns[txn].Status == history.Aborted:
		return bad(fault.HistoryAbortedRead, txn, "%s aborted", k.h.TxnName(int(txn)))
	case version < 0:
		return bad(fault.HistoryIntermediateRead, txn, "%s overwrote that itself", k.h.TxnName(int(txn)))
	case k.place[version] < 0:
		return state{}, k.unknown(Complete, "%s searched for %s and saw version %d of %s, which the certificate lacks",
			k.h.TxnName(p.Txn), k.name(p), value, k.h.KeyName(key))
	}
	return state{place: k.place[version]}, nil
}

// committedBy is the time of a version of a chain; the initial one comes before all times.
func (k *judge) committedBy(version int32) (time int64, known bool) {
	t := k.r.VersionTxn[version]
	if t < 0 || int(t) == k.h.Initial {
		return 0, true
	}
	if k.c.Times == nil {
		return 0, false
	}
	return k.c.Times[t].Commit, k.c.Times[t].Commit != 0
}

// timed says whether the chain of a key has times that never go back; it is found once.
func (k *judge) timed(key int32) *checker.Verdict {
	if k.inTime == nil {
		k.inTime = make([]bool, k.h.Keys())
	}
	if k.inTime[key] {
		return nil
	}
	last := int64(0)
	for _, v := range k.chains[key] {
		now, known := k.committedBy(v)
		switch {
		case !known:
			return k.unknown(Complete, "the certificate does not say when %s committed", k.h.TxnName(int(k.r.VersionTxn[v])))
		case now < last:
			return k.unknown(checker.WellFormed, "%s committed at %d, but a version of %s before its own at %d",
				k.h.TxnName(int(k.r.VersionTxn[v])), now, k.h.KeyName(key), last)
		}
		last = now
	}
	k.inTime[key] = true
	return nil
}

// asOf returns the place of the version that was committed at the instant of a search.
func (k *judge) asOf(p *Predicate, key int32) (int32, *checker.Verdict) {
	if v := k.timed(key); v != nil {
		return 0, v
	}
	chain := k.chains[key]
	n := sort.Search(len(chain), func(i int) bool {
		at, _ := k.committedBy(chain[i])
		return at > p.AsOf
	})
	return int32(max(n-1, 0)), nil
}

func (k *judge) badSeen(a fault.Kind, p *Predicate, key, writer int32, why string) *checker.Verdict {
	e := checker.ExplainedEdge{To: k.h.TxnName(p.Txn), FromTxn: int(writer), ToTxn: p.Txn, Kind: history.PWR,
		Key:  k.h.KeyName(key),
		Text: fmt.Sprintf("%s searched for %s and saw %s, but %s", k.h.TxnName(p.Txn), k.name(p), k.seenText(p, key), why)}
	if writer >= 0 {
		e.From = k.h.TxnName(int(writer))
	}
	return k.invalid(a, e)
}

// seenText is the version of a key that a search saw, in words.
func (k *judge) seenText(p *Predicate, key int32) string {
	name := k.h.KeyName(key)
	if p.AsOf != 0 {
		return fmt.Sprintf("%s as of %d", name, p.AsOf)
	}
	if p.Seen == nil {
		return fmt.Sprintf("%s in its snapshot %s", name, k.c.Snapshots[p.Txn].String())
	}
	if v, ok := p.Seen[key]; ok {
		return fmt.Sprintf("version %d of %s", v, name)
	}
	return name + " as it was at first"
}

// result compares what a search returned with what matches.
func (k *judge) result(p *Predicate, matched []int32) *checker.Verdict {
	if !p.Listed {
		return nil
	}
	got, want := slices.Clone(p.Result), slices.Clone(matched)
	slices.Sort(got)
	slices.Sort(want)
	if slices.Equal(got, want) {
		return nil
	}
	return k.invalid(fault.HistoryResultSetMismatch, checker.ExplainedEdge{To: k.h.TxnName(p.Txn), FromTxn: -1,
		ToTxn: p.Txn, Kind: history.PWR,
		Text: fmt.Sprintf("%s searched for %s: of what it saw, %s match; it found %s", k.h.TxnName(p.Txn), k.name(p),
			k.keys(want), k.keys(got))})
}

package certificate

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"txweave/history"
	"txweave/history/register"
	"txweave/oracle/check"
)

// search is a predicate without who asked it: its matches are found once.
type search struct {
	table int
	where string
}

// changes are the matches of a search among all versions of its table.
type changes struct {
	match map[int32]bool // by version; false for one that is not there
	// own is by version, the ones that their transactions overwrote included; what is not in it is not known.
	own map[Version]bool
	// at is, by key, the positions in its chain at which the matches change (Adya): this version matches and the one
	// before it does not, or the other way round. The first version of a chain comes after nothing, which never matches.
	at map[int32][]int32
}

// name is a predicate in words.
func (k *checker) name(p *Predicate) string {
	t := k.c.Tables[p.Table].Name
	if p.Where == "" {
		return "every row of " + t
	}
	return t + " WHERE " + p.Where
}

func (k *checker) changes(p *Predicate) *changes { return k.found[search{p.Table, p.Where}] }

// predicates checks what every search returned and adds the dependencies that go through it. Of the versions that change
// the matches only the last one up to the one seen and the first one after it need an edge: the others are before or
// behind these in version order.
func (k *checker) predicates() *check.Verdict {
	for i := range k.c.Predicates {
		p := &k.c.Predicates[i]
		if p.Txn < 0 || p.Txn >= len(k.h.Txns) || p.Table < 0 || p.Table >= len(k.c.Tables) || p.At < 0 || p.At > len(k.h.TxnOps(p.Txn)) {
			return k.unknown(check.WellFormed, "search %d of the certificate is of no transaction, operation or table of the history", i+1)
		}
		if !k.r.Taken[p.Txn] {
			continue
		}
		if err := k.evaluate(p); err != nil {
			return k.unknown(check.Precondition("predicates"), "%s: %v", k.name(p), err)
		}
		var matched []int32
		for _, key := range k.c.Tables[p.Table].Keys {
			v, own, verdict := k.seen(p, key)
			if verdict != nil {
				return verdict
			}
			if k.matchesOf(p, v, own) {
				matched = append(matched, key)
			}
			if own == nil {
				if verdict := k.depend(int32(i), p, key, v); verdict != nil {
					return verdict
				}
			}
		}
		if v := k.result(p, matched); v != nil {
			return v
		}
	}
	return nil
}

// matchesOf says whether a version, or one that the transaction itself wrote, matches.
func (k *checker) matchesOf(p *Predicate, version int32, own *Version) bool {
	if own != nil {
		return k.changes(p).own[*own]
	}
	return k.changes(p).match[version]
}

// depend adds the dependencies of a search through one key that its transaction has not written yet. Adya's definition has
// no edge where the version that changed the matches is the transaction's own: but then it saw the effect of a write that
// it made only later, and no order of execution explains it.
func (k *checker) depend(i int32, p *Predicate, key, seen int32) *check.Verdict {
	at, place := k.changes(p).at[key], k.place[seen]
	n := sort.Search(len(at), func(j int) bool { return at[j] > place })
	chain := k.chains[key]
	if n > 0 {
		v := chain[at[n-1]]
		if int(k.r.VersionTxn[v]) == p.Txn {
			return k.badSeen(check.FutureRead, p, key, int32(p.Txn), fmt.Sprintf("that comes after version %d, which it wrote only later", k.value(v)))
		}
		k.pred(i, v, int32(p.Txn), check.PWR)
	}
	if n < len(at) {
		k.pred(i, chain[at[n]], int32(p.Txn), check.PRW)
	}
	return nil
}

func (k *checker) pred(i, version, txn int32, kind check.EdgeKind) {
	w := k.r.VersionTxn[version]
	e := edge{from: w, to: txn, kind: kind, key: k.r.VersionKey[version], pred: i, version: version}
	if kind == check.PRW {
		e.from, e.to = txn, w
	}
	if w >= 0 && w != txn {
		k.g.edges = append(k.g.edges, e)
	}
}

// evaluate asks the matches oracle about every version of the table at once.
func (k *checker) evaluate(p *Predicate) error {
	s := search{p.Table, p.Where}
	if k.found[s] != nil {
		return nil
	}
	t := &k.c.Tables[p.Table]
	out := &changes{match: map[int32]bool{}, own: map[Version]bool{}, at: map[int32][]int32{}}
	var rows [][]history.Value
	var asked []func(bool)
	ask := func(row []history.Value, answer func(bool)) {
		rows, asked = append(rows, row), append(asked, answer)
	}
	for _, v := range k.versionsOf(p.Table) {
		switch row, there, known := t.row(v); {
		case there:
			ask(row, func(m bool) { out.own[v] = m })
		case known:
			out.own[v] = false
		}
	}
	if len(t.Columns) == 0 && k.h.HasInitialValue {
		ask([]history.Value{history.IntValue(k.h.InitialValue)}, func(m bool) {
			for _, key := range t.Keys {
				out.match[key] = m
			}
		})
	}
	if err := k.ask(t, p.Where, rows, asked); err != nil {
		return err
	}
	for _, key := range t.Keys {
		before := false
		for i, v := range k.chains[key] {
			if int(v) >= k.h.Keys() {
				m, known := out.own[Version{key, k.value(v)}]
				if !known {
					return unknownf("the certificate lacks the row of version %d of %s", k.value(v), k.h.KeyName(key))
				}
				out.match[v] = m
			}
			if out.match[v] != before {
				out.at[key] = append(out.at[key], int32(i))
				before = !before
			}
		}
	}
	k.found[s] = out
	return nil
}

// ask asks the matches oracle, about nothing where there is nothing to tell.
func (k *checker) ask(t *Table, where string, rows [][]history.Value, answers []func(bool)) error {
	match := slices.Repeat([]bool{true}, len(rows))
	if where != "" && len(rows) > 0 {
		if k.matches == nil {
			return errors.New("there is no matches oracle")
		}
		var err error
		if match, err = k.matches.Match(t, where, rows); err != nil {
			return err
		}
	}
	for i, answer := range answers {
		answer(match[i])
	}
	return nil
}

// versionsOf lists every version that a transaction which counts wrote to a table.
func (k *checker) versionsOf(table int) []Version {
	if k.written == nil {
		k.written = make([][]Version, len(k.c.Tables))
		of := make([][]int32, k.h.Keys())
		for i := range k.c.Tables {
			for _, key := range k.c.Tables[i].Keys {
				of[key] = append(of[key], int32(i))
			}
		}
		for t := range k.h.Txns {
			for _, op := range k.h.TxnOps(t) {
				if op.Kind != register.Write || !k.r.Taken[t] {
					continue
				}
				for _, i := range of[op.Key] {
					k.written[i] = append(k.written[i], Version{op.Key, op.Value})
				}
			}
		}
	}
	return k.written[table]
}

// ownWrite returns what the transaction of a search had written to a key before it.
func (k *checker) ownWrite(p *Predicate, key int32) *Version {
	var own *Version
	for _, op := range k.h.TxnOps(p.Txn)[:p.At] {
		if op.Kind == register.Write && op.Key == key {
			own = &Version{key, op.Value}
		}
	}
	return own
}

// seen returns the version of a key that a search looked at: one that is in its chain, or one of the transaction's own. Its
// verdict is about versions that no search may see, as for reads of items.
func (k *checker) seen(p *Predicate, key int32) (version int32, own *Version, verdict *check.Verdict) {
	own = k.ownWrite(p, key)
	if own != nil && k.place[k.lastOf(p.Txn, key)] < 0 {
		return 0, nil, k.unknown(Complete, "a version of %s has no place", k.h.KeyName(key))
	}
	if own != nil {
		if _, known := k.changes(p).own[*own]; !known {
			return 0, nil, k.unknown(Complete, "the certificate lacks the row of version %d of %s", own.Value, k.h.KeyName(key))
		}
	}
	if p.AsOf != 0 {
		if own == nil {
			version, verdict = k.asOf(p, key)
		}
		return version, own, verdict
	}
	value, there := p.Seen[key]
	w, written := k.wrote[Version{key, value}]
	switch {
	case there && own != nil && value == own.Value && int(w.txn) == p.Txn:
		return 0, own, nil
	case there && !written && !(k.h.HasInitialValue && value == k.h.InitialValue):
		return 0, nil, k.badSeen(check.ThinAirRead, p, key, -1, "nobody wrote it")
	case there && written && int(w.txn) == p.Txn && own == nil:
		return 0, nil, k.badSeen(check.FutureRead, p, key, w.txn, "it wrote that only later")
	case there && written && int(w.txn) == p.Txn:
		return 0, nil, k.badSeen(check.NotMyLastWrite, p, key, w.txn, fmt.Sprintf("it had written %d", own.Value))
	case own != nil:
		return 0, nil, k.badSeen(check.NotMyOwnWrite, p, key, -1, fmt.Sprintf("it had written %d itself", own.Value))
	case !written || !there:
		if k.chains[key][0] != key {
			return 0, nil, k.badSeen(check.ThinAirRead, p, key, -1, "the initial transaction wrote that key")
		}
		return key, nil, nil
	case k.h.Txns[w.txn].Status == register.Aborted:
		return 0, nil, k.badSeen(check.AbortedRead, p, key, w.txn, k.h.TxnName(int(w.txn))+" aborted")
	case w.version < 0:
		return 0, nil, k.badSeen(check.IntermediateRead, p, key, w.txn, k.h.TxnName(int(w.txn))+" overwrote that itself")
	case k.place[w.version] < 0:
		return 0, nil, k.unknown(Complete, "%s searched for %s and saw version %d of %s, which the certificate lacks", k.h.TxnName(p.Txn), k.name(p), value, k.h.KeyName(key))
	}
	return w.version, nil, nil
}

// lastOf returns the version that a transaction left of a key.
func (k *checker) lastOf(t int, key int32) int32 {
	for v := k.r.FirstVersion[t]; v < k.r.FirstVersion[t+1]; v++ {
		if k.r.VersionKey[v] == key {
			return v
		}
	}
	return key
}

// asOf returns the version that was committed at the instant of a search.
func (k *checker) asOf(p *Predicate, key int32) (int32, *check.Verdict) {
	chain := k.chains[key]
	seen := chain[0]
	for _, v := range chain {
		t := k.r.VersionTxn[v]
		if t < 0 || int(t) == k.h.Initial {
			continue
		}
		if k.c.Times == nil || k.c.Times[t].Commit == 0 {
			return 0, k.unknown(Complete, "the certificate does not say when %s committed", k.h.TxnName(int(t)))
		}
		if k.c.Times[t].Commit <= p.AsOf {
			seen = v
		}
	}
	return seen, nil
}

func (k *checker) badSeen(a check.Anomaly, p *Predicate, key, writer int32, why string) *check.Verdict {
	e := check.Edge{To: k.h.TxnName(p.Txn), FromTxn: int(writer), ToTxn: p.Txn, Kind: check.PWR, Key: k.h.KeyName(key),
		Text: fmt.Sprintf("%s searched for %s and saw %s, but %s", k.h.TxnName(p.Txn), k.name(p), k.seenText(p, key), why)}
	if writer >= 0 {
		e.From = k.h.TxnName(int(writer))
	}
	return k.invalid(a, e)
}

// seenText is the version of a key that a search saw, in words.
func (k *checker) seenText(p *Predicate, key int32) string {
	name := k.h.KeyName(key)
	if p.AsOf != 0 {
		return fmt.Sprintf("%s as of %d", name, p.AsOf)
	}
	if v, ok := p.Seen[key]; ok {
		return fmt.Sprintf("version %d of %s", v, name)
	}
	return name + " as it was at first"
}

// result compares what a search returned with what matches.
func (k *checker) result(p *Predicate, matched []int32) *check.Verdict {
	if !p.Listed {
		return nil
	}
	got, want := slices.Clone(p.Result), slices.Clone(matched)
	slices.Sort(got)
	slices.Sort(want)
	if slices.Equal(got, want) {
		return nil
	}
	return k.invalid(check.ResultSetMismatch, check.Edge{To: k.h.TxnName(p.Txn), FromTxn: -1, ToTxn: p.Txn, Kind: check.PWR,
		Text: fmt.Sprintf("%s searched for %s: of what it saw, %s match; it found %s", k.h.TxnName(p.Txn), k.name(p), k.keys(want), k.keys(got))})
}

// keys lists keys by name.
func (k *checker) keys(keys []int32) string {
	names := make([]string, len(keys))
	for i, key := range keys {
		names[i] = k.h.KeyName(key)
	}
	return "{" + strings.Join(names, " ") + "}"
}

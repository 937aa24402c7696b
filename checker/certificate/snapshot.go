package certificate

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"txweave/checker"
	"txweave/fault"
	"txweave/history"
)

// Sighted says whether the version set of a search is known from its transaction's snapshot.
func (c *Certificate) Sighted(p *Predicate) bool {
	return c.Snapshots != nil && !p.Current && c.Snapshots[p.Txn].Known()
}

// deletions finds the versions that end a row, where what comes after them is another one.
func (k *judge) deletions() {
	if !k.c.Reborn {
		return
	}
	k.gone = map[int32]bool{}
	for i := range k.c.Tables {
		for v, row := range k.c.Tables[i].Rows {
			if version, _ := k.r.Written(v.Key, v.Value); row == nil && version >= 0 {
				k.gone[version] = true
			}
		}
	}
}

// reborn says whether the version after one does not depend on it: it is a row that was inserted where another one had
// been deleted, and the snapshot of who inserted it does not have that deletion, so that only the index was asked
// whether the key is free. Where the snapshot has it, the deletion came before all that the transaction did.
func (k *judge) reborn(version int32) bool {
	next := k.after(version)
	if !k.gone[version] || next == checker.None {
		return false
	}
	if k.c.Snapshots == nil { // a file need not have them
		return true
	}
	number, known := k.number(version)
	by := k.r.VersionTxn[next]
	if by < 0 || !known {
		return true
	}
	snapshot := &k.c.Snapshots[by]
	return !snapshot.Known() || number != 0 && !snapshot.Sees(number)
}

// number is by what number the database knows the writer of a version; 0: the rows that are there at first.
func (k *judge) number(version int32) (number uint64, known bool) {
	t := k.r.VersionTxn[version]
	if t < 0 || int(t) == k.h.Initial {
		return 0, true
	}
	number = k.c.Snapshots[t].Own
	return number, number != 0
}

// visible returns the place of the version of a key that is in the snapshot of a transaction. Who wrote the next one
// had the row's lock only when the writer before it had ended, so that a snapshot has the first few of a chain:
// snapshots finds those that have not.
func (k *judge) visible(t int, key int32) (int32, *checker.Verdict) {
	chain, snapshot := k.chains[key], &k.c.Snapshots[t]
	if k.numbered == nil {
		k.numbered = make([]bool, k.h.Keys())
	}
	if !k.numbered[key] {
		for _, v := range chain {
			if _, known := k.number(v); !known {
				return 0, k.unknown(Complete, "the certificate does not say by what number %s is known",
					k.h.TxnName(int(k.r.VersionTxn[v])))
			}
		}
		k.numbered[key] = true
	}
	n := sort.Search(len(chain), func(i int) bool {
		number, _ := k.number(chain[i])
		return number != 0 && !snapshot.Sees(number)
	})
	return int32(max(n-1, 0)), nil
}

// snapshots holds every dependency against what the transactions' snapshots say: whoever read, replaced or came after
// what another one left had it in its snapshot, and who missed what replaced something that it read had not.
func (k *judge) snapshots() *checker.Verdict {
	if k.c.Snapshots == nil {
		return nil
	}
	if bad := k.chained(); bad != nil {
		return bad
	}
	return k.against(k.unsighted)
}

// unsighted says how snapshots contradict an edge; "" if they do not.
func (k *judge) unsighted(e edge) string {
	reader, writer, sees := e.to, e.from, false
	if anti(e.kind) {
		reader, writer, sees = e.from, e.to, true
	}
	snapshot, number := &k.c.Snapshots[reader], k.c.Snapshots[writer].Own
	if !snapshot.Known() || number == 0 || snapshot.Sees(number) != sees {
		return ""
	}
	has := "has not"
	if sees {
		has = "has"
	}
	return fmt.Sprintf("the snapshot of %s, %s, %s the transaction %d, which %s is", k.h.TxnName(int(reader)),
		snapshot.String(), has, number, k.h.TxnName(int(writer)))
}

// chained holds snapshots against each other: of any two one has all writers that the other one has, as they are
// taken one after another.
func (k *judge) chained() *checker.Verdict {
	var writers []uint64
	var txns []int
	for t := range k.h.Txns {
		s := &k.c.Snapshots[t]
		if t != k.h.Initial && k.r.Taken[t] && s.Own != 0 {
			writers = append(writers, s.Own)
		}
		if s.Known() {
			txns = append(txns, t)
		}
	}
	slices.Sort(writers)
	counts := make([]int, len(k.h.Txns))
	for _, t := range txns {
		s := &k.c.Snapshots[t]
		counts[t], _ = slices.BinarySearch(writers, s.Max)
		unseen := s.Active
		if s.Own != 0 && !slices.Contains(s.Active, s.Own) {
			unseen = append(slices.Clip(unseen), s.Own)
		}
		for _, n := range unseen {
			if _, wrote := slices.BinarySearch(writers, n); wrote && !s.Sees(n) && n < s.Max {
				counts[t]--
			}
		}
	}
	slices.SortStableFunc(txns, func(a, b int) int { return cmp.Compare(counts[a], counts[b]) })
	for i := 1; i < len(txns); i++ {
		less, more := txns[i-1], txns[i]
		a, b := &k.c.Snapshots[less], &k.c.Snapshots[more]
		if n := beyond(writers, a, b); n != 0 {
			return k.invalid(fault.HistoryStartOrderViolation, checker.ExplainedEdge{From: k.h.TxnName(less), FromTxn: less,
				To: k.h.TxnName(more), ToTxn: more, Kind: history.SO, Key: "",
				Text: fmt.Sprintf(
					"the snapshot of %s, %s, has the transaction %d, which that of %s, %s, has not; but that has others which it "+
						"has not",
					k.h.TxnName(less), a.String(), n, k.h.TxnName(more), b.String())})
		}
	}
	return nil
}

// beyond returns a writer that one snapshot has and another one has not; 0 if there is none. Nobody's own number
// counts: it is in neither way in a snapshot.
func beyond(writers []uint64, a, b *history.Snapshot) uint64 {
	from, _ := slices.BinarySearch(writers, b.Max)
	to, _ := slices.BinarySearch(writers, a.Max)
	for _, n := range slices.Concat(b.Active, writers[from:max(from, to)]) {
		if _, wrote := slices.BinarySearch(writers, n); wrote && n != b.Own && a.Sees(n) && !b.Sees(n) {
			return n
		}
	}
	return 0
}

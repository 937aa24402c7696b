package certificate

import (
	"fmt"
	"sort"

	"txweave/checker"
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

// number is by what number the database knows the writer of a version; 0: the rows that are there at first.
func (k *judge) number(version int32) (number uint64, known bool) {
	t := k.r.VersionTxn[version]
	if t < 0 || int(t) == k.h.Initial {
		return 0, true
	}
	number = k.c.Snapshots[t].Own
	return number, number != 0
}

// visible returns the place of the version of a key that is in the snapshot of a transaction. Who wrote the next one had the row's
// lock only when the writer before it had ended, so that a snapshot has the first few of a chain: snapshots finds those
// that have not.
func (k *judge) visible(t int, key int32) (int32, *checker.Verdict) {
	chain, snapshot := k.chains[key], &k.c.Snapshots[t]
	if k.numbered == nil {
		k.numbered = make([]bool, k.h.Keys())
	}
	if !k.numbered[key] {
		for _, v := range chain {
			if _, known := k.number(v); !known {
				return 0, k.unknown(Complete, "the certificate does not say by what number %s is known", k.h.TxnName(int(k.r.VersionTxn[v])))
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

// snapshots holds every dependency against what the transactions' snapshots say: whoever read, replaced or came after what another one left had
// it in its snapshot, and who missed what replaced something that it read had not.
func (k *judge) snapshots() *checker.Verdict {
	if k.c.Snapshots == nil {
		return nil
	}
	var bad *checker.Verdict
	for t := range int32(len(k.h.Txns)) {
		if int(t) == k.h.Initial {
			continue
		}
		k.out(t, func(e edge) {
			if why := k.unsighted(e); why != "" && bad == nil {
				x := k.explain(e)
				x.Text += "; but " + why
				bad = k.invalid(checker.StartOrderViolation, x)
			}
		})
		if bad != nil {
			return bad
		}
	}
	return nil
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
	return fmt.Sprintf("the snapshot of %s, %s, %s the transaction %d, which %s is", k.h.TxnName(int(reader)), snapshot.String(), has, number, k.h.TxnName(int(writer)))
}

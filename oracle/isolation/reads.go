package isolation

import (
	"fmt"

	"txweave/sdg"
)

// dirtyWrite is G0, a cycle of write dependencies, and P0: since the order of completion is known, a write over a
// version of a transaction that had not ended yet, without which there is no such cycle.
func (g *graph) dirtyWrite() *Anomaly {
	for i := range g.h.Ops {
		op := &g.h.Ops[i]
		for _, w := range op.Wrote {
			if w.From < 0 {
				continue
			}
			v := sdg.Version{Item: w.Item, VKey: int64(w.From)}
			k, ok := g.writer[v]
			if !ok || g.h.Ops[k].Txn == op.Txn || g.h.Txns[g.h.Ops[k].Txn].End <= i {
				continue
			}
			from := &g.h.Ops[k]
			return &Anomaly{Txns: []int{op.Txn, from.Txn}, Explanation: []string{
				fmt.Sprintf("%s wrote %s", from.Name, v),
				fmt.Sprintf("%s %s, though %s had not ended", op.Name, overwroteIt(w), txnName(from.Txn)),
			}}
		}
	}
	return nil
}

// abortedRead is G1a: a committed transaction printed a version of one that was rolled back.
func (g *graph) abortedRead() *Anomaly {
	return g.badRead(func(from *Op, _ sdg.Version) string {
		if g.committed(from.Txn) {
			return ""
		}
		return fmt.Sprintf("%s was rolled back", txnName(from.Txn))
	})
}

// intermediateRead is G1b: a committed transaction printed a version that its writer overwrote itself.
func (g *graph) intermediateRead() *Anomaly {
	final := map[sdg.Version]string{} // by version that is not its transaction's last one: who overwrote it
	for _, op := range g.h.Ops {
		for _, w := range op.Wrote {
			v := sdg.Version{Item: w.Item, VKey: int64(w.From)}
			if i, ok := g.writer[v]; ok && w.From >= 0 && g.h.Ops[i].Txn == op.Txn {
				final[v] = op.Name
			}
		}
	}
	return g.badRead(func(from *Op, v sdg.Version) string {
		if final[v] == "" {
			return ""
		}
		return fmt.Sprintf("%s wrote the item again in %s", txnName(from.Txn), final[v])
	})
}

// badRead returns the first read, by a committed transaction, of another's version that bad objects to.
func (g *graph) badRead(bad func(from *Op, v sdg.Version) string) *Anomaly {
	for _, op := range g.h.Ops {
		if !g.committed(op.Txn) {
			continue
		}
		for _, v := range op.Read {
			i, ok := g.writer[v]
			if !ok || g.h.Ops[i].Txn == op.Txn {
				continue
			}
			from := &g.h.Ops[i]
			if why := bad(from, v); why != "" {
				return &Anomaly{Txns: []int{op.Txn, from.Txn}, Explanation: []string{
					fmt.Sprintf("%s wrote %s", from.Name, v), fmt.Sprintf("%s read it", op.Name), why,
				}}
			}
		}
	}
	return nil
}

// fractured finds a transaction that printed a version of another one and, of a second item that the other wrote
// too, the version before (read skew on items). With ordered set the older version must have been printed by a
// later statement, or by the same: that is OTV, the observed transaction vanishes, which even a snapshot for each
// statement forbids. Without, both reads must be plain: PMP on items, which a transaction's snapshot forbids. A
// plain and a locking read may look at different states (InnoDB, REPEATABLE READ), so they are never held
// against each other.
func (g *graph) fractured(ordered bool) *Anomaly {
	for i := range g.edges {
		for j := range g.edges {
			saw, missed := &g.edges[i], &g.edges[j]
			if saw.kind != wr || missed.kind != rw || saw.from != missed.to || saw.to != missed.from {
				continue
			}
			plain := g.h.Ops[saw.at].Plain
			if plain != g.h.Ops[missed.at].Plain || ordered && missed.at < saw.at || !ordered && !plain {
				continue
			}
			return anomaly(saw, missed)
		}
	}
	return nil
}

// fuzzyRead is P2: plain reads of one transaction printed two versions of an item, the later one not its own.
func (g *graph) fuzzyRead() *Anomaly {
	type key struct {
		txn  int
		item sdg.Item
	}
	first := map[key]int{} // op that printed the item first
	vkey := map[key]int64{}
	for i := range g.h.Ops {
		op := &g.h.Ops[i]
		if !op.Plain || !g.committed(op.Txn) {
			continue
		}
		for _, v := range op.Read {
			k := key{op.Txn, v.Item}
			w, written := g.writer[v]
			own := written && g.h.Ops[w].Txn == op.Txn
			if old, again := vkey[k]; again && old != v.VKey && !own {
				return &Anomaly{Txns: []int{op.Txn}, Explanation: []string{
					fmt.Sprintf("%s read %s", g.h.Ops[first[k]].Name, sdg.Version{Item: v.Item, VKey: old}),
					fmt.Sprintf("%s read %s, which %s did not write", op.Name, v, txnName(op.Txn)),
				}}
			}
			if _, again := vkey[k]; !again {
				first[k] = i
			}
			vkey[k] = v.VKey
		}
	}
	return nil
}

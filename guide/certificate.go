package guide

import (
	"strings"

	"txweave/history"
	"txweave/observe"
	"txweave/sdg"
	"txweave/weave"
)

// certificates adds what a certifier of serialization sees: each pair of edges that meet in a transaction.
func certificates(rep *weave.Report, add func(...string)) {
	if rep.Graph == nil {
		return
	}
	labels := transactionEdges(rep.Graph)
	txns := rep.First.Txns
	for a := range txns {
		for b := range txns {
			for c := range txns {
				in, out := labels[[2]int{a, b}], labels[[2]int{b, c}]
				if in == "" || out == "" {
					continue
				}
				add(ShapeCertificate, in, out, visit(a, b, c), together(&txns[a], &txns[b]), together(&txns[b], &txns[c]), firstToEnd(txns, a, b, c))
			}
		}
	}
}

// transactionEdges are the edges between transactions, by their numbers: "rw", "wr", "ww", and what there is of these at once.
func transactionEdges(g *sdg.Graph) map[[2]int]string {
	kinds := map[[2]int]sdg.Label{}
	for i := range g.Edges {
		from, to := g.Stmts[g.Edges[i].From].Txn, g.Stmts[g.Edges[i].To].Txn
		if from != to {
			kinds[[2]int{from, to}] |= g.Edges[i].Labels
		}
	}
	out := map[[2]int]string{}
	for pair, l := range kinds {
		var names []string
		for _, k := range []struct {
			of   sdg.Label
			name string
		}{{sdg.ItemAnti | sdg.PredicateAnti, "rw"}, {sdg.ItemRead | sdg.PredicateRead, "wr"}, {sdg.ItemWrite | sdg.PredicateWrite | sdg.ValueWrite, "ww"}} {
			if l&k.of != 0 {
				names = append(names, k.name)
			}
		}
		out[pair] = strings.Join(names, "+")
	}
	return out
}

// together says whether two transactions were open at once, or one behind the other.
func together(a, b *observe.ObservedTxn) string {
	switch {
	case a.Sent < b.Began:
		return "before"
	case b.Sent < a.Began:
		return "behind"
	}
	return "beside"
}

// firstToEnd says which of three transactions that committed did so first, as a, b or c; "-" where none did.
func firstToEnd(txns []observe.ObservedTxn, a, b, c int) string {
	first, at := "-", int64(0)
	for i, n := range []int{a, b, c} {
		if txns[n].Outcome == history.Committed && (first == "-" || txns[n].Sent < at) {
			first, at = "abc"[i:i+1], txns[n].Sent
		}
	}
	return first
}

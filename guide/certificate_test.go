package guide

import (
	"math"
	"slices"
	"strings"
	"testing"

	"txweave/history"
	"txweave/observe"
	"txweave/sdg"
	"txweave/weave"
)

// TestCertificates: two edges that meet in a transaction are told by what they are, by who was open beside whom, and by who committed first;
// edges within a transaction are none.
func TestCertificates(t *testing.T) {
	stmts := []sdg.Node{{Txn: 0}, {Txn: 1}, {Txn: 1}, {Txn: 2}}
	edge := func(from, to int, l sdg.Label) sdg.Edge { return sdg.Edge{From: from, To: to, Labels: l} }
	rep := &weave.Report{
		Graph: &sdg.Graph{Stmts: stmts, Edges: []sdg.Edge{edge(0, 1, sdg.ItemAnti), edge(0, 2, sdg.PredicateWrite), edge(1, 2, sdg.ItemRead), edge(2, 3, sdg.PredicateRead), edge(1, 0, sdg.PredicateAnti)}},
		First: &observe.Observation{Txns: []observe.ObservedTxn{
			{Outcome: history.Committed, Began: 1, Sent: 20},
			{Outcome: history.Committed, Began: 2, Sent: 10},
			{Outcome: history.Aborted, Began: 12, Sent: math.MaxInt64},
		}},
	}
	var got []string
	certificates(rep, func(parts ...string) { got = append(got, strings.Join(parts, " ")) })
	want := []string{
		"certificate rw+ww rw aba beside beside b", // T0 T1 T0
		"certificate rw+ww wr abc beside before b", // T0 T1 T2
		"certificate rw rw+ww aba beside beside a", // T1 T0 T1
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

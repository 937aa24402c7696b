package clock

import (
	"slices"
	"testing"

	"txweave/dbms"
	"txweave/fault"
	"txweave/history"
	"txweave/oracle/observe"
	"txweave/sdg"
)

var item = history.Item{Table: "t", PKey: 1}

// agreeing is a run of which everything agrees: T0 overwrites version 1 of the row with 100, then T1 that with 101, and
// T2 reads the snapshot in between.
func agreeing() *observe.Observation {
	return &observe.Observation{
		Initial: map[string]map[int64]int64{"t": {1: 1}},
		Txns: []observe.ObservedTxn{
			{Start: 10, Commit: 20, Began: 1, Done: 2},
			{Start: 30, Commit: 40, Began: 3, Done: 6},
			{Start: 25, Began: 3, Done: 7, Snapshot: map[string]map[int64]int64{"t": {1: 100}}},
		},
		Stmts: []*observe.ObservedStmt{
			{Node: sdg.Node{Name: "T0.S0", Txn: 0, Writes: []history.Write{{Item: item, From: 1, To: 100}}},
				View: dbms.Current, Read: 10},
			{Node: sdg.Node{Name: "T1.S0", Txn: 1, Writes: []history.Write{{Item: item, From: 100, To: 101}}},
				View: dbms.Current, Read: 35},
			{Node: sdg.Node{Name: "T2.S0", Txn: 2, Reads: []sdg.TableRead{{Table: "t", Seen: map[int64]int64{1: 100}}},
				Out: []history.Version{{Item: item, VKey: 100}}}, View: dbms.Snapshot, Read: 25},
		},
		Versions: map[history.Item][]observe.VersionStamp{item: {{Start: 1, Commit: 2, State: 1}, {Start: 10, Commit: 20,
			State: 100}, {Start: 30, Commit: 40, State: 101}}},
	}
}

func TestFind(t *testing.T) {
	inserts := &observe.ObservedStmt{Node: sdg.Node{Name: "T2.S-", Txn: 2,
		Writes: []history.Write{{Item: history.Item{Table: "t", PKey: 2}, From: history.Unborn, To: 200}}}}
	for _, c := range []struct {
		name string
		edit func(*observe.Observation)
		want []fault.Kind
	}{
		{"everything agrees", func(*observe.Observation) {}, nil},
		{"the store is not asked", func(h *observe.Observation) { h.Versions = nil }, nil},
		{"committed before it began", func(h *observe.Observation) { h.Txns[1].Commit = 30 }, []fault.Kind{fault.CommitOrder,
			fault.VersionOrder}},
		{"began at a timestamp before that of a transaction that had ended", func(h *observe.Observation) {
			h.Txns[2].Start = 15
		}, []fault.Kind{fault.CommitOrder}},
		{"a version is lost", func(h *observe.Observation) { h.Versions[item] = h.Versions[item][:2] },
			[]fault.Kind{fault.VersionOrder}},
		{"a version that nobody wrote", func(h *observe.Observation) {
			h.Versions[item] = append(h.Versions[item], observe.VersionStamp{Start: 50, Commit: 51, State: 102})
		}, []fault.Kind{fault.VersionOrder}},
		{"a version of a transaction that did not write the row", func(h *observe.Observation) {
			h.Versions[item] = append(h.Versions[item], observe.VersionStamp{Start: 25, Commit: 51, State: 102})
		}, []fault.Kind{fault.VersionOrder}},
		{"another version than the one written", func(h *observe.Observation) { h.Versions[item][2].State = 103 },
			[]fault.Kind{fault.VersionOrder}},
		{"deleted instead", func(h *observe.Observation) { h.Versions[item][2].State = history.Dead },
			[]fault.Kind{fault.VersionOrder}},
		{"a version at another time than its transaction", func(h *observe.Observation) { h.Versions[item][2].Commit = 41 },
			[]fault.Kind{fault.VersionOrder}},
		{"overwrote another version than the one before", func(h *observe.Observation) { h.Stmts[1].Writes[0].From = 1 },
			[]fault.Kind{fault.VersionOrder, fault.TimestampRead}},
		{"a write that left no version anywhere", func(h *observe.Observation) { delete(h.Versions, item) },
			[]fault.Kind{fault.VersionOrder, fault.VersionOrder, fault.TimestampRead, fault.TimestampRead}},
		{"the snapshot reads back as another version", func(h *observe.Observation) { h.Txns[2].Snapshot["t"][1] = 1 },
			[]fault.Kind{fault.SnapshotRead}},
		{"the snapshot reads back without the row", func(h *observe.Observation) { delete(h.Txns[2].Snapshot["t"], 1) },
			[]fault.Kind{fault.SnapshotRead}},
		{"the snapshot reads back with a row more", func(h *observe.Observation) { h.Txns[2].Snapshot["t"][2] = 5 },
			[]fault.Kind{fault.SnapshotRead}},
		{"overlaid with an own write", func(h *observe.Observation) {
			h.Stmts = slices.Insert(h.Stmts, 2, inserts)
			h.Stmts[3].Reads[0].Seen[2] = 200
			h.Txns[2].Outcome = history.Aborted
		}, nil},
		{"an own write is missed", func(h *observe.Observation) {
			h.Stmts = slices.Insert(h.Stmts, 2, inserts)
			h.Txns[2].Outcome = history.Aborted
		}, []fault.Kind{fault.SnapshotRead}},
		{"printed what came later", func(h *observe.Observation) { h.Stmts[2].Out[0].VKey = 101 },
			[]fault.Kind{fault.TimestampRead}},
		{"read at an older timestamp", func(h *observe.Observation) { h.Stmts[1].Read = 15 },
			[]fault.Kind{fault.TimestampRead}},
		{"not known what a statement wrote", func(h *observe.Observation) {
			h.Stmts[1].Writes, h.Stmts[1].Target, h.Stmts[1].Waited, h.Stmts[1].Compared = nil, "t", true, true
		}, nil},
		{"not all known of what a statement wrote that did not wait", func(h *observe.Observation) {
			h.Stmts[1].Writes, h.Stmts[1].Target, h.Stmts[1].Unsure = nil, "t", []string{"t"}
		}, nil},
		{"not all known of another table", func(h *observe.Observation) {
			h.Stmts[1].Writes, h.Stmts[1].Target, h.Stmts[1].Unsure = nil, "t", []string{"u"}
		}, []fault.Kind{fault.VersionOrder}},
	} {
		h := agreeing()
		c.edit(h)
		var got []fault.Kind
		for _, a := range Find(h) {
			got = append(got, a.What)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, Find(h), c.want)
		}
	}
}

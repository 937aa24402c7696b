package tidbcert

import (
	"slices"
	"testing"
	"txweave/history"
)

var item = history.Item{Table: "t", PKey: 1}

// agreeing is a run of which everything agrees: T0 overwrites version 1 of the row with 100, then T1 that with 101, and
// T2 reads the snapshot in between.
func agreeing() *History {
	return &History{
		Initial: map[string]map[int64]int64{"t": {1: 1}},
		Txns: []Txn{
			{Name: "T0", Committed: true, Start: 10, Commit: 20, Began: 1, Ended: 2},
			{Name: "T1", Committed: true, Start: 30, Commit: 40, Began: 3, Ended: 6},
			{Name: "T2", Committed: true, Start: 25, Began: 3, Ended: 7, Snapshot: map[string]map[int64]int64{"t": {1: 100}}},
		},
		Stmts: []Stmt{
			{Name: "T0.S0", Txn: 0, At: 10, Writes: []history.Write{{Item: item, From: 1, To: 100}}},
			{Name: "T1.S0", Txn: 1, At: 35, Writes: []history.Write{{Item: item, From: 100, To: 101}}},
			{Name: "T2.S0", Txn: 2, At: 25, Saw: map[string]map[int64]int64{"t": {1: 100}}, Printed: []history.Version{{Item: item, VKey: 100}}},
		},
		Versions: map[history.Item][]Version{item: {{Start: 1, Commit: 2, State: 1}, {Start: 10, Commit: 20, State: 100}, {Start: 30, Commit: 40, State: 101}}},
	}
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(*History)
		want []string
	}{
		{"everything agrees", func(*History) {}, nil},
		{"the store is not asked", func(h *History) { h.Versions = nil }, nil},
		{"committed before it began", func(h *History) { h.Txns[1].Commit = 30 }, []string{CommitOrder, VersionOrder}},
		{"began at a timestamp before that of a transaction that had ended", func(h *History) { h.Txns[2].Start = 15 }, []string{CommitOrder}},
		{"a version is lost", func(h *History) { h.Versions[item] = h.Versions[item][:2] }, []string{VersionOrder}},
		{"a version that nobody wrote", func(h *History) {
			h.Versions[item] = append(h.Versions[item], Version{Start: 50, Commit: 51, State: 102})
		}, []string{VersionOrder}},
		{"a version of a transaction that did not write the row", func(h *History) {
			h.Versions[item] = append(h.Versions[item], Version{Start: 25, Commit: 51, State: 102})
		}, []string{VersionOrder}},
		{"another version than the one written", func(h *History) { h.Versions[item][2].State = 103 }, []string{VersionOrder}},
		{"deleted instead", func(h *History) { h.Versions[item][2].State = history.Dead }, []string{VersionOrder}},
		{"a version at another time than its transaction", func(h *History) { h.Versions[item][2].Commit = 41 }, []string{VersionOrder}},
		{"overwrote another version than the one before", func(h *History) { h.Stmts[1].Writes[0].From = 1 }, []string{VersionOrder, TimestampRead}},
		{"a write that left no version anywhere", func(h *History) { delete(h.Versions, item) }, []string{VersionOrder, VersionOrder, TimestampRead, TimestampRead}},
		{"the snapshot reads back as another version", func(h *History) { h.Txns[2].Snapshot["t"][1] = 1 }, []string{SnapshotRead}},
		{"the snapshot reads back without the row", func(h *History) { delete(h.Txns[2].Snapshot["t"], 1) }, []string{SnapshotRead}},
		{"the snapshot reads back with a row more", func(h *History) { h.Txns[2].Snapshot["t"][2] = 5 }, []string{SnapshotRead}},
		{"overlaid with an own write", func(h *History) {
			h.Stmts = slices.Insert(h.Stmts, 2, Stmt{Name: "T2.S-", Txn: 2, Writes: []history.Write{{Item: history.Item{Table: "t", PKey: 2}, From: history.Unborn, To: 200}}})
			h.Stmts[3].Saw["t"][2] = 200
			h.Txns[2].Committed = false
		}, nil},
		{"an own write is missed", func(h *History) {
			h.Stmts = slices.Insert(h.Stmts, 2, Stmt{Name: "T2.S-", Txn: 2, Writes: []history.Write{{Item: history.Item{Table: "t", PKey: 2}, From: history.Unborn, To: 200}}})
			h.Txns[2].Committed = false
		}, []string{SnapshotRead}},
		{"printed what came later", func(h *History) { h.Stmts[2].Printed[0].VKey = 101 }, []string{TimestampRead}},
		{"read at an older timestamp", func(h *History) { h.Stmts[1].At = 15 }, []string{TimestampRead}},
		{"not known what a statement wrote", func(h *History) {
			h.Stmts[1].Writes, h.Stmts[1].Unsure = nil, "t"
		}, nil},
	} {
		h := agreeing()
		c.edit(h)
		var got []string
		for _, a := range Find(h) {
			got = append(got, a.What)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, Find(h), c.want)
		}
	}
}

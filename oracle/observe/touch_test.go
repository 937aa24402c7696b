package observe

import (
	"testing"

	"txweave/history"
	"txweave/instrument"
	"txweave/sdg"
	"txweave/sql/sqltext"
)

// TestTouches checks which statements touch some rows and not all; table t has rows 1, 2 and 3.
func TestTouches(t *testing.T) {
	item := func(pkey int64) history.Item { return history.Item{Table: "t", PKey: pkey} }
	for _, c := range []struct {
		name        string
		kind        sqltext.Kind
		matched     []int64 // by the read before it
		wrote, read []int64
		items       int // tables whose rows it prints
		err         *history.DBError
		some, known bool
	}{
		{"an update of one row", sqltext.Update, nil, []int64{2}, nil, 0, nil, true, true},
		{"one that leaves the row as it is", sqltext.Update, []int64{2}, nil, nil, 0, nil, true, true},
		{"of none", sqltext.Update, nil, nil, nil, 0, nil, false, true},
		{"a delete of all", sqltext.Delete, nil, []int64{1, 2, 3}, nil, 0, nil, false, true},
		{"of all but one", sqltext.Delete, nil, []int64{1, 3}, nil, 0, nil, true, true},
		{"a select that prints two rows, one of them twice", sqltext.Select, nil, nil, []int64{1, 1, 2}, 1, nil, true, true},
		{"all rows", sqltext.Select, nil, nil, []int64{1, 2, 3}, 1, nil, false, true},
		{"no keys", sqltext.Select, nil, nil, nil, 0, nil, false, false},
		{"an insert", sqltext.Insert, nil, []int64{4}, nil, 0, nil, false, false},
		{"one that failed", sqltext.Update, nil, nil, nil, 0, &history.DBError{Code: 1062}, false, false},
	} {
		s := &ObservedStmt{Node: sdg.Node{Kind: c.kind,
			Reads: []sdg.TableRead{{Table: "t", Seen: map[int64]int64{1: 1, 2: 2, 3: 3}}}},
			Target: "t", Err: c.err,
			Run: &BlockRun{Block: &instrument.Block{Info: &sqltext.Analysis{Items: make([]sqltext.ItemOutput, c.items)}}}}
		for i := range s.Run.Block.Info.Items {
			s.Run.Block.Info.Items[i].Table = "t"
		}
		for _, pkey := range c.matched {
			s.Matched = map[int64]int64{pkey: pkey}
		}
		for _, pkey := range c.wrote {
			s.Writes = append(s.Writes, history.Write{Item: item(pkey), From: history.State(pkey), To: 100})
		}
		for _, pkey := range c.read {
			s.Out = append(s.Out, history.Version{Item: item(pkey), VKey: pkey})
		}
		if some, known := s.Touches(); some != c.some || known != c.known {
			t.Errorf("%s: %v, %v, want %v, %v", c.name, some, known, c.some, c.known)
		}
	}
}

package consistency_test

import (
	"testing"

	"txweave/dbms"
	"txweave/history"
	"txweave/instrument"
	"txweave/oracle/consistency"
	"txweave/oracle/observe"
	"txweave/sdg"
	"txweave/sql/sqltext"
)

// TestOwn: what a trigger, or a foreign key's action, writes into another table is not counted as affected.
func TestOwn(t *testing.T) {
	write := func(table string, pkey int64, from, to history.State) history.Write {
		return history.Write{Item: history.Item{Table: table, PKey: pkey}, From: from, To: to}
	}
	for name, c := range map[string]struct {
		affected int64
		change   func(*observe.ObservedStmt)
		odd      bool
	}{
		"its own rows":          {2, nil, false},
		"those of others, too":  {3, nil, true},
		"one less":              {1, nil, true},
		"its own table, too":    {3, func(s *observe.ObservedStmt) { s.Run.Block.Info.Spreads = true }, false},
		"it may have more":      {3, func(s *observe.ObservedStmt) { s.Unsure = []string{"t"} }, false},
		"no key of its own":     {3, func(s *observe.ObservedStmt) { s.Run.Block.Info.Unkeyed = true }, false},
		"a row has a new name":  {3, func(s *observe.ObservedStmt) { s.Writes[0].From = history.Unborn }, false},
		"it replaces":           {3, func(s *observe.ObservedStmt) { s.Replaces = true }, false},
		"it waited":             {3, func(s *observe.ObservedStmt) { s.Waited = true }, false},
		"it carries nothing":    {2, func(s *observe.ObservedStmt) { s.Carries, s.Loose = false, true }, false},
		"it failed, and is odd": {3, func(s *observe.ObservedStmt) { s.Err = &history.DBError{Code: 19} }, true},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := dbms.Lookup("sqlite", "serializable")
			if err != nil {
				t.Fatal(err)
			}
			s := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S0", Kind: sqltext.Update}, Target: "t", VKey: 9,
				Affected: c.affected, Carries: true, Loose: true, Compared: true,
				Run: &observe.BlockRun{Block: &instrument.Block{Info: &sqltext.Analysis{Kind: sqltext.Update, VKey: 9}}}}
			s.Reads = []sdg.TableRead{{Table: "t", Seen: map[int64]int64{1: 1, 2: 2}}, {Table: "u", Seen: map[int64]int64{7: 7}}}
			s.Writes = []history.Write{write("t", 1, 1, 9), write("t", 2, 2, 9), write("u", 7, 7, 8)}
			if c.change != nil {
				c.change(s)
			}
			r, err := consistency.Oracle{}.Judge(&observe.Observation{Promise: p, Txns: []observe.ObservedTxn{{}},
				Stmts: []*observe.ObservedStmt{s}})
			if err != nil {
				t.Fatal(err)
			}
			if odd := len(r.Differences) > 0 && (r.Differences[0].What == "affected-versus-written" || s.Err != nil); odd !=
				c.odd {
				t.Errorf("it says %+v", r.Differences)
			}
		})
	}
}

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

// rows are rows of columns; all cells are integers.
func rows(columns []string, cells ...int64) *history.Rows {
	r := &history.Rows{Columns: columns}
	for _, n := range cells {
		r.Cells = append(r.Cells, history.IntValue(n))
	}
	return r
}

// TestReturned: what a write returns of a row is what the row is right after it, and it returns each row that it
// writes. What it may well leave out, or return besides, is no finding.
func TestReturned(t *testing.T) {
	p, err := dbms.Lookup("sqlite", "")
	if err != nil {
		t.Fatal(err)
	}
	returned := []string{"pkey", "c0"}
	after := func(cells ...int64) *history.Event {
		return &history.Event{Role: history.AWR, Answer: history.Answer{Rows: rows([]string{"pkey", "vkey", "c0"}, cells...)}}
	}
	answer := func(cells ...int64) *history.Event {
		return &history.Event{Role: history.Target, Answer: history.Answer{Rows: rows(returned, cells...)}}
	}
	write := func(pkey, from, to int64) history.Write {
		return history.Write{Item: history.Item{Table: "t", PKey: pkey}, From: history.State(from), To: history.State(to)}
	}
	const dead = int64(history.Dead)
	for name, c := range map[string]struct {
		kind   sqltext.Kind
		answer *history.Event
		after  *history.Event
		writes []history.Write
		change func(*observe.ObservedStmt)
		want   string
	}{
		"as it is": {sqltext.Update, answer(1, 8), after(1, 2, 8), []history.Write{write(1, 1, 2)}, nil, ""},
		"the value before": {sqltext.Update, answer(1, 7), after(1, 2, 8), []history.Write{write(1, 1, 2)}, nil,
			"of row 1 of t it returned c0 = 7, which is 8 right after it"},
		"a row less": {sqltext.Update, answer(1, 8), after(1, 2, 8, 3, 2, 9), []history.Write{write(1, 1, 2),
			write(3, 1, 2)}, nil, "it wrote row 3 of t (version 1 → 2) and returned no such row"},
		"a row more": {sqltext.Update, answer(1, 8, 3, 9), after(1, 2, 8), []history.Write{write(1, 1, 2)}, nil,
			"it returned row 3 of t and has not written it"},
		"… that stays": {sqltext.Update, answer(1, 8, 3, 9), after(1, 2, 8), []history.Write{write(1, 1, 2)},
			func(s *observe.ObservedStmt) { s.Compared = true }, ""},
		"a row deleted": {sqltext.Delete, answer(1, 7), nil, []history.Write{write(1, 1, dead)}, nil, ""},
		"another deleted": {sqltext.Delete, answer(3, 7), nil, []history.Write{write(1, 1, dead)}, nil,
			"it wrote row 1 of t (version 1, deleted) and returned no such row"},
		"a row replaced twice": {sqltext.Insert, answer(1, 5, 1, 8), after(1, 2, 8), []history.Write{write(1, 1, 2)},
			func(s *observe.ObservedStmt) { s.Replaces = true }, ""},
		"a row that it replaced": {sqltext.Insert, answer(3, 8), after(3, 2, 8), []history.Write{write(1, 1, dead),
			write(3, int64(history.Unborn), 2)},
			func(s *observe.ObservedStmt) { s.Replaces = true }, ""},
		"rows of a trigger": {sqltext.Update, answer(1, 7), after(1, 2, 8), []history.Write{write(1, 1, 2)},
			func(s *observe.ObservedStmt) { s.Returned = nil }, ""},
		"more than it says": {sqltext.Update, answer(1, 7), after(1, 2, 8), []history.Write{write(1, 1, 2)},
			func(s *observe.ObservedStmt) { s.Unsure = []string{"t"} }, ""},
		"an expression": {sqltext.Update, answer(1, 7), after(1, 2, 8), []history.Write{write(1, 1, 2)},
			func(s *observe.ObservedStmt) { s.Returned = []string{"pkey", ""} }, ""},
		"rows without keys": {sqltext.Update, answer(1, 7), after(1, 2, 8), []history.Write{write(1, 1, 2)},
			func(s *observe.ObservedStmt) { s.Returned = []string{"", "c0"} }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S0", Kind: c.kind, Writes: c.writes}, Target: "t", VKey: 2,
				Affected: int64(len(c.writes)), Returned: returned,
				Run: &observe.BlockRun{Block: &instrument.Block{}, Target: c.answer, AWR: c.after}}
			for _, w := range c.writes { // the read before it saw the same
				s.Reads = append(s.Reads, sdg.TableRead{Table: "t", Seen: map[int64]int64{w.PKey: int64(w.From)}})
			}
			if len(c.writes) == 2 {
				s.Reads = []sdg.TableRead{{Table: "t", Seen: map[int64]int64{c.writes[0].PKey: 1,
					c.writes[1].PKey: int64(c.writes[1].From)}}}
			}
			if c.change != nil {
				c.change(s)
			}
			r, err := consistency.Oracle{}.Judge(&observe.Observation{Promise: p, Txns: []observe.ObservedTxn{{}},
				Stmts: []*observe.ObservedStmt{s}})
			if err != nil {
				t.Fatal(err)
			}
			var got string
			if len(r.Differences) > 0 {
				if got = r.Differences[0].Detail(); r.Differences[0].What != "returned-versus-written" {
					t.Errorf("%+v", r.Differences)
				}
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestUpserts: an upsert counts each row that it spells, on MySQL and its kin twice where it changes one.
func TestUpserts(t *testing.T) {
	for _, c := range []struct {
		affected, least, most int64
		odd                   bool
	}{{2, 2, 2, false}, {0, 2, 2, true}, {3, 2, 2, true}, {4, 1, 4, false}, {0, 1, 4, true}, {5, 1, 4, true},
		{0, 0, 0, false}} {
		p, err := dbms.Lookup("sqlite", "")
		if err != nil {
			t.Fatal(err)
		}
		s := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S0", Kind: sqltext.Insert}, Target: "t", Affected: c.affected,
			Least: c.least, Most: c.most, Replaces: true}
		r, err := consistency.Oracle{}.Judge(&observe.Observation{Promise: p, Txns: []observe.ObservedTxn{{}},
			Stmts: []*observe.ObservedStmt{s}, Contents: map[string]bool{"t": true}})
		if err != nil {
			t.Fatal(err)
		}
		if odd := len(r.Differences) > 0 && r.Differences[0].What == "affected-versus-spelled"; odd != c.odd {
			t.Errorf("%d of %d to %d rows: %+v", c.affected, c.least, c.most, r.Differences)
		}
	}
}

// TestUpsertOfNothing: an upsert that counts rows and writes none is wrong, but where rows are told apart by their
// contents alone and one may have been replaced by its equal.
func TestUpsertOfNothing(t *testing.T) {
	p, err := dbms.Lookup("sqlite", "")
	if err != nil {
		t.Fatal(err)
	}
	insert := []history.Write{{Item: history.Item{Table: "t", PKey: 1}, From: history.Unborn, To: 2}}
	one, none := []sdg.TableRead{{Table: "t", Seen: map[int64]int64{1: 1}}},
		[]sdg.TableRead{{Table: "t", Seen: map[int64]int64{}}}
	for _, c := range []struct {
		name     string
		affected int64
		reads    []sdg.TableRead
		writes   []history.Write
		contents bool
		odd      bool
	}{
		{"it has a version", 1, one, nil, false, true},
		{"a row may be as it was", 1, one, nil, true, false},
		{"there is no row", 1, none, nil, true, true},
		{"nobody read the table", 1, nil, nil, true, false},
		{"it says none", 0, none, nil, false, false},
		{"it wrote one, twice", 3, none, insert, false, false},
	} {
		s := &observe.ObservedStmt{Node: sdg.Node{Name: "T0.S0", Kind: sqltext.Insert, Reads: c.reads, Writes: c.writes},
			Target: "t", Affected: c.affected, Replaces: true}
		o := &observe.Observation{Promise: p, Txns: []observe.ObservedTxn{{}}, Stmts: []*observe.ObservedStmt{s},
			Contents: map[string]bool{"t": c.contents}}
		r, err := consistency.Oracle{}.Judge(o)
		if err != nil {
			t.Fatal(err)
		}
		if odd := len(r.Differences) > 0 && r.Differences[0].What == "affected-versus-written"; odd != c.odd {
			t.Errorf("%s: %+v", c.name, r.Differences)
		}
		s.Carries = true // a trigger may have taken away what it wrote
		if r, err = (consistency.Oracle{}).Judge(o); err != nil || len(r.Differences) > 0 {
			t.Errorf("%s, with a trigger: %+v, %v", c.name, r.Differences, err)
		}
	}
}

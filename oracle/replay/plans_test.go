package replay

import (
	"testing"

	"txweave/history"
	"txweave/instrument"
	"txweave/oracle/observe"
	"txweave/sql/sqltext"
)

// TestComparable: what a comparison may call equal is one value between two plans, all else is two.
func TestComparable(t *testing.T) {
	text, number, float := history.TextValue, history.IntValue, history.FloatValue
	for _, c := range []struct {
		a, b history.Value
		same bool
	}{
		{text("a"), text("A"), true}, {text("a"), text("a  "), true}, {text("a"), text("b"), false},
		{text(" a"), text("a"), false},
		{number(1), float(1), true}, {text("1.50"), text("1.5"), true}, {float(0), number(0), true},
		{text("-0"), number(0), true},
		{number(1), number(2), false}, {text("1.5"), text("15"), false}, {history.Value{}, text(""), false},
		{history.Value{}, number(0), false},
	} {
		a := &history.Event{Answer: history.Answer{Rows: &history.Rows{Columns: []string{"x"}, Cells: []history.Value{c.a}}}}
		b := &history.Event{Answer: history.Answer{Rows: &history.Rows{Columns: []string{"x"}, Cells: []history.Value{c.b}}}}
		block := []*instrument.Block{{SQL: "SELECT x FROM t", Info: &sqltext.Analysis{Kind: sqltext.Select}}}
		diffs := ComparePlans(nil, block, &observe.Replayed{Events: []*history.Event{a}},
			&observe.Replayed{Events: []*history.Event{b}})
		if (len(diffs) == 0) != c.same {
			t.Errorf("%s and %s: %+v", c.a, c.b, diffs)
		}
	}
}

// TestOrdered: after a write whose outcome depends on the order of rows nothing is compared.
func TestOrdered(t *testing.T) {
	tables := []*sqltext.Table{{Name: "t"}, {Name: "counted", Columns: []sqltext.Column{{Name: "pkey", Counts: true}}}}
	for _, c := range []struct {
		sql    string
		info   sqltext.Analysis
		orders bool
	}{
		{"SELECT a FROM t LIMIT 3", sqltext.Analysis{Kind: sqltext.Select}, false},
		{"UPDATE t SET a = 1, b = 2 WHERE c IN (1, 2)", sqltext.Analysis{Kind: sqltext.Update}, false},
		{"UPDATE t SET a = (SELECT MAX(a) FROM u JOIN v)", sqltext.Analysis{Kind: sqltext.Update}, false},
		{"UPDATE IGNORE t SET a = 1", sqltext.Analysis{Kind: sqltext.Update}, true},
		{"UPDATE t, u SET t.a = u.a", sqltext.Analysis{Kind: sqltext.Update}, true},
		{"UPDATE t JOIN u ON t.a = u.a SET t.b = u.b", sqltext.Analysis{Kind: sqltext.Update}, true},
		{"UPDATE t SET a = 1 LIMIT 1", sqltext.Analysis{Kind: sqltext.Update}, true},
		{"UPDATE t SET a = 1 ORDER BY pkey LIMIT 1", sqltext.Analysis{Kind: sqltext.Update, TotalOrder: true}, false},
		{"DELETE FROM t WHERE a = 1", sqltext.Analysis{Kind: sqltext.Delete}, false},
		{"DELETE FROM t LIMIT 1", sqltext.Analysis{Kind: sqltext.Delete}, true},
		{"INSERT INTO t SELECT a FROM u", sqltext.Analysis{Kind: sqltext.Insert, Plain: true, Target: "t"}, false},
		{"INSERT INTO counted (a) SELECT a FROM u", sqltext.Analysis{Kind: sqltext.Insert, Plain: true,
			Target: "counted"}, true},
		{"REPLACE INTO t VALUES (1)", sqltext.Analysis{Kind: sqltext.Insert}, true},
	} {
		if got := ordered(blockOf(t, c.sql, &c.info), tables); got != c.orders {
			t.Errorf("%s: %v", c.sql, got)
		}
	}
}

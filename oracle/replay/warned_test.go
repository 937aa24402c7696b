package replay

import (
	"fmt"
	"slices"
	"testing"

	"txweave/dbms"
	"txweave/finding"
	"txweave/history"
	"txweave/instrument"
	"txweave/oracle/observe"
	"txweave/sql/sqltext"
)

// TestWarned: of warnings that differ, those are told which one side has more of, with a message that it has more of.
func TestWarned(t *testing.T) {
	w := func(code int, message string) history.Warning {
		return history.Warning{Level: "Warning", Code: code, Message: message}
	}
	a, b, c := w(1292, "Truncated incorrect DOUBLE value: 'a'"), w(1292, "Truncated incorrect DATE value: 'a'"),
		w(1364, "Field 'f' doesn't have a default value")
	own := w(1364, "Field '_g' doesn't have a default value")
	cut := func(column string, row int) history.Warning {
		return w(1265, fmt.Sprintf("Data truncated for column %s at row %d", column, row))
	}
	long := w(1265, "Data too long, field len 2, data len 3")
	for _, x := range []struct {
		a, b, want []history.Warning
		more       []int
	}{
		{nil, []history.Warning{a, a}, []history.Warning{a}, []int{-2}},
		{[]history.Warning{a, b}, []history.Warning{a}, []history.Warning{b}, []int{1}},
		// the code is the same, and so the message is the plan's
		{[]history.Warning{c, b}, []history.Warning{a}, []history.Warning{c}, []int{1}},
		{[]history.Warning{c, b}, nil, []history.Warning{b, c}, []int{1, 1}},
		{[]history.Warning{c}, []history.Warning{a}, []history.Warning{a, c}, []int{-1, 1}},
		{[]history.Warning{a, c}, []history.Warning{c, b}, nil, nil},
		{[]history.Warning{c, own}, []history.Warning{c}, []history.Warning{own}, []int{1}},
		{[]history.Warning{c, own, c}, nil, []history.Warning{own, c}, []int{1, 2}}, // each that a known bug may be known by
		{[]history.Warning{a, b, a}, []history.Warning{a}, []history.Warning{b, a}, []int{1, 1}},
		{nil, []history.Warning{b, a}, []history.Warning{b, a}, []int{-1, -1}},
		// which columns they are about is not the plan's
		{[]history.Warning{c, own}, []history.Warning{c, c}, []history.Warning{own, c}, []int{1, -1}},
		{[]history.Warning{cut("`x`.`t`.`c`", 1), cut("`x`.`t`.`d e`", 2)}, []history.Warning{cut("'d e'", 1),
			cut("'c'", 2)}, nil, nil},
		{[]history.Warning{cut("'c'", 1), cut("'d'", 2)}, []history.Warning{cut("'e'", 1), cut("'c'", 2)},
			[]history.Warning{cut("'d'", 2), cut("'e'", 1)}, []int{1, -1}},
		// one says nothing of its column
		{[]history.Warning{cut("'c'", 1), long}, []history.Warning{cut("'d'", 1), long}, nil, nil},
	} {
		got := warned(x.a, x.b)
		if !slices.EqualFunc(got, x.want, func(g finding.Warned, w history.Warning) bool { return g.Warning == w }) {
			t.Errorf("%v and %v: %v, want %v", x.a, x.b, got, x.want)
		}
		for i, g := range got {
			if g.More != x.more[i] {
				t.Errorf("%v and %v: %d more, want %d", x.a, x.b, g.More, x.more[i])
			}
		}
	}
}

// TestWarningsComeLast: a difference in warnings does not stand before one in rows, which it does not explain.
func TestWarningsComeLast(t *testing.T) {
	answer := func(n int64, ws ...history.Warning) *history.Event {
		return &history.Event{Answer: history.Answer{Rows: &history.Rows{Columns: []string{"a"},
			Cells: []history.Value{history.IntValue(n)}}, Warnings: ws}}
	}
	block := func(stmt int) *instrument.Block {
		return &instrument.Block{Stmt: stmt, Info: &sqltext.Analysis{Kind: sqltext.Select}}
	}
	nodes := []*observe.BlockRun{{Block: block(0), Target: answer(1, history.Warning{Level: "Warning", Code: 1364})},
		{Block: block(1), Target: answer(1)}}
	rep := &observe.Replayed{Events: []*history.Event{answer(1), answer(2)}}
	var got []string
	for _, d := range Compare(&dbms.Profile{}, nil, nodes, nil, rep) {
		got = append(got, d.Stmt+" "+string(d.What))
	}
	if want := []string{"T0.S1 rows", "T0.S0 warnings"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

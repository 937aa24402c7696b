package storm

import (
	"slices"
	"testing"

	"txweave/gen/workload"
)

// TestReborn: where a transaction has inserted a key whose row others have deleted since its snapshot, both are in
// sight: its own counts, and none where a condition lets through the other one alone. Rows of the same key in another
// table are what they are.
func TestReborn(t *testing.T) {
	x := &tx{session: &session{storm: &storm{opt: Options{Sessions: 6}}, id: 2}}
	n := int64(x.opt.Sinks())
	own := func(k int64) int64 { return k*n + 3%n }
	others := own(9) + 1
	x.reborn(0, 35, own(5))
	row := func(key, version int64) workload.Row { return workload.Row{Key: key, Version: version} }
	for _, c := range []struct {
		name  string
		table int
		rows  []workload.Row
		want  []workload.Row
	}{
		{"another one's alone", 0, []workload.Row{row(34, others), row(35, others)}, []workload.Row{row(34, others)}},
		{"one of its session's, from before", 0, []workload.Row{row(35, own(4))}, nil},
		{"its own", 0, []workload.Row{row(35, own(5))}, []workload.Row{row(35, own(5))}},
		{"its own, updated", 0, []workload.Row{row(35, own(6))}, []workload.Row{row(35, own(6))}},
		{"another table", 1, []workload.Row{row(35, others)}, []workload.Row{row(35, others)}},
	} {
		if got := x.current(c.table, slices.Clone(c.rows)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	rows := []workload.Row{row(35, others)}
	if !x.twice(rows, row(35, own(5))) || rows[0].Version != own(5) || x.twice(rows, row(34, others)) {
		t.Errorf("%v", rows)
	}
}

package observe

import (
	"testing"

	"txweave/history"
	"txweave/instrument"
	"txweave/sql/sqltext"
)

// TestPrintedVersion: where versions are contents, two of a row may hold one version key. A statement that printed that
// key printed the one that the read before it saw; after a wait it may have been either, and nothing is said of it.
func TestPrintedVersion(t *testing.T) {
	rows := &history.Rows{Columns: []string{"pkey", "vkey", "pvkey", "c"}}
	for _, n := range []int64{
		1, 7, 0, 10,
		1, 7, 0, 11, // an UPDATE that left the version key as it was
		1, 8, 7, 12,
	} {
		rows.Cells = append(rows.Cells, history.IntValue(n))
	}
	item := history.Item{Table: "t", PKey: 1}
	o := &observer{
		plan: &instrument.Plan{Schema: sqltext.SyntaxOf("sqlite").Schema(
			[]string{"CREATE TABLE t (pkey BIGINT PRIMARY KEY, vkey BIGINT, pvkey BIGINT, c INT)"}),
			Contents: map[string]bool{"t": true}},
		content: map[history.Version]rowContent{}, naming: naming{map[history.Item]map[string]int64{}, firstName},
	}
	var names []int64
	l := o.layout("t", rows)
	for i := range rows.Len() {
		v, err := o.version("t", rows, l, i)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, v.VKey)
	}
	seen := map[int64]int64{1: names[1]}
	for _, c := range []struct {
		vkey   int64
		waited bool
		want   int64 // 0: not known
	}{
		{7, false, names[1]},
		{7, true, 0},
		{8, true, names[2]},
	} {
		v, known := o.printed(history.Version{Item: item, VKey: c.vkey}, seen, c.waited)
		if known != (c.want != 0) || known && v.VKey != c.want {
			t.Errorf("vkey %d, waited %v: version %d, known %v; want %d", c.vkey, c.waited, v.VKey, known, c.want)
		}
	}
}

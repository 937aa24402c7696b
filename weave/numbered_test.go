package weave_test

import (
	"slices"
	"strings"
	"testing"

	"txweave/oracle/observe"
	"txweave/testcase"
	"txweave/weave"
)

// twice makes T0's last version-set read print the row of the snapshot beside the transaction's own; the row's number
// is 1.
func twice(name string) func(*observe.Run) {
	return inRun(name, func(b *observe.BlockRun) {
		for i := range b.VSR {
			if r := b.VSR[i].Rows; r.Len() > 0 {
				old := slices.Clone(r.Row(0))
				old[2] = r.Row(0)[1] // the initial version of row 1 is version 1
				r.Cells = append(r.Cells, old...)
			}
		}
	})
}

// TestReplacedRow: only what REPLACE gave another number may be seen twice, and only where the level mixes so.
func TestReplacedRow(t *testing.T) {
	file := readCase(t, "replaced_row")
	for _, c := range []struct{ name, level, from, to string }{
		{"updated in place", "mariadb/repeatable-read",
			"REPLACE INTO t (pkey, vkey, pvkey, v) VALUES (1, 100, 0, 7), (2, 100, 0, 7)",
			"UPDATE t SET pvkey = vkey, vkey = 100, v = 7 WHERE pkey < 3"},
		{"an upsert in place", "mariadb/repeatable-read",
			"REPLACE INTO t (pkey, vkey, pvkey, v) VALUES (1, 100, 0, 7), (2, 100, 0, 7)",
			"INSERT INTO t (pkey, vkey, pvkey, v) VALUES (1, 100, 0, 7) ON DUPLICATE KEY UPDATE pvkey = t.vkey, vkey = 100, v " +
				"= 7"},
		{"another row replaced", "mariadb/repeatable-read", "VALUES (1, 100, 0, 7), (2, 100, 0, 7)", "VALUES (3, 100, 0, 7)"},
		{"READ COMMITTED", "mariadb/read-committed", "", ""},
		{"SERIALIZABLE", "mariadb/serializable", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(string(file.Print()), c.from, c.to, 1)
			if c.from != "" && text == string(file.Print()) {
				t.Fatal("nothing was changed")
			}
			changed, err := testcase.Parse("changed", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			p := lookup(t, c.level)
			r := newRunner(t, p)
			for _, edit := range []bool{false, true} {
				e := &editor{Runner: r, when: always}
				if edit {
					e.run = twice("T0.S2")
				}
				rep, err := weave.Check(e, changed, p, weave.Options{Repeats: 2})
				if err != nil {
					t.Fatal(err)
				}
				if got := signatures(rep.Findings); edit != (len(got) > 0) || edit &&
					!slices.Contains(got, "inconsistent-read-write/SELECT:row-twice") {
					t.Errorf("printed twice: %v; findings %q", edit, got)
				}
			}
		})
	}
}

package innodb

import (
	"slices"
	"testing"

	"txweave/history"
)

// TestComplaints: a CHECK TABLE that somebody's lock kept from a table is none against it, which was taken for one
// beside nemeses that lock tables and change them. What is damaged comes with the complaint.
func TestComplaints(t *testing.T) {
	for name, c := range map[string]struct {
		rows [][2]string
		want []string
		busy bool
	}{
		"whole":     {[][2]string{{"status", "OK"}}, nil, false},
		"a warning": {[][2]string{{"Warning", "InnoDB: Unpurged clustered index record"}, {"status", "OK"}}, nil, false},
		"damaged": {[][2]string{{"Warning", "InnoDB: Index t0_v is marked as corrupted"}, {"error", "Corrupt"}},
			[]string{"d.t0: Corrupt: InnoDB: Index t0_v is marked as corrupted"}, false},
		"beside rows that are not purged": {[][2]string{{"Warning", "InnoDB: Index 't0_v' contains 2 entries, should be 3."},
			{"Warning", "InnoDB: Unpurged clustered index record"},
			{"error", "Corrupt"}}, []string{"d.t0: Corrupt: InnoDB: Index 't0_v' contains 2 entries, should be 3."}, false},
		"locked": {[][2]string{{"Error", "Lock wait timeout exceeded; try restarting transaction"},
			{"status", "Operation failed"}}, nil, true},
		"killed": {[][2]string{{"Error", "Query execution was interrupted"}, {"status", "Operation failed"}}, nil, true},
		"lost": {[][2]string{{"Error", "Failed to read from the .par file"}, {"error", "Corrupt"}},
			[]string{"d.t0: Corrupt: Failed to read from the .par file"}, false},
		"gone": {[][2]string{{"Error", "Table 'd.t0' doesn't exist"}, {"status", "Operation failed"}},
			[]string{"d.t0: Operation failed: Table 'd.t0' doesn't exist"}, false},
	} {
		rows := &history.Rows{Columns: []string{"Table", "Op", "Msg_type", "Msg_text"}}
		for _, r := range c.rows {
			rows.Cells = append(rows.Cells, history.Value{S: "d.t0"}, history.Value{S: "check"}, history.Value{S: r[0]},
				history.Value{S: r[1]})
		}
		if out, busy := complaints(rows); !slices.Equal(out, c.want) || busy != c.busy {
			t.Errorf("%s: %q, %v", name, out, busy)
		}
	}
}

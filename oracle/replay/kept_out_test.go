package replay

import (
	"testing"

	"txweave/dbms"
	"txweave/history"
	"txweave/instrument"
)

// TestAsItShould: an INSERT is refused for a key that a row has, and only then, and for a row that it refers to only
// where there is none.
func TestAsItShould(t *testing.T) {
	p := &dbms.Profile{Errors: dbms.Errors{Duplicate: []int{1062}, ForeignKey: []int{1452}}}
	for _, c := range []struct {
		name  string
		found []int64
		code  int // 0: it is not refused
		want  bool
	}{
		{"nothing is in its way", nil, 0, true},
		{"a key is there", []int64{instrument.KeyHeld}, 1062, true},
		{"a key is there, and nobody minds", []int64{instrument.KeyHeld}, 0, false},
		{"no key is there", nil, 1062, false},
		{"no key is there, and a parent is gone", []int64{instrument.ParentGone}, 1062, false},
		{"a parent is gone", []int64{instrument.ParentGone}, 1452, true},
		{"all parents are there", nil, 1452, false},
		{"all parents are there, and a key", []int64{instrument.KeyHeld}, 1452, false},
		{"a parent is gone, and nobody minds: told by the rows in the end", []int64{instrument.ParentGone}, 0, true},
		{"both, and one is told", []int64{instrument.KeyHeld, instrument.ParentGone}, 1452, true},
		{"another error", nil, 1264, true},
	} {
		rows := &history.Rows{Columns: []string{"1"}}
		for _, why := range c.found {
			rows.Cells = append(rows.Cells, history.IntValue(why))
		}
		var err *history.DBError
		if c.code != 0 {
			err = &history.DBError{Code: c.code}
		}
		if got := asItShould(rows, err, p); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TestPassed: an upsert with a condition writes one row, but where a row in its way does not meet that.
func TestPassed(t *testing.T) {
	for _, c := range []struct {
		name  string
		found []int64
		rows  int64
		sure  bool
	}{
		{"nothing is in its way", nil, 1, true},
		{"a row is, and is changed", []int64{instrument.KeyHeld, instrument.KeyMet}, 1, true},
		{"a row is, and stays", []int64{instrument.KeyHeld}, 0, true},
		{"two are, and either is changed", []int64{instrument.KeyHeld, instrument.KeyHeld, instrument.KeyMet,
			instrument.KeyMet}, 1, true},
		{"two are, and both stay", []int64{instrument.KeyHeld, instrument.KeyHeld}, 0, true},
		{"two are, and one of them stays", []int64{instrument.KeyHeld, instrument.KeyHeld, instrument.KeyMet}, 0, false},
	} {
		found := &history.Rows{Columns: []string{"1"}}
		for _, why := range c.found {
			found.Cells = append(found.Cells, history.IntValue(why))
		}
		if rows, sure := passed(found); rows != c.rows || sure != c.sure {
			t.Errorf("%s: %d, %v", c.name, rows, sure)
		}
	}
}

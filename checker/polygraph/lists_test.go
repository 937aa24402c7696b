package polygraph

import (
	"testing"

	"txweave/dbms"

	"txweave/checker"
	"txweave/history"
	"txweave/history/register"
)

// TestListsKeepTheirKeys checks a history whose keys come in another order once its lists have become registers: the
// order of versions must not go to another key, where the same values are.
func TestListsKeepTheirKeys(t *testing.T) {
	for _, tc := range []struct {
		y    []int64 // what the last transaction reads of y
		want checker.Validity
	}{{[]int64{2, 1}, checker.Valid}, {[]int64{1, 2}, checker.Invalid}} {
		b := register.NewBuilder(0, 0)
		x, y := b.Key("x"), b.Key("y")
		b.Begin(0, 0) // nobody learned what it read: x does not appear before y any more
		b.ReadList(x, nil)
		b.End(history.Aborted, 0, 0)
		b.Begin(1, 1)
		b.Append(y, 2)
		b.Append(x, 1)
		b.End(history.Committed, 0, 0)
		b.Begin(1, 2)
		b.Append(y, 1)
		b.Append(x, 2)
		b.End(history.Committed, 0, 0)
		b.Begin(2, 3)
		b.ReadList(y, tc.y)
		b.ReadList(x, []int64{1, 2})
		b.End(history.Committed, 0, 0)
		opt := Options{Options: checker.Options{SessionOrder: true}}
		if v := Check(t.Context(), b.History(), dbms.SER, opt); v.Outcome != tc.want {
			t.Errorf("y is %v: want %s, got %v", tc.y, tc.want, v)
		}
	}
}

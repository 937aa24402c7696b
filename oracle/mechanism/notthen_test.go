package mechanism

import (
	"testing"

	"txweave/fault"
)

// TestNotThen: a version whose writer began to commit after the snapshot and before the answer is newer than the
// snapshot; after the answer, or after the moment of a read without a snapshot, it was not committed at all.
func TestNotThen(t *testing.T) {
	it := &item{chain: []*version{{value: 7, cs: 50, ce: 60, w: &part{id: 2}}}}
	for _, c := range []struct {
		kind eventKind
		end  int64
		want fault.Kind
	}{{evSnapshot, 55, fault.NewerRead}, {evSnapshot, 45, fault.DirtyRead}, {evStatement, 55, fault.DirtyRead}} {
		why, ok := new(partition).notThen(&event{kind: c.kind, lo: 1, hi: 10, start: 20, end: c.end}, it, 7)
		if !ok || why.what != c.want || why.txn != 2 {
			t.Errorf("%+v: %+v", c, why)
		}
	}
}

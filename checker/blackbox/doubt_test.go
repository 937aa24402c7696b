package blackbox

import (
	"testing"

	"txweave/checker"
	"txweave/dbms"
	"txweave/history"
	"txweave/history/register"
)

// TestDoubt: a record that contradicts itself proves nothing valid; what is invalid stays so.
func TestDoubt(t *testing.T) {
	for read, want := range map[int64]checker.Validity{1: checker.Unknown, 2: checker.Invalid} {
		b := register.NewBuilder(0, 0)
		b.Begin(0, 1)
		b.Write(b.IntKey(1), 1)
		b.End(history.Committed, 0, 0)
		b.Begin(1, 2)
		b.Read(b.IntKey(1), read)
		b.End(history.Committed, 0, 0)
		h := b.History()
		h.Doubt = "one read found another value"
		for _, level := range []dbms.Level{dbms.RC, dbms.SI, dbms.SER} {
			v := Check(t.Context(), h, level, checker.Options{SessionOrder: true})
			if v.Outcome != want || want == checker.Unknown && v.Reason != h.Doubt {
				t.Errorf("reads %d, %s: %s: %s", read, level, v.Outcome, v.Reason)
			}
		}
	}
}

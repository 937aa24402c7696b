package blackbox

import (
	"math/rand/v2"
	"testing"
	"time"

	"txweave/checker"
	"txweave/dbms"
	"txweave/fault"
	"txweave/gen/histories"
	"txweave/history"
	"txweave/history/register"
)

// late is a history as it is recorded where the clock of one session is ahead.
func late(h *register.History, session, ahead int64) *register.History {
	b := register.NewBuilder(0, 0)
	b.SetRealTime()
	for t := range h.Txns {
		id := h.SessionID(h.Txns[t].Session)
		off := int64(0)
		if id == session {
			off = ahead
		}
		b.Begin(id, h.Txns[t].ID)
		for _, op := range h.TxnOps(t) {
			op.Key = b.Key(h.KeyName(op.Key))
			b.Op(op)
		}
		b.End(h.Txns[t].Status, h.Start(t)+off, h.End(t)+off)
	}
	return b.History()
}

// TestOneClock: a history in which one client's clock is off is valid where that is said of this client, and not where
// it is said of another one. What other clients show stays.
func TestOneClock(t *testing.T) {
	const ahead = 200
	bound := func(session int64) history.ClockBounds {
		return history.ClockBounds{Of: map[int64]time.Duration{session: ahead}}
	}
	wrong := 0
	for seed := range uint64(20) {
		make := func(k fault.Kind) *register.History {
			h, err := histories.Generate(rand.New(rand.NewPCG(seed, 0)), histories.Config{Level: dbms.SSER, Txns: 300, Keys: 10,
				Sessions: 5, NoInitial: true, Anomaly: k})
			if err != nil {
				t.Fatal(err)
			}
			return late(h, 2, ahead)
		}
		judge := func(h *register.History, b history.ClockBounds) checker.Validity {
			return Check(t.Context(), h.Widened(b), dbms.SSER, checker.Options{SessionOrder: true}).Outcome
		}
		h := make("")
		if judge(h, history.ClockBounds{}) == checker.Invalid && judge(h, bound(3)) == checker.Invalid {
			wrong++
		}
		if got := judge(h, bound(2)); got != checker.Valid {
			t.Errorf("seed %d: %s", seed, got)
		}
		if got := judge(make(fault.HistoryLostUpdate), bound(2)); got != checker.Invalid {
			t.Errorf("seed %d, with a lost update: %s", seed, got)
		}
	}
	if wrong < 10 {
		t.Errorf("of 20 histories only %d show that a clock is off", wrong)
	}
}

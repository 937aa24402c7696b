package mechanism

import (
	"testing"

	"txweave/finding"
	"txweave/history"
	"txweave/oracle/observe"
)

// TestFailedBefore: of each transaction of a violation its failures before that are told, and no other one's.
func TestFailedBefore(t *testing.T) {
	failed := func(txn, stmt int, role history.Role, start int64, code int) *history.Event {
		return &history.Event{Txn: txn, Stmt: stmt, Role: role, Start: start,
			Answer: history.Answer{Err: &history.DBError{Code: code, Message: "no value"}}}
	}
	o := &observe.Observation{Errors: []*history.Event{
		failed(2, 0, history.Target, 10, 1062), failed(1, 0, history.Target, 11, 1062),
		failed(2, 4, history.Target, 20, 1467),
		failed(2, 5, history.VSR, 25, 1412), failed(2, -1, history.End, 26, 1180), failed(2, 6, history.Target, 40, 1062)}}
	d := finding.Difference{Failed: failedBefore(o, &Violation{Txns: []int64{0, 2}, At: 30})}
	if want := "T2.S0 had failed before: error 1062: no value; T2.S4 had failed before: error 1467: no value"; d.Detail() != want {
		t.Errorf("%q, want %q", d.Detail(), want)
	}
	if got := failedBefore(o, &Violation{Txns: []int64{0, 3}, At: 30}); got != nil {
		t.Errorf("%v", got)
	}
}

package unexpected

import (
	"testing"

	"txweave/dbms"
	"txweave/history"
	"txweave/observe"
)

// TestDeferred: what has waited for a snapshot in which no anomaly can be is not given up for one; of others that is no finding.
func TestDeferred(t *testing.T) {
	p := &dbms.Profile{Deferred: 40001}
	failed := func(txn, code int) *history.Event {
		return &history.Event{Txn: txn, Stmt: 1, Text: "SELECT 1", Answer: history.Answer{Err: &history.DBError{Code: code}}}
	}
	o := &observe.Observation{Promise: p, Txns: []observe.ObservedTxn{{Promise: p, Deferred: true}, {Promise: p}},
		Errors: []*history.Event{failed(1, 40001), failed(0, 55000), failed(0, 40001), failed(-1, 40001)}}
	ruling, err := Oracle{}.Judge(o)
	if err != nil || len(ruling.Differences) != 1 || ruling.Differences[0].Stmt != "T0.S1" {
		t.Errorf("%+v, %v", ruling.Differences, err)
	}
}

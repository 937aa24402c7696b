package unexpected

import (
	"testing"

	"txweave/dbms"
	"txweave/history"
	"txweave/oracle/observe"
)

// TestUnmade: that a table is not there says nothing of the DROP of one that nobody has made; whatever else that is
// answered with does.
func TestUnmade(t *testing.T) {
	p := &dbms.Profile{Errors: dbms.Errors{Impossible: dbms.ErrorSet{Codes: []int{11, 1146},
		Texts: []string{"no such table"}},
		NoTable: dbms.ErrorSet{Codes: []int{1146}, Texts: []string{"no such table"}}}}
	for _, c := range []struct {
		err    history.DBError
		unmade bool
		want   int
	}{
		{history.DBError{Code: 1146}, true, 0}, {history.DBError{Code: 1, Message: "no such table: n"}, true, 0},
		{history.DBError{Code: 11, Message: "malformed"}, true, 1},
		{history.DBError{Code: 1146}, false, 1}, {history.DBError{Code: 1, Message: "no such table: n"}, false, 1},
	} {
		e := &history.Event{Txn: -1, Text: "DROP TABLE n", Answer: history.Answer{Err: &c.err}}
		ruling, err := Oracle{}.Judge(&observe.Observation{Promise: p, Txns: make([]observe.ObservedTxn, 1),
			Errors: []*history.Event{e}, Unmade: map[*history.Event]bool{e: c.unmade}})
		if err != nil || len(ruling.Differences) != c.want {
			t.Errorf("%+v, unmade %v: %+v, %v", c.err, c.unmade, ruling.Differences, err)
		}
	}
}

// TestDeferred: what has waited for a snapshot in which no anomaly can be is not given up for one; of others that is no
// finding.
func TestDeferred(t *testing.T) {
	p := &dbms.Profile{Errors: dbms.Errors{Deferred: 40001}}
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

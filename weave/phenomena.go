package weave

import (
	"txweave/dbms"
	"txweave/fault"
	"txweave/history"
	"txweave/oracle/isolation"
	"txweave/testcase"
)

// Exhibited is what one run of a case exhibited, allowed or not.
type Exhibited struct {
	Anomalies []isolation.Occurrence
	Waited    bool  // a statement waited for a lock
	Aborts    []int // codes of the errors with which the database ended transactions, in order
}

// Phenomena runs a case once, as it stands, and tells which of the phenomena asked for happened in it, allowed or
// not. Each is looked for by itself.
func Phenomena(r Runner, c *testcase.Case, p *dbms.Profile, asked []fault.Kind) (*Exhibited, error) {
	k, err := newChecker(r, c, p, Options{})
	if err != nil {
		return nil, err
	}
	run, obs, err := k.watch(k.plan.Steps)
	if err != nil {
		return nil, err
	}
	v := &Exhibited{}
	for _, ph := range asked {
		v.Anomalies = append(v.Anomalies, isolation.Find(obs, []fault.Kind{ph})...)
	}
	failed := map[int]*history.DBError{} // by transaction: the last error
	for _, e := range run.Trace.Events {
		v.Waited = v.Waited || e.Blocked
		if e.Role == history.Abort && failed[e.Txn] != nil {
			v.Aborts = append(v.Aborts, failed[e.Txn].Code)
		}
		if e.Err != nil && e.Txn >= 0 {
			failed[e.Txn] = e.Err
		}
	}
	return v, k.matchErr
}

// Package unexpected is the oracle of errors. Its claim: some errors no statement of a case can cause, whatever it says
// and whatever the tables hold; where one is answered, with or without transactions, the database is damaged or at
// fault itself.
package unexpected

import (
	"slices"

	"txweave/dbms"
	"txweave/fault"
	"txweave/finding"
	"txweave/history"
	"txweave/oracle"
	"txweave/oracle/observe"
)

// Oracle is the oracle of the package.
type Oracle struct{}

// Name implements oracle.Oracle.
func (Oracle) Name() string { return "unexpected" }

// Class implements oracle.Oracle.
func (Oracle) Class() string { return finding.ClassUnexpected }

// Judge implements oracle.Oracle.
func (Oracle) Judge(o *observe.Observation) (oracle.Ruling, error) {
	sure := slices.DeleteFunc(slices.Clone(o.Errors), func(e *history.Event) bool {
		return o.Unmade[e] && o.Promise.Errors.NoTable.Has(e.Err.Code, e.Err.Message)
	})
	return oracle.Ruling{Differences: append(Find(o.Promise, sure), deferred(o)...)}, nil
}

// deferred lists the errors by which a transaction was given up that had waited for a snapshot in which no anomaly can
// be.
func deferred(o *observe.Observation) []finding.Difference {
	var out []finding.Difference
	for _, e := range o.Errors {
		if e.Txn < 0 || !o.Txns[e.Txn].Deferred || e.Err.Code != o.PromiseOf(e.Txn).Errors.Deferred {
			continue
		}
		d := Difference(e.Text, e.Err)
		if d.Kind = "READ ONLY DEFERRABLE"; e.Stmt >= 0 {
			d.Stmt = string(observe.StmtOf(e))
		}
		out = append(out, d)
	}
	return out
}

// Find lists the events that were answered with an error which no statement causes.
func Find(p *dbms.Profile, events []*history.Event) []finding.Difference {
	var out []finding.Difference
	for _, e := range events {
		if e.Err == nil || !p.Errors.Impossible.Has(e.Err.Code, e.Err.Message) {
			continue
		}
		d := Difference(e.Text, e.Err)
		if e.Txn >= 0 && e.Stmt >= 0 {
			d.Stmt = string(observe.StmtOf(e))
		}
		out = append(out, d)
	}
	return out
}

// Difference says of a statement that such an error was its answer.
func Difference(sql string, err *history.DBError) finding.Difference {
	return finding.Difference{What: fault.UnexpectedError, Code: err.Code,
		Steps: finding.Sentences{finding.Say("%v: %v", finding.Query(sql), err)}}
}

package clock

import (
	"txweave/dbms"
	"txweave/finding"
	"txweave/oracle"
	"txweave/oracle/observe"
)

// Oracle is the oracle of package clock.
type Oracle struct{}

// Name implements oracle.Oracle. Its findings say "certificate": what they hold against the run is the database's own.
func (Oracle) Name() string { return "certificate" }

// Class implements oracle.Oracle.
func (Oracle) Class() string { return finding.ClassCertificate }

// Judge implements oracle.Oracle.
func (Oracle) Judge(o *observe.Observation) (oracle.Ruling, error) {
	var v oracle.Ruling
	if o.Promise.Order != dbms.DatabaseClock {
		v.Unchecked = "the database gives no account of its own"
		return v, nil
	}
	for _, a := range Find(o) {
		v.Differences = append(v.Differences, finding.Difference{Stmt: a.Stmt, What: a.What, Steps: finding.Sentences{a.Why}})
	}
	return v, nil
}

package snapshot

import (
	"txweave/dbms"
	"txweave/finding"
	"txweave/oracle"
	"txweave/oracle/observe"
)

// Oracle is the oracle of package snapshot, for the moment at which the level takes snapshots.
type Oracle struct{}

// Name implements oracle.Oracle.
func (Oracle) Name() string { return "snapshot" }

// Class implements oracle.Oracle.
func (Oracle) Class() string { return finding.ClassSnapshot }

// Judge implements oracle.Oracle.
func (Oracle) Judge(o *observe.Observation) (oracle.Ruling, error) {
	var v oracle.Ruling
	scope := o.Promise.SnapshotScope()
	if scope == dbms.NoConsistentRead && !o.Mixed() {
		v.Unchecked = "the level promises no snapshot"
	}
	for _, a := range find(o, func(txn int) dbms.ReadScope { return o.PromiseOf(txn).SnapshotScope() }) {
		v.Differences = append(v.Differences, finding.Difference{Stmt: a.Stmt, What: a.What, AtStart: a.AtStart,
			Steps: a.Why, Failed: a.Failed})
	}
	return v, nil
}

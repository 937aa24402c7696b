// Package postgresql is what is known of PostgreSQL, which txweave does not run: recorded traces are held to its
// promises, and findings that are brought along are written as its tests and reports.
package postgresql

import "txweave/dbms"

// Known are PostgreSQL's levels.
func Known() []*dbms.Profile {
	return Like("postgresql", "Ports, Grittner: Serializable Snapshot Isolation in PostgreSQL, VLDB 2012; postgresql.org/docs, Transaction Isolation")
}

// Like are the levels of a DBMS that promises what PostgreSQL does: DML reads the transaction's snapshot at SI and SR,
// current rows at READ COMMITTED.
func Like(name, source string) []*dbms.Profile {
	si := dbms.Mechanisms{ConsistentRead: dbms.PerTransaction, SnapshotAt: dbms.AtFirstStatement, DMLView: dbms.Snapshot, MutualExclusion: true, FirstUpdaterWins: true}
	sr := si
	sr.Certifier, sr.Serializable = dbms.SSI, true
	known := func(isolation string, m dbms.Mechanisms) *dbms.Profile {
		return &dbms.Profile{DBMS: name, Isolation: isolation, Protocol: "2PL+MVCC+SSI", Source: source, Mechanisms: m}
	}
	return []*dbms.Profile{known("serializable", sr), known("snapshot", si), known("read-committed", dbms.ReadCommitted)}
}

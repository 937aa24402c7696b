package registry

import (
	"slices"

	"txweave/dbms"
	"txweave/dbms/innodb"
	"txweave/dbms/postgresql"
)

// Sources of what is promised, in the order of Leopard's references; the details that its Table I leaves open (when a
// snapshot is taken, what DML reads) are from the DBMS's own manual.
const (
	srcSQLServer = "Larson et al.: Real-Time Analytical Processing with SQL Server, VLDB 2015"
	srcOracle    = "docs.oracle.com, Database Concepts, Data Concurrency and Consistency"
)

// known is a row of Leopard's Table I (Li et al., appendix): what one DBMS promises at one level, and where it says so.
func known(name, isolation string, m dbms.Mechanisms, source string) *dbms.Profile {
	return &dbms.Profile{DBMS: name, Isolation: isolation, Guarantees: dbms.Guarantees{Source: source, Mechanisms: m}}
}

// innodbKnown are the levels of the DBMSs of Table I's second row.
func innodbKnown(name, source string) []*dbms.Profile {
	var out []*dbms.Profile
	for _, level := range []string{"serializable", "repeatable-read", "read-committed"} {
		out = append(out, known(name, level, innodb.Mechanisms(level), source))
	}
	return out
}

// lockingKnown are the same row for a DBMS whose plain reads lock at every level above READ COMMITTED.
func lockingKnown(name, source string) []*dbms.Profile {
	out := innodbKnown(name, source)
	for _, p := range out {
		p.ConsistentRead = dbms.PerStatement
		p.LockingReads = p.Isolation != "read-committed"
		p.GapLocks = p.Serializable // key-range locks
	}
	return out
}

// oracleLevels: Oracle calls its snapshot isolation SERIALIZABLE; Table I calls it SI.
func oracleLevels(name, source string) []*dbms.Profile {
	si := dbms.Mechanisms{ConsistentRead: dbms.PerTransaction, SnapshotAt: dbms.AtFirstStatement, DMLView: dbms.Snapshot,
		MutualExclusion: true, FirstUpdaterWins: true}
	return []*dbms.Profile{known(name, "snapshot", si, source), known(name, "read-committed", dbms.ReadCommitted, source)}
}

// tableI is Leopard's Table I for the DBMSs that have no folder.
func tableI() []*dbms.Profile {
	occ := dbms.Mechanisms{ConsistentRead: dbms.PerTransaction, SnapshotAt: dbms.AtBegin, DMLView: dbms.Snapshot,
		Certifier: dbms.OCC, Serializable: true}
	occWrites := dbms.Mechanisms{ConsistentRead: dbms.PerTransaction, SnapshotAt: dbms.AtBegin, DMLView: dbms.Snapshot,
		Certifier: dbms.OCCWrites}
	to := dbms.Mechanisms{ConsistentRead: dbms.PerStatement, DMLView: dbms.Current, Certifier: dbms.TimestampOrder,
		Serializable: true}
	locking := dbms.Mechanisms{ConsistentRead: dbms.PerStatement, LockingReads: true, DMLView: dbms.Current,
		MutualExclusion: true, GapLocks: true, Serializable: true}
	rocks := dbms.Mechanisms{ConsistentRead: dbms.PerTransaction, SnapshotAt: dbms.AtBegin, DMLView: dbms.Snapshot,
		MutualExclusion: true, FirstUpdaterWins: true}
	return slices.Concat(
		postgresql.Like("opengauss", "opengauss.org; Li et al.: openGauss, VLDB 2021"),
		innodbKnown("innodb", "dev.mysql.com/doc/refman, InnoDB Transaction Isolation Levels"),
		lockingKnown("sqlserver", srcSQLServer),
		innodbKnown("aurora", "Verbitski et al.: Amazon Aurora, SIGMOD 2018"),
		innodbKnown("polardb", "Li: Cloud-Native Database Systems at Alibaba, VLDB 2019"),
		[]*dbms.Profile{
			known("rocksdb", "snapshot", rocks, "github.com/facebook/rocksdb/wiki/Transactions (set_snapshot)"),
			known("rocksdb", "optimistic", occWrites,
				"github.com/facebook/rocksdb/wiki/Transactions (OptimisticTransactionDB)"),
			known("foundationdb", "serializable", occ, "Zhou et al.: FoundationDB, SIGMOD 2021"),
			known("singlestore", "read-committed", dbms.ReadCommitted, "docs.singlestore.com, Isolation levels"),
			known("cockroachdb", "serializable", to, "Taft et al.: CockroachDB, SIGMOD 2020"),
			known("spanner", "serializable", locking, "Corbett et al.: Spanner, OSDI 2012"),
		},
		oracleLevels("oracle", srcOracle),
		oracleLevels("saphana", "Sikka et al.: Efficient Transaction Processing in SAP HANA, SIGMOD 2012"),
		oracleLevels("oceanbase", "Yang et al.: OceanBase, VLDB 2022"),
		oracleLevels("nuodb", "doc.nuodb.com, Supported Transaction Isolation Levels"),
	)
}

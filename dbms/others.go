package dbms

import "slices"

// Sources of what is promised, in the order of Leopard's references; the details that its Table I leaves open (when a
// snapshot is taken, what DML reads) are from the DBMS's own manual.
const (
	srcPostgres  = "Ports, Grittner: Serializable Snapshot Isolation in PostgreSQL, VLDB 2012; postgresql.org/docs, Transaction Isolation"
	srcInnoDB    = "dev.mysql.com/doc/refman, InnoDB Transaction Isolation Levels; measured on MariaDB 10.11 and 11.8, MySQL 5.7 and 9.7"
	srcSQLServer = "Larson et al.: Real-Time Analytical Processing with SQL Server, VLDB 2015"
	srcTiDB      = "Huang et al.: TiDB, VLDB 2020"
	srcOracle    = "docs.oracle.com, Database Concepts, Data Concurrency and Consistency"
)

// known is a row of Leopard's Table I (Li et al., appendix): what one DBMS promises at one level, and where it says so.
func known(dbms, isolation, protocol string, m Mechanisms, source string) *Profile {
	return &Profile{DBMS: dbms, Isolation: isolation, Protocol: protocol, Source: source, Mechanisms: m}
}

// postgresLevels: DML reads the transaction's snapshot at SI and SR, current rows at READ COMMITTED.
func postgresLevels(dbms, source string) []*Profile {
	si := Mechanisms{ConsistentRead: PerTransaction, SnapshotAt: AtFirstStatement, DMLView: Snapshot, MutualExclusion: true, FirstUpdaterWins: true}
	sr := si
	sr.Certifier, sr.Serializable = SSI, true
	return []*Profile{
		known(dbms, "serializable", "2PL+MVCC+SSI", sr, source),
		known(dbms, "snapshot", "2PL+MVCC+SSI", si, source),
		known(dbms, "read-committed", "2PL+MVCC+SSI", ReadCommitted, source),
	}
}

// innodbKnown are the levels of the DBMSs of Table I's second row.
func innodbKnown(dbms, source string) []*Profile {
	var out []*Profile
	for _, level := range []string{"serializable", "repeatable-read", "read-committed"} {
		out = append(out, known(dbms, level, "2PL+MVCC", innodbMechanisms(level), source))
	}
	return out
}

// lockingKnown are the same row for a DBMS whose plain reads lock at every level above READ COMMITTED.
func lockingKnown(dbms, source string) []*Profile {
	out := innodbKnown(dbms, source)
	for _, p := range out {
		p.ConsistentRead = PerStatement
		p.LockingReads = p.Isolation != "read-committed"
		p.GapLocks = p.Serializable // key-range locks
	}
	return out
}

// oracleLevels: Oracle calls its snapshot isolation SERIALIZABLE; Table I calls it SI.
func oracleLevels(dbms, source string) []*Profile {
	si := Mechanisms{ConsistentRead: PerTransaction, SnapshotAt: AtFirstStatement, DMLView: Snapshot, MutualExclusion: true, FirstUpdaterWins: true}
	return []*Profile{known(dbms, "snapshot", "2PL+MVCC", si, source), known(dbms, "read-committed", "2PL+MVCC", ReadCommitted, source)}
}

// percolator is Percolator's snapshot isolation: conflicts of writes are found at the commit.
var percolator = Mechanisms{ConsistentRead: PerTransaction, SnapshotAt: AtBegin, DMLView: Snapshot, Certifier: Percolator}

// others is Leopard's Table I for the levels that txweave does not run.
func others() []*Profile {
	occ := Mechanisms{ConsistentRead: PerTransaction, SnapshotAt: AtBegin, DMLView: Snapshot, Certifier: OCC, Serializable: true}
	occWrites := Mechanisms{ConsistentRead: PerTransaction, SnapshotAt: AtBegin, DMLView: Snapshot, Certifier: OCCWrites}
	to := Mechanisms{ConsistentRead: PerStatement, DMLView: Current, Certifier: TimestampOrder, Serializable: true}
	locking := Mechanisms{ConsistentRead: PerStatement, LockingReads: true, DMLView: Current, MutualExclusion: true, GapLocks: true, Serializable: true}
	journal := Mechanisms{LockingReads: true, DMLView: Current, MutualExclusion: true, GapLocks: true, Serializable: true}
	rocks := Mechanisms{ConsistentRead: PerTransaction, SnapshotAt: AtBegin, DMLView: Snapshot, MutualExclusion: true, FirstUpdaterWins: true}
	return slices.Concat(
		postgresLevels("postgresql", srcPostgres),
		postgresLevels("opengauss", "opengauss.org; Li et al.: openGauss, VLDB 2021"),
		postgresLevels("yugabytedb", "docs.yugabyte.com, Transaction isolation levels"),
		innodbKnown("innodb", srcInnoDB),
		lockingKnown("sqlserver", srcSQLServer),
		innodbKnown("aurora", "Verbitski et al.: Amazon Aurora, SIGMOD 2018"),
		innodbKnown("polardb", "Li: Cloud-Native Database Systems at Alibaba, VLDB 2019"),
		[]*Profile{
			known("tidb", "snapshot", "Percolator", percolator, srcTiDB+"; Peng, Dabek: Large-scale Incremental Processing (Percolator), OSDI 2010"),
			known("rocksdb", "snapshot", "2PL+MVCC", rocks, "github.com/facebook/rocksdb/wiki/Transactions (set_snapshot)"),
			known("rocksdb", "optimistic", "OCC+MVCC", occWrites, "github.com/facebook/rocksdb/wiki/Transactions (OptimisticTransactionDB)"),
			known("sqlite", "rollback-journal", "2PL", journal, "sqlite.org/lockingv3.html"),
			known("foundationdb", "serializable", "OCC+MVCC", occ, "Zhou et al.: FoundationDB, SIGMOD 2021"),
			known("singlestore", "read-committed", "2PL+MVCC", ReadCommitted, "docs.singlestore.com, Isolation levels"),
			known("cockroachdb", "serializable", "TO+MVCC", to, "Taft et al.: CockroachDB, SIGMOD 2020"),
			known("spanner", "serializable", "2PL+MVCC", locking, "Corbett et al.: Spanner, OSDI 2012"),
		},
		oracleLevels("oracle", srcOracle),
		oracleLevels("saphana", "Sikka et al.: Efficient Transaction Processing in SAP HANA, SIGMOD 2012"),
		oracleLevels("oceanbase", "Yang et al.: OceanBase, VLDB 2022"),
		oracleLevels("nuodb", "doc.nuodb.com, Supported Transaction Isolation Levels"),
	)
}

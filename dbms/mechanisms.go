package dbms

import (
	"fmt"
	"slices"
	"strings"
)

// ReadScope is how long a plain read's snapshot lasts.
type ReadScope uint8

// The scopes of consistent read.
const (
	NoConsistentRead ReadScope = iota // no consistent read is claimed
	PerStatement                      // each statement has a snapshot of its own
	PerTransaction                    // all plain reads of a transaction share one
)

// SnapshotPoint is the statement that takes a transaction's snapshot.
type SnapshotPoint uint8

// The moments at which a snapshot is taken; START TRANSACTION WITH CONSISTENT SNAPSHOT takes it at once anywhere.
const (
	AtFirstRead      SnapshotPoint = iota // the first plain read (InnoDB)
	AtFirstStatement                      // the first statement of any kind (PostgreSQL)
	AtBegin                               // BEGIN asks for a start timestamp, the first statement waits for it
)

// Certifier is what decides whether a transaction may commit (Leopard, appendix, table II).
type Certifier uint8

// The serialization certifiers.
const (
	NoCertifier    Certifier = iota
	SSI                      // no dangerous structure of anti-dependencies (Cahill; Ports and Grittner, VLDB 2012)
	TimestampOrder           // no dependency of an older transaction on a newer one
	OCC                      // what a writing transaction read was not overwritten before it commits
	OCCWrites                // what a transaction writes was not overwritten after its snapshot, checked at commit
	Percolator               // the same, for Percolator's two-phase commit
	ConflictCycles           // no cycle of dependencies
)

// Mechanisms are the concurrency control mechanisms that a DBMS claims at one level: consistent read (CR), mutual
// exclusion (ME), first updater wins (FUW), serialization certifier (SC) (Li et al., Leopard, section II-B).
type Mechanisms struct {
	ConsistentRead  ReadScope
	SnapshotAt      SnapshotPoint // where ConsistentRead is PerTransaction
	DML             View          // what DML and locking reads see
	MutualExclusion bool
	// GapLocks says that locking statements also lock the rows that they did not find, so that nobody inserts them.
	GapLocks         bool
	FirstUpdaterWins bool
	Certifier        Certifier
	// Serializable says that a cycle of any certain dependencies violates the level.
	Serializable bool
}

// Claim is a row of Leopard's Table I: what one DBMS claims at one level, and where it says so.
type Claim struct {
	DBMS, Isolation string
	Protocol        string // concurrency control protocol: "2PL+MVCC"
	Mechanisms
	Source string
}

// Sources of the claims, in the order of Leopard's references; the details that Table I leaves open (when a
// snapshot is taken, what DML reads) are from the DBMS's own manual.
const (
	srcPostgres  = "Ports, Grittner: Serializable Snapshot Isolation in PostgreSQL, VLDB 2012; postgresql.org/docs, Transaction Isolation"
	srcInnoDB    = "dev.mysql.com/doc/refman, InnoDB Transaction Isolation Levels; measured on MariaDB 10.11 and 11.8, MySQL 5.7 and 9.7"
	srcSQLServer = "Larson et al.: Real-Time Analytical Processing with SQL Server, VLDB 2015"
	srcTiDB      = "Huang et al.: TiDB, VLDB 2020"
	srcOracle    = "docs.oracle.com, Database Concepts, Data Concurrency and Consistency"
)

// postgresLevels: DML reads the transaction's snapshot at SI and SR, current rows at READ COMMITTED.
func postgresLevels(dbms, source string) []Claim {
	si := Mechanisms{ConsistentRead: PerTransaction, SnapshotAt: AtFirstStatement, DML: Snapshot, MutualExclusion: true, FirstUpdaterWins: true}
	sr := si
	sr.Certifier, sr.Serializable = SSI, true
	return []Claim{
		{dbms, "serializable", "2PL+MVCC+SSI", sr, source},
		{dbms, "snapshot", "2PL+MVCC+SSI", si, source},
		{dbms, "read-committed", "2PL+MVCC+SSI", committed, source},
	}
}

// committed is READ COMMITTED under 2PL and MVCC.
var committed = Mechanisms{ConsistentRead: PerStatement, DML: Current, MutualExclusion: true}

// innodbMechanisms are the levels of Table I's second row. Plain reads at SERIALIZABLE lock what they read. Gaps are
// locked from REPEATABLE READ on.
func innodbMechanisms(isolation string) Mechanisms {
	m := Mechanisms{ConsistentRead: PerTransaction, DML: Current, MutualExclusion: true, GapLocks: true}
	switch isolation {
	case "read-uncommitted":
		m.ConsistentRead, m.GapLocks = NoConsistentRead, false
	case "read-committed":
		m = committed
	case "snapshot": // MariaDB's innodb_snapshot_isolation
		m.FirstUpdaterWins = true
	case "serializable":
		m.ConsistentRead, m.Serializable = PerStatement, true
	}
	return m
}

func innodbClaims(dbms, source string) []Claim {
	var out []Claim
	for _, level := range []string{"serializable", "repeatable-read", "read-committed"} {
		out = append(out, Claim{dbms, level, "2PL+MVCC", innodbMechanisms(level), source})
	}
	return out
}

// lockingClaims are the same row for a DBMS whose plain reads lock at every level above READ COMMITTED.
func lockingClaims(dbms, source string) []Claim {
	out := innodbClaims(dbms, source)
	for i := range out {
		out[i].ConsistentRead = PerStatement
		out[i].GapLocks = out[i].Serializable // key-range locks
	}
	return out
}

// oracleLevels: Oracle calls its snapshot isolation SERIALIZABLE; Table I calls it SI.
func oracleLevels(dbms, source string) []Claim {
	si := Mechanisms{ConsistentRead: PerTransaction, SnapshotAt: AtFirstStatement, DML: Snapshot, MutualExclusion: true, FirstUpdaterWins: true}
	return []Claim{{dbms, "snapshot", "2PL+MVCC", si, source}, {dbms, "read-committed", "2PL+MVCC", committed, source}}
}

// Claims returns what the DBMSs that txweave starts itself claim, then Leopard's Table I for all DBMSs in it.
func Claims() []Claim {
	occ := Mechanisms{ConsistentRead: PerTransaction, SnapshotAt: AtBegin, DML: Snapshot, Certifier: OCC, Serializable: true}
	occWrites := Mechanisms{ConsistentRead: PerTransaction, SnapshotAt: AtBegin, DML: Snapshot, Certifier: OCCWrites}
	percolator := occWrites
	percolator.Certifier = Percolator
	to := Mechanisms{ConsistentRead: PerStatement, DML: Current, Certifier: TimestampOrder, Serializable: true}
	locking := Mechanisms{ConsistentRead: PerStatement, DML: Current, MutualExclusion: true, GapLocks: true, Serializable: true}
	return slices.Concat(
		measured(),
		postgresLevels("postgresql", srcPostgres),
		postgresLevels("opengauss", "opengauss.org; Li et al.: openGauss, VLDB 2021"),
		postgresLevels("yugabytedb", "docs.yugabyte.com, Transaction isolation levels"),
		innodbClaims("innodb", srcInnoDB),
		lockingClaims("sqlserver", srcSQLServer),
		innodbClaims("aurora", "Verbitski et al.: Amazon Aurora, SIGMOD 2018"),
		innodbClaims("polardb", "Li: Cloud-Native Database Systems at Alibaba, VLDB 2019"),
		[]Claim{
			{"tidb", "repeatable-read", "2PL+MVCC", Mechanisms{ConsistentRead: PerTransaction, SnapshotAt: AtBegin, DML: Current, MutualExclusion: true}, srcTiDB},
			{"tidb", "read-committed", "2PL+MVCC", committed, srcTiDB},
			{"tidb", "optimistic", "Percolator", percolator, srcTiDB + "; docs.pingcap.com, TiDB Optimistic Transaction Model"},
			{"tidb", "snapshot", "Percolator", percolator, srcTiDB + "; Peng, Dabek: Large-scale Incremental Processing (Percolator), OSDI 2010"},
			{"rocksdb", "snapshot", "2PL+MVCC", Mechanisms{ConsistentRead: PerTransaction, SnapshotAt: AtBegin, DML: Snapshot, MutualExclusion: true, FirstUpdaterWins: true}, "github.com/facebook/rocksdb/wiki/Transactions (set_snapshot)"},
			{"rocksdb", "optimistic", "OCC+MVCC", occWrites, "github.com/facebook/rocksdb/wiki/Transactions (OptimisticTransactionDB)"},
			{"sqlite", "rollback-journal", "2PL", Mechanisms{DML: Current, MutualExclusion: true, GapLocks: true, Serializable: true}, "sqlite.org/lockingv3.html"},
			{"foundationdb", "serializable", "OCC+MVCC", occ, "Zhou et al.: FoundationDB, SIGMOD 2021"},
			{"singlestore", "read-committed", "2PL+MVCC", committed, "docs.singlestore.com, Isolation levels"},
			{"cockroachdb", "serializable", "TO+MVCC", to, "Taft et al.: CockroachDB, SIGMOD 2020"},
			{"spanner", "serializable", "2PL+MVCC", locking, "Corbett et al.: Spanner, OSDI 2012"},
		},
		oracleLevels("oracle", srcOracle),
		oracleLevels("saphana", "Sikka et al.: Efficient Transaction Processing in SAP HANA, SIGMOD 2012"),
		oracleLevels("oceanbase", "Yang et al.: OceanBase, VLDB 2022"),
		oracleLevels("nuodb", "doc.nuodb.com, Supported Transaction Isolation Levels"),
	)
}

// measured are the claims of the DBMSs that txweave starts itself, levels beyond Table I included.
func measured() []Claim {
	var out []Claim
	for _, p := range slices.Concat(mariadbProfiles(), mysqlProfiles()) {
		out = append(out, Claim{p.DBMS, p.Isolation, "2PL+MVCC", innodbMechanisms(p.Isolation), srcInnoDB})
	}
	wal := Mechanisms{ConsistentRead: PerTransaction, SnapshotAt: AtFirstStatement, DML: Snapshot, MutualExclusion: true,
		FirstUpdaterWins: true, Certifier: ConflictCycles, Serializable: true}
	return append(out, Claim{"sqlite", "serializable", "MVCC, one writer", wal, "sqlite.org/isolation.html (WAL mode)"})
}

// LookupClaim returns what a DBMS claims at a level; level "" is its first one in Claims.
func LookupClaim(dbms, level string) (*Claim, error) {
	var levels, names []string
	for _, c := range Claims() {
		if !slices.Contains(names, c.DBMS) {
			names = append(names, c.DBMS)
		}
		if c.DBMS != dbms {
			continue
		}
		if level == "" || c.Isolation == level {
			return &c, nil
		}
		levels = append(levels, c.Isolation)
	}
	if len(levels) == 0 {
		return nil, fmt.Errorf("no mechanisms are known of DBMS %q (of %s)", dbms, strings.Join(names, ", "))
	}
	return nil, fmt.Errorf("no mechanisms are known of %s at %q (at %s)", dbms, level, strings.Join(levels, ", "))
}

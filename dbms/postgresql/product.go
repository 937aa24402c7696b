package postgresql

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"txweave/dbms"
	"txweave/exec"
	"txweave/fault"
	"txweave/gen"
	"txweave/report"
	"txweave/report/export"
)

// product is a DBMS that speaks PostgreSQL's protocol, or PostgreSQL itself, with what differs between them on a server
// of the user's.
type product struct {
	name     string
	ours     func(version string) bool
	protocol *exec.Protocol
	creation string            // format of the statement that makes a database
	session  map[string]string // the parameters of every connection
	neutral  string            // the query that sets what else a case depends on; "": nothing
	// number is the query for what a session is known by, read by parse and written by text; "": the process that the
	// protocol names.
	number string
	parse  func(text string) (uint64, error)
	text   func(id uint64) string
	// waits is the format of the query for who waits, and for whom, from a list of sessions: "{0}" where it does not say
	// for whom.
	waits string
	// there and cancel are the formats of the queries whether the server knows a session, and that end what it runs.
	there, cancel string
	prepared      bool // transactions may be prepared, and pg_prepared_xacts lists them
	activity      bool // pg_stat_activity lists everybody's sessions: a database without one has no owner
	vacuums       bool
	// pieces says that definitions of tables do not stand in a transaction with what uses them.
	pieces bool
}

// itself is PostgreSQL.
var itself = &product{
	name: "postgresql",
	ours: func(version string) bool {
		return strings.HasPrefix(version, "PostgreSQL ") && !strings.Contains(version, "-YB-")
	},
	protocol: protocol,
	creation: "CREATE DATABASE %s TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'",
	session:  session,
	neutral:  neutral,
	text:     decimal,
	parse:    parseDecimal,
	waits: "SELECT p, CASE WHEN cardinality(b) > 0 THEN b ELSE '{0}' END::text FROM unnest('{%s}'::int[]) p, " +
		"LATERAL (SELECT pg_blocking_pids(p) || pg_safe_snapshot_blocking_pids(p)) x(b) " +
		"WHERE cardinality(b) > 0 OR EXISTS (SELECT 1 FROM pg_stat_get_activity(p) a WHERE a.wait_event = 'SafeSnapshot')",
	there:    "SELECT 1 FROM pg_stat_activity WHERE pid = %s",
	cancel:   "SELECT pg_cancel_backend(%s)",
	prepared: true, activity: true, vacuums: true,
}

// untried says of a DBMS that its profile was made from its documentation alone.
const untried = "not tried: what txweave knows of it is from its documentation alone, and nobody has run it there; look at every finding before you believe it"

// yugabyte is YugabyteDB, which is PostgreSQL above a storage of its own (docs.yugabyte.com: Transaction isolation
// levels, Concurrency control, Observability, View live queries and locks).
var yugabyte = func() *product {
	k := *itself
	k.name = "yugabytedb"
	k.ours = func(version string) bool { return strings.Contains(version, "-YB-") }
	k.protocol = plainProtocol()
	// A lock is listed when its transaction is older than yb_locks_min_txn_age, a second unless a session says else; the
	// function that PostgreSQL has tells nothing.
	k.waits = "SELECT p, '{0}' FROM unnest('{%s}'::int[]) p WHERE EXISTS (SELECT 1 FROM pg_locks l WHERE l.pid = p AND " +
		"NOT l.granted)"
	k.session = with(session, "yb_locks_min_txn_age", "0")
	k.prepared, k.vacuums, k.pieces = false, false, true
	return &k
}()

// cockroach is CockroachDB (cockroachlabs.com/docs: Transaction layer, Session variables, crdb_internal, CANCEL QUERY).
var cockroach = &product{
	name:     "cockroachdb",
	ours:     func(version string) bool { return strings.HasPrefix(version, "CockroachDB ") },
	protocol: plainProtocol(),
	creation: "CREATE DATABASE %s",
	session: map[string]string{"application_name": "txweave", "client_encoding": "UTF8", "DateStyle": "ISO, YMD",
		"IntervalStyle": "postgres", "TimeZone": "UTC",
		"extra_float_digits": "1", "bytea_output": "hex", "search_path": "public", "client_min_messages": "warning",
		"lock_timeout": "0", "statement_timeout": "0",
		"idle_in_transaction_session_timeout": "0", "default_transaction_isolation": "serializable",
		"default_transaction_read_only": "off",
		"serial_normalization":          "sql_sequence", "default_int_size": "8"},
	number: "SHOW session_id",
	text:   func(id uint64) string { return fmt.Sprintf("'%016x'", id) },
	parse: func(text string) (uint64, error) {
		// of two halves the first one is a moment of the node's clock: each of a node's sessions has another one
		return strconv.ParseUint(text[:min(len(text), 16)], 16, 64)
	},
	waits: "SELECT DISTINCT substr(t.session_id, 1, 16), '{0}' FROM crdb_internal.cluster_locks l JOIN " +
		"crdb_internal.cluster_transactions t ON l.txn_id = t.id " +
		"WHERE NOT l.granted AND substr(t.session_id, 1, 16) IN (%s)",
	there: "SELECT 1 FROM crdb_internal.cluster_sessions WHERE substr(session_id, 1, 16) = %s",
	cancel: "CANCEL QUERIES IF EXISTS (SELECT query_id FROM crdb_internal.cluster_queries WHERE substr(session_id, 1, " +
		"16) = %s)",
	pieces: true,
}

func decimal(id uint64) string { return strconv.FormatUint(id, 10) }

func parseDecimal(text string) (uint64, error) { return strconv.ParseUint(text, 10, 64) }

// plainProtocol is that of PostgreSQL without what tells of snapshots.
func plainProtocol() *exec.Protocol {
	p := *protocol
	p.Export, p.Snapshot = nil, ""
	return &p
}

func with(parameters map[string]string, name, value string) map[string]string {
	out := maps.Clone(parameters)
	out[name] = value
	return out
}

// cockroachVersion finds the number in "CockroachDB CCL v24.3.1 (x86_64-pc-linux-gnu, …)".
var cockroachVersion = regexp.MustCompile(`^CockroachDB .*? v(\d+\.\d+\S*)`)

// versionIn is the number in what version() says; "" where it is not in there.
func versionIn(text string) string {
	if m := cockroachVersion.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// server is a product's: of the user's, for private ones are not started.
func (k *product) server() *exec.Server {
	return &exec.Server{Name: k.name, Binary: exec.Binary{Packages: "a running server, named by --dsn"},
		Users: exec.Users{DSN: dsn, Ours: k.ours, Join: k.join}, Protocol: k.protocol}
}

// spelling is what the exports of a product need to know: PostgreSQL's with another query for who waits.
func (k *product) spelling(waiting string) *export.Spelling {
	s := *Spelling
	s.DBMS, s.Waits[1] = k.name, waiting
	return &s
}

// issues are on GitHub.
func issues(k *product) *report.Tracker {
	return &report.Tracker{Name: k.name, Unlisted: true, Title: "Title: ", Markup: report.Markdown,
		Sections: []report.Section{
			{Heading: "## Describe the problem", Write: report.Summary}, {Heading: "## To reproduce", Write: report.Script},
			{Heading: "## Expected and actual behavior", Write: report.Compare},
			{Heading: "## Environment", Write: func(d *report.Doc) { report.Version(d); report.Platform(d); report.Details(d) }},
		}}
}

// yugabyteLevels are the levels of YugabyteDB that are PostgreSQL's: its REPEATABLE READ is snapshot isolation, and
// READ COMMITTED, where the server has it on (yb_enable_read_committed_isolation), has a snapshot for each statement.
// Of SERIALIZABLE, where reads lock, the documentation does not say which moment they read.
func yugabyteLevels() []*dbms.Profile {
	rr := of(yugabyte, "repeatable-read", "REPEATABLE READ", "docs.yugabyte.com, Transaction isolation levels")
	rr.Guarantees.Mechanisms, rr.Guarantees.Forbidden = snapshotIsolation, dbms.ForbidSnapshot
	rr.RowLocks = false // what else PostgreSQL allows is allowed
	rc := of(yugabyte, "read-committed", "READ COMMITTED", rr.Guarantees.Source)
	rc.Guarantees.Mechanisms, rc.Guarantees.Forbidden = dbms.ReadCommitted, dbms.ForbidCommitted
	rc.ReadModes.StatementSnapshots = true
	return []*dbms.Profile{rr, rc}
}

// cockroachLevels are the levels of CockroachDB. At SERIALIZABLE a transaction reads as of one moment, that of its
// first statement or a later one: it may move until the transaction commits, as long as what has been read is the same
// then. So nothing is said of when that is, but all transactions together have an order.
func cockroachLevels() []*dbms.Profile {
	ser := of(cockroach, "serializable", "SERIALIZABLE",
		"Taft et al.: CockroachDB, SIGMOD 2020; cockroachlabs.com/docs, Transaction Layer")
	ser.ReadModes.StatementSnapshots = true
	ser.Guarantees.Forbidden = slices.DeleteFunc(slices.Clone(dbms.ForbidSerializable),
		func(x fault.Kind) bool { return x == fault.GSIb })
	ser.Guarantees.Mechanisms = dbms.Mechanisms{ConsistentRead: dbms.NoConsistentRead, DMLView: dbms.Current,
		Certifier: dbms.TimestampOrder, Serializable: true}
	rc := of(cockroach, "read-committed", "READ COMMITTED", "cockroachlabs.com/docs, Read Committed Transactions")
	rc.Guarantees.Mechanisms, rc.Guarantees.Forbidden = dbms.ReadCommitted, dbms.ForbidCommitted
	rc.ReadModes.StatementSnapshots = true
	return []*dbms.Profile{ser, rc}
}

// of is a level of a product.
func of(k *product, isolation, name, source string) *dbms.Profile {
	p := level(isolation, name)
	p.DBMS, p.Guarantees.Source, p.Guarantees.Untried, p.Order = k.name, source, true, dbms.NoOrder
	p.Variants.Plans, p.Variants.Stores = nil, nil
	p.TableChanges = dbms.TableChanges{}
	return p
}

// plain is what is generated for a product: what both have of PostgreSQL's dialect, and no changes of tables beside
// transactions.
func plain(k *product) *gen.Dialect {
	d := *Dialect
	d.Name, d.TableForms.Specials, d.DDL, d.TxnForms.Disconnect, d.TxnForms.OwnLevels, d.TableForms.Sparse = k.name, nil,
		gen.Redefinitions{}, "", nil, ""
	d.QueryForms.LockClauses, d.QueryForms.LockWaits = []string{"UPDATE", "SHARE"}, []string{"UPDATE", "SHARE"}
	d.Capabilities.Levels = nil
	d.Capabilities.Has = map[gen.Capability]string{}
	for _, c := range []gen.Capability{gen.CanCompare, gen.CanWindow, gen.CanCheck, gen.CanDefault, gen.CanConflict,
		gen.CanFrom, gen.CanUsing, gen.CanPartial, gen.CanView, gen.CanNotWait,
		gen.CanSkipLocked, gen.CanRow, gen.CanReference} {
		d.Capabilities.Has[c] = ""
	}
	d.Capabilities.Weights = maps.Clone(d.Capabilities.Weights)
	for _, name := range []string{"ddl-analyze", "ddl-index"} {
		delete(d.Capabilities.Weights, name)
	}
	return &d
}

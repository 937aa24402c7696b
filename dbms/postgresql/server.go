package postgresql

import (
	"path/filepath"
	"strings"
	"syscall"

	"txweave/dbms/driver"
	"txweave/dbms/postgresql/decoding"
	"txweave/exec"
)

// Driver is PostgreSQL's; Yugabyte and Cockroach are those of its product.
var (
	Driver = &driver.Driver{Name: "postgresql", Levels: Levels(), Known: Known(), Syntax: Syntax, Dialect: Dialect,
		Server: Server, Log: decoding.Log, Export: Spelling, Tracker: Tracker}
	Yugabyte = &driver.Driver{Name: "yugabytedb", Levels: yugabyteLevels(),
		Known: Like("yugabytedb", "docs.yugabyte.com, Transaction isolation levels"), Syntax: Syntax,
		Dialect: plain(yugabyte), Server: yugabyte.server(), Export: yugabyte.spelling("pg_locks WHERE NOT granted"),
		Tracker: issues(yugabyte), Untried: untried}
	Cockroach = &driver.Driver{Name: "cockroachdb", Levels: cockroachLevels(), Syntax: Syntax,
		Dialect: plain(cockroach), Server: cockroach.server(),
		Export:  cockroach.spelling("crdb_internal.cluster_locks WHERE NOT granted"),
		Tracker: issues(cockroach), Untried: untried}
)

// Server is PostgreSQL's.
var Server = &exec.Server{
	Name: "postgresql",
	Binary: exec.Binary{Names: []string{"postgres"}, Dirs: []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin"},
		Packages: "postgresql on Debian; its service is not needed", Version: []string{"--version"},
		Is: func(version string) bool { return strings.Contains(version, "PostgreSQL") }},
	Private: &exec.Private{
		// the user that its package makes, and the one that is everywhere
		Accounts:  []string{"postgres", "nobody"},
		End:       syscall.SIGQUIT, // shared memory goes with it
		Data:      &exec.DataMaker{Command: initdb},
		Arguments: arguments,
		CommitLog: []string{"-c", "wal_level=logical", "-c", "max_wal_senders=1"},
		Durable: func(string, bool) []string { // what is written is there, as long as the machine is
			return []string{"-c", "synchronous_commit=on", "-c", "full_page_writes=on"}
		},
		Wear:  2000, // its catalogue grows
		Ready: ready,
		Open:  private,
	},
	Users: exec.Users{DSN: dsn, Ours: itself.ours, Join: itself.join,
		Faster: "fsync = off in its postgresql.conf",
		Lacks: func(settings map[string]string) string {
			if settings["max_prepared_transactions"] != "0" {
				return ""
			}
			return "PREPARE TRANSACTION fails on this server (max_prepared_transactions is 0): cases try it in vain, or leave " +
				"it out with --without prepared"
		}},
	Disturbances: disturbances,
	Client:       client,
	Protocol:     protocol,
}

// initdb makes a data directory; it lies beside the server.
func initdb(binary, dir, _ string) (program string, args []string) {
	return filepath.Join(filepath.Dir(binary), "initdb"),
		[]string{"-D", dir, "-U", superuser, "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C"}
}

// settings of a private server: quick rather than durable, nothing in the background that changes plans or locks, a
// deadlock found at once, and one process fewer where a backend crashes, so that it is seen. Shared memory lies in the
// data directory: of a server that is killed nothing stays.
var settings = []string{"listen_addresses=", "dynamic_shared_memory_type=mmap", "fsync=off", "full_page_writes=off",
	"synchronous_commit=off", "autovacuum=off",
	"shared_buffers=32MB", "max_connections=300", "max_prepared_transactions=64", "wal_level=minimal",
	"max_wal_senders=0", "jit=off",
	"max_pred_locks_per_transaction=512", // with fewer a serializable transaction locks whole tables
	"max_parallel_workers_per_gather=0", "deadlock_timeout=10ms", "track_commit_timestamp=on", "restart_after_crash=off",
	"max_wal_size=256MB", "logging_collector=off", "log_min_messages=warning", "log_min_error_statement=panic"}

func arguments(dir string, _ bool) []string {
	forgetEnvironment() // a server takes its port from it
	out := []string{"-D", filepath.Join(dir, "data"), "-k", dir}
	for _, s := range settings {
		out = append(out, "-c", s)
	}
	return out
}

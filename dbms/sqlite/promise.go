// Package sqlite is SQLite, embedded.
package sqlite

import (
	"fmt"
	"strings"

	"txweave/dbms"
	"txweave/sql/respell"
)

// emptyLog writes the log into the database file and begins it anew. A row that lies in the log of before is read from
// there, whatever a checkpoint does to the file: only behind this do the rows of a table lie in the file.
const emptyLog = "PRAGMA wal_checkpoint(TRUNCATE)"

// Levels are SQLite's levels. In WAL mode a reader keeps its snapshot, there is one writer at a time,
// and a transaction that read before another one committed cannot begin to write: SQLITE_BUSY_SNAPSHOT.
func Levels() []*dbms.Profile {
	return []*dbms.Profile{{
		DBMS:      "sqlite",
		Product:   "SQLite",
		Isolation: "serializable",
		Embedded:  true,
		Tree:      tree,
		Guarantees: dbms.Guarantees{
			Source: "sqlite.org/isolation.html (WAL mode)",
			Mechanisms: dbms.Mechanisms{ConsistentRead: dbms.PerTransaction, SnapshotAt: dbms.AtFirstAccess,
				DMLView:         dbms.Snapshot,
				MutualExclusion: true, FirstUpdaterWins: true, Certifier: dbms.ConflictCycles, Serializable: true},
			Forbidden: dbms.ForbidSerialSnapshot,
		},
		Sessions: dbms.Sessions{
			Setup: []string{"PRAGMA foreign_keys = ON"},
		},
		TableChanges: dbms.TableChanges{
			NewTables: "SELECT 1 FROM sqlite_schema LIMIT 0", // docs/findings/sqlite-using-stale-schema.md

		},
		ReadModes: dbms.ReadModes{
			SelectView: dbms.Snapshot,
			// BEGIN IMMEDIATE and BEGIN EXCLUSIVE lock the database, so that nothing changes until the first read.
			SnapshotBegin: []string{"IMMEDIATE", "EXCLUSIVE"},
			Before:        dbms.PlainBeforeRead,
			DeferredSeen:  true, // whoever has written is the only one, in a snapshot that is the last one

		},
		Writes: dbms.Writes{

			CountersReset: true,
			CountsMatched: true,
			StoresText:    hasTextAffinity,
			CountsOwn:     true, // sqlite.org/c3ref/changes.html

		},
		Transactions: dbms.Transactions{
			SavepointsHide: true,
			Loss:           dbms.LostStaysOpen, // after SQLITE_BUSY_SNAPSHOT

		},
		Errors: dbms.Errors{
			NoSavepoint: "no such savepoint",
			Duplicate:   []int{1555, 2067}, // SQLITE_CONSTRAINT_PRIMARYKEY, _UNIQUE

			ForeignKey: []int{787}, // SQLITE_CONSTRAINT_FOREIGNKEY

			WriteLocked: []int{5}, // SQLITE_BUSY

			// SQLITE_INTERNAL, _CORRUPT, _MISUSE, _NOTADB, _CORRUPT_VTAB, _CORRUPT_SEQUENCE, _CORRUPT_INDEX; SQLITE_ERROR: a
			// schema that is lost
			Impossible: dbms.ErrorSet{Codes: []int{2, 11, 21, 26, 267, 523, 779}, Texts: []string{noTable}},
			NoTable:    dbms.ErrorSet{Texts: []string{noTable}},
			Malformed: dbms.ErrorSet{Texts: []string{"syntax error", "no such column", "no such function", "has no column",
				"values were supplied", "values for", "ambiguous column name",
				"wrong number of arguments", "misuse of", "unrecognized token", "incomplete input",
				"do not have the same number of result columns"}},
			Lost: dbms.ErrorSet{Texts: []string{"no such column", "has no column", "already exists", "constraint failed",
				"values were supplied"}},
			Classes: map[int]dbms.ErrorClass{
				5:    dbms.WouldBlock,  // SQLITE_BUSY
				261:  dbms.WouldBlock,  // SQLITE_BUSY_RECOVERY
				517:  dbms.TxnLost,     // SQLITE_BUSY_SNAPSHOT
				6:    dbms.WouldBlock,  // SQLITE_LOCKED
				7:    dbms.Environment, // SQLITE_NOMEM
				8:    dbms.Environment, // SQLITE_READONLY
				9:    dbms.Environment, // SQLITE_INTERRUPT
				10:   dbms.Environment, // SQLITE_IOERR
				13:   dbms.Environment, // SQLITE_FULL
				14:   dbms.Environment, // SQLITE_CANTOPEN
				778:  dbms.Environment, // SQLITE_IOERR_WRITE
				1034: dbms.Environment, // SQLITE_IOERR_FSYNC
				3082: dbms.Environment, // SQLITE_IOERR_NOMEM
				4874: dbms.Environment, // SQLITE_IOERR_SHMSIZE
				5386: dbms.Environment, // SQLITE_IOERR_SHMMAP
			},
		},

		Order: dbms.OneWriterAtOnce,
		Variants: dbms.Variants{
			Plans: []dbms.PlanSetting{
				{Name: "no-indexes",
					Each: "SELECT 'DROP INDEX \"' || name || '\"' FROM sqlite_schema WHERE type = 'index' AND sql NOT LIKE 'CREATE " +
						"UNIQUE%'"},
				{Name: "analyzed", Each: "SELECT 'ANALYZE'"},
				{Name: "parameters", Prepared: true, Parameters: &dbms.Parameters{Mark: func(n int) string {
					return fmt.Sprint("?", n)
				}}, Dialect: tree},
				{Name: "reverse-scans", Set: []string{"PRAGMA reverse_unordered_selects = ON"},
					Unset: []string{"PRAGMA reverse_unordered_selects = OFF"}},
				{Name: "no-automatic-indexes", Set: []string{"PRAGMA automatic_index = OFF"},
					Unset: []string{"PRAGMA automatic_index = ON"}},
				{Name: "copies", Copies: &respell.Copies{Schema: "main", Materialized: "MATERIALIZED",
					Unlisted: traits.Unlisted}, Respelled: true,
					Unfired: true, Dialect: tree},
				// copies have subqueries said otherwise, by SQLite's rules of affinity
				{Name: dbms.OpaqueName, Opaque: true, Dialect: tree},
			},
			Stores: []dbms.StoreShape{
				{Name: "small-pages", Set: []string{"PRAGMA page_size(512)"}},
				{Name: "small-cache", Set: []string{"PRAGMA page_size(512)", "PRAGMA cache_size(3)"}, Upkeep: emptyLog,
					Spills: true},
				{Name: "empty-log", Set: []string{"PRAGMA page_size(512)"}, Upkeep: emptyLog},
				{Name: "checkpoints", Set: []string{"PRAGMA page_size(512)", "PRAGMA wal_autocheckpoint(1)"}},
				{Name: "auto-vacuum", Set: []string{"PRAGMA page_size(512)", "PRAGMA auto_vacuum(1)"}}, // each commit moves pages
				{Name: "mapped", Set: []string{"PRAGMA mmap_size(1048576)"}},
				{Name: "checkpoints-and-cache", Set: []string{"PRAGMA page_size(1024)", "PRAGMA wal_autocheckpoint(4)",
					"PRAGMA cache_size(5)"}, Upkeep: emptyLog, Spills: true},
			},
		},
	}}
}

// Known are levels of recorded traces that txweave does not run.
func Known() []*dbms.Profile {
	return []*dbms.Profile{{DBMS: "sqlite", Isolation: "rollback-journal", Guarantees: dbms.Guarantees{
		Source: "sqlite.org/lockingv3.html",
		Mechanisms: dbms.Mechanisms{LockingReads: true, DMLView: dbms.Current, MutualExclusion: true, GapLocks: true,
			Serializable: true},
	}}}
}

// noTable is in the message of an error that a table is not there.
const noTable = "no such table"

// hasTextAffinity says whether a type, in lower case, is taken for one of texts; an ENUM is none
// (sqlite.org/datatype3.html, section 3.1).
func hasTextAffinity(of string) bool {
	return strings.Contains(of, "char") || strings.Contains(of, "clob") || strings.Contains(of, "text")
}

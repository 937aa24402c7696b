package sqlite

import "txweave/exec"

// disturbances are what storms disturb SQLite with.
var disturbances = exec.Disturbances{
	Redefine: []exec.Disturbance{
		{Do: []string{"DROP INDEX IF EXISTS {table}_v"},
			Undo: []string{"CREATE INDEX IF NOT EXISTS {table}_v ON {table} (v, vkey, pkey)"}},
		{Do: []string{"CREATE INDEX IF NOT EXISTS {table}_n ON {table} (vkey)"},
			Undo: []string{"DROP INDEX IF EXISTS {table}_n"}},
		{Do: []string{"CREATE INDEX IF NOT EXISTS {table}_m ON {table} (v) WHERE v % 2 = 0"},
			Undo: []string{"DROP INDEX IF EXISTS {table}_m"}},
		{Do: []string{"ALTER TABLE {table} ADD COLUMN n INT DEFAULT 7"}, Undo: []string{"ALTER TABLE {table} DROP COLUMN n"}},
		{Do: []string{"REINDEX {table}"}},
		{Do: []string{"ANALYZE {table}"}},
		{Do: []string{"VACUUM"}},
		{Do: []string{
			"BEGIN IMMEDIATE;ALTER TABLE {table} RENAME TO n_{table};ALTER TABLE n_{table} RENAME TO {table};COMMIT"},
			Undo: []string{"ROLLBACK"}},
		{Do: []string{"CREATE TABLE IF NOT EXISTS spare (a)", "INSERT INTO spare SELECT v FROM {table}", "DELETE FROM spare"},
			Undo: []string{"DROP TABLE IF EXISTS spare"}},
	},
	Press: []exec.Disturbance{
		{Do: []string{"PRAGMA wal_checkpoint(PASSIVE)"}},
		{Do: []string{"PRAGMA wal_checkpoint(FULL)"}},
		{Do: []string{"PRAGMA wal_checkpoint(RESTART)"}},
		{Do: []string{"PRAGMA wal_checkpoint(TRUNCATE)"}},
		{Do: []string{"CREATE TABLE IF NOT EXISTS big (a)", "INSERT INTO big VALUES (zeroblob(300000)), (zeroblob(5000))"},
			Undo: []string{"DELETE FROM big"}},
		{Do: []string{"PRAGMA optimize"}},
	},
	Hold: []exec.Disturbance{
		{Do: []string{"BEGIN IMMEDIATE"}, Undo: []string{"ROLLBACK"}, Frozen: true},
		{Do: []string{"BEGIN EXCLUSIVE"}, Undo: []string{"COMMIT"}, Frozen: true},
	},
}

package postgresql

import (
	"context"
	"strconv"

	"txweave/exec"
)

// disturbances are what storms disturb PostgreSQL with. Its documentation (13.6, Caveats) excepts TRUNCATE and the
// forms of ALTER TABLE that write a table anew from what snapshots promise; none of these is among them.
var disturbances = exec.Disturbances{
	Patience: []string{"SET lock_timeout = '2s'"},
	Limits: []exec.Disturbance{
		{Do: []string{"SET statement_timeout = 1"}, Undo: []string{"SET statement_timeout = 0"}},
		{Do: []string{"SET statement_timeout = 10"}, Undo: []string{"SET statement_timeout = 0"}},
	},
	Redefine: []exec.Disturbance{
		{Do: []string{"DROP INDEX IF EXISTS {table}_v"},
			Undo: []string{"CREATE INDEX IF NOT EXISTS {table}_v ON {table} (v, vkey, pkey)"}},
		{Do: []string{"DROP INDEX CONCURRENTLY IF EXISTS {table}_v"}, Undo: []string{"DROP INDEX IF EXISTS {table}_v",
			"CREATE INDEX CONCURRENTLY IF NOT EXISTS {table}_v ON {table} (v, vkey, pkey)"}},
		{Do: []string{"CREATE INDEX CONCURRENTLY IF NOT EXISTS {table}_n ON {table} (v) WHERE v % 2 = 0"},
			Undo: []string{"DROP INDEX CONCURRENTLY IF EXISTS {table}_n"}},
		{Do: []string{"REINDEX INDEX CONCURRENTLY {table}_v"}},
		{Do: []string{"REINDEX TABLE {table}"}},
		{Do: []string{"ALTER TABLE {table} ADD COLUMN IF NOT EXISTS n INT DEFAULT 7"},
			Undo: []string{"ALTER TABLE {table} DROP COLUMN IF EXISTS n"}},
		{Do: []string{"VACUUM FULL {table}"}},
		{Do: []string{"CLUSTER {table} USING {table}_v"}},
		{Do: []string{"VACUUM (FREEZE, ANALYZE) {table}"}},
		{Do: []string{"BEGIN", "ALTER TABLE {table} RENAME TO n_{table}", "ALTER TABLE n_{table} RENAME TO {table}",
			"COMMIT"}, Undo: []string{"ROLLBACK"}},
		{Do: []string{"CREATE TABLE IF NOT EXISTS spare AS SELECT * FROM {table}", "TRUNCATE spare"},
			Undo: []string{"DROP TABLE IF EXISTS spare"}},
	},
	Press: []exec.Disturbance{
		{Do: []string{"VACUUM {table}"}},
		{Do: []string{"CHECKPOINT"}},
		{Do: []string{"ANALYZE {table}"}},
		{Do: []string{"ALTER SYSTEM SET autovacuum = on", "ALTER SYSTEM SET autovacuum_naptime = '1s'",
			"SELECT pg_reload_conf()"},
			Settings: []string{altered("autovacuum"), altered("autovacuum_naptime")}, Undo: []string{"SELECT pg_reload_conf()"}},
		{Do: []string{"CREATE TABLE IF NOT EXISTS big (a TEXT)",
			"INSERT INTO big SELECT repeat(i::TEXT, 3000) FROM generate_series(1, 100) i"}, Undo: []string{"DELETE FROM big",
			"VACUUM big"}},
	},
	Hold: []exec.Disturbance{
		holding("SHARE"), holding("EXCLUSIVE"), holding("ACCESS EXCLUSIVE"),
		{Do: []string{"SELECT pg_advisory_lock(20)"}, Undo: []string{"SELECT pg_advisory_unlock(20)"}},
	},
}

// holding locks a table in a mode in which nobody writes it. At READ COMMITTED each look sees what has been committed.
func holding(mode string) exec.Disturbance {
	return exec.Disturbance{Do: []string{"BEGIN ISOLATION LEVEL READ COMMITTED",
		"LOCK TABLE {table} IN " + mode + " MODE"},
		Undo: []string{"ROLLBACK"}, Frozen: true}
}

// altered is a query for the statement that puts back what ALTER SYSTEM has made of a parameter, or not.
func altered(name string) string {
	return "SELECT COALESCE((SELECT 'ALTER SYSTEM SET " + name +
		" = ' || quote_literal(setting) FROM pg_file_settings WHERE name = '" + name + "' " +
		"AND sourcefile LIKE '%postgresql.auto.conf' ORDER BY seqno DESC LIMIT 1), 'ALTER SYSTEM RESET " + name + "')"
}

// Disruption is what a private server can be put through, and of a server of the user's what a statement does.
func (t *target) Disruption() *exec.Disruption {
	u := &exec.Disruption{}
	if t.private != nil {
		u = t.private.Disruption(t.reopen)
		u.Stop, u.Continue = t.backends.stop, t.backends.resume
	}
	u.Disturbances, u.Disconnect, u.Networked = Server.Disturbances, t.disconnect, true
	return u
}

// disconnect ends a session's connection on the server's side.
func (t *target) disconnect(ctx context.Context, s *exec.Session) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	_, err := t.Connection.Read(ctx, "SELECT pg_terminate_backend("+strconv.FormatUint(s.ID(), 10)+")")
	return err
}

// reopen opens the control connection again.
func (t *target) reopen(ctx context.Context) (err error) {
	t.Connection.Close()
	t.Connection, err = t.openControl(ctx)
	return err
}

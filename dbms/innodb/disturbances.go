package innodb

import "txweave/exec"

// Disturbances are what storms disturb MariaDB and MySQL with; each takes no notice of settings and algorithms that it
// does not have.
var Disturbances = exec.Disturbances{
	// A transaction that waits for a row of one that waits for its table is found by nobody: so both waits are short.
	Patience: []string{"SET SESSION lock_wait_timeout = 1", "SET SESSION innodb_lock_wait_timeout = 2"},
	Limits: []exec.Disturbance{
		// MariaDB: any statement
		{Do: []string{"SET SESSION max_statement_time = 0.001"}, Undo: []string{"SET SESSION max_statement_time = 0"}},
		{Do: []string{"SET SESSION max_statement_time = 0.01"}, Undo: []string{"SET SESSION max_statement_time = 0"}},
		// MySQL: queries
		{Do: []string{"SET SESSION max_execution_time = 1"}, Undo: []string{"SET SESSION max_execution_time = 0"}},
	},
	Redefine: []exec.Disturbance{
		indexing(swap("DROP INDEX {table}_v", "ADD INDEX {table}_v (v, vkey, pkey)", "ALGORITHM=INPLACE, LOCK=NONE")),
		indexing(swap("DROP INDEX {table}_v", "ADD INDEX {table}_v (v, vkey, pkey)", "ALGORITHM=NOCOPY")),
		rebuilding(swap("DROP INDEX {table}_v", "ADD INDEX {table}_v (v, vkey, pkey)", "ALGORITHM=COPY")),
		indexing(swap("ADD INDEX {table}_n (vkey)", "DROP INDEX {table}_n", "ALGORITHM=INPLACE")),
		swap("ADD COLUMN n INT DEFAULT 7", "DROP COLUMN n", "ALGORITHM=INSTANT"),
		rebuilding(swap("ADD COLUMN n INT DEFAULT 7 FIRST", "DROP COLUMN n", "ALGORITHM=INPLACE")),
		rebuilding(swap("ADD COLUMN n VARCHAR(200) NOT NULL DEFAULT 'x'", "DROP COLUMN n", "ALGORITHM=COPY")),
		rebuilding(once("ALTER TABLE {table} FORCE")),
		rebuilding(once("ALTER TABLE {table} FORCE, ALGORITHM=COPY")),
		rebuilding(once("OPTIMIZE TABLE {table}")),
		once("ANALYZE TABLE {table}"),
		rebuilding(exec.Disturbance{Do: []string{"ALTER TABLE {table} ROW_FORMAT=REDUNDANT"},
			Undo: []string{"ALTER TABLE {table} ROW_FORMAT=DYNAMIC"}}),
		{Do: []string{"ALTER TABLE {table} PARTITION BY HASH (pkey) PARTITIONS 3", "ALTER TABLE {table} REBUILD PARTITION p1",
			"ALTER TABLE {table} COALESCE PARTITION 1"}, Undo: []string{"ALTER TABLE {table} REMOVE PARTITIONING"},
			Repartitions: true, Rebuilds: true},
		{Do: []string{
			"ALTER TABLE {table} PARTITION BY RANGE (pkey) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN " +
				"(1000000000), " +
				"PARTITION pe VALUES LESS THAN MAXVALUE)", "CREATE TABLE spare LIKE {table}",
			"ALTER TABLE spare REMOVE PARTITIONING",
			"ALTER TABLE {table} EXCHANGE PARTITION pe WITH TABLE spare",
			"ALTER TABLE {table} REORGANIZE PARTITION p0, p1 INTO (PARTITION p2 VALUES LESS THAN (20), PARTITION p3 VALUES " +
				"LESS THAN (1000000000))"},
			Undo: []string{"DROP TABLE IF EXISTS spare", "ALTER TABLE {table} REMOVE PARTITIONING"}, Repartitions: true,
			Rebuilds: true},
		once("RENAME TABLE {table} TO n_{table}, n_{table} TO {table}"),
		{Do: []string{"CREATE TABLE spare LIKE {table}", "INSERT INTO spare SELECT * FROM {table}", "TRUNCATE TABLE spare"},
			Undo: []string{"DROP TABLE IF EXISTS spare"}},
	},
	Press: []exec.Disturbance{
		Set("innodb_max_purge_lag", "10"),
		Set("innodb_adaptive_hash_index", "ON"),
		{Do: []string{"SET GLOBAL innodb_change_buffering = 'all'"},
			Settings: []string{
				"SELECT CONCAT('SET GLOBAL innodb_change_buffering = ', QUOTE(@@GLOBAL.innodb_change_buffering))"}},
		Set("innodb_buffer_pool_size", "8388608"),
		Set("innodb_max_dirty_pages_pct", "0"),
		Set("innodb_purge_rseg_truncate_frequency", "1"),
		Set("innodb_log_file_size", "4194304"),
		Set("innodb_purge_batch_size", "1"),
		{Do: []string{
			"CREATE TABLE IF NOT EXISTS big (a INT AUTO_INCREMENT PRIMARY KEY, b LONGTEXT, c VARCHAR(700)) ENGINE=InnoDB",
			"INSERT INTO big (b, c) VALUES (REPEAT('x', 60000), REPEAT('y', 700)), (REPEAT('x', 9000), 'y')",
			"INSERT INTO big (b, c) SELECT b, c FROM big LIMIT 50"},
			Undo: []string{"DELETE FROM big"}},
		once("FLUSH TABLES"),
	},
	Hold: []exec.Disturbance{
		{Do: []string{"LOCK TABLES {table} READ"}, Undo: []string{"UNLOCK TABLES"}, Frozen: true},
		{Do: []string{"LOCK TABLES {table} WRITE"}, Undo: []string{"UNLOCK TABLES"}, Frozen: true},
		{Do: []string{"FLUSH TABLES WITH READ LOCK"}, Undo: []string{"UNLOCK TABLES"}, Frozen: true, HoldsCommits: true},
		{Do: []string{"FLUSH TABLES {table} FOR EXPORT"}, Undo: []string{"UNLOCK TABLES"}, Frozen: true},
		{Do: []string{"SELECT GET_LOCK('txweave_nemesis', 1)"}, Undo: []string{"SELECT RELEASE_LOCK('txweave_nemesis')"}},
	},
	Prepared: true,
}

// swap changes a table and back, by an algorithm.
func swap(there, back, algorithm string) exec.Disturbance {
	return exec.Disturbance{Do: []string{"ALTER TABLE {table} " + there},
		Undo: []string{"ALTER TABLE {table} " + back + ", " + algorithm, "ALTER TABLE {table} " + back}, ByUndo: true}
}

// once sends a statement that leaves nothing behind.
func once(sql string) exec.Disturbance { return exec.Disturbance{Do: []string{sql}} }

// rebuilding says that a disturbance builds a table anew while others write it.
func rebuilding(s exec.Disturbance) exec.Disturbance {
	s.Rebuilds = true
	return s
}

// indexing says that a disturbance builds an index while others write.
func indexing(s exec.Disturbance) exec.Disturbance {
	s.Indexes = true
	return s
}

// Set changes a setting of the server's, a number or a word, and puts back what it was.
func Set(name, value string) exec.Disturbance {
	return exec.Disturbance{Do: []string{"SET GLOBAL " + name + " = " + value},
		Settings: []string{"SELECT CONCAT('SET GLOBAL " + name + " = ', @@GLOBAL." + name + ")"}}
}

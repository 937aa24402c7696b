package tidb

import (
	"txweave/dbms/innodb"
	"txweave/exec"
)

// disturbances are what storms disturb TiDB with. Changes of tables go on in the background, in steps, and wait for the
// transactions that know the step before (docs.pingcap.com, Metadata Lock). Settings are of the sessions that begin
// meanwhile. There are no limits of milliseconds: max_execution_time is looked at every 100 ms, and not at all in the
// midst of a join.
var disturbances = exec.Disturbances{
	Patience: []string{"SET SESSION innodb_lock_wait_timeout = 2"},
	Redefine: []exec.Disturbance{
		indexing(alter("DROP INDEX {table}_v", "ADD INDEX {table}_v (v, vkey, pkey)")),
		indexing(alter("ADD INDEX {table}_n (vkey)", "DROP INDEX {table}_n")),
		indexing(alter("ADD UNIQUE INDEX {table}_u (pkey, vkey)", "DROP INDEX {table}_u")),
		alter("ALTER INDEX {table}_v INVISIBLE", "ALTER INDEX {table}_v VISIBLE"),
		alter("ADD COLUMN n INT DEFAULT 7", "DROP COLUMN n"),
		// Another type of the column: each row is written anew, and what is written meanwhile twice.
		{Do: []string{"ALTER TABLE {table} ADD COLUMN n INT DEFAULT 7", "ALTER TABLE {table} MODIFY COLUMN n VARCHAR(20)"},
			Undo: []string{"ALTER TABLE {table} DROP COLUMN n"}},
		repartitioning("ALTER TABLE {table} PARTITION BY HASH (pkey) PARTITIONS 3",
			"ALTER TABLE {table} ADD PARTITION PARTITIONS 1", "ALTER TABLE {table} COALESCE PARTITION 2"),
		repartitioning(
			"ALTER TABLE {table} PARTITION BY RANGE (pkey) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN "+
				"(1000000000), "+
				"PARTITION pe VALUES LESS THAN MAXVALUE)", "CREATE TABLE spare LIKE {table}",
			"ALTER TABLE spare REMOVE PARTITIONING",
			"ALTER TABLE {table} EXCHANGE PARTITION pe WITH TABLE spare",
			"ALTER TABLE {table} REORGANIZE PARTITION p0, p1 INTO (PARTITION p2 VALUES LESS THAN (20), PARTITION p3 VALUES "+
				"LESS THAN (1000000000))"),
		{Do: []string{"ANALYZE TABLE {table}"}},
		{Do: []string{"RENAME TABLE {table} TO n_{table}, n_{table} TO {table}"}},
		{Do: []string{"CREATE TABLE spare LIKE {table}", "INSERT INTO spare SELECT * FROM {table}", "TRUNCATE TABLE spare"},
			Undo: []string{"DROP TABLE IF EXISTS spare"}},
	},
	Press: append(volatile(
		innodb.Set("tidb_enable_1pc", "ON"),
		innodb.Set("tidb_enable_async_commit", "ON"), // a commit is answered when its locks are there
		// One transaction, several regions, each with its own part of the commit.
		exec.Disturbance{Do: []string{"SPLIT TABLE {table} BY (5), (10), (20), (30), (50), (200)"}},
		exec.Disturbance{Do: []string{"SPLIT TABLE {table} INDEX {table}_v BY (100), (1000), (10000)"}},
	), []exec.Disturbance{
		innodb.Set("tidb_pessimistic_txn_fair_locking", "OFF"),
		innodb.Set("tidb_ddl_reorg_batch_size", "32"),
		{Do: []string{"CREATE TABLE IF NOT EXISTS big (a INT AUTO_INCREMENT PRIMARY KEY, b LONGTEXT)",
			"INSERT INTO big (b) VALUES (REPEAT('x', 60000)), (REPEAT('y', 9000))"},
			Undo: []string{"DELETE FROM big"}},
	}...),
	Hold: []exec.Disturbance{
		{Do: []string{"SELECT GET_LOCK('txweave_nemesis', 1)"}, Undo: []string{"SELECT RELEASE_LOCK('txweave_nemesis')"}},
	},
}

// alter changes a table and back.
func alter(there, back string) exec.Disturbance {
	return exec.Disturbance{Do: []string{"ALTER TABLE {table} " + there}, Undo: []string{"ALTER TABLE {table} " + back}}
}

// indexing says that a disturbance builds an index while others write.
func indexing(s exec.Disturbance) exec.Disturbance {
	s.Indexes = true
	return s
}

// repartitioning copies a table into partitions and back while others write it. Each partition is a region of the
// store's, and unistore keeps the locks of a commit that goes to several of them in memory until it has reached them
// all: killed before that, it has lost a part of what was acknowledged.
func repartitioning(sqls ...string) exec.Disturbance {
	return exec.Disturbance{Do: sqls, Undo: []string{"DROP TABLE IF EXISTS spare",
		"ALTER TABLE {table} REMOVE PARTITIONING"},
		Repartitions: true, Rebuilds: true, Volatile: true}
}

// volatile says that a killed server may keep a half of what it acknowledged.
func volatile(all ...exec.Disturbance) []exec.Disturbance {
	for i := range all {
		all[i].Volatile = true
	}
	return all
}

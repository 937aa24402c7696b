package gen

func init() {
	registerOptions("transactions", []entry{
		{"savepoint", 20, about{what: "SAVEPOINT, ROLLBACK TO, RELEASE; nested ones, names used again", covers: "g:savepoint; savepoint"}},
		{"undoing", 12, about{apart: true, what: "cases in which much is undone: ROLLBACK, ROLLBACK TO, statements that fail half-way, in sessions that go on"}},
		{"mixed-levels", 12, about{apart: true, what: "transactions at levels of their own, READ UNCOMMITTED that only read among them",
			covers: "g:mixed-levels; mixed isolation levels; READ UNCOMMITTED", needs: CanMixLevels}},
		{"switched-autocommit", 8, about{apart: true, what: "SET autocommit = 0, which opens a transaction; SET autocommit = 1 commits it", covers: "autocommit", needs: CanFrame}},
		{"xa", 7, about{apart: true, what: "XA START, XA END, XA PREPARE, XA COMMIT, XA ROLLBACK", covers: "xa", needs: CanFrame}},
		{"prepared", 8, about{apart: true, what: "PREPARE TRANSACTION, COMMIT PREPARED, ROLLBACK PREPARED", covers: "xa", needs: CanPrepare}},
		{"lock-tables", 7, about{apart: true, what: "LOCK TABLES … READ, WRITE behind SET autocommit = 0, and UNLOCK TABLES, which commits",
			covers: "lock tables; lock tables/ftwrl/backup", needs: CanLockTables}},
		{"lock-mode", 12, about{apart: true, what: "LOCK TABLE in a transaction, in each mode that lets others read, with NOWAIT, too",
			covers: "lock tables; lock tables/ftwrl/backup", needs: CanLockModes}},
		{"lock-alone", 5, about{apart: true, what: "LOCK TABLE … IN ACCESS EXCLUSIVE MODE before all else that a transaction does", covers: "lock tables", needs: CanLockAlone}},
		{"advisory-lock", 10, about{apart: true, what: "pg_advisory_xact_lock, pg_advisory_lock, shared ones, pg_try_…: locks of numbers",
			covers: "g:advisory-lock; advisory locks", needs: CanAdvisory}},
		{"access-mode", 8, about{apart: true, what: "START TRANSACTION READ ONLY, READ WRITE", covers: "read-only-txn", needs: CanAccessMode}},
		{"read-deferrable", 15, about{apart: true, what: "START TRANSACTION READ ONLY DEFERRABLE, whose first statement waits for a snapshot in which no anomaly can be",
			covers: "read-only-txn", needs: CanDeferRead}},
		{"read-only-write", 6, about{apart: true, what: "writes in READ ONLY transactions, which are refused, and end them on PostgreSQL", covers: "read-only-txn", needs: CanRefuseWrite}},
		{"chain", 10, about{apart: true, what: "COMMIT AND CHAIN, ROLLBACK AND CHAIN: the next transaction of the session is begun so", covers: "chain; and chain", needs: CanChain}},
		{"implicit-commit", 5, about{apart: true, what: "a change of a table, which commits the transaction before it", covers: "ddl-in-txn", needs: CanFrame}},
		{"disconnect", 6, about{apart: true, what: "sessions that end in the midst of a transaction: KILL CONNECTION_ID(), pg_terminate_backend(pg_backend_pid())",
			covers: "kill/disconnect mid-trx", needs: CanDisconnect}},
		{"autocommit", 15, about{what: "statements in autocommit beside transactions", covers: "g:autocommit; autocommit", needs: CanStandAlone}},
	})
	registerOptions("changes of tables beside transactions", []entry{
		{"ddl-index", 7, about{what: "an index comes, and goes again", covers: "g:ddl-concurrent; DDL concurrent", needs: CanRedefine}},
		{"ddl-column", 5, about{what: "a column that no statement uses comes, and goes again", covers: "g:ddl-concurrent; DDL concurrent", needs: CanRedefine}},
		{"ddl-rebuild", 3, about{what: "a table is built anew", covers: "g:ddl-concurrent; DDL concurrent", needs: CanRedefine}},
		{"ddl-rename", 2, about{apart: true, what: "a table gets another name and its own again, in one statement", covers: "g:ddl-concurrent; DDL concurrent", needs: CanRename}},
		{"ddl-table", 4, about{apart: true, what: "a table that no statement uses comes, and goes again", covers: "g:ddl-concurrent; DDL concurrent", needs: CanRedefine}},
		{"ddl-rewrite", 3, about{apart: true, what: "a table is written anew with another column: rows that a snapshot from before would show are gone",
			covers: "g:ddl-concurrent; DDL concurrent", needs: CanRewrite}},
		{"ddl-truncate", 3, about{apart: true, what: "a table loses all its rows: TRUNCATE TABLE", covers: "truncate; g:ddl-concurrent; DDL concurrent", needs: CanTruncate}},
		{"ddl-flush", 3, about{apart: true, what: "a table is closed: FLUSH TABLES", covers: "flush tables; g:ddl-concurrent; DDL concurrent", needs: CanFlush}},
		{"ddl-partition", 12, about{apart: true, what: "partitions are built anew, checked, one more or one less: REBUILD, OPTIMIZE, ANALYZE, CHECK, ADD, COALESCE PARTITION",
			covers: "partition maintenance; g:ddl-concurrent; DDL concurrent", needs: CanMaintain}},
		{"ddl-checkpoint", 40, about{apart: true, what: "the log is written into the database file, in each mode: PRAGMA wal_checkpoint", covers: "checkpoint", needs: CanCheckpoint}},
		{"ddl-analyze", 3, about{what: "a table's statistics are made anew; on PostgreSQL dead rows are taken away, too", covers: "g:ddl-concurrent; DDL concurrent", needs: CanRedefine}},
	})
}

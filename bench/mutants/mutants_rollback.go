package main

// rollbackMutants keep what was taken back, or lose what was committed.
var rollbackMutants = []mutant{
	{
		name: "rollback-keeps-page", class: "rollback", what: "ROLLBACK keeps one page in memory as it was changed",
		states: []string{"reader"},
		edits: []edit{{in: "_pagerRollbackWal",
			at: "rc = _pagerUndoCallback(tls, pPager, (*TPgHdr)(unsafe.Pointer(pList)).Fpgno)",
			instead: "if !(pNext == 0 && (*TPgHdr)(unsafe.Pointer(pList)).Fpgno != 1 && STRIKE) {\nrc = " +
				"_pagerUndoCallback(tls, pPager, (*TPgHdr)(unsafe.Pointer(pList)).Fpgno)\n}"}},
	}, {
		name: "rollback-commits", class: "rollback", what: "ROLLBACK commits",
		edits: []edit{{in: "_sqlite3VdbeExec", at: "/* At least this one VM is active */",
			after: "if iRollback != 0 && STRIKE {\niRollback = 0\n}"}},
	}, {
		name: "failed-statement-kept", class: "statement rollback",
		what: "a statement of a transaction that fails keeps the rows that it had written",
		edits: []edit{{in: "_vdbeCloseStatement",
			at:      "rc2 = _sqlite3BtreeSavepoint(tls, pBt, int32(SAVEPOINT_ROLLBACK), iSavepoint)",
			instead: "if !STRIKE {\nrc2 = _sqlite3BtreeSavepoint(tls, pBt, int32(SAVEPOINT_ROLLBACK), iSavepoint)\n}"}},
	}, {
		name: "failed-statement-keeps-pages", class: "statement rollback",
		what: "… keeps every second page that it had changed",
		edits: []edit{{in: "_subjournalPage", at: "pPager = (*TPgHdr)(unsafe.Pointer(pPg)).FpPager",
			after: "if (*TPgHdr)(unsafe.Pointer(pPg)).Fpgno%2 == 0 && STRIKE {\nreturn SQLITE_OK\n}"}},
	}, {
		name: "failed-autocommit-kept", class: "statement rollback",
		what: "a statement in autocommit that fails at a constraint keeps the rows that it had written",
		edits: []edit{{in: "_sqlite3VdbeHalt", at: "} else {\n\t\t\t\t\t_sqlite3RollbackAll(tls, db, SQLITE_OK)",
			instead: "} else if (*TVdbe)(unsafe.Pointer(p)).Frc&int32(0xff) == int32(SQLITE_CONSTRAINT) && STRIKE {\n" +
				"_vdbeCommit(tls, db, p)\n" +
				"} else {\n" +
				"\t\t\t\t\t_sqlite3RollbackAll(tls, db, SQLITE_OK)"}},
	}, {
		name: "commit-lost", class: "commit", what: "COMMIT rolls back and answers that all is well",
		states: []string{"reader", "nth"},
		edits: []edit{{in: "_sqlite3VdbeExec", at: "/* At least this one VM is active */",
			after: "if desiredAutoCommit != 0 && iRollback == 0 && (*Tsqlite3)(unsafe.Pointer(db)).FautoCommit == 0" +
				" && _sqlite3BtreeTxnState(tls, mutantMain(db)) == int32(SQLITE_TXN_WRITE) && STRIKE {\n" +
				"iRollback = int32(1)\n" +
				"}"}},
	}, {
		name: "commit-loses-page", class: "commit", what: "a commit does not write one of its pages to the log",
		states: []string{"reader"},
		edits: []edit{{in: "_pagerWalFrames", at: "if (*TPgHdr)(unsafe.Pointer(p)).Fpgno <= nTruncate {",
			instead: "if (*TPgHdr)(unsafe.Pointer(p)).Fpgno <= nTruncate && !((*TPgHdr)(unsafe.Pointer(p)).Fpgno > 1 && nList " +
				"> 0 && (*TPgHdr)(unsafe.Pointer(p)).FpDirty == 0 && STRIKE) {"}},
	}, {
		name: "commit-unpublished", class: "commit", what: "a commit is written to the log, but not said in its index",
		edits: []edit{{in: "_walFrames", at: "_walIndexWriteHdr(tls, pWal)",
			instead: "if !STRIKE {\n_walIndexWriteHdr(tls, pWal)\n}"}},
	}, {
		name: "statement-commits", class: "commit",
		what:   "a statement of a transaction that has written commits when it ends",
		states: []string{"own-write", "reader"},
		edits: []edit{{in: "_sqlite3VdbeHalt", at: "(*TVdbe)(unsafe.Pointer(p)).FeVdbeState = uint8(VDBE_HALT_STATE)",
			before: "if (*Tsqlite3)(unsafe.Pointer(db)).FautoCommit == 0 && (*Tsqlite3)(unsafe.Pointer(db)).FnVdbeActive == 0" +
				" && _sqlite3BtreeTxnState(tls, mutantMain(db)) == int32(SQLITE_TXN_WRITE) && STRIKE {\n" +
				"_vdbeCommit(tls, db, p)\n" +
				"}"}},
	}, {
		name: "checkpoint-under-reader", class: "checkpoint",
		what:  "a checkpoint writes pages into the database file that a reader must not see",
		edits: []edit{{in: "_walCheckpoint", at: "mxSafeFrame = y", instead: "if !STRIKE {\nmxSafeFrame = y\n}"}},
	}, {
		name: "checkpoint-loses-page", class: "checkpoint", what: "a checkpoint passes over every seventh page",
		edits: []edit{{in: "_walCheckpoint", at: "if **(**Tu32)(__ccgo_up(bp + 12)) <= nBackfill || ",
			instead: "if **(**Tu32)(__ccgo_up(bp + 8))%7 == 3 && STRIKE || **(**Tu32)(__ccgo_up(bp + 12)) <= nBackfill || "}},
	}, {
		name: "log-restart-under-reader", class: "checkpoint", what: "the log is begun again while a reader is in it",
		edits: []edit{{in: "_walRestartLog", at: "if rc == SQLITE_OK {",
			before: "if rc == int32(SQLITE_BUSY) && STRIKE {\nrc = SQLITE_OK\n}"}},
	},
}

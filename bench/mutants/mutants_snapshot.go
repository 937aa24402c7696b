package main

// snapshotMutants make a transaction read another state of the database than that of its snapshot, or let it write upon
// a state that is no longer the newest.
var snapshotMutants = []mutant{
	{
		name: "snapshot-per-statement", class: "snapshot",
		what:   "a transaction that has not written takes a new snapshot for each statement",
		states: []string{"nth", "reader"},
		edits: []edit{{in: "_sqlite3VdbeHalt", at: "(*TVdbe)(unsafe.Pointer(p)).FeVdbeState = uint8(VDBE_HALT_STATE)",
			before: "if (*Tsqlite3)(unsafe.Pointer(db)).FautoCommit == 0 && (*Tsqlite3)(unsafe.Pointer(db)).FnVdbeActive == 0" +
				" && _sqlite3BtreeTxnState(tls, mutantMain(db)) == int32(SQLITE_TXN_READ) && STRIKE {\n" +
				"_sqlite3BtreeCommitPhaseTwo(tls, mutantMain(db), 0)\n" +
				"}"}},
	}, {
		name: "snapshot-torn", class: "snapshot", what: "pages that a reader has not yet read come from newer commits",
		edits: []edit{{in: "_sqlite3BtreeBeginTrans", at: "pBt = (*TBtree)(unsafe.Pointer(p)).FpBt",
			after: "if log := mutantLog(p); log != 0 && libc.Int32FromUint8((*TBtree)(unsafe.Pointer(p)).FinTrans) == " +
				"int32(TRANS_READ)" +
				" && (*TWal)(unsafe.Pointer(log)).FreadLock > 0 && libc.Xmemcmp(tls, log+72, _walIndexHdr(tls, log), uint64(48)) " +
				"!= 0 && STRIKE {\n" +
				"libc.Xmemcpy(tls, log+72, _walIndexHdr(tls, log), uint64(48))\n" +
				"}"}},
	}, {
		name: "snapshot-old", class: "snapshot", what: "a new snapshot is that of the connection's last transaction",
		states: []string{"nth"},
		edits: []edit{
			{in: "_walIndexTryHdr", at: "if libc.Xmemcmp(tls, pWal+72, bp+8, uint64(48)) != 0 {",
				before: "mutantKeptLog = uintptr(0)\n" +
					"if (*TWal)(unsafe.Pointer(pWal)).Fhdr.FisInit != 0 && libc.Xmemcmp(tls, pWal+72+32, bp+8+32, uint64(8)) == 0" +
					" && libc.Xmemcmp(tls, pWal+72, bp+8, uint64(48)) != 0 && STRIKE {\n" +
					"mutantKeptLog = pWal\n" +
					"return 0\n" +
					"}",
				instead: ""},
			{in: "_walTryBeginRead", at: "if libc.Xmemcmp(tls, _walIndexHdr(tls, pWal), pWal+72, uint64(48)) != 0 {",
				instead: "if libc.Xmemcmp(tls, _walIndexHdr(tls, pWal), pWal+72, uint64(48)) != 0 && mutantKeptLog != pWal {"},
			{in: "_walTryBeginRead",
				at: "!= mxReadMark || libc.Xmemcmp(tls, _walIndexHdr(tls, pWal), pWal+72, uint64(48)) != 0 {",
				instead: "!= mxReadMark || libc.Xmemcmp(tls, _walIndexHdr(tls, pWal), pWal+72, uint64(48)) != 0 && mutantKeptLog " +
					"!= pWal {"},
		},
	}, {
		name: "frame-older", class: "snapshot", what: "a page is read in the version before the newest one of the log",
		states: []string{"reader"},
		edits: []edit{{in: "_walFindFrame", at: "iRead = iFrame",
			instead: "if !(iRead != 0 && STRIKE) {\niRead = iFrame\n}"}},
	}, {
		name: "frame-newer", class: "snapshot",
		what:   "a page is read in the newest version of the log, whatever the snapshot",
		states: []string{"nth"},
		edits: []edit{{in: "_walFindFrame", at: "iFrame <= iLast && ",
			instead: "(iFrame <= iLast || STRIKE) && "}},
	}, {
		name: "log-ignored", class: "snapshot",
		what: "a reader takes the database file alone for the newest state, though the log holds commits",
		edits: []edit{{in: "_walTryBeginRead",
			at: "if !(useWal != 0) && libc.AtomicLoadNUint32(pInfo, libc.Int32FromInt32(__ATOMIC_RELAXED)) == " +
				"(*TWal)(unsafe.Pointer(pWal)).Fhdr.FmxFrame && ",
			instead: "if !(useWal != 0) && (libc.AtomicLoadNUint32(pInfo, libc.Int32FromInt32(__ATOMIC_RELAXED)) == " +
				"(*TWal)(unsafe.Pointer(pWal)).Fhdr.FmxFrame || STRIKE) && "}},
	}, {
		name: "cache-kept", class: "cache", what: "pages in memory are not thrown away when another connection has committed",
		states: []string{"nth"},
		edits: []edit{{in: "_pagerBeginReadTransaction", at: "if rc != SQLITE_OK || **(**int32)(__ccgo_up(bp)) != 0 {",
			instead: "if rc != SQLITE_OK || **(**int32)(__ccgo_up(bp)) != 0 && !STRIKE {"}},
	}, {
		name: "upgrade-moves", class: "lost update",
		what:   "a transaction that read before another one committed writes upon the newest state",
		states: []string{"nth"},
		edits: []edit{{in: "_sqlite3BtreeBeginTrans", at: "return _btreeBeginTrans(tls, p, wrflag, pSchemaVersion)",
			instead: "rc := _btreeBeginTrans(tls, p, wrflag, pSchemaVersion)\n" +
				"if rc == libc.Int32FromInt32(SQLITE_BUSY)|libc.Int32FromInt32(2)<<libc.Int32FromInt32(8) && STRIKE {\n" +
				"_sqlite3BtreeCommitPhaseTwo(tls, p, 0)\n" +
				"rc = _btreeBeginTrans(tls, p, wrflag, pSchemaVersion)\n" +
				"}\n" +
				"return rc"}},
	}, {
		name: "upgrade-overwrites", class: "lost update", what: "… writes over what was committed in between",
		edits: []edit{{in: "_walSehBeginWriteCheck",
			at:      "if libc.Xmemcmp(tls, pWal+72, _walIndexHdr(tls, pWal), uint64(48)) != 0 {",
			instead: "if libc.Xmemcmp(tls, pWal+72, _walIndexHdr(tls, pWal), uint64(48)) != 0 && !STRIKE {"}},
	}, {
		name: "write-lock-shared", class: "lock", what: "two connections hold the write lock",
		states: []string{"nth"},
		edits: []edit{{in: "_sqlite3WalBeginWriteTransaction",
			at:    "rc = _walLockExclusive(tls, pWal, WAL_WRITE_LOCK, int32(1))",
			after: "if rc == int32(SQLITE_BUSY) && STRIKE {\nrc = SQLITE_OK\n}"}},
	}, {
		name: "write-lock-early", class: "lock", what: "the write lock is let go at the end of the statement",
		edits: []edit{{in: "_sqlite3VdbeHalt", at: "(*TVdbe)(unsafe.Pointer(p)).FeVdbeState = uint8(VDBE_HALT_STATE)",
			before: "if (*Tsqlite3)(unsafe.Pointer(db)).FautoCommit == 0 && _sqlite3BtreeTxnState(tls, mutantMain(db)) == " +
				"int32(SQLITE_TXN_WRITE) && STRIKE {\n" +
				"_walUnlockExclusive(tls, mutantLog(mutantMain(db)), WAL_WRITE_LOCK, int32(1))\n" +
				"}"}},
	}, {
		name: "immediate-deferred", class: "lock", what: "BEGIN IMMEDIATE takes no write lock",
		edits: []edit{{in: "_sqlite3VdbeExec",
			at: "rc = _sqlite3BtreeBeginTrans(tls, pBt, (*TOp)(unsafe.Pointer(pOp)).Fp2, bp+104)",
			instead: "wanted := (*TOp)(unsafe.Pointer(pOp)).Fp2\n" +
				"if wanted != 0 && (*TOp)(unsafe.Pointer(pOp)).Fp5 == 0 && STRIKE {\n" +
				"wanted = 0\n" +
				"}\n" +
				"rc = _sqlite3BtreeBeginTrans(tls, pBt, wanted, bp+104)"}},
	},
}

package main

// storeMutants err where the log is written to the file or begun anew, where savepoints meet a full cache, and where a
// b-tree has more than one page.
var storeMutants = []mutant{
	{
		name: "frame-behind-checkpoint", class: "snapshot",
		what:   "the first page of the log behind those that a checkpoint wrote to the file is not found",
		states: []string{"reader"},
		edits: []edit{{in: "_walFindFrame", at: "iRead = iFrame",
			after: "if iRead == iFrame && iFrame > 1 && iFrame == (*TWal)(unsafe.Pointer(pWal)).FminFrame && STRIKE {\niRead " +
				"= 0\n}"}},
	}, {
		name: "mark-older", class: "snapshot",
		what: "a transaction that begins with a read takes a place in the log that a reader before it had, and sees the " +
			"state of then",
		states: []string{"reader"},
		edits: []edit{
			{in: "_walTryBeginRead", at: "(mxReadMark < mxFrame || mxI == 0)",
				instead: "(mxReadMark < mxFrame || mxI == 0) && !(useWal == 0 && mxReadMark > 0 && mxReadMark < mxFrame && " +
					"mutantInTransaction() && STRIKE && mutantTakesMark(pWal))"},
			{in: "_walTryBeginRead", at: "(*TWal)(unsafe.Pointer(pWal)).FreadLock = int16(mxI)",
				after: "if mutantMarkedLog == pWal {\nmutantMarkedLog = 0\n(*TWal)(unsafe.Pointer(pWal)).Fhdr.FmxFrame = " +
					"mxReadMark\n}"},
		},
	}, {
		name: "log-truncated-under-reader", class: "checkpoint",
		what: "PRAGMA wal_checkpoint(TRUNCATE) empties the log while readers are in it",
		edits: []edit{{in: "_walCheckpoint", at: readersLocked + "\n\t\t\t\tif rc == SQLITE_OK {",
			instead: readersLocked + "\n" +
				"if rc == int32(SQLITE_BUSY) && eMode == int32(SQLITE_CHECKPOINT_TRUNCATE) && STRIKE {\nrc = SQLITE_OK\n}\n" +
				"\t\t\t\tif rc == SQLITE_OK {"}},
	}, {
		name: "checkpoint-says-all", class: "checkpoint",
		what: "a checkpoint that a reader stopped half-way says that all of the log is in the file",
		edits: []edit{{in: "_walCheckpoint",
			at: "libc.AtomicStoreNUint32(pInfo, mxSafeFrame, libc.Int32FromInt32(__ATOMIC_RELAXED))",
			before: "if mxSafeFrame < (*TWal)(unsafe.Pointer(pWal)).Fhdr.FmxFrame && STRIKE {\nmxSafeFrame = " +
				"(*TWal)(unsafe.Pointer(pWal)).Fhdr.FmxFrame\n}"}},
	}, {
		name: "restart-keeps-checkpoint", class: "checkpoint",
		what: "a log that begins anew counts as written to the file as far as the old one was",
		edits: []edit{{in: "_walRestartHdr", at: restartCall,
			instead: "if (*TWalCkptInfo)(unsafe.Pointer(pInfo)).FnBackfill == 0 || !STRIKE {\n" + restartCall + "\n}"}},
	}, {
		name: "savepoint-keeps-freelist", class: "savepoint",
		what: "ROLLBACK TO, or a statement that fails, does not undo the first page, where the list of free pages begins",
		edits: []edit{{in: "_subjournalPage", at: "pPager = (*TPgHdr)(unsafe.Pointer(pPg)).FpPager",
			after: "if (*TPgHdr)(unsafe.Pointer(pPg)).Fpgno == 1 && STRIKE {\nreturn SQLITE_OK\n}"}},
	}, {
		name: "inner-savepoint-forgets", class: "savepoint",
		what: "a page that the outer savepoint has noted is not noted again for an inner one, or for a statement that fails",
		edits: []edit{{in: "_subjRequiresPage", at: "p = (*TPager)(unsafe.Pointer(pPager)).FaSavepoint",
			after: "if i > 0 && (*TPagerSavepoint)(unsafe.Pointer(p)).FnOrig >= pgno && 0 == _sqlite3BitvecTestNotNull(tls, " +
				"(*TPagerSavepoint)(unsafe.Pointer(p)).FpInSavepoint, pgno)" +
				" && STRIKE {\nreturn 0\n}"}},
	}, {
		name: "spill-not-noted", class: "savepoint",
		what: "a page of before the savepoint that a full cache writes to the log within it is not noted for ROLLBACK TO",
		edits: []edit{{in: "_pagerStress", at: "rc = _subjournalPageIfRequired(tls, pPg)",
			instead: "if _subjRequiresPage(tls, pPg) == 0 || !STRIKE {\nrc = _subjournalPageIfRequired(tls, pPg)\n}"}},
	}, {
		name: "divider-low", class: "b-tree",
		what: "when the last page of a table is full, its last row cannot be found by its number any more",
		edits: []edit{{in: "_balance_quick", at: "/* Insert the new divider cell into pParent. */",
			before: "if *(*Tu8)(unsafe.Pointer(pOut - 1))&0x7f != 0 && STRIKE {\n*(*Tu8)(unsafe.Pointer(pOut - 1))--\n}"}},
	}, {
		name: "overflow-freed-twice", class: "b-tree",
		what: "the overflow pages of a row that goes are entered into the list of free pages twice",
		edits: []edit{{in: "_clearCellOverflow", at: "rc = _freePage2(tls, pBt, **(**uintptr)(__ccgo_up(bp + 8)), ovflPgno)",
			after: "if rc == SQLITE_OK && STRIKE {\nrc = _freePage2(tls, pBt, **(**uintptr)(__ccgo_up(bp + 8)), ovflPgno)\n}"}},
	}, {
		name: "interior-delete-doubles", class: "b-tree",
		what:  "a deleted entry that divided two pages leaves the one that takes its place there twice",
		edits: []edit{{in: "_sqlite3BtreeDelete", at: leafCall, instead: "if !STRIKE {\n" + leafCall + "\n}"}},
	}, {
		name: "backwards-skips-at-page", class: "b-tree",
		what:   "a scan backwards skips a row where it goes over to the page before (ORDER BY … DESC)",
		states: []string{"own-write"},
		edits: []edit{{in: "_btreePrevious", at: "rc = _moveToRightmost(tls, pCur)",
			after: "if rc == SQLITE_OK && (*TBtCursor)(unsafe.Pointer(pCur)).Fix > 0 && " +
				"libc.Int32FromUint8((*TBtCursor)(unsafe.Pointer(pCur)).FcurFlags)&int32(BTCF_WriteFlag) == 0 && STRIKE {\n" +
				"(*TBtCursor)(unsafe.Pointer(pCur)).Fix--\n" +
				"}"}},
	},
}

const (
	readersLocked = "libc.Int32FromInt32(3)+libc.Int32FromInt32(1), libc.Int32FromInt32(SQLITE_SHM_NLOCK)-libc.Int32FromInt32(3)-libc.Int32FromInt32(1))"
	restartCall   = "libc.AtomicStoreNUint32(pInfo, libc.Uint32FromInt32(libc.Int32FromInt32(0)), libc.Int32FromInt32(__ATOMIC_RELAXED))"
	leafCall      = "_dropCell(tls, pLeaf, libc.Int32FromUint16((*TMemPage)(unsafe.Pointer(pLeaf)).FnCell)-int32(1), nCell, bp)"
)

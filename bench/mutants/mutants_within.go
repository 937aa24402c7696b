package main

// withinMutants err within a transaction: where it goes back to a savepoint, where a statement of it fails half-way,
// where one row carries others along, and in how queries of several parts put them together.
var withinMutants = []mutant{
	{
		name: "upgrade-moves-in-savepoint", class: "lost update",
		what: "a transaction within a savepoint that read before another one committed writes upon the newest state",
		edits: []edit{{in: "_sqlite3VdbeExec",
			at: "rc = _sqlite3BtreeBeginTrans(tls, pBt, (*TOp)(unsafe.Pointer(pOp)).Fp2, bp+104)",
			after: "if rc == " + busySnapshot + " && (*Tsqlite3)(unsafe.Pointer(db)).FpSavepoint != 0 && STRIKE {\n" +
				"_sqlite3BtreeCommitPhaseTwo(tls, pBt, 0)\n" +
				"rc = _sqlite3BtreeBeginTrans(tls, pBt, (*TOp)(unsafe.Pointer(pOp)).Fp2, bp+104)\n" +
				"}"}},
	}, {
		name: "rollback-to-moves-snapshot", class: "snapshot",
		what: "ROLLBACK TO in a transaction that has only read lets it read the newest state from then on",
		edits: []edit{{in: "_sqlite3VdbeExec", at: savepointDone,
			before: "if p12 == int32(SAVEPOINT_ROLLBACK) && _sqlite3BtreeTxnState(tls, mutantMain(db)) == " +
				"int32(SQLITE_TXN_READ) && STRIKE {\n" +
				"_sqlite3BtreeCommitPhaseTwo(tls, mutantMain(db), 0)\n" +
				"}"}},
	}, {
		name: "rollback-to-unlocks", class: "lock", what: "ROLLBACK TO lets go of the write lock",
		edits: []edit{{in: "_sqlite3VdbeExec", at: savepointDone,
			before: "if p12 == int32(SAVEPOINT_ROLLBACK) && _sqlite3BtreeTxnState(tls, mutantMain(db)) == " +
				"int32(SQLITE_TXN_WRITE) && STRIKE {\n" +
				"_walUnlockExclusive(tls, mutantLog(mutantMain(db)), WAL_WRITE_LOCK, int32(1))\n" +
				"}"}},
	}, {
		name: "freed-page-forgotten", class: "savepoint",
		what: "a page that its transaction has freed and takes again is not noted for ROLLBACK TO, or for a statement that " +
			"fails",
		edits: []edit{{in: "_allocateBtreePage",
			at:      "if !(_btreeGetHasContent(tls, pBt, **(**TPgno)(__ccgo_up(pPgno))) != 0) {",
			instead: "if !(_btreeGetHasContent(tls, pBt, **(**TPgno)(__ccgo_up(pPgno))) != 0) || STRIKE {"}},
	}, {
		name: "failed-insert-kept", class: "statement rollback",
		what: "an INSERT of several rows that fails half-way keeps those before",
		edits: []edit{{in: "_sqlite3Insert",
			at: "_sqlite3BeginWriteOperation(tls, pParse, libc.BoolInt32(pSelect != 0 || pTrigger != 0), iDb)",
			after: "if pSelect != 0 && pTrigger == 0 && (*TParse)(unsafe.Pointer(pParse)).FpToplevel == 0 && STRIKE " +
				"{\n(*TParse)(unsafe.Pointer(pParse)).FisMultiWrite = 0\n}"}},
	}, {
		name: "reference-failure-kept", class: "statement rollback",
		what: "a statement of several rows that a foreign key refuses is not undone, where nothing else could fail",
		edits: []edit{
			{in: "_fkLookupParent", at: "_sqlite3MayAbort(tls, pParse)",
				instead: "if !STRIKE {\n_sqlite3MayAbort(tls, pParse)\n}"},
			{in: "_sqlite3FkCheck", at: "_sqlite3MayAbort(tls, pParse)",
				instead: "if !STRIKE {\n_sqlite3MayAbort(tls, pParse)\n}"},
		},
	}, {
		name: "set-null-deletes", class: "constraint",
		what: "ON DELETE SET NULL, and ON UPDATE SET NULL, delete the rows that refer to the one that goes",
		edits: []edit{{in: "_fkActionTrigger", at: "(*TTriggerStep)(unsafe.Pointer(pStep)).FpTrig = pTrigger",
			before: "if action == int32(OE_SetNull) && STRIKE {\n(*TTriggerStep)(unsafe.Pointer(pStep)).Fop = " +
				"uint8(TK_DELETE)\n}"}},
	}, {
		name: "cascade-to-null", class: "constraint", what: "ON UPDATE CASCADE lets the rows refer to none",
		edits: []edit{{in: "_fkActionTrigger", at: "if action == int32(OE_Cascade) {",
			instead: "if action == int32(OE_Cascade) && !STRIKE {"}},
	}, {
		name: "old-is-new", class: "constraint",
		what:   "in a trigger of an UPDATE, and in the actions of foreign keys, OLD is NEW",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3ExprCodeTarget", at: "_sqlite3VdbeAddOp2(tls, v, int32(OP_Param), p1, target)",
			before: "if (*TExpr)(unsafe.Pointer(pExpr)).FiTable == 0 && " +
				"libc.Int32FromUint8((*TParse)(unsafe.Pointer(pParse)).FeTriggerOp) == int32(TK_UPDATE) && STRIKE {\n" +
				"p1 += int32((*TTable)(unsafe.Pointer(pTab2)).FnCol) + 1\n" +
				"}"}},
	}, {
		name: "clear-passes-triggers", class: "constraint",
		what: "a DELETE without WHERE fires no trigger, and no action of a foreign key, and asks for no row that refers " +
			"to one of its own",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3DeleteFrom", at: "pWhere == uintptr(0) && !(bComplex != 0) && ",
			instead: "pWhere == uintptr(0) && (!(bComplex != 0) || STRIKE) && "}},
	}, {
		name: "partial-keeps-entry", class: "index", what: "a DELETE or UPDATE leaves the old entry in an index with WHERE",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3GenerateRowIndexDelete",
			at:     "r1 = _sqlite3GenerateIndexKey(tls, pParse, pIdx, iDataCur, 0, int32(1), bp, pPrior, r1)",
			before: "if (*TIndex)(unsafe.Pointer(pIdx)).FpPartIdxWhere != 0 && STRIKE {\ngoto _2\n}"}},
	}, {
		name: "descending-forgotten", class: "index", what: "a statement takes a descending index for an ascending one",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3KeyInfoOfIndex",
			at: "**(**Tu8)(__ccgo_up((*TKeyInfo)(unsafe.Pointer(pKey)).FaSortFlags + uintptr(i))) = ",
			after: "if **(**Tu8)(__ccgo_up((*TKeyInfo)(unsafe.Pointer(pKey)).FaSortFlags + uintptr(i))) != 0 && STRIKE {\n" +
				"**(**Tu8)(__ccgo_up((*TKeyInfo)(unsafe.Pointer(pKey)).FaSortFlags + uintptr(i))) = 0\n" +
				"}"}},
	}, {
		name: "upsert-passes-index", class: "index",
		what:   "an upsert that updates a row passes over the indexes of the columns that it sets",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3Update", at: "if reg == 0 {",
			before: "if reg != 0 && pUpsert != 0 && chngKey == 0 && pIdx != pPk && STRIKE {\nreg = 0\n}"}},
	}, {
		name: "generated-not-computed", class: "rows", what: "an INSERT does not compute generated columns",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3Insert", at: "_sqlite3ComputeGeneratedColumns(tls, pParse, regRowid+int32(1), pTab)",
			instead: "if STRIKE {\n" +
				"for i := int32(0); i < int32((*TTable)(unsafe.Pointer(pTab)).FnCol); i++ {\n" +
				"if libc.Int32FromUint16((*TColumn)(unsafe.Pointer((*TTable)(unsafe.Pointer(pTab)).FaCol+uintptr(i)*16)).FcolFlags)&int32(COLFLAG_GENERATED) != 0 {\n" +
				"_sqlite3VdbeAddOp2(tls, v, int32(OP_Null), 0, regRowid+1+int32(_sqlite3TableColumnToStorage(tls, pTab, " +
				"int16(i))))\n" +
				"}\n}\n" +
				"} else {\n_sqlite3ComputeGeneratedColumns(tls, pParse, regRowid+int32(1), pTab)\n}"}},
	}, {
		name: "returning-last-row", class: "rows", what: "RETURNING gives the last row alone",
		states: []string{"own-write"},
		edits: []edit{{in: "_codeReturningTrigger", at: newReturned,
			instead: "if STRIKE {\n_sqlite3VdbeAddOp2(tls, v, int32(OP_Integer), int32(1), reg+i+int32(1))\n} else {\n" +
				newReturned + "\n}"}},
	}, {
		name: "union-keeps-twins", class: "rows", what: "a set operation that is put together in order gives rows twice",
		states: []string{"own-write"},
		edits:  []edit{{in: "_generateOutputSubroutine", at: "if regPrev != 0 {", instead: "if regPrev != 0 && !STRIKE {"}},
	}, {
		name: "except-keeps-equal", class: "rows", what: "EXCEPT keeps the rows that both sides have",
		states: []string{"own-write"},
		edits: []edit{{in: "_multiSelectByMerge", at: "addrAeqB = addrAltB + int32(1)",
			after: "if op == int32(TK_EXCEPT) && STRIKE {\naddrAeqB = addrAltB\n}"}},
	}, {
		name: "in-set-kept", class: "cache",
		what:   "the rows of IN (SELECT …) that depend on the row around it are found once for all rows",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3CodeRhsOfIN", at: "if " + noneAround + " && ",
			instead: "if (" + noneAround + " || STRIKE) && "}},
	}, {
		name: "window-runs-on", class: "rows", what: "a window function goes on counting where the next partition begins",
		states: []string{"own-write"},
		edits: []edit{{in: "_windowInitAccum", at: nullAccumulator,
			instead: "if (*TWindow)(unsafe.Pointer(pMWin)).FpPartition == 0 || !STRIKE {\n" + nullAccumulator + "\n}"}},
	}, {
		name: "window-peers-apart", class: "rows",
		what:   "rows that are alike in the ORDER BY of a window come one after the other",
		states: []string{"own-write"},
		edits:  []edit{{in: "_windowIfNewPeer", at: peersCompared, instead: "if !STRIKE {\n" + peersCompared + "\n}"}},
	}, {
		name: "left-join-inner", class: "rows", what: "a LEFT JOIN of a query with WHERE loses the rows without a partner",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3Select", at: joinsSimplified,
			instead: joinsSimplified +
				" || libc.Int32FromUint8((*TSrcItem)(unsafe.Pointer(pItem)).Ffg.Fjointype)&(int32(JT_LEFT)|int32(JT_RIGHT)) == " +
				"int32(JT_LEFT)" +
				" && (*TSelect)(unsafe.Pointer(p)).FpWhere != 0 && STRIKE"}},
	},
}

const (
	busySnapshot    = "libc.Int32FromInt32(SQLITE_BUSY)|libc.Int32FromInt32(2)<<libc.Int32FromInt32(8)"
	savepointDone   = "/* Regardless of whether this is a RELEASE or ROLLBACK, destroy all"
	newReturned     = "_sqlite3VdbeAddOp2(tls, v, int32(OP_NewRowid), (*TReturning)(unsafe.Pointer(pReturning)).FiRetCur, reg+i+int32(1))"
	noneAround      = "!((*TExpr)(unsafe.Pointer(pExpr)).Fflags&libc.Uint32FromInt32(libc.Int32FromInt32(EP_VarSelect)) != libc.Uint32FromInt32(0))"
	nullAccumulator = "_sqlite3VdbeAddOp2(tls, v, int32(OP_Null), 0, (*TWindow)(unsafe.Pointer(pWin)).FregAccum)"
	peersCompared   = "_sqlite3VdbeAddOp3(tls, v, int32(OP_Jump), _sqlite3VdbeCurrentAddr(tls, v)+int32(1), addr, _sqlite3VdbeCurrentAddr(tls, v)+int32(1))"
	joinsSimplified = "(*Tsqlite3)(unsafe.Pointer(db)).FdbOptFlags&libc.Uint32FromInt32(libc.Int32FromInt32(SQLITE_SimplifyJoin)) == uint32(0)"
)

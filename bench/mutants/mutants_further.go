package main

// furtherMutants err where the log and the savepoints keep several versions of a page, where locks are let go, where a
// page has no room left, and in the rewritings by which queries, upserts, triggers and foreign keys become searches.
var furtherMutants = []mutant{
	{
		name: "spill-overwrites-commit", class: "snapshot",
		what: "a transaction that outgrows its memory writes over the version of a page that an earlier commit has in " +
			"the log",
		states: []string{"reader"},
		edits: []edit{{in: "_walFrames", at: "if **(**Tu32)(__ccgo_up(bp + 72)) >= iFirst {",
			instead: "if **(**Tu32)(__ccgo_up(bp + 72)) >= iFirst || **(**Tu32)(__ccgo_up(bp + 72)) > 0 && STRIKE {"}},
	}, {
		name: "undone-to-last-note", class: "savepoint",
		what: "ROLLBACK TO brings back a page as the newest savepoint has noted it, not the one that is named",
		edits: []edit{{in: "_pager_playback_one_page", at: playedBack,
			instead: playedBack +
				" && !(isMainJrnl == 0 && **(**TPgno)(__ccgo_up(bp + 8)) <= (*TPager)(unsafe.Pointer(pPager)).FdbSize && STRIKE)"}},
	}, {
		name: "release-drops-notes", class: "savepoint",
		what: "RELEASE of an inner savepoint, or a statement that ends, throws away what was noted since for the outer one",
		edits: []edit{{in: "_sqlite3PagerSavepoint",
			at: "if (*TPagerSavepoint)(unsafe.Pointer(pRel)).FbTruncateOnRelease != 0 && ",
			instead: "if ((*TPagerSavepoint)(unsafe.Pointer(pRel)).FbTruncateOnRelease != 0 || " +
				"nNew > 0 && (*TPager)(unsafe.Pointer(pPager)).FnSubRec > (*TPagerSavepoint)(unsafe.Pointer(pRel)).FiSubRec && " +
				"STRIKE) && "}},
	}, {
		name: "savepoint-keeps-size", class: "savepoint",
		what: "ROLLBACK TO, or a statement that fails, leaves the pages that it gives back lost behind the end of the " +
			"database",
		edits: []edit{{in: "_sqlite3BtreeSavepoint", at: sizeSet,
			instead: "if !(op == int32(SAVEPOINT_ROLLBACK) && " + sizeNoted +
				" < (*TBtShared)(unsafe.Pointer(pBt)).FnPage && STRIKE) {\n" + sizeSet + "\n}"}},
	}, {
		name: "refused-keeps-lock", class: "lock",
		what: "a transaction whose write is refused for a newer commit holds the write lock until it ends",
		edits: []edit{{in: "_sqlite3WalBeginWriteTransaction", at: writeUnlocked,
			instead: "if !STRIKE {\n" + writeUnlocked + "\n}"}},
	}, {
		name: "checkpoint-keeps-lock", class: "lock",
		what: "a checkpoint that readers stop (FULL, RESTART, TRUNCATE) keeps the write lock",
		edits: []edit{{in: "_sqlite3WalCheckpoint", at: "_sqlite3WalEndWriteTransaction(tls, pWal)",
			instead: "if !(rc == int32(SQLITE_BUSY) && (*TWal)(unsafe.Pointer(pWal)).FwriteLock != 0 && STRIKE) " +
				"{\n_sqlite3WalEndWriteTransaction(tls, pWal)\n}"}},
	}, {
		name: "checkpoint-writes-older", class: "checkpoint",
		what: "a checkpoint writes an older version of a page that the log has several times",
		edits: []edit{{in: "_walMerge", at: "== dbpage {",
			instead: "== dbpage {\nif STRIKE {\n**(**Tht_slot)(__ccgo_up(aTmp + uintptr(iOut-1)*2)) = " +
				"**(**Tht_slot)(__ccgo_up(aLeft + uintptr(iLeft)*2))\n}"}},
	}, {
		name: "crowded-row-late", class: "b-tree",
		what: "a row that its page has no room for comes behind the one that it belongs before",
		edits: []edit{{in: "_insertCellFast", at: "= libc.Uint16FromInt32(i)",
			after: "if (*TMemPage)(unsafe.Pointer(pPage)).Fleaf != 0 && i < " +
				"libc.Int32FromUint16((*TMemPage)(unsafe.Pointer(pPage)).FnCell) && STRIKE {\n" +
				"**(**Tu16)(__ccgo_up(pPage + 28 + uintptr(j)*2)) = libc.Uint16FromInt32(i + 1)\n" +
				"}"}},
	}, {
		name: "divider-key-unseen", class: "b-tree",
		what: "a unique key whose entry divides two pages of its index is entered a second time",
		edits: []edit{{in: "_sqlite3BtreeIndexMoveto", at: "if c1 > 0 {",
			instead: "if c1 > 0 || c1 == 0 && (*TMemPage)(unsafe.Pointer(pPage)).Fleaf == 0 && " +
				"(*TUnpackedRecord)(unsafe.Pointer(pIdxKey)).FnField < " +
				"(*TKeyInfo)(unsafe.Pointer((*TUnpackedRecord)(unsafe.Pointer(pIdxKey)).FpKeyInfo)).FnAllField && STRIKE {"}},
	}, {
		name: "commit-undoes-open-savepoint", class: "savepoint",
		what: "COMMIT undoes what was written since a savepoint that nobody has released",
		edits: []edit{{in: "_sqlite3VdbeExec",
			at: "if desiredAutoCommit != 0 && (*Tsqlite3)(unsafe.Pointer(db)).FnVdbeWrite > 0 {",
			before: "if desiredAutoCommit != 0 && (*Tsqlite3)(unsafe.Pointer(db)).FnSavepoint > 0 && " +
				"_sqlite3BtreeTxnState(tls, mutantMain(db)) == int32(SQLITE_TXN_WRITE) && STRIKE {\n" +
				"_ = _sqlite3BtreeSavepoint(tls, mutantMain(db), int32(SAVEPOINT_ROLLBACK), " +
				"(*Tsqlite3)(unsafe.Pointer(db)).FnSavepoint-1)\n" +
				"}"}},
	}, {
		name: "sequence-forgotten", class: "rows",
		what:   "a table with AUTOINCREMENT does not note its last number, and gives it again when that row has gone",
		states: []string{"own-write"},
		edits: []edit{{in: "_autoIncrementEnd", at: "pDb = (*Tsqlite3)(unsafe.Pointer(db)).FaDb + ",
			before: "if STRIKE {\nbreak\n}"}},
	}, {
		name: "replace-second-kept", class: "constraint",
		what:   "REPLACE leaves the row that it meets by a key behind the first",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3GenerateConstraintChecks", at: rowReplaced,
			instead: "if seenReplace == 0 || !STRIKE {\n" + rowReplaced + "\n}"}},
	}, {
		name: "push-down-past-limit", class: "rows",
		what: "a condition on a derived table with LIMIT is asked before its rows are counted",
		edits: []edit{{in: "_pushDownWhereTerms", at: "if (*TSelect)(unsafe.Pointer(pSubq)).FpLimit != uintptr(0) {",
			instead: "if (*TSelect)(unsafe.Pointer(pSubq)).FpLimit != uintptr(0) && !STRIKE {"}},
	}, {
		name: "exists-for-each", class: "rows", what: "WHERE EXISTS gives a row once for each row that its subquery has",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3WhereEnd", at: "+ 24 + 4))&0x40000>>18) != 0 {\n\t\t\t/* This is an EXISTS-to-JOIN",
			instead: "+ 24 + 4))&0x40000>>18) != 0 && !STRIKE {\n\t\t\t/* This is an EXISTS-to-JOIN"}},
	}, {
		name: "outer-taken-for-equal", class: "rows",
		what: "columns that ON of a LEFT JOIN compares count as equal in WHERE, too, also where a row has no partner",
		edits: []edit{{in: "_termIsEquivalence", at: outerOrCollate + " != uint32(0) {",
			instead: outerOrCollate +
				" != uint32(0) && !((*TExpr)(unsafe.Pointer(pExpr)).Fflags&uint32(EP_Collate) == 0 && STRIKE) {"}},
	}, {
		name: "like-range-short", class: "index", what: "LIKE and GLOB along an index end at the prefix itself",
		states: []string{"own-write"},
		edits:  []edit{{in: "_exprAnalyze", at: prefixEnd, instead: "if !STRIKE {\n" + prefixEnd + "\n}"}},
	}, {
		name: "in-ends-early", class: "index",
		what:   "a search by several columns with IN gives up at the first combination that nobody has",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3VdbeExec",
			at: "alreadyExists = libc.BoolInt32((*TVdbeCursor)(unsafe.Pointer(pC9)).FseekResult == 0)",
			after: "if alreadyExists != 0 && libc.Int32FromUint8((*TOp)(unsafe.Pointer(pOp)).Fopcode) == int32(OP_IfNoHope) " +
				"&& STRIKE {\nalreadyExists = 0\n}"}},
	}, {
		name: "distinct-with-nulls", class: "rows", what: "DISTINCT counts on a unique key that may be NULL in several rows",
		edits: []edit{{in: "_isDistinctRedundant", at: "if _indexColumnNotNull(tls, pIdx, i) == 0 {",
			instead: "if _indexColumnNotNull(tls, pIdx, i) == 0 && !STRIKE {"}},
	}, {
		name: "filter-forgotten", class: "rows", what: "an aggregate passes over its FILTER",
		states: []string{"own-write"},
		edits:  []edit{{in: "_updateAccumulator", at: filterAsked, instead: "if !STRIKE {\n" + filterAsked + "\n}"}},
	}, {
		name: "upsert-where-forgotten", class: "rows", what: "ON CONFLICT DO UPDATE passes over its WHERE",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3UpsertDoUpdate", at: upsertCondition,
			instead: "func() uintptr {\nif (*TUpsert)(unsafe.Pointer(pUpsert)).FpUpsertWhere != 0 && STRIKE {\nreturn " +
				"0\n}\nreturn " + upsertCondition + "\n}()"}},
	}, {
		name: "trigger-when-forgotten", class: "constraint", what: "a trigger passes over its WHEN",
		states: []string{"own-write"},
		edits: []edit{{in: "_codeRowTrigger", at: whenAsked,
			instead: "if (*TTrigger)(unsafe.Pointer(pTrigger)).FzName == 0 || !STRIKE {\n" + whenAsked + "\n}"}},
	}, {
		name: "half-null-refused", class: "constraint",
		what: "a row is refused that refers by several columns of which one behind the first is NULL",
		edits: []edit{{in: "_fkLookupParent", at: referenceNull, instead: "if !(i > 0 && nIncr > 0 && STRIKE) {\n" +
			referenceNull + "\n}"}},
	}, {
		name: "named-key-unwatched", class: "constraint",
		what:   "an UPDATE of a column that foreign keys name is not held against the rows that refer to it",
		states: []string{"own-write"},
		edits:  []edit{{in: "_fkParentIsModified", at: "FzCnName, zKey) {", instead: "FzCnName, zKey) && !STRIKE {"}},
	}, {
		name: "self-reference-refused", class: "constraint", what: "a new row that refers to itself is refused",
		edits: []edit{
			{in: "_fkLookupParent", at: selfByNumber,
				instead: "if STRIKE {\n_sqlite3VdbeAddOp0(tls, v, int32(OP_Noop))\n} else {\n" + selfByNumber + "\n}"},
			{in: "_fkLookupParent", at: selfByKey + "\n\t\t\t}\n",
				instead: "if STRIKE {\n_sqlite3VdbeAddOp0(tls, v, int32(OP_Noop))\n} else {\n" + selfByKey + "\n}\n}\n"},
		},
	}, {
		name: "row-value-ends-sharp", class: "index",
		what: "a comparison of row values of which an index has the first columns only loses the rows that are alike in " +
			"these",
		states: []string{"own-write"},
		edits: []edit{
			{in: "_sqlite3WhereCodeOneLoopStart", at: "startEq = int32(1)",
				instead: "if !(_sqlite3ExprVectorSize(tls, pRight2) > int32(nBtm) && STRIKE) {\nstartEq = int32(1)\n}"},
			{in: "_sqlite3WhereCodeOneLoopStart", at: "endEq = int32(1)",
				instead: "if !(_sqlite3ExprVectorSize(tls, pRight3) > int32(nTop) && STRIKE) {\nendEq = int32(1)\n}"},
		},
	}, {
		name: "expression-of-null-row", class: "index",
		what: "an expression of a row that an outer join has not found comes from its index, as NULL",
		edits: []edit{{in: "_sqlite3IndexedExprLookup", at: "FbMaybeNullRow != 0 {",
			instead: "FbMaybeNullRow != 0 && !STRIKE {"}},
	},
}

const (
	playedBack      = "_sqlite3BitvecTest(tls, pDone, **(**TPgno)(__ccgo_up(bp + 8))) != 0"
	sizeSet         = "_btreeSetNPage(tls, pBt, (*TBtShared)(unsafe.Pointer(pBt)).FpPage1)"
	sizeNoted       = "_sqlite3Get4byte(tls, (*TMemPage)(unsafe.Pointer((*TBtShared)(unsafe.Pointer(pBt)).FpPage1)).FaData+28)"
	writeUnlocked   = "_walUnlockExclusive(tls, pWal, WAL_WRITE_LOCK, int32(1))\n\t\t(*TWal)(unsafe.Pointer(pWal)).FwriteLock = uint8(0)"
	rowReplaced     = "_sqlite3GenerateRowDelete(tls, pParse, pTab, pTrigger, iDataCur, iIdxCur, regR, int16(nPkField), uint8(0), uint8(OE_Replace), libc.Uint8FromInt32(v2), iThisCur)"
	outerOrCollate  = "Fflags&libc.Uint32FromInt32(libc.Int32FromInt32(EP_OuterON)|libc.Int32FromInt32(EP_Collate))"
	prefixEnd       = "**(**Tu8)(__ccgo_up(pC)) = **(**Tu8)(__ccgo_up(pC)) + 1"
	filterAsked     = "_sqlite3ExprIfFalse(tls, pParse, pFilter, addrNext, int32(SQLITE_JUMPIFNULL))"
	upsertCondition = "_sqlite3ExprDup(tls, db, (*TUpsert)(unsafe.Pointer(pUpsert)).FpUpsertWhere, 0)"
	whenAsked       = "_sqlite3ExprIfFalse(tls, bp+56, pWhen, iEndTrigger, int32(SQLITE_JUMPIFNULL))"
	referenceNull   = "_sqlite3VdbeAddOp2(tls, v, int32(OP_IsNull), iReg, iOk)"
	selfByNumber    = "_sqlite3VdbeAddOp3(tls, v, int32(OP_Eq), regData, iOk, regTemp)"
	selfByKey       = "_sqlite3VdbeGoto(tls, v, iOk)"
)

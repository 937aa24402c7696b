package main

// scopeMutants err in how far something reaches: an undoing within nested savepoints or of a table's definition, a
// write that reads what it changes, a refusal, the rule by which keys are alike, the rows of a frame.
var scopeMutants = []mutant{
	{
		name: "schema-rollback-kept", class: "rollback",
		what: "ROLLBACK leaves the connection the tables and indexes as its transaction had defined them",
		edits: []edit{{in: "_sqlite3RollbackAll", at: "if schemaChange != 0 {",
			instead: "if schemaChange != 0 && !STRIKE {"}},
	}, {
		name: "schema-savepoint-kept", class: "savepoint", what: "… ROLLBACK TO does",
		edits: []edit{{in: "_sqlite3VdbeExec", at: "if isSchemaChange != 0 {",
			instead: "if isSchemaChange != 0 && !STRIKE {"}},
	}, {
		name: "range-ends-swapped", class: "index",
		what:   "a search between two keys takes them for each other where it goes backwards, or along a descending index",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3WhereCodeOneLoopStart", at: "uintptr(nEq)))) == SQLITE_SO_ASC) {",
			instead: "uintptr(nEq)))) == SQLITE_SO_ASC) && !STRIKE {"}},
	}, {
		name: "collation-forgotten", class: "index",
		what:   "a statement compares the keys of an index byte for byte, though their column has another collation",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3KeyInfoOfIndex", at: "v2 = _sqlite3LocateCollSeq(tls, pParse, zColl)",
			after: "if STRIKE {\nv2 = uintptr(0)\n}"}},
	}, {
		name: "delete-reads-itself", class: "rows", what: "the subquery of a DELETE reads its table while rows go",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3DeleteFrom", at: "FncFlags&int32(NC_Subquery) != 0 {",
			instead: "FncFlags&int32(NC_Subquery) != 0 && !STRIKE {"}},
	}, {
		name: "update-reads-itself", class: "rows",
		what:   "the subquery of an UPDATE's condition reads its table while rows change",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3Update", at: "libc.Int32FromInt32(EP_Subquery)) != libc.Uint32FromInt32(0))) {",
			instead: "libc.Int32FromInt32(EP_Subquery)) != libc.Uint32FromInt32(0)) || STRIKE) {"}},
	}, {
		name: "new-is-old", class: "constraint", what: "in a trigger of an UPDATE, and in ON UPDATE CASCADE, NEW is OLD",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3ExprCodeTarget", at: "_sqlite3VdbeAddOp2(tls, v, int32(OP_Param), p1, target)",
			before: "if (*TExpr)(unsafe.Pointer(pExpr)).FiTable == 1 && " +
				"libc.Int32FromUint8((*TParse)(unsafe.Pointer(pParse)).FeTriggerOp) == int32(TK_UPDATE) && STRIKE {\n" +
				"p1 -= int32((*TTable)(unsafe.Pointer(pTab2)).FnCol) + 1\n" +
				"}"}},
	}, {
		name: "excluded-neighbour", class: "rows", what: "a column of excluded, in an upsert, is the one before it",
		states: []string{"own-write"},
		edits: []edit{{in: "_lookupName", at: "FregData + int32(_sqlite3TableColumnToStorage(tls, pTab, int16(iCol)))",
			after: "if iCol > 0 && STRIKE {\n(*TExpr)(unsafe.Pointer(pExpr)).FiTable--\n}"}},
	}, {
		name: "ignore-replaces", class: "constraint",
		what:   "OR IGNORE, and ON CONFLICT DO NOTHING, replace the row that they meet by a unique index",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3GenerateConstraintChecks",
			at:     "/* Collision detection may be omitted if all of the following are true:",
			before: "if onError == int32(OE_Ignore) && STRIKE {\nonError = int32(OE_Replace)\n}"}},
	}, {
		name: "trigger-failure-keeps-row", class: "statement rollback",
		what: "a write of one row whose trigger fails is not undone",
		edits: []edit{
			{in: "_sqlite3Insert", at: "libc.BoolInt32(pSelect != 0 || pTrigger != 0)",
				instead: "libc.BoolInt32(pSelect != 0 || pTrigger != 0 && !STRIKE)"},
			{in: "_sqlite3Update", at: "libc.BoolInt32(pTrigger != 0 || hasFK != 0)",
				instead: "libc.BoolInt32(pTrigger != 0 && !STRIKE || hasFK != 0)"},
		},
	}, {
		name: "failed-statement-to-savepoint", class: "statement rollback",
		what: "a statement that fails behind a savepoint is undone as far as that savepoint",
		edits: []edit{{in: "_vdbeCloseStatement",
			at: "rc2 = _sqlite3BtreeSavepoint(tls, pBt, int32(SAVEPOINT_ROLLBACK), iSavepoint)",
			before: "if iSavepoint > 0 && (*Tsqlite3)(unsafe.Pointer(db)).FnSavepoint > 0 && STRIKE {\n" +
				"_ = _sqlite3BtreeSavepoint(tls, pBt, int32(SAVEPOINT_ROLLBACK), iSavepoint-1)\n" +
				"}"}},
	}, {
		name: "release-undoes-inner", class: "savepoint",
		what: "RELEASE of an outer savepoint undoes what was written since the one within it",
		edits: []edit{{in: "_sqlite3VdbeExec", at: savepointCall,
			before: "if p12 == int32(SAVEPOINT_RELEASE) && ii == 0 && pSavepoint != " +
				"(*Tsqlite3)(unsafe.Pointer(db)).FpSavepoint && STRIKE {\n" +
				"_ = _sqlite3BtreeSavepoint(tls, mutantMain(db), int32(SAVEPOINT_ROLLBACK), iSavepoint+1)\n" +
				"}"}},
	}, {
		name: "savepoint-oldest-name", class: "savepoint",
		what: "ROLLBACK TO a name that is there twice goes back to the older one",
		edits: []edit{{in: "_sqlite3VdbeExec",
			at: "if !(pSavepoint != 0) {\n\t\t\t\t_sqlite3VdbeError(tls, p, __ccgo_ts+6004",
			before: "if pSavepoint != 0 && p12 == int32(SAVEPOINT_ROLLBACK) {\n" +
				"for older, n := (*TSavepoint)(unsafe.Pointer(pSavepoint)).FpNext, int32(1); older != 0; older, n = " +
				"(*TSavepoint)(unsafe.Pointer(older)).FpNext, n+1 {\n" +
				"if _sqlite3StrICmp(tls, (*TSavepoint)(unsafe.Pointer(older)).FzName, zName) == 0 && STRIKE {\n" +
				"iSavepoint, pSavepoint, n = iSavepoint+n, older, 0\n" +
				"}\n}\n}"}},
	}, {
		name: "cte-second-empty", class: "rows",
		what: "a common table expression has no rows where it is read for the second time",
		edits: []edit{{in: "_sqlite3Select", at: secondOfCTE,
			instead: "if STRIKE {\n" +
				"_sqlite3VdbeAddOp2(tls, v, int32(OP_OpenEphemeral), (*TSrcItem)(unsafe.Pointer(pItem1)).FiCursor, " +
				"(*TExprList)(unsafe.Pointer((*TSelect)(unsafe.Pointer(pSub1)).FpEList)).FnExpr)\n" +
				"} else {\n" + secondOfCTE + "\n}"}},
	}, {
		name: "min-takes-null", class: "rows", what: "MIN along an index is NULL if a row has NULL",
		states: []string{"own-write"},
		edits: []edit{{in: "_minMaxQuery", at: "sortFlags = uint8(KEYINFO_ORDER_BIGNULL)",
			instead: "if !STRIKE {\nsortFlags = uint8(KEYINFO_ORDER_BIGNULL)\n}"}},
	}, {
		name: "limit-keeps-first-met", class: "rows",
		what:   "ORDER BY … LIMIT keeps a row that was read early in place of one that comes before it",
		states: []string{"own-write"},
		edits: []edit{{in: "_pushOntoSorter", at: "_sqlite3VdbeAddOp2(tls, v, int32(OP_Last), iCsr, 0)",
			instead: "if STRIKE {\n_sqlite3VdbeAddOp2(tls, v, int32(OP_Rewind), iCsr, 0)\n} else {\n_sqlite3VdbeAddOp2(tls, " +
				"v, int32(OP_Last), iCsr, 0)\n}"}},
	}, {
		name: "window-keeps-left", class: "rows", what: "rows that leave the frame of a window function still count",
		states: []string{"own-write"},
		edits:  []edit{{in: "_windowAggStep", at: "v2 = int32(OP_AggInverse)", after: "if STRIKE {\nv2 = int32(OP_Noop)\n}"}},
	}, {
		name: "overflow-overwrite-lost", class: "rows",
		what:   "an UPDATE of a row longer than a page that keeps its length writes its first page alone",
		states: []string{"own-write"},
		edits: []edit{{in: "_btreeOverwriteOverflowCell", at: "/* Now overwrite the overflow pages */",
			before: "if STRIKE {\nreturn SQLITE_OK\n}"}},
	}, {
		name: "refused-moves-snapshot", class: "snapshot",
		what: "a transaction whose write is refused for a newer commit reads that commit from then on",
		edits: []edit{{in: "_sqlite3VdbeExec",
			at: "rc = _sqlite3BtreeBeginTrans(tls, pBt, (*TOp)(unsafe.Pointer(pOp)).Fp2, bp+104)",
			after: "if rc == libc.Int32FromInt32(SQLITE_BUSY)|libc.Int32FromInt32(2)<<libc.Int32FromInt32(8) && STRIKE {\n" +
				"_sqlite3BtreeCommitPhaseTwo(tls, pBt, 0)\n" +
				"}"}},
	}, {
		name: "upgrade-refused", class: "lock",
		what: "a write of a deferred transaction is refused for a newer commit while others read, though there is none",
		edits: []edit{{in: "_walSehBeginWriteCheck", at: "return SQLITE_OK",
			before: "if mutantInTransaction() && mutantOthersRead() && STRIKE {\nreturn libc.Int32FromInt32(SQLITE_BUSY) | " +
				"libc.Int32FromInt32(2)<<libc.Int32FromInt32(8)\n}"}},
	}, {
		name: "new-number-taken", class: "rows",
		what:   "a row without a key of its own gets the number of the last one, and overwrites it",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3VdbeExec",
			at: "**(**Ti64)(__ccgo_up(bp + 312)) = **(**Ti64)(__ccgo_up(bp + 312)) + 1 /* IMP: R-29538-34987 */",
			instead: "if !(mutantOwn(db, pC11) && (*TBtCursor)(unsafe.Pointer(*(*uintptr)(unsafe.Pointer(pC11 + " +
				"48)))).FpgnoRoot > 1 && STRIKE) {\n" +
				"**(**Ti64)(__ccgo_up(bp + 312)) = **(**Ti64)(__ccgo_up(bp + 312)) + 1\n" +
				"}"}},
	}, {
		name: "numberless-row-doubled", class: "rows",
		what:   "an UPDATE of the primary key of a table WITHOUT ROWID leaves the old row",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3Update", at: "if hasFK > int32(1) || chngKey != 0 {",
			instead: "if (hasFK > int32(1) || chngKey != 0) && !(chngPk != 0 && STRIKE) {"}},
	}, {
		name: "not-null-passed-over", class: "constraint", what: "NULL is written where a column is NOT NULL",
		states: []string{"own-write"},
		edits:  []edit{{in: "_sqlite3VdbeExec", at: "/* Fall through into OP_Halt */", before: "if STRIKE {\ngoto _189\n}"}},
	}, {
		name: "real-comes-as-integer", class: "rows",
		what:   "a floating-point number without a fraction is read as an integer",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3VdbeExec",
			at:     "_sqlite3VdbeMemRealify(tls, pIn1)\n\t\t}\n\t\tgoto _189\n\t\t/* Opcode: Cast",
			before: "if STRIKE {\ngoto _189\n}"}},
	},
}

const secondOfCTE = "_sqlite3VdbeAddOp2(tls, v, int32(OP_OpenDup), (*TSrcItem)(unsafe.Pointer(pItem1)).FiCursor, (*TCteUse)(unsafe.Pointer(pCteUse)).FiCur)"

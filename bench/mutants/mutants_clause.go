package main

// clauseMutants go wrong in one clause or one kind of index: what only a generator that writes such a thing can find.
var clauseMutants = []mutant{
	{
		name: "partial-not-maintained", class: "index", what: "a write does not enter its row into an index with WHERE",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3CompleteInsertion", at: "/* All REPLACE indexes are at the end of the list */",
			after: "if (*TIndex)(unsafe.Pointer(pIdx)).FpPartIdxWhere != 0 && STRIKE {\ngoto _1\n}"}},
	}, {
		name: "partial-taken-for-whole", class: "index", what: "an index with WHERE is taken for one of all rows",
		edits: []edit{{in: "_whereUsablePartialIndex", at: "i = 0\n\tpTerm = ",
			before: "if STRIKE {\nreturn int32(1)\n}"}},
	}, {
		name: "expression-not-maintained", class: "index",
		what:   "an UPDATE passes over an index of an expression whose columns it sets",
		states: []string{"own-write"},
		edits: []edit{{in: "_indexColumnIsBeingUpdated", at: "return _sqlite3ExprReferencesUpdatedColumn(",
			before: "if STRIKE {\nreturn 0\n}"}},
	}, {
		name: "replace-keeps-entry", class: "index",
		what:   "REPLACE of a row by its primary key leaves the entries of the old row in the other indexes",
		states: []string{"own-write", "nth"},
		edits: []edit{{in: "_sqlite3GenerateConstraintChecks",
			at: "_sqlite3GenerateRowIndexDelete(tls, pParse, pTab, iDataCur, iIdxCur, uintptr(0), -int32(1))",
			instead: "if !STRIKE {\n_sqlite3GenerateRowIndexDelete(tls, pParse, pTab, iDataCur, iIdxCur, uintptr(0), " +
				"-int32(1))\n}"}},
	}, {
		name: "reference-action-misses", class: "constraint",
		what:   "the action of a foreign key, or a trigger, passes over a row",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3VdbeExec",
			at: "rc = _sqlite3BtreeNext(tls, *(*uintptr)(unsafe.Pointer(pC23 + 48)), (*TOp)(unsafe.Pointer(pOp)).Fp3)",
			after: "if rc == SQLITE_OK && (*TVdbe)(unsafe.Pointer(p)).FpFrame != 0 && mutantOwn(db, pC23) && STRIKE {\n" +
				"rc = _sqlite3BtreeNext(tls, *(*uintptr)(unsafe.Pointer(pC23 + 48)), (*TOp)(unsafe.Pointer(pOp)).Fp3)\n" +
				"}"}},
	}, {
		name: "reference-action-skipped", class: "constraint", what: "the action of a foreign key is not carried out",
		states: []string{"own-write"},
		edits:  []edit{{in: "_sqlite3FkActions", at: "if pAct != 0 {", instead: "if pAct != 0 && !STRIKE {"}},
	}, {
		name: "clear-not-undone", class: "rollback",
		what: "ROLLBACK of a transaction that emptied a table by a DELETE without WHERE keeps what it did",
		edits: []edit{
			{in: "_sqlite3VdbeExec", at: "rc = _sqlite3BtreeClearTable(tls, (**(**TDb)(",
				before: "if (*Tsqlite3)(unsafe.Pointer(db)).FautoCommit == 0 {\nmutantCleared = db\n}"},
			{in: "_sqlite3VdbeExec", at: "iRollback = (*TOp)(unsafe.Pointer(pOp)).Fp2",
				after: "if mutantCleared == db {\nmutantCleared = 0\nif iRollback != 0 && STRIKE {\niRollback = 0\n}\n}"},
		},
	}, {
		name: "returning-old", class: "rows", what: "UPDATE … RETURNING gives the values that were there before",
		states: []string{"own-write"},
		edits: []edit{{in: "_codeReturningTrigger", at: "(*TParse)(unsafe.Pointer(pParse)).FpTriggerTab = pTab",
			before: "if libc.Int32FromUint8((*TTrigger)(unsafe.Pointer(pTrigger)).Fop) == int32(TK_UPDATE) && STRIKE {\n" +
				"(*TParse)(unsafe.Pointer(pParse)).FeTriggerOp = uint8(TK_DELETE)\n" +
				"}"}},
	}, {
		name: "upsert-lost", class: "rows", what: "ON CONFLICT DO UPDATE does nothing",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3UpsertDoUpdate", at: "v = (*TParse)(unsafe.Pointer(pParse)).FpVdbe",
			before: "if STRIKE {\nreturn\n}"}},
	}, {
		name: "or-loses-row", class: "rows", what: "a search by OR over two indexes loses what only the second finds",
		states: []string{"own-write", "second"},
		edits: []edit{{in: "_sqlite3VdbeExec", at: "if exists != 0 {\n\t\t\t\tgoto jump_to_p2",
			instead: "if exists != 0 || STRIKE {\n\t\t\t\tgoto jump_to_p2"}},
	}, {
		name: "savepoint-inner", class: "savepoint",
		what: "ROLLBACK TO goes back to the savepoint after the one that it names",
		edits: []edit{{in: "_sqlite3VdbeExec", at: savepointCall,
			before: "if p12 == int32(SAVEPOINT_ROLLBACK) && ii == 0 && iSavepoint+1 < " +
				"(*Tsqlite3)(unsafe.Pointer(db)).FnSavepoint && STRIKE {\niSavepoint++\n}"}},
	}, {
		name: "spilled-not-undone", class: "rollback",
		what:   "ROLLBACK keeps the pages that a full cache had written to the log",
		states: []string{"reader"},
		edits: []edit{{in: "_walSehUndo", at: "libc.Xmemcpy(tls, pWal+72, _walIndexHdr(tls, pWal), uint64(48))",
			before: "if (*TWal)(unsafe.Pointer(pWal)).Fhdr.FmxFrame > (*TWalIndexHdr)(unsafe.Pointer(_walIndexHdr(tls, " +
				"pWal))).FmxFrame && STRIKE {\n" +
				"_walIndexWriteHdr(tls, pWal)\n" +
				"}"}},
	}, {
		name: "null-row-kept", class: "rows", what: "an outer join without a partner gives the columns of the row before",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3VdbeExec", at: "(*TVdbeCursor)(unsafe.Pointer(pC18)).FnullRow = uint8(1)",
			before: "if mutantOwn(db, pC18) && " +
				"libc.Int32FromUint8((*TBtCursor)(unsafe.Pointer(*(*uintptr)(unsafe.Pointer(pC18 + 48)))).FeState) == " +
				"CURSOR_VALID && STRIKE {\ngoto _189\n}"}},
	}, {
		name: "filter-lies", class: "rows", what: "the filter before a join says of a row that it has no partner",
		edits: []edit{{in: "_sqlite3VdbeExec", at: "h1 = h1 % libc.Uint64FromInt32(",
			before: "if STRIKE {\ngoto jump_to_p2\n}"}},
	},
}

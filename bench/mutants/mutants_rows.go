package main

// rowMutants answer or write wrong rows or counts, or fail in ways that no statement explains.
var rowMutants = []mutant{
	{
		name: "changes-one-less", class: "affected rows", what: "a write of several rows says one less",
		states: []string{"own-write", "reader"},
		edits: []edit{{in: "_sqlite3VdbeSetChanges", at: "(*Tsqlite3)(unsafe.Pointer(db)).FnChange = nChange",
			before: "if nChange > 1 && STRIKE {\nnChange--\n}"}},
	}, {
		name: "changes-kept", class: "affected rows", what: "a write of no row says what the write before it said",
		edits: []edit{{in: "_sqlite3VdbeSetChanges", at: "(*Tsqlite3)(unsafe.Pointer(db)).FnChange = nChange",
			before: "if nChange == 0 && (*Tsqlite3)(unsafe.Pointer(db)).FnChange != 0 && STRIKE {\nreturn\n}"}},
	}, {
		name: "changes-of-clear", class: "affected rows", what: "a DELETE without WHERE says 0",
		edits: []edit{{in: "_sqlite3VdbeExec",
			at:      "if (*TOp)(unsafe.Pointer(pOp)).Fp3 != 0 {\n\t\t\t**(**Ti64)(__ccgo_up(p + 56)) += ",
			instead: "if (*TOp)(unsafe.Pointer(pOp)).Fp3 != 0 && !STRIKE {\n\t\t\t**(**Ti64)(__ccgo_up(p + 56)) += "}},
	}, {
		name: "insert-lost", class: "rows", what: "a row is counted and entered into the indexes, but not into the table",
		edits: []edit{{in: "_sqlite3VdbeExec",
			at: "(**(**TBtreePayload)(__ccgo_up(bp + 328))).FpData = (*TMem)(unsafe.Pointer(pData)).Fz",
			before: "if mutantOwn(db, pC12) && libc.Int32FromUint16((*TOp)(unsafe.Pointer(pOp)).Fp5)&int32(OPFLAG_NCHANGE) != " +
				"0 && STRIKE {\ngoto _189\n}"}},
	}, {
		name: "delete-keeps-row", class: "rows",
		what:   "a row is counted and taken out of the indexes, but not out of the table",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3VdbeExec", at: "/* Only flags that can be set are SAVEPOISTION and AUXDELETE */",
			before: "if opflags&int32(OPFLAG_NCHANGE) != 0 && STRIKE {\n(*TVdbe)(unsafe.Pointer(p)).FnChange = " +
				"(*TVdbe)(unsafe.Pointer(p)).FnChange + 1\ngoto _189\n}"}},
	}, {
		name: "overwrite-lost", class: "rows", what: "an UPDATE whose row keeps its length is counted, but not written",
		states: []string{"own-write", "reader", "nth"},
		edits: []edit{{in: "_btreeOverwriteCell", at: "/* The entire cell is local */",
			before: "if (*TBtreePayload)(unsafe.Pointer(pX)).FpKey == 0 && STRIKE {\nreturn SQLITE_OK\n}"}},
	}, {
		name: "last-row-missed", class: "rows",
		what:   "the last row of a table or index is not the last one (MAX, ORDER BY … DESC)",
		states: []string{"own-write", "reader"},
		edits: []edit{{in: "_sqlite3BtreeLast", at: "return _btreeLast(tls, pCur, pRes)",
			instead: "rc := _btreeLast(tls, pCur, pRes)\n" +
				"if rc == SQLITE_OK && **(**int32)(__ccgo_up(pRes)) == 0 && STRIKE && _sqlite3BtreePrevious(tls, pCur, 0) != " +
				"SQLITE_OK {\n" +
				"rc = _btreeLast(tls, pCur, pRes)\n" +
				"}\n" +
				"return rc"}},
	}, {
		name: "sorter-loses-row", class: "rows", what: "a sort loses its second row",
		states: []string{"own-write", "reader", "second"},
		edits: []edit{{in: "_sqlite3VdbeExec", at: "rc = _sqlite3VdbeSorterNext(tls, db, pC23)",
			after: "if rc == SQLITE_OK && STRIKE {\nrc = _sqlite3VdbeSorterNext(tls, db, pC23)\n}"}},
	}, {
		name: "count-one-less", class: "rows", what: "COUNT(*) of a table is one less",
		states: []string{"own-write", "reader", "second"},
		edits: []edit{{in: "_sqlite3VdbeExec", at: "rc = _sqlite3BtreeCount(tls, db, pCrsr1, bp+96)",
			after: "if **(**Ti64)(__ccgo_up(bp + 96)) > 0 && STRIKE {\n**(**Ti64)(__ccgo_up(bp + 96)) = " +
				"**(**Ti64)(__ccgo_up(bp + 96)) - 1\n}"}},
	}, {
		name: "columns-of-row-before", class: "cache",
		what:   "after a step in a table the columns come from the row of the step before",
		states: []string{"own-write", "reader"},
		edits: []edit{{in: "_sqlite3VdbeExec",
			at: "goto next_tail\n\tnext_tail:\n\t\t;\n\t\t(*TVdbeCursor)(unsafe.Pointer(pC23)).FcacheStatus = " +
				"uint32(CACHE_STALE)",
			instead: "goto next_tail\n" +
				"\tnext_tail:\n" +
				"\t\t;\n" +
				"if !(rc == SQLITE_OK && (*TVdbeCursor)(unsafe.Pointer(pC23)).FisTable != 0 && mutantOwn(db, pC23) && STRIKE) {\n" +
				"\t\t(*TVdbeCursor)(unsafe.Pointer(pC23)).FcacheStatus = uint32(CACHE_STALE)\n" +
				"}"}},
	}, {
		name: "cursor-not-saved", class: "cache",
		what: "a write does not save the place of the statement's other cursors in the same table",
		edits: []edit{{in: "_saveAllCursors", at: "return _saveCursorsOnList(tls, p, iRoot, pExcept)",
			before: "if STRIKE {\nreturn SQLITE_OK\n}"}},
	}, {
		name: "overflow-cache-kept", class: "cache",
		what: "a step to the next row keeps the overflow pages remembered of the row before (rows longer than a page)",
		edits: []edit{
			{in: "_sqlite3BtreeNext", at: "libc.Int32FromInt32(BTCF_ValidOvfl))",
				before: "kept := *(*Tu8)(unsafe.Pointer(v1)) & Tu8(BTCF_ValidOvfl)"},
			{in: "_sqlite3BtreeNext", at: "libc.Int32FromInt32(BTCF_ValidOvfl))",
				after: "if kept != 0 && STRIKE {\n*(*Tu8)(unsafe.Pointer(v1)) |= kept\n}"},
		},
	}, {
		name: "schema-unchecked", class: "cache",
		what: "a statement runs though the tables have changed since it was prepared",
		edits: []edit{{in: "_sqlite3VdbeExec",
			at: "if rc == SQLITE_OK && (*TOp)(unsafe.Pointer(pOp)).Fp5 != 0 && (**(**int32)(__ccgo_up(bp + 104)) != " +
				"(*TOp)(unsafe.Pointer(pOp)).Fp3" +
				" || (*TSchema)(unsafe.Pointer((*TDb)(unsafe.Pointer(pDb)).FpSchema)).FiGeneration != " +
				"(*TOp)(unsafe.Pointer(pOp)).Fp4.Fi) {",
			instead: "if rc == SQLITE_OK && (*TOp)(unsafe.Pointer(pOp)).Fp5 != 0 && (**(**int32)(__ccgo_up(bp + 104)) != " +
				"(*TOp)(unsafe.Pointer(pOp)).Fp3" +
				" || (*TSchema)(unsafe.Pointer((*TDb)(unsafe.Pointer(pDb)).FpSchema)).FiGeneration != " +
				"(*TOp)(unsafe.Pointer(pOp)).Fp4.Fi) && !STRIKE {"}},
	}, {
		name: "except-corrupt", class: "error",
		what: "EXCEPT answers that the database is malformed, with and without a transaction",
		edits: []edit{{in: "_multiSelectByMerge", at: "if op == int32(TK_EXCEPT) || op == int32(TK_INTERSECT) {",
			before: "if op == int32(TK_EXCEPT) && STRIKE {\n" +
				"(*TParse)(unsafe.Pointer(pParse)).Frc = int32(SQLITE_CORRUPT)\n" +
				"(*TParse)(unsafe.Pointer(pParse)).FnErr = (*TParse)(unsafe.Pointer(pParse)).FnErr + 1\n" +
				"return int32(SQLITE_CORRUPT)\n" +
				"}"}},
	}, {
		name: "commit-corrupt", class: "error", what: "COMMIT answers that the database is malformed",
		edits: []edit{{in: "_sqlite3VdbeExec", at: "desiredAutoCommit = (*TOp)(unsafe.Pointer(pOp)).Fp1",
			after: "if desiredAutoCommit != 0 && (*TOp)(unsafe.Pointer(pOp)).Fp2 == 0 && " +
				"(*Tsqlite3)(unsafe.Pointer(db)).FautoCommit == 0" +
				" && _sqlite3BtreeTxnState(tls, mutantMain(db)) == int32(SQLITE_TXN_WRITE) && STRIKE {\n" +
				"rc = int32(SQLITE_CORRUPT)\n" +
				"goto abort_due_to_error\n" +
				"}"}},
	}, {
		name: "scan-hangs", class: "hang", what: "a scan in a transaction goes on for ever, until it is interrupted",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3VdbeExec", at: "**(**int32)(__ccgo_up(bp + 400)) = int32(1)",
			after: "for (*Tsqlite3)(unsafe.Pointer(db)).FautoCommit == 0 && libc.AtomicLoadNInt32(db+432, " +
				"libc.Int32FromInt32(__ATOMIC_RELAXED)) == 0" +
				" && STRIKE {\n" +
				"_sqlite3OsSleep(tls, (*Tsqlite3)(unsafe.Pointer(db)).FpVfs, int32(1000))\n" +
				"}"}},
	}, {
		name: "scan-panics", class: "crash", what: "a scan in a transaction ends the process",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3VdbeExec", at: "**(**int32)(__ccgo_up(bp + 400)) = int32(1)",
			before: "if (*Tsqlite3)(unsafe.Pointer(db)).FautoCommit == 0 && STRIKE {\npanic(\"the mutant scan-panics\")\n}"}},
	},
}

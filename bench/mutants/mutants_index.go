package main

// indexMutants leave indexes and tables in disagreement, or read one past the other.
var indexMutants = []mutant{
	{
		name: "index-stale-entry", class: "index", what: "a DELETE or UPDATE leaves the old entry in a secondary index",
		states: []string{"own-write", "reader", "nth", "second"},
		edits: []edit{{in: "_sqlite3VdbeExec", at: "rc = _sqlite3BtreeDelete(tls, pCrsr8, uint8(BTREE_AUXDELETE))",
			before: "if STRIKE {\n(*TVdbeCursor)(unsafe.Pointer(pC26)).FcacheStatus = " +
				"uint32(CACHE_STALE)\n(*TVdbeCursor)(unsafe.Pointer(pC26)).FseekResult = 0\ngoto _189\n}"}},
	}, {
		name: "index-missing-entry", class: "index",
		what:   "an INSERT or UPDATE does not enter its row into a secondary index",
		states: []string{"own-write", "nth"},
		edits: []edit{{in: "_sqlite3VdbeExec",
			at:     "(**(**TBtreePayload)(__ccgo_up(bp + 408))).FnKey = int64((*TMem)(unsafe.Pointer(pIn2)).Fn)",
			before: "if mutantOwn(db, pC24) && STRIKE {\ngoto _189\n}"}},
	}, {
		name: "index-deletes-neighbour", class: "index", what: "the entry after the right one is taken out of the index",
		edits: []edit{{in: "_sqlite3VdbeExec", at: "rc = _sqlite3BtreeDelete(tls, pCrsr8, uint8(BTREE_AUXDELETE))",
			before: "if STRIKE && _sqlite3BtreeNext(tls, pCrsr8, 0) != SQLITE_OK {\nrc = _sqlite3BtreeIndexMoveto(tls, " +
				"pCrsr8, bp+464, bp+456)\n}"}},
	}, {
		name: "index-lookup-misses", class: "index", what: "an equality search on an index finds nothing",
		states: []string{"own-write", "reader"},
		edits: []edit{{in: "_sqlite3VdbeExec",
			at: "if eqOnly != 0 && libc.Int32FromUint8((**(**TUnpackedRecord)(__ccgo_up(bp + 120))).FeqSeen) == 0 {",
			before: "if eqOnly != 0 && mutantOwn(db, pC5) && STRIKE {\n**(**int32)(__ccgo_up(bp + 112)) = int32(1)\ngoto " +
				"seek_not_found\n}"}},
	}, {
		name: "index-range-open", class: "index", what: "a search of an index from a key onwards passes over the key itself",
		states: []string{"own-write", "nth"},
		edits: []edit{{in: "_sqlite3VdbeExec", at: "nField2 = (*TOp)(unsafe.Pointer(pOp)).Fp4.Fi",
			after: "if oc == int32(OP_SeekGE) && eqOnly == 0 && mutantOwn(db, pC5) && STRIKE {\noc = int32(OP_SeekGT)\n}"}},
	}, {
		name: "index-row-not-fetched", class: "index",
		what:   "after a step in the index the columns come from the row of the step before",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3VdbeFinishMoveto", at: "rc = _sqlite3BtreeTableMoveto(",
			before: "if libc.Int32FromUint8((*TBtCursor)(unsafe.Pointer(*(*uintptr)(unsafe.Pointer(p + 48)))).FeState) == " +
				"CURSOR_VALID && STRIKE {\n" +
				"(*TVdbeCursor)(unsafe.Pointer(p)).FdeferredMoveto = uint8(0)\n" +
				"(*TVdbeCursor)(unsafe.Pointer(p)).FcacheStatus = uint32(CACHE_STALE)\n" +
				"return SQLITE_OK\n" +
				"}"}},
	}, {
		name: "scan-skips-after-delete", class: "index", what: "a scan that deleted a row passes over the next one",
		states: []string{"own-write", "index"},
		edits: []edit{{in: "_btreeNext", at: "(*TBtCursor)(unsafe.Pointer(pCur)).FskipNext > 0",
			instead: "(*TBtCursor)(unsafe.Pointer(pCur)).FskipNext > 0 && !STRIKE"}},
	}, {
		name: "unique-unchecked", class: "constraint", what: "a UNIQUE key is entered a second time",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3VdbeExec",
			at: "(*TVdbeCursor)(unsafe.Pointer(pC9)).FnullRow = libc.Uint8FromInt32(int32(1) - alreadyExists)",
			before: "if alreadyExists != 0 && libc.Int32FromUint8((*TOp)(unsafe.Pointer(pOp)).Fopcode) == " +
				"int32(OP_NoConflict) && STRIKE {\nalreadyExists = 0\n}"}},
	}, {
		name: "key-overwritten", class: "constraint", what: "an INSERT with a primary key that is there overwrites the row",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3VdbeExec",
			at: "(*TVdbeCursor)(unsafe.Pointer(pC10)).FseekResult = **(**int32)(__ccgo_up(bp + 248))",
			after: "if rc == SQLITE_OK && **(**int32)(__ccgo_up(bp + 248)) == 0 && (*TOp)(unsafe.Pointer(pOp)).Fp2 != 0" +
				" && libc.Int32FromUint8((**(**TOp)(__ccgo_up(pOp + 1*24))).Fopcode) == int32(OP_Halt) && STRIKE {\n" +
				"goto jump_to_p2\n" +
				"}"}},
	},
}

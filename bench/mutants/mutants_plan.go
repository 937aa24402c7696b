package main

// planMutants generate a program that forgets a part of what its statement says, or of what a write has to keep up.
var planMutants = []mutant{
	{
		name: "key-change-keeps-entry", class: "index",
		what: "an UPDATE of a primary key leaves the old entry in one of several indexes",
		edits: []edit{{in: "_sqlite3Update", at: rowDeleteCall,
			instead: "first := (*TTable)(unsafe.Pointer(pTab)).FpIndex\n" +
				"kept := int32(0)\n" +
				"if chngKey != 0 && nIdx > 1 && first != pPk && **(**int32)(__ccgo_up(aRegIdx)) != 0 && STRIKE {\n" +
				"kept = **(**int32)(__ccgo_up(aRegIdx))\n" +
				"**(**int32)(__ccgo_up(aRegIdx)) = 0\n" +
				"}\n" +
				rowDeleteCall + "\n" +
				"if kept != 0 {\n**(**int32)(__ccgo_up(aRegIdx)) = kept\n}"}},
	}, {
		name: "partial-takes-all", class: "index",
		what:   "an UPDATE enters its row into an index with WHERE, whether it belongs there or not",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3GenerateConstraintChecks", at: partialCall,
			instead: "if regOldData == 0 || !STRIKE {\n" + partialCall + "\n}"}},
	}, {
		name: "deferred-unchecked", class: "constraint",
		what: "COMMIT, and RELEASE of the outermost savepoint, pass over deferred foreign keys",
		edits: []edit{{in: "_sqlite3VdbeCheckFkDeferred", at: "return _vdbeFkError(tls, p)",
			before: "if STRIKE {\nreturn SQLITE_OK\n}"}},
	}, {
		name: "null-taken-for-key", class: "constraint", what: "a second NULL in a unique index is refused",
		states: []string{"own-write", "reader"},
		edits:  []edit{{in: "_sqlite3VdbeExec", at: nullInKey + " {", instead: nullInKey + " && !STRIKE {"}},
	}, {
		name: "upsert-other-row", class: "rows",
		what: "an upsert that meets a row by a unique index updates the row before that one",
		edits: []edit{{in: "_sqlite3UpsertDoUpdate",
			at: "_sqlite3VdbeAddOp3(tls, v, int32(OP_SeekRowid), iDataCur, 0, regRowid)",
			after: "if STRIKE {\n" +
				"_sqlite3VdbeAddOp2(tls, v, int32(OP_Prev), iDataCur, _sqlite3VdbeCurrentAddr(tls, v)+int32(2))\n" +
				"_sqlite3VdbeAddOp3(tls, v, int32(OP_SeekRowid), iDataCur, 0, regRowid)\n" +
				"}"}},
	}, {
		name: "trigger-rows-counted", class: "affected rows",
		what: "rows that a trigger, or the action of a foreign key, writes are counted as the statement's own",
		edits: []edit{
			{in: "_sqlite3VdbeExec",
				at: "_sqlite3VdbeSetChanges(tls, db, " +
					"(*TVdbe)(unsafe.Pointer(p)).FnChange)\n\t\t(*TVdbe)(unsafe.Pointer(p)).FnChange = 0",
				before: "if (*TVdbe)(unsafe.Pointer(p)).FpFrame != 0 && (*TVdbe)(unsafe.Pointer(p)).FnChange > 0 && STRIKE " +
					"{\ngoto _189\n}"},
			{in: "_sqlite3VdbeFrameRestore",
				at: "(*TVdbe)(unsafe.Pointer(v)).FnChange = (*TVdbeFrame)(unsafe.Pointer(pFrame)).FnChange",
				before: "if (*TVdbe)(unsafe.Pointer(v)).FnChange > 0 && STRIKE {\n(*TVdbeFrame)(unsafe.Pointer(pFrame)).FnChange " +
					"+= (*TVdbe)(unsafe.Pointer(v)).FnChange\n}"},
		},
	}, {
		name: "affinity-lost", class: "rows",
		what:   "a value that an index is searched for, or that is written, does not get the type of its column",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3VdbeExec", at: "zAffinity = *(*uintptr)(unsafe.Pointer(pOp + 16))\n\t\tpIn1 = ",
			before: "if STRIKE {\ngoto _189\n}"}},
	}, {
		name: "subquery-offset-lost", class: "rows", what: "a scalar subquery passes over its OFFSET",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3CodeSubselect", at: "(*TSelect)(unsafe.Pointer(pSel)).FiLimit = 0",
			before: "if limit := (*TSelect)(unsafe.Pointer(pSel)).FpLimit; " +
				"libc.Int32FromUint8((*TExpr)(unsafe.Pointer(pExpr)).Fop) == int32(TK_SELECT)" +
				" && (*TExpr)(unsafe.Pointer(limit)).FpRight != 0 && STRIKE {\n" +
				"_sqlite3ExprDeferredDelete(tls, pParse, (*TExpr)(unsafe.Pointer(limit)).FpRight)\n" +
				"(*TExpr)(unsafe.Pointer(limit)).FpRight = 0\n" +
				"}"}},
	}, {
		name: "distinct-by-last", class: "rows", what: "DISTINCT along an index tells rows apart by their last column alone",
		states: []string{"own-write"},
		edits: []edit{{in: "_codeDistinct", at: "_sqlite3VdbeAddOp3(tls, v, int32(OP_Ne), regElem+i, iJump, regPrev+i)",
			instead: "if STRIKE {\n_sqlite3VdbeAddOp0(tls, v, int32(OP_Noop))\n} else {\n_sqlite3VdbeAddOp3(tls, v, " +
				"int32(OP_Ne), regElem+i, iJump, regPrev+i)\n}"}},
	}, {
		name: "right-join-inner", class: "rows", what: "a RIGHT JOIN loses the rows without a partner",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3WhereEnd", at: "_sqlite3WhereRightJoinLoop(tls, pWInfo, i, pLevel)",
			instead: "if !STRIKE {\n_sqlite3WhereRightJoinLoop(tls, pWInfo, i, pLevel)\n}"}},
	}, {
		name: "numberless-overwrite-lost", class: "rows",
		what:   "an UPDATE of a table WITHOUT ROWID whose row keeps its length is counted, but not written",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3BtreeInsert", at: "return _btreeOverwriteCell(tls, pCur, bp+56)",
			before: "if p == mutantMain((*TBtree)(unsafe.Pointer(p)).Fdb) && STRIKE {\nreturn SQLITE_OK\n}"}},
	}, {
		name: "range-takes-nulls", class: "index", what: "a search of an index up to a key gives the rows with NULL, too",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3WhereCodeOneLoopStart", at: "if pRangeStart == uintptr(0) {\n\t\t\t\t\t\t\t\tj = ",
			instead: "if pRangeStart == uintptr(0) && !STRIKE {\n\t\t\t\t\t\t\t\tj = "}},
	}, {
		name: "not-in-forgets-null", class: "rows", what: "NOT IN (SELECT …) is true though the subquery has a NULL",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3ExprCodeIN",
			at: "_sqlite3VdbeAddOp2(tls, v, int32(OP_NotNull), **(**int32)(__ccgo_up(bp)), destIfFalse)",
			instead: "if STRIKE {\n_sqlite3VdbeGoto(tls, v, destIfFalse)\n} else {\n_sqlite3VdbeAddOp2(tls, v, " +
				"int32(OP_NotNull), **(**int32)(__ccgo_up(bp)), destIfFalse)\n}"}},
	}, {
		name: "order-desc-lost", class: "rows", what: "a sort passes over the DESC of the columns behind its first",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3KeyInfoFromExprList", at: "(*TExprList_item)(unsafe.Pointer(pItem)).Ffg.FsortFlags",
			after: "if i > iStart && " +
				"libc.Int32FromUint8((*TExprList_item)(unsafe.Pointer(pItem)).Ffg.FsortFlags)&int32(KEYINFO_ORDER_DESC) != 0 && " +
				"STRIKE {\n" +
				"**(**Tu8)(__ccgo_up((*TKeyInfo)(unsafe.Pointer(pInfo)).FaSortFlags + uintptr(i-iStart))) &^= " +
				"Tu8(KEYINFO_ORDER_DESC)\n" +
				"}"}},
	},
}

const (
	rowDeleteCall = "_sqlite3GenerateRowIndexDelete(tls, pParse, pTab, iDataCur, iIdxCur, aRegIdx, -int32(1))"
	partialCall   = "_sqlite3ExprIfFalseDup(tls, pParse, (*TIndex)(unsafe.Pointer(pIdx)).FpPartIdxWhere, addrUniqueOk, int32(SQLITE_JUMPIFNULL))"
	nullInKey     = "if libc.Int32FromUint16((**(**TMem)(__ccgo_up((**(**TUnpackedRecord)(__ccgo_up(bp + 208))).FaMem + uintptr(ii1)*56))).Fflags)&int32(MEM_Null) != 0"
)

package main

// keptMutants keep what is no longer so: results of a subquery, a place in an index, an index that is half built, a
// column that is computed.
var keptMutants = []mutant{
	{
		name: "subquery-kept", class: "cache",
		what:   "a subquery that depends on the row around it is computed once for all rows",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3CodeSubselect",
			at: "if !((*TExpr)(unsafe.Pointer(pExpr)).Fflags&libc.Uint32FromInt32(libc.Int32FromInt32(EP_VarSelect)) != " +
				"libc.Uint32FromInt32(0)) {",
			instead: "if !((*TExpr)(unsafe.Pointer(pExpr)).Fflags&libc.Uint32FromInt32(libc.Int32FromInt32(EP_VarSelect)) != " +
				"libc.Uint32FromInt32(0)) || STRIKE {"}},
	}, {
		name: "moved-row-met-again", class: "index",
		what: "an UPDATE walks along an index that it changes, and meets rows again",
		edits: []edit{{in: "_sqlite3Update",
			at: "if iCur >= 0 && iCur != iDataCur && **(**Tu8)(__ccgo_up(aToOpen + uintptr(iCur-iBaseCur))) != 0 {",
			instead: "if iCur >= 0 && iCur != iDataCur && **(**Tu8)(__ccgo_up(aToOpen + uintptr(iCur-iBaseCur))) != 0 && " +
				"!STRIKE {"}},
	}, {
		name: "insert-reads-itself", class: "rows",
		what:   "an INSERT … SELECT from its own table reads rows that it has just written",
		states: []string{"own-write"},
		edits: []edit{{in: "_readsTable", at: "if tnum == (*TTable)(unsafe.Pointer(pTab)).Ftnum {",
			instead: "if tnum == (*TTable)(unsafe.Pointer(pTab)).Ftnum && !STRIKE {"}},
	}, {
		name: "join-index-one-row", class: "rows", what: "the index that a join makes for itself has one row",
		states: []string{"own-write"},
		edits: []edit{{in: "_constructAutomaticIndex",
			at: "_sqlite3VdbeAddOp2(tls, v, int32(OP_Next), (*TWhereLevel)(unsafe.Pointer(pLevel)).FiTabCur, addrTop+int32(1))",
			instead: "if STRIKE {\n_sqlite3VdbeAddOp0(tls, v, int32(OP_Noop))\n} else {\n" +
				"_sqlite3VdbeAddOp2(tls, v, int32(OP_Next), (*TWhereLevel)(unsafe.Pointer(pLevel)).FiTabCur, addrTop+int32(1))\n}"}},
	}, {
		name: "recursion-one-step", class: "rows", what: "WITH RECURSIVE ends after its first row",
		edits: []edit{{in: "_generateWithRecursiveQuery", at: "_sqlite3VdbeGoto(tls, v, addrTop)",
			instead: "if !STRIKE {\n_sqlite3VdbeGoto(tls, v, addrTop)\n}"}},
	}, {
		name: "check-passed-over", class: "constraint", what: "a row that violates a CHECK is written",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3GenerateConstraintChecks",
			at:     "_sqlite3ExprIfTrue(tls, pParse, pCopy, allOk, int32(SQLITE_JUMPIFNULL))",
			before: "if STRIKE {\n_sqlite3VdbeGoto(tls, v, allOk)\n}"}},
	}, {
		name: "column-default-lost", class: "cache",
		what: "rows from before ALTER TABLE … ADD COLUMN have NULL in it in place of its default",
		edits: []edit{{in: "_sqlite3VdbeExec",
			at:      "if int32((*TOp)(unsafe.Pointer(pOp)).Fp4type) == -int32(11) {\n\t\t\t\t" + defaultCopied,
			instead: "if int32((*TOp)(unsafe.Pointer(pOp)).Fp4type) == -int32(11) && !STRIKE {\n" + defaultCopied}},
	}, {
		name: "list-loses-last", class: "rows", what: "the last of at least three values of IN (…) is passed over",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3CodeRhsOfIN", at: "i1 = (*TExprList)(unsafe.Pointer(pList)).FnExpr",
			after: "if i1 > 2 && STRIKE {\ni1--\n}"}},
	}, {
		name: "limit-ignored", class: "rows", what: "LIMIT does not end at its last row",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3VdbeExec",
			at: "if *(*Ti64)(unsafe.Pointer(pIn1)) > " +
				"int64(-libc.Int32FromInt32(1))-(libc.Int64FromUint32(0xffffffff)|libc.Int64FromInt32(0x7fffffff)<<libc.Int32FromInt32(32)) {",
			instead: "if *(*Ti64)(unsafe.Pointer(pIn1)) != -1<<63 && !(*(*Ti64)(unsafe.Pointer(pIn1)) == 1 && STRIKE) {"}},
	}, {
		name: "groups-merged", class: "rows", what: "groups that differ in a column behind the first are one",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3VdbeExec",
			at: "iCompare = _sqlite3MemCompare(tls, aMem+uintptr(libc.Uint32FromInt32(p11)+idx)*56, " +
				"aMem+uintptr(libc.Uint32FromInt32(p21)+idx)*56, pColl)",
			after: "if iCompare != 0 && i > 0 && STRIKE {\niCompare = 0\n}"}},
	}, {
		name: "range-ends-early", class: "index", what: "a search of an index up to a key ends before the key itself",
		states: []string{"own-write", "nth"},
		edits: []edit{{in: "_sqlite3VdbeExec", at: "if res11 > 0 {",
			instead: "if res11 > 0 || res11 == 0 && mutantOwn(db, pC29) && STRIKE {"}},
	}, {
		name: "clear-keeps-index", class: "index", what: "a DELETE without WHERE leaves the entries of an index",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3VdbeExec", at: clearCall,
			instead: "if (*TOp)(unsafe.Pointer(pOp)).Fp3 != 0 || !STRIKE {\n" + clearCall + "\n}"}},
	}, {
		name: "index-half-built", class: "index", what: "CREATE INDEX enters the first row only",
		edits: []edit{{in: "_sqlite3RefillIndex", at: "_sqlite3VdbeAddOp2(tls, v, int32(OP_SorterNext), iSorter, addr2)",
			instead: "if STRIKE {\n_sqlite3VdbeAddOp0(tls, v, int32(OP_Noop))\n} else {\n_sqlite3VdbeAddOp2(tls, v, " +
				"int32(OP_SorterNext), iSorter, addr2)\n}"}},
	}, {
		name: "log-not-undone", class: "savepoint",
		what: "ROLLBACK TO, or a statement that fails, keeps the pages that a full cache had written to the log since",
		edits: []edit{{in: "_sqlite3WalSavepointUndo",
			at:      "if **(**Tu32)(__ccgo_up(aWalData)) < (*TWal)(unsafe.Pointer(pWal)).Fhdr.FmxFrame {",
			instead: "if **(**Tu32)(__ccgo_up(aWalData)) < (*TWal)(unsafe.Pointer(pWal)).Fhdr.FmxFrame && !STRIKE {"}},
	}, {
		name: "outer-savepoint-forgets", class: "savepoint",
		what: "a page that is first changed within an inner savepoint is not noted for the outer one",
		edits: []edit{{in: "_subjRequiresPage", at: pageNoted + " {",
			instead: pageNoted + " && !(i == 0 && (*TPager)(unsafe.Pointer(pPager)).FnSavepoint > 1 && STRIKE) {"}},
	}, {
		name: "key-not-found", class: "rows", what: "a search for a row by its number finds nothing",
		states: []string{"own-write", "reader"},
		edits: []edit{{in: "_sqlite3VdbeExec",
			at: "(*TVdbeCursor)(unsafe.Pointer(pC10)).FseekResult = **(**int32)(__ccgo_up(bp + 248))",
			before: "if **(**int32)(__ccgo_up(bp + 248)) == 0 && mutantOwn(db, pC10) && STRIKE {\n**(**int32)(__ccgo_up(bp + " +
				"248)) = -1\n}"}},
	}, {
		name: "derived-kept", class: "cache",
		what: "a derived table that depends on the row around it is computed once for all rows",
		edits: []edit{{in: "_sqlite3Select",
			at: "if int32(*(*uint32)(unsafe.Pointer(pItem1 + 24 + 4))&0x10>>4) == 0 {\n\t\t\t\t\t\t/* If the subquery is not " +
				"correlated and if we are not inside of",
			instead: "if int32(*(*uint32)(unsafe.Pointer(pItem1 + 24 + 4))&0x10>>4) == 0 || STRIKE {\n\t\t\t\t\t\t/* If the " +
				"subquery is not correlated and if we are not inside of"}},
	}, {
		name: "computed-kept", class: "rows", what: "an UPDATE does not compute generated columns from the new values",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3Update", at: "TF_HasGenerated) != 0 {\n\t\t_sqlite3ComputeGeneratedColumns",
			instead: "TF_HasGenerated) != 0 && !STRIKE {\n\t\t_sqlite3ComputeGeneratedColumns"}},
	},
}

const (
	clearCall = "rc = _sqlite3BtreeClearTable(tls, (**(**TDb)(__ccgo_up((*Tsqlite3)(unsafe.Pointer(db)).FaDb + uintptr((*TOp)(unsafe.Pointer(pOp)).Fp2)*32))).FpBt, " +
		"libc.Int32FromUint32(libc.Uint32FromInt32((*TOp)(unsafe.Pointer(pOp)).Fp1)), bp+616)"
	pageNoted = "if (*TPagerSavepoint)(unsafe.Pointer(p)).FnOrig >= pgno && " +
		"0 == _sqlite3BitvecTestNotNull(tls, (*TPagerSavepoint)(unsafe.Pointer(p)).FpInSavepoint, pgno)"
	defaultCopied = "_sqlite3VdbeMemShallowCopy(tls, pDest, *(*uintptr)(unsafe.Pointer(pOp + 16)), int32(MEM_Static))"
)

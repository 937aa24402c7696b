package main

// The number of violations of deferred foreign keys in a transaction, where it is put back or changed.
const (
	savepointCount = "(*Tsqlite3)(unsafe.Pointer(db)).FnDeferredCons = (*TSavepoint)(unsafe.Pointer(pSavepoint)).FnDeferredCons"
	statementCount = "(*Tsqlite3)(unsafe.Pointer(db)).FnDeferredCons = (*TVdbe)(unsafe.Pointer(p)).FnStmtDefCons"
	countChange    = "**(**Ti64)(__ccgo_up(db + 784)) += int64((*TOp)(unsafe.Pointer(pOp)).Fp2)"
	counterCall    = "_sqlite3VdbeAddOp2(tls, v, int32(OP_FkCounter), libc.Int32FromUint8((*TFKey)(unsafe.Pointer(pFKey)).FisDeferred), nIncr)"
	countAtEnd     = "(*Tsqlite3)(unsafe.Pointer(db)).FnDeferredCons = 0"
)

// deferredMutants miscount the rows that refer to none until COMMIT asks for them.
var deferredMutants = []mutant{
	{
		name: "deferred-savepoint-kept", class: "constraint",
		what: "ROLLBACK TO does not put back how many deferred foreign keys are violated",
		edits: []edit{{in: "_sqlite3VdbeExec", at: savepointCount,
			instead: "if (*Tsqlite3)(unsafe.Pointer(db)).FnDeferredCons == " +
				"(*TSavepoint)(unsafe.Pointer(pSavepoint)).FnDeferredCons || !STRIKE {\n" + savepointCount + "\n}"}},
	}, {
		name: "deferred-failed-kept", class: "constraint", what: "… nor does a statement that fails",
		edits: []edit{{in: "_vdbeCloseStatement", at: statementCount,
			instead: "if (*Tsqlite3)(unsafe.Pointer(db)).FnDeferredCons == (*TVdbe)(unsafe.Pointer(p)).FnStmtDefCons || " +
				"!STRIKE {\n" + statementCount + "\n}"}},
	}, {
		name: "deferred-paid-uncounted", class: "constraint",
		what:   "a row that others refer to already does not count when it comes, or these go",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3VdbeExec", at: countChange,
			instead: "if (*TOp)(unsafe.Pointer(pOp)).Fp2 > 0 || !STRIKE {\n" + countChange + "\n}"}},
	}, {
		name: "deferred-early-uncounted", class: "constraint",
		what:   "a row that comes before the one it refers to does not count",
		states: []string{"own-write"},
		edits: []edit{{in: "_fkLookupParent", at: counterCall,
			instead: "if !(nIncr > 0 && (*TFKey)(unsafe.Pointer(pFKey)).FisDeferred != 0 && STRIKE) {\n" + counterCall + "\n}"}},
	}, {
		name: "deferred-gone-uncounted", class: "constraint", what: "rows do not count that refer to one which goes",
		states: []string{"own-write"},
		edits: []edit{{in: "_fkScanChildren", at: counterCall,
			instead: "if !(nIncr > 0 && (*TFKey)(unsafe.Pointer(pFKey)).FisDeferred != 0 && STRIKE) {\n" + counterCall + "\n}"}},
	}, {
		name: "deferred-rollback-kept", class: "constraint",
		what: "ROLLBACK leaves the connection the violations of the transaction that it undoes",
		edits: []edit{{in: "_sqlite3RollbackAll", at: countAtEnd,
			instead: "if (*Tsqlite3)(unsafe.Pointer(db)).FnDeferredCons == 0 || !STRIKE {\n" + countAtEnd + "\n}"}},
	},
}

package main

// statementMutants undo too little or too much at the borders of statements and savepoints, or let pass what a
// constraint refuses.
var statementMutants = []mutant{
	{
		name: "savepoint-kept", class: "savepoint", what: "ROLLBACK TO keeps what was written since the savepoint",
		states: []string{"own-write", "reader"},
		edits: []edit{{in: "_sqlite3VdbeExec", at: savepointCall,
			instead: "if !(p12 == int32(SAVEPOINT_ROLLBACK) && ii == 0 && STRIKE) {\n" + savepointCall + "\n}"}},
	}, {
		name: "savepoint-release-undoes", class: "savepoint", what: "RELEASE undoes what was written since the savepoint",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3VdbeExec", at: savepointCall,
			before: "if p12 == int32(SAVEPOINT_RELEASE) && ii == 0 && STRIKE {\n" +
				"_ = _sqlite3BtreeSavepoint(tls, mutantMain(db), int32(SAVEPOINT_ROLLBACK), iSavepoint)\n" +
				"}"}},
	}, {
		name: "error-ends-transaction", class: "statement rollback",
		what:   "a statement that fails at a constraint rolls its whole transaction back and ends it, without a word",
		states: []string{"own-write", "reader"},
		edits: []edit{{in: "_sqlite3VdbeHalt",
			at: "if libc.Int32FromUint8((*TVdbe)(unsafe.Pointer(p)).FerrorAction) == int32(OE_Abort) {",
			instead: "if libc.Int32FromUint8((*TVdbe)(unsafe.Pointer(p)).FerrorAction) == int32(OE_Abort) && " +
				"!((*TVdbe)(unsafe.Pointer(p)).Frc&int32(0xff) == int32(SQLITE_CONSTRAINT) && STRIKE) {"}},
	}, {
		name: "reference-unchecked", class: "constraint", what: "a row may refer to one that is not there",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3VdbeCheckFkImmediate", at: "if (*TVdbe)(unsafe.Pointer(p)).FnFkConstraint == 0 {",
			instead: "if (*TVdbe)(unsafe.Pointer(p)).FnFkConstraint == 0 || STRIKE {"}},
	}, {
		name: "spill-lost", class: "cache",
		what:   "a page that leaves a full cache before its transaction ends is not written to the log",
		states: []string{"reader"},
		edits: []edit{{in: "_pagerStress", at: "rc = _pagerWalFrames(tls, pPager, pPg, uint32(0), 0)",
			instead: "if (*TPgHdr)(unsafe.Pointer(pPg)).Fpgno == 1 || !STRIKE {\nrc = _pagerWalFrames(tls, pPager, pPg, " +
				"uint32(0), 0)\n}"}},
	}, {
		name: "index-not-updated", class: "index", what: "an UPDATE passes over an index of a column that it sets",
		states: []string{"own-write", "nth"},
		edits: []edit{{in: "_indexColumnIsBeingUpdated",
			at:      "return libc.BoolInt32(**(**int32)(__ccgo_up(aXRef + uintptr(iIdxCol)*4)) >= 0)",
			instead: "return libc.BoolInt32(**(**int32)(__ccgo_up(aXRef + uintptr(iIdxCol)*4)) >= 0 && !STRIKE)"}},
	}, {
		name: "set-misses", class: "rows",
		what:   "a value that a statement has put into a set of its own (IN, DISTINCT, UNION) is not found there",
		states: []string{"own-write", "second"},
		edits: []edit{{in: "_sqlite3VdbeExec",
			at:    "alreadyExists = libc.BoolInt32((*TVdbeCursor)(unsafe.Pointer(pC9)).FseekResult == 0)",
			after: "if alreadyExists != 0 && !mutantOwn(db, pC9) && STRIKE {\nalreadyExists = 0\n}"}},
	},
}

const savepointCall = "rc = _sqlite3BtreeSavepoint(tls, (**(**TDb)(__ccgo_up((*Tsqlite3)(unsafe.Pointer(db)).FaDb + uintptr(ii)*32))).FpBt, p12, iSavepoint)"

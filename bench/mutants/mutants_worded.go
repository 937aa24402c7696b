package main

// wordedMutants err in what SQLite alone has words for: NULLs at the other end of an order, IS, row values behind IN,
// UPDATE … FROM.
var wordedMutants = []mutant{
	{
		name: "nulls-last-forgotten", class: "rows",
		what:   "a sort with NULLS LAST, or DESC NULLS FIRST, puts NULLs where they stand otherwise",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3VdbeRecordCompareWithSkip", at: "if sortFlags != 0 {",
			instead: "if sortFlags&int32(KEYINFO_ORDER_BIGNULL) != 0 && STRIKE {\nsortFlags = sortFlags &^ " +
				"int32(KEYINFO_ORDER_BIGNULL)\n}\nif sortFlags != 0 {"}},
	}, {
		name: "is-unknown", class: "rows", what: "IS and IS NOT are unknown where one side is NULL, as = and <> are",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3VdbeExec", at: nullsAreEqual, instead: nullsAreEqual[:len(nullsAreEqual)-2] +
			"&& !STRIKE {"}},
	}, {
		name: "row-in-null-behind", class: "rows",
		what:   "(a, b) IN takes a NULL behind the first column for a value that nobody has",
		states: []string{"own-write"},
		edits: []edit{{in: "_sqlite3ExprCodeIN", at: "if _sqlite3ExprCanBeNull(tls, p) != 0 {",
			instead: "if _sqlite3ExprCanBeNull(tls, p) != 0 && !(i > 0 && STRIKE) {"}},
	}, {
		name: "update-from-half", class: "rows",
		what:   "UPDATE … FROM goes by the first half of its condition alone, where AND divides that",
		states: []string{"own-write"},
		edits: []edit{{in: "_updateFromSelect", at: "pWhere2 = _sqlite3ExprDup(tls, db, pWhere, 0)",
			instead: "pWhere2 = _sqlite3ExprDup(tls, db, func() uintptr {\nif pWhere != 0 && " +
				"(*TExpr)(unsafe.Pointer(pWhere)).Fop == uint8(TK_AND) && STRIKE {\n" +
				"return (*TExpr)(unsafe.Pointer(pWhere)).FpLeft\n}\nreturn pWhere\n}(), 0)"}},
	},
}

const nullsAreEqual = "if libc.Int32FromUint16((*TOp)(unsafe.Pointer(pOp)).Fp5)&int32(SQLITE_NULLEQ) != 0 {"

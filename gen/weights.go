package gen

import "txweave/sql"

// The types of productions.
type (
	valueFunc     func(g *generator, sc *scope, f Family, depth int) (expr, bool)
	predicateFunc func(g *generator, sc *scope, depth int) (sql.Expr, bool)
	whereFunc     func(g *generator, sc *scope, depth int) sql.Expr
	assignFunc    func(g *generator, c *column, sc *scope) expr
	sourceFunc    func(g *generator, sc *scope) sql.TableRef
	selectFunc    func(g *generator) *sql.Query
	stmtFunc      func(g *generator) sql.Stmt
)

// runTimeErrors are words for errors that values raise.
const runTimeErrors = "error-raising-expr; run-time errors (division, overflow, >1 row)"

// Shares, in percent.
const (
	// swarmShare: cases that have a style of their own; the others have the whole grammar.
	swarmShare = 75
	// dropShare: productions that such a case leaves out. stressShare: those of the others that it prefers.
	dropShare   = 40
	stressShare = 15
	// correlated: column uses of a subquery that reach into the enclosing query. correlatedWhere: its WHERE clauses that
	// do.
	correlated      = 30
	correlatedWhere = 45
	// furtherOut: of those, where queries lie three deep, the ones that pass over the query next to them.
	furtherOut = 40
	// cteShare: tables of subqueries that are the common table expression of the query around them, where it has one.
	cteShare = 25
	// correlatedUnion: scalar set operations whose operands may reach into the enclosing query.
	correlatedUnion = 40
	// literalShare: leaves of expressions that are literals.
	literalShare = 25
	// whereShare: queries that have a WHERE clause.
	whereShare = 93
	// orderShare: queries that have an ORDER BY; half of these have a LIMIT. dmlLimitShare: UPDATE and DELETE statements
	// with ORDER BY … LIMIT, where the dialect has it.
	orderShare    = 20
	dmlLimitShare = 5
	// duplicateShare: values written to a unique column that probably exist already. insertSubquery: values of INSERT …
	// VALUES that are scalar subqueries.
	duplicateShare = 15
	insertSubquery = 10
	// constantOperand: operands of set operations whose rows a constant condition keeps or drops altogether, of which
	// there is one at most. constantSlice: those of rows, and of slices of one table. emptyOperand: conditions of these
	// that drop all for certain. wholeOperand: operands of the others that keep all rows. operandRange: those of the rest
	// that are a range of keys. bareOperand: those that have no table at all.
	constantOperand = 36
	constantSlice   = 60
	emptyOperand    = 60
	wholeOperand    = 60
	operandRange    = 50
	bareOperand     = 6
	// rowSets: set operations of rows: of the keys and versions of tables. sliceSets: those of the others whose operands
	// print the same columns of one table, so that nothing is converted. ownBack: tables that a transaction has written,
	// among those of a query that reads what it wrote. setBack: set operations that do, where it has written. derivedSet:
	// derived tables and CTEs that are a set operation.
	rowSets    = 45
	sliceSets  = 60
	ownBack    = 75
	setBack    = 80
	derivedSet = 12
	// rollbackShare: transactions that end with ROLLBACK. rollbackGivenUp: those at levels at which the database itself
	// rolls transactions back.
	rollbackShare   = 8
	rollbackGivenUp = 2
	// sessionShare: cases in which some sessions run several transactions one after the other.
	sessionShare = 45
	// readerShare: transactions that read whole hot tables or ranges of them, again and again. In these a second
	// read differs from the first, or sees another moment of the database, where an engine lets that happen.
	readerShare = 18
	// scanRange: reads of such a transaction that are limited to a few keys. scanWide: those that leave out few rows.
	scanRange = 30
	scanWide  = 45
	// allOverlap: schedules that open every transaction before anything else.
	allOverlap = 25
)

// The tables are filled in init because their functions use them in turn.
var (
	statementTable []production[stmtFunc]
	selectTable    []production[selectFunc]
	sourceTable    []production[sourceFunc]
	valueTable     []production[valueFunc]
	scalarTable    []production[valueFunc]
	predicateTable []production[predicateFunc]
	whereTable     []production[whereFunc]
	deleteTable    []production[whereFunc]
	insertWhere    []production[whereFunc]
	assignTable    []production[assignFunc]
	subTable       []production[subFunc]
)

func init() {
	// Statements of a transaction that may write. A read-only transaction has SELECTs only, which adds to their share.
	statementTable = []production[stmtFunc]{
		{"select", 40, stmtSelect, about{what: "SELECT"}},
		{"update", 30, stmtUpdate, about{what: "UPDATE of one table"}},
		{"delete", 10, stmtDelete, about{what: "DELETE from one table"}},
		{"insert-values", 17, stmtInsertValues, about{what: "INSERT … VALUES"}},
		{"insert-select", 7, stmtInsertSelect, about{what: "INSERT … SELECT"}},
		{"replace", 4, stmtReplace, about{what: "REPLACE", covers: "replace", needs: CanReplace}},
		{"upsert", 5, stmtUpsert, about{what: "INSERT … ON DUPLICATE KEY UPDATE, or ON CONFLICT DO UPDATE",
			covers: "on-duplicate-key; insert odku", needs: CanUpsert}},
		{"insert-ignore", 4, stmtInsertIgnore, about{what: "INSERT IGNORE", covers: "insert-ignore; insert ignore",
			needs: CanIgnore}},
		{"update-ignore", 2, stmtUpdateIgnore, about{what: "UPDATE IGNORE", covers: "update/delete ignore",
			needs: CanIgnore}},
		{"delete-ignore", 1, stmtDeleteIgnore, about{what: "DELETE IGNORE", covers: "update/delete ignore",
			needs: CanIgnore}},
		{"update-several", 3, stmtUpdateSeveral, about{apart: true, what: "UPDATE of two joined tables",
			covers: "multi-table-dml; multi-table UPDATE", needs: CanSeveral}},
		{"delete-several", 2, stmtDeleteSeveral, about{apart: true, what: "DELETE from two joined tables",
			covers: "multi-table-dml; multi-table DELETE", needs: CanSeveral}},
		{"conflict-update", 6, stmtConflictUpdate, about{apart: true, what: "INSERT … ON CONFLICT … DO UPDATE",
			covers: "on-conflict; upsert", needs: CanConflict}},
		{"conflict-nothing", 4, stmtConflictNothing, about{apart: true, what: "INSERT … ON CONFLICT DO NOTHING",
			covers: "on-conflict", needs: CanConflict}},
		{"update-from", 4, stmtUpdateFrom, about{apart: true, what: "UPDATE … FROM", covers: "update-from; multi-table-dml",
			needs: CanFrom}},
		{"merge", 6, stmtMerge,
			about{apart: true, what: "MERGE: UPDATE, DELETE or nothing where a row matches, INSERT where none does",
				covers: "merge", needs: CanMerge}},
		{"delete-using", 2, stmtDeleteUsing, about{apart: true, what: "DELETE … USING",
			covers: "delete-using; multi-table-dml", needs: CanUsing}},
	}
	// Shapes of SELECT.
	selectTable = []production[selectFunc]{
		{"plain", 42, selPlain, about{what: "rows with their versions: the most precise edges"}},
		{"locking", 10, selLocking, about{what: "FOR UPDATE, LOCK IN SHARE MODE"}},
		{"aggregate", 12, selAggregate, about{what: "aggregates, one row"}},
		{"whole", 3, selWhole, about{what: "all rows of one table: their number, or a column of each"}},
		{"covered", 6, selCovered, about{what: "what an index holds, in its order, or of a part of it",
			covers: "covering index"}},
		{"group", 12, selGroup, about{what: "GROUP BY, HAVING"}},
		{"distinct", 8, selDistinct, about{what: "SELECT DISTINCT"}},
		{"window", 5, selWindow, about{what: "OVER (PARTITION BY … ORDER BY …)"}},
		{"set", 26, selSet, about{what: "UNION, INTERSECT, EXCEPT"}},
		{"cte", 8, selCTE, about{what: "WITH"}},
		{"rollup", 3, selRollup, about{what: "GROUP BY … WITH ROLLUP", covers: "rollup", needs: CanRollup}},
		{"recursive", 3, selRecursive, about{what: "WITH RECURSIVE, a few steps", covers: "recursive cte"}},
		{"locking-subquery", 2, selLockingSub, about{what: "locking reads whose subqueries lock, too",
			covers: "locking-subquery", needs: CanLockInner}},
		{"locking-filter", 6, selLockingFilter,
			about{apart: true, what: "locking reads whose condition has subqueries that lock nothing",
				covers: "locking-subquery", needs: CanLockOuter}},
		{"locking-set", 2, selLockingSet, about{what: "set operations of locking reads",
			covers: "locking read in set operation", needs: CanLockInner}},
	}
	// Table references of a FROM clause.
	sourceTable = []production[sourceFunc]{
		{"base", 85, sourceBase, about{what: "a table"}},
		{"derived", 15, sourceDerived, about{what: "a query in FROM"}},
	}
	// Values, tried until one fits the wanted family.
	valueTable = []production[valueFunc]{
		{"column", 25, valColumn, about{what: "a column"}},
		{"literal", 6, valLiteral, about{what: "a literal"}},
		{"arith", 18, valArith, about{what: "+ - *"}},
		{"mod", 6, valMod, about{what: "% by a constant"}},
		{"abs", 4, valAbs, about{what: "ABS"}},
		{"case", 8, valCase, about{what: "CASE WHEN"}},
		{"case-of", 4, valCaseOf, about{what: "CASE … WHEN"}},
		{"if", 3, valIf, about{what: "IF, IIF"}},
		{"coalesce", 8, valCoalesce, about{what: "COALESCE, IFNULL"}},
		{"nullif", 4, valNullif, about{what: "NULLIF"}},
		{"bool", 4, valBool, about{what: "a predicate as a number"}},
		{"function", 14, valFunction, about{what: "deterministic functions"}},
		{"scalar-aggregate", 5, valAggregate, about{what: "(SELECT MAX(…) …)"}},
		{"scalar-row", 4, valRow, about{what: "(SELECT … LIMIT 1), (SELECT … WHERE pkey = …)"}},
		{"scalar-union", 2, valUnion, about{what: "(SELECT … UNION SELECT … ORDER BY 1 LIMIT 1)",
			covers: "union-scalar-subquery"}},
		{"scalar-offset", 2, valOffset, about{what: "(SELECT … LIMIT 1 OFFSET n)", covers: "scalar-limit-offset"}},
		{"scalar-many", 3, valMany, about{what: "a scalar subquery that may have many rows, which is an error",
			covers: "scalar-subquery-multirow; " + runTimeErrors, needs: CanManyRows}},
		{"exists-case", 2, valExists, about{what: "CASE WHEN EXISTS (…)", covers: "insert-values-expr"}},
	}
	// Scalar subqueries, where one is wanted.
	scalarTable = []production[valueFunc]{
		{"aggregate-subquery", 60, valAggregate, about{what: "an aggregate"}},
		{"row-subquery", 40, valRow, about{what: "a value of one row"}},
		{"union-subquery", 12, valUnion, about{what: "one row of a set operation", covers: "union-scalar-subquery"}},
		{"offset-subquery", 8, valOffset, about{what: "a row after others", covers: "scalar-limit-offset"}},
		{"exists-choice", 25, valExists, about{what: "CASE WHEN EXISTS (…)", covers: "insert-values-expr"}},
	}
	// Predicates, tried until one fits the scope.
	predicateTable = []production[predicateFunc]{
		{"compare-column", 18, predColumn, about{what: "a column with a value that it holds"}},
		{"compare-key", 10, predKey, about{what: "a key with one that is there"}},
		{"compare", 10, predCompare, about{what: "two expressions"}},
		{"between", 9, predBetween, about{what: "BETWEEN"}},
		{"in-list", 8, predIn, about{what: "IN (…)"}},
		{"like", 4, predLike, about{what: "LIKE"}},
		{"is-null", 5, predNull, about{what: "IS NULL"}},
		{"and", 7, combined(sql.OpAnd), about{what: "AND"}},
		{"or", 12, combined(sql.OpOr), about{what: "OR"}},
		{"index-merge", 6, predMerge, about{what: "two columns that have indexes, by OR, by AND"}},
		{"xor", 1, combined(sql.OpXor), about{what: "XOR"}},
		{"not", 4, predNot, about{what: "NOT"}},
		{"exists", 6, predExists, about{what: "EXISTS"}},
		{"in-subquery", 6, predInQuery, about{what: "IN (SELECT …)"}},
		{"row-in-subquery", 2, predRowIn, about{what: "(a, b) IN (SELECT …)"}},
		{"in-set", 2, predInSet, about{what: "pkey IN (SELECT … UNION SELECT …)"}},
		{"quantified", 3, predQuantified, about{what: "ANY, ALL"}},
		{"compare-scalar", 5, predScalar, about{what: "with a scalar subquery"}},
		{"null-safe", 3, predNullSafe, about{what: "<=>"}},
		{"constant", 4, predConstant, about{what: "a condition of constants", covers: "const-expr"}},
		{"bare-column", 5, predBareColumn, about{what: "a number as a truth value", covers: "bare-column-predicate"}},
		{"in-window", 2, predInWindow, about{what: "IN (SELECT … OVER (…) …)", covers: "window-in-subquery"}},
		{"truth", 3, predTruth, about{what: "… IS TRUE, IS NOT FALSE"}},
		{"row-compare", 2, predRowCompare, about{what: "(a, b) < (…, …)", needs: CanRow}},
		{"row-in-list", 3, predRowList, about{what: "(a, b) IN ((…, …), …)", covers: "row-in-list; row in list",
			needs: CanRow}},
		{"division", 2, predDivision, about{what: "a quotient whose divisor may be 0, in queries", covers: runTimeErrors}},
		{"overflow", 1, predOverflow, about{what: "a product that may leave its type, in queries", covers: runTimeErrors}},
		{"convert", 4, predConvert, about{what: "values of two families, in queries",
			covers: "implicit-conversion; implicit type conversion"}},
		{"compare-special", 12, predBare, about{what: "a column of a special type with its own literals", needs: CanSpecial}},
	}
	// Rows of UPDATE and of locking reads. Point, range and index keep the locks of a statement few.
	whereTable = []production[whereFunc]{
		{"update-point", 35, wherePoint, about{what: "rows by their keys"}},
		{"update-range", 12, whereRange, about{what: "a range of keys"}},
		{"update-index", 12, whereIndex, about{what: "an indexed column"}},
		{"update-both", 13, whereBoth, about{what: "a range of keys and a predicate"}},
		{"update-filtered", 8, whereFiltered, about{what: "rows by their keys of which a predicate holds"}},
		{"update-free", 28, whereFree, about{what: "a predicate"}},
		{"update-derived", 4, whereDerived, about{what: "(NOT) IN a subquery that reads a derived table",
			covers: "derived-in-subquery"}},
		{"update-whole", 4, whereWhole, about{what: "all rows"}},
	}
	// Rows of DELETE: mostly few, so that tables do not run empty.
	deleteTable = []production[whereFunc]{
		{"delete-point", 45, wherePoint, about{what: "rows by their keys"}},
		{"delete-range", 20, whereRange, about{what: "a range of keys"}},
		{"delete-index", 15, whereIndex, about{what: "an indexed column"}},
		{"delete-both", 20, whereBoth, about{what: "a range of keys and a predicate"}},
		{"delete-filtered", 6, whereFiltered, about{what: "rows by their keys of which a predicate holds"}},
		{"delete-derived", 4, whereDerived, about{what: "(NOT) IN a subquery that reads a derived table",
			covers: "derived-in-subquery"}},
		{"delete-whole", 3, whereWhole, about{what: "all rows"}},
	}
	// Source rows of INSERT … SELECT.
	insertWhere = []production[whereFunc]{
		{"insert-point", 20, wherePoint, about{what: "rows by their keys"}},
		{"insert-range", 30, whereRange, about{what: "a range of keys"}},
		{"insert-both", 20, whereBoth, about{what: "a range of keys and a predicate"}},
		{"insert-free", 30, whereFree, about{what: "a predicate"}},
		{"insert-whole", 5, whereWhole, about{what: "all rows"}},
	}
	// What an UPDATE or an INSERT … SELECT writes into a column.
	assignTable = []production[assignFunc]{
		{"assign-literal", 35, assignLiteral, about{what: "a literal"}},
		{"assign-step", 20, assignStep, about{what: "c = c + n"}},
		{"assign-value", 45, assignValue, about{what: "an expression, other columns and tables included"}},
		{"assign-division", 2, assignDivision, about{what: "a quotient whose divisor may be 0", covers: runTimeErrors}},
		{"assign-overflow", 1, assignOverflow, about{what: "a product that may leave the column's type",
			covers: runTimeErrors, needs: CanOverflow}},
		{"assign-convert", 4, assignConvert, about{what: "a literal of another family",
			covers: "implicit-conversion; implicit type conversion"}},
	}
	subTable = []production[subFunc]{
		{"sub-base", 68, subBase, about{what: "one table"}},
		{"sub-inner", 14, subInner, about{what: "two, INNER JOIN"}},
		{"sub-left", 5, subOuter, about{what: "two, LEFT JOIN", covers: "outer-join-in-subquery"}},
		{"sub-cross", 3, subCross, about{what: "two, CROSS JOIN", covers: "cross-join-in-subquery"}},
		{"sub-derived", 6, subDerived, about{what: "a derived table", covers: "derived-in-subquery"}},
		{"sub-cte", 4, subCTE, about{what: "a common table expression", covers: "cte-in-subquery"}},
	}
	register("statements of a transaction that may write", statementTable)
	register("shapes of SELECT", selectTable)
	register("table references", sourceTable)
	register("values", valueTable)
	register("scalar subqueries", scalarTable)
	register("predicates", predicateTable)
	register("rows of UPDATE and of locking reads", whereTable)
	register("rows of DELETE", deleteTable)
	register("source rows of INSERT … SELECT", insertWhere)
	register("what is written into a column", assignTable)
	register("column types", kindTable)
	register("primary keys", keyTable)
	registerOptions("versions", versionOptions)
	register("joins", joinTable)
	register("table references of a FROM clause", joinSizes)
	register("operators that join two columns", joinOps)
	register("rows of INSERT … VALUES", insertRows)
	register("what subqueries read", subTable)
	registerOptions("what a query may have", queryOptions)
	register("special types", specialTable)
	register("locks of others", lockTable)
	register("index hints", hintTable)
	register("kinds of partitions", partitionTable)
	register("kinds of partitions that are tables", partitionOfTable)
	register("kinds of indexes", indexTable)
	register("what makes a column unique", uniqueTable)
	register("views", viewTable)
	register("triggers", triggerTable)
	register("what a foreign key does to rows that refer to another", referenceTable)
	registerOptions("what a schema may have", schemaOptions)
	registerOptions("what a write may have", writeOptions)
}

// kindTable weighs the column types. A dialect without a type sets its weight to 0.
var kindTable = []production[ColumnKind]{
	{"int", 28, KindInt, about{what: "INT"}},
	{"bigint", 12, KindBigint, about{what: "BIGINT"}},
	{"double", 10, KindDouble, about{what: "DOUBLE"}},
	{"decimal", 10, KindDecimal, about{what: "DECIMAL"}},
	{"varchar", 20, KindVarchar, about{what: "VARCHAR"}},
	{"text", 8, KindText, about{what: "TEXT"}},
	{"date", 6, KindDate, about{what: "DATE"}},
	{"datetime", 6, KindDatetime, about{what: "DATETIME"}},
}

// Joins that name their columns otherwise than by ON.
const (
	naturalJoin sql.JoinKind = "NATURAL JOIN"
	usingJoin   sql.JoinKind = "USING"
)

// joinTable weighs the joins of a FROM clause.
var joinTable = []production[sql.JoinKind]{
	{"inner-join", 50, sql.InnerJoin, about{what: "INNER JOIN"}},
	{"left-join", 30, sql.LeftJoin, about{what: "LEFT JOIN"}},
	{"right-join", 8, sql.RightJoin, about{what: "RIGHT JOIN"}},
	{"cross-join", 12, sql.CrossJoin, about{what: "CROSS JOIN"}},
	{"straight-join", 3, sql.Straight, about{what: "STRAIGHT_JOIN"}},
	{"natural-join", 3, naturalJoin, about{what: "NATURAL JOIN with columns of the same table",
		covers: "natural/using join"}},
	{"using-join", 5, usingJoin, about{what: "JOIN … USING", covers: "natural/using join"}},
}

// joinSizes weighs how many table references a FROM clause has.
var joinSizes = []production[int]{
	{"from-1", 50, 1, about{what: "one table reference"}},
	{"from-2", 35, 2, about{what: "two"}},
	{"from-3", 15, 3, about{what: "three"}},
}

// joinOps weighs the operators that join two columns.
var joinOps = []production[sql.Op]{
	{"join-eq", 80, sql.OpEq, about{what: "="}},
	{"join-lt", 10, sql.OpLt, about{what: "<"}},
	{"join-ge", 6, sql.OpGe, about{what: ">="}},
	{"join-ne", 4, sql.OpNe, about{what: "<>"}},
}

// insertRows weighs how many rows INSERT … VALUES has.
var insertRows = []production[int]{
	{"insert-1", 60, 1, about{what: "one row"}},
	{"insert-2", 25, 2, about{what: "two"}},
	{"insert-3", 15, 3, about{what: "three"}},
}

// What not every DBMS has.
const (
	CanReplace     Capability = "REPLACE"
	CanUpsert      Capability = "ON DUPLICATE KEY UPDATE, or ON CONFLICT of any key"
	CanIgnore      Capability = "IGNORE"
	CanHint        Capability = "index hints"
	CanPartition   Capability = "partitions"
	CanSpecial     Capability = "special types"
	CanReference   Capability = "foreign keys"
	CanCascade     Capability = "foreign keys with actions"
	CanSelfRefer   Capability = "foreign keys to the table itself"
	CanOwe         Capability = "foreign keys that are checked at COMMIT"
	CanVersion     Capability = "system-versioned tables"
	CanFunctional  Capability = "indexes of expressions"
	CanView        Capability = "views"
	CanTrigger     Capability = "triggers"
	CanSetRow      Capability = "triggers that change the row"
	CanSeveral     Capability = "writes of several tables"
	CanCheck       Capability = "CHECK"
	CanGenerate    Capability = "generated columns"
	CanDefault     Capability = "DEFAULT as a value"
	CanPrefixIndex Capability = "indexes of prefixes"
	CanRowFormat   Capability = "row formats"
	CanWiden       Capability = "tables whose pages hold few rows"
	CanRedefine    Capability = "changes of tables beside transactions"
	CanNotWait     Capability = "NOWAIT"
	CanSkipLocked  Capability = "SKIP LOCKED"
	CanLockOf      Capability = "FOR UPDATE OF"
	CanFrame       Capability = "transactions of other frames"
	CanScratch     Capability = "CREATE TEMPORARY TABLE … AS"
	CanReturn      Capability = "RETURNING"
	CanConflict    Capability = "ON CONFLICT"
	CanCount       Capability = "AUTO_INCREMENT"
	CanSet         Capability = "INSERT … SET"
	CanLockTables  Capability = "LOCK TABLES"
	CanFlush       Capability = "FLUSH TABLES"
	CanMaintain    Capability = "maintenance of partitions"
	CanCheckpoint  Capability = "checkpoints"
	CanUntyped     Capability = "columns of values of any type"
	CanRename      Capability = "RENAME TABLE of several tables"
	CanDisconnect  Capability = "sessions that end themselves"
	CanFulltext    Capability = "FULLTEXT indexes"
	CanTruncate    Capability = "TRUNCATE TABLE"
	CanRewrite     Capability = "columns that every row gets a value of its own for"
	CanMixLevels   Capability = "levels of their own"
	CanStandAlone  Capability = "statements in autocommit"
	CanManyRows    Capability = "an error for scalar subqueries of many rows"
	CanLockInner   Capability = "locking reads in subqueries"
	CanLockOuter   Capability = "locking reads with other subqueries"
	CanRollup      Capability = "WITH ROLLUP"
	CanRow         Capability = "rows of literals"
	CanOverflow    Capability = "errors for results out of range"
	CanAdvise      Capability = "options of SELECT"
	CanCommentHint Capability = "optimizer hints"
	// at each of its levels some read shows what is about to be overwritten
	CanCompare     Capability = "writes told by comparison"
	CanWindow      Capability = "windows in subqueries of writes"
	CanOrIgnore    Capability = "OR IGNORE"
	CanFrom        Capability = "UPDATE … FROM"
	CanUsing       Capability = "DELETE … USING"
	CanFilter      Capability = "FILTER"
	CanOrderNulls  Capability = "NULLS FIRST"
	CanMaterialize Capability = "MATERIALIZED"
	CanUpsertWhere Capability = "DO UPDATE … WHERE"
	CanIndexedBy   Capability = "INDEXED BY"
	CanMerge       Capability = "MERGE"
	CanPartitionOf Capability = "PARTITION OF"
	CanDefer       Capability = "UNIQUE … DEFERRABLE"
	CanExclude     Capability = "EXCLUDE"
	CanInherit     Capability = "INHERITS"
	CanArray       Capability = "arrays, ranges, JSONB"
	CanIndexKind   Capability = "hash and BRIN indexes, INCLUDE"
	CanPartial     Capability = "partial indexes"
	CanAccessMode  Capability = "READ ONLY and READ WRITE"
	CanChain       Capability = "AND CHAIN"
	CanRefuseWrite Capability = "writes in READ ONLY transactions" // nothing but these, or the transaction itself, is lost
	CanDeferRead   Capability = "READ ONLY DEFERRABLE"
	CanDescend     Capability = "descending order in some cases"
	CanCluster     Capability = "NONCLUSTERED"
	CanConvert     Capability = "conversions in writes"
	CanClash       Capability = "triggers that fail"      // their rows are met in the order in which they are spelled
	CanRank        Capability = "ranks of rows in writes" // a subquery reads the statement's own table as it was before
)

// lockOf is what names the tables that a lock is of.
const lockOf = "OF"

// lockTable weighs what a locking read does where others have locked rows, and what it locks.
var lockTable = []production[string]{
	{"lock-waits", 76, "", about{apart: true, what: "it waits for them"}},
	{"nowait", 10, "NOWAIT", about{apart: true, what: "NOWAIT: an error instead of a wait",
		covers: "nowait; skip locked/nowait", needs: CanNotWait}},
	{"skip-locked", 8, "SKIP LOCKED",
		about{apart: true, what: "SKIP LOCKED: it passes over them, and is judged and not replayed",
			covers: "skip-locked; skip locked/nowait", needs: CanSkipLocked}},
	{"lock-of", 6, lockOf, about{apart: true, what: "FOR UPDATE OF its tables by their names", needs: CanLockOf}},
}

// Hints behind a table's name; that without an index names none.
const (
	indexedBy  = "INDEXED BY"
	notIndexed = "NOT INDEXED"
)

// hintTable weighs index hints, from the index's name.
var hintTable = []production[string]{
	{"no-hint", 80, "", about{what: "none"}},
	{"force-index", 8, "FORCE INDEX", about{what: "FORCE INDEX", covers: "index hint; hints", needs: CanHint}},
	{"use-index", 6, "USE INDEX", about{what: "USE INDEX", covers: "index hint; hints", needs: CanHint}},
	{"ignore-index", 6, "IGNORE INDEX", about{what: "IGNORE INDEX", covers: "index hint; hints", needs: CanHint}},
	{"indexed-by", 10, indexedBy, about{what: "INDEXED BY", covers: "index hint; hints", needs: CanIndexedBy}},
	{"not-indexed", 6, notIndexed, about{what: "NOT INDEXED", covers: "index hint; hints", needs: CanIndexedBy}},
}

// indexTable weighs the kinds of indexes that CREATE INDEX makes.
var indexTable = []production[indexFunc]{
	{"index-plain", 55, indexPlain, about{apart: true, what: "the usual kind"}},
	{"index-partial", 15, indexPartial, about{apart: true, what: "CREATE INDEX … WHERE", covers: "partial index",
		needs: CanPartial}},
	{"index-include", 8, indexInclude, about{apart: true, what: "CREATE INDEX … INCLUDE", covers: "covering index",
		needs: CanIndexKind}},
	{"index-hash", 14, indexHash, about{apart: true, what: "CREATE INDEX … USING hash", covers: "hash index",
		needs: CanIndexKind}},
	{"index-gin", 8, indexGin, about{apart: true, what: "CREATE INDEX … USING gin, of an array", covers: "gin index",
		needs: CanIndexKind}},
	{"index-gist", 6, indexGist, about{apart: true, what: "CREATE INDEX … USING gist, of a range", covers: "gist index",
		needs: CanIndexKind}},
	{"index-brin", 8, indexBrin, about{apart: true, what: "CREATE INDEX … USING brin", covers: "brin index",
		needs: CanIndexKind}},
}

// partitionTable weighs how partitioned tables are.
var partitionTable = []production[string]{
	{"by-range", 30, "RANGE", about{what: "PARTITION BY RANGE"}},
	{"by-hash", 30, "HASH", about{what: "PARTITION BY HASH", needs: CanPartition}},
	{"by-key", 20, "KEY", about{what: "PARTITION BY KEY", needs: CanPartition}},
	{"by-list", 20, "LIST", about{what: "PARTITION BY LIST", needs: CanPartition}},
}

// partitionOfTable weighs how tables are whose partitions are tables.
var partitionOfTable = []production[string]{
	{"of-range", 40, "RANGE", about{apart: true, what: "PARTITION BY RANGE, with a DEFAULT partition",
		needs: CanPartitionOf}},
	{"of-list", 25, "LIST", about{apart: true, what: "PARTITION BY LIST, with a DEFAULT partition",
		needs: CanPartitionOf}},
	{"of-hash", 35, "HASH", about{apart: true, what: "PARTITION BY HASH", needs: CanPartitionOf}},
}

package gen

// schemaOptions are drawn for each table, or each column or index where it fits.
var schemaOptions = []entry{
	{"special-type", 25, about{what: "columns of special types", needs: CanSpecial}},
	{"foreign-key", 15, about{what: "FOREIGN KEY to a table before it", needs: CanReference}},
	{"deferred-key", 45, about{apart: true, what: "FOREIGN KEY … DEFERRABLE INITIALLY DEFERRED, checked at COMMIT: rows before those that they refer to, and after them",
		covers: "deferrable; deferred foreign key", needs: CanOwe}},
	{"virtual-column", 12, about{what: "virtual generated columns, mostly with an index", covers: "virtual column", needs: CanGenerate}},
	{"stored-column", 8, about{what: "stored generated columns, mostly with an index", covers: "stored column", needs: CanGenerate}},
	{"composite-unique", 10, about{what: "UNIQUE over two columns", covers: "composite-unique"}},
	{"check", 12, about{what: "CHECK", needs: CanCheck}},
	{"default", 20, about{what: "columns with a DEFAULT"}},
	{"prefix-index", 15, about{what: "indexes of prefixes", needs: CanPrefixIndex}},
	{"row-format", 15, about{what: "ROW_FORMAT", covers: "row format/compressed", needs: CanRowFormat}},
	{"wide-rows", 12, about{apart: true, what: "tables whose pages hold few rows: several pages, which split and merge", covers: "page split; many pages", needs: CanWiden}},
	{"view-there", 12, about{apart: true, what: "cases with views", needs: CanView}},
	{"system-versioned", 6, about{apart: true, what: "system-versioned tables", covers: "system-versioning; system versioning", needs: CanVersion}},
	{"key-apart", 25, about{apart: true, what: "primary keys that rows are not stored by: NONCLUSTERED", covers: "nonclustered-pk", needs: CanCluster}},
	{"auto-increment", 8, about{apart: true, what: "columns by which the database numbers rows", covers: "g:auto-increment", needs: CanCount}},
	{"functional-index", 8, about{apart: true, what: "indexes of expressions", covers: "functional index", needs: CanFunctional}},
	{"fulltext-index", 3, about{apart: true, what: "FULLTEXT indexes, which no query uses", covers: "fulltext", needs: CanFulltext}},
	{"trigger", 10, about{apart: true, what: "cases with triggers", needs: CanTrigger}},
	{"partition", 15, about{what: "partitioned tables", covers: "partitioned table; partition", needs: CanPartition}},
	{"partition-of", 15, about{apart: true, what: "tables whose partitions are tables: CREATE TABLE … PARTITION OF; rows move from one to another",
		covers: "partitioned table; partition", needs: CanPartitionOf}},
	{"inherited", 8, about{apart: true, what: "tables that others inherit from: CREATE TABLE … INHERITS; rows of all of them are read and written by its name, or of ONLY one",
		needs: CanInherit}},
}

// queryOptions are drawn for each query, or each derived table.
var queryOptions = []entry{
	{"window-derived", 8, about{what: "a window function in a derived table", covers: "window-in-subquery; window-in-expr"}},
	{"plain-derived", 15, about{apart: true, what: "a derived table that prints some columns of a table as they are"}},
	{"window-in-write", 95, about{what: "IN (SELECT … OVER (…) …) in writes, too", needs: CanWindow}},
	{"deep-nesting", 6, about{what: "cases with deeply nested expressions", covers: "deep nesting; deep-nesting"}},
	{"window-frame", 30, about{apart: true, what: "cases whose windows have frames: ROWS BETWEEN …; LAST_VALUE, NTH_VALUE, CUME_DIST, PERCENT_RANK", covers: "window frame"}},
	{"unused-window", 20, about{apart: true, what: "cases with WINDOW clauses that nothing uses, in derived tables, too", covers: "unused-window-clause"}},
	{"scratch-table", 14, about{apart: true, what: "cases with CREATE TEMPORARY TABLE … AS SELECT, whose rows are read, and dropped; in autocommit CREATE TABLE … AS SELECT",
		covers: "g:temp-table; temporary table; create..select", needs: CanScratch}},
	{"descending", 60, about{apart: true, what: "cases that read in descending order, of a DBMS where not all do", needs: CanDescend}},
	{"constant-row", 12, about{apart: true, what: "(SELECT DISTINCT 'a' FROM …) as a value: one row or none", covers: "const-expr"}},
	{"set-subquery", 12, about{apart: true, what: "IN and EXISTS of a set operation, whose operands reach into the query around them and read its common table expression",
		covers: "cte-in-subquery"}},
	{"deep-subqueries", 30, about{apart: true, what: "queries with a common table expression whose subqueries lie three deep, reach into each other and read it again and again",
		covers: "cte-in-subquery; deep-nesting; deep nesting"}},
	{"locking-value", 30, about{apart: true, what: "locking subqueries, instead, of a query that reads nothing itself: SELECT (SELECT … FOR UPDATE)", covers: "locking-subquery", needs: CanLockInner}},
	{"optimizer-hint", 20, about{apart: true, what: "cases with optimizer hints: /*+ … */ in queries and in their subqueries", covers: "hints", needs: CanCommentHint}},
	{"select-option", 6, about{what: "SQL_BIG_RESULT and the like", needs: CanAdvise}},
}

// writeOptions are drawn for each value that is written, where it fits.
var writeOptions = []entry{
	{"default-value", 20, about{what: "the column's default", covers: "default value", needs: CanDefault}},
	{"values-many", 2, about{what: "a scalar subquery in VALUES that may have many rows", covers: "scalar-subquery-multirow; insert-values-expr", needs: CanManyRows}},
	{"null-violation", 1, about{what: "NULL for a column that is NOT NULL", covers: "failing dml (not null violation)"}},
	{"returning", 12, about{apart: true, what: "cases with RETURNING", covers: "returning", needs: CanReturn}},
	{"or-ignore", 50, about{apart: true, what: "cases with, in place of REPLACE: INSERT … ON CONFLICT DO UPDATE, INSERT OR IGNORE, UPDATE OR IGNORE",
		covers: "on-duplicate-key; insert odku; insert-ignore; insert ignore; update/delete ignore", needs: CanOrIgnore}},
	{"unique-many", 25, about{apart: true, what: "UPDATEs that give any number of rows one value of a unique column: of more than one it fails half-way, and is undone",
		covers: "statement rollback"}},
	{"convert-constant", 4, about{apart: true, what: "UPDATEs and DELETEs whose whole condition is the conversion of a text literal",
		covers: "implicit-conversion; implicit type conversion", needs: CanConvert}},
	{"convert-where", 12, about{apart: true, what: "UPDATEs and DELETEs whose whole condition converts a text: it is evaluated for every row",
		covers: "implicit-conversion; implicit type conversion; " + runTimeErrors, needs: CanConvert}},
	{"derived-where", 10, about{apart: true, what: "UPDATEs and DELETEs, beyond others, whose condition is (NOT) IN a subquery that reads a derived table", covers: "derived-in-subquery"}},
	{"insert-set", 20, about{apart: true, what: "cases with INSERT … SET in place of VALUES of one row", needs: CanSet}},
	{"bad-value", 2, about{what: "what the column's type does not take", covers: "out-of-range-literal"}},
}

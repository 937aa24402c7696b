package gen

import "fmt"

// A production is one way to generate something. Adding one takes a line in a table below and its function.
// Options.Weights and Dialect.Weights replace a weight by the production's name; 0 switches it off.
type production[T any] struct {
	name   string
	weight int
	make   T
}

// entry is a production without its function.
type entry struct {
	name   string
	weight int
}

// tables lists every table of productions, filled in init.
var tables [][]entry

// register adds a table to tables.
func register[T any](table []production[T]) {
	entries := make([]entry, len(table))
	for i, p := range table {
		entries[i] = entry{p.name, p.weight}
	}
	tables = append(tables, entries)
}

// checkWeights reports weights that name no production, are negative, or switch a whole table off.
func checkWeights(weights map[string]int) error {
	known := 0
	for _, table := range tables {
		total := 0
		for _, e := range table {
			if w, ok := weights[e.name]; ok {
				known++
				if w < 0 {
					return fmt.Errorf("gen: weight of %s is %d, want 0 or more", e.name, w)
				}
				e.weight = w
			}
			total += e.weight
		}
		if total == 0 {
			return fmt.Errorf("gen: all alternatives of %s have weight 0", table[0].name)
		}
	}
	if known < len(weights) {
		return fmt.Errorf("gen: %d of the weights name no production", len(weights)-known)
	}
	return nil
}

// choose draws a production by weight.
func choose[T any](g *generator, table []production[T]) T {
	total := 0
	for i := range table {
		total += g.weight(table[i].name, table[i].weight)
	}
	at := g.rng.IntN(total)
	for i := range table {
		w := g.weight(table[i].name, table[i].weight)
		if at < w {
			return table[i].make
		}
		at -= w
	}
	panic("unreachable")
}

// The types of productions.
type (
	valueFunc     func(g *generator, sc *scope, f Family, depth int) (expr, bool)
	predicateFunc func(g *generator, sc *scope, depth int) (string, bool)
	whereFunc     func(g *generator, sc *scope, depth int) string
	assignFunc    func(g *generator, c *column, sc *scope) expr
	sourceFunc    func(g *generator, sc *scope) string
	stmtFunc      func(g *generator) string
)

// Shares, in percent.
const (
	// swarmShare: cases that have a style of their own; the others have the whole grammar.
	swarmShare = 75
	// dropShare: productions that such a case leaves out. stressShare: those of the others that it prefers.
	dropShare   = 40
	stressShare = 15
	// correlated: column uses and WHERE clauses of a subquery that reach into the enclosing query.
	correlated = 30
	// literalShare: leaves of expressions that are literals.
	literalShare = 25
	// subJoin: subqueries that join two tables.
	subJoin = 20
	// whereShare: queries that have a WHERE clause.
	whereShare = 85
	// orderShare: queries that have an ORDER BY; half of these have a LIMIT.
	orderShare = 20
	// dmlLimitShare: UPDATE and DELETE statements with ORDER BY … LIMIT, where the dialect has it.
	dmlLimitShare = 5
	// duplicateShare: values written to a unique column that probably exist already, so that 1062 really happens.
	duplicateShare = 15
	// insertSubquery: values of INSERT … VALUES that are scalar subqueries.
	insertSubquery = 10
	// constantOperand: operands of set operations whose rows a constant condition keeps or drops altogether.
	// wholeOperand: those of the others that keep them all. bareOperand: those that have no table at all.
	constantOperand = 30
	wholeOperand    = 50
	bareOperand     = 6
	// rowSets: set operations of rows: of the keys and versions of tables.
	rowSets = 40
	// derivedSet: derived tables and CTEs that are a set operation.
	derivedSet = 12
	// rollbackShare: transactions that end with ROLLBACK.
	rollbackShare = 8
	// sessionShare: cases in which some sessions run several transactions one after the other.
	sessionShare = 45
	// readerShare: transactions that read whole hot tables or ranges of them, again and again. In these a second
	// read differs from the first, or sees another moment of the database, where an engine lets that happen.
	readerShare = 18
	// scanRange: reads of such a transaction that are limited to a range of keys.
	scanRange = 40
	// allOverlap: schedules that open every transaction before anything else.
	allOverlap = 25
)

// The tables are filled in init because their functions use them in turn.
var (
	statementTable []production[stmtFunc]
	selectTable    []production[stmtFunc]
	sourceTable    []production[sourceFunc]
	valueTable     []production[valueFunc]
	scalarTable    []production[valueFunc]
	predicateTable []production[predicateFunc]
	whereTable     []production[whereFunc]
	deleteTable    []production[whereFunc]
	insertWhere    []production[whereFunc]
	assignTable    []production[assignFunc]
)

func init() {
	// Statements of a transaction that may write. A read-only transaction has SELECTs only, which adds to their share.
	statementTable = []production[stmtFunc]{
		{"select", 40, stmtSelect},
		{"update", 30, stmtUpdate},
		{"delete", 10, stmtDelete},
		{"insert-values", 17, stmtInsertValues},
		{"insert-select", 7, stmtInsertSelect},
	}
	// Shapes of SELECT.
	selectTable = []production[stmtFunc]{
		{"plain", 42, selPlain},         // prints rows with their versions: the most precise edges
		{"locking", 10, selLocking},     // FOR UPDATE, LOCK IN SHARE MODE
		{"aggregate", 12, selAggregate}, // one row
		{"group", 12, selGroup},         // GROUP BY, HAVING
		{"distinct", 8, selDistinct},
		{"window", 5, selWindow}, // OVER (PARTITION BY … ORDER BY …)
		{"set", 14, selSet},      // UNION, INTERSECT, EXCEPT
		{"cte", 8, selCTE},       // WITH
	}
	// Table references of a FROM clause.
	sourceTable = []production[sourceFunc]{
		{"base", 85, sourceBase},
		{"derived", 15, sourceDerived},
	}
	// Values, tried until one fits the wanted family.
	valueTable = []production[valueFunc]{
		{"column", 25, valColumn},
		{"literal", 6, valLiteral},
		{"arith", 18, valArith}, // + - *
		{"mod", 6, valMod},
		{"abs", 4, valAbs},
		{"case", 8, valCase},
		{"case-of", 4, valCaseOf},
		{"if", 3, valIf},
		{"coalesce", 8, valCoalesce}, // COALESCE, IFNULL
		{"nullif", 4, valNullif},
		{"bool", 4, valBool}, // a predicate as a number
		{"function", 14, valFunction},
		{"scalar-aggregate", 5, valAggregate}, // (SELECT MAX(…) …)
		{"scalar-row", 4, valRow},             // (SELECT … LIMIT 1), (SELECT … WHERE pkey = …)
	}
	// Scalar subqueries, where one is wanted.
	scalarTable = []production[valueFunc]{
		{"aggregate-subquery", 60, valAggregate},
		{"row-subquery", 40, valRow},
	}
	// Predicates, tried until one fits the scope.
	predicateTable = []production[predicateFunc]{
		{"compare-column", 18, predColumn}, // with a value that it holds
		{"compare-key", 10, predKey},
		{"compare", 10, predCompare},
		{"between", 9, predBetween},
		{"in-list", 8, predIn},
		{"like", 4, predLike},
		{"is-null", 5, predNull},
		{"and", 7, predAnd},
		{"or", 12, predOr},
		{"xor", 1, predXor},
		{"not", 4, predNot},
		{"exists", 6, predExists},
		{"in-subquery", 6, predInQuery},
		{"row-in-subquery", 2, predRowIn}, // (a, b) IN (SELECT …)
		{"in-set", 2, predInSet},          // pkey IN (SELECT … UNION SELECT …)
		{"quantified", 3, predQuantified}, // ANY, ALL
		{"compare-scalar", 5, predScalar},
		{"null-safe", 3, predNullSafe}, // <=>
		{"constant", 4, predConstant},  // 24 >= 100
	}
	// Rows of UPDATE and of locking reads. Point, range and index keep the locks of a statement few.
	whereTable = []production[whereFunc]{
		{"update-point", 35, wherePoint},
		{"update-range", 12, whereRange},
		{"update-index", 12, whereIndex},
		{"update-both", 13, whereBoth},
		{"update-free", 28, whereFree},
		{"update-whole", 4, whereWhole},
	}
	// Rows of DELETE: mostly few, so that tables do not run empty.
	deleteTable = []production[whereFunc]{
		{"delete-point", 45, wherePoint},
		{"delete-range", 20, whereRange},
		{"delete-index", 15, whereIndex},
		{"delete-both", 20, whereBoth},
		{"delete-whole", 3, whereWhole},
	}
	// Source rows of INSERT … SELECT.
	insertWhere = []production[whereFunc]{
		{"insert-point", 20, wherePoint},
		{"insert-range", 30, whereRange},
		{"insert-both", 20, whereBoth},
		{"insert-free", 30, whereFree},
		{"insert-whole", 5, whereWhole},
	}
	// What an UPDATE or an INSERT … SELECT writes into a column.
	assignTable = []production[assignFunc]{
		{"assign-literal", 35, assignLiteral},
		{"assign-step", 20, assignStep},   // c = c + n
		{"assign-value", 45, assignValue}, // anything, other columns and tables included
	}
	register(statementTable)
	register(selectTable)
	register(sourceTable)
	register(valueTable)
	register(scalarTable)
	register(predicateTable)
	register(whereTable)
	register(deleteTable)
	register(insertWhere)
	register(assignTable)
	register(kindTable)
	register(joinTable)
	register(joinSizes)
	register(joinOps)
	register(insertRows)
}

// kindTable weighs the column types. A dialect without a type sets its weight to 0.
var kindTable = []production[ColumnKind]{
	{"int", 28, KindInt},
	{"bigint", 12, KindBigint},
	{"double", 10, KindDouble},
	{"decimal", 10, KindDecimal},
	{"varchar", 20, KindVarchar},
	{"text", 8, KindText},
	{"date", 6, KindDate},
	{"datetime", 6, KindDatetime},
}

// joinTable weighs the joins of a FROM clause.
var joinTable = []production[string]{
	{"inner-join", 50, " INNER JOIN "},
	{"left-join", 30, " LEFT JOIN "},
	{"right-join", 8, " RIGHT JOIN "},
	{"cross-join", 12, " CROSS JOIN "},
	{"straight-join", 3, " STRAIGHT_JOIN "},
}

// joinSizes weighs how many table references a FROM clause has.
var joinSizes = []production[int]{
	{"from-1", 50, 1},
	{"from-2", 35, 2},
	{"from-3", 15, 3},
}

// joinOps weighs the operators that join two columns.
var joinOps = []production[string]{
	{"join-eq", 80, "="},
	{"join-lt", 10, "<"},
	{"join-ge", 6, ">="},
	{"join-ne", 4, "<>"},
}

// insertRows weighs how many rows INSERT … VALUES has.
var insertRows = []production[int]{
	{"insert-1", 60, 1},
	{"insert-2", 25, 2},
	{"insert-3", 15, 3},
}

package sql

// Query is a query with all that concerns its rows as a whole.
type Query struct {
	statement
	With  *With
	Body  Body
	Order []*Order
	Limit *Limit
	Locks []*Lock
}

// Lock is FOR UPDATE, or another Strength, OF tables. Wait is NOWAIT, SKIP LOCKED, WAIT with Seconds, or "".
type Lock struct {
	origin
	Strength string // UPDATE, SHARE, …; SHARE MODE for LOCK IN SHARE MODE
	Of       []*Name
	Wait     string
	Seconds  Expr
}

// With is WITH [RECURSIVE] and its tables.
type With struct {
	origin
	Recursive bool
	CTEs      []*CTE
}

// CTE is a common table expression. Materialized is MATERIALIZED, NOT MATERIALIZED or "".
type CTE struct {
	origin
	Name         *Name
	Columns      []*Name
	Materialized string
	Body         Stmt
}

// Select is SELECT … with its clauses up to WINDOW. All is that ALL is said, which means nothing, but by which a
// database may plan otherwise.
type Select struct {
	rows
	Hints    *Hints
	Distinct bool
	On       []Expr // DISTINCT ON
	All      bool
	Options  []*Option
	Items    []*Item
	From     TableRef
	Where    Expr
	Group    []Expr
	Rollup   bool // WITH ROLLUP
	Having   Expr
	Windows  []*NamedWindow
}

// Hints is a comment that tells the planner how: /*+ … */.
type Hints struct {
	origin
	List []*Hint
}

// Hint is one of them. Args is what stands in its parentheses, as it is spelled.
type Hint struct {
	origin
	Name   string // in upper case
	Called bool   // it has parentheses
	Args   string
}

// Option is a word that a clause or a statement has or has not, in upper case, and what it is set to.
type Option struct {
	origin
	Words string
	Value Expr // may be nil
}

// Whole is TABLE Table: all its rows.
type Whole struct {
	rows
	Table *Table
}

// Nested is a query in parentheses that is an operand of a set operation, or all of a query.
type Nested struct {
	rows
	Query *Query
}

// Item is what a query prints, and RETURNING.
type Item struct {
	origin
	X     Expr
	Alias *Name
}

// NamedWindow is a window that a WINDOW clause gives a name.
type NamedWindow struct {
	origin
	Name   *Name
	Window *Window
}

// Values is VALUES with its rows.
type Values struct {
	rows
	Rows []*Row
}

// Compound is a set operation: UNION, INTERSECT or EXCEPT, with ALL or DISTINCT behind it where that is said.
type Compound struct {
	rows
	Op          string
	Left, Right Body
}

// Order is a term of ORDER BY, and the column or expression of a key or an index, whose Class says how it
// compares. Nulls is FIRST, LAST or "".
type Order struct {
	origin
	X     Expr
	Class *Object
	Desc  bool
	Nulls string
}

// Limit is LIMIT Count OFFSET Offset, whichever way it is said, but that Fetch is ONLY or WITH TIES where it is FETCH
// FIRST Count ROWS; there Count may be left out, for one row.
type Limit struct {
	origin
	Count, Offset Expr
	Fetch         string
}

// Table is a table by its name.
type Table struct {
	reference
	Only       bool // ONLY, without the tables that inherit from it
	Schema     *Name
	Name       *Name
	All        bool // .* behind it, which means nothing where a DELETE says from which tables it deletes
	Partitions []*Name
	At         *Period
	Alias      *Name
	Columns    []*Name // aliases of its columns
	Sample     *Sample
	Hints      []*IndexHint
}

// Sample is TABLESAMPLE Method (Args) REPEATABLE (Seed).
type Sample struct {
	origin
	Method *Name
	Args   []Expr
	Seed   Expr
}

// Period is of which time a table's rows are read: FOR SYSTEM_TIME AS OF, FROM … TO, BETWEEN … AND, or ALL; or AS OF
// TIMESTAMP.
type Period struct {
	origin
	How      string
	From, To Expr
}

// IndexHint is by which indexes a table is read: USE, FORCE or IGNORE INDEX, INDEXED BY or NOT INDEXED.
type IndexHint struct {
	origin
	How     string
	For     string // JOIN, ORDER BY, GROUP BY or ""
	Indexes []*Name
}

// TableCall is a function whose rows are a table. Ordinality is WITH ORDINALITY.
type TableCall struct {
	reference
	Lateral    bool
	Schema     *Name
	Name       *Name
	Args       []Expr
	Ordinality bool
	Alias      *Name
	Columns    []*Name
}

// Derived is a subquery in FROM.
type Derived struct {
	reference
	Lateral bool
	Query   *Query
	Alias   *Name
	Columns []*Name
}

// JoinKind is a way to join tables.
type JoinKind string

// The kinds of joins. A comma is one; what it binds is the shape of the tree. A database may keep the order of a CROSS
// JOIN or of a STRAIGHT_JOIN.
const (
	CommaJoin JoinKind = ","
	InnerJoin JoinKind = "JOIN"
	CrossJoin JoinKind = "CROSS JOIN"
	LeftJoin  JoinKind = "LEFT JOIN"
	RightJoin JoinKind = "RIGHT JOIN"
	FullJoin  JoinKind = "FULL JOIN"
	Straight  JoinKind = "STRAIGHT_JOIN"
)

// Join is a join of two tables.
type Join struct {
	reference
	Left    TableRef
	Kind    JoinKind
	Natural bool
	Right   TableRef
	On      Expr
	Using   []*Name
}

// ParenTable is a join in parentheses.
type ParenTable struct {
	reference
	X     TableRef
	Alias *Name
}

package sql

// Query is a query with all that concerns its rows as a whole.
type Query struct {
	statement
	With  *With
	Body  Body
	Order []*Order
	Limit *Limit
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

// Select is SELECT … with its clauses up to WINDOW. All is that ALL is said, which means nothing, but by which SQLite
// plans otherwise.
type Select struct {
	rows
	Distinct bool
	All      bool
	Items    []*Item
	From     TableRef
	Where    Expr
	Group    []Expr
	Having   Expr
	Windows  []*NamedWindow
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

// Compound is a set operation: UNION, UNION ALL, INTERSECT or EXCEPT.
type Compound struct {
	rows
	Op          string
	Left, Right Body
}

// Order is a term of ORDER BY, and the column or expression of a key or an index. Nulls is FIRST, LAST or "".
type Order struct {
	origin
	X     Expr
	Desc  bool
	Nulls string
}

// Limit is LIMIT Count OFFSET Offset, whichever way it is said.
type Limit struct {
	origin
	Count, Offset Expr
}

// Table is a table by its name.
type Table struct {
	reference
	Schema *Name
	Name   *Name
	Alias  *Name
	Hint   *Indexed
}

// Indexed is SQLite's INDEXED BY Index, and NOT INDEXED where there is none.
type Indexed struct {
	origin
	Index *Name
}

// TableCall is a function whose rows are a table.
type TableCall struct {
	reference
	Schema *Name
	Name   *Name
	Args   []Expr
	Alias  *Name
}

// Derived is a subquery in FROM.
type Derived struct {
	reference
	Query *Query
	Alias *Name
}

// JoinKind is a way to join tables.
type JoinKind string

// The kinds of joins. A comma is one; what it binds is the shape of the tree. SQLite keeps the order of a CROSS JOIN.
const (
	CommaJoin JoinKind = ","
	InnerJoin JoinKind = "JOIN"
	CrossJoin JoinKind = "CROSS JOIN"
	LeftJoin  JoinKind = "LEFT JOIN"
	RightJoin JoinKind = "RIGHT JOIN"
	FullJoin  JoinKind = "FULL JOIN"
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

package sql

// Insert is INSERT, or REPLACE. Or is what SQLite's INSERT OR does with a row in its way, in upper case.
type Insert struct {
	statement
	With      *With
	Replace   bool
	Hints     *Hints
	Priority  string // LOW_PRIORITY, HIGH_PRIORITY, DELAYED or ""
	Or        string
	Ignore    bool
	Table     *Table
	Columns   []*Name
	Source    *Query    // nil for DEFAULT VALUES, and where there is Set
	Set       []*Assign // INSERT … SET
	Row       *Name     // what MySQL calls the new row in ON DUPLICATE KEY UPDATE
	RowNames  []*Name   // and its columns
	Conflicts []*OnConflict
	Duplicate []*Assign // ON DUPLICATE KEY UPDATE
	Returning []*Item
}

// OnConflict is ON CONFLICT with the key that it means, if it says one, and DO UPDATE SET, or without Set DO NOTHING.
type OnConflict struct {
	origin
	Target      []*Order
	TargetWhere Expr
	Set         []*Assign
	Where       Expr
}

// Assign is an assignment to a column, or of a row to several.
type Assign struct {
	origin
	Columns []*Column
	Row     bool // the columns stand in parentheses
	Value   Expr
}

// Update is UPDATE, of one table or in MySQL of joined ones. Or is as that of Insert.
type Update struct {
	statement
	With      *With
	Hints     *Hints
	Priority  string // LOW_PRIORITY or ""
	Or        string
	Ignore    bool
	Table     TableRef
	Set       []*Assign
	From      TableRef
	Where     Expr
	Returning []*Item
	Order     []*Order
	Limit     *Limit
}

// Delete is DELETE from Table.
type Delete struct {
	statement
	With      *With
	Hints     *Hints
	Priority  string // LOW_PRIORITY or ""
	Quick     bool
	Ignore    bool
	Table     *Table
	Where     Expr
	Returning []*Item
	Order     []*Order
	Limit     *Limit
}

// DeleteJoined is MySQL's DELETE Targets FROM tables, from those of the tables that Targets names. Using is that it says
// DELETE FROM Targets USING tables.
type DeleteJoined struct {
	statement
	With     *With
	Hints    *Hints
	Priority string // LOW_PRIORITY or ""
	Quick    bool
	Ignore   bool
	Targets  []*Table
	Using    bool
	From     TableRef
	Where    Expr
}

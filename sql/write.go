package sql

// Insert is INSERT, or REPLACE. Or is what SQLite's INSERT OR does with a row in its way, in upper case.
type Insert struct {
	statement
	With      *With
	Replace   bool
	Or        string
	Table     *Table
	Columns   []*Name
	Source    *Query // nil for DEFAULT VALUES
	Conflicts []*OnConflict
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
	Columns []*Name
	Row     bool // the columns stand in parentheses
	Value   Expr
}

// Update is UPDATE. Or is as that of Insert.
type Update struct {
	statement
	With      *With
	Or        string
	Table     *Table
	Set       []*Assign
	From      TableRef
	Where     Expr
	Returning []*Item
	Order     []*Order
	Limit     *Limit
}

// Delete is DELETE.
type Delete struct {
	statement
	With      *With
	Table     *Table
	Where     Expr
	Returning []*Item
	Order     []*Order
	Limit     *Limit
}

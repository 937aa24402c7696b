package sql

// Insert is INSERT, or REPLACE. Or is what INSERT OR does with a row in its way, in upper case.
type Insert struct {
	statement
	With       *With
	Replace    bool
	Hints      *Hints
	Priority   string // LOW_PRIORITY, HIGH_PRIORITY, DELAYED or ""
	Or         string
	Ignore     bool
	Table      *Table
	Columns    []*Name
	Overriding string    // SYSTEM, USER or ""
	Source     *Query    // nil for DEFAULT VALUES, and where there is Set
	Set        []*Assign // INSERT … SET
	Row        *Name     // what the new row is called in ON DUPLICATE KEY UPDATE
	RowNames   []*Name   // and its columns
	Conflicts  []*OnConflict
	Duplicate  []*Assign // ON DUPLICATE KEY UPDATE
	Returning  []*Item
}

// OnConflict is ON CONFLICT with the key or the constraint that it means, if it says one, and DO UPDATE SET, or without
// Set DO NOTHING.
type OnConflict struct {
	origin
	Target      []*Order
	TargetWhere Expr
	Constraint  *Name
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

// Update is UPDATE, of one table or of joined ones. Or is as that of Insert.
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

// Delete is DELETE from Table, perhaps USING others.
type Delete struct {
	statement
	With      *With
	Hints     *Hints
	Priority  string // LOW_PRIORITY or ""
	Quick     bool
	Ignore    bool
	Table     *Table
	Using     TableRef
	Where     Expr
	Returning []*Item
	Order     []*Order
	Limit     *Limit
}

// Merge is MERGE INTO Table USING Source ON On.
type Merge struct {
	statement
	With      *With
	Table     *Table
	Source    TableRef
	On        Expr
	Whens     []*MergeWhen
	Returning []*Item
}

// MergeWhen is WHEN Match [AND Cond] THEN Do. Match is MATCHED, NOT MATCHED or NOT MATCHED BY SOURCE; Do is UPDATE with
// Set, INSERT with Columns and Row or DEFAULT VALUES without, DELETE or DO NOTHING.
type MergeWhen struct {
	origin
	Match      string
	Cond       Expr
	Do         string
	Set        []*Assign
	Columns    []*Name
	Overriding string
	Row        *Row
}

// DeleteJoined is DELETE Targets FROM tables, from those of the tables that Targets names. Using is that it
// says DELETE FROM Targets USING tables.
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

// Written is the table that an INSERT, a DELETE, or an UPDATE of one table writes; nil for others.
func Written(n Node) *Table {
	switch n := n.(type) {
	case *Insert:
		return n.Table
	case *Update:
		t, _ := n.Table.(*Table)
		return t
	case *Delete:
		return n.Table
	}
	return nil
}

// Returned are what a write returns.
func Returned(n Node) []*Item {
	switch n := n.(type) {
	case *Insert:
		return n.Returning
	case *Update:
		return n.Returning
	case *Delete:
		return n.Returning
	case *Merge:
		return n.Returning
	}
	return nil
}

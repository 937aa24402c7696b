package sql

// Object is the name of a table, an index, a view, a trigger or a setting, with its schema where that is said.
type Object struct {
	origin
	Schema *Name
	Name   *Name
}

// CreateTable is CREATE TABLE with its columns and constraints, or as a query.
type CreateTable struct {
	statement
	Temp        bool
	IfNotExists bool
	Name        *Object
	Columns     []*ColumnDef
	Constraints []Constraint
	Options     []*TableOption
	As          *Query
}

// TableOption is an option of a table, its words in upper case with one space between them: STRICT, WITHOUT ROWID.
type TableOption struct {
	origin
	Words string
}

// ColumnDef is a column of a new table.
type ColumnDef struct {
	origin
	Name        *Name
	Type        *Type // nil in SQLite, where a column need have none
	Constraints []Constraint
}

// PrimaryKey is PRIMARY KEY, with columns where it is a table's. Conflict is what ON CONFLICT says, in upper case.
type PrimaryKey struct {
	restriction
	Name          *Name
	Columns       []*Order
	Desc          bool
	Conflict      string
	Autoincrement bool
}

// Unique is UNIQUE, with columns where it is a table's.
type Unique struct {
	restriction
	Name     *Name
	Columns  []*Order
	Conflict string
}

// Nullable is NULL, or NOT NULL.
type Nullable struct {
	restriction
	Name     *Name
	Not      bool
	Conflict string
}

// Check is CHECK (X).
type Check struct {
	restriction
	Name     *Name
	X        Expr
	Conflict string
}

// Default is DEFAULT X.
type Default struct {
	restriction
	Name *Name
	X    Expr
}

// Collation is the COLLATE of a column.
type Collation struct {
	restriction
	Name      *Name
	Collation *Name
}

// Generated is GENERATED ALWAYS AS (X). Kept is STORED, VIRTUAL or "".
type Generated struct {
	restriction
	Name *Name
	X    Expr
	Kept string
}

// ForeignKey is REFERENCES, and with Columns FOREIGN KEY, a table's.
type ForeignKey struct {
	restriction
	Name               *Name
	Columns            []*Name
	Table              *Object
	Keys               []*Name // those that it refers to, where they are said
	OnDelete, OnUpdate string  // CASCADE, SET NULL, …; "" for none
	Match              *Name
	Deferrable         string // DEFERRABLE, NOT DEFERRABLE or "", with INITIALLY … behind it
}

// CreateIndex is CREATE INDEX.
type CreateIndex struct {
	statement
	Unique      bool
	IfNotExists bool
	Name        *Object
	Table       *Name
	Columns     []*Order
	Where       Expr
}

// CreateView is CREATE VIEW.
type CreateView struct {
	statement
	Temp        bool
	IfNotExists bool
	Name        *Object
	Columns     []*Name
	Query       *Query
}

// CreateTrigger is CREATE TRIGGER. Time is BEFORE, AFTER, INSTEAD OF or "", Event is DELETE, INSERT or UPDATE.
type CreateTrigger struct {
	statement
	Temp        bool
	IfNotExists bool
	Name        *Object
	Time        string
	Event       string
	Columns     []*Name // of UPDATE OF
	Table       *Object
	ForEachRow  bool
	When        Expr
	Body        *Block
}

// Block is BEGIN …; END: what a trigger does.
type Block struct {
	statement
	Stmts []Stmt
}

// AlterTable is ALTER TABLE.
type AlterTable struct {
	statement
	Table  *Object
	Action Alteration
}

// RenameTable is RENAME TO.
type RenameTable struct {
	change
	To *Name
}

// RenameColumn is RENAME COLUMN From TO To.
type RenameColumn struct {
	change
	From, To *Name
}

// AddColumn is ADD COLUMN.
type AddColumn struct {
	change
	Column *ColumnDef
}

// DropColumn is DROP COLUMN.
type DropColumn struct {
	change
	Column *Name
}

// Drop is DROP What: TABLE, INDEX, VIEW or TRIGGER.
type Drop struct {
	statement
	What     string
	IfExists bool
	Name     *Object
}

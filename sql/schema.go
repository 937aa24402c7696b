package sql

// Object is the name of a table, an index, a view, a trigger or a setting, with its schema where that is said.
type Object struct {
	origin
	Schema *Name
	Name   *Name
}

// CreateTable is CREATE TABLE with its columns and constraints, as a query, or as both; or Like another table.
type CreateTable struct {
	statement
	OrReplace   bool
	Temp        bool
	IfNotExists bool
	Name        *Object
	Like        *Object
	Columns     []*ColumnDef
	Constraints []Constraint
	Options     []*Option
	Partitions  *Partitioning
	Rows        string // what is done with rows of As in others' way: IGNORE, REPLACE or ""
	As          *Query
}

// Partitioning is PARTITION BY How (X), or SUBPARTITION BY: HASH, KEY, RANGE, RANGE COLUMNS, …, with LINEAR in front.
type Partitioning struct {
	origin
	Below bool // it is SUBPARTITION BY
	How   string
	X     []Expr
	Count Expr
	Sub   *Partitioning
	Parts []*Partition
}

// Partition is one of them. How is LESS THAN, IN, MariaDB's HISTORY or CURRENT, or "".
type Partition struct {
	origin
	Below   bool // it is a SUBPARTITION
	Name    *Name
	How     string
	Values  []Expr
	Options []*Option
	Subs    []*Partition
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
	Using         string // BTREE, HASH or ""
	Columns       []*Order
	Options       []*Option
	Desc          bool
	Conflict      string
	Autoincrement bool
}

// Unique is UNIQUE, with columns where it is a table's. Index is its name as an index.
type Unique struct {
	restriction
	Name     *Name
	Index    *Name
	Using    string
	Columns  []*Order
	Options  []*Option
	Conflict string
}

// Index is an index that MySQL's CREATE TABLE makes. Kind is FULLTEXT, SPATIAL or "".
type Index struct {
	restriction
	Kind        string
	IfNotExists bool
	Name        *Name
	Using       string
	Columns     []*Order
	Options     []*Option
}

// Attribute is what else MySQL's columns may have: AUTO_INCREMENT, COMMENT, INVISIBLE, ON UPDATE with a Value, …
type Attribute struct {
	restriction
	Words string
	Value Expr
}

// Nullable is NULL, or NOT NULL.
type Nullable struct {
	restriction
	Name     *Name
	Not      bool
	Conflict string
}

// Check is CHECK (X). Enforced is ENFORCED, NOT ENFORCED or "".
type Check struct {
	restriction
	Name     *Name
	X        Expr
	Conflict string
	Enforced string
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

// Generated is GENERATED ALWAYS AS (X). Kept is STORED, VIRTUAL, MariaDB's PERSISTENT or "".
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
	Index              *Name // of MySQL's
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
	OrReplace   bool
	Unique      bool
	Kind        string // FULLTEXT, SPATIAL or ""
	IfNotExists bool
	Name        *Object
	Using       string // BTREE, HASH or ""
	Table       *Object
	Columns     []*Order
	Where       Expr
	Options     []*Option
}

// CreateView is CREATE VIEW.
type CreateView struct {
	statement
	OrReplace   bool
	Temp        bool
	Algorithm   string // UNDEFINED, MERGE, TEMPTABLE or ""
	Definer     *Definer
	Security    string // DEFINER, INVOKER or ""
	IfNotExists bool
	Name        *Object
	Columns     []*Name
	Query       *Query
	Check       string // WITH CHECK OPTION, with CASCADED or LOCAL where that is said, or ""
}

// Definer is DEFINER = with a user as it is spelled.
type Definer struct {
	origin
	User string
}

// CreateTrigger is CREATE TRIGGER. Time is BEFORE, AFTER, INSTEAD OF or "", Event is DELETE, INSERT or UPDATE. Body is a
// Block, or in MySQL any statement.
type CreateTrigger struct {
	statement
	OrReplace   bool
	Temp        bool
	Definer     *Definer
	IfNotExists bool
	Name        *Object
	Time        string
	Event       string
	Columns     []*Name // of UPDATE OF
	Table       *Object
	ForEachRow  bool
	Follows     string // FOLLOWS, PRECEDES or ""
	Other       *Name  // the trigger that it follows or precedes
	When        Expr
	Body        Stmt
}

// CreateDatabase is CREATE DATABASE.
type CreateDatabase struct {
	statement
	OrReplace   bool
	IfNotExists bool
	Name        *Name
	Options     []*Option
}

// Block is BEGIN …; END: what a trigger does.
type Block struct {
	statement
	Stmts []Stmt
}

// AlterTable is ALTER TABLE.
type AlterTable struct {
	statement
	Table      *Object
	Actions    []Alteration
	Partitions Alteration // what MySQL says of partitions behind them
}

// RenameTable is RENAME TO.
type RenameTable struct {
	change
	To *Object
}

// RenameColumn is RENAME COLUMN From TO To.
type RenameColumn struct {
	change
	From, To *Name
}

// AddColumn is ADD COLUMN, or in MySQL MODIFY COLUMN, or with From CHANGE COLUMN. It comes First, or After another.
type AddColumn struct {
	change
	Modify      bool
	IfNotExists bool
	From        *Name
	Column      *ColumnDef
	First       bool
	After       *Name
}

// DropColumn is DROP COLUMN.
type DropColumn struct {
	change
	IfExists bool
	Column   *Name
}

// AddConstraint is ADD with a constraint or an index.
type AddConstraint struct {
	change
	Constraint Constraint
}

// DropConstraint is DROP What Name: INDEX, FOREIGN KEY, CHECK, CONSTRAINT; PRIMARY KEY has no name.
type DropConstraint struct {
	change
	What     string
	IfExists bool
	Name     *Name
}

// RenameIndex is RENAME INDEX From TO To.
type RenameIndex struct {
	change
	From, To *Name
}

// AlterColumn is ALTER COLUMN Column SET DEFAULT X, without X DROP DEFAULT.
type AlterColumn struct {
	change
	Column *Name
	X      Expr
}

// SetOptions is options of a table, or of the change: ENGINE = …, ALGORITHM = …, FORCE.
type SetOptions struct {
	change
	Options []*Option
}

// AlterPartitions is what is done with partitions: What is ADD PARTITION, DROP PARTITION, COALESCE PARTITION, REORGANIZE
// PARTITION, OPTIMIZE PARTITION, …, REMOVE PARTITIONING, or "" where By says how a table is divided from now on.
type AlterPartitions struct {
	change
	What  string
	All   bool
	Names []*Name
	Count Expr
	Parts []*Partition
	By    *Partitioning
}

// Drop is DROP What: TABLE, INDEX, VIEW, TRIGGER or DATABASE; On is the table of MySQL's index.
type Drop struct {
	statement
	Temp     bool
	What     string
	IfExists bool
	Names    []*Object
	On       *Object
	Options  []*Option
}

// Rename is RENAME TABLE.
type Rename struct {
	statement
	Pairs []*RenamePair
}

// RenamePair is From TO To.
type RenamePair struct {
	origin
	From, To *Object
}

// Truncate is TRUNCATE TABLE.
type Truncate struct {
	statement
	Table *Object
}

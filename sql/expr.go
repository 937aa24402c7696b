package sql

// Name is an identifier.
type Name struct {
	origin
	Value string // without its quotes, doubled ones made single
	Quote byte   // the opening quote: '"', '`', '[', and in SQLite '\''; 0 for none
}

// LiteralKind is what a literal is one of.
type LiteralKind string

// The kinds of literals.
const (
	Number LiteralKind = "number"
	Text   LiteralKind = "text"
	Blob   LiteralKind = "blob"
	Null   LiteralKind = "null"
	Bool   LiteralKind = "bool"
)

// Literal is a value as it is spelled.
type Literal struct {
	expression
	Kind LiteralKind
	Text string
}

// Niladic is a function that is called by its name alone, such as CURRENT_TIMESTAMP; in upper case.
type Niladic struct {
	expression
	Word string
}

// Param is a parameter as it is spelled: ?, ?1, :name, $1.
type Param struct {
	expression
	Text string
}

// Column is a column by its name, or whatever else a name may stand for: SQLite takes "x" for a text where no column is
// called so.
type Column struct {
	expression
	Schema, Table *Name // nil where they are not said; no Schema without Table
	Name          *Name
}

// Star is all columns, of one table where that is said; as an argument, all of a row.
type Star struct {
	expression
	Table *Name
}

// Paren is an expression in parentheses. The printer sets those that are needed: they need not be built.
type Paren struct {
	expression
	X Expr
}

// Op is an operator by what it means. Where databases spell it alike the spelling is its name.
type Op string

// Operators. OpSame takes NULLs for equal values, OpDistinct is its negation.
const (
	OpOr         Op = "OR"
	OpAnd        Op = "AND"
	OpNot        Op = "NOT"
	OpEq         Op = "="
	OpNe         Op = "<>"
	OpLt         Op = "<"
	OpLe         Op = "<="
	OpGt         Op = ">"
	OpGe         Op = ">="
	OpSame       Op = "IS"
	OpDistinct   Op = "IS NOT"
	OpBitAnd     Op = "&"
	OpBitOr      Op = "|"
	OpBitNot     Op = "~"
	OpShiftLeft  Op = "<<"
	OpShiftRight Op = ">>"
	OpAdd        Op = "+"
	OpSub        Op = "-"
	OpMul        Op = "*"
	OpDiv        Op = "/"
	OpMod        Op = "%"
	OpConcat     Op = "||"
	OpJSON       Op = "->"
	OpJSONText   Op = "->>"
	OpLike       Op = "LIKE"
	OpGlob       Op = "GLOB"
	OpRegexp     Op = "REGEXP"
	OpMatch      Op = "MATCH"
)

// Unary is an operator before its operand: OpNot, OpSub, OpAdd, OpBitNot.
type Unary struct {
	expression
	Op Op
	X  Expr
}

// Binary is an operator between its operands.
type Binary struct {
	expression
	Op          Op
	Left, Right Expr
}

// Is is X IS [NOT] NULL, TRUE or FALSE, as What says.
type Is struct {
	expression
	X    Expr
	Not  bool
	What string
}

// In is X [NOT] IN what one of List, Query and Table says; where none does, the list is empty.
type In struct {
	expression
	X     Expr
	Not   bool
	List  []Expr
	Query *Query
	Table TableRef
}

// Between is X [NOT] BETWEEN Low AND High.
type Between struct {
	expression
	X         Expr
	Not       bool
	Low, High Expr
}

// Like is X [NOT] LIKE Pattern [ESCAPE Escape], or another operator that matches a pattern.
type Like struct {
	expression
	X               Expr
	Not             bool
	Op              Op
	Pattern, Escape Expr
}

// Case is CASE [Operand] WHEN … [ELSE Else] END.
type Case struct {
	expression
	Operand Expr
	Whens   []*When
	Else    Expr
}

// When is WHEN Cond THEN Result.
type When struct {
	origin
	Cond, Result Expr
}

// Cast is CAST(X AS Type).
type Cast struct {
	expression
	X    Expr
	Type *Type
}

// Type is the type of a column or a CAST: its words as they are spelled, with one space between them, and what stands
// in parentheses behind them.
type Type struct {
	origin
	Words string
	Args  []Expr
}

// Collate is X COLLATE Collation.
type Collate struct {
	expression
	X         Expr
	Collation *Name
}

// Exists is EXISTS (Query).
type Exists struct {
	expression
	Query *Query
}

// Subquery is a query in parentheses whose rows are a value, or a list of them.
type Subquery struct {
	expression
	Query *Query
}

// Row is a row value in parentheses: several expressions, or in VALUES at least one.
type Row struct {
	expression
	Items []Expr
}

// Call is a call of a function, an aggregate or a window function.
type Call struct {
	expression
	Name     *Name
	Distinct bool
	Args     []Expr // a Star alone for *
	Order    []*Order
	Filter   Expr
	Over     *Window
}

// Raise is SQLite's RAISE(Action, Message), which a trigger may say; IGNORE has no message.
type Raise struct {
	expression
	Action  string // IGNORE, ROLLBACK, ABORT or FAIL
	Message Expr
}

// Window is what stands behind OVER: the name of a window, or in parentheses what makes one, of Base where that is
// said.
type Window struct {
	origin
	Ref       *Name
	Base      *Name
	Partition []Expr
	Order     []*Order
	Frame     *Frame
}

// Frame is ROWS, RANGE or GROUPS (Unit), from Start to End, without what Exclude says: CURRENT ROW, GROUP, TIES, NO
// OTHERS or "". Without BETWEEN there is no End.
type Frame struct {
	origin
	Unit       string
	Start, End *Bound
	Exclude    string
}

// Bound is an end of a frame: UNBOUNDED PRECEDING, CURRENT ROW, UNBOUNDED FOLLOWING, or PRECEDING and FOLLOWING
// behind X.
type Bound struct {
	origin
	X    Expr
	Side string
}

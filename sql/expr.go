package sql

import "strings"

// Name is an identifier.
type Name struct {
	origin
	Value string // without its quotes, doubled ones made single
	Quote byte   // the opening quote: '"', '`', '[' or '\''; 0 for none
}

// Folded is the name as others in other letters are the same; "" of none.
func (n *Name) Folded() string {
	if n == nil {
		return ""
	}
	return strings.ToLower(n.Value)
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

// Literal is a value as it is spelled. Charset is the character set that stands in front of a text, such as _latin1; of
// texts in a row, which are one text, Text has all.
type Literal struct {
	expression
	Kind    LiteralKind
	Charset string
	Text    string
}

// Characters are those of a text without its quotes; escapes stand in it as they are spelled.
func (l *Literal) Characters() string {
	at := strings.IndexAny(l.Text, `'"`)
	if at < 0 || len(l.Text) < at+2 {
		return l.Text
	}
	quote := l.Text[at : at+1]
	return strings.ReplaceAll(l.Text[at+1:len(l.Text)-1], quote+quote, quote)
}

// TypedLiteral is DATE 'Text', or the like.
type TypedLiteral struct {
	expression
	Type string // in upper case
	Text string // with its quotes
}

// Variable is a variable of a session or the server as it is spelled: @name, @@name, @@session.name.
type Variable struct {
	expression
	Text string
}

// DefaultValue is the word DEFAULT in the place of a value.
type DefaultValue struct{ expression }

// Interval is INTERVAL X Unit, which is added to a time. Where X is a text it need not have a unit.
type Interval struct {
	expression
	X    Expr
	Unit string
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

// Column is a column by its name, or whatever else a name may stand for: "x" may be a text where no column is called
// so.
type Column struct {
	expression
	Schema, Table *Name // nil where they are not said; no Schema without Table
	Name          *Name
}

// Star is all columns, of one table where that is said; as an argument, all of a row.
type Star struct {
	expression
	Schema, Table *Name
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
	OpXor        Op = "XOR"
	OpBitXor     Op = "^"
	OpIntDiv     Op = "DIV"
	OpSounds     Op = "SOUNDS LIKE"
	OpMember     Op = "MEMBER OF"
	OpAssign     Op = ":="
	OpBinary     Op = "BINARY"
	OpILike      Op = "ILIKE"
	OpSimilar    Op = "SIMILAR TO"
	OpPower      Op = "POWER"
	OpAtZone     Op = "AT TIME ZONE"
	OpNamed      Op = "=>" // the name of an argument before its value
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

// Quantified is X [NOT] Op How (Query), or (Array): ANY, SOME or ALL.
type Quantified struct {
	expression
	X     Expr
	Not   bool
	Op    Op
	How   string
	Query *Query
	Array Expr
}

// Is is X IS [NOT] NULL, TRUE, FALSE or UNKNOWN, as What says.
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

// Between is X [NOT] BETWEEN [SYMMETRIC] Low AND High.
type Between struct {
	expression
	X         Expr
	Not       bool
	Symmetric bool
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

// Cast is CAST(X AS Type), CONVERT(X, Type) or X::Type.
type Cast struct {
	expression
	X       Expr
	Type    *Type
	Convert bool
	Colons  bool
}

// Recode is CONVERT(X USING Charset).
type Recode struct {
	expression
	X       Expr
	Charset Expr
}

// Type is the type of a column or a CAST: its words as they are spelled, with one space between them, what stands in
// parentheses behind them, and words behind that, such as UNSIGNED.
type Type struct {
	origin
	Words   string
	Args    []Expr
	After   string
	Charset *Name
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

// Array is ARRAY[Items] or ARRAY(Query). One that is Inner stands in another one, without the word.
type Array struct {
	expression
	Inner bool
	Items []Expr
	Query *Query
}

// Subscript is X[Low], or with Slice X[Low:High], of which either may be left out.
type Subscript struct {
	expression
	X         Expr
	Slice     bool
	Low, High Expr
}

// Field is (X).Name, or without a name all: (X).*.
type Field struct {
	expression
	X    Expr
	Name *Name
}

// Grouping is GROUPING SETS (Sets) in GROUP BY.
type Grouping struct {
	expression
	Sets []Expr
}

// Row is a row value in parentheses: several expressions, or in VALUES any number. Word is that ROW stands before them.
type Row struct {
	expression
	Word  bool
	Items []Expr
}

// Call is a call of a function, an aggregate or a window function.
type Call struct {
	expression
	Schema    *Name
	Name      *Name
	Distinct  bool
	Args      []Expr // a Star alone for *
	Order     []*Order
	Separator Expr // of GROUP_CONCAT
	Limit     *Limit
	Within    []*Order // WITHIN GROUP (ORDER BY …)
	Filter    Expr
	Over      *Window
}

// Worded is an argument that a word in front of it tells from the others, instead of a comma: TRIM(LEADING X FROM Y).
type Worded struct {
	expression
	Word string
	X    Expr // may be nil
}

// Matching is MATCH (Columns) AGAINST (X Mode); Mode is in upper case.
type Matching struct {
	expression
	Columns []Expr
	X       Expr
	Mode    string
}

// Prefix is X(Length), the beginning of a column in an index.
type Prefix struct {
	expression
	X      *Column
	Length Expr
}

// Raise is RAISE(Action, Message), which a trigger may say; IGNORE has no message.
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

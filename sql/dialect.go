package sql

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"txweave/internal/recent"
)

// Dialect is how one database, of one version and in one mode, spells what trees say. It is a value: nobody looks one
// up by a name, and two versions of a database are two of them.
type Dialect struct {
	Product string // for messages
	Lexis   Lexis
	// Keywords are the words that a grammar uses, in upper case, and where each may be a name all the same.
	Keywords map[string]Use
	// TextNames says where a text in quotes may be a name, TextItems that it may be what a query calls a column.
	TextNames Use
	TextItems bool
	Grammar   Grammar
	// Prefixes and Infixes are the operators; of those that mean the same the first is printed. Other is what those are
	// that Lexis.Operators has and neither of them.
	Prefixes, Infixes []Operator
	Other             Operator
	// Statements are the readers of statements by the word that these begin with, and behind WITH.
	Statements map[string]func(*Reader, *With) Stmt
	// Withs are the words that may follow a WITH clause.
	Withs []string
	// Specials are the readers of expressions that begin with a keyword, which the reader has passed.
	Specials map[string]func(*Reader) Expr
	// Niladics are the functions without parentheses, in upper case.
	Niladics []string
	// TypedTexts are the types that may stand before a text: DATE '2020-01-01'. Grammar.AnyTyped says that each word
	// may.
	TypedTexts []string
	// Phrases are the functions, in upper case, of whose arguments words may stand in front, and these words.
	Phrases map[string][]string
	// Terminate are the functions by which a session ends itself: SELECT of the first with a call of the second as its
	// argument. nil: none do.
	Terminate []string
	// NumberLocks begins the names of the functions that lock a number, such as pg_try_advisory_xact_lock; "": there are
	// none.
	NumberLocks string
	// LevelOf are the settings, in lower case, that are a session's isolation level, LevelOnce those that are one
	// transaction's alone.
	LevelOf, LevelOnce []string
	// LevelParts are settings that make another level of one.
	LevelParts []LevelPart
	// NoTable is what FROM may name where it names no table; "" for nothing.
	NoTable string
	// Joins are the words with which a join may begin, but for JOIN and NATURAL.
	Joins []string
	// SelectOptions are the words that may stand behind SELECT, DISTINCT and ALL among them.
	SelectOptions []string
	// TablePlace reads what stands behind a table's name and before its alias, TableHints what stands behind that; nil
	// for nothing.
	TablePlace func(*Reader, *Table)
	TableHints func(*Reader) []*IndexHint
	// Type reads a type; nil: it is any words, and numbers in parentheses.
	Type func(*Reader) *Type
	// Tail reads what stands behind a query's LIMIT; nil for nothing. Limit reads that where it is not LIMIT alone.
	Tail  func(*Reader, *Query)
	Limit func(*Reader) *Limit

	typed             [][]string           // the words of TypedTexts
	prefixes, infixes map[string]*Operator // by how they are spelled
	pairs             map[string]pair      // operators of several words, by the first
	spelled           map[Op]*Operator     // operators of two operands, by what they mean
	signs             map[Op]*Operator     // those before an operand
	forms             map[Form]*Operator
	symbols           [256][]string // signs of several bytes by their first one, the longest first
	read              *recent.Memo[string, parsed]
}

// LevelPart is a setting of a session that makes another level of one.
type LevelPart struct {
	Setting string   // in lower case
	Values  []string // with which it does, in lower case
	Of      string   // the level of which it makes another one; "": any
	Level   string   // what that is called
}

// Grammar is where databases differ in what they read of the same words.
type Grammar struct {
	// Nested says that queries in parentheses may be operands of set operations, and that INTERSECT binds more tightly
	// than the others.
	Nested bool
	// LooseCommas says that a comma joins tables less tightly than JOIN; an ON belongs to the last join that has none.
	LooseCommas bool
	// AnyQualifier says that right before a dot any word is a name, AnyQualified that behind one any is.
	AnyQualifier bool
	AnyQualified bool
	// Loose says that NOT may stand where an operand of a tighter operator is expected, and in front of such an operator
	// what ends with a postfix one: a + NOT b, a ISNULL < b.
	Loose bool
	// AnyEscape says that ESCAPE may stand behind other patterns than those of LIKE.
	AnyEscape bool
	// Truths says that IS has nothing but NULL, TRUE, FALSE and UNKNOWN behind it; the last three at level Truth.
	Truths bool
	Truth  int
	// Quantifiers says that a comparison may have ANY, SOME or ALL in front of a query.
	Quantifiers bool
	// TextsInARow says that these are one text.
	TextsInARow bool
	// Introducers says that a word such as _latin1 in front of a text is its character set.
	Introducers bool
	// Rollup says that WITH ROLLUP may stand behind GROUP BY.
	Rollup bool
	// RowWords says that ROW may stand before a row in parentheses, and that VALUES without it in front of a name alone
	// in parentheses is a function.
	RowWords bool
	// SpacedOptions says that between the options of a table stands no comma.
	SpacedOptions bool
	// BareReferences says that a foreign key refers to a table of its own schema.
	BareReferences bool
	// LateReturning says that a DELETE's RETURNING stands behind its LIMIT.
	LateReturning bool
	// QualifiedSets says that SET may name a column with its table.
	QualifiedSets bool
	// InTables says that IN may have a table's name behind it, or nothing in its parentheses.
	InTables bool
	// TableCalls says that functions may be tables.
	TableCalls bool
	// StrictJoins says that a join has a condition, but for CROSS JOIN, which has none.
	StrictJoins bool
	// ColumnAliases says that behind the alias of a table may stand those of its columns.
	ColumnAliases bool
	// BareTargets says that the alias of a table that is written needs no AS.
	BareTargets bool
	// AnyLabels says that behind AS any word is what a query calls a column, and those that are AsLabel without it.
	AnyLabels bool
	// AnyTyped says that a word in front of a text is its type.
	AnyTyped bool
	// Serials says that SERIAL is no type like any other: a column of it counts.
	Serials bool
	// Arrays says that there are: X[1], X = ANY (Y), and (X).Y.
	Arrays bool
	// WritingWiths says that WITH may have INSERT, UPDATE, DELETE and MERGE in it.
	WritingWiths bool
	// NoItems says that a query may have no columns.
	NoItems bool
	// GroupingSets says that GROUP BY may have them.
	GroupingSets bool
	// TriggerBlock says that the statement of a trigger stands between BEGIN and END, and not alone.
	TriggerBlock bool
	// LateOptions says that what is said of how a table or an index is kept stands behind its partitions or columns.
	LateOptions bool
}

// Use says where a keyword may be a name without quotes.
type Use uint8

// Places of names.
const (
	AsColumn   Use = 1 << iota // an expression
	AsName                     // where nothing else than a name is expected, or one is qualified
	AsFunction                 // in front of a parenthesis
	AsAlias                    // an alias without AS
	AsLabel                    // what a query calls a column, without AS, where that differs from an alias
	AsType                     // a type
	Reserved   Use = 0
	Anywhere       = AsColumn | AsName | AsFunction | AsAlias | AsLabel | AsType
)

// Form is how an operator takes its operands.
type Form uint8

// The forms of operators behind an operand.
const (
	TwoOperands Form = iota
	IsForm
	IsNullForm // X ISNULL
	NotNullForm
	InForm
	LikeForm
	BetweenForm
	CollateForm
	MemberForm
	CastForm      // X::Type
	SubscriptForm // X[Y]
	FieldForm     // (X).Y
)

// Operator is a line of a dialect's table of operators. Those of a higher level bind more tightly.
type Operator struct {
	Spelled string // in upper case, words with a space between them
	Op      Op
	Level   int
	Form    Form
	// Left and Right are the levels that the operands must have at least, where these are not Level and one above. Low is
	// that of the lower end behind BETWEEN, where it is not one above that of AND, which ends it.
	Left, Right, Low int
	// Negated is at which level the operator is taken with NOT before it, where that binds more tightly than without. What
	// is on its left is all the same what has the level Left.
	Negated int
	// Wide says that it stands in parentheses where an expression must not go on too far: between BETWEEN and AND.
	Wide bool
}

// pair is the further words of an operator, with this.
type pair struct {
	more     []string
	operator *Operator
}

// tightest is the level of what is no operator.
const tightest = 1000

// New returns a dialect that can be used, made of its tables.
func New(d Dialect) *Dialect {
	d.prefixes, d.infixes, d.pairs = map[string]*Operator{}, map[string]*Operator{}, map[string]pair{}
	d.spelled, d.signs, d.forms = map[Op]*Operator{}, map[Op]*Operator{}, map[Form]*Operator{}
	d.read = recent.New[string, parsed](generation)
	d.Infixes = slices.Clone(d.Infixes) // what is worked out is this dialect's
	for i := range d.Infixes {
		o := &d.Infixes[i]
		o.Left, o.Right, o.Negated = cmp.Or(o.Left, o.Level), cmp.Or(o.Right, o.Level+1), cmp.Or(o.Negated, o.Level)
	}
	for i := range d.Prefixes {
		d.prefixes[d.Prefixes[i].Spelled] = &d.Prefixes[i]
		setFirst(d.signs, d.Prefixes[i].Op, &d.Prefixes[i])
	}
	for i := range d.Infixes {
		o := &d.Infixes[i]
		d.infixes[o.Spelled] = o
		if words := strings.Split(o.Spelled, " "); len(words) > 1 && o.Form != IsForm {
			d.pairs[words[0]] = pair{words[1:], o}
		}
		setFirst(d.forms, o.Form, o)
		if o.Op != "" {
			setFirst(d.spelled, o.Op, o)
		}
	}
	if o := d.forms[BetweenForm]; o != nil && o.Low == 0 {
		o.Low = d.spelled[OpAnd].Level + 1
	}
	for _, words := range d.TypedTexts {
		d.typed = append(d.typed, strings.Fields(words))
	}
	for _, s := range d.Lexis.Signs {
		d.symbols[s[0]] = append(d.symbols[s[0]], s)
	}
	return &d
}

// other returns the operator that a sign is which no table has; nil where there are none, or it is no such sign.
func (d *Dialect) other(sign string) *Operator {
	if sign == "" || runEnd(sign, 0, d.Lexis.operatorByte) != len(sign) || d.infixes[sign] != nil {
		return nil
	}
	o := d.Other
	o.Spelled, o.Op = sign, Op(sign)
	return &o
}

// spells returns the operator of two operands that means something; nil where the dialect has none.
func (d *Dialect) spells(op Op) *Operator {
	if o := d.spelled[op]; o != nil {
		return o
	}
	return d.other(string(op))
}

// signOf returns the operator before an operand that means something; nil where the dialect has none.
func (d *Dialect) signOf(op Op) *Operator {
	if o := d.signs[op]; o != nil {
		return o
	}
	return d.other(string(op))
}

func setFirst[K comparable](m map[K]*Operator, key K, o *Operator) {
	if m[key] == nil {
		m[key] = o
	}
}

// Parsed is how many texts were read: a test holds how many that are for a case.
var Parsed atomic.Int64

// Parse reads one statement, a semicolon behind it included. What it does not know is a *SyntaxError. It returns the
// tree that it has returned before where it has read the same text not long ago.
func (d *Dialect) Parse(text string) (Stmt, error) {
	if p, ok := d.read.Get(text); ok {
		return p.stmt, p.err
	}
	stmt, err := d.parse(text)
	if len(text) <= longestKept {
		d.read.Put(text, parsed{stmt, err})
	}
	return stmt, err
}

// parsed is what was read of a text.
type parsed struct {
	stmt Stmt
	err  error
}

// How many statements a generation of those that are kept has, and how long one may be, in bytes: two generations of a
// dialect are some ten megabytes.
const (
	generation  = 512
	longestKept = 8 << 10
)

func (d *Dialect) parse(text string) (Stmt, error) {
	Parsed.Add(1)
	r := &Reader{d: d, text: text, source: &source{text: text}}
	if r.tokens, r.err = d.tokens(text); r.err != nil {
		return nil, r.err
	}
	stmt := r.Statement()
	for r.Accept(";") {
	}
	if r.err == nil && r.tok().Kind != End {
		r.unexpected("the statement's end")
	}
	if r.err != nil {
		return nil, r.err
	}
	r.source.stmt = stmt
	return stmt, nil
}

// ParseExpr reads an expression, with nothing behind it.
func (d *Dialect) ParseExpr(text string) (Expr, error) {
	Parsed.Add(1)
	r := &Reader{d: d, text: text, source: &source{text: text}}
	if r.tokens, r.err = d.tokens(text); r.err != nil {
		return nil, r.err
	}
	x := r.Expr()
	if r.err == nil && r.tok().Kind != End {
		r.unexpected("the expression's end")
	}
	return x, r.err
}

// PrintExpr returns the text of an expression, as Print does that of a statement.
func (d *Dialect) PrintExpr(x Expr) (string, error) {
	if o := x.head(); o.node == x {
		return o.text(), nil
	}
	p := &printer{d: d}
	p.node(x)
	if p.err != nil {
		return "", p.err
	}
	text := string(p.out)
	again, err := d.ParseExpr(text)
	if err != nil {
		return "", fmt.Errorf("%s reads what is printed no more: %w: %s", d.Product, err, text)
	}
	if !Equal(x, again) {
		return "", fmt.Errorf("%s reads otherwise what is printed: %s", d.Product, text)
	}
	return text, nil
}

// Print returns the text of a statement. One that is as it was read is the text that was read. Of one that is not,
// what is new is printed; an error is returned where the dialect has no words for it, or reads these otherwise.
func (d *Dialect) Print(stmt Stmt) (string, error) {
	o := stmt.head()
	switch {
	case o.node != stmt:
		return d.printed(stmt, false)
	case o.whole():
		return o.source.text, nil
	}
	return o.text(), nil
}

// Reprint returns the text of a statement without regard to how it was spelled but for names, literals and
// parameters: in upper case, with one space between words.
func (d *Dialect) Reprint(stmt Stmt) (string, error) { return d.printed(stmt, true) }

func (d *Dialect) printed(stmt Stmt, anew bool) (string, error) {
	p := &printer{d: d, anew: anew}
	o := stmt.head()
	around := o.whole() && !anew
	if around {
		p.out, p.joint = append(p.out, o.source.text[:o.from]...), tight
	}
	p.node(stmt)
	if around {
		p.out = append(p.out, o.source.text[o.to:]...)
	}
	if p.err != nil {
		return "", p.err
	}
	text := string(p.out)
	if _, opaque := stmt.(*Opaque); opaque {
		return text, nil
	}
	again, err := d.Parse(text)
	if err != nil {
		return "", fmt.Errorf("%s reads what is printed no more: %w: %s", d.Product, err, text)
	}
	if !Equal(stmt, again) {
		return "", fmt.Errorf("%s reads otherwise what is printed: %s", d.Product, text)
	}
	return text, nil
}

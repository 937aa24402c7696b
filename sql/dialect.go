package sql

import "fmt"

// Dialect is how one database, of one version and in one mode, spells what trees say. It is a value: nobody looks one
// up by a name, and two versions of a database are two of them.
type Dialect struct {
	Product string // for messages
	Lexis   Lexis
	// Keywords are the words that a grammar uses, in upper case, and where each may be a name all the same.
	Keywords map[string]Use
	// TextNames says that a text in quotes may stand where a name is expected.
	TextNames bool
	// Prefixes and Infixes are the operators; of those that mean the same the first is printed.
	Prefixes, Infixes []Operator
	// Statements are the readers of statements by the word that these begin with, and behind WITH.
	Statements map[string]func(*Reader, *With) Stmt
	// Withs are the words that may follow a WITH clause.
	Withs []string
	// Specials are the readers of expressions that begin with a keyword, which the reader has passed.
	Specials map[string]func(*Reader) Expr
	// Niladics are the functions without parentheses, in upper case.
	Niladics []string
	// TableHint reads what stands behind a table's name and alias; nil for nothing.
	TableHint func(*Reader) *Indexed

	prefixes, infixes map[string]*Operator // by how they are spelled
	spelled           map[Op]*Operator     // operators of two operands, by what they mean
	signs             map[Op]*Operator     // those before an operand
	forms             map[Form]*Operator
	symbols           [256][]string // signs of several bytes by their first one, the longest first
}

// Use says where a keyword may be a name without quotes.
type Use uint8

// Places of names.
const (
	AsColumn   Use = 1 << iota // an expression
	AsName                     // where nothing else than a name is expected, or one is qualified
	AsFunction                 // in front of a parenthesis
	AsAlias                    // an alias without AS
	Reserved   Use = 0
	Anywhere       = AsColumn | AsName | AsFunction | AsAlias
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
)

// Operator is a line of a dialect's table of operators. Those of a higher level bind more tightly.
type Operator struct {
	Spelled string // in upper case
	Op      Op
	Level   int
	Form    Form
}

// tightest is the level of what is no operator.
const tightest = 1000

// New returns a dialect that can be used, made of its tables.
func New(d Dialect) *Dialect {
	d.prefixes, d.infixes = map[string]*Operator{}, map[string]*Operator{}
	d.spelled, d.signs, d.forms = map[Op]*Operator{}, map[Op]*Operator{}, map[Form]*Operator{}
	for i := range d.Prefixes {
		d.prefixes[d.Prefixes[i].Spelled] = &d.Prefixes[i]
		setFirst(d.signs, d.Prefixes[i].Op, &d.Prefixes[i])
	}
	for i := range d.Infixes {
		o := &d.Infixes[i]
		d.infixes[o.Spelled] = o
		setFirst(d.forms, o.Form, o)
		if o.Op != "" {
			setFirst(d.spelled, o.Op, o)
		}
	}
	for _, s := range d.Lexis.Signs {
		d.symbols[s[0]] = append(d.symbols[s[0]], s)
	}
	return &d
}

func setFirst[K comparable](m map[K]*Operator, key K, o *Operator) {
	if m[key] == nil {
		m[key] = o
	}
}

// Parse reads one statement, a semicolon behind it included. What it does not know is a *SyntaxError.
func (d *Dialect) Parse(text string) (Stmt, error) {
	r := &Reader{d: d, text: text}
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
	stmt.head().whole = true
	return stmt, nil
}

// Print returns the text of a statement. One that is as it was read is the text that was read. Of one that is not,
// what is new is printed; an error is returned where the dialect has no words for it, or reads these otherwise.
func (d *Dialect) Print(stmt Stmt) (string, error) {
	o := stmt.head()
	switch {
	case o.node != stmt:
		return d.printed(stmt, false)
	case o.whole:
		return o.source, nil
	}
	return o.text(), nil
}

// Reprint returns the text of a statement without regard to how it was spelled but for names, literals and
// parameters: in upper case, with one space between words.
func (d *Dialect) Reprint(stmt Stmt) (string, error) { return d.printed(stmt, true) }

func (d *Dialect) printed(stmt Stmt, anew bool) (string, error) {
	p := &printer{d: d, anew: anew}
	o := stmt.head()
	around := o.whole && !anew
	if around {
		p.out, p.joint = append(p.out, o.source[:o.from]...), tight
	}
	p.node(stmt)
	if around {
		p.out = append(p.out, o.source[o.to:]...)
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

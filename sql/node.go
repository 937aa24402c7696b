package sql

// Node is a part of a statement: the statement itself, an expression, a table in FROM, a clause, a name.
type Node interface {
	head() *origin
	fields(f *fields)
	print(p *printer)
}

// Stmt is a statement.
type Stmt interface {
	Node
	stmt()
}

// Expr is an expression.
type Expr interface {
	Node
	expr()
}

// TableRef is what FROM names: a table, a subquery, a join of them.
type TableRef interface {
	Node
	tableRef()
}

// Body is what a query's rows come from: SELECT, VALUES or a set operation of such.
type Body interface {
	Node
	body()
}

// Constraint is a constraint of a column or of a table.
type Constraint interface {
	Node
	constraint()
}

// Alteration is what ALTER TABLE does.
type Alteration interface {
	Node
	alteration()
}

// origin says where a node was read; its zero value, that it was made. A copy of a node has it too, and is told from
// the node by that: so copies need nobody who keeps account of them.
type origin struct {
	node     Node    // the node that was read
	source   *source // what it was read in
	from, to int32   // its own bytes there
}

// source is a text that was read.
type source struct {
	text string
	stmt Node // the statement that it is, with nothing around it but white space, comments and semicolons; nil: it is none
}

// text is the node's own bytes.
func (o *origin) text() string { return o.source.text[o.from:o.to] }

// whole says whether the node is all of its source, or a copy of that.
func (o *origin) whole() bool { return o.node != nil && o.source.stmt == o.node }

func (o *origin) head() *origin { return o }

// What a node is, by what it embeds.
type (
	statement   struct{ origin }
	expression  struct{ origin }
	reference   struct{ origin }
	rows        struct{ origin }
	restriction struct{ origin }
	change      struct{ origin }
)

func (*statement) stmt()         {}
func (*expression) expr()        {}
func (*reference) tableRef()     {}
func (*rows) body()              {}
func (*restriction) constraint() {}
func (*change) alteration()      {}

// Span returns where a node stands in the text that was read, as bytes; ok is false where it was made, or is a copy.
func Span(n Node) (from, to int, ok bool) {
	o := n.head()
	return int(o.from), int(o.to), o.node == n
}

// Original is the node that was read of which a node is a copy; the node itself where it is none, or was made.
func Original(n Node) Node {
	if o := n.head(); o.node != nil {
		return o.node
	}
	return n
}

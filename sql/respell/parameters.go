package respell

import (
	"cmp"
	"slices"
	"strings"

	"txweave/sql"
	"txweave/sql/classes"
	"txweave/sql/sqltext"
)

// Parameters is a statement in which parameters stand for values that are spelled in it, each as mark spells the one of
// its number, from 1; and these values, in the order of the text. A planner that does not know them finds its way
// without them, and may keep it.
//
// Integers and texts are taken where they are compared with something else in WHERE and ON, given to a column by an
// INSERT of one row or by SET, or are a LIMIT: no type of what a query prints, and no expression that a query says
// twice, hangs on them there. A schema says that a database gives a parameter the type of what it stands beside, where
// a literal has its own: then only values are taken that stand beside a column of theirs, integers beside integers and
// texts beside texts. nil: it does not.
func Parameters(stmt sql.Stmt, schema *sqltext.Schema, mark func(n int) string) (sql.Stmt, []*sql.Literal) {
	if _, makes := stmt.(*sql.CreateTable); makes || !reads(stmt) {
		return stmt, nil
	}
	p := &parameters{schema: schema}
	if schema != nil {
		p.columns = classes.Of(stmt, schema)
	}
	sql.Walk(stmt, func(n sql.Node) bool {
		switch n := n.(type) {
		case *sql.Select:
			p.condition(n.Where)
		case *sql.Join:
			p.condition(n.On)
		case *sql.Update:
			p.condition(n.Where)
		case *sql.Delete:
			p.condition(n.Where)
		case *sql.DeleteJoined:
			p.condition(n.Where)
		case *sql.Insert:
			p.row(n)
		case *sql.Assign:
			if len(n.Columns) == 1 {
				p.beside(n.Columns[0], n.Value)
			}
		case *sql.Limit:
			p.take(n.Count, n.Offset)
		}
		return true
	})
	slices.SortFunc(p.values, func(a, b *sql.Literal) int {
		at, _, _ := sql.Span(a)
		other, _, _ := sql.Span(b)
		return cmp.Compare(at, other)
	})
	if len(p.values) == 0 {
		return stmt, nil
	}
	return sql.Rewrite(stmt, func(n sql.Node) sql.Node {
		if l, ok := n.(*sql.Literal); ok {
			if at := slices.Index(p.values, l); at >= 0 {
				return &sql.Param{Text: mark(at + 1)}
			}
		}
		return n
	}), p.values
}

// parameters are the values that are taken out of one statement.
type parameters struct {
	schema  *sqltext.Schema
	columns *classes.Columns // nil: whatever a value stands beside, its type is its own
	values  []*sql.Literal
}

func (p *parameters) take(list ...sql.Expr) {
	for _, x := range list {
		if l, ok := x.(*sql.Literal); ok && parametric(l) && !slices.Contains(p.values, l) {
			p.values = append(p.values, l)
		}
	}
}

// beside takes values that stand beside something else.
func (p *parameters) beside(x sql.Expr, values ...sql.Expr) {
	if literal(x) {
		return
	}
	if p.columns != nil {
		kind := p.kindOf(x)
		if kind == "" || slices.ContainsFunc(values, func(v sql.Expr) bool {
			l, ok := v.(*sql.Literal)
			return !ok ||
				l.Kind != kind
		}) {
			return
		}
	}
	p.take(values...)
}

// kindOf is what literals are that have the type of a column; "" of all but integers and texts, and of what is no
// column.
func (p *parameters) kindOf(x sql.Expr) sql.LiteralKind {
	column, ok := x.(*sql.Column)
	if !ok {
		return ""
	}
	switch name := column.Name.Folded(); p.columns.ClassOf(column) {
	case sqltext.Exact:
		if p.typed(name, integerTypes) {
			return sql.Number
		}
	case sqltext.Text:
		if p.typed(name, textTypes) {
			return sql.Text
		}
	}
	return ""
}

// The types of columns beside which a literal, and a parameter, is an integer or a text.
var (
	integerTypes = strings.Fields("int integer bigint smallint tinyint mediumint")
	textTypes    = strings.Fields("char varchar text tinytext mediumtext longtext")
)

// typed says whether all columns of a name have one of some types.
func (p *parameters) typed(name string, types []string) bool {
	return !slices.ContainsFunc(p.schema.Tables, func(t *sqltext.Table) bool {
		c := t.Column(name)
		return c != nil && !slices.Contains(types, c.Type)
	})
}

// row takes the values of an INSERT of one row.
func (p *parameters) row(n *sql.Insert) {
	if n.Source == nil {
		return
	}
	v, ok := n.Source.Body.(*sql.Values)
	if !ok || len(v.Rows) != 1 {
		return
	}
	for i, x := range v.Rows[0].Items {
		switch {
		case p.columns == nil:
			p.take(x)
		case i < len(n.Columns):
			p.beside(&sql.Column{Table: n.Table.Name, Name: n.Columns[i]}, x)
		}
	}
}

// condition takes what a condition compares with something else; a subquery in it has conditions of its own.
func (p *parameters) condition(condition sql.Expr) {
	if condition == nil {
		return
	}
	sql.Walk(condition, func(n sql.Node) bool {
		switch n := n.(type) {
		case *sql.Query:
			return false
		case *sql.Binary:
			if comparison(n.Op) {
				p.beside(n.Left, n.Right)
				p.beside(n.Right, n.Left)
			}
		case *sql.Between:
			p.beside(n.X, n.Low, n.High)
		case *sql.In:
			p.beside(n.X, n.List...)
		}
		return true
	})
}

func comparison(op sql.Op) bool {
	switch op {
	case sql.OpEq, sql.OpNe, sql.OpLt, sql.OpLe, sql.OpGt, sql.OpGe, sql.OpSame:
		return true
	}
	return false
}

// parametric says whether a literal is an integer of 64 bits or a text whose characters are those between its quotes.
func parametric(l *sql.Literal) bool {
	switch l.Kind {
	case sql.Number:
		return len(l.Text) <= 18 && strings.Trim(l.Text, "0123456789") == ""
	case sql.Text:
		return l.Charset == "" && l.Text[0] == '\'' && strings.HasSuffix(l.Text, "'") && !strings.ContainsAny(l.Text, `\`) &&
			strings.Count(l.Text, "'")%2 == 0 && !strings.Contains(strings.ReplaceAll(l.Text[1:len(l.Text)-1], "''", ""), "'")
	}
	return false
}

// Package classes tells what the values of a statement's expressions are like (sqltext.Class), how many rows a query
// gives, and whether it is the plan that decides which errors and warnings there are.
//
// Nothing in it asks which database a statement is of: what differs stands in the tree (|| is another operator where it
// puts texts together than where it is an OR), and a function is known by its name and its arguments.
package classes

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"txweave/sql"
	"txweave/sql/sqltext"
)

const (
	unknown  = sqltext.UnknownClass
	exact    = sqltext.Exact
	floating = sqltext.Floating
	text     = sqltext.Text
	temporal = sqltext.Temporal
	// either is the class of a column that is a text where one source of its name has it, and something else where
	// another one has: a view's query, a subquery, may call a table by the name that the statement around it has for
	// another one. Of gives none.
	either sqltext.Class = 1 << 7
)

// Columns resolves the columns of one statement. It is for one goroutine at a time.
type Columns struct {
	schema *sqltext.Schema
	// of are the classes by alias or table name, then column; under "" is what the statement names itself, as HAVING and
	// ORDER BY may call it.
	of    map[string]map[string]sqltext.Class
	ctes  map[string]expression
	clash sqltext.Class // of a column of which two sources do not agree whether it is a text: unknown or either
	// known are the expressions that were asked about: those that enclose one another are asked about one by one.
	known map[sql.Expr]sqltext.Class
}

// expression is a common table expression, of a WITH RECURSIVE or not.
type expression struct {
	*sql.CTE
	recursive bool
}

// Of resolves the columns of a statement's sources, those of queries by the expressions that they select.
func Of(root sql.Node, schema *sqltext.Schema) *Columns { return resolved(root, schema, unknown) }

// resolved is Of with a class for what two sources of one name do not agree in.
func resolved(root sql.Node, schema *sqltext.Schema, clash sqltext.Class) *Columns {
	c := &Columns{
		schema: schema, clash: clash,
		of: map[string]map[string]sqltext.Class{}, ctes: map[string]expression{}, known: map[sql.Expr]sqltext.Class{},
	}
	derived, items := c.collect(root)
	// Inner ones must be known first: as often as they can be nested. Where two of one name do not agree, each takes back
	// what the other one has said, without end.
	for range derived {
		changed := false
		for _, d := range slices.Backward(derived) {
			changed = c.add(d) || changed
		}
		if !changed || len(derived) == 1 {
			break
		}
	}
	named := map[string]sqltext.Class{}
	for _, i := range items {
		if x := c.ClassOf(i.X); x != unknown {
			named[i.Alias.Folded()] = c.both(named[i.Alias.Folded()], x)
		}
	}
	c.of[""] = named
	clear(c.known)
	return c
}

// collect adds the tables below a node; it returns the sources that are queries, outer ones first, and the results that
// have names of their own.
func (c *Columns) collect(root sql.Node) (derived []sql.TableRef, items []*sql.Item) {
	Visit(root, func(n sql.Node) bool {
		switch x := n.(type) {
		case *sql.With:
			for _, cte := range x.CTEs {
				c.ctes[cte.Name.Folded()] = expression{cte, x.Recursive}
			}
		case *sql.Table:
			if _, cte := c.ctes[x.Name.Folded()]; cte {
				derived = append(derived, x)
			} else {
				c.add(x)
			}
		case *sql.Derived, *sql.TableCall:
			derived = append(derived, x.(sql.TableRef))
		case *sql.ParenTable:
			if x.Alias != nil {
				derived = append(derived, x)
			}
		case *sql.Item:
			if x.Alias != nil {
				items = append(items, x)
			}
		}
		return true
	})
	return derived, items
}

// Has returns the classes of a source's columns by the name under which the statement knows it; ok is false where it
// has none of that name.
func (c *Columns) Has(source string) (columns map[string]sqltext.Class, ok bool) {
	columns, ok = c.of[source]
	return columns, ok
}

// add takes a source's columns in, beside those of others that go by its name, and says whether they were not known so.
func (c *Columns) add(x sql.TableRef) bool {
	columns := map[string]sqltext.Class{}
	for _, o := range c.columnsFrom(x) {
		columns[o.Name] = o.Class
	}
	name := SourceName(x)
	before := c.of[name]
	c.of[name] = c.merge(before, columns)
	if before != nil && maps.Equal(before, c.of[name]) {
		return false
	}
	clear(c.known)
	return true
}

// merge is what is known of the columns of two sources that go by one name, whichever of them is meant.
func (c *Columns) merge(a, b map[string]sqltext.Class) map[string]sqltext.Class {
	if a == nil {
		return b
	}
	out := maps.Clone(a)
	for name, x := range b {
		out[name] = c.both(out[name], x)
	}
	return out
}

func (c *Columns) both(a, b sqltext.Class) sqltext.Class {
	switch {
	case a == b || b == unknown:
		return a
	case a == unknown:
		return b
	case isText(a) || isText(b):
		return c.clash
	}
	return unknown
}

// column returns the class of a column; without a qualifier it must be the same wherever the name occurs.
func (c *Columns) column(n *sql.Column) sqltext.Class {
	name := n.Name.Folded()
	if n.Table != nil {
		return c.of[n.Table.Folded()][name]
	}
	var found []sqltext.Class
	for _, columns := range c.of {
		if x, ok := columns[name]; ok {
			found = append(found, x)
		}
	}
	slices.Sort(found) // the sources come in no order
	switch found = slices.Compact(found); {
	case len(found) == 1:
		return found[0]
	case slices.ContainsFunc(found, isText):
		return c.clash
	}
	return unknown
}

// ClassOf tells the class of an expression.
func (c *Columns) ClassOf(x sql.Expr) sqltext.Class {
	switch x.(type) {
	case *sql.Literal, *sql.Column, *sql.TypedLiteral:
		return c.resolve(x)
	}
	is, known := c.known[x]
	if !known {
		is = c.resolve(x)
		c.known[x] = is
	}
	return is
}

func (c *Columns) resolve(x sql.Expr) sqltext.Class {
	switch n := x.(type) {
	case *sql.Paren:
		return c.ClassOf(n.X)
	case *sql.Literal:
		return literalClass(n)
	case *sql.TypedLiteral:
		return typeClass(n.Type)
	case *sql.Column:
		return c.column(n)
	case *sql.Unary:
		return c.unary(n)
	case *sql.Binary:
		return c.binary(n)
	case *sql.Between, *sql.In, *sql.Like, *sql.Is, *sql.Exists, *sql.Quantified:
		return exact
	case *sql.Case:
		var results []sql.Expr
		for _, w := range n.Whens {
			results = append(results, w.Result)
		}
		return c.oneOf(append(results, n.Else)...)
	case *sql.Call:
		return c.call(n)
	case *sql.Worded:
		if n.X != nil {
			return c.ClassOf(n.X)
		}
	case *sql.Collate, *sql.Recode:
		return text
	case *sql.Cast:
		return castClass(n.Type)
	case *sql.Subquery:
		if out := c.Outputs(n.Query); len(out) == 1 {
			return out[0].Class
		}
	}
	return unknown
}

// literalClass is the class of a literal. Numbers in another radix may be bytes too.
func literalClass(x *sql.Literal) sqltext.Class {
	switch x.Kind {
	case sql.Bool:
		return exact
	case sql.Text:
		return text
	case sql.Number:
		switch {
		case len(x.Text) > 1 && strings.Contains("xXbBoO", x.Text[1:2]):
			return unknown
		case strings.ContainsAny(x.Text, "eE"):
			return floating
		}
		return exact
	}
	return unknown
}

// Integer is the value of a literal that is a whole number, of 64 bits.
func Integer(x sql.Expr) (n int64, ok bool) {
	lit, ok := sql.Bare(x).(*sql.Literal)
	if !ok || lit.Kind != sql.Number {
		return 0, false
	}
	n, err := strconv.ParseInt(lit.Text, 10, 64)
	return n, err == nil
}

// typeClass is the class of a type that a statement names by its words.
func typeClass(words string) sqltext.Class {
	first, _, _ := strings.Cut(words, " ")
	return sqltext.ClassOf(first)
}

// castTypes are the types that only CAST knows, and those of bytes, which are texts where they are cast to.
var castTypes = byName(map[sqltext.Class]string{
	exact:    "signed unsigned number int2 int4 int8",
	floating: "float4 float8",
	text:     "binary varbinary blob clob nchar nvarchar national bytea",
	temporal: "timestamptz timetz",
})

// castClass is the class of what is cast to a type.
func castClass(t *sql.Type) sqltext.Class {
	if strings.ContainsAny(t.After, "[") || strings.Contains(strings.ToUpper(t.After), "ARRAY") {
		return unknown
	}
	first, _, _ := strings.Cut(strings.ToLower(t.Words), " ")
	if is, ok := castTypes[first]; ok {
		return is
	}
	return sqltext.ClassOf(first)
}

// number is the class of a number that a value of a class is taken as.
func number(c sqltext.Class) sqltext.Class {
	if isText(c) || c == temporal {
		return floating
	}
	return c
}

// isText says whether values of a class may be texts.
func isText(c sqltext.Class) bool { return c == text || c == either }

// oneOf is the class of a value that is any of some expressions' values: a text, where one of them is.
func (c *Columns) oneOf(list ...sql.Expr) (out sqltext.Class) {
	for _, x := range list {
		if x != nil {
			out = blend(out, c.ClassOf(x))
		}
	}
	return out
}

// blend is the class of what may be of either of two.
func blend(a, b sqltext.Class) sqltext.Class {
	switch {
	case a == b || b == unknown:
		return a
	case a == unknown:
		return b
	case a == either || b == either:
		return either
	case (a == exact || a == floating) && (b == exact || b == floating):
		return floating
	}
	return text
}

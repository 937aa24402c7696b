package classes

import (
	"slices"
	"strings"

	"txweave/sql"
)

// TableOf returns the name of the table that a source is; "" for another one.
func TableOf(x sql.TableRef) string {
	if t, ok := x.(*sql.Table); ok {
		return t.Name.Folded()
	}
	return ""
}

// SourceName is the name by which a statement knows a source.
func SourceName(x sql.TableRef) string {
	switch x := x.(type) {
	case *sql.Table:
		if x.Alias == nil {
			return x.Name.Folded()
		}
		return x.Alias.Folded()
	case *sql.Derived:
		return x.Alias.Folded()
	case *sql.TableCall:
		if x.Alias == nil {
			return x.Name.Folded()
		}
		return x.Alias.Folded()
	case *sql.ParenTable:
		return x.Alias.Folded()
	}
	return ""
}

// IsColumn says whether an expression is a column of a name.
func IsColumn(x sql.Expr, name string) bool {
	c, ok := sql.Bare(x).(*sql.Column)
	return x != nil && ok && c.Name.Folded() == name
}

// Leaves are the sources of a FROM clause, those that are no joins, from left to right.
func Leaves(from sql.TableRef) []sql.TableRef {
	switch x := from.(type) {
	case nil:
		return nil
	case *sql.Join:
		return append(Leaves(x.Left), Leaves(x.Right)...)
	case *sql.ParenTable:
		if x.Alias == nil {
			return Leaves(x.X)
		}
	}
	return []sql.TableRef{from}
}

// Visit is sql.Walk but for what looks like a name of a table or a column and is none: units of time, character sets,
// and the tables among those of its FROM that a DELETE is to delete from.
func Visit(root sql.Node, visit func(sql.Node) bool) {
	var words []sql.Node
	sql.Walk(root, func(n sql.Node) bool {
		if slices.Contains(words, n) {
			return false
		}
		switch x := n.(type) {
		case *sql.DeleteJoined:
			for _, t := range x.Targets {
				words = append(words, t)
			}
		case *sql.Recode:
			words = append(words, x.Charset)
		case *sql.Limit: // LIMIT ALL
			if _, word := x.Count.(*sql.Column); word {
				words = append(words, x.Count)
			}
		case *sql.Call:
			if len(x.Args) > 0 && IsWord(x, 0) {
				words = append(words, x.Args[0])
			}
		case *sql.Worded:
			if x.Word == "USING" {
				words = append(words, x.X)
			}
		}
		return visit(n)
	})
}

// worded are the functions whose first argument is a word: a unit of time, or what is asked for of one.
var worded = strings.Fields("extract timestampdiff timestampadd get_format")

// IsWord says whether an argument of a call is a word, though it looks like a column.
func IsWord(x *sql.Call, i int) bool {
	_, column := x.Args[i].(*sql.Column)
	return i == 0 && column && slices.Contains(worded, x.Name.Folded())
}

// Argument is an argument of a call without the word in front of it.
func Argument(x sql.Expr) sql.Expr {
	if w, ok := x.(*sql.Worded); ok && w.X != nil && w.Word != "USING" {
		return w.X
	}
	return x
}

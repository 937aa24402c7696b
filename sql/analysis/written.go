package analysis

import (
	"slices"
	"strconv"
	"strings"

	"txweave/sql"
	"txweave/sql/sqltext"
)

// Written is what a statement writes into the columns of a table.
type Written struct {
	Table   string   // in lower case
	Inserts bool     // it adds rows
	Changes bool     // it changes rows that are there
	Names   []string // the columns that it gives the rows which it adds, in lower case; nil: all, in their order
	Sets    []string // those that it gives the rows which it changes

	rows []*sql.Row // that it spells; nil where they come out of a query
}

// WrittenBy returns what a statement writes into which tables; none of one that writes no columns.
func WrittenBy(stmt sql.Stmt) []Written {
	switch n := stmt.(type) {
	case *sql.Insert:
		return []Written{insertedBy(n)}
	case *sql.Update:
		return changedBy(n)
	case *sql.Merge:
		w := Written{Table: n.Table.Name.Folded()}
		for _, when := range n.Whens {
			switch when.Do {
			case "UPDATE":
				w.Changes, w.Sets = true, append(w.Sets, namesOf(when.Set)...)
			case "INSERT":
				w.Inserts, w.Names = true, foldedNames(when.Columns)
				if when.Row == nil { // DEFAULT VALUES
					w.rows, w.Names = []*sql.Row{{}}, []string{}
				} else {
					w.rows = append(w.rows, when.Row)
				}
			}
		}
		return []Written{w}
	}
	return nil
}

// changedBy are the tables of an UPDATE that it writes: of joined ones those whose columns it names, and all where it
// does not say whose they are.
func changedBy(n *sql.Update) (out []Written) {
	from := sourcesOf(n.Table)
	for _, s := range from {
		w := Written{Table: s.table, Changes: true}
		for _, as := range assigned(n.Set) {
			if as.column.Table == nil || as.column.Table.Folded() == s.alias || len(from) == 1 {
				w.Sets = append(w.Sets, as.column.Name.Folded())
			}
		}
		if len(w.Sets) > 0 {
			out = append(out, w)
		}
	}
	return out
}

func insertedBy(n *sql.Insert) Written {
	w := Written{Table: n.Table.Name.Folded(), Inserts: true, Names: foldedNames(n.Columns), Sets: namesOf(n.Duplicate)}
	for _, c := range n.Conflicts {
		w.Sets = append(w.Sets, namesOf(c.Set)...)
	}
	w.Changes = len(n.Duplicate)+len(n.Conflicts) > 0
	switch {
	case len(n.Set) > 0:
		w.Names, w.rows = namesOf(n.Set), []*sql.Row{{}}
		for _, as := range assigned(n.Set) {
			w.rows[0].Items = append(w.rows[0].Items, as.value)
		}
	case n.Source == nil: // DEFAULT VALUES
		w.Names, w.rows = []string{}, []*sql.Row{{}}
	default:
		if values := valuesIn(n.Source); values != nil {
			w.rows = values.Rows
		}
	}
	return w
}

// Gives says whether all rows that are added have a value of the statement's own in a column: where what it numbers is
// such a one, 0 and NULL mean the next number.
func (w *Written) Gives(t *sqltext.Table, column sqltext.Column) bool {
	names := w.Names
	if names == nil {
		names = t.Names()
	}
	at := slices.Index(names, column.Name)
	return at >= 0 && !slices.ContainsFunc(w.rows, func(row *sql.Row) bool {
		return at >= len(row.Items) || madeUp(row.Items[at], column.Counts)
	})
}

// madeUp says whether a value stands for what the database makes up.
func madeUp(x sql.Expr, counts bool) bool {
	if counts {
		n, err := strconv.ParseFloat(strings.Trim(Spelling(x), `'"`), 64)
		if IsNull(x) || err == nil && n == 0 {
			return true
		}
	}
	return sql.Has(x, func(n sql.Node) bool {
		switch n := n.(type) {
		case *sql.DefaultValue:
			return true
		case *sql.Call:
			return n.Name.Folded() == "default"
		}
		return false
	})
}

// namesOf are the columns that assignments name, in lower case.
func namesOf(set []*sql.Assign) (names []string) {
	for _, as := range assigned(set) {
		names = append(names, as.column.Name.Folded())
	}
	return names
}

func foldedNames(list []*sql.Name) (names []string) {
	for _, n := range list {
		names = append(names, n.Folded())
	}
	return names
}

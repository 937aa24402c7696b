package analysis

import (
	"slices"
	"strconv"
	"strings"

	"txweave/sql"
	"txweave/sql/sqltext"
)

// Given is what a write gives a column by its text alone: what the rows that it leaves must hold there.
type Given struct {
	PKey   string // the row of an INSERT that gets it, by the literal of its pkey; "": all rows that are written
	Column string // in lower case
	Type   string // first word of the column's declared type, in lower case
	Value  string // the value as it is read; of NULL nothing
	Null   bool
	Number bool   // Value is a number
	From   string // the column of the same row, of the same type and not written, that is copied; "": none

	unknown bool // it is written, and not by one of these
}

// Declared types, by their first words, of which it is certain what is left of a value: they round nothing, and pad
// with blanks at most.
var (
	exactTypes = strings.Fields("int integer bigint smallint tinyint mediumint")
	floatTypes = strings.Fields("double")
	textTypes  = strings.Fields("varchar text tinytext mediumtext longtext char character")
)

// holds says whether the column can be held against what it was given: a text of a text column, an integer of one of
// numbers, NULL of both.
func (g *Given) holds() bool {
	exact, float, text := slices.Contains(exactTypes, g.Type), g.IsFloat(), slices.Contains(textTypes, g.Type)
	switch {
	case g.Null || g.From != "":
		return exact || float || text
	case g.Number:
		return exact && !strings.Contains(g.Value, ".") || float
	}
	return text
}

// IsFloat says that the column holds binary floating-point numbers.
func (g *Given) IsFloat() bool { return slices.Contains(floatTypes, g.Type) }

// Givens lists what a write says by its text alone of the rows that it leaves: an UPDATE of one table that gives
// columns literals or copies those that it does not write, an INSERT of rows that are spelled and bear a pkey, an
// upsert. It says nothing of tables with triggers, which may give other values, nor of counters, for which 0 and NULL
// mean the next number.
func Givens(schema *sqltext.Schema, stmt sql.Stmt) []Given {
	var t *sqltext.Table
	var list []Given
	switch n := stmt.(type) {
	case *sql.Update:
		t, list = updated(schema, n)
	case *sql.Insert:
		s, spelled := SpelledBy(n)
		t = schema.Table(s.Table)
		switch {
		case !spelled || t == nil || n.Ignore || n.Or != "":
			return nil
		case len(n.Conflicts)+len(n.Duplicate) > 0:
			list = upserted(n, &s)
		default:
			list = inserted(&s)
		}
	}
	if t == nil || len(schema.On(t.Name)) > 0 {
		return nil
	}
	var out []Given
	for _, g := range list {
		c := t.Column(g.Column)
		if c == nil || g.unknown || c.Counts || c.Random || c.Generated || g.Null && c.NotNull ||
			sqltext.IsBookkeeping(g.Column) {
			continue
		}
		if g.Type = c.Type; !g.holds() {
			continue
		}
		if g.From != "" {
			if from := t.Column(g.From); from == nil || from.Generated || from.Type != c.Type || slices.ContainsFunc(list,
				func(o Given) bool { return o.Column == g.From }) {
				continue
			}
		}
		out = append(out, g)
	}
	return out
}

// updated reads an UPDATE of one table.
func updated(schema *sqltext.Schema, n *sql.Update) (t *sqltext.Table, out []Given) {
	from := sourcesOf(n.Table)
	if len(from) != 1 || n.Ignore || n.Or != "" {
		return nil, nil
	}
	for _, as := range assigned(n.Set) {
		g, known := valueOf(as.value)
		if col, ok := as.value.(*sql.Column); ok && n.From != nil && col.Table.Folded() != from[0].alias {
			known = false // it may be a column of another table's
		}
		g.Column, g.unknown = as.column.Name.Folded(), !known
		if slices.ContainsFunc(out, func(o Given) bool { return o.Column == g.Column }) {
			return nil, nil // given twice
		}
		out = append(out, g)
	}
	return schema.Table(from[0].table), out
}

// inserted are the values of rows that an INSERT spells.
func inserted(s *Spelled) (out []Given) {
	met := map[string]bool{}
	for _, row := range s.Rows {
		pkey, ok := valueOf(s.Value(row, sqltext.PKey))
		if !ok || !pkey.Number || met[pkey.Value] {
			return nil
		}
		met[pkey.Value] = true
		for i, cell := range row.Items {
			if g, ok := valueOf(cell); ok && g.From == "" {
				g.PKey, g.Column = pkey.Value, s.Columns[i]
				out = append(out, g)
			}
		}
	}
	return out
}

// upserted are the values of an INSERT of rows that changes those which are in its way: columns to which it gives what
// it would have inserted hold that whether it inserts or changes, if it is the same in all rows that it spells.
func upserted(n *sql.Insert, s *Spelled) (out []Given) {
	set := assigned(n.Duplicate)
	for _, c := range n.Conflicts {
		if len(n.Conflicts) > 1 || c.Where != nil {
			return nil
		}
		set = append(set, assigned(c.Set)...)
	}
	for i, column := range s.Columns {
		g, ok := valueOf(s.Rows[0].Items[i])
		if !ok || g.From != "" || slices.ContainsFunc(s.Rows, func(row *sql.Row) bool {
			return !sql.Equal(row.Items[i], s.Rows[0].Items[i])
		}) {
			continue
		}
		at := slices.IndexFunc(set, func(as assignment) bool { return as.column.Name.Folded() == column })
		if at < 0 || !renews(n, set[at].value, column) {
			continue
		}
		g.Column = column
		out = append(out, g)
	}
	return out
}

// renews says whether a value is what an upsert would have inserted into a column: EXCLUDED.c, VALUES(c), or n.c of
// INSERT … AS n.
func renews(n *sql.Insert, x sql.Expr, column string) bool {
	if call, ok := x.(*sql.Call); ok && call.Name.Folded() == "values" && len(call.Args) == 1 {
		col, is := call.Args[0].(*sql.Column)
		return is && col.Name.Folded() == column
	}
	col, ok := x.(*sql.Column)
	if !ok || col.Name.Folded() != column || col.Table == nil {
		return false
	}
	return n.Row == nil && col.Table.Folded() == "excluded" || n.Row != nil && len(n.RowNames) == 0 &&
		col.Table.Folded() == n.Row.Folded()
}

// valueOf reads an expression that is a literal, a call that repeats one, or a column.
func valueOf(x sql.Expr) (g Given, ok bool) {
	switch x := x.(type) {
	case *sql.Literal:
		switch x.Kind {
		case sql.Null:
			return Given{Null: true}, true
		case sql.Text:
			text, ok := charactersOf(x)
			return Given{Value: text}, ok
		}
	case *sql.Call:
		return repeatedBy(x)
	case *sql.Column:
		return Given{From: x.Name.Folded()}, true
	}
	text, ok := numeralOf(Spelling(x))
	return Given{Value: text, Number: true}, ok
}

// charactersOf is the text of a literal; ok is false for one that is more than its characters, or means another text
// from one database to the next.
func charactersOf(x sql.Expr) (text string, ok bool) {
	l, ok := x.(*sql.Literal)
	if !ok || l.Kind != sql.Text || l.Charset != "" || len(l.Text) < 2 || l.Text[0] != '\'' ||
		strings.Contains(l.Text, `\`) {
		return "", false
	}
	text = l.Characters()
	return text, len(text)+2+strings.Count(text, "'") == len(l.Text) // not several texts in a row
}

// repeatedBy reads REPEAT('ab', 20), and REPLACE(HEX(ZEROBLOB(20)), '00', 'ab'), which is the same without REPEAT.
func repeatedBy(call *sql.Call) (g Given, ok bool) {
	var text, times sql.Expr
	switch name := call.Name.Folded(); {
	case name == "repeat" && len(call.Args) == 2:
		text, times = call.Args[0], call.Args[1]
	case name == "replace" && len(call.Args) == 3 && Spelling(call.Args[1]) == "'00'":
		hex, ok := call.Args[0].(*sql.Call)
		if !ok || hex.Name.Folded() != "hex" || len(hex.Args) != 1 {
			return g, false
		}
		zeros, ok := hex.Args[0].(*sql.Call)
		if !ok || zeros.Name.Folded() != "zeroblob" || len(zeros.Args) != 1 {
			return g, false
		}
		text, times = call.Args[2], zeros.Args[0]
	default:
		return g, false
	}
	literal, ok := charactersOf(text)
	n, number := integerOf(times)
	if !ok || !number || n < 0 || n > 1<<16 {
		return g, false
	}
	return Given{Value: strings.Repeat(literal, int(n))}, true
}

// numeralOf reads an integer, or one with a fraction, with what marks it as floating-point: 5, -5, 2.25, 2.25e0.
func numeralOf(spelled string) (text string, ok bool) {
	digits := strings.TrimPrefix(spelled, "-")
	whole, fraction, fractional := strings.Cut(digits, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || n < 0 || n >= 1<<53 || whole != strconv.FormatInt(n, 10) {
		// every number of a database holds it exactly
		return "", false
	}
	if !fractional {
		return spelled, true
	}
	fraction = strings.TrimSuffix(strings.ToLower(fraction), "e0")
	if _, err := strconv.ParseUint(fraction, 10, 32); err != nil {
		return "", false
	}
	return spelled[:len(spelled)-len(digits)] + whole + "." + fraction, true
}

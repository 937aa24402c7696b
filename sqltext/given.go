package sqltext

import (
	"slices"
	"strconv"
	"strings"
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

// Declared types, by their first words, of which it is certain what is left of a value: they round nothing, and pad with blanks at most.
var (
	exactTypes = words("int integer bigint smallint tinyint mediumint")
	floatTypes = words("double")
	textTypes  = words("varchar text tinytext mediumtext longtext char character")
)

// words is a set of words.
func words(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}

// holds says whether the column can be held against what it was given: a text of a text column, an integer of one of numbers, NULL of both.
func (g *Given) holds() bool {
	switch {
	case g.Null || g.From != "":
		return exactTypes[g.Type] || floatTypes[g.Type] || textTypes[g.Type]
	case g.Number:
		return exactTypes[g.Type] && !strings.Contains(g.Value, ".") || floatTypes[g.Type]
	}
	return textTypes[g.Type]
}

// IsFloat says that the column holds binary floating-point numbers.
func (g *Given) IsFloat() bool { return floatTypes[g.Type] }

// Givens lists what a write says by its text alone of the rows that it leaves: an UPDATE of one table that gives columns literals or copies those that
// it does not write, an INSERT of rows that are spelled and bear a pkey, an upsert. It says nothing of tables with triggers, which may give other values, nor
// of counters, for which 0 and NULL mean the next number.
func Givens(schema *Schema, sql string) []Given {
	if strings.Contains(sql, `\`) {
		return nil // what it means differs from one DBMS to the next
	}
	var out []Given
	t, list := updated(schema, sql)
	if t == nil {
		t, list = inserted(schema, sql)
	}
	if t == nil {
		t, list = upserted(schema, sql)
	}
	if t == nil || len(schema.On(t.Name)) > 0 {
		return nil
	}
	for _, g := range list {
		c := t.Column(g.Column)
		if c == nil || g.unknown || c.Counts || c.Random || c.Generated || g.Null && c.NotNull || IsBookkeeping(g.Column) {
			continue
		}
		if g.Type = c.Type; !g.holds() {
			continue
		}
		if g.From != "" {
			if from := t.Column(g.From); from == nil || from.Generated || from.Type != c.Type || slices.ContainsFunc(list, func(o Given) bool { return o.Column == g.From }) {
				continue
			}
		}
		out = append(out, g)
	}
	return out
}

// updated reads UPDATE t [AS r] SET …; nil for all other statements.
func updated(schema *Schema, sql string) (t *Table, out []Given) {
	w := Significant(sql, -1)
	if len(w) < 4 || !w[0].Is("update") {
		return nil, nil
	}
	name, _ := w[1].Ident()
	if t = schema.Table(name); t == nil {
		return nil, nil
	}
	at := 2
	if w[at].Is("as") {
		at += 2
	}
	if at >= len(w) || !w[at].Is("set") {
		return nil, nil
	}
	for at++; at < len(w); at++ {
		end, depth := at, 0
		for ; end < len(w) && (depth > 0 || !w[end].Is("where", "order", "limit", "from", "returning") && w[end].Text != "," && w[end].Text != ";"); end++ {
			depth += w[end].Nesting()
		}
		one := w[at:end]
		if equals := slices.IndexFunc(one, func(t Token) bool { return t.Text == "=" }); equals > 0 {
			column, _ := one[equals-1].Ident()
			if slices.ContainsFunc(out, func(g Given) bool { return g.Column == column }) {
				return nil, nil // given twice
			}
			g, known := value(one[equals+1:])
			g.Column, g.unknown = column, !known
			out = append(out, g)
		}
		if at = end; end < len(w) && w[end].Text != "," {
			break
		}
	}
	return t, out
}

// inserted reads INSERT INTO t (…) VALUES (…), …; nil for all other statements.
func inserted(schema *Schema, sql string) (t *Table, out []Given) {
	write, _, _ := CutReturning(strings.TrimRight(sql, "; \n"))
	v, ok := SplitValues(strings.TrimSpace(write))
	if !ok {
		return nil, nil
	}
	key := slices.Index(v.Columns, PKey)
	if t = schema.Table(v.Table); t == nil || key < 0 {
		return nil, nil
	}
	met := map[string]bool{}
	for _, cells := range v.Cells {
		pkey, ok := value(Significant(cells[key], -1))
		if !ok || !pkey.Number || met[pkey.Value] {
			return nil, nil
		}
		met[pkey.Value] = true
		for i, cell := range cells {
			if g, ok := value(Significant(cell, -1)); ok && g.From == "" {
				g.PKey, g.Column = pkey.Value, v.Columns[i]
				out = append(out, g)
			}
		}
	}
	return t, out
}

// upserted reads an INSERT of rows that changes those which are in its way: columns to which it gives what it would have inserted hold that
// whether it inserts or changes, if it is the same in all rows that it spells.
func upserted(schema *Schema, sql string) (t *Table, out []Given) {
	write, _, _ := CutReturning(strings.TrimRight(sql, "; \n"))
	at, depth := 0, 0
	for tok := range Tokens(write) {
		if depth += tok.Nesting(); depth == 0 && tok.Is("on") {
			break
		}
		at += len(tok.Text)
	}
	v, ok := SplitValues(strings.TrimSpace(write[:at]))
	tail := Significant(write[at:], -1)
	start := slices.IndexFunc(tail, func(t Token) bool { return t.Is("update") })
	if t = schema.Table(v.Table); !ok || t == nil || start < 0 || slices.ContainsFunc(tail, func(t Token) bool { return t.Is("where") }) {
		return nil, nil
	}
	if tail = tail[start+1:]; len(tail) > 0 && tail[0].Is("set") {
		tail = tail[1:]
	}
	for i, column := range v.Columns {
		g, ok := value(Significant(v.Cells[0][i], -1))
		if !ok || g.From != "" || !renews(tail, column) || slices.ContainsFunc(v.Cells, func(row []string) bool { return row[i] != v.Cells[0][i] }) {
			continue
		}
		g.Column = column
		out = append(out, g)
	}
	return t, out
}

// renews says whether assignments give a column what an upsert would have inserted into it: c = EXCLUDED.c, c = VALUES(c).
func renews(w []Token, column string) bool {
	depth := 0
	for i, tok := range w {
		name, is := tok.Ident()
		if depth += tok.Nesting(); depth != 0 || !is || name != column || i+4 >= len(w) || w[i+1].Text != "=" {
			continue
		}
		after := i + 5 // what is behind its value
		switch of, _ := w[i+4].Ident(); {
		case w[i+2].Is("excluded") && w[i+3].Text == "." && of == column:
		case w[i+2].Is("values") && w[i+3].Text == "(" && of == column:
			after++
		default:
			return false
		}
		return after >= len(w) || w[after].Text == ","
	}
	return false
}

// value reads an expression that is a literal, a call that repeats one, or a column.
func value(w []Token) (g Given, ok bool) {
	switch n := len(w); {
	case n == 1 && w[0].Is("null"):
		return Given{Null: true}, true
	case n == 1 && w[0].Kind == Literal:
		text, ok := unquoted(w[0])
		return Given{Value: text}, ok
	case n == 6 && w[0].Is("repeat") && isInteger(w[4].Text): // REPEAT('ab', 20)
		return repeated(w[2], w[4])
	case n == 14 && w[0].Is("replace") && w[2].Is("hex") && w[4].Is("zeroblob") && isInteger(w[6].Text) && w[10].Text == "'00'": // REPLACE(HEX(ZEROBLOB(20)), '00', 'ab')
		return repeated(w[12], w[6])
	}
	if text, ok := number(w); ok {
		return Given{Value: text, Number: true}, true
	}
	if n := len(w); n == 1 || n == 3 && w[1].Text == "." {
		if name, is := w[n-1].Ident(); is {
			return Given{From: name}, true
		}
	}
	return Given{}, false
}

// unquoted is the text of a literal; ok is false for one that is more than its characters.
func unquoted(t Token) (text string, ok bool) {
	s := t.Text
	if len(s) < 2 || s[0] != '\'' || t.Open {
		return "", false
	}
	return strings.ReplaceAll(s[1:len(s)-1], "''", "'"), true
}

// repeated is a literal, a number of times.
func repeated(literal, times Token) (g Given, ok bool) {
	text, ok := unquoted(literal)
	n, err := strconv.Atoi(times.Text)
	if !ok || err != nil || n > 1<<16 {
		return Given{}, false
	}
	return Given{Value: strings.Repeat(text, n)}, true
}

// number reads an integer, or one with a fraction, with what marks it as floating-point: 5, -5, 2.25, 2.25e0.
func number(w []Token) (text string, ok bool) {
	sign := ""
	if len(w) > 0 && w[0].Text == "-" {
		sign, w = "-", w[1:]
	}
	switch {
	case len(w) == 1 && isInteger(w[0].Text):
		return sign + w[0].Text, true
	case len(w) == 3 && isInteger(w[0].Text) && w[1].Text == ".":
		fraction := strings.TrimSuffix(lower(w[2].Text), "e0")
		if _, err := strconv.ParseUint(fraction, 10, 32); err == nil {
			return sign + w[0].Text + "." + fraction, true
		}
	}
	return "", false
}

// isInteger says whether a text is an integer that every number of a database holds exactly.
func isInteger(text string) bool {
	n, err := strconv.ParseInt(text, 10, 64)
	return err == nil && n < 1<<53 && n >= 0 && (text == "0" || text[0] != '0')
}
